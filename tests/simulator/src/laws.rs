//! Laws for every step of a board, wherever the events come from. They are written anew from the rules, without the board's own functions,
//! so that a mistake in those is found here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dbs_domain::attempt::{AttemptState, Verdict};
use dbs_domain::batch::RunState;
use dbs_domain::evidence::Severity;
use dbs_domain::task::{HoldReason, Task};
use dbs_domain::workflow::{
    Actor, ApprovalRule, CascadePolicy, Edge, FileAccess, FindingPolicy, GateSet, RejectTo, Stage, Workspace,
};
use dbs_domain::{
    ActionOutcome, Attempt, AttemptId, BatchId, Board, Command, Event, Evidence, EvidenceKind, PlanEntry,
    SignalKind, Skip, StageId, TaskId, TaskState, Tri, Worker,
};

use super::circles;

/// Returns the first law that a step breaks.
pub fn check(before: &Board, event: &Event, after: &Board) -> Result<(), String> {
    limits(after)?;
    for attempt in after.attempts.values() {
        let earlier = before.attempts.get(&attempt.id);
        if is_same_row(earlier, attempt) {
            continue;
        }
        if earlier.is_none() {
            begun(before, attempt, after)?;
            within_batch(attempt, after)?;
        }
        let passed = |attempt: &Attempt| attempt.state == AttemptState::Settled(Verdict::Passed);
        if passed(attempt) && !earlier.is_some_and(|earlier| passed(earlier)) {
            proved(before, event, attempt)?;
        }
    }
    for task in after.tasks.values() {
        match before.tasks.get(&task.id) {
            Some(earlier) if !is_same_row(Some(earlier), task) => {
                moved(before, event, (earlier, task), after)?;
            }
            _ => {}
        }
    }
    skipping(before, event, after)?;
    match event {
        Event::Asked { .. } => circles::none(after),
        _ => Ok(()),
    }
}

/// Returns true if a step left a row alone: boards share rows until one is changed.
pub(super) fn is_same_row<T>(before: Option<&Arc<T>>, after: &Arc<T>) -> bool {
    before.is_some_and(|before| Arc::ptr_eq(before, after))
}

/// Checks the limits: of agents in all and by role, one open attempt per task, one writer per file, and one attempt per base in a singleton
/// stage.
fn limits(board: &Board) -> Result<(), String> {
    let mut by_role: BTreeMap<&str, u32> = BTreeMap::new();
    let mut singles: BTreeMap<(&StageId, Option<&str>), u32> = BTreeMap::new();
    let mut open: BTreeMap<&TaskId, AttemptId> = BTreeMap::new();
    let mut files: BTreeMap<&str, &TaskId> = BTreeMap::new();
    for attempt in board.attempts.values().filter(|attempt| attempt.state.is_open()) {
        for path in written_files(board, attempt) {
            if let Some(other) = files.insert(path, &attempt.task) {
                return Err(format!("{other} and {} both write {path}", attempt.task));
            }
        }
        if let Some(other) = open.insert(&attempt.task, attempt.id) {
            return Err(format!(
                "{} has attempts {other} and {} open",
                attempt.task, attempt.id
            ));
        }
        if let Worker::Agent { role, .. } = &attempt.worker {
            *by_role.entry(role.as_str()).or_insert(0) += 1;
        }
        let stage = board.stage_of_attempt(attempt);
        if let (Some(task), Some(true)) = (board.tasks.get(&attempt.task), stage.map(|stage| stage.singleton))
        {
            *singles.entry((&attempt.stage, board.base_of(task))).or_insert(0) += 1;
        }
    }
    // Conductors take no agent's place; the law of singletons keeps them to one at a time.
    let others = by_role.iter().filter(|(role, _)| **role != "conductor");
    let agents: u32 = others.map(|(_, count)| count).sum();
    must(agents <= board.settings.max_agents, || {
        format!("{agents} agents are at work")
    })?;
    for (role, most) in &board.settings.max_by_role {
        let n = by_role.get(role.as_str()).copied().unwrap_or(0);
        must(n <= *most, || {
            format!("{n} of {role} are at work, {most} allowed")
        })?;
    }
    for ((stage, base), n) in singles {
        must(n == 1, || format!("{n} attempts in {stage} for {base:?}"))?;
    }
    Ok(())
}

