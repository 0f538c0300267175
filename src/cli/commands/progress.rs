//! `dbs progress`: a step of the way, as a text or as a step of the process with its state (P45).

use super::signal::{SignalText, attempt_and_token, is_of_phase, say};
use crate::cli::commands::prelude::*;
use crate::domain::SignalKind;

/// Report a step of an attempt (for agents)
#[derive(Debug, Args)]
#[command(add = facts(Attempts, "dbs progress \"the parser works\""))]
pub struct ProgressArgs {
    #[command(flatten)]
    message: SignalText,
    /// Phase the report is about; refused when the attempt works on another
    #[arg(long, short, value_name = "ID")]
    phase: Option<String>,
    /// Step of the process and its state, such as `pre_validation:completed`
    #[arg(long, short, value_name = "NAME:STATE", conflicts_with = "text")]
    step: Option<String>,
}

impl RunCommand for ProgressArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        attempt_and_token(env)?;
        is_of_phase(env, self.phase.as_deref())?;
        let text = self.step.clone();
        let text = text.unwrap_or_else(|| self.message.text.join(" "));
        say(env, SignalKind::Progress, text, &self.message)
    }
}
