//! The changes shown for a task are those read from its current state; until they are read, the view says nothing about them.

use std::sync::Arc;

use dbs::domain::attempt::WorkspaceState;
use dbs::domain::{AttemptId, AttemptState, FailureClass, HoldReason, TaskState, Verdict};
use dbs::read_model::{ChangeRange, CheckResult, CheckRun, Diff, DiffBase, NoChanges, ReadModel, TaskWork};
use dbs::ui::{CacheEntry, CacheKey, CheckPhase, ViewCache};

use crate::fixture::{Dashboard, NOW};

/// Ends the attempt at a task as failed, and holds the task.
fn hold(dashboard: &mut Dashboard, task: &str, attempt: u64) {
    for row in dashboard.board.attempts.values_mut() {
        if row.task.as_str() == task {
            Arc::make_mut(row).workspace = WorkspaceState::Gone;
        }
    }
    let row = dashboard
        .board
        .attempts
        .get_mut(&AttemptId(attempt))
        .expect("attempt");
    let failed = Verdict::Failed(FailureClass::Gate, "tests failed".into());
    Arc::make_mut(row).state = AttemptState::Settled(failed);
    dashboard.change(task, |task| {
        task.open_attempt = None;
        task.head = None;
        task.state = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
        task.since = NOW;
    });
}

/// Text of the view of a task's changes.
fn differences(dashboard: &mut Dashboard, task: &str) -> String {
    dashboard.press(":");
    dashboard.input(dbs::ui::UiInput::Paste(format!("@{task}")));
    dashboard.press("Enter d");
    dashboard.text()
}

fn of_login(dashboard: &Dashboard, against: DiffBase) -> CacheKey {
    CacheKey::Diff(
        dashboard
            .model
            .changes(&"dbs-4".into(), against)
            .expect("it has started"),
    )
}

#[test]
fn what_was_read_while_an_agent_worked_is_not_shown_of_the_task_that_is_held() {
    let mut dashboard = Dashboard::full((120, 40));
    let working = of_login(&dashboard, DiffBase::Base);
    assert!(dashboard.cache.get(&working).is_some());
    hold(&mut dashboard, "dbs-4", 11);
    let held = of_login(&dashboard, DiffBase::Base);
    let text = differences(&mut dashboard, "dbs-4");
    assert!(text.contains("Reading the changes of dbs-4."), "{text}");
    assert!(!text.contains(" files") && !text.contains("No changes"), "{text}");
    let wanted = dashboard.frame().1.cache_requests;
    assert!(wanted.iter().any(|want| want.key == held), "{wanted:?}");
    dashboard
        .cache
        .put(held, CacheEntry::Diff(Diff::default().into()), NOW);
    let text = dashboard.text();
    assert!(text.contains("No changes."), "the changes have been read: {text}");
}

#[test]
fn a_task_on_which_nothing_works_is_compared_by_its_branch_also_after_a_restart() {
    let mut dashboard = Dashboard::full((120, 40));
    hold(&mut dashboard, "dbs-4", 11);
    // A restart reads the same attempts.
    let model = ReadModel::of(&dashboard.board, NOW);
    let changes = model
        .changes(&"dbs-4".into(), DiffBase::Base)
        .expect("it has started");
    let ChangeRange::SinceBase { base, work } = changes.range else {
        unreachable!("{changes:?}")
    };
    assert_eq!(base, "feature/shop");
    assert!(
        matches!(
            work,
            TaskWork::Branch {
                after: Some(AttemptId(11)),
                ..
            }
        ),
        "{work:?}"
    );
}

#[test]
fn each_state_a_task_can_be_in_has_a_comparison_of_its_own() {
    let mut dashboard = Dashboard::full((120, 40));
    let mut seen = vec![of_login(&dashboard, DiffBase::Base)];
    let mut is_new = |dashboard: &Dashboard| {
        let key = of_login(dashboard, DiffBase::Base);
        assert!(!seen.contains(&key), "{key:?}");
        seen.push(key);
    };
    hold(&mut dashboard, "dbs-4", 11);
    is_new(&dashboard);
    dashboard.change("dbs-4", |task| task.head = Some("f00dfeed".repeat(5)));
    is_new(&dashboard);
    dashboard.change("dbs-4", |task| task.since = NOW + dbs::domain::Span::seconds(1));
    is_new(&dashboard);
    dashboard.change("dbs-4", |task| task.merged = Some("cafe0123".repeat(5)));
    is_new(&dashboard);
}

#[test]
fn nothing_is_said_of_the_changes_of_any_task_before_they_are_read() {
    let tasks: Vec<_> = Dashboard::full((120, 40)).model.tasks.keys().cloned().collect();
    for task in tasks {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.cache = ViewCache::default();
        // The board no longer has the attempts of the task.
        dashboard.change(task.as_str(), |task| {
            task.tries.insert("development".into(), 9);
        });
        let text = differences(&mut dashboard, task.as_str());
        assert!(
            text.contains(&format!("Reading the changes of {task}.")),
            "{text}"
        );
        for false_word in ["No changes", "no changes", "+0 -0", "0 files", "archived"] {
            assert!(!text.contains(false_word), "{task}: {text}");
        }
    }
}

