//! Result of a run of tests, read from its exit code and its output (LA-5, LA-6). The exit code decides; the output, which tests may write
//! into, only gives numbers, names and reasons. Nothing is run here.

mod cargo;
mod codes;
mod go;
mod javascript;
mod output;
mod pytest;
mod runner;

pub use codes::ExitCodes;
pub use runner::TestRunner;

use dbs_domain::{TestOutcome, TestReport};
use output::Output;

/// Maximum number of bytes at the end of an output that are read.
pub const MOST_OUTPUT_BYTES: usize = 1_048_576;

/// Exit codes of a shell that could not start a command at all.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Reads the result of a run of tests. `exit` is none when a signal ended it.
pub fn read(runner: &TestRunner, exit: Option<i32>, output: &str) -> TestReport {
    let Some(exit) = exit.filter(|code| *code < 128) else {
        return TestReport::of(TestOutcome::Interrupted);
    };
    if NOT_STARTED.contains(&exit) && !matches!(runner, TestRunner::Other(_)) {
        return TestReport::of(TestOutcome::Internal);
    }
    let output = Output::of(output);
    match runner {
        TestRunner::Pytest => pytest::read(exit, &output),
        TestRunner::Cargo => cargo::read(exit, &output),
        TestRunner::Vitest => javascript::read_vitest(exit, &output),
        TestRunner::Jest => javascript::read_jest(exit, &output),
        TestRunner::Go => go::read(exit, &output),
        TestRunner::Other(codes) => TestReport::of(codes.outcome(exit)),
    }
}
