//! A task or an agent is described in the same words everywhere: on the screen, by the commands, in data for programs.

use std::sync::Arc;

use dbs::domain::attempt::{Activity, Attempt, StopCause};
use dbs::domain::evidence::{ComplianceIssue, Evidence};
use dbs::domain::task::Comment;
use dbs::domain::{
    ActivityKind, AttemptId, AttemptState, Command, Event, EvidenceKind, FailureClass, HoldReason, RequestId,
    Severity, Span, TaskId, TaskState, Verdict, WaitReason,
};
use dbs::protocol::answer::{StoredFacts, answer};
use dbs::protocol::query::{Answer, OutputFormat, Query, QueryError, Report};
use dbs::read_model::{LiveActivity, MetricsReport, ReadModel};

use crate::fixture::{Dashboard, NOW, asked};

/// A store without any data beyond the board.
struct NothingStored;

impl StoredFacts for NothingStored {
    fn metrics(&self, _: &ReadModel) -> Result<Arc<MetricsReport>, QueryError> {
        Err(QueryError::Facts("count".to_owned()))
    }

    fn attempts_at(&self, _: &TaskId) -> Result<Vec<Attempt>, QueryError> {
        Ok(Vec::new())
    }
}

/// Report by which `dbs why` explains a task or an agent.
fn why(name: &str) -> Report {
    Report::Why {
        name: name.to_owned(),
        with_sources: false,
    }
}

/// Output of a command about the board.
fn printed(model: &ReadModel, report: Report, format: OutputFormat) -> String {
    match answer(model, &Query::Report(report, format), &NothingStored) {
        Ok(Answer::Text(parts)) => parts.iter().map(|part| String::from_utf8_lossy(part)).collect(),
        other => unreachable!("{other:?}"),
    }
}

/// The text of every view that describes a task, by the name of the view.
fn views(dashboard: &mut Dashboard, task: &str) -> Vec<(&'static str, String)> {
    let model = dashboard.model.clone();
    let lines = |report| printed(&model, report, OutputFormat::Lines);
    let json = |report| printed(&model, report, OutputFormat::Json);
    let all = || Report::Tasks {
        state: None,
        stage: None,
    };
    let row = |text: String| {
        let of_task = |line: &&str| line.trim_start().starts_with(&format!("{task} "));
        text.lines().filter(of_task).collect::<Vec<_>>().join("\n")
    };
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste(format!("@{task}")));
    dashboard.press("Enter V");
    let screen = dashboard.text();
    vec![
        ("details", screen),
        ("task list", row(lines(all()))),
        ("task show", lines(Report::Task(task.into()))),
        ("why", lines(why(task))),
        ("batch show", row(lines(Report::Run("shop".into())))),
        ("why --json", json(why(task))),
        ("task show --json", json(Report::Task(task.into()))),
        ("task list --json", json(all())),
    ]
}

fn live(words: &str) -> LiveActivity {
    LiveActivity {
        words: words.to_owned(),
        source: Some("hook".to_owned()),
        since: NOW,
        age: Span::seconds(2),
        is_stale: false,
        is_waiting: false,
        children: Vec::new(),
        sources: Vec::new(),
    }
}

#[test]
fn an_agent_does_the_same_in_every_view() {
    let login = || ActivityKind::NotLoggedIn("run `claude /login`".to_owned());
    let ask = || ActivityKind::Question("which format?".to_owned());
    for (doing, source, age, seen, words) in [
        (ActivityKind::Working, "started", 5, None, "starting"),
        (
            ActivityKind::Working,
            "started",
            300,
            None,
            "nothing reported yet",
        ),
        (ActivityKind::Working, "hook", 300, None, "working"),
        (
            ActivityKind::Working,
            "hook",
            300,
            Some("working: Bash"),
            "working: Bash",
        ),
        (ActivityKind::Idle, "hook", 300, Some("retry 3/10"), "retry 3/10"),
        (ActivityKind::Idle, "hook", 300, None, "idle"),
        (login(), "hook", 300, None, "not logged in: run `claude /login`"),
        (ask(), "hook", 300, Some("working"), "asks: which format?"),
    ] {
        let mut dashboard = Dashboard::full((160, 60));
        let attempt = dashboard.board.attempts.get_mut(&AttemptId(11)).unwrap();
        let attempt = Arc::make_mut(attempt);
        attempt.asks.clear();
        attempt.activity = Activity {
            doing,
            source: source.to_owned(),
            since: dbs::domain::Timestamp(NOW.0 - age * 1000),
        };
        dashboard.model = ReadModel::of(&dashboard.board, NOW);
        if let Some(seen) = seen {
            dashboard.model.live.insert(AttemptId(11), live(seen));
            dashboard.screens.doing.insert(AttemptId(11), live(seen));
        }
        every_view_says(&mut dashboard, words);
    }
}

