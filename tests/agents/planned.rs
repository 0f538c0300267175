//! A phase of a plan with the real Claude Code: its gate fails, another session fixes it on the same branch, and the work of its subagent
//! counts because the tool reported it.

use std::fs;

use serde_json::Value;

use crate::driver::{Server, Story};
use crate::lab::{installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, file_in_base, serve, write_person_settings};

const MASTER: &str = "# Invoice export - Master Plan

## Phases

| Phase | Title | Focus | Risk | Status |
|-------|-------|-------|------|--------|
| 1 | [Data model](phase-1.md) | tables | Low | Pending |
";

const PHASE: &str = "# Invoice export Phase 1: Data model

**Depends On:** None

## Process Wrapper (MANDATORY)
- [ ] Pre-validation until clean
- [ ] **AGENT:general-purpose** looks at the work
- [ ] Write notes to: `notes/NOTES_export_phase_1.md`

## Gates (must pass before completion)
- half: `test ! -e wrong.txt`
- model: `test -e model.txt`

## Tasks
- [ ] 1.1: Make model.txt [[script:plan_model]]
";

/// Makes a project with a plan whose phases Claude Code works on, and starts its server.
fn story() -> (Story, ModelServer, Server) {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure("[roles.phase-worker]\nagent = \"claude\"\npermissions = \"allow\"\n");
    write_person_settings(&story);
    let folder = story.project().join("plan");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("MASTER.md"), MASTER).unwrap();
    fs::write(folder.join("phase-1.md"), PHASE).unwrap();
    let server = serve(&story, &model);
    (story, model, server)
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_phase_of_a_plan_is_worked_on_by_claude_fixed_after_its_gate_failed_and_merged() {
    let (story, model, _server) = story();
    let shown = story.dbs(&["run", "plan/MASTER.md", "--dry-run"]);
    let hash = shown
        .lines()
        .find_map(|line| line.strip_prefix("hash of the commands: "));
    story.dbs(&["run", "plan/MASTER.md", "--trust", hash.unwrap()]);
    story.wait_until("the end of the phase", || story.count("done") == 1);
    assert!(file_in_base(&story, "model.txt"));
    assert!(file_in_base(&story, "notes/NOTES_export_phase_1.md"));
    let whole: Value = serde_json::from_str(&story.dbs(&["task", "show", "invoice-1", "--json"])).unwrap();
    let record = &whole["task"]["record"];
    assert!(
        record["agents"].to_string().contains("general-purpose"),
        "its tool reported the subagent: {record}"
    );
    let requests = model.requests_for("plan_model");
    let told = |text: &str| {
        requests
            .iter()
            .any(|request| request.body.to_string().contains(text))
    };
    assert!(
        told("- `half`: passes") && told("- `model`: fails"),
        "the prompt has the earlier results of the gates"
    );
    assert!(told("This is a remediation of invoice-1") && told("gate model failed"));
    assert!(!model.requests_for("plan_subagent").is_empty());
}
