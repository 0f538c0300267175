//! The phase of a plan in the details of its task.

use std::sync::Arc;

use dbs::domain::plan_entry::StuckWork;
use dbs::domain::task::HoldReason;
use dbs::domain::{
    Evidence, EvidenceKind, GateBaseline, PathRules, PlanEntry, PlanSource, StoryTests, Task, TaskState,
    TestCounts, Tri,
};

use crate::fixture::{Dashboard, NOW};
use crate::snapshots;

fn entry(item: &str) -> PlanEntry {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    PlanEntry {
        source: PlanSource {
            plan: "plans/MASTER.md".to_owned(),
            file: format!("plans/phase-{item}.md"),
            item: item.to_owned(),
            line: 7,
            hash: String::new(),
            imported: None,
        },
        notes_before: Some("notes/1.md".to_owned()),
        notes: Some("notes/2.md".to_owned()),
        agents: texts(&["task-validator", "doc-sync-manager"]),
        steps: texts(&["pre_validation", "doc_sync_manager"]),
        ..PlanEntry::default()
    }
}

/// A board on which three tasks are phases of one plan, one of them done.
fn planned(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    for (task, item) in [("dbs-1", "1"), ("dbs-4", "2"), ("dbs-5", "3")] {
        dashboard.change(task, |task| {
            task.plan = Some(Arc::new(entry(item)));
            task.batch = "export".into();
            task.record.see_agent("doc-sync-manager");
        });
    }
    dashboard.change("dbs-1", |task| task.state = TaskState::Done);
    let gate = |name: &str, outcome| GateBaseline {
        name: name.to_owned(),
        outcome,
    };
    let own = dashboard
        .board
        .attempts
        .values_mut()
        .find(|attempt| attempt.task.as_str() == "dbs-4");
    Arc::make_mut(own.expect("attempt")).gates_before =
        vec![gate("lint", Tri::Yes), gate("tests", Tri::No(String::new()))];
    dashboard.change("dbs-1", |_| {});
    dashboard.press("3 g V");
    dashboard
}

#[test]
fn a_phase_shows_its_plan_what_was_seen_and_how_far_the_other_phases_are() {
    let text = planned((200, 60)).text();
    for wanted in [
        "plans/phase-2.md, phase 2",
        "task-validator: not yet seen",
        "doc-sync-manager: seen",
        "pre_validation: not yet seen",
        "doc_sync_manager: seen",
        "██████░░░░░░░░░░░░░░ 1 of 3 done",
        "< this one",
        "lint passed before the work",
        "tests failed before the work",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
}

#[test]
fn a_task_of_a_graph_shows_its_files_and_its_criteria() {
    let of_graph = |size: (u16, u16)| {
        let mut dashboard = Dashboard::full(size);
        for (task, item) in [("dbs-1", "0"), ("dbs-4", "1"), ("dbs-5", "2")] {
            let plan = PlanEntry {
                source: PlanSource {
                    plan: ".design/plan.json".to_owned(),
                    file: ".design/plan.json".to_owned(),
                    item: item.to_owned(),
                    line: 7,
                    hash: String::new(),
                    imported: None,
                },
                paths: PathRules {
                    create: vec!["src/csv.rs".to_owned()],
                    modify: vec!["src/lib.rs".to_owned()],
                    protected: Vec::new(),
                },
                criteria: vec!["the tests of the writer pass".to_owned()],
                ..PlanEntry::default()
            };
            dashboard.change(task, |task| {
                task.plan = Some(Arc::new(plan));
                task.batch = "export".into();
            });
        }
        dashboard.change("dbs-1", |task| task.state = TaskState::Done);
        dashboard.press("3 g V");
        dashboard.text()
    };
    snapshots::check_text("graph_task_120x40", &of_graph((120, 40)));
    let text = of_graph((200, 60));
    for wanted in [
        ".design/plan.json, task 1",
        "makes   src/csv.rs",
        "changes src/lib.rs",
        "done if the tests of the writer pass",
        "tasks   ",
        "1 of 3 done",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    assert!(!text.contains("phase"), "{text}");
}

#[test]
fn a_task_of_no_plan_says_nothing_of_one() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("3 g V");
    assert!(!dashboard.text().contains("phases"), "{}", dashboard.text());
}

#[test]
fn the_batch_of_a_task_is_shown_where_it_has_a_base_of_its_own_or_others_stand_beside_it() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("3 g V");
    assert!(!dashboard.text().contains("batch  "), "{}", dashboard.text());
    let batches = &mut dashboard.board.batches;
    let own = batches.values_mut().next().expect("batch");
    Arc::make_mut(own).base = Some("feature/shop".to_owned());
    Arc::make_mut(own).needs = ["tables".into()].into();
    dashboard.change("dbs-4", |_| {});
    dashboard.press("3 g V");
    let text = dashboard.text();
    for wanted in ["shop  The shop", "feature/shop", "batch tables"] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
}