#[test]
fn an_agent_that_rests_while_its_question_is_open_asks_in_every_view() {
    let mut dashboard = Dashboard::full((160, 60));
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(11)).unwrap();
    let attempt = Arc::make_mut(attempt);
    attempt.asks = asked(&ActivityKind::Question("may it begin?".to_owned()), NOW);
    attempt.activity = Activity::new(ActivityKind::Idle, "hook", NOW);
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
    every_view_says(&mut dashboard, "asks: may it begin?");
}

/// Asserts that every view of the agent at work on `dbs-4`, and of its task, contains those words.
fn every_view_says(dashboard: &mut Dashboard, words: &str) {
    let name = dashboard.model.attempts[&AttemptId(11)].worker.name().to_owned();
    let mut shown = views(dashboard, "dbs-4");
    let of_agent = |report| printed(&dashboard.model, report, OutputFormat::Lines);
    shown.push(("why AGENT", of_agent(why(&name))));
    shown.push(("status", of_agent(Report::Status(Ok(Vec::new())))));
    dashboard.press("2");
    shown.push(("agents", dashboard.text()));
    for (view, text) in shown {
        let is_data = view.ends_with("--json");
        let (word, reason) = words.split_once(": ").unwrap_or((words, ""));
        let said = if is_data {
            text.contains(&format!("\"word\":\"{word}\"")) && text.contains(reason)
        } else {
            // For a task whose agent asks, `why` says that a person is needed and which command answers the ask.
            text.contains(words) || (view == "why" && text.contains(&format!("needs an answer: {reason}")))
        };
        assert!(said, "{view} does not say `{words}`: {text}");
    }
}

#[test]
fn a_task_stands_the_same_in_every_view() {
    let mut dashboard = Dashboard::full((160, 60));
    dashboard.change("dbs-21", |task| task.deps = ["dbs-18".into()].into());
    // Skipped by a person.
    for command in [Command::Skip("dbs-15".into()), Command::Skip("dbs-20".into())] {
        let (request, by) = (RequestId(1), "ann".to_owned());
        dashboard.board.apply(NOW, &Event::Asked { request, by, command });
    }
    dashboard.change("dbs-13", |task| {
        task.why_not = Some(WaitReason::Until(NOW + Span::seconds(25)));
    });
    for (task, word, reason) in [
        ("dbs-15", "skipped by ann", ""),
        ("dbs-20", "skipped by ann", ""),
        ("dbs-21", "skipped", "dbs-18 failed"),
        ("dbs-18", "failed", "gate: cargo test, 2 of 318 failed"),
        ("dbs-19", "parked", "after the release"),
        ("dbs-16", "waits for your approval", ""),
        ("dbs-13", "retry in 25s", ""),
    ] {
        for (view, text) in views(&mut dashboard, task) {
            let is_data = view.ends_with("--json");
            let word = if is_data {
                format!("\"word\":\"{word}\"")
            } else {
                word.to_owned()
            };
            let said = text.contains(&word) && text.contains(reason);
            assert!(
                said,
                "{view} does not say `{word}` and `{reason}` of {task}: {text}"
            );
            assert!(!text.contains("skipped because of"), "{view}: {text}");
        }
    }
}

