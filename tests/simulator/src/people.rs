//! People driven by dice: what they plan, how they meddle, and how they clear up at the end so that everything can be done.

use std::sync::Arc;

use dbs_domain::task::{GateCommand, HoldReason, Task, TaskKind};
use dbs_domain::{
    AskKind, AskReply, BatchId, BatchPatch, Board, Command, PathRules, PlanEntry, RunOptions, Span, StageId,
    StoryTests, TaskDraft, TaskId, TaskPatch, TaskState, Timestamp, WaitReason, Workflow,
};

use super::dice::Dice;

/// Returns a plan of a few tasks in one or two batches, some of which wait for others.
pub(super) fn plan(board: &Board, dice: &mut Dice) -> Vec<Command> {
    let flows: Vec<_> = board.workflows.values().collect();
    let mut commands = Vec::new();
    let mut ids: Vec<TaskId> = Vec::new();
    let own = dice.percent(50).then(|| dice.pick(&flows).copied()).flatten();
    for n in 0..dice.between(1, 7) {
        let Some(flow) = own.or_else(|| dice.pick(&flows).copied()) else {
            continue;
        };
        let id = TaskId::new(format!("t{n}"));
        let mut deps = std::collections::BTreeSet::new();
        for other in &ids {
            if dice.percent(30) {
                deps.insert(other.clone());
            }
        }
        let mut tags = std::collections::BTreeSet::new();
        for tag in ["security", "risky", "priority"] {
            if dice.percent(25) {
                tags.insert(tag.to_owned());
            }
        }
        let last = flow.id.as_str() == "kanban" && !deps.is_empty() && dice.percent(30);
        let kinds = [TaskKind::Bug, TaskKind::Task, TaskKind::Feature];
        commands.push(Command::Create(TaskDraft {
            id: id.clone(),
            batch: if dice.percent(80) {
                "one".into()
            } else {
                "two".into()
            },
            workflow: flow.id.clone(),
            stage: last.then(|| StageId::from("acceptance")),
            title: format!("Task {n}"),
            body: String::new(),
            kind: dice.pick(&kinds).copied().unwrap_or_default(),
            tags,
            priority: u8::try_from(dice.between(0, 4)).unwrap_or(2),
            deps,
            gates: own_gates(flow),
            timeout: dice.percent(20).then(|| Span::minutes(dice.between(0, 30))),
            agent: Box::default(),
            plan: planned(dice),
            needs_approval: dice.percent(10),
        }));
        ids.push(id);
    }
    commands.push(Command::Release(ids));
    commands
}

/// Returns a plan entry that asks for notes, steps and files, for some tasks; the few files make tasks collide.
fn planned(dice: &mut Dice) -> Option<Arc<PlanEntry>> {
    if !dice.percent(50) {
        return None;
    }
    let file = |dice: &mut Dice| format!("src/{}.rs", dice.between(0, 3));
    Some(Arc::new(PlanEntry {
        notes: dice.percent(50).then(|| "notes/n.md".to_owned()),
        steps: if dice.percent(30) {
            vec!["write_notes".to_owned()]
        } else {
            Vec::new()
        },
        agents: if dice.percent(20) {
            vec!["validator".to_owned()]
        } else {
            Vec::new()
        },
        paths: PathRules {
            create: if dice.percent(50) {
                vec![file(dice)]
            } else {
                Vec::new()
            },
            modify: if dice.percent(50) {
                vec![file(dice)]
            } else {
                Vec::new()
            },
            protected: if dice.percent(30) {
                vec!["tests/".to_owned()]
            } else {
                Vec::new()
            },
        },
        tests: dice.percent(20).then(StoryTests::default),
        passes_over: dice.percent(20),
        ..PlanEntry::default()
    }))
}

