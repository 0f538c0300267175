//! `dbs import`: work that people have elsewhere, as tasks of the board, shown before they are made; and the runs of an earlier program.

mod earlier;
mod forge;

use std::path::{Path, PathBuf};

use super::task::import::{LARGEST, put_all, shown, tasks_of};
use crate::adapters::forge::ForgeKind;
use crate::cli::commands::prelude::*;
use crate::cli::{asking, text_input};
use crate::domain::{PlanSource, TaskId, WorkSource};
use crate::formats::finding::Finding;
use crate::formats::work_list::{self, TextShape, shape_of};
use crate::plans::importing::{ImportPlace, ListImport};
use crate::plans::in_project;
use crate::term::sanitize;

/// Lists that are looked for where no source is named.
const USUAL: [&str; 3] = [
    ".beads/issues.jsonl",
    ".taskmaster/tasks/tasks.json",
    "tasks/tasks.json",
];

/// Create tasks from a list of another tool, after showing them
///
/// The kind of list is recognised by its content: issues of beads, `tasks.json` of task-master, lists of stories, Markdown checklists, or
/// tasks as `dbs task list --json` prints them. `github` and `gitlab` ask your own `gh` or `glab` for open issues. Items that are done, or
/// on the board already, are skipped. A plan or a PRD is not imported; the error names the command that carries it out.
///
/// With `dbs config import.write_back true`, a task that is done closes its item in the list. A database of the earlier program
/// (`.debussy/state.db`) is only shown.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs import .beads/issues.jsonl\ndbs import tasks.md --yes --release\ndbs import github --label ready --milestone v2\ndbs import .debussy/state.db --json"))]
pub struct ImportWorkArgs {
    /// File, `-` for standard input, `github` or `gitlab`; default: the list or database in its usual place
    source: Option<PathBuf>,
    #[command(flatten)]
    issues: forge::IssueArgs,
    /// Batch of the tasks
    #[arg(long, default_value = "main")]
    batch: String,
    /// Workflow of the tasks
    #[arg(long, default_value = "kanban")]
    workflow: String,
    /// Release the tasks at once
    #[arg(long)]
    release: bool,
    /// Create the tasks without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ImportWorkArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let Some(source) = self.named_source(env)? else {
            return earlier::show(None, env, self.json);
        };
        if let Some(kind) = forge::kind_of(&source) {
            return self.forge(env, kind);
        }
        self.issues.refuse(&source)?;
        let file = env.folder.join(&source);
        if earlier::is_database(&file) {
            return earlier::show(Some(&source), env, self.json);
        }
        let shown = shown(&source);
        let text = text_input::text(if shown == source { &file } else { &source }, LARGEST)
            .map_err(failed(format!("could not read {}", shown.display())))?;
        match shape_of(&text) {
            TextShape::List(list) => {
                let mut access = BoardAccess::open(env)?;
                let place = self.place(in_project(shown, &access.paths.root));
                self.list(env, &mut access, list, &text, &place)
            }
            TextShape::Tasks => self.tasks(env, shown, &text),
            other => Err(not_a_list(shown, other)),
        }
    }
}

impl ImportWorkArgs {
    /// Returns the source that was named, or the list in its usual place; `None` if only a database can be meant.
    fn named_source(&self, env: &ProcessEnv) -> CommandResult<Option<PathBuf>> {
        if self.source.is_some() {
            return Ok(self.source.clone());
        }
        let place = ProjectPaths::find(&env.folder, env)?;
        let mut there = USUAL.iter().filter(|name| place.root.join(name).is_file());
        Ok(there.next().map(|name| place.root.join(name)))
    }

    fn place(&self, list: String) -> ImportPlace {
        ImportPlace {
            list,
            batch: self.batch.as_str().into(),
            workflow: self.workflow.as_str().into(),
        }
    }

