//! What a client is told when it has to go, though nobody there wished so.

use std::path::Path;

use crate::server::engine_handle::EngineHandle;
use crate::server::whole::Whole;

/// Whether the conversation goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It does.
    On,
    /// It ends, with these words.
    Bye(String),
    /// The client is gone.
    Gone,
}

/// What a person is told whose screen could not be drawn any more, or whose key broke something: nothing else did.
pub(super) fn broke(logs: &Path, what: &str) -> Next {
    Next::Bye(format!(
        "dbs broke while it worked for this screen: {what}\nthe report is in {}\nagents and the server go on; come back with `dbs`",
        logs.display()
    ))
}

/// The server ends. A broken one says nothing: who hears nothing starts another.
pub(super) fn stopped(engine: &EngineHandle, whole: &Whole) -> Next {
    match engine.inbox.stopped() {
        _ if whole.is_broken() => Next::Gone,
        Some(why) => Next::Bye(format!(
            "the server ends, because it could not {why}; agents go on"
        )),
        None => Next::Bye("the server ends; agents go on unless you stopped them".to_owned()),
    }
}
