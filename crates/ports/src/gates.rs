//! Gates as the engine sees them: a trusted command in, an exit code and an output file out. Nothing here runs one. A gate that could not
//! be run is Unknown, never passed and never failed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use dbs_domain::{Cause, TestReport, Timestamp, Tri};

/// Runs gates. Calls block until the gate has ended: call from a blocking thread.
pub trait Gates: Send + Sync {
    /// Runs one gate to its end or its time limit. The call itself never fails: the report says what went wrong.
    fn run(&self, run: &GateRun) -> GateReport;

    /// Returns the reason why no gate may be run at all now, if there is one. A task is then not judged, neither well nor badly.
    fn withheld(&self) -> Option<Cause> {
        None
    }
}

/// Gate command to run, with its folder, environment and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRun {
    pub name: String,
    /// The literal trusted string, given to the platform's shell as it is: nothing is ever inserted into it.
    pub command: String,
    pub commit: String,
    pub began: Timestamp,
    /// Folder to run in: a clean checkout.
    pub cwd: PathBuf,
    /// The whole environment of the gate; nothing is inherited. The text of a task reaches a gate only here.
    pub env: Vec<(OsString, OsString)>,
    pub timeout: Duration,
    /// File that receives standard output and errors, in the order they arrive; replaced if it exists.
    pub output: PathBuf,
    /// Maximum number of bytes written to the file; the rest is read and dropped, so the gate never blocks.
    pub output_limit: u64,
}

/// End of a gate's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateExit {
    Code(i32),
    Signal(i32),
    /// Gate that was still running at its time limit and was killed with all its children.
    TimedOut,
    /// Gate that could not be started, or whose output could not be kept; the text says why.
    NotRun(Cause),
}

/// The result of one gate run: exit, outcome, duration and the end of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateReport {
    pub exit: GateExit,
    /// Yes for code 0; No for any other code, a signal or the time limit; Unknown when it was not run.
    pub outcome: Tri,
    pub duration_ms: u64,
    /// The last lines of the output, at most 8 KiB; bytes that are not UTF-8 are replaced, control characters kept.
    pub tail: String,
    /// True if the output file lacks something because of the limit.
    pub truncated: bool,
    /// Test report read from the output, if the command starts a known test runner.
    pub tests: Option<TestReport>,
}
