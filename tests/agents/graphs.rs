//! Tasks of a graph plan with the real Claude Code: it leaves its files uncommitted, the engine commits and merges them, and each task uses
//! the model that its plan names.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{Story, said};
use crate::lab::{installed, scripts};
use crate::model_server::{ModelServer, RecordedRequest};
use crate::pipeline::{OTHERS, file_in_base, serve, write_person_settings};

/// Returns a task that makes one file by this script, with this model.
fn makes(script: &str, needs: &[usize], (file, model): (&str, &str)) -> Value {
    json!({
        "subject": format!("Add {file}"), "description": format!("{file} is needed. [[script:{script}]]"), "status": "pending",
        "blockedBy": needs, "metadata": { "type": "implementation", "files": { "create": [file], "modify": [] } },
        "agent": {
            "role": "developer", "model": model, "approach": "write it",
            "assumptions": [{ "claim": "it is not there", "verify": format!("test ! -e {file}"), "severity": "blocking" }],
            "acceptanceCriteria": [{ "criterion": format!("{file} is there"), "check": format!("test -s {file}") }],
            "rollbackTriggers": [format!("{file} is there")]
        }
    })
}

/// Makes a project in which Claude Code plays these roles; returns it with the scripted model.
fn story(roles: &[&str]) -> (Story, ModelServer) {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    let role = |role: &&str| format!("[roles.{role}]\nagent = \"claude\"\npermissions = \"allow\"\n");
    story.configure(&roles.iter().map(role).collect::<String>());
    write_person_settings(&story);
    (story, model)
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn tasks_of_a_graph_are_worked_on_by_claude_with_their_models_and_merged() {
    let (story, model) = story(&["graph-worker"]);
    let tasks = [
        makes("graph_model", &[], ("model.txt", "haiku")),
        makes("graph_writer", &[0], ("csv.txt", "sonnet")),
    ];
    let plan = json!({ "schemaVersion": 3, "goal": "Invoice export", "tasks": tasks });
    fs::write(story.project().join("plan.json"), plan.to_string()).unwrap();
    let _server = serve(&story, &model);
    let shown = story.dbs(&["run", "plan.json", "--dry-run"]);
    let hash = shown
        .lines()
        .find_map(|line| line.strip_prefix("hash of the commands: "));
    story.dbs(&["run", "plan.json", "--trust", hash.unwrap()]);
    story.wait_until("the end of the plan", || story.count("done") == 2);
    assert!(file_in_base(&story, "model.txt") && file_in_base(&story, "csv.txt"));
    for (script, name) in [("graph_model", "haiku"), ("graph_writer", "sonnet")] {
        let requests = model.requests_for(script);
        let models: Vec<&str> = requests
            .iter()
            .filter_map(|request| request.body["model"].as_str())
            .collect();
        assert!(
            models.iter().any(|model| model.contains(name)),
            "{script}: {models:?}"
        );
    }
    let told = model.requests_for("graph_writer");
    let has_result = |text: &str| told.iter().any(|request| request.body.to_string().contains(text));
    assert!(
        has_result("The model stands in model.txt."),
        "the prompt has the result of the first task"
    );
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_goal_becomes_a_plan_that_claude_writes_and_reads_as_dbs_does() {
    let (story, model) = story(&["goal-analyst", "plan-writer"]);
    let _server = serve(&story, &model);
    let goal = "Let people export their invoices. [[script:graph_design]]";
    let output = story.run(&["design", goal, "--name", "export"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "approval is pending: {text}");
    for wanted in [
        "analysis: minimal; One task.",
        "Invoice export",
        "level 1: 0 Add the model (haiku)",
        "one file is enough",
        "add --trust ",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let told = model.requests_for("graph_design");
    let has_rules = |text: &str| told.iter().any(|request| request.body.to_string().contains(text));
    assert!(has_rules("nothing is wrong with it"), "the result of its audit");
    assert!(has_rules("Invoices leave as one file."), "what the analyst found");
    for name in ["opus", "sonnet"] {
        let has_model = |request: &RecordedRequest| {
            request.body["model"]
                .as_str()
                .is_some_and(|model| model.contains(name))
        };
        assert!(told.iter().any(has_model), "{name}");
    }
}
