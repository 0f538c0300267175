//! The line above the agent of the selected task: its stage, the agent, the try, the progress, its request and the tasks that wait for it.

use super::task_card::TaskCard;
use super::{ViewContext, diff, gates};
use crate::domain::{Attempt, AttemptId};
use crate::ui::cache::{CacheEntry, CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;

/// Columns of an agent's request: its terminal below shows the whole of it.
const STATUS: usize = 40;

/// Returns the line for an attempt, the most important first: parts without room are cut off at its end.
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

/// Returns the number of the try, if it is not the first.
pub(super) fn try_words(attempt: &Attempt) -> String {
    match attempt.n {
        0 | 1 => String::new(),
        n => format!("  try {n}"),
    }
}

/// Returns the requests for the line: the changes of the task, and the duration of its check.
pub(super) fn cache_requests(ctx: &ViewContext<'_>, id: AttemptId) -> Vec<CacheRequest> {
    let attempt = ctx.scene.model.attempts.get(&id);
    let changes = attempt.and_then(|attempt| diff::cache_request(ctx, &attempt.task, DiffBase::Base));
    changes.into_iter().chain(gates::running_request(ctx)).collect()
}
