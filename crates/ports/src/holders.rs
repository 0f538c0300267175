//! Starting, stopping and finding the small processes that own an attempt's (or a shell pane's) terminal. Plain values
//! and one trait; streaming bytes is not the engine's business and is not here.

use std::fmt;
use std::path::PathBuf;

use crate::agents::PrivateFile;
use dbs_domain::{AttemptId, Cause, ProcessExit, Span, Timestamp};

/// Starts, stops and finds the processes that own agents' terminals. Calls block (a launch until the program runs or cannot, a
/// stop for its grace and a few seconds more), so an asynchronous caller makes them on a blocking thread.
pub trait Holders: Send + Sync {
    /// Starts a holder and its program. Safe to repeat: where the id runs already, that one is answered; where it ran
    /// and has ended, nothing starts and [`LaunchError::AlreadyRan`] says so.
    ///
    /// # Errors
    /// See [`LaunchError`]; after [`LaunchError::Unclear`] ask [`Holders::status`].
    fn launch(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError>;

    /// Ends the program and all it started: terminate and hang-up, `grace`, then kill, until none is left. Safe to
    /// repeat, and right for a lost holder too.
    ///
    /// # Errors
    /// When the holder could not be asked; nothing is known then about the program.
    fn stop(&self, id: &HolderId, grace: Span) -> Result<StopOutcome, HolderPortError>;

    /// Types `bytes` into the program's terminal. They are queued; a program that never reads loses what exceeds the
    /// holder's queue, as with any terminal.
    ///
    /// # Errors
    /// When nothing runs there or the holder could not be asked.
    fn send(&self, id: &HolderId, bytes: &[u8]) -> Result<(), HolderPortError>;

    /// What is true of one id right now.
    fn status(&self, id: &HolderId) -> HolderReport;

    /// What is true of every id that has a folder, in the order of ids. The engine asks this once, when it starts.
    ///
    /// # Errors
    /// When the folder of attempts cannot be listed. A folder that cannot be read is [`HolderLiveness::Unknown`], no error.
    fn inventory(&self) -> Result<Vec<HolderReport>, HolderPortError>;

    /// Ends what killed holders left running, and removes their sockets.
    fn sweep_killed(&self) {}

    /// Removes what a lost holder left behind: processes that carry the marker, and the socket. Does nothing to a
    /// holder that lives.
    ///
    /// # Errors
    /// When processes cannot be listed.
    fn sweep_orphans(&self, id: &HolderId) -> Result<StopOutcome, HolderPortError>;

    /// The last `bytes` bytes of output as stored, empty when there is none.
    fn tail(&self, id: &HolderId, bytes: u64) -> Vec<u8>;
}

/// The name of a holder and its folder: an attempt's number or a shell pane's name. Letters, digits, `-`, `_`, `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HolderId(String);

impl HolderId {
    /// Takes the name as it is; a launch refuses one that is no plain folder name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The attempt this is the holder of, if it is one's.
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

/// The program, environment and terminal size a holder is started with. Nothing is inherited: what is not named here the program
/// does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchSpec {
    pub id: HolderId,
    /// Program and arguments; a name without a slash is looked up in the `PATH` of `env`.
    pub argv: Vec<String>,
    /// Where it runs; a folder that is missing is an error (no worktree, no spawn).
    pub cwd: PathBuf,
    /// The whole environment. `DBS_MARKER` is added.
    pub env: Vec<(String, String)>,
    pub size: PaneSize,
    /// Unique text that finds everything this program starts; no secret, and never used twice.
    pub marker: String,
    /// Bytes of terminal log kept on disk; `None` for the default of 64 MiB.
    pub log_limit: Option<u64>,
    pub orphans: OrphanPolicy,
    /// Files that are put into its folder before the program starts.
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
    /// A size in cells, pixels unknown.
    pub const fn cells(cols: u16, rows: u16) -> Self {
        Self {
            cols,
            rows,
            x_pixels: 0,
            y_pixels: 0,
        }
    }
}

/// Whether processes that outlive the program that started them are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrphanPolicy {
    /// They are ended, so that nothing writes into a worktree later: right for attempts.
    #[default]
    Sweep,
    /// They are left alone: right for a person's shell.
    Leave,
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

/// One holder and what is true of it right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderReport {
    pub id: HolderId,
    pub state: HolderLiveness,
}

/// Whether a holder's program runs, has exited, is lost or never started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderLiveness {
    Running(HolderProcess),
    /// The program has ended and the end is on disk.
    Exited(ProgramExit),
    /// The holder is gone and left no end: it was killed. [`Holders::sweep_orphans`] removes what it left behind.
    Lost,
    /// It left no end because the machine was started again since: nothing of it runs.
    GoneWithMachine,
    /// Nothing was ever started here; a launch may be repeated.
    NotStarted,
    /// Could not be found out; the text says why. Unknown never means dead (LK-3).
    Unknown(String),
}

/// How, when and on whose account a holder's program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramExit {
    pub exit: ProcessExit,
    pub ended_at: Timestamp,
    pub by: ExitedBy,
}

/// On whose account a program ended: its own, a stop request or a shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitedBy {
    Itself,
    Stop,
    /// The holder was asked to end, as when the machine shuts down.
    Shutdown,
}

/// Why a holder's program was not started, or may not have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// The launch cannot work as asked: no such program, no such folder, a bad name.
    Refused(Cause),
    /// This id ran before and has ended; a new attempt needs a new id.
    AlreadyRan(Box<HolderLiveness>),
    /// The machine did not allow it now: no memory, disk full, no permission. Trying again may help.
    Failed(Cause),
    /// The holder gave no answer in time; it may or may not have started.
    Unclear(Cause),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Refused(why) | LaunchError::Failed(why) | LaunchError::Unclear(why) => why.fmt(f),
            LaunchError::AlreadyRan(_) => f.write_str("start it again: it ran before and has ended"),
        }
    }
}

impl std::error::Error for LaunchError {}

/// Why a holder could not be asked or holders could not be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderPortError(pub String);

impl fmt::Display for HolderPortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HolderPortError {}
