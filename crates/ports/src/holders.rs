//! Starting, stopping and finding the small processes that own an attempt's (or a shell pane's) terminal. Plain values
//! and one trait; streaming bytes is not the engine's business and is not here.

use std::fmt;
use std::path::PathBuf;

use crate::agents::PrivateFile;
use dbs_domain::{AttemptId, Cause, ProcessExit, Span, Timestamp};

/// Starts, stops and finds the processes that own agents' terminals. Calls block (a launch until the program runs or cannot, a stop for its
/// grace and a few seconds more), so an asynchronous caller makes them on a blocking thread.
pub trait Holders: Send + Sync {
    /// Starts a holder and its program. Safe to repeat: if the id runs already, the running holder is returned; if it ran and has ended,
    /// nothing starts and the answer is [`LaunchError::AlreadyRan`].
    ///
    /// # Errors
    /// See [`LaunchError`]; after [`LaunchError::Unclear`] ask [`Holders::status`].
    fn launch(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError>;

    /// Ends the program and all it started: terminate and hang-up, `grace`, then kill, until none is left. Safe to repeat, and also right
    /// for a lost holder.
    ///
    /// # Errors
    /// When the holder could not be asked; the state of the program is then unknown.
    fn stop(&self, id: &HolderId, grace: Span) -> Result<StopOutcome, HolderPortError>;

    /// Types `bytes` into the program's terminal. They are queued; a program that never reads loses what exceeds the
    /// holder's queue, as with any terminal.
    ///
    /// # Errors
    /// When nothing runs there or the holder could not be asked.
    fn send(&self, id: &HolderId, bytes: &[u8]) -> Result<(), HolderPortError>;

    /// Returns the present state of one id.
    fn status(&self, id: &HolderId) -> HolderReport;

    /// Returns the present state of every id that has a folder, in the order of ids. The engine asks for it once, when it starts.
    ///
    /// # Errors
    /// When the folder of attempts cannot be listed. A folder that cannot be read is [`HolderLiveness::Unknown`], not an error.
    fn inventory(&self) -> Result<Vec<HolderReport>, HolderPortError>;

    /// Ends the processes that killed holders left running, and removes their sockets.
    fn sweep_killed(&self) {}

    /// Removes everything a lost holder left behind: processes that carry the marker, and the socket. Does nothing to a holder that is
    /// alive.
    ///
    /// # Errors
    /// When processes cannot be listed.
    fn sweep_orphans(&self, id: &HolderId) -> Result<StopOutcome, HolderPortError>;

    /// Returns the last `bytes` bytes of output as stored, empty when there is none.
    fn tail(&self, id: &HolderId, bytes: u64) -> Vec<u8>;
}

/// The name of a holder and its folder: an attempt's number or a shell pane's name. Letters, digits, `-`, `_`, `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HolderId(String);

impl HolderId {
    /// Takes the name as it is; a launch refuses a name that is not a plain folder name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the attempt whose holder this is, if it is the holder of one.
    pub fn attempt(&self) -> Option<AttemptId> {
        self.0.parse().ok().map(AttemptId)
    }
}

impl From<AttemptId> for HolderId {
    fn from(attempt: AttemptId) -> Self {
        Self(attempt.to_string())
    }
}

impl fmt::Display for HolderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The program, environment and terminal size a holder is started with. Nothing is inherited: the program gets only what is named here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchSpec {
    pub id: HolderId,
    /// Program and arguments; a name without a slash is looked up in the `PATH` of `env`.
    pub argv: Vec<String>,
    /// Folder to run in; a missing one is an error (no worktree, no spawn).
    pub cwd: PathBuf,
    /// The whole environment. `DBS_MARKER` is added.
    pub env: Vec<(String, String)>,
    pub size: PaneSize,
    /// Unique text that finds everything this program starts; not a secret, and never used twice.
    pub marker: String,
    /// Bytes of terminal log kept on disk; `None` for the default of 64 MiB.
    pub log_limit: Option<u64>,
    pub orphans: OrphanPolicy,
    /// Files that are put into the holder's folder before the program starts.
    pub files: Vec<PrivateFile>,
}

/// Size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneSize {
    pub cols: u16,
    pub rows: u16,
    pub x_pixels: u16,
    pub y_pixels: u16,
}

impl PaneSize {
    /// Builds a size in cells, pixels unknown.
    pub const fn cells(cols: u16, rows: u16) -> Self {
        Self {
            cols,
            rows,
            x_pixels: 0,
            y_pixels: 0,
        }
    }
}

/// Treatment of processes that outlive the program that started them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrphanPolicy {
    /// Processes are ended, so that nothing writes into a worktree later: right for attempts.
    #[default]
    Sweep,
    /// Processes are left alone: right for a person's shell.
    Leave,
}

impl OrphanPolicy {
    /// Returns true for programs that no person types into as a rule, which run at a lower priority.
    pub fn is_of_attempt(self) -> bool {
        self == OrphanPolicy::Sweep
    }
}

/// A running holder: the process ids of it and its program, and its socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderProcess {
    pub holder_pid: u32,
    pub child_pid: u32,
    pub started_at: Timestamp,
    pub socket: PathBuf,
}

/// The outcome of ending a program and everything it started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopOutcome {
    pub survivors: u32,
}

/// Holder and its present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderReport {
    pub id: HolderId,
    pub state: HolderLiveness,
}

/// State of a holder's program: running, exited, lost or never started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderLiveness {
    Running(HolderProcess),
    /// The program has ended and the end is on disk.
    Exited(ProgramExit),
    /// The holder is gone and left no end: it was killed. [`Holders::sweep_orphans`] removes its leftovers.
    Lost,
    /// Holder that left no end because the machine was restarted since: nothing of it runs.
    GoneWithMachine,
    /// Nothing was ever started here; a launch may be repeated.
    NotStarted,
    /// The state could not be found out; the text says why. Unknown never means dead (LK-3).
    Unknown(String),
}

/// End of a holder's program: exit, time and cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramExit {
    pub exit: ProcessExit,
    pub ended_at: Timestamp,
    pub by: ExitedBy,
}

/// Cause of a program's end: the program itself, a stop request or a shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitedBy {
    Itself,
    Stop,
    /// The holder was asked to end, as when the machine shuts down.
    Shutdown,
}

/// Error of a launch: the holder's program was not started, or may not have been.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The launch cannot work as asked: no such program, no such folder, a bad name.
    #[error("{0}")]
    Refused(Cause),
    /// Id that ran before and has ended; a new attempt needs a new id.
    #[error("start it again: it ran before and has ended")]
    AlreadyRan(Box<HolderLiveness>),
    /// The machine did not allow it now: no memory, disk full, no permission. Trying again may help.
    #[error("{0}")]
    Failed(Cause),
    /// The holder gave no answer in time; it may or may not have started.
    #[error("{0}")]
    Unclear(Cause),
}

/// Error when a holder could not be asked or holders could not be listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HolderPortError(pub String);
