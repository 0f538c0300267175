//! Plain shells in panes: each has a holder of its own, numbered over the life of the project, so that it survives the server
//! like an agent does.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::task::TaskTracker;

use crate::adapters::agents::{InheritedEnv, LiveEnv};
use crate::adapters::git::GitSetup;
use crate::adapters::program::own_names;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::{Cause, Span, Timestamp};
use crate::ports::holders::{HolderId, HolderLiveness, Holders, LaunchSpec, OrphanPolicy, PaneSize};
use crate::ports::terminals::Terminals;
use crate::server::terminals::hub::TerminalHub;

/// Log kept per shell, in bytes: enough to scroll back to.
const LOG: u64 = 8 * 1024 * 1024;

/// Time for a closed shell to end by itself.
const GRACE: Span = Span(1_000);

/// Opens, numbers and finds the shells that run in panes.
pub(in crate::server) struct Shells {
    paths: ProjectPaths,
    program: PathBuf,
    /// Path of this program, which shells find by its names.
    own_program: PathBuf,
    inherited: LiveEnv,
    /// The whole environment of the person.
    environment: Vec<(OsString, OsString)>,
    /// Time at which the session began; a part of the markers by which the processes of shells are known.
    since: Timestamp,
    holders: Arc<dyn Holders>,
    hub: TerminalHub,
    last: AtomicU64,
    opening: TaskTracker,
}

/// The shells that were promised to a client's panes and are not shown yet: opening one takes a while, and a second pane that asks
/// meanwhile must get another one.
#[derive(Debug, Default)]
pub(in crate::server) struct PromisedShells(BTreeSet<u64>);

impl PromisedShells {
    /// Returns a running shell that the client neither shows nor was promised, or a new one of the next number, and true if it runs
    /// already; promised from now on.
    pub(in crate::server) fn choose(
        &mut self,
        running: Vec<u64>,
        shown: &BTreeSet<u64>,
        next: impl FnOnce() -> u64,
    ) -> (u64, bool) {
        let mut running = running.into_iter();
        let free = running.find(|number| !shown.contains(number) && !self.0.contains(number));
        let number = free.unwrap_or_else(next);
        self.0.insert(number);
        (number, free.is_some())
    }

    /// Promises a new shell.
    pub(in crate::server) fn promise(&mut self, number: u64) {
        self.0.insert(number);
    }

    /// Notes that the promise of a shell is kept; returns its number.
    pub(in crate::server) fn kept(&mut self, number: u64) -> u64 {
        self.0.remove(&number);
        number
    }
}

impl Shells {
    /// Creates the shells before any was searched.
    pub(in crate::server) fn new(
        paths: ProjectPaths,
        setup: SessionSetup,
        since: Timestamp,
        holders: Arc<dyn Holders>,
        hub: TerminalHub,
    ) -> Shells {
        Shells {
            paths,
            program: setup.shell,
            own_program: setup.program,
            inherited: setup.inherited,
            environment: setup.environment,
            since,
            holders,
            hub,
            last: AtomicU64::default(),
            opening: TaskTracker::new(),
        }
    }

    /// Follows the shells that still run, and continues to count after them.
    pub(in crate::server) fn adopt(&self) {
        // The inventory of the board's attempts knows nothing of shells.
        self.holders.sweep_killed();
        let found = self.holders.inventory().unwrap_or_default();
        for held in found {
            let Some(number) = number_of(&held.id) else {
                continue;
            };
            self.last.fetch_max(number, Ordering::Relaxed);
            if matches!(held.state, HolderLiveness::Running(_)) {
                self.hub.follow(&held.id);
            }
        }
    }

    /// Returns the environment that shells get, before the variables of each one.
    pub(in crate::server) fn environment(&self) -> Arc<InheritedEnv> {
        self.inherited.now()
    }

    /// Returns how git is used in the project: with the environment of the person, whose remote may need their keys.
    pub(in crate::server) fn git_setup(&self) -> GitSetup {
        self.paths.git_setup(self.environment.iter().cloned())
    }

    /// Returns the shells that run, in order.
    pub(in crate::server) fn running(&self) -> Vec<u64> {
        self.hub.running().iter().filter_map(number_of).collect()
    }

