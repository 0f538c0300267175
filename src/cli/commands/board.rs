//! `dbs board`: the board, and with `--watch` again whenever it has changed.

use crate::cli::commands::prelude::*;
use crate::cli::commands::{report, status};
use crate::protocol::query::Report;

/// Show the task board with the status below it
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs board\ndbs board --watch"))]
pub struct BoardArgs {
    /// Print again on every change
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for BoardArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let json = self.json;
        let mut access = BoardAccess::open(env)?;
        let place = access.paths.clone();
        let wanted = || {
            let branches = if json.json {
                Ok(Vec::new())
            } else {
                status::branches(&place, env)
            };
            Report::Board {
                columns: output::columns(),
                branches,
            }
        };
        if !self.watch {
            return report::print(&mut access, wanted(), json);
        }
        let mut first = true;
        access.watch(&mut || {
            let blank = !first && !json.json;
            first = false;
            reprint(&place, wanted(), json, blank)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints the board as a server knows it now, on a connection of its own; nothing when the server has just gone.
fn reprint(paths: &ProjectPaths, wanted: Report, json: JsonFlag, blank: bool) -> CommandResult<()> {
    let mut access = BoardAccess::open_project(paths.clone())?;
    if !access.has_server() {
        return Ok(());
    }
    let text = report::fetch_report(&mut access, wanted, json)?;
    if blank {
        output::line("");
    }
    for part in text {
        output::bytes(&part);
    }
    Ok(())
}
