//! The last message to a client whose connection ends without a request of its own.

use std::path::Path;

use crate::adapters::ipc::{FrameReceiver, FrameSender};
use crate::domain::pluralized;
use crate::protocol::wire::FromServer;
use crate::read_model::ReadModel;
use crate::server::connections::peer::{ConnectionError, bye, say_last};
use crate::server::engine_handle::EngineHandle;
use crate::server::poison::PoisonFlag;

/// State of the connection to an attached client: it continues, ends with a message, or is gone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClientFlow {
    On,
    /// Connection that ends with this message.
    Bye(String),
    /// Connection that the person leaves, with this message.
    Left(String),
    Gone,
}

impl ClientFlow {
    /// Sends the client the reason why its connection ends, if there is one and the client still listens.
    pub(super) async fn tell(
        self,
        sender: &mut FrameSender,
        receiver: &mut FrameReceiver,
    ) -> Result<(), ConnectionError> {
        match self {
            ClientFlow::On | ClientFlow::Gone => Ok(()),
            ClientFlow::Bye(why) => bye(sender, receiver, why).await,
            ClientFlow::Left(text) => say_last(sender, receiver, &FromServer::Left(text)).await,
        }
    }
}

/// Returns the message for a person who leaves: the place where the session continues, and the way to come back.
pub(super) fn person_left(root: &Path, model: &ReadModel) -> ClientFlow {
    let agents = match model.agents().count() {
        0 => "no agent is at work".to_owned(),
        many => format!("{} at work", pluralized(many, "agent")),
    };
    ClientFlow::Left(format!(
        "dbs goes on in {}, {agents}; `dbs` there comes back, `dbs stop --all` ends it",
        root.display()
    ))
}

/// Returns the message for a client whose drawing or input panicked; nothing else was affected.
pub(super) fn client_panicked(logs: &Path, what: &str) -> ClientFlow {
    ClientFlow::Bye(format!(
        "dbs broke while it worked for this screen: {what}\nthe report is in {}\nagents and the server keep running; come back with `dbs`",
        logs.display()
    ))
}

/// Ends the connection when the server ends. A broken server sends nothing, so that the client starts another.
pub(super) fn server_stopped(engine: &EngineHandle, poison: &PoisonFlag) -> ClientFlow {
    match engine.inbox.stopped() {
        _ if poison.is_poisoned() => ClientFlow::Gone,
        Some(why) => ClientFlow::Bye(format!(
            "the server ends, because it could not {why}; agents keep running"
        )),
        None => ClientFlow::Bye("the server ends; agents keep running unless you stopped them".to_owned()),
    }
}
