//! What stands above the agent of the selected task: its stage, who works, which try, how far, what it needs and what waits for it.

use super::task_card::TaskCard;
use super::{ViewContext, diff, gates};
use crate::domain::{Attempt, AttemptId};
use crate::ui::cache::{CacheEntry, CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;

/// Columns of what an agent asks: its terminal stands below and shows the whole of it.
const STATUS: usize = 40;

/// The line for an attempt, the most important first: what has no room is cut off at its end.
pub(super) fn pieces(ctx: &ViewContext<'_>, id: AttemptId) -> Vec<StyledText> {
    let model = ctx.scene.model;
    let attempt = model.attempts.get(&id);
    let card = attempt.and_then(|attempt| TaskCard::for_task(&attempt.task, ctx.scene));
    let (Some(attempt), Some(card)) = (attempt, card) else {
        return vec![piece(format!("attempt {id}"), StyleRole::Title)];
    };
    let task = card.task;
    let mut status = card.full_status();
    status.text = ctx.cut(&status.text, STATUS);
    let mut pieces = vec![
        card.glyph(),
        piece(format!(" {}  ", task.id), StyleRole::Title),
        plain(format!("{}  ", model.stage_label(task))),
        dim(format!("{}{}  ", attempt.worker.name(), try_words(attempt))),
        status,
        piece(format!(" {}", card.age), card.marker.role),
    ];
    if let Some(used) = attempt.usage.summary() {
        pieces.push(dim(format!("  {used}")));
    }
    if let Some(CacheEntry::Diff(diff)) = diff::entry(ctx, &task.id, DiffBase::Base)
        && !diff.files.is_empty()
    {
        pieces.push(plain(" "));
        pieces.extend(diff::figures(diff));
    }
    if !card.unresolved.is_empty() && !card.is_waiting() {
        pieces.push(plain("  "));
        pieces.push(card.dependencies(2));
    }
    let others = model.tasks.values().filter(|other| other.deps.contains(&task.id));
    match others.filter(|other| !other.state.is_terminal()).count() {
        0 => {}
        many => pieces.push(dim(format!("  blocks {many}"))),
    }
    pieces
}

/// Which try it is, where it is not the first.
pub(super) fn try_words(attempt: &Attempt) -> String {
    match attempt.n {
        0 | 1 => String::new(),
        n => format!("  try {n}"),
    }
}

/// What must be fetched for it: what the task changed, and how long its check takes.
pub(super) fn cache_requests(ctx: &ViewContext<'_>, id: AttemptId) -> Vec<CacheRequest> {
    let attempt = ctx.scene.model.attempts.get(&id);
    let changes = attempt.and_then(|attempt| diff::cache_request(ctx, &attempt.task, DiffBase::Base));
    changes.into_iter().chain(gates::running_request(ctx)).collect()
}
