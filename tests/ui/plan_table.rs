//! The table of a plan: one row per phase, with its dependencies, gates, tries, state and cost.

use std::sync::Arc;

use dbs::display::FirstTab;
use dbs::domain::plan_entry::Risk;
use dbs::domain::task::GateCommand;
use dbs::domain::workflow::GateSet;
use dbs::domain::{
    Batch, BatchId, ComplianceIssue, Cost, Evidence, EvidenceKind, PlanEntry, PlanSource, Severity, Spending,
    StageId, Task, TaskState, Usage,
};

use crate::fixture::{Dashboard, NOW};
use crate::snapshots;

fn entry(item: &str, risk: Risk) -> PlanEntry {
    PlanEntry {
        source: PlanSource {
            plan: "plans/MASTER.md".to_owned(),
            file: format!("plans/phase-{item}.md"),
            item: item.to_owned(),
            line: 7,
            hash: String::new(),
            imported: None,
        },
        risk: Some(risk),
        ..PlanEntry::default()
    }
}

fn gates() -> Vec<GateCommand> {
    let gate = |name: &str| GateCommand {
        name: name.to_owned(),
        command: "true".to_owned(),
    };
    vec![gate("lint"), gate("tests"), gate("types")]
}

fn spent(task: &mut Task, dollars: u64) {
    task.spending.push(Spending {
        day: Spending::day_of(NOW),
        stage: StageId::from("development"),
        role: "developer".into(),
        usage: Usage {
            cost: Some(Cost(dollars * 1_000_000)),
            ..Usage::default()
        },
    });
}

/// A board on which five tasks are the phases of one plan: done, at work, to be approved, failed, and waiting for the failed one.
fn planned(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    let phases = [
        ("dbs-1", "1", Risk::Low),
        ("dbs-4", "2", Risk::Medium),
        ("dbs-16", "3", Risk::High),
        ("dbs-18", "4", Risk::Low),
        ("dbs-21", "5", Risk::Low),
    ];
    let shop = dashboard.board.batches.values().next().expect("batch");
    let export = Batch {
        id: BatchId::from("export"),
        title: "Invoice export".to_owned(),
        ..Batch::clone(shop)
    };
    dashboard
        .board
        .batches
        .insert(export.id.clone(), Arc::new(export));
    for (number, (task, item, risk)) in (1_u64..).zip(phases) {
        dashboard.change(task, |task| {
            task.plan = Some(Arc::new(entry(item, risk)));
            task.batch = "export".into();
            task.number = number;
            task.gates = gates();
        });
    }
    dashboard.change("dbs-1", |task| {
        task.state = TaskState::Done;
        spent(task, 1);
    });
    dashboard.change("dbs-4", |task| {
        task.deps = ["dbs-1".into()].into();
        spent(task, 2);
    });
    dashboard.change("dbs-21", |task| {
        task.deps = ["dbs-18".into(), "dbs-4".into()].into();
    });
    let flow = dashboard
        .board
        .workflows
        .get_mut(&"kanban".into())
        .expect("workflow");
    for stage in &mut Arc::make_mut(flow).stages {
        stage.gates = GateSet::IfAny;
    }
    let mut attempts = dashboard.board.attempts.values_mut();
    let failed = attempts.find(|attempt| attempt.task.as_str() == "dbs-4");
    let issue = ComplianceIssue::new(Severity::Critical, "gate tests failed");
    Arc::make_mut(failed.expect("attempt")).evidence =
        vec![Evidence::from_issues(EvidenceKind::Gates, vec![issue])];
    dashboard.change("dbs-1", |_| {});
    dashboard
}

#[test]
fn a_plan_is_a_table_on_the_first_tab_at_every_size() {
    // Cost and order disappear first when space shrinks, then the risk.
    let small = [
        "  #     Title            Gates Tries State",
        "▸ 2     !Login form pos… 2/3         working         11m",
    ];
    let medium = [
        "  #     Title                   Risk   Gates Tries State",
        "▸ 2     !Login form posts the … medium 2/3         working               11m",
    ];
    let large = [
        "  #     Title                               After     Risk   Gates Tries State                             Cost",
        "▸ 2     !Login form posts the password once 1         medium 2/3         working                          $2.00  11m",
    ];
    for (size, rows) in snapshots::SIZES.into_iter().zip([small, medium, large, large]) {
        let mut dashboard = planned(size);
        dashboard.state.set_first_tab(FirstTab::Plan).expect("built in");
        if size == (120, 40) {
            snapshots::check("plan_table", &dashboard);
        }
        let plan = dashboard.boxed("Plan");
        assert_eq!(plan[0], "Plan  Invoice export  running  1 of 5 done  $3.00");
        assert_eq!([plan[1].trim(), plan[3].trim()], rows.map(str::trim), "{size:?}");
    }
}

#[test]
fn a_row_says_what_a_phase_waits_for_its_gates_and_what_it_cost() {
    let mut dashboard = planned((160, 40));
    dashboard.press("3 #");
    let text = dashboard.text();
    let row = |item: &str| {
        let row = text.lines().find(|line| line.contains(&format!(" {item}     ")));
        row.unwrap_or_else(|| panic!("no row {item}: {text}")).to_owned()
    };
    for (item, wanted) in [
        ("1", &["low", "3/3", "done", "$1.00"][..]),
        ("2", &["medium", "2/3", "$2.00"]),
        ("3", &["high", "-/3", "approve?"]),
        ("4", &["failed"]),
        ("5", &["2 4", "-/3", "dbs-18"]),
    ] {
        let row = row(item);
        assert!(wanted.iter().all(|part| row.contains(part)), "{wanted:?}: {row}");
    }
    assert!(
        text.contains("Invoice export  running  1 of 5 done  $3.00"),
        "{text}"
    );
}

#[test]
fn keys_in_the_table_act_on_the_phase_of_the_row() {
    let mut dashboard = planned((160, 40));
    dashboard.press("3 # g j j");
    let requests = dashboard.press("a");
    let asked = format!("{requests:?}");
    assert!(asked.contains("Approve") && asked.contains("dbs-16"), "{asked}");
}

#[test]
fn a_task_that_is_not_in_the_table_is_not_acted_on_from_its_tab() {
    let mut dashboard = planned((120, 40));
    // Selects a task that belongs to no plan, then opens the tab with the table.
    dashboard.press("3");
    let is_planned = |dashboard: &Dashboard| {
        let phases = ["dbs-1", "dbs-4", "dbs-16", "dbs-18", "dbs-21"];
        let text = dashboard.text();
        phases.iter().any(|id| text.contains(&format!("marked {id} ")))
    };
    let other = (0..20).find(|_| {
        dashboard.press("j Space");
        !is_planned(&dashboard)
    });
    assert!(other.is_some(), "{}", dashboard.text());
    dashboard.state.set_first_tab(FirstTab::Plan).expect("built in");
    dashboard.press("1 Space");
    let text = dashboard.text();
    assert!(text.contains("marked dbs-1 "), "{text}");
}

#[test]
fn without_a_plan_the_table_says_how_one_is_begun() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 #");
    assert!(
        dashboard.text().contains("No plan is on the board."),
        "{}",
        dashboard.text()
    );
    assert!(dashboard.text().contains("dbs run PLAN"), "{}", dashboard.text());
}
