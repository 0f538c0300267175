//! Stored and sent form of every value, as JSON. These texts are in people's databases: a change here is a migration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dbs::domain::attempt::{Activity, Obstacle, StopCause, Verdict, WorkspaceState};
use dbs::domain::batch::{Batch, PauseReason};
use dbs::domain::event::EndCause;
use dbs::domain::evidence::{ComplianceIssue, Severity};
use dbs::domain::plan_entry::Risk;
use dbs::domain::task::{BranchCleanup, Comment, GateCommand, HoldReason, MergeCheck, Task, TaskKind};
use dbs::domain::{
    Accepted, ActionOutcome, ActivityKind, AgentDisplay, AgentSession, AgentSettings, Ask, AskAnswer,
    AskChannel, AskKind, AskRecord, AskReply, Attempt, AttemptId, AttemptMode, AttemptState, AttemptUsage,
    BaseMove, BoardSettings, Budgets, Checkpoint, Claims, Command, ContextFill, ContextRules, Continuation,
    Cost, Effect, EngineAction, Event, Evidence, EvidenceKind, FailureClass, Integration, Inventory, JobStep,
    MadeForm, MadeHere, Notice, NoticeLevel, PathRules, PlanEntry, PlanJob, PlanRecord, PlanSource,
    ProcessExit, Refusal, RequestId, ResumeRoles, RunState, SavedWork, SessionOrigin, SessionRestart, Signal,
    SignalKind, Skip, Span, Spending, Step, StoryTests, TaskDraft, TaskPatch, TaskState, TestCounts,
    Timestamp, Tokens, Tri, TroubleKind, Usage, WaitReason, Worker, Workplace,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns one line of JSON per value; asserts that each is read back as the same value.
fn lines<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(values: &[T]) -> String {
    let mut lines = String::new();
    for value in values {
        let text = serde_json::to_string(value).unwrap();
        let back: T = serde_json::from_str(&text).unwrap();
        assert_eq!(&back, value);
        lines.push_str(&text);
        lines.push('\n');
    }
    lines
}

fn a() -> AttemptId {
    AttemptId(7)
}

fn usage() -> Usage {
    Usage {
        tokens: Tokens {
            input: 7,
            output: 3,
            ..Tokens::default()
        },
        cost: Some(Cost(410_000)),
    }
}

fn workplace() -> Workplace {
    Workplace {
        path: "trees/developer-ravel-7".to_owned(),
        branch: Some("feature/t".to_owned()),
        start: Some("c0".to_owned()),
        start_tree: Some("t0".to_owned()),
        git_overrides: None,
    }
}

fn evidence() -> Vec<Evidence> {
    let outcomes = [
        (EvidenceKind::CommitsAhead, Tri::Yes),
        (EvidenceKind::Pushed, Tri::No("not there".to_owned())),
        (EvidenceKind::Merged, Tri::Unknown("offline".into())),
        (EvidenceKind::WorkspaceUnchanged, Tri::Yes),
        (EvidenceKind::Commented, Tri::Yes),
        (EvidenceKind::Report("r.md".to_owned()), Tri::Yes),
        (EvidenceKind::Gates, Tri::Yes),
        (EvidenceKind::Approved, Tri::Yes),
        (EvidenceKind::Notes, Tri::No("missing".to_owned())),
        (EvidenceKind::AgentsUsed, Tri::Yes),
        (EvidenceKind::StepsDone, Tri::Yes),
        (EvidenceKind::Protected, Tri::Yes),
        (EvidenceKind::ListedFiles, Tri::Yes),
        (EvidenceKind::GateFails("tests".to_owned()), Tri::Yes),
        (EvidenceKind::Tests, Tri::Yes),
    ];
    outcomes
        .into_iter()
        .map(|(kind, outcome)| Evidence {
            issues: Vec::new(),
            tests: (kind == EvidenceKind::Gates).then_some(TestCounts {
                passed: 4,
                failed: 1,
                errors: 0,
                skipped: 2,
            }),
            kind,
            outcome,
        })
        .collect()
}

fn draft() -> TaskDraft {
    TaskDraft {
        id: "t".into(),
        batch: "b".into(),
        workflow: "kanban".into(),
        stage: Some("development".into()),
        title: "Title".to_owned(),
        body: "Body".to_owned(),
        kind: TaskKind::Bug,
        tags: BTreeSet::from(["security".to_owned()]),
        priority: 1,
        deps: BTreeSet::from(["u".into()]),
        gates: vec![GateCommand {
            name: "tests".to_owned(),
            command: "make test".to_owned(),
        }],
        timeout: Some(Span::minutes(90)),
        needs_approval: true,
        agent: Box::new(agent()),
        plan: Some(Arc::new(plan())),
    }
}

fn plan() -> PlanEntry {
    let texts = |text: &str| vec![text.to_owned()];
    PlanEntry {
        source: PlanSource {
            plan: "MASTER.md".to_owned(),
            file: "phase-1.md".to_owned(),
            item: "1".to_owned(),
            line: 12,
            hash: "h".to_owned(),
            imported: None,
        },
        notes_before: Some("notes/0.md".to_owned()),
        notes: Some("notes/1.md".to_owned()),
        notes_template: Some("plans/NOTES_TEMPLATE.md".to_owned()),
        fallback: Some("by hand".to_owned()),
        risk: Some(Risk::High),
        agents: texts("validator"),
        steps: texts("write_notes"),
        paths: PathRules {
            create: texts("a"),
            modify: texts("b"),
            protected: texts("tests/"),
        },
        criteria: texts("it answers"),
        tests: Some(StoryTests {
            id: "US-001".to_owned(),
            file: "tests/test_us_001.py".to_owned(),
            may_pass: true,
            test_words: texts("it"),
            assertion_words: texts("expect"),
            skip_words: texts("xit"),
            comment_marks: texts("--"),
            context_tokens: 15_000,
            prds: "prds".to_owned(),
        }),
        commit: Some("feat: answer (US-001)".to_owned()),
        follows: Some("s".into()),
        passes_over: true,
    }
}

fn record() -> PlanRecord {
    let mut record = PlanRecord::default();
    record.see_agent("validator");
    record.see_claims(&Claims {
        steps: vec!["write_notes".to_owned()],
        agents: vec!["validator".to_owned()],
        gates: vec!["lint".to_owned()],
        files: vec!["src/a.rs".to_owned()],
        notes: Some("notes/n.md".to_owned()),
        warnings: vec!["mind the gap".to_owned()],
    });
    record
}

fn agent() -> AgentSettings {
    AgentSettings {
        agent: Some("claude".to_owned()),
        model: Some("opus".to_owned()),
        effort: Some("high".to_owned()),
        display: Some(AgentDisplay::Headless),
        permissions: Some("ask".to_owned()),
    }
}

fn patch() -> TaskPatch {
    TaskPatch {
        title: Some("text".to_owned()),
        body: Some("text".to_owned()),
        priority: Some(0),
        add_tags: BTreeSet::from(["x".to_owned()]),
        remove_tags: BTreeSet::from(["y".to_owned()]),
        stage: Some("reviewing".into()),
        workflow: Some("phased".into()),
        gates: Some(vec![GateCommand {
            name: "test".to_owned(),
            command: "true".to_owned(),
        }]),
        needs_approval: Some(true),
        timeout: Some(Span::seconds(1)),
        agent: Some(Box::new(agent())),
        begins_anew: Some(true),
        plan: draft().plan,
    }
}

fn change_batch() -> Command {
    Command::ChangeBatch {
        id: "b".into(),
        is_new: true,
        change: dbs::domain::BatchPatch {
            title: Some("text".to_owned()),
            base: Some("main".to_owned()),
            needs: Some(["a".into()].into()),
            ..dbs::domain::BatchPatch::default()
        },
    }
}

fn job() -> PlanJob {
    PlanJob {
        form: MadeForm::Graph,
        feature: "Export".to_owned(),
        text: "text".to_owned(),
        complexity: Some("full".to_owned()),
        agent: Some("claude".to_owned()),
        model: Some("opus".to_owned()),
        step: JobStep::Writing("t".into()),
    }
}

fn commands() -> Vec<Command> {
    let text = || "text".to_owned();
    let replies = [
        AskReply::Allow,
        AskReply::AllowAlways,
        AskReply::Deny(text()),
        AskReply::Choose(1),
        AskReply::Text(text()),
    ];
    let answers = replies.map(|reply| Command::AnswerAsk {
        attempt: a(),
        ask: "k".into(),
        reply,
    });
    let mut all = vec![
        Command::PutBatch {
            id: "b".into(),
            title: text(),
            goal: text(),
            base: Some("main".to_owned()),
            options: dbs::domain::RunOptions::default(),
        },
        Command::PutJob("b".into(), Box::new(job())),
        Command::MoveJob("b".into(), JobStep::Written("t".into(), vec![text()])),
        Command::All(vec![Command::Pause, Command::Resume]),
        change_batch(),
        Command::ReleaseBatch("b".into()),
        Command::Create(draft()),
        Command::CreateAll(vec![draft()]),
        Command::Update("t".into(), patch()),
        Command::Update("t".into(), TaskPatch::default()),
        Command::Comment("t".into(), text()),
        Command::AddDependency("t".into(), "u".into()),
        Command::RemoveDependency("t".into(), "u".into()),
        Command::Release(vec!["t".into()]),
        Command::Park("t".into(), text()),
        Command::Close("t".into(), text()),
        Command::Retry {
            task: "t".into(),
            stage: Some("development".into()),
            note: Some(text()),
        },
        Command::Approve("t".into()),
        Command::Reject("t".into(), text()),
        Command::Skip("t".into()),
        Command::Withdraw("t".into()),
        Command::Undo(vec!["t".into()]),
        Command::Answer("t".into(), text()),
        Command::Interrupt("t".into()),
        Command::Kill(a()),
        Command::SetMode("t".into(), None),
        Command::SetMode("t".into(), Some(AgentDisplay::Headless)),
        Command::Merged("t".into()),
        Command::Pulled("main".to_owned()),
        Command::Clear,
        Command::Pause,
        Command::Resume,
    ];
    all.extend(answers);
    all
}

#[test]
fn commands_are_stored_like_this() {
    insta::assert_snapshot!(lines(&commands()));
}

pub(crate) fn integration() -> Integration {
    Integration {
        from: "m0".to_owned(),
        to: "m1".to_owned(),
        head: "c1".to_owned(),
        outside: vec!["a.rs".to_owned()],
        written: vec!["b.rs".to_owned()],
    }
}

fn outcomes() -> Vec<ActionOutcome> {
    let issue = |severity| ComplianceIssue {
        severity,
        text: "x".to_owned(),
    };
    vec![
        ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence: evidence(),
            check: MergeCheck::Checked,
        },
        ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence: evidence(),
            check: MergeCheck::ByOthers,
        },
        ActionOutcome::Failed("conflict".to_owned()),
        ActionOutcome::Refused("protected".to_owned()),
        ActionOutcome::HandedOver {
            branch: "feature/t".to_owned(),
            evidence: Vec::new(),
        },
        ActionOutcome::Unreviewed(Box::new(integration())),
        ActionOutcome::Issues(
            [Severity::Low, Severity::High, Severity::Critical]
                .map(issue)
                .to_vec(),
        ),
        ActionOutcome::Unknown("offline".into()),
    ]
}

