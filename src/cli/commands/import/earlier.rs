//! The runs that an earlier program wrote into its database (P68).

use std::io::Read as _;
use std::path::Path;

use crate::adapters::store::EarlierHistory;
use crate::cli::commands::prelude::*;
use crate::plans::plan_in;

/// Usual path of that program's database in the project.
const USUAL: &str = ".debussy/state.db";
/// Begin of each database.
const MARK: &[u8] = b"SQLite format 3\0";

/// Returns true if a file is to be read as a database: by its content, or by its name where it has none that could be read.
pub(super) fn is_database(file: &Path) -> bool {
    let mut begin = Vec::new();
    let length = u64::try_from(MARK.len()).unwrap_or_default();
    let opened = std::fs::File::open(file).and_then(|file| file.take(length).read_to_end(&mut begin));
    file.is_dir()
        || (opened.is_ok() && begin == MARK)
        || file.extension().is_some_and(|ending| ending == "db")
}

/// Prints the runs in a database: that of the project, or the named one.
pub(super) fn show(named: Option<&Path>, env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let file = if let Some(file) = named {
        env.folder.join(file)
    } else {
        let place = ProjectPaths::find(&env.folder, env)?;
        place.root.join(USUAL)
    };
    let shown = named.unwrap_or_else(|| Path::new(USUAL));
    refuse_folder(&file, shown)?;
    let history = EarlierHistory::read(&file);
    let history = history.map_err(failed(format!("could not read {}", shown.display())))?;
    if json.json {
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
