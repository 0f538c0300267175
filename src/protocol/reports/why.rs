//! Why a task does not move, or what an agent does and how that is known.

use std::sync::Arc;

use crate::domain::{AgentSession, Attempt, Task, TaskId, TaskState, Timestamp, WaitReason};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::protocol::reports::status::doing;
use crate::read_model::{ReadModel, source_words};

/// Explains a task, or an agent at work, by its name.
pub(in crate::protocol) fn report(
    board: &ReadModel,
    name: &str,
    format: OutputFormat,
) -> Result<String, QueryError> {
    if let Some(task) = board.tasks.get(&TaskId::from(name)) {
        let text = why_task(board, task);
        let data = || {
            serde_json::json!({ "task": name, "state": task.state, "why_not": task.why_not, "text": text,
            "now": task.open_attempt.and_then(|open| board.live.get(&open)) })
        };
        let at_work = board.open_attempt(task).map(|attempt| sources(board, attempt));
        return in_format(format, data, || {
            std::iter::once(text.clone())
                .chain(at_work.unwrap_or_default())
                .collect()
        });
    }
    let attempt = open_attempt(board, name).ok_or_else(|| QueryError::NoTaskOrAgent(name.to_owned()))?;
    let (agent, known) = (attempt.worker.name(), &attempt.activity);
    let age = board.at.since(known.since);
    let live = board.live.get(&attempt.id);
    let data =
        || serde_json::json!({ "attempt": attempt.id, "activity": known, "age_ms": age.0, "now": live });
    in_format(format, data, || {
        let (doing, source) = (doing(known), source_words(known));
        let first = format!("{agent}: {doing} (from {source}, {age} ago)");
        std::iter::once(first).chain(sources(board, attempt)).collect()
    })
}

/// What an agent does right now, and what each source says of it; nothing where no server reads its terminal.
fn sources(board: &ReadModel, attempt: &Attempt) -> Vec<String> {
    let Some(live) = board.live.get(&attempt.id) else {
        return Vec::new();
    };
    let first = format!("  now: {}", live.summary());
    let each = live.sources.iter().map(|source| format!("  {}", source.line()));
    std::iter::once(first).chain(each).collect()
}

/// The open attempt of that number, agent or task.
pub(in crate::protocol) fn open_attempt<'a>(board: &'a ReadModel, name: &str) -> Option<&'a Arc<Attempt>> {
    board.attempts.values().find(|attempt| {
        let is_named = attempt.task.as_str() == name || attempt.worker.name() == name;
        attempt.state.is_open() && (is_named || attempt.id.to_string() == name)
    })
}

/// Why a task does not move, for people.
pub(super) fn why_task(board: &ReadModel, task: &Task) -> String {
    let id = &task.id;
    match &task.state {
        TaskState::Backlog => format!("{id} is in the backlog; hand it over with `dbs task release {id}`"),
        TaskState::Released => released(board, task),
        TaskState::Active | TaskState::Verifying => match board.open_attempt(task) {
            Some(attempt) => {
                let session = match &attempt.session {
                    AgentSession::Fresh => String::new(),
                    AgentSession::Continued(of) => {
                        format!(", which goes on with the session of attempt {}", of.after)
                    }
                    AgentSession::Restarted(of) => {
                        let after = of.after;
                        format!(
                            ", session {}, begun when the context of attempt {after} was full",
                            of.session
                        )
                    }
                };
                let leaves = attempt.leaves_since().map_or(
                    "",
                    |_| "; it is asked to stop because its context is full, and a fresh session follows",
                );
                let name = attempt.worker.name();
                format!(
                    "{id} is being worked on by {name} (attempt {}{session}){leaves}",
                    attempt.id
                )
            }
            None => format!("{id} is being worked on"),
        },
        TaskState::Held(crate::domain::HoldReason::Approval) => {
            format!("{id} waits for approval: `dbs approve {id}` or `dbs reject {id} WHY`")
        }
        TaskState::Held(hold) => format!("{id} is held: {hold}; retry with `dbs retry {id}`"),
        TaskState::Parked(why) => format!("{id} is set aside: {why}; retry with `dbs retry {id}`"),
        TaskState::Done => format!("{id} is done"),
        TaskState::Failed(why) => format!("{id} failed: {why}; retry with `dbs retry {id}`"),
        TaskState::Skipped(cause) => format!("{id} was skipped because of {cause}"),
        TaskState::Cancelled => format!("{id} was closed without being done"),
    }
}

fn released(board: &ReadModel, task: &Task) -> String {
    let id = &task.id;
    match &task.why_not {
        _ if !board.is_live => format!("{id} is released, and no server runs; `dbs` starts one"),
        None => format!("{id} is about to start"),
        Some(WaitReason::Until(until)) => format!("{id}: retry in {}", time_left(*until, board.at)),
        Some(why) => format!("{id}: {why}"),
    }
}

fn time_left(until: Timestamp, now: Timestamp) -> String {
    until.since(now).to_string()
}