#[test]
#[expect(clippy::too_many_lines, reason = "one value of every kind, in a row")]
fn events_are_stored_like_this() {
    let causes = [
        None,
        Some(EndCause::Quota {
            until: Some(Timestamp(9)),
            why: "limit".to_owned(),
        }),
        Some(EndCause::Infra("login".into())),
        None,
        None,
    ];
    let mut events = vec![
        Event::Asked {
            request: RequestId(3),
            by: "ada".to_owned(),
            command: Command::Pause,
        },
        Event::configured(BoardSettings {
            max_by_role: BTreeMap::from([("developer".into(), 2)]),
            base: Some("main".to_owned()),
            cooldown: Some(Span::seconds(5)),
            budgets: Budgets {
                task: Some(Cost(2_000_000)),
                day: None,
            },
            resume: ResumeRoles {
                by_role: [("developer".into(), false)].into(),
                others: true,
            },
            ..BoardSettings::default()
        }),
        Event::WorkplaceMade {
            attempt: a(),
            workplace: workplace(),
            kept: vec!["refs/dbs/attic/t/1".to_owned()],
            gates_before: Vec::new(),
        },
        Event::AttemptStarted {
            attempt: a(),
            workplace: workplace(),
        },
        Event::AttemptNotStarted {
            attempt: a(),
            why: "x".into(),
        },
        Event::SessionLost {
            attempt: a(),
            why: "x".to_owned(),
        },
        Event::AttemptUnknown {
            attempt: a(),
            why: "x".into(),
        },
        Event::Verified {
            attempt: a(),
            evidence: evidence(),
            head: Some("c1".to_owned()),
            integration: None,
        },
        Event::GitChanged {
            attempt: a(),
            changes: vec!["x".to_owned()],
        },
        Event::ModelReported {
            attempt: a(),
            model: "opus-4".to_owned(),
        },
        Event::SubagentSeen {
            attempt: a(),
            name: "validator".to_owned(),
        },
        Event::ContextCompacted { attempt: a() },
        Event::WorkSaved {
            attempt: a(),
            work: saved_work(),
        },
        Event::WorkspaceSettled {
            attempt: a(),
            problem: Some("busy".to_owned()),
            kept: None,
            files: Vec::new(),
        },
        Event::BaseMoved {
            task: "t".into(),
            moved: Box::new(BaseMove {
                base: "main".to_owned(),
                to: "m2".to_owned(),
                by: "Bo".to_owned(),
                n_commits: 2,
                n_lost: 1,
                made_here: Some(MadeHere {
                    commit: "c9".to_owned(),
                    folder: "developer-ravel-7".to_owned(),
                }),
                is_own: false,
            }),
        },
        Event::Delivered {
            task: "t".into(),
            delivery: Box::new(dbs::domain::Delivery {
                base: "main".to_owned(),
                remote: Some("origin".to_owned()),
                to: "m2".to_owned(),
                n_commits: 3,
                end: dbs::domain::DeliveryEnd::Kept("a.txt is staged".to_owned()),
            }),
        },
        Event::MergeSeen {
            task: "t".into(),
            commit: Some("m3".to_owned()),
        },
        Event::Performed {
            key: "retire/t".to_owned(),
            problem: None,
        },
        Event::Woke(Inventory {
            running: BTreeSet::from([AttemptId(1)]),
            ended: BTreeMap::from([(AttemptId(2), (ProcessExit::Vanished, "tail".to_owned()))]),
            unknown: BTreeSet::from([AttemptId(3)]),
            causes: BTreeMap::from([(AttemptId(2), EndCause::Infra("login".into()))]),
            server_was_lost: false,
        }),
        Event::Ticked,
    ];
    let kinds = [
        SignalKind::Claim,
        SignalKind::Done,
        SignalKind::Reject,
        SignalKind::Block,
        SignalKind::Fail,
        SignalKind::Progress,
        SignalKind::Question,
    ];
    events.extend(kinds.map(|kind| Event::Signalled {
        attempt: a(),
        kind,
        text: "x".to_owned(),
        report: None,
        key: "k".to_owned(),
        claims: Claims::default(),
        by_file: false,
    }));
    let doings = [
        ActivityKind::Starting,
        ActivityKind::Working,
        ActivityKind::Permission("rm".to_owned()),
        ActivityKind::Question("which".to_owned()),
        ActivityKind::Dialog("trust".to_owned()),
        ActivityKind::Idle,
        ActivityKind::Exited,
        ActivityKind::Lost,
        ActivityKind::Limit {
            until: Some(Timestamp(9)),
            why: "5-hour limit".to_owned(),
        },
        ActivityKind::NotLoggedIn("run /login".to_owned()),
        ActivityKind::Failed("API Error: 529".to_owned()),
        ActivityKind::Error("it broke".to_owned()),
    ];
    events.extend(doings.map(|doing| Event::Observed {
        attempt: a(),
        doing,
        source: "hook".to_owned(),
    }));
    let kinds = [
        AskKind::Permission,
        AskKind::Question,
        AskKind::Plan,
        AskKind::Dialog,
    ];
    events.extend(kinds.map(|kind| Event::AskOpened {
        attempt: a(),
        ask: ask(kind),
        rule: Some(("roles.developer.permissions".to_owned(), AskReply::Allow)),
    }));
    let channels = [AskChannel::Keys, AskChannel::Line, AskChannel::Terminal];
    events.extend(channels.map(|channel| Event::AskOpened {
        attempt: a(),
        ask: Ask {
            channel,
            ..ask(AskKind::Permission)
        },
        rule: None,
    }));
    events.push(Event::AskWithdrawn {
        attempt: a(),
        ask: "k".into(),
    });
    events.push(Event::UsageReported {
        attempt: a(),
        usage: usage(),
        context: Some(ContextFill {
            used: 50_000,
            window: Some(200_000),
            tool_calls: None,
        }),
    });
    events.push(Event::AnswerTyped {
        attempt: a(),
        ask: "k".into(),
    });
    events.push(Event::AnswerLost {
        attempt: a(),
        ask: "k".into(),
        problem: "gone".to_owned(),
    });
    events.push(Event::TextLost {
        attempt: a(),
        text: "use tabs".to_owned(),
        problem: "gone".to_owned(),
    });
    events.push(Event::MenuSeen {
        attempt: a(),
        options: vec!["No, exit".to_owned()],
    });
    let exits = [
        ProcessExit::Code(1),
        ProcessExit::Signal(9),
        ProcessExit::Vanished,
        ProcessExit::MachineStopped,
        ProcessExit::SessionStopped,
    ];
    events.extend(
        exits
            .into_iter()
            .zip(causes)
            .map(|(exit, cause)| Event::AttemptEnded {
                attempt: a(),
                exit,
                tail: "tail".to_owned(),
                cause,
            }),
    );
    events.extend(outcomes().into_iter().map(|outcome| Event::ActionEnded {
        attempt: a(),
        outcome,
    }));
    insta::assert_snapshot!(lines(&events));
}