/// Returns the files that the plan lists and that the agent may write now.
fn written_files<'a>(board: &'a Board, attempt: &Attempt) -> BTreeSet<&'a str> {
    let writes = board
        .stage_of_attempt(attempt)
        .is_some_and(|stage| stage.workspace == Workspace::Branch && stage.access == FileAccess::Write);
    let plan = board.tasks.get(&attempt.task).and_then(|task| task.plan.as_ref());
    let plan = plan.filter(|_| writes && matches!(attempt.worker, Worker::Agent { .. }));
    let listed = plan
        .into_iter()
        .flat_map(|plan| plan.paths.create.iter().chain(&plan.paths.modify));
    listed.map(String::as_str).collect()
}

/// Checks that an agent begins only while its batch has fewer at work than allowed; conductors do not count.
fn within_batch(attempt: &Attempt, board: &Board) -> Result<(), String> {
    let is_agent =
        |worker: &Worker| matches!(worker, Worker::Agent { role, .. } if role.as_str() != "conductor");
    let at_once = |batch: &BatchId| board.batches.get(batch).and_then(|batch| batch.options.at_once);
    let task = board
        .tasks
        .get(&attempt.task)
        .filter(|_| is_agent(&attempt.worker));
    let Some((task, most)) = task.and_then(|task| Some((task, at_once(&task.batch)?))) else {
        return Ok(());
    };
    let open = board.attempts.values().filter(|other| other.state.is_open());
    let of_batch = open.filter(|other| {
        let of = board.tasks.get(&other.task);
        is_agent(&other.worker) && of.is_some_and(|of| of.batch == task.batch)
    });
    let n = of_batch.count();
    must(u32::try_from(n).is_ok_and(|n| n <= most), || {
        format!(
            "{} began as one of {n} at work, {most} allowed in its batch",
            task.id
        )
    })
}

/// Checks that a new attempt has a fresh number, that its task points to it, has no open dependency and has the approval it needs, and that
/// no attempt begins where a person acts.
fn begun(before: &Board, attempt: &Attempt, after: &Board) -> Result<(), String> {
    let id = attempt.id;
    must(id.0 > before.last_attempt, || {
        format!("attempt {id} was there before")
    })?;
    let task = after
        .tasks
        .get(&attempt.task)
        .ok_or("an attempt without a task")?;
    must(task.open_attempt == Some(id), || {
        format!("{} does not know {id}", task.id)
    })?;
    for on in &task.deps {
        let on_task = after.tasks.get(on);
        let is_done = on_task.is_some_and(|on| on.state == TaskState::Done);
        // A story in a queue that passes over failures needs only that the one before it has stopped.
        let is_over = passes_over(task)
            && on_task.is_some_and(|on| match &on.state {
                TaskState::Held(_) => !on.state.awaits_approval(),
                TaskState::Failed(_)
                | TaskState::Skipped(_)
                | TaskState::Parked(_)
                | TaskState::Cancelled => true,
                TaskState::Backlog
                | TaskState::Released
                | TaskState::Active
                | TaskState::Verifying
                | TaskState::Done => false,
            });
        must(is_done || is_over, || {
            format!("{} began before {on} was done", task.id)
        })?;
    }
    let batch = after.batches.get(&task.batch);
    for id in batch.iter().flat_map(|batch| &batch.needs) {
        let was = before
            .batches
            .get(id)
            .is_some_and(|on| on.run == RunState::Completed);
        let of_it = || after.tasks.values().filter(|other| other.batch == *id);
        let is_over = |other: &Task| matches!(other.state, TaskState::Done | TaskState::Cancelled);
        let is_completed = of_it().next().is_some() && of_it().all(|other| is_over(other));
        must(was || is_completed, || {
            format!("{} began before batch {id} was completed", task.id)
        })?;
    }
    let Some(stage) = after.stage_of_attempt(attempt) else {
        return Err(format!("{} began in a stage nobody knows", task.id));
    };
    must(stage.actor != Actor::Human, || {
        format!("{} began where a person acts", task.id)
    })?;
    let needs = match stage.approval {
        ApprovalRule::NotNeeded => false,
        ApprovalRule::WhenAsked => task.needs_approval,
        ApprovalRule::Always => true,
    };
    must(!needs || task.approved.as_ref() == Some(&stage.id), || {
        format!("{} began in {} unapproved", task.id, stage.id)
    })
}