    /// Returns the number of the next shell, in the order of the requests.
    pub(in crate::server) fn next_number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Opens the shell of that number in a folder of the project, or in the project's own; one that runs a command first, if there is one.
    /// Blocks until it runs.
    ///
    /// # Errors
    /// When it could not be started.
    pub(in crate::server) fn open(
        &self,
        number: u64,
        size: PaneSize,
        folder: Option<&str>,
        command: Option<&str>,
    ) -> Result<(), Cause> {
        let _opening = self.opening.token();
        if self.opening.is_closed() {
            return Err("could not open a shell: the session ends".into());
        }
        let id = HolderId::new(format!("shell-{number}"));
        let paths = &self.paths;
        let mut env = self.inherited.now().pairs().to_vec();
        let own = paths.attempts.join(id.as_str());
        if let Some((_, path)) = env.iter_mut().find(|(name, _)| name == "PATH") {
            match own_names::put_in_front(&self.own_program, &own, path) {
                Ok(with_names) => *path = with_names,
                Err(error) => tracing::warn!("could not make links to dbs in {}: {error}", own.display()),
            }
        }
        env.push((
            "DBS_SOCKET".to_owned(),
            paths.socket.to_string_lossy().into_owned(),
        ));
        let spec = LaunchSpec {
            id: id.clone(),
            argv: argv(&self.program.to_string_lossy(), command),
            cwd: folder.map_or_else(|| paths.root.clone(), |folder| paths.root.join(folder)),
            env,
            size,
            marker: format!("{}-shell-{number}-{}", paths.marker, self.since.0),
            log_limit: Some(LOG),
            orphans: OrphanPolicy::Leave,
            files: Vec::new(),
        };
        self.holders
            .launch(&spec)
            .map_err(|error| Cause::from(format!("could not {error}")))?;
        self.hub.follow(&id);
        Ok(())
    }

    /// Ends a shell. Blocks until it has ended.
    ///
    /// # Errors
    /// When it could not be ended.
    pub(in crate::server) fn end(&self, number: u64) -> Result<(), Cause> {
        let id = HolderId::new(format!("shell-{number}"));
        let ended = self.holders.stop(&id, GRACE);
        ended
            .map(drop)
            .map_err(|error| Cause::from(format!("could not {error}")))
    }

    /// Stops opening shells; returns when none is being opened.
    pub(in crate::server) async fn close(&self) {
        self.opening.close();
        self.opening.wait().await;
    }
}

/// Returns the command line of a shell; with a command it runs that first, and is an ordinary shell afterwards.
fn argv(program: &str, command: Option<&str>) -> Vec<String> {
    let mut argv = vec![program.to_owned()];
    let Some(command) = command else { return argv };
    if cfg!(windows) {
        argv.extend(["/K".to_owned(), command.to_owned()]);
    } else {
        // A key that stops the command must not stop the shell around it.
        let then = shell_words::quote(program);
        argv.extend(["-c".to_owned(), format!("trap : INT\n{command}\nexec {then}")]);
    }
    argv
}

fn number_of(id: &HolderId) -> Option<u64> {
    id.as_str().strip_prefix("shell-")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_panes_that_ask_before_either_has_its_shell_get_two_shells_in_the_order_of_asking() {
        let (mut promised, mut last) = (PromisedShells::default(), 4);
        let mut choose = |running: &[u64], shown: &[u64]| {
            let shown = shown.iter().copied().collect();
            promised.choose(running.to_vec(), &shown, || {
                last += 1;
                last
            })
        };
        assert_eq!(choose(&[3, 4], &[3]), (4, true));
        assert_eq!(choose(&[3, 4], &[3]), (5, false), "4 is promised");
        assert_eq!(
            choose(&[3, 4, 5], &[3]),
            (6, false),
            "5 runs and is promised, too"
        );
    }

    #[test]
    fn a_shell_whose_pane_went_away_is_free_again_for_the_next_one() {
        let (mut promised, nothing) = (PromisedShells::default(), BTreeSet::new());
        promised.promise(1);
        assert_eq!(promised.choose(vec![1], &nothing, || 2), (2, false));
        promised.kept(1);
        assert_eq!(promised.choose(vec![1, 2], &nothing, || 3), (1, true));
    }
}
