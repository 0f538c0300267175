//! Gates as the engine sees them: a trusted command in, an exit code and an output file out. Nothing here runs one. A gate that could not be run is Unknown, never passed and never failed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use dbs_domain::{Cause, TestReport, Timestamp, Tri};

/// Runs gates. Calls block until the gate has ended: call from a blocking thread.
pub trait Gates: Send + Sync {
    /// Runs one gate to its end or its time limit. Never fails as a call: what went wrong is in the report.
    fn run(&self, run: &GateRun) -> GateReport;

    /// Why no gate may be run now at all, if so. A task is not judged then, neither well nor badly.
    fn withheld(&self) -> Option<Cause> {
        None
    }
}

/// One gate command to run, with its folder, environment and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRun {
    pub name: String,
    /// The literal trusted string, given to the platform's shell as it is: nothing is ever inserted into it.
    pub command: String,
    pub commit: String,
    pub began: Timestamp,
    /// Folder to run in: a clean checkout.
    pub cwd: PathBuf,
    /// The whole environment of the gate, nothing is inherited. Task text reaches a gate only here.
    pub env: Vec<(OsString, OsString)>,
    pub timeout: Duration,
    /// File that receives standard output and errors, in the order they arrive; replaced if it exists.
    pub output: PathBuf,
    /// Most bytes written to the file; the rest is read and dropped, so the gate never blocks.
    pub output_limit: u64,
}

/// How a gate's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateExit {
    Code(i32),
    Signal(i32),
    /// It was still running at its time limit and was killed with all its children.
    TimedOut,
    /// It could not be started, or its output could not be kept; the text says why.
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
    /// Whether the output file lacks something because of the limit.
    pub truncated: bool,
    /// What the output says of tests, where the command starts a test runner that is known.
    pub tests: Option<TestReport>,
}