#[test]
fn a_workflow_in_an_event_is_stored_like_this() {
    let flow = crate::fixture::workflows()
        .into_iter()
        .find(|flow| flow.id.as_str() == "kanban")
        .unwrap();
    insta::assert_json_snapshot!(Event::WorkflowsLoaded(vec![flow]));
}

#[test]
fn effects_are_stored_like_this() {
    let level = |level| {
        Effect::Notify(Notice {
            level,
            kind: "spawn".to_owned(),
            task: Some("t".into()),
            attempt: Some(a()),
            text: "x".to_owned(),
        })
    };
    let mut effects = vec![
        Effect::Start(a()),
        Effect::Act(a(), EngineAction::Merge),
        Effect::Act(a(), EngineAction::Commit),
        Effect::Act(a(), EngineAction::Verify),
        Effect::Verify {
            attempt: a(),
            evidence: vec![EvidenceKind::Gates],
            check: 1,
        },
        Effect::Checkpoint(a()),
        Effect::Settle(a()),
        Effect::Retire("t".into()),
        Effect::Deliver("t".into()),
        Effect::Tell(a(), "yes".to_owned()),
        Effect::Interrupt(a()),
        Effect::Answer(a(), "k".into()),
        Effect::Reply(RequestId(3), Ok(Accepted("released t".to_owned()))),
        Effect::Reply(RequestId(3), Err(Refusal::new("there is no task t"))),
    ];
    effects.extend(causes().map(|cause| Effect::Stop(a(), cause)));
    effects.extend(
        [
            NoticeLevel::Info,
            NoticeLevel::Success,
            NoticeLevel::Warning,
            NoticeLevel::Error,
            NoticeLevel::Alert,
        ]
        .map(level),
    );
    insta::assert_snapshot!(lines(&effects));
}

