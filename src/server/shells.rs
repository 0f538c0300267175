//! Plain shells in panes: each has a holder of its own, numbered over the life of the project, so that it survives the server
//! like an agent does.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::task::TaskTracker;

use crate::ports::holders::{HeldState, HolderId, Holders, LaunchSpec, Leftovers, PaneSize};
use crate::ports::terminals::Terminals;
use crate::server::session::Session;

/// Log kept per shell, in bytes: enough to scroll back to.
const LOG: u64 = 8 * 1024 * 1024;

/// Opens and finds shells.
#[derive(Debug, Default)]
pub(super) struct Shells {
    last: AtomicU64,
    opening: TaskTracker,
}

impl Shells {
    /// Follows the shells that still run, and goes on counting after them.
    pub(super) fn adopt(&self, session: &Session) {
        let found = session.holders.inventory().unwrap_or_default();
        for held in found {
            let Some(number) = number_of(&held.id) else {
                continue;
            };
            self.last.fetch_max(number, Ordering::Relaxed);
            if matches!(held.state, HeldState::Running(_)) {
                session.hub.follow(&held.id);
            }
        }
    }

    /// Shells that run, in order.
    pub(super) fn running(session: &Session) -> Vec<u64> {
        session.hub.alive().iter().filter_map(number_of).collect()
    }

    /// Opens another one in the project's folder. Blocks until it runs.
    ///
    /// # Errors
    /// Why it could not be started.
    pub(super) fn open(&self, session: &Session, size: PaneSize) -> Result<u64, String> {
        self.open_in(session, size, session.place.root.clone(), None)
    }

    /// The same in that folder; one that runs a command first, if there is one.
    ///
    /// # Errors
    /// Why it could not be started.
    pub(super) fn open_in(
        &self,
        session: &Session,
        size: PaneSize,
        folder: std::path::PathBuf,
        command: Option<&str>,
    ) -> Result<u64, String> {
        let _opening = self.opening.token();
        if self.opening.is_closed() {
            return Err("could not open a shell: the session ends".to_owned());
        }
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let id = HolderId::new(format!("shell-{number}"));
        let mut env = session.shell.inherited.clone().into_pairs();
        env.push((
            "DBS_SOCKET".to_owned(),
            session.place.socket.to_string_lossy().into_owned(),
        ));
        let spec = LaunchSpec {
            id: id.clone(),
            argv: argv(&session.shell.program.to_string_lossy(), command),
            cwd: folder,
            env,
            size,
            marker: format!("{}-shell-{number}-{}", session.place.marker, session.since.0),
            log_limit: Some(LOG),
            leftovers: Leftovers::Leave,
        };
        session
            .holders
            .launch(&spec)
            .map_err(|error| format!("could not {error}"))?;
        session.hub.follow(&id);
        Ok(number)
    }
}

impl Shells {
    /// Opens no more; returns when none is being opened.
    pub(super) async fn close(&self) {
        self.opening.close();
        self.opening.wait().await;
    }
}

/// The shell; with a command it runs that first, and is a shell as every other afterwards.
fn argv(program: &str, command: Option<&str>) -> Vec<String> {
    let mut argv = vec![program.to_owned()];
    let Some(command) = command else { return argv };
    if cfg!(windows) {
        argv.extend(["/K".to_owned(), command.to_owned()]);
    } else {
        // What is typed to stop the command must not stop the shell around it.
        let then = shell_words::quote(program);
        argv.extend(["-c".to_owned(), format!("trap : INT\n{command}\nexec {then}")]);
    }
    argv
}

fn number_of(id: &HolderId) -> Option<u64> {
    id.as_str().strip_prefix("shell-")?.parse().ok()
}
