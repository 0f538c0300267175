//! Gates as the engine sees them: a trusted command in, an exit code and an output file out. Nothing here runs one. A gate that could not
//! be run is Unknown, never passed and never failed.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dbs_domain::{Cause, HiddenVariable, TestReport, Timestamp, Tri};

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
    pub env: GateEnv,
    pub timeout: Duration,
    /// File that receives standard output and errors, in the order they arrive; replaced if it exists.
    pub output: PathBuf,
    /// Maximum number of bytes written to the file; the rest is read and dropped, so the gate never blocks.
    pub output_limit: u64,
}

/// Environment of a gate, with the variables of the person's shell that are kept from it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GateEnv {
    pub variables: Vec<(OsString, OsString)>,
    pub hidden: Vec<HiddenVariable>,
}

impl GateEnv {
    /// Returns true if the gate has a variable of that name.
    pub fn has(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, _)| known == name)
    }
}

/// Values may be private, so only their number is shown.
impl fmt::Debug for GateEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "GateEnv({} variables, {} hidden)",
            self.variables.len(),
            self.hidden.len()
        )
    }
}

/// Source of the environment of gates, which changes with the settings.
#[derive(Clone)]
pub struct GateEnvSource(Arc<dyn Fn() -> GateEnv + Send + Sync>);

impl GateEnvSource {
    /// Creates a source that asks the function each time.
    pub fn new(source: impl Fn() -> GateEnv + Send + Sync + 'static) -> GateEnvSource {
        GateEnvSource(Arc::new(source))
    }

    /// Returns the environment for a gate that runs now.
    pub fn now(&self) -> GateEnv {
        (self.0)()
    }
}

impl fmt::Debug for GateEnvSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.now().fmt(f)
    }
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

impl GateExit {
    /// Returns true if the shell, or the shell of Windows, did not find the command or may not run it.
    pub fn is_missing(&self) -> bool {
        matches!(self, GateExit::Code(126 | 127 | 9009))
    }

    /// Returns true if two runs failed in the same way.
    pub fn fails_like(&self, other: &GateExit) -> bool {
        let fails = |exit: &GateExit| matches!(exit, GateExit::Code(1..) | GateExit::Signal(_));
        match (self, other) {
            (GateExit::TimedOut, GateExit::TimedOut) => true,
            (one, other) => fails(one) && fails(other) && one.is_missing() == other.is_missing(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::GateExit::{Code, Signal, TimedOut};

    #[test]
    fn a_failure_a_missing_program_and_a_time_limit_are_three_ways_to_fail() {
        for (one, other, is_alike) in [
            (Code(1), Code(2), true),
            (Code(1), Signal(9), true),
            (Code(127), Code(126), true),
            (Code(127), Code(1), false),
            (TimedOut, TimedOut, true),
            (TimedOut, Code(1), false),
            (Code(0), Code(0), false),
        ] {
            assert_eq!(one.fails_like(&other), is_alike, "{one:?} {other:?}");
        }
    }
}
