//! Properties over random events: sensible, stale, contradictory and absurd ones, in any order, about any attempt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dbs::domain::attempt::{AttemptState, WorkspaceState};
use dbs::domain::batch::PauseReason;
use dbs::domain::board::check_invariants;
use dbs::domain::event::EndCause;
use dbs::domain::evidence::{ComplianceIssue, Severity};
use dbs::domain::{
    ActionOutcome, ActivityKind, Attempt, AttemptId, BatchId, BatchPatch, Board, BoardSettings, Command,
    Effect, Event, Evidence, EvidenceKind, Inventory, MergeCheck, ProcessExit, RequestId, ResumeRoles,
    RunOptions, RunState, SignalKind, Span, StageId, Task, TaskId, TaskPatch, TaskState, Timestamp, Tri,
    WaitReason, Worker, Workflow, Workplace,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::fixture::{draft, settings, workflows};
use dbs_simulator::laws;

const FLOWS: [&str; 6] = ["kanban", "investigation", "phased", "staged", "graph", "stories"];
const STAGES: [&str; 9] = [
    "development",
    "reviewing",
    "merging",
    "acceptance",
    "work",
    "verify",
    "merge",
    "tests",
    "nowhere",
];

/// Number of tasks at the beginning, two of each workflow except the last.
const TASKS: usize = 8;

/// Batch of tasks of the workflow that skips dependents, each with the tasks it waits for. The circuit breaker opens if the first task
/// fails, because nearly nothing is left then, but not if another one fails.
const PLAN: [(&str, &[&str]); 7] = [
    ("p0", &[]),
    ("p1", &["p0"]),
    ("p2", &["p0"]),
    ("p3", &["p1"]),
    ("p4", &["p2", "p1"]),
    ("p5", &["p0"]),
    ("p6", &[]),
];

fn task() -> impl Strategy<Value = TaskId> {
    prop_oneof![
        9 => (0..TASKS).prop_map(|n| TaskId::new(format!("t{n}"))),
        1 => Just(TaskId::from("t9")),
        3 => (0..PLAN.len()).prop_map(|n| TaskId::from(PLAN[n].0)),
    ]
}

fn attempt() -> impl Strategy<Value = AttemptId> {
    (0..24_u64).prop_map(AttemptId)
}

fn stage() -> impl Strategy<Value = StageId> {
    (0..STAGES.len()).prop_map(|n| StageId::from(STAGES[n]))
}

fn tri() -> impl Strategy<Value = Tri> {
    prop_oneof![
        12 => Just(Tri::Yes),
        1 => Just(Tri::No("no".to_owned())),
        1 => Just(Tri::Unknown("who knows".into())),
    ]
}

fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    let kinds = [
        EvidenceKind::CommitsAhead,
        EvidenceKind::Pushed,
        EvidenceKind::Committed,
        EvidenceKind::Merged,
        EvidenceKind::WorkspaceUnchanged,
        EvidenceKind::Commented,
        EvidenceKind::Gates,
        EvidenceKind::Report(".debussy/investigations/{task}.md".to_owned()),
    ];
    vec(tri(), kinds.len()).prop_map(move |outcomes| {
        let pairs = kinds.iter().cloned().zip(outcomes);
        pairs
            .map(|(kind, outcome)| Evidence {
                kind,
                outcome,
                issues: Vec::new(),
                tests: None,
            })
            .collect()
    })
}

fn signal() -> impl Strategy<Value = SignalKind> {
    prop_oneof![
        6 => Just(SignalKind::Done),
        2 => Just(SignalKind::Reject),
        1 => Just(SignalKind::Block),
        1 => Just(SignalKind::Fail),
        1 => Just(SignalKind::Claim),
        1 => Just(SignalKind::Progress),
        1 => Just(SignalKind::Question),
    ]
}

fn exit() -> impl Strategy<Value = ProcessExit> {
    prop_oneof![
        Just(ProcessExit::Code(0)),
        Just(ProcessExit::Code(1)),
        Just(ProcessExit::Signal(9)),
        Just(ProcessExit::Vanished),
        Just(ProcessExit::MachineStopped),
        Just(ProcessExit::SessionStopped),
    ]
}

fn cause() -> impl Strategy<Value = Option<EndCause>> {
    prop_oneof![
        8 => Just(None),
        1 => Just(Some(EndCause::Infra("login".into()))),
        1 => Just(Some(EndCause::Quota { until: None, why: "limit".to_owned() })),
    ]
}

