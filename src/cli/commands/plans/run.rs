//! `dbs run`: the phases of a plan become tasks of the board. A plan that is on the board already is compared with its files, and continued
//! or restarted. Nothing of a plan is started or changed before a person has seen it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::consent::{self, PlanConsent};
use super::{LARGEST, graphs, in_project, read, shown, uncommitted};
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::RunPlanArgs;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{BatchId, Command, MAX_TEXT_BYTES, Refusal, Task, TaskDraft, TaskId, TaskState};
use crate::formats::plan::{self, Plan, PlanChanges, PlanChoices, PlanItem, TaskChange};

/// Maximum number of restarts of a plan.
const MOST_RESTARTS: u32 = 100;

/// Tasks of a plan that are on the board.
pub(super) type Known = BTreeMap<TaskId, Arc<Task>>;

/// Outcome of a call of `dbs run`.
pub(super) enum RunOutcome {
    /// Plan that was only shown.
    Shown,
    /// Plan with errors, which were shown.
    Unsound,
    /// Project that is not ready for it; with the reason, for people.
    Unready(String),
    /// Plan that is on the board, in this batch.
    OnBoard(BatchId),
}

/// Executes a plan, continues it, or shows the effects.
pub(in crate::cli::commands) fn run(edge: &ProcessEnv, wanted: &RunPlanArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    match begin(edge, &place, wanted)? {
        RunOutcome::Shown | RunOutcome::OnBoard(_) => Ok(ExitCode::SUCCESS),
        RunOutcome::Unsound => Ok(ExitCode::FAILURE),
        RunOutcome::Unready(why) => Err(why.into()),
    }
}

/// Begins a plan like `run`, for a caller that waits for its end.
pub(super) fn begin(
    edge: &ProcessEnv,
    place: &ProjectPaths,
    wanted: &RunPlanArgs,
) -> Result<RunOutcome, String> {
    let plan = read(&wanted.plan, Some(place))?;
    let mut access = BoardAccess::open_project(place.clone())?;
    let mut run = PlanRun {
        by: edge.author(),
        root: &place.root,
        plan: &plan,
        wanted,
        access: &mut access,
    };
    if wanted.dry_run || !plan.is_sound() {
        return run.show();
    }
    if wanted.waits()
        && let Err(why) = trusted(place)
    {
        return Ok(RunOutcome::Unready(why));
    }
    let (restarts, known) = known(run.access, &plan)?;
    let begins = known.is_empty() || wanted.restart;
    if !begins {
        return run.go_on(restarts, &known);
    }
    if !wanted.allow_dirty
        && let Err(why) = uncommitted::refuse_changes(place, edge, &plan)
    {
        return Ok(RunOutcome::Unready(why));
    }
    run.begin(if known.is_empty() { restarts } else { restarts + 1 }, &known)
}

/// Refuses while nothing would start because the programs that the project's files start are not trusted: a waiting caller would wait for
/// ever.
pub(super) fn trusted(place: &ProjectPaths) -> Result<(), String> {
    match place.read_config().untrusted() {
        Some(files) if files.holds => Err(files.text.clone()),
        _ => Ok(()),
    }
}

/// A call of `dbs run`.
struct PlanRun<'a> {
    by: String,
    root: &'a Path,
    plan: &'a Plan,
    wanted: &'a RunPlanArgs,
    access: &'a mut BoardAccess,
}

