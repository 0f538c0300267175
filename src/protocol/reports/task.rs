//! Report of everything about one task.

use crate::domain::attempt::AttemptState;
use crate::domain::{AgentSession, Attempt, Task, TaskId, Tri, Verdict};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::why::why_task;
use crate::protocol::reports::{TaskJson, in_format};
use crate::read_model::{ReadModel, file_report_words};
use crate::term::sanitize;

pub(in crate::protocol) fn report(
    model: &ReadModel,
    id: &TaskId,
    stored: &[Attempt],
    format: OutputFormat,
) -> Result<String, QueryError> {
    let task = model
        .tasks
        .get(id)
        .ok_or_else(|| QueryError::NoTask(id.clone()))?;
    let attempts = model.attempts_at(id, stored);
    let data = || serde_json::json!({ "task": TaskJson::of(model, task), "attempts": attempts });
    in_format(format, data, || lines(model, task, &attempts))
}

fn lines(model: &ReadModel, task: &Task, attempts: &[&Attempt]) -> Vec<String> {
    let list = |items: Vec<&str>| {
        if items.is_empty() {
            "none".to_owned()
        } else {
            items.join(", ")
        }
    };
    let mut lines = vec![
        format!("{}  {}", task.id, task.title),
        format!(
            "stage {}, {}; workflow {}; priority {}; batch {}",
            task.stage,
            task.state.word(),
            task.workflow,
            task.priority,
            task.batch
        ),
        why_task(model, task),
        format!("tags: {}", list(task.tags.iter().map(String::as_str).collect())),
        format!(
            "depends on: {}",
            list(task.deps.iter().map(TaskId::as_str).collect())
        ),
    ];
    lines.extend(rules(task));
    lines.extend(task.head.as_ref().map(|head| format!("head: {head}")));
    lines.extend(task.merged.as_ref().map(|commit| format!("merged in: {commit}")));
    let left = task.handed_over_on();
    lines.extend(left.map(|branch| format!("left on branch: {branch}, pushed and not merged")));
    if !task.body.is_empty() {
        lines.push(String::new());
        lines.extend(task.body.lines().map(str::to_owned));
    }
    if !attempts.is_empty() {
        lines.push(String::new());
        lines.push("attempts:".to_owned());
        lines.extend(attempts.iter().flat_map(|attempt| attempt_lines(model, attempt)));
    }
    if !task.comments.is_empty() {
        lines.push(String::new());
        lines.push("comments:".to_owned());
        for comment in &task.comments {
            lines.push(format!("  {}:", comment.author));
            lines.extend(comment.text.lines().map(|line| format!("    {line}")));
        }
    }
    lines
}

/// Returns the rules of this task that do not hold for every task of its workflow.
fn rules(task: &Task) -> Vec<String> {
    let gates = task.gates.iter();
    let mut lines: Vec<String> = gates
        .map(|gate| format!("gate {}: {}", gate.name, gate.command))
        .collect();
    lines.extend(task.timeout.map(|limit| format!("an attempt may take {limit}")));
    if task.needs_approval {
        lines.push("a person must approve it".to_owned());
    }
    if let Some(plan) = &task.plan {
        let source = &plan.source;
        lines.push(format!(
            "from {}:{}, item {}",
            source.plan, source.line, source.item
        ));
    }
    lines
}

fn attempt_lines(model: &ReadModel, attempt: &Attempt) -> Vec<String> {
    let state = match &attempt.state {
        AttemptState::Settled(Verdict::Stopped(cause)) => model.stop_words(attempt, *cause),
        AttemptState::Settled(verdict) => verdict_text(verdict),
        AttemptState::Starting
        | AttemptState::Running
        | AttemptState::Stopping(_)
        | AttemptState::Verifying => model.attempt_standing(attempt).line(),
    };
    let length = attempt
        .ended_at
        .map_or_else(String::new, |end| format!(", {}", end.since(attempt.created_at)));
    let session = session_words(&attempt.session);
    let head = format!(
        "  {} {} {} ({}{session}){length}: {state}",
        attempt.id,
        attempt.stage,
        attempt.worker.name(),
        attempt.mode
    );
    let evidence = attempt.evidence.iter().map(|found| {
        let outcome = match &found.outcome {
            Tri::Yes => "yes".to_owned(),
            Tri::No(why) => format!("no: {}", why.lines().next().unwrap_or_default()),
            Tri::Unknown(why) => format!("unknown: {}", why.first_line()),
        };
        format!("      {}: {outcome}", found.kind.words())
    });
    let choice = attempt.choice.words();
    let choice = (!choice.is_empty()).then(|| format!("      {choice}"));
    let by_file = file_report_words(attempt).map(|words| format!("      {words}"));
    let kept = attempt
        .kept
        .iter()
        .map(|kept| format!("      {}", kept.line(&attempt.task)));
    let used = attempt
        .model
        .as_ref()
        .map(|name| format!("      answered by {}", sanitize(name)));
    let facts = choice.into_iter().chain(used).chain(by_file);
    std::iter::once(head)
        .chain(facts)
        .chain(evidence)
        .chain(kept)
        .collect()
}

/// Returns words for a session that continues or restarts one of its stage; empty for the session that begins the stage.
fn session_words(session: &AgentSession) -> String {
    match session {
        AgentSession::Fresh => String::new(),
        AgentSession::Continued(of) => format!(", continues the session of {}", of.after),
        AgentSession::Restarted(of) => format!(", session {} after {}", of.session, of.after),
    }
}

fn verdict_text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "passed".to_owned(),
        Verdict::Rejected(why) => format!("rejected: {}", why.lines().next().unwrap_or_default()),
        Verdict::Blocked(why) => format!("blocked: {}", why.lines().next().unwrap_or_default()),
        Verdict::Failed(class, why) => format!("{class}: {}", why.first_line()),
        Verdict::Stopped(cause) => format!("stopped: {}", cause.word()),
    }
}