fn outcome() -> impl Strategy<Value = ActionOutcome> {
    let issue = prop_oneof![
        Just(Severity::Low),
        Just(Severity::High),
        Just(Severity::Critical)
    ]
    .prop_map(|severity| ComplianceIssue {
        severity,
        text: "x".to_owned(),
    });
    prop_oneof![
        5 => evidence().prop_map(|evidence| ActionOutcome::Done { commit: Some("m".to_owned()), evidence, check: MergeCheck::Checked }),
        1 => Just(ActionOutcome::Failed("conflict".to_owned())),
        1 => Just(ActionOutcome::Unreviewed(Box::new(crate::golden::integration()))),
        2 => vec(issue, 0..3).prop_map(ActionOutcome::Issues),
        1 => Just(ActionOutcome::Unknown("net".into())),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    let patch = proptest::option::of(stage()).prop_map(|stage| TaskPatch {
        stage,
        ..TaskPatch::default()
    });
    let create = (task(), 0..FLOWS.len(), task(), any::<bool>()).prop_map(|(id, flow, on, asks)| {
        let mut draft = draft(id.as_str(), FLOWS[flow]);
        if on < id {
            draft.deps.insert(on);
        }
        draft.needs_approval = asks;
        Command::Create(draft)
    });
    let batches = || proptest::sample::select(vec![BatchId::from("shop"), BatchId::from("plan")]);
    let at_once = proptest::option::weighted(0.5, 1..3_u32);
    let order =
        (batches(), vec(batches(), 0..2), at_once).prop_map(|(id, needs, at_once)| Command::ChangeBatch {
            id,
            is_new: false,
            change: BatchPatch {
                needs: Some(needs.into_iter().collect()),
                options: RunOptions {
                    at_once,
                    ..RunOptions::default()
                },
                ..BatchPatch::default()
            },
        });
    prop_oneof![
        2 => order,
        1 => batches().prop_map(Command::ReleaseBatch),
        4 => create,
        6 => task().prop_map(|id| Command::Release(vec![id])),
        1 => (task(), patch).prop_map(|(id, patch)| Command::Update(id, patch)),
        1 => (task(), task()).prop_map(|(id, on)| Command::AddDependency(id, on)),
        1 => (task(), task()).prop_map(|(id, on)| Command::RemoveDependency(id, on)),
        1 => task().prop_map(|id| Command::Park(id, "x".to_owned())),
        1 => task().prop_map(|id| Command::Close(id, "x".to_owned())),
        2 => (task(), proptest::option::of(stage())).prop_map(|(task, stage)| Command::Retry { task, stage, note: None }),
        2 => task().prop_map(Command::Approve),
        1 => task().prop_map(|id| Command::Reject(id, "x".to_owned())),
        1 => task().prop_map(Command::Skip),
        1 => task().prop_map(Command::Withdraw),
        1 => task().prop_map(|id| Command::Answer(id, "x".to_owned())),
        1 => attempt().prop_map(Command::Kill),
        1 => Just(Command::Pause),
        2 => Just(Command::Resume),
    ]
}

fn inventory() -> impl Strategy<Value = Inventory> {
    (
        vec(attempt(), 0..6),
        vec((attempt(), exit()), 0..4),
        vec(attempt(), 0..3),
    )
        .prop_map(|(running, ended, unknown)| Inventory {
            running: running.into_iter().collect(),
            ended: ended
                .into_iter()
                .map(|(id, exit)| (id, (exit, String::new())))
                .collect(),
            unknown: unknown.into_iter().collect(),
            causes: BTreeMap::new(),
            server_was_lost: false,
        })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => command().prop_map(|command| Event::Asked { request: RequestId(1), by: "ada".to_owned(), command }),
        3 => attempt().prop_map(|attempt| Event::WorkplaceMade {
            attempt,
            workplace: Workplace { path: "t".to_owned(), branch: None, start: None, start_tree: None, git_overrides: None },
            kept: Vec::new(),
            gates_before: Vec::new(),
        }),
        6 => attempt().prop_map(|attempt| Event::AttemptStarted {
            attempt,
            workplace: Workplace { path: "t".to_owned(), branch: None, start: None, start_tree: None, git_overrides: None },
        }),
        1 => attempt().prop_map(|attempt| Event::AttemptNotStarted { attempt, why: "x".into() }),
        1 => attempt().prop_map(|attempt| Event::SessionLost { attempt, why: "x".to_owned() }),
        1 => attempt().prop_map(|attempt| Event::AttemptUnknown { attempt, why: "x".into() }),
        8 => (attempt(), signal(), 0..40_u8).prop_map(|(attempt, kind, key)| Event::Signalled {
            attempt,
            kind,
            text: "x".to_owned(),
            report: None,
            key: key.to_string(), claims: dbs::domain::Claims::default(), by_file: false, }),
        1 => attempt().prop_map(|attempt| Event::Observed { attempt, doing: ActivityKind::Idle, source: "hook".to_owned() }),
        8 => (attempt(), exit(), cause()).prop_map(|(attempt, exit, cause)| Event::AttemptEnded {
            attempt,
            exit,
            tail: String::new(),
            cause,
        }),
        6 => (attempt(), outcome()).prop_map(|(attempt, outcome)| Event::ActionEnded { attempt, outcome }),
        8 => (attempt(), evidence()).prop_map(|(attempt, evidence)| Event::Verified {
            attempt,
            evidence,
            head: Some("c".to_owned()),
            integration: None,
        }),
        3 => (attempt(), any::<bool>()).prop_map(|(attempt, well)| Event::WorkspaceSettled {
            attempt,
            problem: (!well).then(|| "busy".to_owned()),
            kept: well.then(|| "refs/dbs/attic/t/1".to_owned()),
            files: Vec::new(),
        }),
        1 => inventory().prop_map(Event::Woke),
        1 => (0..2 * FLOWS.len()).prop_map(|lost| Event::WorkflowsLoaded(all_but(lost))),
        4 => Just(Event::Ticked),
    ]
}