impl PlanRun<'_> {
    /// Shows the plan and changes nothing.
    fn show(&mut self) -> Result<RunOutcome, String> {
        if self.wanted.json.json {
            output::json(&shown::json(self.plan));
        } else {
            output::all(shown::lines(self.plan));
        }
        if !self.plan.is_sound() {
            output::problem("could not run the plan: fix what is called an error");
            return Ok(RunOutcome::Unsound);
        }
        let (restarts, known) = known(self.access, self.plan)?;
        let changes = self.changes(restarts, &known)?;
        if !self.wanted.json.json {
            if !known.is_empty() && !changes.is_none() {
                output::line("this differs from the board:");
                output::all(consent::lines(&changes, self.plan));
            }
            output::lines(&format!(
                "hash of the commands: {}",
                PlanConsent::new(self.plan, &self.access.place).hash(&changes)?
            ));
        }
        Ok(RunOutcome::Shown)
    }

    /// Puts a plan on the board, in the place of its earlier tasks, and hands it to the engine.
    fn begin(&mut self, restarts: u32, earlier: &Known) -> Result<RunOutcome, String> {
        let changes = self.changes(restarts, &Known::new())?;
        // A person who says yes knows the doubts (LG-15).
        for found in &self.plan.findings {
            output::problem(&shown::finding_line(found));
        }
        self.agree(&changes, false)?;
        self.close(earlier)?;
        self.apply(restarts, changes)
    }

    /// Continues a plan that is on the board: with the changes in its files, and with `--resume` the tasks that have stopped.
    fn go_on(&mut self, restarts: u32, known: &Known) -> Result<RunOutcome, String> {
        let changes = self.changes(restarts, known)?;
        let stopped: Vec<&Arc<Task>> = known.values().filter(|task| has_stopped(task)).collect();
        if !self.wanted.options().is_none() {
            self.put_batch(&plan::batch_of(self.plan, restarts))?;
        }
        if changes.is_none() && !self.wanted.resume {
            output::all(shown::standing(known.values()));
            let next = if stopped.is_empty() {
                "the plan is on the board as its files have it".to_owned()
            } else {
                format!(
                    "{} stopped; `--resume` takes them up again, `--restart` begins the plan anew",
                    self.plan.kind.items(stopped.len())
                )
            };
            output::lines(&next);
            return Ok(RunOutcome::OnBoard(plan::batch_of(self.plan, restarts)));
        }
        if !changes.is_none() {
            self.agree(&changes, true)?;
        }
        let resumed: Vec<TaskId> = stopped.iter().map(|task| task.id.clone()).collect();
        let outcome = self.apply(restarts, changes)?;
        if self.wanted.resume {
            for id in resumed {
                let retry = Command::Retry {
                    task: id.clone(),
                    stage: None,
                    note: None,
                };
                self.ask(retry)?;
                output::line(&format!("{id} goes on"));
            }
        }
        Ok(outcome)
    }

    /// Asks a person for a yes to the commands and the changes: at the terminal, or by their hash.
    fn agree(&mut self, changes: &PlanChanges, is_known: bool) -> Result<(), String> {
        let given = self.wanted.trust.as_deref();
        PlanConsent::new(self.plan, &self.access.place).ask((changes, is_known), given)
    }

    /// Returns the differences of the plan from the board.
    fn changes(&mut self, restarts: u32, known: &Known) -> Result<PlanChanges, String> {
        let batch = plan::batch_of(self.plan, restarts);
        let long = |id: &TaskId| id.as_str().starts_with(&format!("{batch}-"));
        let mut choices = PlanChoices {
            from: self.wanted.phase.clone(),
            is_parallel: self.wanted.parallel.is_some(),
            asks: self.wanted.interactive,
            trusts_status: self.wanted.trust_plan,
            done: self.wanted.done.iter().cloned().collect(),
            has_long_ids: known.keys().any(long),
            restarts,
        };
        let mut wanted = self.drafts(&choices)?;
        if known.is_empty() {
            let taken = self.access.ids()?;
            if wanted.iter().any(|draft| taken.contains(&draft.id)) {
                choices.has_long_ids = true;
                wanted = self.drafts(&choices)?;
            }
        } else {
            // The order stays as it was begun: one phase after another, or as they depend on each other.
            choices.is_parallel |= !self.is_chained(&choices, known);
            wanted = self.drafts(&choices)?;
        }
        let names: BTreeSet<TaskId> = wanted.into_iter().map(|draft| draft.id).collect();
        let all = self.drafts(&PlanChoices {
            from: None,
            trusts_status: false,
            done: BTreeSet::new(),
            ..choices
        })?;
        Ok(plan::compare(all, known, &names))
    }

    /// Returns true if each phase on the board waits for the one before it.
    fn is_chained(&self, choices: &PlanChoices, known: &Known) -> bool {
        let one_by_one = PlanChoices {
            is_parallel: false,
            from: None,
            trusts_status: false,
            done: BTreeSet::new(),
            ..choices.clone()
        };
        let Ok(drafts) = self.drafts(&one_by_one) else {
            return false;
        };
        let waits = |draft: &TaskDraft| {
            let task = known.get(&draft.id);
            let is_chained = |id: &&TaskId| known.get(*id).is_some_and(|task| !is_skipped(task));
            let mut before = draft.deps.iter().filter(is_chained);
            task.is_none_or(|task| before.all(|id| task.deps.contains(id)))
        };
        drafts.iter().all(waits)
    }

    fn drafts(&self, choices: &PlanChoices) -> Result<Vec<TaskDraft>, String> {
        let path = |path: &Path| in_project(path, self.root);
        let mut drafts = plan::drafts(self.plan, choices, (&body, &path))
            .map_err(|why| format!("could not run the plan: {why}"))?;
        let is_claude = graphs::works_with_claude(&self.access.place, self.plan.kind);
        for draft in &mut drafts {
            // A plan names models as Claude does; for another agent these names have no meaning.
            if self.wanted.model.is_some() || !is_claude {
                draft.agent.model.clone_from(&self.wanted.model);
            }
        }
        Ok(drafts)
    }

    /// Closes the open tasks of a plan that is restarted; its branches are kept as those of every closed task.
    fn close(&mut self, known: &Known) -> Result<(), String> {
        let open = known
            .values()
            .filter(|task| !matches!(task.state, TaskState::Done | TaskState::Cancelled));
        for task in open {
            self.ask(Command::Close(task.id.clone(), "its plan begins anew".to_owned()))?;
        }
        Ok(())
    }

    /// Sends a command to the board; a refusal ends the command line.
    fn ask(&mut self, command: Command) -> Result<(), String> {
        let refused = |refusal: Refusal| {
            let about = refusal.about.map(|id| format!("{id}: ")).unwrap_or_default();
            format!(
                "could not run the plan: {about}{}; `dbs task list` shows what is on the board",
                refusal.why
            )
        };
        self.access.execute(&self.by, command)?.map_err(refused)?;
        Ok(())
    }

    /// Puts the agreed changes on the board.
    fn apply(&mut self, restarts: u32, changes: PlanChanges) -> Result<RunOutcome, String> {
        let batch = plan::batch_of(self.plan, restarts);
        for change in changes.changed {
            self.change(change)?;
        }
        let ids = self.create(&batch, changes.new)?;
        if self.wanted.json.json {
            output::json(&serde_json::json!({ "batch": batch, "tasks": ids }));
        } else if !ids.is_empty() && !self.wanted.waits() {
            output::lines(if self.access.has_server() {
                "released; `dbs` shows how it goes"
            } else {
                "released; `dbs` starts the work and shows it, `dbs watch` does so without a screen"
            });
        }
        Ok(RunOutcome::OnBoard(batch))
    }

    fn change(&mut self, change: TaskChange) -> Result<(), String> {
        let id = change.task.id.clone();
        self.ask(Command::Update(id.clone(), change.patch))?;
        for on in change.waits_no_longer {
            self.ask(Command::RemoveDependency(id.clone(), on))?;
        }
        for on in change.waits {
            self.ask(Command::AddDependency(id.clone(), on))?;
        }
        output::line(&format!("{id} changed"));
        Ok(())
    }

    /// Puts the batch of the plan, with the options that this call chose for the run.
    fn put_batch(&mut self, batch: &BatchId) -> Result<(), String> {
        self.ask(Command::PutBatch {
            id: batch.clone(),
            title: self.plan.title.clone(),
            goal: format!("the plan {}", self.plan.file.display()),
            base: None,
            options: self.wanted.options(),
        })
    }

    /// Makes and releases the tasks of new phases.
    fn create(&mut self, batch: &BatchId, drafts: Vec<TaskDraft>) -> Result<Vec<TaskId>, String> {
        let ids: Vec<TaskId> = drafts.iter().map(|draft| draft.id.clone()).collect();
        if ids.is_empty() {
            return Ok(ids);
        }
        self.put_batch(batch)?;
        let table = shown::table(&drafts, self.plan);
        self.ask(Command::CreateAll(drafts))?;
        self.ask(Command::Release(ids.clone()))?;
        if !self.wanted.json.json {
            output::line(&shown::head(self.plan, ids.len(), self.wanted));
            // A person is looking: show the limits (LP-30).
            if std::io::stdout().is_terminal() {
                output::all(shown::rules(self.plan, &self.access.place, self.wanted));
            }
            output::all(table);
        }
        Ok(ids)
    }
}