fn causes() -> [StopCause; 11] {
    [
        StopCause::Finished,
        StopCause::Timeout,
        StopCause::Paused,
        StopCause::Killed,
        StopCause::Cancelled,
        StopCause::Quota,
        StopCause::Budget,
        StopCause::Context,
        StopCause::Mode,
        StopCause::Interrupted,
        StopCause::NotLoggedIn,
    ]
}

fn classes() -> [FailureClass; 10] {
    [
        FailureClass::Infra,
        FailureClass::Quota,
        FailureClass::Crash,
        FailureClass::Timeout,
        FailureClass::Empty,
        FailureClass::Gate,
        FailureClass::Rejected,
        FailureClass::Context,
        FailureClass::Protocol,
        FailureClass::Failed,
    ]
}

fn comment() -> Comment {
    Comment {
        author: "ada".to_owned(),
        text: "x".to_owned(),
        at: Timestamp(4),
    }
}

fn task() -> Task {
    let failures = classes().map(|class| (class, 1)).into_iter().collect();
    Task {
        agent: agent(),
        id: "t".into(),
        batch: "b".into(),
        workflow: "kanban".into(),
        title: "Title".to_owned(),
        body: "Body".to_owned(),
        kind: TaskKind::Feature,
        tags: BTreeSet::from(["security".to_owned()]),
        priority: 2,
        deps: BTreeSet::from(["u".into()]),
        gates: Vec::new(),
        timeout: Some(Span::seconds(90)),
        stage: "development".into(),
        state: TaskState::Released,
        open_attempt: Some(a()),
        next_mode: AttemptMode::Remediate,
        begins_anew: true,
        continues: Some(a()),
        checkpoint: Some(checkpoint()),
        needs_approval: false,
        approved: Some("development".into()),
        not_before: Some(Timestamp(5)),
        failures: BTreeMap::from([("development".into(), failures)]),
        rejections: 1,
        spawns: 2,
        tries: BTreeMap::from([("development".into(), 2)]),
        work_tries: [("development".into(), 2)].into(),
        troubles: 3,
        interruptions: 2,
        spending: vec![Spending {
            day: 20_780,
            stage: "development".into(),
            role: "developer".into(),
            usage: usage(),
        }],
        spent_at_retry: Cost(1),
        head: Some("c1".to_owned()),
        stage_head: Some("c0".to_owned()),
        integration: Some(Box::new(integration())),
        plan: Some(Arc::new(plan())),
        record: record(),
        merged: Some("m1".to_owned()),
        merge_check: MergeCheck::Unchecked,
        handover: None,
        why_not: None,
        comments: vec![comment()],
        finding: Some("x".to_owned()),
        letting_go: Some(BranchCleanup {
            tries: 2,
            at: Timestamp(11),
        }),
        before: None,
        created_at: Timestamp(1),
        number: 7,
        since: Timestamp(2),
    }
}