/// Checks that an attempt passed because of what was just reported, with every piece of evidence that its stage asks for, and for no other
/// reason.
fn proved(before: &Board, event: &Event, after: &Attempt) -> Result<(), String> {
    let id = after.id;
    let wrong = |why: &str| Err(format!("attempt {id} passed {why}"));
    let Some(attempt) = before.attempts.get(&id) else {
        return wrong("before it began");
    };
    let (Some(task), Some(stage)) = (before.tasks.get(&attempt.task), before.stage_of_attempt(attempt))
    else {
        return wrong("in a stage nobody knows");
    };
    let seen: &[Evidence] = match event {
        Event::Verified {
            attempt: of,
            evidence,
            ..
        } if *of == id => {
            let mut kinds = attempt.signals.iter().map(|signal| signal.kind);
            let said = kinds.any(|kind| kind == SignalKind::Done);
            must(said, || format!("attempt {id} passed and never said done"))?;
            evidence
        }
        Event::ActionEnded { attempt: of, outcome } if *of == id => match outcome {
            ActionOutcome::Done { evidence, .. } => evidence,
            ActionOutcome::Issues(issues) => {
                let n = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
                let is_fine = n(Severity::Critical) == 0 && n(Severity::High) < 2;
                return must(is_fine, || format!("attempt {id} passed with {issues:?}"));
            }
            ActionOutcome::Failed(_) | ActionOutcome::Unreviewed(_) => return wrong("though it failed"),
            ActionOutcome::HandedOver { .. } | ActionOutcome::Refused(_) | ActionOutcome::Unknown(_) => {
                return wrong("though it was not done");
            }
        },
        _ => return wrong(&format!("because of {event:?}")),
    };
    let has_gates = !task.gates.is_empty() || !before.settings.gates.is_empty();
    let mut high = 0;
    for kind in attempt.mode.evidence(stage) {
        let is_left_out = kind == EvidenceKind::Gates && stage.gates == GateSet::IfAny && !has_gates;
        let is_approved = kind == EvidenceKind::Approved && task.approved.as_ref() == Some(&stage.id);
        if is_left_out || is_approved || !is_asked_for(&kind, task, stage) {
            continue;
        }
        let found = match kind {
            EvidenceKind::AgentsUsed | EvidenceKind::StepsDone => {
                wanting(&kind, task).map(|n_high| (n_high > 0, n_high))
            }
            _ => found_in(seen, &kind),
        };
        let Some((is_no, n_high)) = found else {
            return wrong(&format!("without {kind:?}"));
        };
        must(!is_no || may_warn(stage), || {
            format!("attempt {id} passed though {kind:?} is No")
        })?;
        high += n_high;
    }
    must(high < 2, || {
        format!("attempt {id} passed with {high} high findings")
    })
}

fn may_warn(stage: &Stage) -> bool {
    matches!(stage.findings, FindingPolicy::Weigh | FindingPolicy::Ask)
}

/// Returns whether the evidence is No, with its number of high findings; None if it was not seen or cannot be passed over.
fn found_in(seen: &[Evidence], kind: &EvidenceKind) -> Option<(bool, usize)> {
    let piece = seen.iter().find(|piece| piece.kind == *kind)?;
    let n = |severity| {
        piece
            .issues
            .iter()
            .filter(|issue| issue.severity == severity)
            .count()
    };
    match &piece.outcome {
        Tri::Yes => Some((false, 0)),
        Tri::No(_) if !piece.issues.is_empty() && n(Severity::Critical) == 0 => {
            Some((true, n(Severity::High)))
        }
        Tri::No(_) | Tri::Unknown(_) => None,
    }
}

/// Returns the number of high findings about agents or steps that the plan wants and that were not seen; None if one is critical.
fn wanting(kind: &EvidenceKind, task: &Task) -> Option<usize> {
    let plan = task.plan.as_ref()?;
    let (wanted, seen) = match kind {
        EvidenceKind::AgentsUsed => (&plan.agents, &task.record.agents),
        _ => (&plan.steps, &task.record.steps),
    };
    let unseen: Vec<&String> = wanted.iter().filter(|name| !seen.contains(*name)).collect();
    let is_claimed = |name: &&String| task.record.claimed_agents.contains(*name);
    let is_high = *kind == EvidenceKind::StepsDone || unseen.iter().all(is_claimed);
    is_high.then_some(unseen.len())
}

