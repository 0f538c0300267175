//! Progress of the tasks of a graph plan, written into its file.

use dbs::domain::{HoldReason, Skip, Task, TaskDraft, TaskState, Timestamp};
use dbs::formats::graph_plan::{GraphProgress, GraphStatus, with_progress};
use dbs::formats::plan::{PhaseStatus, progress_of, status_of};
use serde_json::{Value, json};

const PLAN: &str = r#"{
  "schemaVersion": 3, "note": "kept",
  "progress": { "surprises": ["one"], "completedTasks": [ { "index": 0, "summary": "by hand", "by": "me" }, {"index":1,"summary":"old"} ] },
  "tasks": [
    { "subject": "Model", "status": "completed", "result": "done" },
    { "subject": "Writer",   "status":"pending", "result": null, "attempts": 0, "own": [1, 2] },
    { "subject": "Command", "status": "pending" },
    {}
  ]
}
"#;

fn progress(status: GraphStatus, result: Option<&str>, attempts: u32) -> GraphProgress {
    let result = result.map(ToOwned::to_owned);
    GraphProgress {
        status,
        result,
        attempts,
    }
}

#[test]
fn status_result_and_attempts_are_written_and_no_other_byte() {
    let known = |at: usize| match at {
        1 => Some(progress(GraphStatus::Completed, Some("merged as abc"), 2)),
        2 => Some(progress(GraphStatus::Failed, Some("3 of 3 tries: \"x\""), 3)),
        3 => Some(progress(GraphStatus::InProgress, None, 1)),
        _ => None,
    };
    let written = with_progress(PLAN, &known);
    let wanted = PLAN
        .replace(
            r#"[ { "index": 0, "summary": "by hand", "by": "me" }, {"index":1,"summary":"old"} ]"#,
            r#"[{"index":0,"summary":"by hand","by":"me"},{"index":1,"summary":"Writer: merged as abc"}]"#,
        )
        .replace(
            r#""status":"pending", "result": null, "attempts": 0,"#,
            r#""status":"completed", "result": "merged as abc", "attempts": 2,"#,
        )
        .replace(
            r#"{ "subject": "Command", "status": "pending" }"#,
            r#"{"result": "3 of 3 tries: \"x\"", "attempts": 3,  "subject": "Command", "status": "failed" }"#,
        )
        .replace(
            "{}\n",
            "{\"status\": \"in_progress\", \"result\": null, \"attempts\": 1}\n",
        );
    assert_eq!(written, wanted);
    assert_eq!(
        with_progress(&written, &known),
        written,
        "the second time there is nothing to write"
    );
    assert_eq!(with_progress("no plan", &known), "no plan");
    let same = r#"{"tasks":[{"status":"c\u006fmpleted","result":null,"attempts":1}],"progress":{"completedTasks":[{ "index":0,"summary":"" }]}}"#;
    let of_same = |_: usize| Some(progress(GraphStatus::Completed, None, 1));
    assert_eq!(
        with_progress(same, &of_same),
        same,
        "an equal value keeps its spelling"
    );
}

#[test]
fn what_is_no_longer_completed_is_taken_from_the_list_and_a_plan_without_one_gets_it() {
    let again = with_progress(PLAN, &|at| {
        (at == 1).then(|| progress(GraphStatus::Pending, None, 0))
    });
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(
        again["progress"]["completedTasks"].as_array().unwrap().len(),
        1,
        "{again}"
    );
    let bare = with_progress(r#"{"tasks":[{"subject":"Model"}]}"#, &|_| {
        Some(progress(GraphStatus::Completed, None, 1))
    });
    let bare: Value = serde_json::from_str(&bare).unwrap();
    assert_eq!(
        bare["progress"],
        json!({ "completedTasks": [{ "index": 0, "summary": "Model" }] })
    );
    assert_eq!(bare["tasks"][0]["status"], "completed");
    let nothing = r#"{"tasks":[{"subject":"Model"}],"progress":{"completedTasks":[]}}"#;
    assert_eq!(with_progress(nothing, &|_| None), nothing);
}

#[test]
fn a_plan_says_of_a_task_what_the_board_does() {
    let said = |state: TaskState| {
        let task = Task {
            state,
            work_tries: [("work".into(), 2)].into(),
            spawns: 5,
            merged: Some("abc".to_owned()),
            ..Task::planned(Timestamp(1), &TaskDraft::new("export-1", "Writer"), "work".into())
        };
        progress_of(&task).map(|progress| (progress.status, progress.result, progress.attempts))
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(said(TaskState::Released), Some((GraphStatus::Pending, None, 2)));
    assert_eq!(
        said(TaskState::Verifying),
        Some((GraphStatus::InProgress, None, 2))
    );
    assert_eq!(
        said(TaskState::Held(HoldReason::Approval)),
        Some((GraphStatus::InProgress, None, 2))
    );
    let blocked = said(TaskState::Held(HoldReason::Blocked("no key".to_owned()))).unwrap();
    assert_eq!(blocked.0, GraphStatus::Blocked);
    assert!(blocked.1.unwrap().contains("no key"));
    assert_eq!(
        said(TaskState::Failed("failed 3 of 3 tries".to_owned())),
        Some((GraphStatus::Failed, text("3 of 3 tries"), 2))
    );
    let skipped = said(TaskState::Skipped(Skip::Dependency("export-0".into()))).unwrap();
    assert_eq!(
        skipped.1,
        text("it waits for export-0, which did not come to its end")
    );
    assert_eq!(
        said(TaskState::Skipped(Skip::Person { by: "ann".to_owned() }))
            .unwrap()
            .1,
        text("a person skipped it")
    );
    assert_eq!(
        said(TaskState::Done),
        Some((GraphStatus::Completed, text("merged as abc"), 2))
    );
    assert_eq!(said(TaskState::Cancelled), None);
    assert_eq!(said(TaskState::Parked("later".to_owned())), None);
}

#[test]
fn a_master_plan_says_of_a_phase_what_the_board_does() {
    let said = |state: TaskState| {
        let draft = TaskDraft::new("export-1", "Writer");
        status_of(&Task {
            state,
            ..Task::planned(Timestamp(1), &draft, "work".into())
        })
    };
    for (state, wanted) in [
        (TaskState::Released, Some(PhaseStatus::Pending)),
        (TaskState::Active, Some(PhaseStatus::Running)),
        (TaskState::Verifying, Some(PhaseStatus::Validating)),
        (
            TaskState::Held(HoldReason::Approval),
            Some(PhaseStatus::AwaitingHuman),
        ),
        (
            TaskState::Held(HoldReason::Blocked("no key".to_owned())),
            Some(PhaseStatus::Blocked),
        ),
        (
            TaskState::Failed("3 of 3 tries".to_owned()),
            Some(PhaseStatus::Failed),
        ),
        (TaskState::Done, Some(PhaseStatus::Completed)),
        (TaskState::Cancelled, None),
    ] {
        assert_eq!(said(state.clone()), wanted, "{state:?}");
    }
}
