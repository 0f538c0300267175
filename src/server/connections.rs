//! Listens for connections until the server ends, and does meanwhile what is done every few moments: signals that came as files
//! are taken in, and the store is copied.

use std::sync::Arc;
use std::time::Duration;

use crate::adapters::clock;
use crate::adapters::ipc::IpcListener;
use crate::server::backups::{self, BackupTrigger};
use crate::server::conversations::Conversations;
use crate::server::engine_thread::EngineThread;
use crate::server::inbox_folder;

/// How often the inbox folder is looked at; a signal is there only when its sender could not reach the socket.
const INBOX_INTERVAL: Duration = Duration::from_secs(2);

/// Serves until the server is stopped, or the engine has ended by itself.
pub(super) async fn serve(listener: &IpcListener, conversations: &Arc<Conversations>, engine: &EngineThread) {
    let services = &conversations.services;
    let (stop, poison) = (&services.stop, services.hub.poison());
    let mut inbox = tokio::time::interval(INBOX_INTERVAL);
    let mut copies = BackupTrigger::new(services.engine.journal.clone());
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = poison.poisoned() => break,
            accepted = listener.accept() => match accepted {
                Ok(connection) => conversations.begin(connection),
                Err(error) => tracing::warn!("could not take a connection: {error}"),
            },
            () = copies.due() => {
                let files = services.settings.place.store.clone();
                conversations.tasks.spawn_blocking(move || backups::back_up(&files));
                conversations.sweep_old();
            }
            _ = inbox.tick() => {
                if engine.has_ended() {
                    tracing::error!("the engine has ended; the server ends with it, agents go on");
                    break;
                }
                let intake = &conversations.intake;
                intake.usage.tell(&intake.engine.inbox, clock::now(), false);
                let (intake, poison) = (conversations.intake.clone(), poison.clone());
                conversations.tasks.spawn_blocking(move || {
                    poison.guard("the intake of signals", || inbox_folder::take_all(&intake))
                });
            }
        }
    }
    stop.cancel();
    conversations.end().await;
    let intake = &conversations.intake;
    intake.usage.tell(&intake.engine.inbox, clock::now(), true);
}
