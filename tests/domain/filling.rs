//! Agents whose context fills up: they are asked to stop, their work is saved, and a fresh session goes on in the same folder; only a
//! limited number of times, and not without progress.

use dbs::domain::attempt::{ActivityKind, WorkspaceState};
use dbs::domain::{
    AskKind, AttemptId, AttemptState, BoardSettings, Command, ContextFill, ContextRules, Effect, Event,
    FailureClass, HoldReason, Inventory, OnCompaction, ProcessExit, PromptFacts, PromptSources, RunOptions,
    SavedWork, SignalKind, Span, StopCause, TaskState, Usage, Verdict,
};

use crate::fixture::{BoardFixture, draft, settings};

const RULES: ContextRules = ContextRules {
    threshold: 80,
    tool_calls: 100,
    restarts: 3,
    on_compaction: OnCompaction::Note,
};

/// Returns a board on which a developer works by these rules.
fn working(rules: ContextRules) -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::with(BoardSettings {
        context: rules,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    (fixture, first)
}

fn report(fixture: &mut BoardFixture, attempt: AttemptId, context: ContextFill) {
    fixture.happen(Event::UsageReported {
        attempt,
        usage: Usage::default(),
        context: Some(context),
    });
}

/// Reports that the context of an attempt is full to that percentage.
fn fill(fixture: &mut BoardFixture, attempt: AttemptId, percent: u64) {
    let context = ContextFill {
        used: percent * 10,
        window: Some(1_000),
        tool_calls: None,
    };
    report(fixture, attempt, context);
}

fn see(fixture: &mut BoardFixture, attempt: AttemptId, doing: ActivityKind) {
    fixture.happen(Event::Observed {
        attempt,
        doing,
        source: "hook".to_owned(),
    });
}

fn saved(fixture: &mut BoardFixture, attempt: AttemptId, head: &str) {
    fixture.happen(Event::WorkSaved {
        attempt,
        work: SavedWork {
            head: Some(head.to_owned()),
            changed: vec![format!("{head}.txt")],
            ..SavedWork::default()
        },
    });
}

/// Fills the context of an attempt, stops it, and saves its work at that head.
fn fill_up(fixture: &mut BoardFixture, attempt: AttemptId, head: &str) {
    fill(fixture, attempt, 90);
    fixture.wait(Span::seconds(20));
    fixture.end_with(attempt, ProcessExit::Signal(15), None);
    saved(fixture, attempt, head);
}

/// Starts the next session.
fn next(fixture: &mut BoardFixture) -> AttemptId {
    fixture.wait_until_due();
    let attempt = fixture.open("a");
    fixture.start(attempt);
    attempt
}

fn is_told(fixture: &BoardFixture, id: AttemptId) -> bool {
    let told =
        |effect: &Effect| matches!(effect, Effect::Tell(to, line) if *to == id && line.contains("context"));
    fixture.effects.iter().any(told)
}

fn facts(fixture: &BoardFixture, id: AttemptId) -> PromptFacts {
    let board = &fixture.board;
    let sources = PromptSources {
        tasks: &board.tasks,
        attempts: &board.attempts,
        workflows: &board.workflows,
        settings: &board.settings,
        base: None,
        options: RunOptions::default(),
    };
    sources
        .facts(fixture.task("a"), Some(fixture.attempt(id)), None)
        .unwrap()
}

#[test]
fn an_agent_is_asked_once_to_stop_when_the_threshold_is_reached() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 79);
    assert!(!is_told(&fixture, first));
    assert_eq!(fixture.attempt(first).leaves, None);
    fill(&mut fixture, first, 80);
    assert!(is_told(&fixture, first));
    assert!(fixture.notice_kinds().contains(&"context"));
    assert!(fixture.comments("a").contains("its context is 80 % full"));
    fill(&mut fixture, first, 95);
    assert!(!is_told(&fixture, first), "once");
    assert_eq!(fixture.attempt(first).state, AttemptState::Running);
}

#[test]
fn an_agent_that_was_asked_is_stopped_at_the_end_of_its_turn_or_after_twenty_seconds() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    see(&mut fixture, first, ActivityKind::Idle);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Context)
    );
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    fixture.wait(Span::seconds(19));
    assert_eq!(fixture.attempt(first).state, AttemptState::Running);
    fixture.wait(Span::seconds(1));
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Context)
    );
    assert_eq!(fixture.effect_keys(), [format!("stop/{first}")]);
}

