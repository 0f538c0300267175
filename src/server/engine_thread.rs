//! The thread the engine runs on, from its start to its end.

use std::io;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::task::TaskTracker;

use crate::domain::Event;
use crate::engine::event_loop::EngineLoop;
use crate::engine::inbox::Inbox;
use crate::engine::performer::Performer;
use crate::ports::store::StoreError;
use crate::server::ending;
use crate::server::poison::PoisonFlag;

/// The running engine, and the effects it has under way.
#[derive(Debug)]
pub(super) struct EngineThread {
    inbox: Inbox,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    effects: TaskTracker,
}

impl EngineThread {
    /// Starts the engine with these events. An engine that breaks takes the server with it.
    pub(super) fn start(
        running: EngineLoop<Performer>,
        first: Vec<Event>,
        inbox: Inbox,
        effects: TaskTracker,
        poison: PoisonFlag,
    ) -> io::Result<EngineThread> {
        let work = move || {
            poison
                .guard("the engine", || running.run(first))
                .unwrap_or_else(|| Err(broken()))
        };
        let thread = std::thread::Builder::new()
            .name("engine".to_owned())
            .spawn(work)?;
        Ok(EngineThread {
            inbox,
            thread: Mutex::new(Some(thread)),
            effects,
        })
    }

    /// Returns true if the engine has stopped by itself.
    pub(super) fn has_ended(&self) -> bool {
        self.thread.lock().as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the engine; effects under way may take that time to end by themselves, then they are aborted. A second call does nothing.
    ///
    /// # Errors
    /// When the engine had stopped because a turn could not be made durable.
    pub(super) async fn end(&self, patience: Duration) -> Result<(), StoreError> {
        self.effects.close();
        self.inbox.close();
        let thread = self.thread.lock().take();
        let joined = tokio::task::spawn_blocking(move || thread.map(JoinHandle::join)).await;
        ending::finish(&self.effects, patience).await;
        match joined {
            Ok(Some(Ok(result))) => result,
            Ok(None) => Ok(()),
            Ok(Some(Err(_))) | Err(_) => Err(broken()),
        }
    }
}

fn broken() -> StoreError {
    StoreError::Failed {
        what: "run the engine".to_owned(),
        why: "it broke; everything committed is safe, see the log".to_owned(),
    }
}