fn passes_over(task: &Task) -> bool {
    task.plan.as_ref().is_some_and(|plan| plan.passes_over)
}

/// Returns true if the plan of the task, or its stage, gives this kind of evidence something to check.
fn is_asked_for(kind: &EvidenceKind, task: &Task, stage: &Stage) -> bool {
    let none = PlanEntry::default();
    let plan = task.plan.as_deref().unwrap_or(&none);
    match kind {
        EvidenceKind::Notes => plan.notes.is_some(),
        EvidenceKind::AgentsUsed => !plan.agents.is_empty(),
        EvidenceKind::StepsDone => !plan.steps.is_empty(),
        EvidenceKind::ListedFiles => !plan.paths.create.is_empty() || !plan.paths.modify.is_empty(),
        EvidenceKind::Protected => {
            let means_files = |path: &String| path != "{tests}" || plan.tests.is_some();
            !plan.paths.protected.is_empty() || stage.protected.iter().any(means_files)
        }
        EvidenceKind::Tests => plan.tests.is_some(),
        _ => true,
    }
}

/// Checks that done is final and follows only from an attempt that just passed, or from a person where a person acts; and that stages
/// change along edges, or to where a person sent the task.
fn moved(
    before: &Board,
    event: &Event,
    (earlier, task): (&Task, &Task),
    after: &Board,
) -> Result<(), String> {
    let id = &task.id;
    if earlier.state == TaskState::Done {
        let same = task.state == TaskState::Done && task.stage == earlier.stage;
        return must(same, || format!("{id} was done and moved"));
    }
    let stage = before.stage_of(earlier);
    if task.state == TaskState::Done {
        let passed = earlier.open_attempt.and_then(|open| after.attempts.get(&open));
        let passed = passed.is_some_and(|open| {
            open.stage == earlier.stage && open.state == AttemptState::Settled(Verdict::Passed)
        });
        let is_approved = matches!(event, Event::Asked { command: Command::Approve(of), .. } if of == id)
            && (stage.is_some_and(|stage| stage.actor == Actor::Human)
                || matches!(earlier.state, TaskState::Held(HoldReason::Findings(_))));
        must(passed || is_approved, || {
            format!("{id} is done because of {event:?}")
        })?;
        let way = stage.and_then(|stage| way_on(stage, earlier));
        must(way.is_none(), || {
            format!("{id} is done in {}, and there is a way on", earlier.stage)
        })?;
    }
    must(
        task.workflow == earlier.workflow || earlier.open_attempt.is_none(),
        || format!("{id} got another workflow while somebody was at work on it"),
    )?;
    if task.stage == earlier.stage {
        return Ok(());
    }
    let entry = after.workflow_of(task).map(|flow| &flow.entry);
    let is_told = matches!(event, Event::Asked { command, .. } if names(command, id, (&task.stage, entry)));
    let on = stage.and_then(|stage| way_on(stage, earlier));
    let back = stage.is_some_and(|stage| stage.reject == RejectTo::Stage(task.stage.clone()));
    // Changes of an integrator beyond its conflict are reviewed, even if the stage sends rejected work elsewhere.
    let is_reviewed = task.integration.is_some()
        && task.integration != earlier.integration
        && before
            .review_before(earlier, &earlier.stage)
            .is_some_and(|review| review.id == task.stage);
    must(is_told || back || is_reviewed || on == Some(&task.stage), || {
        format!(
            "{id} went from {} to {} by no edge: {event:?}",
            earlier.stage, task.stage
        )
    })
}

/// Returns the target of the first edge whose tag the task carries, or that needs no tag.
fn way_on<'a>(stage: &'a Stage, task: &Task) -> Option<&'a StageId> {
    let may = |edge: &&Edge| edge.when.as_ref().is_none_or(|tag| task.tags.contains(tag));
    stage.success.iter().find(may).map(|edge| &edge.to)
}

/// Returns true if the command sends that task to that stage.
fn names(command: &Command, id: &TaskId, (stage, entry): (&StageId, Option<&StageId>)) -> bool {
    match command {
        Command::Update(of, patch) => {
            let by_workflow = patch.workflow.as_ref().and(entry);
            of == id && patch.stage.as_ref().or(by_workflow) == Some(stage)
        }
        Command::Retry { task, stage: to, .. } => task == id && to.as_ref() == Some(stage),
        // Undo returns the task to where it was before a person moved it.
        Command::Undo(ids) => ids.contains(id),
        _ => false,
    }
}

