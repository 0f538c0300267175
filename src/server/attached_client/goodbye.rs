//! The last message to a client whose connection ends although nobody there asked for it.

use std::path::Path;

use crate::server::engine_handle::EngineHandle;
use crate::server::poison::PoisonFlag;

/// Whether the connection to an attached client goes on, ends with a message, or is gone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientFlow {
    On,
    /// It ends, with this message.
    Bye(String),
    Gone,
}

/// Says goodbye to a client whose drawing or input panicked; nothing else was affected.
pub(super) fn client_panicked(logs: &Path, what: &str) -> ClientFlow {
    ClientFlow::Bye(format!(
        "dbs broke while it worked for this screen: {what}\nthe report is in {}\nagents and the server go on; come back with `dbs`",
        logs.display()
    ))
}

/// Ends the connection when the server ends. A broken server sends nothing, so that the client starts another.
pub(super) fn server_stopped(engine: &EngineHandle, poison: &PoisonFlag) -> ClientFlow {
    match engine.inbox.stopped() {
        _ if poison.is_poisoned() => ClientFlow::Gone,
        Some(why) => ClientFlow::Bye(format!(
            "the server ends, because it could not {why}; agents go on"
        )),
        None => ClientFlow::Bye("the server ends; agents go on unless you stopped them".to_owned()),
    }
}
