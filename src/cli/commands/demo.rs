//! The command line of `dbs demo`, which `app` carries out.

use std::path::PathBuf;

use crate::adapters::rehearsal::DemoScript;
use crate::cli::args::ThemeArgs;
use crate::cli::commands::prelude::*;

/// Try everything in a throw-away repository with scripted agents
///
/// With `--plan` the project has a phased plan of four phases. The gate of one phase fails, and its agent is sent to fix that. Another
/// phase waits for approval; unless you press a key, the demo approves it after ten seconds (without a screen after two).
///
/// With `--stories` the project has a PRD of two stories whose tests are written first. The agent of the second story changes its tests, so
/// the story is held. Unless you press a key, the demo retries it after the same time, with the original tests.
///
/// With `--agent` your own agent does two small tasks, with your login, in a folder that is removed afterwards. Before anything starts, the
/// demo names the possible cost and asks you to agree; `--yes` answers for scripts. If the program or a login is missing, the demo says how
/// to get it. Without a screen the agent may do everything, because there is no person to ask.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs demo\ndbs demo --plan\ndbs demo --stories\ndbs demo --plain\ndbs demo --headless --speed 10\ndbs demo --agent claude"))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct DemoArgs {
    /// Print one line per event and a summary instead of drawing a screen
    #[arg(long)]
    pub headless: bool,
    /// Print lines as JSON (with --headless)
    #[arg(long, requires = "headless")]
    pub json: bool,
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long, conflicts_with = "headless")]
    pub plain: bool,
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