/// Checks tasks that are skipped because of another: only where the workflow says so, only with a broken dependency and its root, and never
/// more than the share of what is left. A task that waits for something broken is skipped, or its run is aborted.
fn skipping(before: &Board, event: &Event, after: &Board) -> Result<(), String> {
    let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
    for task in after.tasks.values() {
        let was = before.tasks.get(&task.id).map(|task| &task.state);
        let skip = after.workflow_of(task).map(|flow| flow.cascade);
        match &task.state {
            TaskState::Skipped(Skip::Dependency(root) | Skip::InBacklog { root })
                if was == Some(&task.state) =>
            {
                let is_broken = task.deps.iter().any(|on| root_of(after, on).is_some());
                must(is_broken, || {
                    format!(
                        "{} is skipped because of {root}, and nothing it waits for is broken",
                        task.id
                    )
                })?;
            }
            TaskState::Skipped(Skip::Dependency(root) | Skip::InBacklog { root }) => {
                let skips = matches!(skip, Some(CascadePolicy::Skip { .. }));
                must(skips, || {
                    format!("{} is skipped where nothing is ever skipped", task.id)
                })?;
                let is_broken = task
                    .deps
                    .iter()
                    .any(|on| root_of(after, on).as_ref() == Some(root));
                must(is_broken, || {
                    format!("{} is skipped because of {root}, which is not broken", task.id)
                })?;
                if !is_left_out(after, root) {
                    *lost.entry(task.batch.as_str()).or_insert(0) += 1;
                }
            }
            TaskState::Backlog | TaskState::Released if matches!(skip, Some(CascadePolicy::Skip { .. })) => {
                let mut broken = task.deps.iter();
                let broken = broken.find(|on| root_of(after, on).is_some() && !passes_over(task));
                let root = broken.and_then(|on| root_of(after, on));
                let is_left_out = root.is_some_and(|root| is_left_out(after, &root));
                let batch = after.batches.get(&task.batch);
                let is_aborted = batch.is_some_and(|batch| matches!(batch.run, RunState::Aborted(_)));
                must(
                    broken.is_none() || is_aborted && !is_left_out || task.open_attempt.is_some(),
                    || {
                        format!(
                            "{} waits for {broken:?}, which is broken, after {event:?}",
                            task.id
                        )
                    },
                )?;
            }
            _ => {}
        }
    }
    within_share(after, &lost)
}

/// Checks that no more than half of what is left of a batch is skipped at once.
fn within_share(after: &Board, lost: &BTreeMap<&str, usize>) -> Result<(), String> {
    for (batch, lost) in lost {
        let all = || after.tasks.values().filter(|task| task.batch.as_str() == *batch);
        let is_left = |task: &Task| {
            use TaskState::{Active, Backlog, Released, Verifying};
            matches!(task.state, Backlog | Released | Active | Verifying)
        };
        let left = lost + all().filter(|task| is_left(task)).count();
        must(all().count() <= 3 || lost * 100 <= 50 * left, || {
            format!("{lost} of {left} tasks of {batch} were skipped at once")
        })?;
    }
    Ok(())
}

/// Returns true if a person left the task out: tasks that wait for it are then skipped with it, without a limit on their share.
fn is_left_out(board: &Board, id: &TaskId) -> bool {
    let task = board.tasks.get(id);
    task.is_some_and(|task| matches!(task.state, TaskState::Skipped(Skip::Person { .. })))
}

/// Returns the root of what is permanently wrong with a task, if anything is; waiting for an approval, or for something outside, is not.
fn root_of(board: &Board, id: &TaskId) -> Option<TaskId> {
    match &board.tasks.get(id)?.state {
        TaskState::Skipped(skip) => Some(skip.root().unwrap_or(id).clone()),
        TaskState::Held(
            HoldReason::Approval
            | HoldReason::Findings(_)
            | HoldReason::Unreviewed(_)
            | HoldReason::Unverified(_)
            | HoldReason::Trouble { .. }
            | HoldReason::Interrupted(_)
            | HoldReason::Left
            | HoldReason::BaseClosed(_)
            | HoldReason::Refused(_),
        ) => None,
        TaskState::Failed(_) | TaskState::Cancelled | TaskState::Parked(_) | TaskState::Held(_) => {
            Some(id.clone())
        }
        _ => None,
    }
}

fn must(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}
