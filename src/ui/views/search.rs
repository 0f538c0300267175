//! Search results in the output of all terminals: agent by agent, the newest line first. Enter leads to that line in the agent's terminal,
//! or to its screen at that time.

use super::list::{ListRow, stepped};
use super::{MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::{clock, prefix, width};
use crate::domain::{Span, pluralized};
use crate::keymap::Action;
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::state::PaneContent;
use crate::ui::terminal_search::{
    LEAST_LETTERS, TerminalMatch, TerminalMatches, TerminalSearch, is_searchable, match_columns,
};

/// The view that lists the places where words occur in the output of all terminals.
pub(super) struct SearchView;

/// Time for which search results are good enough: later output does not change earlier one.
const FRESH: Span = Span::minutes(1);
/// Columns of a line that are kept before the words, when they are far to the right.
const BEFORE: usize = 24;

impl View for SearchView {
    fn description(&self) -> &'static str {
        "Search results in the output of all agents, the newest first. Enter opens that line in the agent's terminal, or its screen as it was then."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("History of all agents", StyleRole::Title)];
        if !words(ctx).is_empty() {
            title.push(piece(format!("  /{}", words(ctx)), StyleRole::Key));
        }
        let Some(found) = found(ctx) else { return title };
        let many = found.lines().count();
        let figures = format!(
            "  {} of {}",
            pluralized(many, "line"),
            pluralized(found.terminals.len(), "terminal")
        );
        title.push(dim(figures));
        if found.left_out() > 0 {
            title.push(piece(
                format!("  {} older ones skipped", found.left_out()),
                StyleRole::Retry,
            ));
        }
        if found.unreadable > 0 {
            title.push(piece(
                format!("  {} logs cannot be read", found.unreadable),
                StyleRole::Retry,
            ));
        }
        title
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let line = marked(ctx).and_then(|at| found(ctx)?.lines().nth(at));
        line.map(|(_, line)| ("line", line.text.clone()))
            .into_iter()
            .collect()
    }

    fn title_note(&self, ctx: &ViewContext<'_>) -> Option<StyledText> {
        let found = found(ctx).filter(|found| !found.is_done())?;
        let text = format!("searched {} of {}", found.searched, found.total);
        Some(piece(text, StyleRole::Retry))
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        let wanted = is_searchable(words(ctx)).then(|| CacheRequest::new(cache_key(ctx), FRESH));
        wanted.into_iter().collect()
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let rows = found(ctx).map(rows).unwrap_or_default();
        if rows.is_empty() {
            return empty(ctx, area, canvas);
        }
        let mark = marked(ctx);
        let is_marked = |(nth, _): &(usize, &TerminalMatch)| Some(*nth) == mark;
        ctx.draw_rows(area, &rows, is_marked, canvas, |(nth, found), line, canvas| {
            draw_line(ctx, found, line, canvas);
            ctx.row(*nth)
        });
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let (Some(found), Some(by)) = (found(ctx), movement.rows(area.height)) else {
            return MoveOutcome::LeaveView;
        };
        let to = stepped(marked(ctx), by, found.lines().count());
        to.map_or(MoveOutcome::Nowhere, MoveOutcome::to_row)
    }
}

fn words<'a>(ctx: &'a ViewContext<'_>) -> &'a str {
    match &ctx.pane.content {
        PaneContent::Past(words) => words,
        _ => "",
    }
}

fn cache_key(ctx: &ViewContext<'_>) -> CacheKey {
    CacheKey::Search(words(ctx).trim().to_owned())
}

fn found<'a>(ctx: &ViewContext<'a>) -> Option<&'a TerminalSearch> {
    match ctx.scene.cache.get(&cache_key(ctx))? {
        CacheEntry::Search(found) => Some(found),
        _ => None,
    }
}

/// Returns the marked line; the first while none is.
fn marked(ctx: &ViewContext<'_>) -> Option<usize> {
    let last = found(ctx)?.lines().count().checked_sub(1)?;
    Some(ctx.marked_row().unwrap_or(0).min(last))
}

fn rows(search: &TerminalSearch) -> Vec<ListRow<(usize, &TerminalMatch)>> {
    let mut rows = Vec::new();
    let mut lines = search.lines().map(|(_, line)| line).enumerate();
    for of in &search.terminals {
        rows.push(ListRow::Text(head(of)));
        rows.extend(lines.by_ref().take(of.lines.len()).map(ListRow::Item));
    }
    rows
}

fn head(of: &TerminalMatches) -> Vec<StyledText> {
    let mut pieces = vec![strong(format!(" {}", of.name))];
    pieces.push(dim(format!("  {}", pluralized(of.lines.len(), "line"))));
    if of.left_out > 0 {
        pieces.push(dim(format!(", {} older skipped", of.left_out)));
    }
    pieces
}

/// Draws the time, the count, and the line with the words in it.
fn draw_line(ctx: &ViewContext<'_>, found: &TerminalMatch, line: Rect, canvas: &mut Canvas<'_>) {
    let time = clock(found.at, ctx.scene.session.utc_offset);
    let lead = vec![dim(format!("   {time}  "))];
    let used = canvas.line(line, &lead);
    let often = match found.count {
        0 | 1 => String::new(),
        times => format!(" {times} times "),
    };
    let right = canvas.right(line, &[dim(often)]);
    let room = skip_right(skip_left(line, used), right);
    let text = found.text.replace('\t', " ");
    let at = match_columns(&text, words(ctx).trim())
        .first()
        .map_or(0, |(from, _)| *from);
    // Words far to the right are brought into view.
    let hidden = if at + width(words(ctx)) > usize::from(room.width) {
        prefix(&text, at.saturating_sub(BEFORE)).len()
    } else {
        0
    };
    let shown = text.get(hidden..).unwrap_or_default();
    canvas.line(room, &[plain(shown)]);
    for (from, to) in match_columns(shown, words(ctx).trim()) {
        canvas.apply_columns(room, from, to, StyleRole::Found);
    }
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let words = words(ctx);
    let text = match ctx.scene.cache.get(&cache_key(ctx)) {
        _ if !is_searchable(words) => {
            format!("Words to look for in what all agents have shown; at least {LEAST_LETTERS} letters.")
        }
        Some(CacheEntry::Failed(why)) => format!("Could not {why}."),
        Some(CacheEntry::Search(found)) if found.is_done() => match found.total {
            0 => "No terminal has any output yet.".to_owned(),
            all => format!("`{words}` occurs in none of {all} terminals."),
        },
        _ => format!("Searching for `{words}`."),
    };
    let hint = format!(
        "{} other words    {} back",
        ctx.key_of(Action::Find),
        ctx.key_of(Action::Back)
    );
    canvas.empty_state(area, &text, StyleRole::Text, &hint);
}
