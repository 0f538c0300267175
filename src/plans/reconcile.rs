//! A plan and the board: the commands that bring the tasks of the board to what the plan says. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use super::{ReadPlan, in_project};
use crate::domain::{
    BatchId, Cause, Command, MAX_TEXT_BYTES, RunOptions, Task, TaskDraft, TaskId, TaskState,
};
use crate::formats::plan::{self, Plan, PlanChanges, PlanChoices, PlanItem, TaskChange};

/// Maximum number of restarts of a plan.
const MOST_RESTARTS: u32 = 100;

/// Tasks of a plan that are on the board.
pub type PlanTasks = BTreeMap<TaskId, Arc<Task>>;

/// Rows of the board that a plan is compared with.
#[derive(Debug, Default)]
pub struct PlanRows {
    /// Number of times the plan was begun again.
    pub restarts: u32,
    /// Tasks of the plan's last run.
    pub tasks: PlanTasks,
}

/// Options that a person chooses for a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanWishes {
    /// Options for the tasks; the board decides on long ids and the number of restarts.
    pub choices: PlanChoices,
    pub options: RunOptions,
    pub model: Option<String>,
    /// True if stopped tasks are retried.
    pub resumes: bool,
    /// True if the plan starts over with new tasks.
    pub restarts: bool,
}

/// Project of a plan, as far as its tasks depend on it.
#[derive(Debug, Clone, Copy)]
pub struct PlanProject<'a> {
    pub root: &'a Path,
    /// True if Claude works on the plan, in whose words it names models.
    pub is_claude: bool,
}

/// Result of comparing a plan with the board.
#[derive(Debug)]
pub struct PlanDifference {
    pub batch: BatchId,
    /// True if the plan is on the board and goes on there.
    pub is_known: bool,
    /// Differences of the plan from the board, which need a yes.
    pub changes: PlanChanges,
    /// Tasks that only a person lets continue.
    pub stopped: Vec<TaskId>,
    /// Everything that is to be done, in its order.
    pub commands: Vec<Command>,
}

impl PlanRows {
    /// Collects the rows of a plan from its batches.
    ///
    /// # Errors
    /// The errors of `of_batch`, which returns the tasks of a batch.
    pub fn collect<E>(
        plan: &Plan,
        of_batch: &mut dyn FnMut(BatchId) -> Result<PlanTasks, E>,
    ) -> Result<PlanRows, E> {
        let mut found = PlanRows::default();
        for restarts in 0..MOST_RESTARTS {
            let mut tasks = of_batch(plan::batch_of(plan, restarts))?;
            if tasks.is_empty() {
                break;
            }
            tasks.retain(|_, task| task.plan.as_ref().is_some_and(|plan| !plan.is_imported()));
            found = PlanRows { restarts, tasks };
        }
        Ok(found)
    }

    /// Returns the rows of a plan among all tasks of the board.
    pub fn on_board(plan: &Plan, tasks: &PlanTasks) -> PlanRows {
        let of_batch = |batch: BatchId| {
            let tasks = tasks.iter().filter(|(_, task)| task.batch == batch);
            tasks.map(|(id, task)| (id.clone(), Arc::clone(task))).collect()
        };
        let found = PlanRows::collect(plan, &mut |batch| Ok::<_, Infallible>(of_batch(batch)));
        found.unwrap_or_default()
    }

    /// Returns true if these wishes begin the plan, for the first time or anew.
    pub fn begins(&self, wishes: &PlanWishes) -> bool {
        self.tasks.is_empty() || wishes.restarts
    }

    /// Returns true if nothing is left to do: neither in the plan nor of its tasks on the board.
    pub fn are_over(&self, plan: &Plan, choices: &PlanChoices) -> bool {
        let is_over = |state: &TaskState| {
            matches!(
                state,
                TaskState::Done | TaskState::Cancelled | TaskState::Skipped(_)
            )
        };
        plan::is_over(plan, choices) && self.tasks.values().all(|task| is_over(&task.state))
    }

    /// Returns the task of an item.
    pub fn task_of(&self, item: &PlanItem) -> Option<&Arc<Task>> {
        let is_it = |task: &&Arc<Task>| {
            let entry = task.plan.as_ref();
            entry.is_some_and(|entry| entry.source.item == item.id)
        };
        self.tasks.values().find(is_it)
    }
}

