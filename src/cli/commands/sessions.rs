//! `dbs sessions`: the sessions whose server answers, and for people those that were cut off.

use crate::cli::commands::prelude::*;
use crate::domain::pluralized;
use crate::protocol::session_list::{self, FoundSession};

/// List running sessions and those that were cut off
///
/// With `--json` only running sessions are listed.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs sessions\ndbs sessions --json"))]
pub struct SessionsArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for SessionsArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let found = session_list::all(env)?;
        if self.json.json {
            let running = found.iter().filter_map(|one| match one {
                FoundSession::Running(who) => Some(who),
                FoundSession::CutOff(_) => None,
            });
            output::json(&running.collect::<Vec<_>>());
            return Ok(ExitCode::SUCCESS);
        }
        if found.is_empty() {
            output::line("no session runs");
        }
        for one in found {
            let (name, root) = (one.name(), one.root());
            output::line(&match &one {
                FoundSession::Running(who) => format!(
                    "{name:<20} {}, {} attached, process {}, {root}",
                    pluralized(who.agents, "agent"),
                    who.clients,
                    who.pid,
                ),
                FoundSession::CutOff(_) => {
                    format!("{name:<20} cut off, {root}; `dbs attach {name}` brings it back")
                }
            });
        }
        Ok(ExitCode::SUCCESS)
    }
}