/// Returns all workflows, or all but one.
fn all_but(lost: usize) -> Vec<Workflow> {
    let lost = FLOWS.get(lost);
    let stay = |flow: &Workflow| lost.is_none_or(|lost| flow.id.as_str() != *lost);
    workflows().into_iter().filter(stay).collect()
}

/// Next step of a story.
#[derive(Debug, Clone)]
pub(crate) enum Next {
    /// Any event, however little sense it makes.
    Anything(Box<Event>),
    /// Report of the open attempt at that position in their list; without such reports no story would get far.
    Report(usize, Vec<Evidence>),
    /// Failure of the open attempt at that position in their list, so that budgets are used up.
    Fail(usize),
    /// Decision of a person to give up or take up a task of the plan: its dependents are skipped, or the run is aborted.
    Decide(usize, Decision),
}

/// Decision of a person about a task of the plan.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision {
    Park,
    Close,
    Skip,
    Retry,
}

impl Decision {
    fn about(self, id: &str) -> Command {
        let id = TaskId::from(id);
        match self {
            Decision::Park => Command::Park(id, "x".to_owned()),
            Decision::Close => Command::Close(id, "x".to_owned()),
            Decision::Skip => Command::Skip(id),
            Decision::Retry => Command::Retry {
                task: id,
                stage: None,
                note: None,
            },
        }
    }
}

impl Next {
    pub(crate) fn event(&self, board: &Board) -> Event {
        match self {
            Next::Anything(event) => (**event).clone(),
            Next::Report(n, evidence) => {
                open(board, *n).map_or(Event::Ticked, |attempt| report(attempt, evidence))
            }
            Next::Fail(n) => open(board, *n).map_or(Event::Ticked, failure),
            Next::Decide(n, decision) => asked(decision.about(PLAN[*n].0)),
        }
    }
}

/// Returns the open attempt at that position in their list.
fn open(board: &Board, n: usize) -> Option<&Attempt> {
    let all = board.attempts.values().map(AsRef::as_ref);
    let open: Vec<&Attempt> = all.filter(|attempt| attempt.state.is_open()).collect();
    open.get(n % open.len().max(1)).copied()
}

fn failure(of: &Attempt) -> Event {
    match &of.worker {
        Worker::Engine(_) => Event::ActionEnded {
            attempt: of.id,
            outcome: ActionOutcome::Failed("conflict".to_owned()),
        },
        Worker::Agent { .. } => Event::AttemptEnded {
            attempt: of.id,
            exit: ProcessExit::Code(1),
            tail: String::new(),
            cause: None,
        },
    }
}