#[test]
fn a_task_is_stored_like_this() {
    insta::assert_json_snapshot!(task());
}

fn wait_reasons() -> Vec<WaitReason> {
    vec![
        WaitReason::Dependencies(vec!["u".into()]),
        WaitReason::Batches(vec!["b".into()]),
        WaitReason::UnknownDependency("u".into()),
        WaitReason::Until(Timestamp(5)),
        WaitReason::DependencyNotMerged(vec!["u".into()]),
        WaitReason::SingletonBusy(a()),
        WaitReason::FileBusy {
            task: "u".into(),
            path: "a".to_owned(),
        },
        WaitReason::FileLeft {
            task: "u".into(),
            path: "a".to_owned(),
        },
        WaitReason::NoRoom { running: 8, most: 8 },
        WaitReason::BatchFull { running: 2, most: 2 },
        WaitReason::TurnLimit,
        WaitReason::Paused,
        WaitReason::UsageLimit("claude".to_owned()),
        WaitReason::NoGoAhead,
        WaitReason::Aborted,
        WaitReason::NoBase,
        WaitReason::NoGate,
        WaitReason::Setting("could not use x".to_owned()),
        WaitReason::StillEnding(a()),
        WaitReason::NoStage("kanban".into(), "development".into()),
    ]
}

