//! Listens for connections until the server ends, and meanwhile does the periodic work: signals that came as files are taken in, and the
//! store is copied.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::ipc::{IpcConnection, IpcListener};
use crate::server::connections::conversations::Conversations;
use crate::server::engine_thread::EngineThread;
use crate::server::keeping::backups::{self, BackupTrigger};
use crate::server::signals::inbox_folder;

/// Interval at which the inbox folder is read; a signal is there only when its sender could not reach the socket.
const INBOX_INTERVAL: Duration = Duration::from_secs(2);

/// Pause of accepting connections after the system refused one. A server that may open no more files would fail again at once, without end,
/// and write it into its log each time.
const AFTER_FAILURE: Duration = Duration::from_millis(200);

/// Time at which the next connection is accepted.
#[derive(Debug)]
struct AcceptPace {
    not_before: Instant,
}

impl AcceptPace {
    async fn accept(&self, listener: &IpcListener) -> io::Result<IpcConnection> {
        tokio::time::sleep_until(self.not_before).await;
        listener.accept().await
    }

    /// Delays the next connection, unless it was another user who was refused: they must not delay others.
    fn failed(&mut self, error: &io::Error, now: Instant) {
        if error.kind() != io::ErrorKind::PermissionDenied {
            self.not_before = now + AFTER_FAILURE;
        }
    }
}

/// Serves until the server is stopped, or the engine has ended by itself.
pub(in crate::server) async fn serve(
    listener: &IpcListener,
    conversations: &Arc<Conversations>,
    engine: &EngineThread,
) {
    let services = &conversations.services;
    let (stop, poison) = (&services.stop, services.hub.poison());
    conversations.intake.reach.listens_since(clock::now());
    let mut looked = Instant::now();
    let mut inbox = tokio::time::interval(INBOX_INTERVAL);
    let mut pace = AcceptPace {
        not_before: Instant::now(),
    };
    let mut copies = BackupTrigger::new(services.engine.journal.clone());
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = poison.poisoned() => break,
            accepted = pace.accept(listener) => match accepted {
                Ok(connection) => conversations.begin(connection),
                Err(error) => {
                    tracing::warn!("could not take a connection: {error}");
                    pace.failed(&error, Instant::now());
                }
            },
            () = copies.due() => {
                let files = services.settings.paths.store.clone();
                conversations.tasks.spawn_blocking(move || backups::back_up(&files));
                conversations.sweep_old();
            }
            _ = inbox.tick() => {
                // A machine that is so busy lets agents wait in vain, too.
                if looked.elapsed() > 2 * INBOX_INTERVAL {
                    conversations.intake.reach.missed();
                }
                looked = Instant::now();
                if engine.has_ended() {
                    tracing::error!("the engine has ended; the server ends with it, agents keep running");
                    break;
                }
                let (intake, poison) = (conversations.intake.clone(), poison.clone());
                let (settings, hub) = (Arc::clone(&services.settings), services.hub.clone());
                let stop = stop.clone();
                conversations.tasks.spawn_blocking(move || {
                    poison.guard("the intake of signals", || {
                        intake.usage.tell(&intake.engine.inbox, clock::now(), false);
                        inbox_folder::take_all(&intake);
                        intake.hooks.withdraw_lost(&intake.engine, hub.agents(), &stop);
                    });
                    let model = intake.engine.read_model();
                    intake.records.look(&settings.agents, &model, &intake.usage, hub.agents(), clock::now());
                });
            }
        }
    }
    conversations.intake.reach.closed();
    stop.cancel();
    conversations.end().await;
    let intake = &conversations.intake;
    intake.usage.tell(&intake.engine.inbox, clock::now(), true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failure_of_the_system_keeps_the_next_connection_waiting() {
        let now = Instant::now();
        let mut pace = AcceptPace { not_before: now };
        pace.failed(&io::ErrorKind::PermissionDenied.into(), now);
        assert_eq!(pace.not_before, now, "another user was refused");
        let too_many_files = io::Error::from_raw_os_error(24);
        pace.failed(&too_many_files, now);
        assert_eq!(pace.not_before, now + AFTER_FAILURE);
    }
}