fn report(of: &Attempt, evidence: &[Evidence]) -> Event {
    let attempt = of.id;
    let workplace = Workplace {
        path: "t".to_owned(),
        branch: None,
        start: None,
        start_tree: None,
        git_overrides: None,
    };
    let ended = Event::AttemptEnded {
        attempt,
        exit: ProcessExit::Code(0),
        tail: String::new(),
        cause: None,
    };
    match (&of.worker, &of.state) {
        (Worker::Engine(_), _) => Event::ActionEnded {
            attempt,
            outcome: ActionOutcome::Done {
                commit: Some("m".to_owned()),
                evidence: evidence.to_vec(),
                check: MergeCheck::Checked,
            },
        },
        (_, AttemptState::Starting) => Event::AttemptStarted { attempt, workplace },
        (_, AttemptState::Running) if of.signals.is_empty() => Event::Signalled {
            attempt,
            kind: SignalKind::Done,
            text: "x".to_owned(),
            report: None,
            key: "its own".to_owned(),
            claims: dbs::domain::Claims::default(),
            by_file: false,
        },
        (_, AttemptState::Verifying) => Event::Verified {
            attempt,
            evidence: evidence.to_vec(),
            head: Some("c".to_owned()),
            integration: None,
        },
        _ => ended,
    }
}

fn next() -> impl Strategy<Value = Next> {
    let decision = prop_oneof![
        1 => Just(Decision::Park),
        1 => Just(Decision::Close),
        1 => Just(Decision::Skip),
        2 => Just(Decision::Retry),
    ];
    prop_oneof![
        10 => event().prop_map(|event| Next::Anything(Box::new(event))),
        10 => (0..TASKS, evidence()).prop_map(|(n, evidence)| Next::Report(n, evidence)),
        3 => (0..TASKS).prop_map(Next::Fail),
        1 => (0..PLAN.len(), decision).prop_map(|(n, decision)| Next::Decide(n, decision)),
    ]
}

pub(crate) fn story() -> impl Strategy<Value = Vec<(u64, Next)>> {
    vec(
        (prop_oneof![3 => 0..2_000_u64, 1 => 0..400_000_u64], next()),
        1..160,
    )
}

pub(crate) fn begin() -> Board {
    let mut board = Board::default();
    let settings = BoardSettings {
        max_agents: 3,
        max_by_role: [("worker".into(), 2)].into(),
        resume: ResumeRoles {
            by_role: [("reviewer".into(), false)].into(),
            others: true,
        },
        ..settings()
    };
    board.apply(Timestamp(0), &Event::configured(settings));
    board.apply(Timestamp(0), &Event::WorkflowsLoaded(workflows()));
    for (n, flow) in FLOWS
        .iter()
        .take(TASKS / 2)
        .flat_map(|flow| [flow, flow])
        .enumerate()
    {
        let id = format!("t{n}");
        board.apply(Timestamp(0), &asked(Command::Create(draft(&id, flow))));
        board.apply(Timestamp(0), &asked(Command::Release(vec![TaskId::new(id)])));
    }
    for (id, deps) in PLAN {
        let mut draft = draft(id, "graph");
        draft.batch = BatchId::from("plan");
        draft.deps = deps.iter().map(|id| TaskId::from(*id)).collect();
        board.apply(Timestamp(0), &asked(Command::Create(draft)));
        board.apply(Timestamp(0), &asked(Command::Release(vec![TaskId::from(id)])));
    }
    board.take_changed_rows();
    board
}

/// Returns the next deadline, found by looking at every row.
fn due_of_all_rows(board: &Board) -> Option<Timestamp> {
    let times = |attempt: &Arc<Attempt>| [attempt.deadline, attempt.still_until()];
    let of_attempts = board.attempts.values().flat_map(times).flatten();
    let released = board
        .tasks
        .values()
        .filter(|task| task.state == TaskState::Released);
    let of_waiting = released.filter_map(|task| match task.why_not {
        Some(WaitReason::Until(until)) => Some(until),
        Some(WaitReason::TurnLimit) => Some(Timestamp::default()),
        _ => None,
    });
    let of_branches = board
        .tasks
        .values()
        .filter_map(|task| Some(task.letting_go.as_ref()?.at));
    let of_pause = match &board.pause {
        Some(PauseReason::Quota { until, .. }) => Some(*until),
        Some(PauseReason::Operator { .. }) | None => None,
    };
    of_attempts
        .chain(of_waiting)
        .chain(of_branches)
        .chain(of_pause)
        .chain(board.limits.values().map(|limit| limit.until))
        .min()
}

pub(crate) fn asked(command: Command) -> Event {
    Event::Asked {
        request: RequestId(0),
        by: "ada".to_owned(),
        command,
    }
}