/// Returns any command that a person may give, sensible or not.
pub(super) fn meddle(board: &Board, dice: &mut Dice) -> Command {
    let ids: Vec<TaskId> = board.tasks.keys().cloned().collect();
    let one = |dice: &mut Dice| dice.pick(&ids).cloned().unwrap_or_else(|| "ghost".into());
    let id = one(dice);
    let why = "because".to_owned();
    match dice.between(0, 17) {
        0 => Command::Pause,
        1 | 2 => Command::Resume,
        3 => Command::Park(id, why),
        4 if dice.percent(30) => Command::Close(id, why),
        5 if dice.percent(40) => Command::Skip(id),
        6 => Command::Reject(id, why),
        7 | 8 => Command::Approve(id),
        9 => retry(id),
        10 if dice.percent(40) => Command::Update(id, changed(board, dice)),
        10 => Command::Update(id.clone(), moved(board, &id, dice)),
        11 => Command::AddDependency(id, one(dice)),
        12 => Command::RemoveDependency(id, one(dice)),
        13 => Command::Answer(id, "yes".to_owned()),
        14 => {
            let open: Vec<_> = board.attempts.keys().copied().collect();
            dice.pick(&open)
                .map_or(Command::Pause, |attempt| Command::Kill(*attempt))
        }
        15 => Command::Release(vec![id]),
        16 => order(dice),
        _ => Command::Comment(id, "hm".to_owned()),
    }
}

/// Makes one batch wait for the other, or for none, or limits its agents at work.
fn order(dice: &mut Dice) -> Command {
    let (id, on) = if dice.percent(50) {
        ("one", "two")
    } else {
        ("two", "one")
    };
    let at_once = dice.percent(30).then(|| dice.between(1, 3));
    let needs = dice.percent(60).then(|| BatchId::from(on));
    Command::ChangeBatch {
        id: id.into(),
        is_new: false,
        change: BatchPatch {
            needs: at_once.is_none().then(|| needs.into_iter().collect()),
            options: RunOptions {
                at_once: at_once.and_then(|most| u32::try_from(most).ok()),
                ..RunOptions::default()
            },
            ..BatchPatch::default()
        },
    }
}

/// Returns an answer to an ask: usually a fitting one to an ask that waits, sometimes any answer to any ask.
pub(super) fn answer(board: &Board, now: Timestamp, dice: &mut Dice) -> Option<Command> {
    let is_careful = dice.percent(80);
    let all = board.attempts.values();
    let known = all.flat_map(|attempt| attempt.asks.iter().map(|known| (attempt.id, known)));
    let asks: Vec<_> = known
        .filter(|(_, known)| !is_careful || known.waits(now))
        .collect();
    let (attempt, known) = *dice.pick(&asks)?;
    let any = [
        AskReply::Deny("not now".to_owned()),
        AskReply::Choose(usize::try_from(dice.between(0, 2)).unwrap_or_default()),
        AskReply::Text("go on".to_owned()),
        AskReply::AllowAlways,
        AskReply::Allow,
    ];
    let fitting = match known.ask.kind {
        AskKind::Question if known.ask.options.is_empty() => AskReply::Text("yes".to_owned()),
        AskKind::Question => AskReply::Choose(0),
        AskKind::Permission | AskKind::Plan | AskKind::Dialog => AskReply::Allow,
    };
    let reply = dice.pick(&any).filter(|_| !is_careful).cloned();
    Some(Command::AnswerAsk {
        attempt,
        ask: known.ask.id.clone(),
        reply: reply.unwrap_or(fitting),
    })
}

fn moved(board: &Board, id: &TaskId, dice: &mut Dice) -> TaskPatch {
    let flow = board.tasks.get(id).and_then(|task| board.workflow_of(task));
    let stages: Vec<StageId> = flow.map(|flow| flow.scan.clone()).unwrap_or_default();
    TaskPatch {
        stage: dice.pick(&stages).cloned(),
        ..TaskPatch::default()
    }
}

/// Returns a change of a task's rules: its workflow, its gates, its limit, or whether a person approves it.
fn changed(board: &Board, dice: &mut Dice) -> TaskPatch {
    let flows: Vec<_> = board.workflows.keys().cloned().collect();
    let gate = GateCommand {
        name: "test".to_owned(),
        command: "make test".to_owned(),
    };
    match dice.between(0, 3) {
        0 => TaskPatch {
            workflow: dice.pick(&flows).cloned(),
            ..TaskPatch::default()
        },
        1 => TaskPatch {
            gates: Some(if dice.percent(50) { vec![gate] } else { Vec::new() }),
            ..TaskPatch::default()
        },
        2 => TaskPatch {
            timeout: Some(Span::minutes(dice.between(0, 30))),
            ..TaskPatch::default()
        },
        _ => TaskPatch {
            needs_approval: Some(dice.percent(50)),
            ..TaskPatch::default()
        },
    }
}

