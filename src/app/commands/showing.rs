//! Commands that only read: the board, a task, agents, why something waits, what happened.

mod board;
mod debug;
mod detail;
mod following;
mod history;
mod metrics;

pub(super) use board::board;
pub(super) use debug::debug;
pub(super) use detail::task;
pub(in crate::app::commands) use history::print as print_line;
pub(super) use history::{Form, logs};
pub(in crate::app) use history::{clock_time, end_of};
pub(super) use metrics::metrics;

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

use super::Outcome;
use crate::adapters::git::{GitSetup, task_branches};
use crate::app::args::Json;
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::place::Place;
use crate::app::wire::Snapshot;
use crate::domain::attempt::Doing;
use crate::domain::{Pause, Task, TaskId, TaskState, Timestamp, WhyNot, Worker};

/// Goes on as long as somebody reads.
fn unless_unread() -> ControlFlow<()> {
    if out::is_unread() {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

/// Base branch, agents, counts, branches of tasks (K65).
pub(super) fn status(edge: &Edge, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let board = door.snapshot()?;
    let branches = branches(&door.place, edge);
    if json.json {
        out::json(&serde_json::json!({
            "live": board.live, "base": board.base, "max_agents": board.max_agents, "pause": board.pause,
            "batches": board.batches, "agents": agents(&board).collect::<Vec<_>>(), "counts": counts(&board),
            "branches": branches.unwrap_or_default(),
        }));
        return Ok(ExitCode::SUCCESS);
    }
    for line in status_lines(&board, &branches) {
        out::line(&line);
    }
    Ok(ExitCode::SUCCESS)
}

/// Local branches of tasks, or why they could not be listed.
fn branches(place: &Place, edge: &Edge) -> Result<Vec<String>, String> {
    task_branches(&GitSetup::new(&place.root, edge.environment.clone())).map_err(|error| error.to_string())
}

fn status_lines(board: &Snapshot, branches: &Result<Vec<String>, String>) -> Vec<String> {
    let mut lines = vec![match (board.live, &board.pause) {
        (false, _) => "no server runs; `dbs` starts one".to_owned(),
        (true, Some(Pause::Operator { by, .. })) => format!("paused by {by}; `dbs resume` goes on"),
        (true, Some(Pause::Quota { why, .. })) => format!("paused by a usage limit: {why}"),
        (true, None) => "running".to_owned(),
    }];
    lines.push(format!(
        "base branch: {}",
        board
            .base
            .as_deref()
            .unwrap_or("not set; dbs config base_branch NAME")
    ));
    for batch in board.batches.values() {
        lines.push(format!("batch {}: {}", batch.id, batch.run));
    }
    let agents: Vec<_> = agents(board).collect();
    lines.push(format!("agents: {}/{}", agents.len(), board.max_agents));
    for attempt in agents {
        let for_how_long = board.at.since(attempt.created_at);
        lines.push(format!(
            "  {:<24} {:<14} {:<8} {} (attempt {})",
            attempt.worker.name(),
            attempt.task,
            for_how_long.to_string(),
            doing(&attempt.activity.doing),
            attempt.id
        ));
    }
    let counts: Vec<String> = counts(board)
        .into_iter()
        .map(|(state, n)| format!("{n} {state}"))
        .collect();
    lines.push(format!(
        "tasks: {}",
        if counts.is_empty() {
            "none".to_owned()
        } else {
            counts.join(", ")
        }
    ));
    lines.push(match branches {
        Ok(names) if names.is_empty() => "branches: none".to_owned(),
        Ok(names) => format!("branches: {}", names.join(", ")),
        Err(why) => format!("branches: could not {why}"),
    });
    lines
}

fn agents(board: &Snapshot) -> impl Iterator<Item = &crate::domain::Attempt> {
    let agent = |worker: &Worker| matches!(worker, Worker::Agent { .. });
    board
        .attempts
        .values()
        .map(Arc::as_ref)
        .filter(move |attempt| attempt.state.is_open() && agent(&attempt.worker))
}

fn counts(board: &Snapshot) -> std::collections::BTreeMap<&'static str, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for task in board.tasks.values() {
        *counts.entry(task.state.word()).or_insert(0) += 1;
    }
    counts
}

fn doing(doing: &Doing) -> String {
    match doing {
        Doing::Starting => "starting".to_owned(),
        Doing::Working => "working".to_owned(),
        Doing::Permission(what) => format!("needs a permission: {what}"),
        Doing::Question(what) => format!("asks: {what}"),
        Doing::Idle => "idle".to_owned(),
        Doing::Exited => "ended".to_owned(),
        Doing::Lost => "lost".to_owned(),
    }
}

/// Tasks, one line each.
pub(super) fn list(edge: &Edge, state: Option<&str>, wanted_stage: Option<&str>, json: Json) -> Outcome {
    let board = Door::open(edge)?.snapshot()?;
    let place = wanted_stage.map(|name| name.replace('-', "_"));
    if let Some(name) = &place {
        is_stage(&board, name)?;
    }
    let fits = |task: &&Task| {
        state.is_none_or(|word| task.state.word() == word)
            && place.as_ref().is_none_or(|name| task.stage.as_str() == name)
    };
    print_tasks(
        &board,
        &board
            .tasks
            .values()
            .map(Arc::as_ref)
            .filter(fits)
            .collect::<Vec<_>>(),
        json,
    );
    Ok(ExitCode::SUCCESS)
}