/// Compares a plan with the board. `taken` holds the ids of all tasks.
///
/// # Errors
/// When the wishes do not fit the plan; for people.
pub fn reconcile(
    read: &ReadPlan,
    rows: &PlanRows,
    taken: &BTreeSet<TaskId>,
    wishes: &PlanWishes,
    project: PlanProject<'_>,
) -> Result<PlanDifference, Cause> {
    let begins = rows.begins(wishes);
    let restarts = rows.restarts + u32::from(begins && !rows.tasks.is_empty());
    let none = PlanTasks::new();
    let comparison = Comparison {
        read,
        known: if begins { &none } else { &rows.tasks },
        wishes,
        project,
        batch: plan::batch_of(&read.plan, restarts),
    };
    let changes = comparison.changes(restarts, taken)?;
    let stopped = rows.tasks.values().filter(|task| has_stopped(task));
    let stopped: Vec<TaskId> = stopped.map(|task| task.id.clone()).collect();
    let mut commands = Vec::new();
    if begins {
        commands.extend(closed(&rows.tasks));
    } else if !wishes.options.is_none() && changes.new.is_empty() {
        commands.push(comparison.put_batch());
    }
    if !changes.new.is_empty() {
        commands.push(comparison.put_batch());
        commands.push(Command::CreateAll(changes.new.clone()));
    }
    // A task may wait for a new one from now on.
    commands.extend(changes.changed.iter().flat_map(changed));
    if !changes.new.is_empty() {
        let ids = changes.new.iter().map(|draft| draft.id.clone()).collect();
        commands.push(Command::Release(ids));
    }
    if !begins && wishes.resumes {
        commands.extend(stopped.iter().cloned().map(retried));
    }
    Ok(PlanDifference {
        batch: comparison.batch,
        is_known: !begins,
        changes,
        stopped,
        commands,
    })
}

/// Comparison of a plan with the tasks that it goes on with; none where it begins.
struct Comparison<'a> {
    read: &'a ReadPlan,
    known: &'a PlanTasks,
    wishes: &'a PlanWishes,
    project: PlanProject<'a>,
    batch: BatchId,
}

impl Comparison<'_> {
    fn changes(&self, restarts: u32, taken: &BTreeSet<TaskId>) -> Result<PlanChanges, Cause> {
        let long = |id: &TaskId| id.as_str().starts_with(&format!("{}-", self.batch));
        let mut choices = PlanChoices {
            has_long_ids: self.known.keys().any(long),
            restarts,
            ..self.wishes.choices.clone()
        };
        let mut wanted = self.drafts(&choices)?;
        if self.known.is_empty() {
            if wanted.iter().any(|draft| taken.contains(&draft.id)) {
                choices.has_long_ids = true;
                wanted = self.drafts(&choices)?;
            }
        } else {
            // The order stays as it was begun: one phase after another, or as they depend on each other.
            choices.is_parallel |= !self.is_chained(&choices);
            wanted = self.drafts(&choices)?;
        }
        let names: BTreeSet<TaskId> = wanted.iter().map(|draft| draft.id.clone()).collect();
        let mut new: BTreeMap<TaskId, TaskDraft> = wanted
            .into_iter()
            .filter(|draft| !self.known.contains_key(&draft.id))
            .map(|draft| (draft.id.clone(), draft))
            .collect();
        // New tasks are chained past those that are left out.
        let all = self.drafts(&whole(&choices))?.into_iter();
        let all = all.map(|draft| new.remove(&draft.id).unwrap_or(draft)).collect();
        Ok(plan::compare(all, self.known, &names))
    }

    /// Returns true if each phase on the board waits for the one before it.
    fn is_chained(&self, choices: &PlanChoices) -> bool {
        let one_by_one = PlanChoices {
            is_parallel: false,
            ..whole(choices)
        };
        let Ok(drafts) = self.drafts(&one_by_one) else {
            return false;
        };
        let waits = |draft: &TaskDraft| {
            let task = self.known.get(&draft.id);
            let is_chained = |id: &&TaskId| self.known.get(*id).is_some_and(|task| !is_skipped(task));
            let mut before = draft.deps.iter().filter(is_chained);
            task.is_none_or(|task| before.all(|id| task.deps.contains(id)))
        };
        drafts.iter().all(waits)
    }

    fn drafts(&self, choices: &PlanChoices) -> Result<Vec<TaskDraft>, Cause> {
        let path = |path: &Path| in_project(path, self.project.root);
        let body = |item: &PlanItem| body(self.read, item);
        let mut drafts = plan::drafts(&self.read.plan, choices, &body, &path)
            .map_err(|why| format!("could not run the plan: {why}"))?;
        let model = &self.wishes.model;
        for draft in &mut drafts {
            // A plan names models as Claude does; for another agent these names have no meaning.
            if model.is_some() || !self.project.is_claude {
                draft.agent.model.clone_from(model);
            }
        }
        Ok(drafts)
    }

    /// Returns the command for the batch of the plan, with the options chosen for the run.
    fn put_batch(&self) -> Command {
        let plan = &self.read.plan;
        Command::PutBatch {
            id: self.batch.clone(),
            title: plan.title.clone(),
            goal: format!("the plan {}", plan.file.display()),
            base: None,
            options: self.wishes.options,
        }
    }
}