#[test]
fn states_holds_and_reasons_are_stored_like_this() {
    let text = || "x".to_owned();
    let states = [
        TaskState::Backlog,
        TaskState::Released,
        TaskState::Active,
        TaskState::Verifying,
        TaskState::Held(HoldReason::Approval),
        TaskState::Held(HoldReason::Blocked(text())),
        TaskState::Held(HoldReason::RejectLoop(5)),
        TaskState::Held(HoldReason::Exhausted(FailureClass::Crash)),
        TaskState::Held(HoldReason::TooManyAttempts(20)),
        TaskState::Held(HoldReason::AcceptanceFailed(text())),
        TaskState::Held(HoldReason::Unverified(text())),
        TaskState::Held(HoldReason::Trouble {
            tries: 12,
            cause: TroubleKind::Network.cause("x"),
        }),
        TaskState::Held(HoldReason::Interrupted(5)),
        TaskState::Held(HoldReason::Left),
        TaskState::Held(HoldReason::BasePushed(text())),
        TaskState::Held(HoldReason::GitChanged(text())),
        TaskState::Held(HoldReason::TooBig),
        TaskState::Held(HoldReason::Findings(text())),
        TaskState::Held(HoldReason::Refused(text())),
        TaskState::Held(HoldReason::BaseClosed(text())),
        TaskState::Held(HoldReason::Unreviewed(text())),
        TaskState::Held(HoldReason::Budget {
            spent: Cost(2),
            budget: Cost(1),
        }),
        TaskState::Parked(text()),
        TaskState::Done,
        TaskState::Failed(text()),
        TaskState::Skipped(Skip::Dependency("u".into())),
        TaskState::Skipped(Skip::InBacklog { root: "u".into() }),
        TaskState::Skipped(Skip::Person { by: text() }),
        TaskState::Cancelled,
    ];
    let kinds = [TaskKind::Bug, TaskKind::Feature, TaskKind::Task, TaskKind::Chore];
    insta::assert_snapshot!(format!(
        "{}{}{}",
        lines(&states),
        lines(&wait_reasons()),
        lines(&kinds)
    ));
}

