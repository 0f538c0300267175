//! `dbs done`: the end of an attempt, in the words of `dbs signal` or with a status, as plans have it (P44).

use super::signal::{SignalText, attempt_and_token, is_of_phase, say};
use crate::cli::commands::prelude::*;
use crate::domain::SignalKind;

/// Report that an attempt is done, blocked or failed (for agents)
#[derive(Debug, Args)]
#[command(add = facts(Attempts, "dbs done \"all tests pass\"\ndbs done --report result.json"))]
pub struct DoneArgs {
    #[command(flatten)]
    message: SignalText,
    /// Phase the report is about; refused when the attempt works on another
    #[arg(long, short, value_name = "ID")]
    phase: Option<String>,
    /// Outcome of the attempt
    #[arg(long, short, default_value = "completed", value_parser = ["completed", "blocked", "failed"])]
    status: String,
    /// Reason for blocked or failed
    #[arg(long, short)]
    reason: Option<String>,
}

impl RunCommand for DoneArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        attempt_and_token(env)?;
        is_of_phase(env, self.phase.as_deref())?;
        let kind = kind_of(&self.status);
        let reason = self.reason.iter().chain(&self.message.text);
        let text = reason.map(String::as_str).collect::<Vec<_>>().join(" ");
        say(env, kind, text, &self.message)
    }
}

/// Returns the signal for the outcome of an attempt, in the words of plans.
fn kind_of(status: &str) -> SignalKind {
    match status {
        "blocked" => SignalKind::Block,
        "failed" => SignalKind::Fail,
        _ => SignalKind::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_of_a_plan_is_a_signal_of_its_own() {
        let signals = ["completed", "blocked", "failed"].map(kind_of);
        assert_eq!(signals, [SignalKind::Done, SignalKind::Block, SignalKind::Fail]);
    }
}
