//! Board of the demo: the commands it sends, and the rules it runs under.

use super::demo::{DemoPlan, DemoTask};
use crate::adapters::child_process::own_program;
use crate::domain::command::{Command, TaskDraft};
use crate::domain::task::GateCommand;
use crate::domain::{BatchId, BoardSettings, DeliveryMode, RunOptions, Span, TaskId};

/// The base branch of the demo's batch; `main` is never touched by agents (K61).
pub const BASE: &str = "feature/demo";

/// The batch of the demo's tasks.
pub const DEMO_BATCH: &str = "demo";

/// The rules the demo runs under: those, with shorter waits and its own gate.
pub fn demo_rules(settings: BoardSettings) -> BoardSettings {
    BoardSettings {
        base: Some(BASE.to_owned()),
        max_agents: 4,
        // No person works in the checkout of a demo.
        deliver: DeliveryMode::Off,
        cooldown: Some(Span(2_000)),
        crash_backoff: Span(1_000),
        gates: vec![demo_gate("check", "")],
        ..settings
    }
}

/// The program checks a tree itself, so that the gate is the same on every system.
pub fn demo_gate(name: &str, more: &str) -> GateCommand {
    GateCommand {
        name: name.to_owned(),
        command: own_program(&format!("rehearse --check .{more}")),
    }
}

/// Returns the commands for the board before anything moves: the batch, its tasks, and their release.
pub fn demo_commands(demo: &DemoPlan) -> Vec<Command> {
    let batch = Command::PutBatch {
        id: BatchId::from(DEMO_BATCH),
        title: demo.title.clone(),
        goal: demo.goal.clone(),
        base: Some(BASE.to_owned()),
        options: RunOptions::default(),
    };
    let ids = demo.tasks.iter().map(|task| TaskId::new(task.id.clone()));
    let tasks = demo.tasks.iter().map(|task| Command::Create(draft(task)));
    let release = Command::Release(ids.collect());
    [batch].into_iter().chain(tasks).chain([release]).collect()
}

fn draft(task: &DemoTask) -> TaskDraft {
    let last = task.stage.as_deref() == Some("acceptance");
    TaskDraft {
        batch: BatchId::from(DEMO_BATCH),
        stage: task.stage.as_deref().map(Into::into),
        body: task.body.clone(),
        tags: task.tags.iter().cloned().collect(),
        deps: task.deps.iter().map(|id| TaskId::new(id.clone())).collect(),
        gates: if last {
            vec![demo_gate("complete", " --complete")]
        } else {
            Vec::new()
        },
        ..TaskDraft::new(&task.id, &task.title)
    }
}