/// Returns the choices without those that leave phases out.
fn whole(choices: &PlanChoices) -> PlanChoices {
    PlanChoices {
        from: None,
        trusts_status: false,
        done: BTreeSet::new(),
        ..choices.clone()
    }
}

/// Closes the open tasks of a plan that is restarted; its branches are kept as those of every closed task.
fn closed(tasks: &PlanTasks) -> impl Iterator<Item = Command> {
    let open = tasks
        .values()
        .filter(|task| !matches!(task.state, TaskState::Done | TaskState::Cancelled));
    open.map(|task| Command::Close(task.id.clone(), "its plan was restarted".to_owned()))
}

fn changed(change: &TaskChange) -> Vec<Command> {
    let id = &change.task.id;
    let ended = change.waits_no_longer.iter().cloned();
    let waits = change.waits.iter().cloned();
    std::iter::once(Command::Update(id.clone(), change.patch.clone()))
        .chain(ended.map(|on| Command::RemoveDependency(id.clone(), on)))
        .chain(waits.map(|on| Command::AddDependency(id.clone(), on)))
        .collect()
}

fn retried(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
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

/// Returns the text of a phase, which is its file or its section of the plan, as far as a task takes it.
fn body(read: &ReadPlan, item: &PlanItem) -> String {
    let text_of = |file| read.texts.get(file).map(String::as_str);
    let text = match (&item.section, &item.file) {
        (Some(section), _) => text_of(&read.plan.file).and_then(|text| text.get(section.clone())),
        (None, file) => file.as_ref().and_then(text_of),
    };
    let text = text.unwrap_or_default();
    let end = text.floor_char_boundary(MAX_TEXT_BYTES - 1024);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::domain::{Board, BoardSettings, Event, RequestId, Timestamp, Workflow};
    use crate::formats::workflow;

    const MASTER: &str = "# Export - Master Plan\n\n## Phases\n\n| Phase | Title | Status |\n|--|--|--|\n\
                          | 1 | [Model](one.md) | Pending |\n| 2 | [Writer](two.md) | Pending |\n";
    const PHASE: &str = "## Gates\n- it: `true`\n\n## Tasks\n- [ ] 1: Do it\n";

    /// The plan with a second phase of that text.
    fn read(second: &str) -> ReadPlan {
        let texts = [("MASTER.md", MASTER), ("one.md", PHASE), ("two.md", second)];
        let texts = texts.map(|(name, text)| (PathBuf::from(name), text.to_owned()));
        let texts = BTreeMap::from(texts);
        let mut open = |path: &Path| {
            texts
                .get(path)
                .cloned()
                .ok_or_else(|| "it is not there".to_owned())
        };
        let plan = plan::read(Path::new("MASTER.md"), MASTER, &[], &mut open);
        assert!(plan.is_sound(), "{:?}", plan.findings);
        ReadPlan { plan, texts }
    }

    fn board() -> Board {
        let mut board = Board::default();
        let read = |(name, text): (&str, &str)| workflow::read(Path::new(name), text).0.unwrap();
        let flows: Vec<Workflow> = workflow::builtin().into_iter().map(read).collect();
        board.apply(Timestamp(1), &Event::configured(BoardSettings::default()));
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows));
        board
    }

    fn compare(read: &ReadPlan, board: &Board, wishes: &PlanWishes) -> PlanDifference {
        let rows = PlanRows::on_board(&read.plan, &board.tasks);
        let project = PlanProject {
            root: Path::new("."),
            is_claude: false,
        };
        reconcile(
            read,
            &rows,
            &board.tasks.keys().cloned().collect(),
            wishes,
            project,
        )
        .unwrap()
    }

    /// Has the board do what a comparison found.
    fn carry_out(board: &mut Board, difference: &PlanDifference) {
        let asked = Event::Asked {
            request: RequestId(1),
            by: "ada".to_owned(),
            command: Command::All(difference.commands.clone()),
        };
        let effects = board.apply(Timestamp(2), &asked);
        assert!(format!("{effects:?}").contains("Ok("), "{effects:?}");
    }

    #[test]
    fn a_plan_is_begun_once_and_only_its_differences_are_taken_over() {
        let (mut board, wishes) = (board(), PlanWishes::default());
        let found = compare(&read(PHASE), &board, &wishes);
        assert!(matches!(
            &found.commands[..],
            [Command::PutBatch { .. }, Command::CreateAll(new), Command::Release(_)] if new.len() == 2
        ));
        assert!(!found.is_known);
        carry_out(&mut board, &found);
        let same = compare(&read(PHASE), &board, &wishes);
        assert_eq!((same.is_known, same.commands), (true, Vec::new()));
        let edited = compare(&read(&PHASE.replace("true", "false")), &board, &wishes);
        assert!(matches!(&edited.commands[..], [Command::Update(id, _)] if id.as_str() == "export-2"));
        carry_out(&mut board, &edited);
        assert_eq!(board.tasks[&"export-2".into()].gates[0].command, "false");
        let anew = PlanWishes {
            restarts: true,
            ..PlanWishes::default()
        };
        let anew = compare(&read(PHASE), &board, &anew);
        assert_eq!(anew.batch.as_str(), "export-2");
        assert!(matches!(
            &anew.commands[..],
            [
                Command::Close(..),
                Command::Close(..),
                Command::PutBatch { .. },
                ..
            ]
        ));
        carry_out(&mut board, &anew);
        assert_eq!(board.tasks.len(), 4);
    }

    #[test]
    fn a_phase_behind_one_that_is_left_out_waits_for_the_one_before_that() {
        let master = format!("{MASTER}| 3 | [Reader](two.md) | Pending |\n");
        let mut open = |_: &Path| Ok(PHASE.to_owned());
        let plan = plan::read(Path::new("MASTER.md"), &master, &[], &mut open);
        let read = ReadPlan {
            plan,
            texts: BTreeMap::new(),
        };
        let wishes = PlanWishes {
            choices: PlanChoices {
                done: BTreeSet::from(["2".to_owned()]),
                ..PlanChoices::default()
            },
            ..PlanWishes::default()
        };
        let found = compare(&read, &board(), &wishes);
        let last = found
            .changes
            .new
            .iter()
            .find(|draft| draft.id.as_str() == "export-3");
        assert_eq!(last.unwrap().deps, BTreeSet::from(["export-1".into()]));
    }

    #[test]
    fn what_has_stopped_is_taken_up_again_on_request_only() {
        let (mut board, wishes) = (board(), PlanWishes::default());
        let found = compare(&read(PHASE), &board, &wishes);
        carry_out(&mut board, &found);
        let park = Event::Asked {
            request: RequestId(2),
            by: "ada".to_owned(),
            command: Command::Park("export-1".into(), "later".to_owned()),
        };
        board.apply(Timestamp(3), &park);
        let found = compare(&read(PHASE), &board, &wishes);
        assert_eq!(
            (found.stopped, found.commands),
            (vec!["export-1".into()], Vec::new())
        );
        let resumes = PlanWishes {
            resumes: true,
            ..wishes
        };
        let found = compare(&read(PHASE), &board, &resumes);
        assert!(matches!(&found.commands[..], [Command::Retry { task, .. }] if task.as_str() == "export-1"));
    }
}