fn ask(kind: AskKind) -> Ask {
    Ask {
        id: "k".into(),
        kind,
        text: "which?".to_owned(),
        options: vec!["one".to_owned(), "two".to_owned()],
        channel: AskChannel::Request,
    }
}

fn saved_work() -> SavedWork {
    SavedWork {
        head: Some("c1".to_owned()),
        tree: Some("t1".to_owned()),
        changed: vec!["a.rs".to_owned()],
        more: 2,
        problem: Some("too large".to_owned()),
    }
}

fn checkpoint() -> Checkpoint {
    Checkpoint {
        stage: "development".into(),
        restarts: 1,
        steps: vec![Step {
            at: Timestamp(3),
            text: "a step".to_owned(),
        }],
        work: saved_work(),
    }
}

fn continued() -> AgentSession {
    AgentSession::Continued(Continuation {
        after: a(),
        origin: SessionOrigin {
            attempt: a(),
            created_at: Timestamp(1),
            comments_before: 2,
            name: "developer-ravel".to_owned(),
            folder: None,
        },
    })
}

#[test]
fn a_skip_from_before_skips_had_an_author_is_read_as_what_it_was() {
    let read = |root: &str| {
        let mut stored = serde_json::to_value(task()).unwrap();
        stored["id"] = "t".into();
        stored["state"] = serde_json::json!({ "skipped": root });
        serde_json::from_value::<Task>(stored).unwrap().state
    };
    let person = Skip::Person { by: String::new() };
    assert_eq!(read("t"), TaskState::Skipped(person));
    assert_eq!(read("u"), TaskState::Skipped(Skip::Dependency("u".into())));
}

#[test]
fn a_session_after_a_full_one_and_the_rules_for_it_are_stored_like_this() {
    let session = AgentSession::Restarted(SessionRestart {
        after: a(),
        folder: "developer-ravel-1".to_owned(),
        session: 2,
    });
    let rules = ContextRules {
        threshold: 80,
        tool_calls: 100,
        restarts: 3,
        on_compaction: dbs::domain::OnCompaction::Restart,
    };
    insta::assert_snapshot!(format!("{}{}", lines(&[session]), lines(&[rules])));
}

fn answered() -> AskRecord {
    let mut answered = AskRecord::new(ask(AskKind::Question), Timestamp(4));
    answered.answer = Some(AskAnswer {
        by: "ada".to_owned(),
        reply: AskReply::Choose(1),
        at: Timestamp(5),
        problem: Some("gone".to_owned()),
    });
    answered.closed = Some(Timestamp(6));
    answered
}

#[test]
fn an_attempt_is_stored_like_this() {
    let signal = Signal {
        kind: SignalKind::Done,
        text: String::new(),
        report: None,
        key: "k".to_owned(),
        at: Timestamp(3),
        by_file: false,
    };
    insta::assert_json_snapshot!(Attempt {
        id: a(),
        task: "t".into(),
        stage: "development".into(),
        n: 2,
        mode: AttemptMode::Fallback,
        choice: dbs::domain::AgentChoice::default(),
        session: continued(),
        leaves: None,
        failed_turns: dbs::domain::FailedTurns::default(),
        background: None,
        worker: Worker::Agent {
            role: "developer".into(),
            name: "developer-ravel".to_owned(),
        },
        state: AttemptState::Running,
        signals: vec![signal.clone()],
        refused: vec![signal],
        workplace: Some(workplace()),
        gates_before: Vec::new(),
        activity: Activity {
            doing: ActivityKind::Working,
            source: "hook".to_owned(),
            since: Timestamp(2),
        },
        evidence: evidence(),
        checks: 1,
        created_at: Timestamp(1),
        comments_before: 3,
        started_at: Some(Timestamp(2)),
        deadline: Some(Timestamp(9)),
        model: None,
        person_awaited: None,
        awaited: Some(Timestamp(6)),
        ended_at: None,
        workspace: WorkspaceState::Present,
        asks: vec![answered()],
        asks_made: 3,
        usage: AttemptUsage {
            session: usage(),
            ..AttemptUsage::default()
        },
        kept: None,
        obstacle: Some(Obstacle {
            tries: 2,
            why: "x".into(),
        }),
    });
}

