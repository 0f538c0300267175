//! The board when all tasks are done: the outcome, and the tasks to look at. Drawn in the pane of the selected task while none is selected,
//! else in the place of cards; not a view of its own.

use super::{LOG, METRICS, ViewContext, metrics};
use crate::display::text::{width, wrap};
use crate::display::{LeaveEffect, NEXT_STEPS};
use crate::domain::cut::cut_chars;
use crate::domain::{Span, Task, TaskState, pluralized};
use crate::keymap::Action;
use crate::read_model::MetricsReport;
use crate::ui::cache::CacheRequest;
use crate::ui::canvas::prelude::*;
use crate::ui::status::DisplayStatus;

/// Maximum number of tasks that are named as merged, and as worth a look.
const NAMED: usize = 5;
/// Columns before a title or a reason.
const GAP: usize = 2;
/// Number of rejections that make a task worth a look though it was merged.
const OFTEN: u32 = 2;

/// Returns the request for the data that the board does not hold, while the summary is shown.
pub(super) fn cache_requests(ctx: &ViewContext<'_>) -> Option<CacheRequest> {
    ctx.scene.model.is_all_done().then(metrics::cache_request)
}

/// Draws the card in the middle of an area.
pub(super) fn draw(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    // Fewer tasks are named where there is little room; the possible actions are always shown.
    let room = usize::from(area.width).saturating_sub(2);
    let fits = |lines: &Vec<Vec<StyledText>>| lines.len() + 2 <= usize::from(area.height);
    let lines = (0..=NAMED).rev().map(|named| lines(ctx, room, named)).find(fits);
    let Some(lines) = lines else {
        return draw_short(ctx, area, canvas);
    };
    let wide = lines.iter().map(|line| pieces_width(line)).max().unwrap_or(0) + 4;
    let size = (cells(wide).max(30), cells(lines.len() + 2));
    let inside = canvas.dialog(centered_rect(area, size), "All done");
    canvas.lines(inside, &lines);
}

/// Draws as many lines as have room, without a frame around them: the outcome, the steps after a demo, and the possible actions.
fn draw_short(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let room = usize::from(area.width);
    let keys = keys(ctx, room);
    let mut all_done = vec![piece(" All done:", StyleRole::TitleFocus)];
    all_done.extend(outcome(ctx));
    let mut short = vec![all_done];
    short.extend(
        own_repository(ctx, room)
            .into_iter()
            .filter(|line| !line.is_empty()),
    );
    short.truncate(usize::from(area.height).saturating_sub(keys.len()));
    short.extend(keys);
    canvas.clear(area);
    canvas.lines(area, &short);
}

fn lines(ctx: &ViewContext<'_>, room: usize, named: usize) -> Vec<Vec<StyledText>> {
    let tasks: Vec<&Task> = ctx.scene.model.tasks.values().map(AsRef::as_ref).collect();
    let begun = tasks.iter().map(|task| task.created_at).min().unwrap_or_default();
    let ended = tasks.iter().map(|task| task.since).max().unwrap_or_default();
    let mut lines = wrapped(outcome(ctx), room);
    lines.extend(wrapped(figures(ctx, ended.since(begun)), room));
    lines.extend(merged(ctx, &tasks, room, named));
    lines.extend(owed(ctx, room));
    lines.extend(review(ctx, &tasks, room, named));
    lines.push(Vec::new());
    lines.extend(own_repository(ctx, room));
    lines.extend(keys(ctx, room));
    lines
}

/// Returns the number of tasks that are done, and of those that ended otherwise.
fn outcome(ctx: &ViewContext<'_>) -> Vec<StyledText> {
    let tasks = &ctx.scene.model.tasks;
    let many = |wanted: fn(&TaskState) -> bool| tasks.values().filter(|task| wanted(&task.state)).count();
    let failed = |state: &TaskState| matches!(state, TaskState::Failed(_));
    let mut outcome = vec![piece(
        format!(
            " {} of {} done",
            many(|state| *state == TaskState::Done),
            tasks.len()
        ),
        StyleRole::Done,
    )];
    for (count, word, role) in [
        (many(failed), "failed", StyleRole::Failed),
        (
            many(|state| matches!(state, TaskState::Skipped(_))),
            "skipped",
            StyleRole::Pending,
        ),
        (
            many(|state| *state == TaskState::Cancelled),
            "cancelled",
            StyleRole::Pending,
        ),
    ] {
        if count > 0 {
            outcome.push(piece(format!(", {count} {word}"), role));
        }
    }
    outcome
}