/// A task that was held after two gates had failed, with all its records.
fn failed_at_two_gates() -> Dashboard {
    let mut dashboard = Dashboard::full((160, 60));
    let found = [
        "gate tests failed: ended with code 1: E   NameError: cart\nE   NameError: cart\n1 failed",
        "gate lint failed: ended with code 2: cart.py:3: unused import os\ncart.py:3: unused import os",
    ];
    let issues = found.map(|text| ComplianceIssue::new(Severity::Critical, text));
    let all = found.join("\n");
    dashboard.change("dbs-17", |task| {
        task.state = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
        task.finding = Some(all.clone());
        let count = [(FailureClass::Gate, 3)].into();
        task.failures = [(task.stage.clone(), count)].into();
        task.since = NOW;
        task.comments = vec![Comment {
            author: "dbs".to_owned(),
            text: task.hold_text(&HoldReason::Exhausted(FailureClass::Gate)) + "; look at what went wrong",
            at: NOW,
        }];
    });
    let over = dashboard.board.attempts.values().find(|one| !one.state.is_open());
    let mut attempt = Attempt::clone(over.expect("an attempt that is over"));
    attempt.id = AttemptId(90);
    attempt.task = TaskId::from("dbs-17");
    attempt.ended_at = Some(NOW);
    let why = format!("reported done, but {all}");
    attempt.state = AttemptState::Settled(Verdict::Failed(FailureClass::Gate, why.as_str().into()));
    attempt.evidence = vec![Evidence::from_issues(EvidenceKind::Gates, issues.into())];
    dashboard.board.attempts.insert(attempt.id, Arc::new(attempt));
    dashboard.change("dbs-17", |_| {});
    dashboard
}

#[test]
fn the_details_of_a_held_task_give_each_fact_once_with_all_findings() {
    let mut dashboard = failed_at_two_gates();
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste("@dbs-17".to_owned()));
    dashboard.press("Enter V");
    let text = dashboard.text();
    for fact in [
        "failed 3 of 3 tries",
        "gate tests failed: ended with code 1",
        "gate lint failed: ended with code 2",
        "1 failed",
    ] {
        assert_eq!(text.matches(fact).count(), 1, "{fact}: {text}");
    }
}

#[test]
fn an_attempt_that_ended_because_a_person_moved_its_task_says_how() {
    let mut dashboard = Dashboard::full((160, 60));
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(11)).unwrap();
    Arc::make_mut(attempt).state = AttemptState::Settled(Verdict::Stopped(StopCause::Cancelled));
    dashboard.change("dbs-4", |task| task.open_attempt = None);
    let (request, by) = (RequestId(1), "ann".to_owned());
    let command = Command::Skip("dbs-4".into());
    dashboard.board.apply(NOW, &Event::Asked { request, by, command });
    dashboard.change("dbs-19", |_| {});
    let said = printed(
        &dashboard.model,
        Report::Task("dbs-4".into()),
        OutputFormat::Lines,
    );
    assert!(said.contains("stopped: the task was skipped"), "{said}");
}

#[test]
fn a_check_that_must_fail_is_not_marked_as_failed() {
    let mut dashboard = Dashboard::full((160, 60));
    let rows =
        |dashboard: &Dashboard, mark: &str| dashboard.text().matches(&format!("{mark} dbs-4 ")).count();
    dashboard.press("C");
    assert_eq!(
        (rows(&dashboard, "✗"), rows(&dashboard, "✓")),
        (1, 1),
        "{}",
        dashboard.text()
    );
    let flow = dashboard.board.workflows.get_mut(&"kanban".into()).unwrap();
    let stages = &mut Arc::make_mut(flow).stages;
    let review = stages
        .iter_mut()
        .find(|stage| stage.id.as_str() == "review")
        .unwrap();
    review.evidence.push(EvidenceKind::GateFails("tests".to_owned()));
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
    assert_eq!(
        (rows(&dashboard, "✗"), rows(&dashboard, "✓")),
        (0, 2),
        "{}",
        dashboard.text()
    );
}