fn retry(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
}

/// Returns what a patient person does next so that everything ends; None if everything goes on by itself.
pub(super) fn help(board: &Board) -> Option<Command> {
    if board.pause.is_some() || !board.limits.is_empty() {
        return Some(Command::Resume);
    }
    let left = board
        .attempts
        .values()
        .find(|attempt| attempt.unremovable().is_some());
    if let Some(left) = left {
        return Some(retry(left.task.clone()));
    }
    let (mut aborted, mut released) = (None, None);
    for task in board.tasks.values() {
        // The work of a closed task never comes, so nothing may depend on it.
        let lost = |id: &&TaskId| {
            board
                .tasks
                .get(*id)
                .is_none_or(|on| on.state == TaskState::Cancelled)
        };
        if let Some(dead) = task.deps.iter().find(lost)
            && !task.state.is_terminal_for_good()
        {
            return Some(Command::RemoveDependency(task.id.clone(), dead.clone()));
        }
    }
    for task in board.tasks.values() {
        match &task.state {
            TaskState::Held(HoldReason::Approval) => return Some(Command::Approve(task.id.clone())),
            TaskState::Held(HoldReason::Findings(_) | HoldReason::Unreviewed(_)) if task.spawns % 2 == 1 => {
                return Some(Command::Approve(task.id.clone()));
            }
            TaskState::Held(_) | TaskState::Failed(_) | TaskState::Parked(_) => {
                return Some(retry(task.id.clone()));
            }
            TaskState::Skipped(_) if may_be_retried(board, task) => return Some(retry(task.id.clone())),
            TaskState::Backlog => return Some(Command::Release(vec![task.id.clone()])),
            TaskState::Released => match &task.why_not {
                // The task's workflow has no merge, or a person moved it past the merge.
                Some(WaitReason::DependencyNotMerged(on)) => {
                    let on = on.first().cloned()?;
                    return Some(Command::RemoveDependency(task.id.clone(), on));
                }
                Some(WaitReason::NoGate) => {
                    let gates = Some(own_gates(board.workflow_of(task)?));
                    let patch = TaskPatch {
                        gates,
                        ..TaskPatch::default()
                    };
                    return Some(Command::Update(task.id.clone(), patch));
                }
                // The batch was given up; tasks that wait for it may belong to another batch.
                Some(WaitReason::Aborted) => aborted = Some(task.id.clone()),
                _ => released = Some(task.id.clone()),
            },
            TaskState::Active
            | TaskState::Verifying
            | TaskState::Done
            | TaskState::Skipped(_)
            | TaskState::Cancelled => {}
        }
    }
    aborted.or(released).map(|id| Command::Release(vec![id]))
}

/// Returns gates of the task's own, for workflows whose stages run only gates of certain names.
fn own_gates(flow: &Workflow) -> Vec<GateCommand> {
    let names = flow.stages.iter().flat_map(|stage| &stage.gate_names);
    let names: std::collections::BTreeSet<&String> = names.collect();
    let gate = |name: &String| GateCommand {
        name: name.clone(),
        command: "true".to_owned(),
    };
    names.into_iter().map(gate).collect()
}

fn may_be_retried(board: &Board, task: &Task) -> bool {
    let broken = |id: &TaskId| {
        board.tasks.get(id).is_some_and(|on| match on.state {
            TaskState::Failed(_) | TaskState::Skipped(_) | TaskState::Parked(_) | TaskState::Cancelled => {
                true
            }
            TaskState::Held(ref hold) => !matches!(
                hold,
                HoldReason::Approval
                    | HoldReason::Findings(_)
                    | HoldReason::Unreviewed(_)
                    | HoldReason::Unverified(_)
                    | HoldReason::Trouble { .. }
                    | HoldReason::Interrupted(_)
                    | HoldReason::Left
                    | HoldReason::BaseClosed(_)
                    | HoldReason::Refused(_)
            ),
            _ => false,
        })
    };
    !task.deps.iter().any(broken)
}

/// Test for states that never need anything again: done and cancelled.
trait Final {
    fn is_terminal_for_good(&self) -> bool;
}

impl Final for TaskState {
    fn is_terminal_for_good(&self) -> bool {
        matches!(self, TaskState::Done | TaskState::Cancelled)
    }
}