/// Returns the lines after a demo: the commands for a repository of one's own, and the purpose of each if there is room.
fn own_repository(ctx: &ViewContext<'_>, room: usize) -> Vec<Vec<StyledText>> {
    if ctx.scene.session.on_leave == LeaveEffect::GoesOn {
        return Vec::new();
    }
    let commands = ctx.scene.session.next_steps.commands().iter();
    let lines = commands.map(|(command, what)| {
        vec![
            piece(format!("   {command:<41}"), StyleRole::Key),
            dim(format!(" {what}")),
        ]
    });
    let lines: Vec<Vec<StyledText>> = lines.collect();
    let is_roomy = lines.iter().all(|line| pieces_width(line) <= room);
    let heading = vec![piece(format!(" {NEXT_STEPS}"), StyleRole::Strong)];
    let mut next = vec![heading];
    next.extend(lines.into_iter().map(|mut line| {
        line.truncate(if is_roomy { 2 } else { 1 });
        line
    }));
    next.push(Vec::new());
    next
}

/// Returns the duration, and the numbers of retries and rejections: the figures of the statistics, once they are fetched.
fn figures(ctx: &ViewContext<'_>, took: Span) -> Vec<StyledText> {
    let mut figures = vec![plain(format!(" in {took}"))];
    if let Some(MetricsReport { metrics, .. }) = metrics::figures(ctx) {
        let attempts = usize::try_from(metrics.by_agents).unwrap_or(usize::MAX);
        figures.extend([
            plain(format!(", {} by agents", pluralized(attempts, "attempt"))),
            plain(format!(", {} retried", metrics.retries_by_agents())),
            plain(format!(", {} sent back", metrics.rejections())),
        ]);
    }
    figures
}

/// Returns pieces in as many lines as they need; each but the first begins with a comma, which ends a line that has no more room.
fn wrapped(pieces: Vec<StyledText>, room: usize) -> Vec<Vec<StyledText>> {
    let (mut lines, mut line): (Vec<_>, Vec<StyledText>) = (Vec::new(), Vec::new());
    for next in pieces {
        // The comma of another line has to fit, too.
        let wide = pieces_width(&line) + pieces_width(std::slice::from_ref(&next)) + 1;
        match next.text.strip_prefix(", ") {
            Some(rest) if wide > room && !line.is_empty() => {
                line.push(plain(","));
                lines.push(std::mem::replace(
                    &mut line,
                    vec![piece(format!(" {rest}"), next.role)],
                ));
            }
            _ => line.push(next),
        }
    }
    lines.push(line);
    lines
}

/// Returns the lines on merged tasks: their number, the base, and the commits of the latest.
fn merged(ctx: &ViewContext<'_>, tasks: &[&Task], wide: usize, named: usize) -> Vec<Vec<StyledText>> {
    let mut merged: Vec<(&Task, &str)> = tasks
        .iter()
        .filter_map(|task| Some((*task, task.merged.as_deref()?)))
        .collect();
    if merged.is_empty() {
        return Vec::new();
    }
    merged.sort_by_key(|(task, _)| std::cmp::Reverse(task.since));
    let base = ctx.scene.model.base.as_deref().unwrap_or("the base branch");
    let mut lines = vec![vec![plain(format!(" {} merged into {base}", merged.len()))]];
    lines.extend(merged.iter().take(named).map(|(task, commit)| {
        let lead = [
            dim(format!("   {}", cut_chars(commit, 10))),
            piece(format!("  {}", task.id), StyleRole::Done),
        ];
        let left = wide.saturating_sub(pieces_width(&lead) + GAP);
        lead.into_iter().chain([title(ctx, task, left)]).collect()
    }));
    lines.extend(more(merged.len(), named));
    lines
}

