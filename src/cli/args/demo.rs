//! The command line of `dbs demo`.

use std::path::PathBuf;

use clap::Args;

use super::{PlainFlag, ThemeArgs};
use crate::adapters::rehearsal::DemoScript;

/// Arguments of `dbs demo`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct DemoArgs {
    /// Print one line per event and a summary instead of drawing a screen
    #[arg(long)]
    pub headless: bool,
    /// Print lines as JSON (with --headless)
    #[arg(long, requires = "headless")]
    pub json: bool,
    #[command(flatten)]
    pub plain: PlainFlag,
    #[command(flatten)]
    pub looks: ThemeArgs,
    /// Run a phased plan instead: a gate fails and is fixed, and a phase asks for approval
    #[arg(long, conflicts_with = "agent")]
    pub plan: bool,
    /// Run the stories of a PRD instead: tests fail and then pass, and an agent changes them
    #[arg(long, conflicts_with_all = ["agent", "plan"])]
    pub stories: bool,
    /// Playback speed (1 = normal)
    #[arg(long, default_value_t = 1.0, value_parser = speed, allow_negative_numbers = true)]
    pub speed: f64,
    /// New folder to keep the repository in
    #[arg(long)]
    pub keep: Option<PathBuf>,
    /// Agent of your own that does a few of the tasks instead: claude, codex, opencode, gemini, aider
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Accept the possible costs without a question (with --agent)
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
fn speed(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok().filter(|speed| (0.01..=1000.0).contains(speed));
    number.ok_or("use a number from 0.01 to 1000")
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
