//! The command line of `dbs demo`.

use std::path::PathBuf;

use clap::Args;

use super::{PlainFlag, ThemeArgs};
use crate::adapters::rehearsal::DemoScript;

/// Arguments of `dbs demo`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct DemoArgs {
    /// Without a screen: one line per event and a summary
    #[arg(long)]
    pub headless: bool,
    /// Lines as JSON (with --headless)
    #[arg(long, requires = "headless")]
    pub json: bool,
    #[command(flatten)]
    pub plain: PlainFlag,
    #[command(flatten)]
    pub looks: ThemeArgs,
    /// Carry out a phased plan instead: a gate that fails and is fixed, and a phase that asks for approval
    #[arg(long, conflicts_with = "agent")]
    pub plan: bool,
    /// Carry out the stories of a PRD instead, tests first: tests that fail and then pass, and an agent that changes them
    #[arg(long, conflicts_with_all = ["agent", "plan"])]
    pub stories: bool,
    /// How much faster than a person would like it
    #[arg(long, default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// Keep the repository in that new folder
    #[arg(long)]
    pub keep: Option<PathBuf>,
    /// Let this agent of yours do a few of the tasks instead: claude, codex, opencode, gemini, aider
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Yes to what it may cost (with --agent)
    #[arg(long, requires = "agent")]
    pub yes: bool,
}

impl DemoArgs {
    /// Returns the script to play.
    pub fn script(&self) -> DemoScript {
        match (self.plan, self.stories) {
            (true, _) => DemoScript::Plan,
            (false, true) => DemoScript::Stories,
            (false, false) => DemoScript::Tasks,
        }
    }
}

/// Parses a speed at which waits neither vanish nor last for hours.
fn speed(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|speed| (0.01..=1000.0).contains(speed));
    number.ok_or_else(|| "use a number from 0.01 to 1000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::speed;

    #[test]
    fn a_speed_that_is_no_number_or_out_of_bounds_is_refused() {
        assert_eq!(speed("0.01"), Ok(0.01));
        assert_eq!(speed("1000"), Ok(1000.0));
        for bad in ["0", "0.001", "1001", "-1", "NaN", "inf", "fast", ""] {
            assert!(speed(bad).is_err(), "{bad}");
        }
    }
}