#[test]
fn that_a_task_has_changed_nothing_is_said_only_where_nothing_was_ever_started() {
    let mut dashboard = Dashboard::full((120, 40));
    let none = dashboard.model.changes(&"dbs-20".into(), DiffBase::Base);
    assert_eq!(none, Err(NoChanges::NotStarted));
    let text = differences(&mut dashboard, "dbs-20");
    assert!(
        text.contains("dbs-20 has not started, so it has changed"),
        "{text}"
    );
}

#[test]
fn a_card_says_that_the_differences_are_being_read_and_then_how_much_changed() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 V");
    let line = |dashboard: &Dashboard| {
        let text = dashboard.text();
        let line = text.lines().find(|line| line.contains("diff    "));
        line.map(str::to_owned).unwrap_or_default()
    };
    assert!(line(&dashboard).contains("files"), "{}", dashboard.text());
    hold(&mut dashboard, "dbs-4", 11);
    assert!(
        line(&dashboard).contains("reading the differences"),
        "{}",
        dashboard.text()
    );
    let held = of_login(&dashboard, DiffBase::Base);
    dashboard
        .cache
        .put(held.clone(), CacheEntry::Diff(Diff::default().into()), NOW);
    assert!(line(&dashboard).contains("no changes"), "{}", dashboard.text());
    let why = "ask origin for branch main: it does not answer".to_owned();
    dashboard.cache.put(held, CacheEntry::Failed(why), NOW);
    assert!(
        line(&dashboard).contains("could not ask origin"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn what_a_check_had_printed_while_it_ran_is_not_shown_as_its_output() {
    let mut check = CheckRun {
        attempt: AttemptId(9),
        index: 0,
        task: "dbs-9".into(),
        stage: "review".into(),
        name: "tests".to_owned(),
        command: "cargo test".to_owned(),
        commit: String::new(),
        began: NOW,
        result: CheckResult::Running,
        tests: None,
        took: None,
        is_cut: false,
        hidden: Vec::new(),
    };
    let running = CacheKey::output(&check);
    assert_eq!(running, CacheKey::Output(AttemptId(9), 0, CheckPhase::Running));
    check.result = CheckResult::Failed("ended with code 1".to_owned());
    assert_ne!(CacheKey::output(&check), running);
}

#[test]
fn the_list_of_checks_is_read_again_as_soon_as_an_attempt_is_verified_or_over() {
    let mut dashboard = Dashboard::full((120, 40));
    let all = |dashboard: &Dashboard| dashboard.model.checks_revision(None);
    let of_other = dashboard.model.checks_revision(Some(&"dbs-5".into()));
    let mut before = all(&dashboard);
    for state in [AttemptState::Verifying, AttemptState::Settled(Verdict::Passed)] {
        let row = dashboard.board.attempts.get_mut(&AttemptId(11)).expect("attempt");
        Arc::make_mut(row).state = state;
        dashboard.change("dbs-4", |_| {});
        assert_ne!(all(&dashboard), before);
        before = all(&dashboard);
    }
    assert_eq!(dashboard.model.checks_revision(Some(&"dbs-5".into())), of_other);
}

#[test]
fn views_that_have_read_nothing_count_nothing() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.cache = ViewCache::default();
    dashboard.press("3 C");
    let text = dashboard.text();
    assert!(text.contains("Reading the checks."), "{text}");
    assert!(
        !text.contains("0 runs") && !text.contains("No check has run"),
        "{text}"
    );
    dashboard.press("C-b s");
    let text = dashboard.text();
    assert!(
        text.contains("Reading the sessions.") && !text.contains("Sessions 0"),
        "{text}"
    );
    dashboard
        .cache
        .put(CacheKey::Sessions, CacheEntry::Sessions([].into()), NOW);
    let text = dashboard.text();
    assert!(text.contains("None of your projects has a server."), "{text}");
    assert!(!text.contains("Reading"), "{text}");
}

#[test]
fn attempts_that_the_board_has_forgotten_are_asked_for_announced_and_listed() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.change("dbs-4", |task| {
        task.tries = [("development".into(), 4), ("review".into(), 1)].into();
    });
    dashboard.press("3 V G");
    let text = dashboard.text();
    assert!(text.contains("reading 2 earlier attempts"), "{text}");
    let key = CacheKey::Attempts("dbs-4".into(), AttemptId(11));
    let wanted = dashboard.frame().1.cache_requests;
    assert!(wanted.iter().any(|want| want.key == key), "{wanted:?}");
    let mut stored: Vec<_> = Vec::new();
    for id in [1, 2, 3, 4, 11] {
        let known = &dashboard.board.attempts[&AttemptId(3)];
        let mut attempt = known.as_ref().clone();
        attempt.id = AttemptId(id);
        attempt.state = AttemptState::Settled(Verdict::Failed(FailureClass::Crash, "the first cause".into()));
        stored.push(attempt);
    }
    dashboard
        .cache
        .put(key, CacheEntry::Attempts(Arc::new(stored)), NOW);
    let text = dashboard.text();
    assert!(!text.contains("earlier attempt"), "{text}");
    assert_eq!(
        text.matches("the first cause").count(),
        2,
        "the attempts on the board count: {text}"
    );
}