/// Returns the attempt that an event reports on.
fn reports_on(event: &Event) -> Option<AttemptId> {
    match event {
        Event::WorkplaceMade { attempt, .. }
        | Event::AttemptStarted { attempt, .. }
        | Event::AttemptNotStarted { attempt, .. }
        | Event::SessionLost { attempt, .. }
        | Event::AttemptUnknown { attempt, .. }
        | Event::Signalled { attempt, .. }
        | Event::Observed { attempt, .. }
        | Event::AttemptEnded { attempt, .. }
        | Event::ActionEnded { attempt, .. }
        | Event::Verified { attempt, .. } => Some(*attempt),
        _ => None,
    }
}

/// Asserts that the situations which the properties are about come up in their stories; otherwise the properties would prove nothing.
#[test]
fn the_stories_see_the_circuit_breaker_skips_and_what_is_held_and_done() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..64 {
        let mut board = begin();
        let mut now = Timestamp(0);
        let mut in_story = BTreeSet::new();
        for (wait, next) in story().new_tree(&mut runner).unwrap().current() {
            now = now + Span(wait);
            let event = next.event(&board);
            let aborted = |board: &Board| {
                let runs = board.batches.values().map(|batch| &batch.run);
                runs.filter(|run| matches!(run, RunState::Aborted(_))).count()
            };
            let before = aborted(&board);
            board.apply(now, &event);
            board.take_changed_rows();
            if aborted(&board) > before {
                in_story.insert("aborted");
            }
            if aborted(&board) < before {
                in_story.insert("taken up again");
            }
            let on = |task: &Arc<Task>| match &task.state {
                TaskState::Skipped(skip) if skip.root().is_some() => Some("skipped with another"),
                TaskState::Failed(_) => Some("failed"),
                TaskState::Held(_) => Some("held"),
                TaskState::Done => Some("done"),
                TaskState::Released if matches!(task.why_not, Some(WaitReason::Batches(_))) => {
                    Some("waits for a batch")
                }
                _ => None,
            };
            in_story.extend(board.tasks.values().filter_map(on));
        }
        for what in in_story {
            *seen.entry(what).or_default() += 1;
        }
    }
    for (what, least) in [
        ("aborted", 6),
        ("taken up again", 1),
        ("skipped with another", 6),
        ("failed", 6),
        ("held", 6),
        ("done", 6),
        ("waits for a batch", 6),
    ] {
        assert!(
            seen.get(what).is_some_and(|times| *times >= least),
            "{what}: {seen:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 224, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_events_in_any_order_keep_the_board_sound(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&board);
            let before = board.clone();
            let effects = board.apply(now, &event);
            board.take_changed_rows();
            if let Err(rule) = check_invariants(&board) {
                prop_assert!(false, "{rule}");
            }
            if let Err(rule) = laws::check(&before, &event, &board) {
                prop_assert!(false, "{rule}");
            }
            let replies = effects.iter().filter(|effect| matches!(effect, Effect::Reply(..))).count();
            prop_assert_eq!(replies, usize::from(matches!(event, Event::Asked { .. })));
        }
    }

    #[test]
    fn the_same_story_gives_the_same_board_and_the_same_wishes(story in story()) {
        let (mut one, mut other) = (begin(), begin());
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&one);
            prop_assert_eq!(one.apply(now, &event), other.apply(now, &event));
            one.take_changed_rows();
            other.take_changed_rows();
        }
        prop_assert_eq!(one, other);
    }

    #[test]
    fn reports_of_attempts_that_are_not_open_change_nothing(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            // Time alone may start something, so bring the board up to now first.
            let current = Event::configured((*board.settings).clone());
            while !board.apply(now, &current).is_empty() {
                board.take_changed_rows();
            }
            board.take_changed_rows();
            let event = next.event(&board);
            let before = board.clone();
            board.apply(now, &event);
            board.take_changed_rows();
            let open = |id: AttemptId| before.attempts.get(&id).is_some_and(|attempt| attempt.state.is_open());
            if reports_on(&event).is_some_and(|id| !open(id)) {
                prop_assert_eq!(&board, &before);
            }
        }
    }

    #[test]
    fn after_a_tick_at_the_deadline_the_next_one_is_later_or_something_follows(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&board);
            board.apply(now, &event);
            board.take_changed_rows();
            let mut ticks = 0;
            while let Some(due) = board.next_deadline().filter(|due| *due <= now) {
                board.apply(now, &Event::Ticked);
                board.take_changed_rows();
                ticks += 1;
                prop_assert!(ticks < 50, "the deadline {due:?} does not pass");
            }
        }
    }

    /// Answers the deletion of a branch now and then, so that some deletions are over and some are to be tried again.
    #[test]
    fn what_is_due_next_is_what_a_look_at_all_rows_finds(
        story in story(),
        answers in vec((task(), any::<bool>()), 1..20),
    ) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for ((wait, next), (task, is_done)) in story.into_iter().zip(answers.into_iter().cycle()) {
            now = now + Span(wait);
            let performed = Event::Performed {
                key: format!("retire/{task}"),
                problem: (!is_done).then(|| "in use".to_owned()),
            };
            for event in [next.event(&board), performed, Event::Ticked] {
                board.apply(now, &event);
                board.take_changed_rows();
                prop_assert_eq!(board.next_deadline(), due_of_all_rows(&board), "after {:?}", event);
                prop_assert_eq!(board.clone().next_deadline(), due_of_all_rows(&board));
            }
        }
    }

    #[test]
    fn waking_up_with_everything_still_running_counts_nothing(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&board);
            board.apply(now, &event);
            board.take_changed_rows();
        }
        while board.next_deadline().is_some_and(|due| due <= now) {
            board.apply(now, &Event::Ticked);
            board.take_changed_rows();
        }
        let all = Inventory {
            running: board.attempts.keys().copied().collect(),
            ..Inventory::default()
        };
        let mut woken = board.clone();
        woken.apply(now, &Event::Woke(all.clone()));
        woken.take_changed_rows();
        for (id, task) in &board.tasks {
            let after = &woken.tasks[id];
            prop_assert_eq!(&task.failures, &after.failures);
            prop_assert_eq!(task.rejections, after.rejections);
            prop_assert!(after.spawns >= task.spawns || task.open_attempt != after.open_attempt);
        }
        for (id, attempt) in &board.attempts {
            if let Worker::Agent { .. } = attempt.worker {
                // An action of the engine that was being stopped is over now, and only the last few ended attempts of a task are kept.
                let Some(after) = woken.attempts.get(id) else {
                    prop_assert!(!attempt.state.is_open(), "open attempt {id} was forgotten");
                    continue;
                };
                prop_assert_eq!(&attempt.state, &after.state);
            }
        }
        let once = woken.clone();
        woken.apply(now, &Event::Woke(all));
        woken.take_changed_rows();
        prop_assert_eq!(woken, once);
    }

    #[test]
    fn only_touched_rows_have_changed(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&board);
            let before = board.clone();
            board.apply(now, &event);
            let touched = board.take_changed_rows();
            for (id, task) in &board.tasks {
                let same = before.tasks.get(id).is_some_and(|old| Arc::ptr_eq(old, task) || old == task);
                prop_assert!(same || touched.tasks.contains(id), "unmarked task {id} changed");
            }
            for (id, attempt) in &board.attempts {
                let same = before.attempts.get(id) == Some(attempt);
                prop_assert!(same || touched.attempts.contains(id), "unmarked attempt {id} changed");
            }
            for id in before.attempts.keys().filter(|id| !board.attempts.contains_key(*id)) {
                prop_assert!(touched.attempts.contains(id), "unmarked attempt {id} was forgotten");
                let gone = &before.attempts[id];
                prop_assert!(!gone.state.is_open());
                prop_assert!(matches!(gone.workspace, WorkspaceState::None | WorkspaceState::Gone));
            }
        }
    }
}

proptest! {
    // Fewer cases, because each event rebuilds the data kept beside the rows.
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compares with a copy of the board, which begins without the data kept beside the rows, as a board read from the store does.
    #[test]
    fn what_is_kept_beside_the_rows_changes_no_answer(story in story()) {
        let mut board = begin();
        let mut now = Timestamp(0);
        for (wait, next) in story {
            now = now + Span(wait);
            let event = next.event(&board);
            let mut fresh = board.clone();
            prop_assert_eq!(fresh.next_deadline(), board.next_deadline());
            prop_assert_eq!(board.apply(now, &event), fresh.apply(now, &event));
            prop_assert_eq!(&board, &fresh);
            prop_assert_eq!(board.next_deadline(), fresh.next_deadline());
            prop_assert_eq!(board.take_changed_rows(), fresh.take_changed_rows());
        }
    }
}