#[test]
fn lives_verdicts_and_workspaces_of_attempts_are_stored_like_this() {
    let mut states = vec![
        AttemptState::Starting,
        AttemptState::Running,
        AttemptState::Verifying,
        AttemptState::Settled(Verdict::Passed),
        AttemptState::Settled(Verdict::Rejected("x".to_owned())),
        AttemptState::Settled(Verdict::Blocked("x".to_owned())),
    ];
    states.extend(causes().map(AttemptState::Stopping));
    states.extend(causes().map(|cause| AttemptState::Settled(Verdict::Stopped(cause))));
    states.extend(classes().map(|class| AttemptState::Settled(Verdict::Failed(class, "x".into()))));
    let workspaces = [
        WorkspaceState::None,
        WorkspaceState::Present,
        WorkspaceState::Kept,
        WorkspaceState::Leaving,
        WorkspaceState::Gone,
    ];
    let modes = [AttemptMode::Fresh, AttemptMode::Remediate, AttemptMode::Fallback];
    let worker = [Worker::Engine(EngineAction::Merge)];
    insta::assert_snapshot!(format!(
        "{}{}{}{}",
        lines(&states),
        lines(&workspaces),
        lines(&modes),
        lines(&worker)
    ));
}

#[test]
fn batches_runs_and_pauses_are_stored_like_this() {
    let runs = [
        RunState::Planning,
        RunState::Running,
        RunState::Paused,
        RunState::Completed,
        RunState::CompletedWithSkips(2),
        RunState::CompletedWithFailures,
        RunState::Stalled,
        RunState::Aborted("x".to_owned()),
    ];
    let pauses = [
        PauseReason::Operator {
            by: "ada".to_owned(),
            at: Timestamp(1),
        },
        PauseReason::Quota {
            until: Timestamp(2),
            why: "limit".to_owned(),
        },
    ];
    let batch = [Batch {
        id: "b".into(),
        title: "B".to_owned(),
        goal: "G".to_owned(),
        base: Some("main".to_owned()),
        needs: ["a".into()].into(),
        go_ahead: Some(Timestamp(1)),
        run: RunState::Running,
        base_moves: None,
        owed: None,
        job: None,
        options: dbs::domain::RunOptions::default(),
        since: Timestamp(2),
    }];
    insta::assert_snapshot!(format!("{}{}{}", lines(&runs), lines(&pauses), lines(&batch)));
}

#[test]
fn rows_from_before_a_field_existed_are_still_read() {
    let mut value = serde_json::to_value(task()).unwrap();
    for field in ["tries", "troubles", "interruptions"] {
        value.as_object_mut().unwrap().remove(field);
    }
    let back: Task = serde_json::from_value(value).unwrap();
    assert!(back.tries.is_empty());
    assert_eq!((back.troubles, back.interruptions), (0, 0));
}

#[test]
fn a_cause_is_stored_with_its_kind_and_one_from_before_kinds_is_still_read() {
    let causes = [
        TroubleKind::Disk.cause("no room"),
        TroubleKind::Agent.cause("no login"),
        TroubleKind::Network.cause("no answer"),
        TroubleKind::Lock.cause("in use"),
        TroubleKind::Other.cause("who knows"),
    ];
    assert!(lines(&causes).starts_with("{\"kind\":\"disk\",\"text\":\"no room\"}\n"));
    let before = r#"{"attempt_not_started":{"attempt":1,"why":"no room"}}"#;
    let read: Event = serde_json::from_str(before).unwrap();
    let why = TroubleKind::Other.cause("no room");
    assert_eq!(
        read,
        Event::AttemptNotStarted {
            attempt: AttemptId(1),
            why
        }
    );
}