/// Returns the lines on merged work that the person's checkout lacks.
fn owed(ctx: &ViewContext<'_>, room: usize) -> Vec<Vec<StyledText>> {
    let texts = ctx
        .scene
        .model
        .batches
        .values()
        .filter_map(|batch| batch.owed_text());
    let lines = texts.flat_map(|text| wrap(&text, room.saturating_sub(1)));
    lines
        .map(|line| vec![piece(format!(" {line}"), StyleRole::Retry)])
        .collect()
}

/// Returns the tasks that are worth a look: failed, skipped, and merged only after they came back often; the worst first.
fn review(ctx: &ViewContext<'_>, tasks: &[&Task], wide: usize, named: usize) -> Vec<Vec<StyledText>> {
    let glyphs = ctx.scene.theme.glyphs;
    let worth = tasks.iter().filter_map(|task| {
        let (rank, mark, role, why) = match &task.state {
            TaskState::Failed(why) => (0, DisplayStatus::Failed, StyleRole::Failed, why.clone()),
            TaskState::Skipped(skip) if skip.root().is_some() => {
                let why = ctx.scene.model.standing(task).line();
                (1, DisplayStatus::Skipped, StyleRole::Retry, why)
            }
            TaskState::Done if task.rejections >= OFTEN => {
                let why = format!("sent back {} times", task.rejections);
                (2, DisplayStatus::Retry, StyleRole::Retry, why)
            }
            _ => return None,
        };
        let lead = piece(format!("   {} {}", mark.glyph(glyphs), task.id), role);
        let left = wide.saturating_sub(pieces_width(std::slice::from_ref(&lead)) + 2 * GAP);
        // The reason says more than the title, of which half the room may be left.
        let of_why = width(&why).min(left - left.min(width(&task.title)).min(left / 2));
        let pieces = vec![
            lead,
            title(ctx, task, left - of_why),
            dim(format!("  {}", ctx.cut(&why, of_why))),
        ];
        Some((rank, std::cmp::Reverse(task.rejections), pieces))
    });
    let mut worth: Vec<_> = worth.collect();
    worth.sort_by_key(|(rank, rejections, _)| (*rank, *rejections));
    if worth.is_empty() {
        return Vec::new();
    }
    let many = worth.len();
    let mut lines = vec![vec![plain(format!(" {many} worth a look"))]];
    lines.extend(worth.into_iter().take(named).map(|(.., pieces)| pieces));
    lines.extend(more(many, named));
    lines
}

fn title(ctx: &ViewContext<'_>, task: &Task, room: usize) -> StyledText {
    plain(format!("  {}", ctx.cut(&task.title, room)))
}

fn more(many: usize, named: usize) -> Option<Vec<StyledText>> {
    let left = many.checked_sub(named).filter(|left| *left > 0 && named > 0)?;
    Some(vec![dim(format!("   and {left} more"))])
}

/// Returns the possible actions, in as many lines as they need.
fn keys(ctx: &ViewContext<'_>, room: usize) -> Vec<Vec<StyledText>> {
    let leave = (ctx.scene.session.on_leave != LeaveEffect::GoesOn).then_some((Action::Detach, "leave"));
    let others = [
        (Action::Show(METRICS), "stats"),
        (Action::Show(LOG), "log"),
        (Action::NewTask, "new task"),
        (Action::ToggleFinished, "show them"),
    ];
    let mut lines: Vec<Vec<StyledText>> = vec![Vec::new()];
    for (action, title) in others.into_iter().chain(leave) {
        let key = piece(format!(" {}", ctx.key_of(action)), StyleRole::Key);
        let offer = [key, plain(format!(" {title}  "))];
        // The blanks behind it may be cut.
        let is_full = |line: &Vec<StyledText>| pieces_width(line) + pieces_width(&offer) > room + 2;
        if lines.last().is_none_or(is_full) {
            lines.push(Vec::new());
        }
        lines
            .last_mut()
            .into_iter()
            .for_each(|line| line.extend(offer.clone()));
    }
    lines
}