#[test]
fn the_end_of_a_turn_stops_nobody_who_was_not_asked() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 50);
    see(&mut fixture, first, ActivityKind::Idle);
    assert_eq!(fixture.attempt(first).state, AttemptState::Running);
    fill(&mut fixture, first, 90);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Context),
        "an idle agent is stopped without being asked first"
    );
    assert!(!is_told(&fixture, first));
}

#[test]
fn nothing_is_typed_into_a_dialog_and_who_waits_for_a_person_goes_on() {
    let (mut fixture, first) = working(RULES);
    see(&mut fixture, first, ActivityKind::Permission("rm x".to_owned()));
    fill(&mut fixture, first, 90);
    assert!(!is_told(&fixture, first));
    assert_eq!(fixture.attempt(first).leaves, None);
    see(&mut fixture, first, ActivityKind::Working);
    fill(&mut fixture, first, 91);
    assert!(is_told(&fixture, first));
}

#[test]
fn an_agent_that_reports_though_it_was_asked_to_stop_is_done() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    fixture.say(first, SignalKind::Done, "all of it");
    fixture.end(first);
    assert_eq!(fixture.attempt(first).state, AttemptState::Verifying);
}

#[test]
fn what_a_full_session_left_is_saved_before_a_fresh_one_goes_on_in_its_folder() {
    let (mut fixture, first) = working(RULES);
    fixture.say(first, SignalKind::Progress, "the parser reads rows");
    fill(&mut fixture, first, 90);
    fixture.wait(Span::seconds(20));
    fixture.end_with(first, ProcessExit::Signal(15), None);
    assert_eq!(fixture.effect_keys(), [format!("checkpoint/{first}")]);
    assert_eq!(
        fixture.word("a"),
        "active",
        "nothing starts before the work is saved"
    );
    saved(&mut fixture, first, "c1");
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Context))
    );
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Kept);
    assert!(fixture.comments("a").contains("session 2, restart 1 of 3"));
    let second = next(&mut fixture);
    let session = fixture.attempt(second).session.restart().unwrap();
    assert_eq!((session.after, session.session), (first, 2));
    assert_eq!(
        fixture.attempt(second).session.continuation(),
        None,
        "the session is new"
    );
    assert_eq!(fixture.attempt(second).worker, fixture.attempt(first).worker);
    assert_eq!(
        fixture.attempt(first).workspace,
        WorkspaceState::Gone,
        "the workspace was taken over"
    );
    let folder = |id| fixture.attempt(id).session_origin().unwrap().workspace_folder();
    assert_eq!(folder(second), folder(first));
    let told = facts(&fixture, second).restart.unwrap();
    assert_eq!((told.session, told.most), (2, 3));
    assert_eq!(told.steps, ["the parser reads rows"]);
    assert_eq!(told.work.changed, ["c1.txt"]);
    assert_eq!(facts(&fixture, first).restart, None);
}

#[test]
fn a_restart_is_no_failed_try() {
    let (mut fixture, first) = working(RULES);
    fill_up(&mut fixture, first, "c1");
    assert!(fixture.task("a").failures.is_empty());
    assert_eq!(fixture.task("a").spawns, 0);
    let second = next(&mut fixture);
    fixture.live(second, SignalKind::Done, "");
    fixture.verify(second, &[]);
    assert_eq!(fixture.stage("a"), "reviewing");
    assert_eq!(
        fixture.task("a").checkpoint,
        None,
        "the next stage begins without a checkpoint"
    );
}

#[test]
fn steps_of_all_sessions_are_told_and_waits_between_restarts_grow() {
    let (mut fixture, mut last) = working(RULES);
    let mut waits = Vec::new();
    for head in ["c1", "c2", "c3"] {
        fixture.say(last, SignalKind::Progress, head);
        fill_up(&mut fixture, last, head);
        let before = fixture.now;
        last = next(&mut fixture);
        waits.push(fixture.now.since(before));
    }
    assert_eq!(waits, [Span::seconds(5), Span::seconds(10), Span::seconds(20)]);
    let told = facts(&fixture, last).restart.unwrap();
    assert_eq!(told.steps, ["c1", "c2", "c3"]);
    assert_eq!(told.session, 4);
}