/// A board on which three tasks are stories of PRDs: the first is done, the second is at that stage with that latest evidence.
fn told(size: (u16, u16), state: TaskState, (place, latest): (&str, Option<Evidence>)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let text = include_str!("../../assets/workflows/atdd.toml");
    let flow = dbs::formats::workflow::read("atdd.toml".as_ref(), text).0;
    let flow = Arc::new(flow.expect("workflow"));
    dashboard.board.workflows.insert("atdd".into(), flow);
    for attempt in dashboard.board.attempts.values_mut() {
        if attempt.task.as_str() == "dbs-4" {
            Arc::make_mut(attempt).evidence = latest.clone().into_iter().collect();
        }
    }
    for (task, id) in [("dbs-1", "US-001"), ("dbs-4", "US-002"), ("dbs-5", "US-003")] {
        let plan = PlanEntry {
            source: PlanSource {
                file: "prds/001-FEAT-shop.json".to_owned(),
                item: id.to_owned(),
                ..PlanSource::default()
            },
            criteria: vec![
                "The password is sent once".to_owned(),
                "It is never logged".to_owned(),
            ],
            tests: Some(StoryTests {
                id: id.to_owned(),
                file: format!("tests/test_{}.py", id.replace('-', "_")),
                ..StoryTests::default()
            }),
            ..PlanEntry::default()
        };
        dashboard.change(task, |task| {
            task.plan = Some(Arc::new(plan));
            task.batch = "stories".into();
            task.workflow = "atdd".into();
            task.stage = "tests".into();
        });
    }
    dashboard.change("dbs-1", |task| task.state = TaskState::Done);
    dashboard.change("dbs-4", |task| put_at(task, place, state));
    dashboard.press("3 /");
    for letter in "Login form".chars() {
        dashboard.press(&match letter {
            ' ' => "Space".to_owned(),
            letter => letter.to_string(),
        });
    }
    dashboard.press("Enter");
    dashboard.press("g V");
    dashboard
}

/// Puts a story into that stage and state, with a matching history.
fn put_at(task: &mut Task, place: &str, state: TaskState) {
    task.stage = place.into();
    if state != TaskState::Active {
        task.open_attempt = None;
    }
    if matches!(state, TaskState::Held(_)) {
        let stuck = |why: &str| StuckWork {
            at: NOW,
            why: why.to_owned(),
        };
        task.record.work.stuck = ["first", "second", "third", "no database", "gate tests failed"]
            .map(stuck)
            .to_vec();
    }
    if state == TaskState::Done {
        let counts = TestCounts {
            passed: 2,
            ..TestCounts::default()
        };
        (task.record.work.sessions, task.record.work.tests) = (2, Some(counts));
    }
    task.state = state;
}

fn seen(kind: EvidenceKind, outcome: Tri, (passed, failed): (u32, u32)) -> Evidence {
    let counts = TestCounts {
        passed,
        failed,
        ..TestCounts::default()
    };
    Evidence::new(kind, outcome).with_tests(Some(counts))
}

#[test]
fn a_story_shows_its_tests_its_criteria_the_way_to_green_and_the_other_stories() {
    let first = || {
        Some(seen(
            EvidenceKind::GateFails("tests".to_owned()),
            Tri::Yes,
            (0, 2),
        ))
    };
    let green = seen(EvidenceKind::Gates, Tri::Yes, (2, 0));
    let red = seen(
        EvidenceKind::Gates,
        Tri::No("gate tests failed".to_owned()),
        (1, 1),
    );
    let held = TaskState::Held(HoldReason::Findings("gate tests failed".to_owned()));
    let (open, ticked) = ("[ ] It is never logged", "[x] It is never logged");
    for (name, state, at, wanted) in [
        (
            "tests",
            TaskState::Active,
            ("tests", None),
            ["tests not written", open, "1 of 3 done"],
        ),
        (
            "code",
            TaskState::Active,
            ("implementation", first()),
            ["2 tests fail as they should", open, "< this one"],
        ),
        (
            "done",
            TaskState::Done,
            ("merging", Some(green)),
            ["2/2 pass", ticked, "done with 2 sessions, 2 of 2 tests pass"],
        ),
        (
            "held",
            held,
            ("implementation", Some(red)),
            ["1/2 pass", open, "ago: gate tests failed"],
        ),
    ] {
        let whole = told((120, 40), state.clone(), at.clone());
        snapshots::check(&format!("story_{name}"), &whole);
        let text = told((200, 60), state, at).text();
        let same = [
            "prds/001-FEAT-shop.json, story US-002",
            "tests/test_US_002.py",
            "stories",
        ];
        for wanted in wanted.into_iter().chain(same) {
            assert!(text.contains(wanted), "{name}, {wanted}:\n{text}");
        }
        assert!(!text.contains("phase"), "{text}");
    }
}

#[test]
fn criteria_are_ticked_while_a_story_whose_tests_passed_is_merged_and_open_when_it_comes_back() {
    let green = || seen(EvidenceKind::Gates, Tri::Yes, (2, 0));
    for (stage, is_ticked) in [("merging", true), ("implementation", false)] {
        let text = told((200, 60), TaskState::Active, (stage, Some(green()))).text();
        assert_eq!(text.contains("[x] It is never logged"), is_ticked, "{text}");
    }
}

#[test]
fn tests_that_pass_only_because_they_were_changed_are_no_green() {
    let green = seen(EvidenceKind::Gates, Tri::Yes, (2, 0));
    let mut dashboard = told((200, 60), TaskState::Active, ("implementation", Some(green)));
    let own = dashboard.board.attempts.values_mut();
    let changed = Evidence::new(EvidenceKind::Protected, Tri::No("changed".to_owned()));
    for attempt in own.filter(|attempt| attempt.task.as_str() == "dbs-4") {
        Arc::make_mut(attempt).evidence.insert(0, changed.clone());
    }
    dashboard.change("dbs-4", |_| {});
    let text = dashboard.text();
    assert!(
        text.contains("2/2 pass, but protected files were changed"),
        "{text}"
    );
}
