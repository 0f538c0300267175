//! `dbs import`: the runs that an earlier program wrote into its database (P68).

use std::path::{Path, PathBuf};

use crate::adapters::store::EarlierHistory;
use crate::cli::commands::prelude::*;
use crate::plans::plan_in;

/// Usual path of that program's database in the project.
const USUAL: &str = ".debussy/state.db";

/// Show the plan runs that an earlier program stored in its database
///
/// Its database has the tables `runs`, `phase_executions`, `gate_results`, `completion_signals`, `progress_log` and `completed_features`. The
/// file is only read; nothing is put on the board, because nobody here saw that work being checked. For each run with completed phases it
/// says how to go on without them. With `--json` it prints one list of rows for each table.
///
/// A file is refused while a program has it open, above 64 MiB, and when views, triggers or virtual tables are in it. Under the same names
/// the board's own database has views, which show it to tools that know those tables: `sqlite3 -readonly FILE "SELECT * FROM
/// phase_executions"`, with the file that `dbs doctor` names.
///
/// `dbs task import` puts the tasks of a file on the board; `dbs convert` lets an agent turn a text into a plan.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs import\ndbs import ../shop/.debussy/state.db --json"))]
pub struct EarlierArgs {
    /// Database of the earlier program; default: .debussy/state.db of this project
    file: Option<PathBuf>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for EarlierArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let file = if let Some(file) = &self.file {
            env.folder.join(file)
        } else {
            let place = ProjectPaths::find(&env.folder, env)?;
            place.root.join(USUAL)
        };
        let shown = self.file.as_deref().unwrap_or_else(|| Path::new(USUAL));
        refuse_folder(&file, shown)?;
        let history = EarlierHistory::read(&file);
        let history = history.map_err(failed(format!("could not read {}", shown.display())))?;
        if self.json.json {
            output::json(&history);
            return Ok(ExitCode::SUCCESS);
        }
        let lines = history.lines();
        if lines.is_empty() {
            output::line("no runs are in it");
        }
        output::all(lines);
        Ok(ExitCode::SUCCESS)
    }
}

/// Refuses a folder: it is no database. The file to give instead is named, or the command for the plan that is in it.
fn refuse_folder(file: &Path, shown: &Path) -> CommandResult<()> {
    if !file.is_dir() {
        return Ok(());
    }
    let way = match plan_in(shown) {
        Ok(Some(plan)) => format!("the plan in it is carried out by `dbs run {}`", plan.display()),
        Ok(None) => format!("name its file, such as {}", shown.join(USUAL).display()),
        Err(several) => return Err(several.into()),
    };
    Err(CommandError::user(format!(
        "could not import {}: it is a folder, and the runs of an earlier program are read from its database; {way}",
        shown.display()
    )))
}