#[test]
fn after_its_last_restart_a_task_is_held_as_a_failure_of_its_own_class() {
    let (mut fixture, mut last) = working(RULES);
    for head in ["c1", "c2", "c3"] {
        fill_up(&mut fixture, last, head);
        last = next(&mut fixture);
    }
    fill_up(&mut fixture, last, "c4");
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Context))
    );
    let AttemptState::Settled(Verdict::Failed(FailureClass::Context, why)) = &fixture.attempt(last).state
    else {
        panic!("{:?}", fixture.attempt(last).state);
    };
    assert!(why.text.contains("restarts exhausted"), "{}", why.text);
    assert!(fixture.notice_kinds().contains(&"block"), "people are notified");
    let retry = Command::Retry {
        task: "a".into(),
        stage: None,
        note: None,
    };
    fixture.ask(retry).unwrap();
    let again = fixture.open("a");
    fixture.start(again);
    fill_up(&mut fixture, again, "c5");
    assert!(
        fixture.comments("a").contains("restart 1 of 3"),
        "a retry by a person restarts the count"
    );
}

#[test]
fn a_second_restart_needs_something_done_since_the_first() {
    for (head, step, goes_on) in [
        ("c1", None, false),
        ("c2", None, true),
        ("c1", Some("a step"), true),
    ] {
        let (mut fixture, first) = working(RULES);
        fill_up(&mut fixture, first, "c1");
        let second = next(&mut fixture);
        if let Some(step) = step {
            fixture.say(second, SignalKind::Progress, step);
        }
        fill_up(&mut fixture, second, head);
        let is_held = fixture.task("a").state == TaskState::Held(HoldReason::TooBig);
        assert_eq!(is_held, !goes_on, "{head} {step:?}");
    }
}

#[test]
fn a_threshold_of_100_and_no_restarts_change_nothing() {
    let off = [
        ContextRules {
            threshold: 100,
            ..RULES
        },
        ContextRules { restarts: 0, ..RULES },
        ContextRules::off(),
    ];
    for rules in off {
        let (mut fixture, first) = working(rules);
        let before = fixture.board.clone();
        fill(&mut fixture, first, 100);
        assert_eq!(fixture.effects, [], "{rules:?}");
        let mut after = fixture.board.clone();
        assert_eq!(
            after.attempts[&first]
                .usage
                .context
                .and_then(ContextFill::percent),
            Some(100)
        );
        std::sync::Arc::make_mut(after.attempts.get_mut(&first).unwrap()).usage =
            before.attempts[&first].usage;
        assert_eq!(after.attempts, before.attempts, "{rules:?}");
        assert_eq!(after.tasks, before.tasks, "{rules:?}");
        see(&mut fixture, first, ActivityKind::Idle);
        assert_eq!(fixture.attempt(first).state, AttemptState::Running);
        let calls = ContextFill {
            used: 10,
            window: None,
            tool_calls: Some(500),
        };
        report(&mut fixture, first, calls);
        assert_eq!(fixture.attempt(first).leaves, None, "{rules:?}");
    }
}

#[test]
fn calls_of_tools_count_only_where_the_fill_is_not_known() {
    let calls = |window, calls| ContextFill {
        used: 10,
        window,
        tool_calls: Some(calls),
    };
    let (mut fixture, first) = working(RULES);
    report(&mut fixture, first, calls(None, 99));
    assert_eq!(fixture.attempt(first).leaves, None);
    report(&mut fixture, first, calls(None, 100));
    assert_eq!(fixture.attempt(first).leaves, Some(fixture.now));
    for by in [300_000, -600_000] {
        fixture.now = fixture.now.moved(by);
        fixture.happen(Event::ClockJumped { by });
        assert_eq!(
            fixture.attempt(first).leaves,
            Some(fixture.now),
            "it moves with the clock"
        );
    }
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 10);
    assert_eq!(fixture.attempt(first).leaves, None);
}

#[test]
fn a_compaction_is_noted_and_restarts_only_where_the_settings_say_so() {
    for (on_compaction, asks) in [(OnCompaction::Note, false), (OnCompaction::Restart, true)] {
        let (mut fixture, first) = working(ContextRules {
            on_compaction,
            ..RULES
        });
        fill(&mut fixture, first, 70);
        fixture.happen(Event::ContextCompacted { attempt: first });
        assert!(fixture.notice_kinds().contains(&"compaction"));
        assert_eq!(fixture.attempt(first).leaves.is_some(), asks);
        assert_eq!(
            fixture.attempt(first).usage.context,
            None,
            "the old fill is no longer valid"
        );
    }
}