/// Refuses a name that no stage has: an empty list would be taken for an answer.
fn is_stage(board: &Snapshot, name: &str) -> Result<(), String> {
    let stages = board.workflows.iter().flat_map(|flow| &flow.stages);
    let mut known: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&name) || board.tasks.values().any(|task| task.stage.as_str() == name) {
        return Ok(());
    }
    Err(format!(
        "could not find a stage called {name}; there are {}",
        known.join(", ")
    ))
}

/// Tasks that could be started now: released, and nothing but room stands against it.
pub(super) fn ready(edge: &Edge, json: Json) -> Outcome {
    let board = Door::open(edge)?.snapshot()?;
    let ready: Vec<&Task> = board
        .tasks
        .values()
        .map(Arc::as_ref)
        .filter(|task| is_ready(&board, task))
        .collect();
    print_tasks(&board, &ready, json);
    Ok(ExitCode::SUCCESS)
}

fn is_ready(board: &Snapshot, task: &Task) -> bool {
    let done = |id: &TaskId| {
        board
            .tasks
            .get(id)
            .is_some_and(|other| other.state == TaskState::Done)
    };
    let only_room = matches!(
        task.why_not,
        None | Some(WhyNot::NoRoom { .. } | WhyNot::TurnLimit | WhyNot::Paused | WhyNot::SingletonBusy(_))
    );
    task.state == TaskState::Released && only_room && task.deps.iter().all(done)
}

fn print_tasks(board: &Snapshot, tasks: &[&Task], json: Json) {
    if json.json {
        out::json(&tasks);
        return;
    }
    if tasks.is_empty() {
        out::line("no tasks");
    }
    out::all(tasks.iter().map(|task| {
        format!(
            "{:<14} {:<16} {:<10} {}{}",
            task.id,
            task.stage,
            task.state.word(),
            task.title,
            note(board, task)
        )
    }));
}

/// What stands behind the title in a list: the agent, the reason to wait, the hold.
pub(super) fn note(board: &Snapshot, task: &Task) -> String {
    if let Some(attempt) = task.open_attempt.and_then(|id| board.attempts.get(&id)) {
        return format!("  [{}]", attempt.worker.name());
    }
    match (&task.state, &task.why_not) {
        (TaskState::Held(hold), _) => format!("  ({hold})"),
        (TaskState::Failed(why) | TaskState::Parked(why), _) => format!("  ({why})"),
        (TaskState::Released, Some(why)) => format!("  ({why})"),
        _ => String::new(),
    }
}

/// Why a task does not move (design 5.7), or what an agent does and how that is known.
pub(super) fn why(edge: &Edge, name: &str, json: Json) -> Outcome {
    let board = Door::open(edge)?.snapshot()?;
    if let Some(task) = board.tasks.get(&TaskId::from(name)) {
        let text = why_task(&board, task);
        if json.json {
            out::json(
                &serde_json::json!({ "task": name, "state": task.state, "why_not": task.why_not, "text": text }),
            );
        } else {
            out::line(&text);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let attempt = super::acting::open_attempt(&board, name).and_then(|id| board.attempts.get(&id));
    let attempt = attempt.ok_or_else(|| {
        format!("could not find a task or an agent at work called {name}; see `dbs task list`")
    })?;
    let known = &attempt.activity;
    let age = board.at.since(known.since);
    if json.json {
        out::json(&serde_json::json!({ "attempt": attempt.id, "activity": known, "age_ms": age.0 }));
    } else {
        out::line(&format!(
            "{}: {} (from {}, {age} ago)",
            attempt.worker.name(),
            doing(&known.doing),
            known.source
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn why_task(board: &Snapshot, task: &Task) -> String {
    let id = &task.id;
    match &task.state {
        TaskState::Backlog => format!("{id} is in the backlog; hand it over with `dbs task release {id}`"),
        TaskState::Released => released(board, task),
        TaskState::Active | TaskState::Verifying => {
            match task.open_attempt.and_then(|open| board.attempts.get(&open)) {
                Some(attempt) => format!(
                    "{id} is being worked on by {} (attempt {})",
                    attempt.worker.name(),
                    attempt.id
                ),
                None => format!("{id} is being worked on"),
            }
        }
        TaskState::Held(crate::domain::Hold::Approval) => {
            format!("{id} waits for approval: `dbs approve {id}` or `dbs reject {id} WHY`")
        }
        TaskState::Held(hold) => format!("{id} is held: {hold}; `dbs retry {id}` takes it up again"),
        TaskState::Parked(why) => format!("{id} is set aside: {why}; `dbs retry {id}` takes it up again"),
        TaskState::Done => format!("{id} is done"),
        TaskState::Failed(why) => format!("{id} failed: {why}; `dbs retry {id}` takes it up again"),
        TaskState::Skipped(cause) => format!("{id} was skipped because of {cause}"),
        TaskState::Cancelled => format!("{id} was closed without being done"),
    }
}

fn released(board: &Snapshot, task: &Task) -> String {
    let id = &task.id;
    match &task.why_not {
        _ if !board.live => format!("{id} is released, and no server runs; `dbs` starts one"),
        None => format!("{id} is about to start"),
        Some(WhyNot::Until(until)) => format!("{id} cools down for {} more", left(*until, board.at)),
        Some(why) => format!("{id}: {why}"),
    }
}

fn left(until: Timestamp, now: Timestamp) -> String {
    until.since(now).to_string()
}
