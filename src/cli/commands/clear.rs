//! `dbs clear`: an empty board, after a person typed the project's name and a copy was made (K70).

use crate::adapters::clock;
use crate::adapters::git::GitCli;
use crate::adapters::store::SqliteStore;
use crate::cli::asking;
use crate::cli::commands::prelude::*;
use crate::domain::{Command, pluralized};
use crate::engine::context::signature;
use crate::ports::git::{AtticOwner, Git as _, RemoveOutcome, SafeName};
use crate::ports::holders::{HolderLiveness, Holders as _};

/// Delete all tasks, after a backup; asks for the project's name
///
/// Refused while a server or an agent runs. Worktrees of agents are removed, and uncommitted work in them is kept in the attic; branches,
/// logs and settings stay.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs clear\ndbs clear --confirm shop\ndbs clear -f"))]
pub struct ClearArgs {
    /// Name of the project, as the answer to the question
    #[arg(long, value_name = "NAME")]
    confirm: Option<String>,
    /// Do not ask for the name; a backup is still made
    #[arg(long, short, conflicts_with = "confirm")]
    force: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ClearArgs {
    /// Empties the board: a copy first, then the rows, then the worktrees, of each a copy in the attic.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let place = access.paths.clone();
        refuse_running(&access)?;
        if !place.store.database.exists() {
            return Err(CommandError::user("could not clear the board: there is none yet"));
        }
        let git = GitCli::open(&place.git_setup(env.environment.clone()))?;
        let entries = git.worktrees()?.into_iter();
        let folders: Vec<SafeName> = entries.filter_map(|entry| entry.folder).collect();
        let (tasks, worktrees) = (
            pluralized(access.ids()?.len(), "task"),
            pluralized(folders.len(), "worktree"),
        );
        let name = place.session_name(&place.read_config());
        if !self.force {
            confirm(
                &name,
                self.confirm.as_deref(),
                &format!(
                    "This takes {tasks} off the board of {name} and removes {worktrees}; a copy of the board and of uncommitted work is kept."
                ),
            )?;
        }
        let at = clock::now();
        let copy = SqliteStore::backup_before(&place.store, "clear", at)?;
        let answer = access.execute(&env.author(), Command::Clear)?;
        answer
            .map_err(|refusal| CommandError::user(format!("could not clear the board: {}", refusal.why)))?;
        let mut left = Vec::new();
        for folder in &folders {
            let saver = AtticOwner {
                task: folder.clone(),
                signature: signature(at),
            };
            match git.remove_worktree(folder, &saver) {
                Ok(RemoveOutcome::Removed(_) | RemoveOutcome::Absent) => {}
                Ok(RemoveOutcome::Kept(why)) => left.push(format!("{folder} stays: {why}")),
                Err(error) => left.push(format!("{folder} stays: could not {error}")),
            }
        }
        for line in &left {
            output::problem(line);
        }
        let done = format!(
            "the board is empty; `dbs restore {}` brings it back; branches of tasks stay",
            copy.display()
        );
        print_done(&done, self.json);
        Ok(if left.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Refuses while anything works for the board that is to be emptied.
fn refuse_running(access: &BoardAccess) -> CommandResult<()> {
    let held = access.holders().inventory()?;
    let may_run =
        |state: &HolderLiveness| matches!(state, HolderLiveness::Running(_) | HolderLiveness::Unknown(_));
    if access.has_server() || held.iter().any(|held| may_run(&held.state)) {
        return Err(
            CommandError::server("could not clear the board: a server or agents run")
                .with_hint("`dbs stop --all` ends them"),
        );
    }
    Ok(())
}

/// Lets the person type the project's name, unless it was given.
fn confirm(name: &str, given: Option<&str>, about: &str) -> CommandResult<()> {
    let typed = match given {
        Some(given) => given.to_owned(),
        None if !asking::can_ask() => {
            return Err(CommandError::user(format!(
                "could not ask whether to clear the board: this is not a terminal; add --confirm {name}"
            )));
        }
        None => {
            output::line(about);
            asking::answer_to(&format!("Type {name} to continue:"))?.unwrap_or_default()
        }
    };
    if typed.trim() == name {
        return Ok(());
    }
    Err(CommandError::user(format!(
        "nothing was cleared: the name of this project is {name}"
    )))
}