#[test]
fn work_is_saved_also_when_the_engine_ends_in_between() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    fixture.wait(Span::seconds(20));
    fixture.end_with(first, ProcessExit::Signal(15), None);
    fixture.happen(Event::Woke(Inventory::default()));
    assert_eq!(fixture.effect_keys(), [format!("checkpoint/{first}")]);
    fixture.wait(Span::seconds(60));
    assert_eq!(
        fixture.effect_keys(),
        [format!("checkpoint/{first}")],
        "the checkpoint is requested again"
    );
    saved(&mut fixture, first, "c1");
    assert_eq!(fixture.word("a"), "released");
    saved(&mut fixture, first, "c1");
    assert_eq!(fixture.word("a"), "released", "a second answer changes nothing");
}

#[test]
fn a_task_that_is_moved_while_its_work_is_saved_is_not_begun_again() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    fixture.wait(Span::seconds(20));
    fixture.end_with(first, ProcessExit::Signal(15), None);
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    assert!(!fixture.attempt(first).state.is_open());
    saved(&mut fixture, first, "c1");
    assert_eq!(fixture.word("a"), "parked");
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Leaving);
}

#[test]
fn work_that_cannot_be_committed_stays_in_the_folder_and_people_read_why() {
    let (mut fixture, first) = working(RULES);
    fill(&mut fixture, first, 90);
    fixture.wait(Span::seconds(20));
    fixture.end_with(first, ProcessExit::Signal(15), None);
    fixture.happen(Event::WorkSaved {
        attempt: first,
        work: SavedWork {
            problem: Some("files of more than 10 MiB".to_owned()),
            ..SavedWork::default()
        },
    });
    assert!(
        fixture
            .comments("a")
            .contains("not committed: files of more than 10 MiB")
    );
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Kept);
    let second = next(&mut fixture);
    assert!(facts(&fixture, second).restart.unwrap().work.problem.is_some());
}

#[test]
fn a_fresh_session_that_is_interrupted_goes_on_in_the_folder_of_the_first() {
    let mut rules = BoardSettings {
        context: RULES,
        ..settings()
    };
    rules.resume.others = true;
    let mut fixture = BoardFixture::with(rules);
    fixture.released(draft("a", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    fill_up(&mut fixture, first, "c1");
    let second = next(&mut fixture);
    fixture.end_with(second, ProcessExit::Vanished, None);
    let third = next(&mut fixture);
    let origin = fixture.attempt(third).session_origin().unwrap();
    assert_eq!(
        origin.attempt, second,
        "the session is that of the second attempt"
    );
    let of_first = fixture
        .attempt(second)
        .session_origin()
        .unwrap()
        .workspace_folder();
    assert_eq!(origin.workspace_folder(), of_first);
}

#[test]
fn an_ask_of_an_agent_is_not_lost_by_a_restart() {
    let (mut fixture, first) = working(RULES);
    fixture.say(first, SignalKind::Question, "which one?");
    fill(&mut fixture, first, 90);
    assert_eq!(fixture.attempt(first).leaves, None);
    let kinds: Vec<AskKind> = fixture
        .attempt(first)
        .asks
        .iter()
        .map(|known| known.ask.kind)
        .collect();
    assert_eq!(kinds, [AskKind::Question]);
}

#[test]
fn a_batch_has_its_own_threshold_and_restarts_where_they_were_chosen() {
    let options = |threshold, restarts| Command::PutBatch {
        id: "b".into(),
        title: "Batch".to_owned(),
        goal: String::new(),
        base: None,
        options: RunOptions {
            context_threshold: threshold,
            context_restarts: restarts,
            auto_commit: Some(false),
            ..RunOptions::default()
        },
    };
    let (mut fixture, first) = working(RULES);
    let batch = fixture.task("a").batch.clone();
    let of_batch = |command| match command {
        Command::PutBatch {
            title,
            goal,
            base,
            options,
            ..
        } => Command::PutBatch {
            id: batch.clone(),
            title,
            goal,
            base,
            options,
        },
        other => other,
    };
    fixture.ask(of_batch(options(Some(95), Some(1)))).unwrap();
    fill(&mut fixture, first, 90);
    assert!(!is_told(&fixture, first), "the batch has a higher threshold");
    fixture.ask(of_batch(options(Some(60), None))).unwrap();
    fill(&mut fixture, first, 90);
    assert!(is_told(&fixture, first));
    let known = fixture.board.options_of(&"a".into());
    assert_eq!(
        (known.context_threshold, known.context_restarts),
        (Some(60), Some(1))
    );
    assert!(!fixture.board.commits_for(&"a".into()) && fixture.board.settings.auto_commit);
}
