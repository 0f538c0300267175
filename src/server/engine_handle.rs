//! Access of the server's parts to the engine: events go into its inbox, and its published models are read from a channel.

use std::sync::Arc;

use tokio::sync::watch;

use crate::domain::{Command, Event, RequestId};
use crate::engine::inbox::{CommandReply, Inbox, InboxClosed};
use crate::engine::journal::Journal;
use crate::read_model::ReadModel;

/// The inbox of the engine, and the read models and notices it publishes. Cheap to clone; all clones reach the same engine.
#[derive(Debug, Clone)]
pub struct EngineHandle {
    pub inbox: Inbox,
    /// The read models, the newest one at any time.
    pub read_models: watch::Receiver<Arc<ReadModel>>,
    /// The newest notices, also those of the server itself.
    pub journal: Journal,
}

impl EngineHandle {
    /// Returns the newest read model. The engine does not wait for its readers.
    pub fn read_model(&self) -> Arc<ReadModel> {
        Arc::clone(&self.read_models.borrow())
    }

    /// Sends a command to the board and waits for the answer.
    pub fn ask(&self, by: &str, command: Command) -> Result<CommandReply, InboxClosed> {
        self.inbox.call(Event::Asked {
            request: RequestId(0),
            by: by.to_owned(),
            command,
        })
    }
}
