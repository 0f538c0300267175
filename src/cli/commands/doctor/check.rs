//! Checks as `dbs doctor` and commands like it make and print them.

use crate::cli::commands::prelude::*;

use std::fmt::Display;

use serde::{Serialize, Serializer};
use serde_json::json;

/// Result of one check that `dbs doctor` makes.
#[derive(Debug)]
pub(in crate::cli::commands) struct DoctorCheck {
    pub(super) what: &'static str,
    outcome: CheckOutcome,
    pub(super) text: String,
}

/// Thing that a check found, or the problem.
pub(in crate::cli::commands) type DoctorResult<T = String> = Result<T, CheckProblem>;

/// Problem that a check found, in words for people: of other errors, their text.
#[derive(Debug)]
pub(in crate::cli::commands) struct CheckProblem(String);

impl<T: Display> From<T> for CheckProblem {
    fn from(problem: T) -> CheckProblem {
        CheckProblem(problem.to_string())
    }
}

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckOutcome {
    Good,
    /// Nothing is missing, but a person should look at it all the same.
    Warning,
    Missing,
}

impl Serialize for DoctorCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (what, text) = (self.what, &self.text);
        let is_warning = self.outcome == CheckOutcome::Warning;
        json!({ "what": what, "good": self.is_good(), "is_warning": is_warning, "text": text })
            .serialize(serializer)
    }
}

impl DoctorCheck {
    pub(super) fn is_good(&self) -> bool {
        self.outcome != CheckOutcome::Missing
    }
}

/// Prints checks; exit code 1 when something is missing.
pub(in crate::cli::commands) fn print_checks(checks: &[DoctorCheck], json: JsonFlag) -> ExitCode {
    if json.json {
        output::json(&checks);
    } else {
        for check in checks {
            let word = match check.outcome {
                CheckOutcome::Good => "ok     ",
                CheckOutcome::Warning => "WARNING",
                CheckOutcome::Missing => "MISSING",
            };
            output::line(&format!("{word} {:<12} {}", check.what, check.text));
        }
    }
    exit_code(checks.iter().all(DoctorCheck::is_good))
}

/// Builds a check with its result: the thing that was found, or the missing thing and the way to get it.
pub(in crate::cli::commands) fn check(what: &'static str, result: DoctorResult) -> DoctorCheck {
    let (outcome, text) = match result {
        Ok(text) => (CheckOutcome::Good, text),
        Err(CheckProblem(why)) => (CheckOutcome::Missing, why),
    };
    DoctorCheck { what, outcome, text }
}

/// Builds a warning about a thing to look at although nothing is missing.
pub(in crate::cli::commands) fn warning(what: &'static str, text: String) -> DoctorCheck {
    let outcome = CheckOutcome::Warning;
    DoctorCheck { what, outcome, text }
}
