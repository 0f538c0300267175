//! All attempts at a task, the newest first. Those that the board has forgotten are read from the store.

use super::text_block::TextBlock;
use super::told::Told;
use crate::display::text::width;
use crate::domain::attempt::{Attempt, AttemptState, Verdict};
use crate::domain::{Span, Task, pluralized};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::Scene;
use crate::ui::status::attempt_status;
use crate::ui::views::ViewContext;

/// Columns before a verdict that has lines of its own.
const VERDICT: usize = 6;
/// Time for which attempts that were read stay good: attempts that are over do not change.
const FIXED: Span = Span::minutes(24 * 60);

/// Returns the request for the attempts that the board has forgotten.
pub(super) fn cache_request(ctx: &ViewContext<'_>, task: &Task) -> Option<CacheRequest> {
    let has_forgotten = ctx.scene.model.forgotten_attempts(task) > 0;
    let key = key(ctx, task).filter(|_| has_forgotten)?;
    Some(CacheRequest::new(key, FIXED))
}

fn key(ctx: &ViewContext<'_>, task: &Task) -> Option<CacheKey> {
    let mut attempts = ctx.scene.model.attempts.values().rev();
    let newest = attempts.find(|attempt| attempt.task == task.id)?;
    Some(CacheKey::Attempts(task.id.clone(), newest.id))
}

/// Adds every attempt: its stage, agent, duration and result, the last on a line of its own if it does not fit.
pub(super) fn attempt_lines(ctx: &ViewContext<'_>, task: &Task, told: &Told, lines: &mut TextBlock) {
    let model = ctx.scene.model;
    let entry = key(ctx, task).and_then(|key| ctx.scene.cache.get(&key));
    let stored = match entry {
        Some(CacheEntry::Attempts(stored)) => stored.as_slice(),
        _ => &[],
    };
    let attempts = model.attempts_at(&task.id, stored);
    if attempts.is_empty() {
        return;
    }
    lines.section("Attempts");
    let widest = |of: fn(&Attempt) -> usize| attempts.iter().map(|attempt| of(attempt)).max().unwrap_or(0);
    let stages = widest(|attempt| width(attempt.stage.as_str()));
    let names = widest(|attempt| width(attempt.worker.name()));
    for attempt in attempts.iter().rev() {
        attempt_line(ctx, attempt, told, stages, names, lines);
    }
    let earlier = model.forgotten_attempts(task);
    let text = match entry {
        Some(CacheEntry::Failed(why)) => format!("could not {why}"),
        _ => format!("reading {}", pluralized(earlier, "earlier attempt")),
    };
    if earlier > 0 && stored.is_empty() {
        lines.paragraph(&text, StyleRole::Dim);
    }
}

fn attempt_line(
    ctx: &ViewContext<'_>,
    attempt: &Attempt,
    told: &Told,
    stages: usize,
    names: usize,
    lines: &mut TextBlock,
) {
    let (mut text, role) = outcome(attempt, ctx.scene);
    if told.repeats(&text) {
        let class = text.split(':').next().unwrap_or_default();
        text = format!("{class}: as said above");
    }
    let text = text.as_str();
    let begun = attempt.started_at.unwrap_or(attempt.created_at);
    let took = attempt.ended_at.unwrap_or(ctx.scene.now).since(begun).to_string();
    let (stage, name) = (attempt.stage.as_str(), attempt.worker.name());
    let head = format!(
        "{:>4}  {stage}{}  {name}{}  {took:>5}  ",
        attempt.id.to_string(),
        " ".repeat(stages.saturating_sub(width(stage))),
        " ".repeat(names.saturating_sub(width(name))),
    );
    let left = lines.width.saturating_sub(width(&head));
    if width(text) <= left {
        lines.push(vec![plain(head), piece(text, role)]);
    } else {
        lines.push(vec![plain(head.trim_end())]);
        lines.indented(VERDICT, text, role);
    }
    if let Some(kept) = &attempt.kept {
        lines.indented(VERDICT, &kept.line(&attempt.task), StyleRole::Retry);
    }
}

fn outcome(attempt: &Attempt, scene: &Scene<'_>) -> (String, StyleRole) {
    match &attempt.state {
        AttemptState::Settled(Verdict::Passed) => ("passed".to_owned(), StyleRole::Done),
        AttemptState::Settled(Verdict::Rejected(why)) => (format!("rejected: {why}"), StyleRole::Retry),
        AttemptState::Settled(Verdict::Blocked(why)) => (format!("blocked: {why}"), StyleRole::Blocked),
        AttemptState::Settled(Verdict::Failed(class, why)) => (format!("{class}: {why}"), StyleRole::Failed),
        AttemptState::Settled(Verdict::Stopped(cause)) => {
            (scene.model.stop_words(attempt, *cause), StyleRole::Dim)
        }
        AttemptState::Starting
        | AttemptState::Running
        | AttemptState::Stopping(_)
        | AttemptState::Verifying => {
            let marker = attempt_status(attempt, scene);
            (marker.word, marker.role)
        }
    }
}
