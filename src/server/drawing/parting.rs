//! What a client is told when it has to go, though nobody there wished so.

use crate::server::drawing::Next;
use crate::server::listening::Server;

/// What a person is told whose screen could not be drawn any more, or whose key broke something: nothing else did.
pub(super) fn broke(server: &Server, what: &str) -> Next {
    Next::Bye(format!(
        "dbs broke while it worked for this screen: {what}\nthe report is in {}\nagents and the server go on; come back with `dbs`",
        server.session.place.logs.display()
    ))
}

/// The server ends. A broken one says nothing: who hears nothing starts another.
pub(super) fn stopped(server: &Server) -> Next {
    let session = &server.session;
    match session.inbox.stopped() {
        _ if session.hub.whole().is_broken() => Next::Gone,
        Some(why) => Next::Bye(format!(
            "the server ends, because it could not {why}; agents go on"
        )),
        None => Next::Bye("the server ends; agents go on unless you stopped them".to_owned()),
    }
}