    fn forge(&self, env: &ProcessEnv, kind: ForgeKind) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let text = self.issues.ask(kind, env, &access.paths.root)?;
        let source = match kind {
            ForgeKind::Github => WorkSource::Github,
            ForgeKind::Gitlab => WorkSource::Gitlab,
        };
        let Some(address) = work_list::address_of(&text) else {
            return Err(CommandError::user(
                "no open issue fits: name other labels, another milestone or another search",
            ));
        };
        self.list(env, &mut access, source, &text, &self.place(address))
    }

    /// Imports the items of a list.
    fn list(
        &self,
        env: &ProcessEnv,
        access: &mut BoardAccess,
        source: WorkSource,
        text: &str,
        place: &ImportPlace,
    ) -> CommandResult {
        let file = Path::new(&place.list);
        let list = work_list::read(source, file, text);
        let known = access.ids()?;
        let mut origin_of = |id: &TaskId| -> CommandResult<Option<PlanSource>> {
            if !known.contains(id) {
                return Ok(None);
            }
            let task = access.task(id)?.map(|found| found.task);
            let origin = task.map(|task| task.plan.as_ref().map(|plan| plan.source.clone()));
            Ok(origin.map(Option::unwrap_or_default))
        };
        let import = ListImport::new(&list, file, place, &mut origin_of)?;
        refuse(&import.findings)?;
        let lines = import.lines(source.word(), place);
        self.take(env, access, file, &import.tasks, lines)
    }

    /// Imports tasks that are written for the board.
    fn tasks(&self, env: &ProcessEnv, shown: &Path, text: &str) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let tasks = tasks_of(shown, text)?;
        let head = format!(
            "list of tasks: {}, {} to be created",
            shown.display(),
            tasks.len()
        );
        let lines = tasks.iter().map(|task| {
            let line = format!("{}  ({}:{})", task.draft.title, shown.display(), task.line);
            sanitize(&line).into_owned()
        });
        let lines = std::iter::once(head).chain(lines).collect();
        self.take(env, &mut access, shown, &tasks, lines)
    }

    /// Shows the tasks, asks, and makes them.
    fn take(
        &self,
        env: &ProcessEnv,
        access: &mut BoardAccess,
        file: &Path,
        tasks: &[crate::formats::task_list::ListedTask],
        lines: Vec<String>,
    ) -> CommandResult {
        if !self.json.json || !self.yes {
            output::all(lines);
        }
        if tasks.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        if !self.yes {
            ask(tasks.len())?;
        }
        put_all(access, &env.author(), file, tasks, self.release, self.json)
    }
}

/// Asks for a yes to the tasks that were shown.
fn ask(n_tasks: usize) -> CommandResult<()> {
    if !asking::can_ask() {
        return Err(CommandError::user(
            "could not ask whether to create these tasks: this is not a terminal; look at them, then add --yes",
        ));
    }
    let question = format!("Create {}? y or n", crate::domain::pluralized(n_tasks, "task"));
    let answer = asking::answer_to(&question)?.unwrap_or_default();
    if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(CommandError::user("no task was made: you did not say yes"))
}

/// Prints the findings about a list; an error among them refuses it.
fn refuse(findings: &[Finding]) -> CommandResult<()> {
    for found in findings.iter().filter(|found| !found.is_error()) {
        output::problem(&found.to_string());
    }
    let errors = findings.iter().filter(|found| found.is_error());
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(CommandError::user(errors.join("\n")))
}

/// Returns the refusal of a text that is no list of work, with the command for what it is.
fn not_a_list(file: &Path, shape: TextShape) -> CommandError {
    let name = file.display();
    let way = match shape {
        TextShape::PhasedPlan | TextShape::GraphPlan => format!("`dbs run {name}` carries it out"),
        TextShape::Prd => format!("`dbs atdd run {name}` works on its stories"),
        TextShape::Empty => "name a file with work in it".to_owned(),
        _ => format!("`dbs convert {name}` has an agent make a plan of it"),
    };
    CommandError::user(format!(
        "could not import {name}: it is a {}; {way}",
        shape.word()
    ))
}
