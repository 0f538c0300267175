//! `dbs task edit`: title and description of a task in the person's editor; the first line is the title.

use crate::adapters::desktop::editor;
use crate::cli::commands::prelude::*;
use crate::domain::{Command, TaskId, TaskPatch};

pub(super) fn run(env: &ProcessEnv, args: &TaskArgs) -> CommandResult {
    let (name, id) = (&args.id, TaskId::from(args.id.as_str()));
    let mut access = BoardAccess::open(env)?;
    let detail = access.task(&id)?.ok_or_else(|| {
        CommandError::user(format!("could not edit {name}: there is no such task"))
            .with_hint("`dbs task list` lists all tasks")
    })?;
    let task = detail.task;
    let before = format!("{}\n\n{}\n", task.title, task.body.trim_end());
    let after = editor::edit(env.editor(), &before)?;
    let (title, body) = after.trim_start().split_once('\n').unwrap_or((after.trim(), ""));
    let patch = TaskPatch {
        title: Some(title.trim().to_owned()).filter(|title| !title.is_empty() && *title != task.title),
        body: Some(body.trim().to_owned()).filter(|body| body != task.body.trim()),
        ..TaskPatch::default()
    };
    if patch == TaskPatch::default() {
        return Err(CommandError::user(format!(
            "could not change {name}: nothing was changed in the editor"
        )));
    }
    let answer = access.execute(&env.author(), Command::Update(id, patch))?;
    Ok(print_reply(&answer, "", args.json))
}