/// Returns the number of restarts of a plan, and its tasks of the last start.
pub(super) fn known(access: &mut BoardAccess, plan: &Plan) -> Result<(u32, Known), String> {
    let mut found = (0, Known::new());
    for restarts in 0..MOST_RESTARTS {
        let ids = access.ids_in(Some(plan::batch_of(plan, restarts)))?;
        if ids.is_empty() {
            break;
        }
        let mut tasks = Known::new();
        for id in ids {
            let of_plan = access.task(&id)?.filter(|detail| detail.task.plan.is_some());
            tasks.extend(of_plan.map(|detail| (id, detail.task)));
        }
        found = (restarts, tasks);
    }
    Ok(found)
}

/// Returns true if only a person lets the task continue, and not by a yes to its work.
fn has_stopped(task: &Task) -> bool {
    match &task.state {
        TaskState::Failed(_) | TaskState::Parked(_) => true,
        // A task that was skipped with another comes back with that.
        TaskState::Skipped(skip) => skip.root().is_none(),
        TaskState::Held(_) => !task.state.awaits_approval(),
        _ => false,
    }
}

/// Returns true if a person left it out: phases behind it continued without it.
fn is_skipped(task: &Task) -> bool {
    matches!(&task.state, TaskState::Skipped(_))
}

/// Returns the text of a phase's file, as far as a task takes it.
fn body(item: &PlanItem) -> String {
    let file = item.file.as_deref();
    let text = file.and_then(|file| text_file::read_text(file, LARGEST).ok());
    let text = text.unwrap_or_default();
    let end = text.floor_char_boundary(MAX_TEXT_BYTES - 1024);
    text.get(..end).unwrap_or_default().to_owned()
}
