//! The phase of a plan in the details of its task.

use std::sync::Arc;

use dbs::domain::{GateBaseline, PlanEntry, PlanSource, TaskState, Tri};

use crate::fixture::Dashboard;

fn entry(item: &str) -> PlanEntry {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    PlanEntry {
        source: PlanSource {
            plan: "plans/MASTER.md".to_owned(),
            file: format!("plans/phase-{item}.md"),
            item: item.to_owned(),
            line: 7,
            hash: String::new(),
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
    dashboard.press("3 g T");
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
fn a_task_of_no_plan_says_nothing_of_one() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("3 g T");
    assert!(!dashboard.text().contains("phases"), "{}", dashboard.text());
}

#[test]
fn the_batch_of_a_task_is_shown_where_it_has_a_base_of_its_own_or_others_stand_beside_it() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("3 g T");
    assert!(!dashboard.text().contains("batch  "), "{}", dashboard.text());
    let batches = &mut dashboard.board.batches;
    let own = batches.values_mut().next().expect("batch");
    Arc::make_mut(own).base = Some("feature/shop".to_owned());
    Arc::make_mut(own).needs = ["tables".into()].into();
    dashboard.change("dbs-4", |_| {});
    dashboard.press("3 g T");
    let text = dashboard.text();
    for wanted in ["shop  The shop", "feature/shop", "batch tables"] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
}
