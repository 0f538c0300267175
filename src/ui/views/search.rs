//! Words in what all terminals have shown: agent by agent, the newest line first. Enter leads to that line in the agent's
//! terminal, or to what its screen showed then.

use ratatui::layout::Rect;

use super::list::stepped;
use super::{ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::domain::{Span, pluralized};
use crate::ui::action::Action;
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::area::{left_part, skip_left, skip_right};
use crate::ui::canvas::{Canvas, StyledText, piece};
use crate::ui::state::PaneContent;
use crate::ui::terminal_search::{
    LEAST_LETTERS, TerminalMatch, TerminalMatches, TerminalSearch, is_searchable, match_columns,
};
use crate::ui::text::{clock, prefix, width};
use crate::ui::theme::StyleRole;

/// The view that lists where words occur in everything terminals have shown.
pub(super) struct SearchView;

/// How long what was found is good enough: what is written later does not change what was.
const FRESH: Span = Span::minutes(1);
/// Columns of a line that are kept before the words, when they stand far to the right.
const BEFORE: usize = 24;

enum MatchRow<'a> {
    Of(&'a TerminalMatches),
    Line(usize, &'a TerminalMatch),
}

impl View for SearchView {
    fn description(&self) -> &'static str {
        "Words in what all agents have shown, from their logs, the newest first. Enter leads to that line in the agent's terminal, or to its screen as it was then."
    }

    fn title(&self, look: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("History of all agents", StyleRole::Title)];
        if !words(look).is_empty() {
            title.push(piece(format!("  /{}", words(look)), StyleRole::Key));
        }
        let Some(found) = found(look) else { return title };
        let many = found.lines().count();
        let figures = format!(
            "  {} of {}",
            pluralized(many, "line"),
            pluralized(found.terminals.len(), "terminal")
        );
        title.push(piece(figures, StyleRole::Dim));
        if found.left_out() > 0 {
            title.push(piece(
                format!("  {} older ones left out", found.left_out()),
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

    fn copy_items(&self, look: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let line = marked(look).and_then(|at| found(look)?.lines().nth(at));
        line.map(|(_, line)| ("line", line.text.clone()))
            .into_iter()
            .collect()
    }

    fn title_note(&self, look: &ViewContext<'_>) -> Option<StyledText> {
        let found = found(look).filter(|found| !found.is_done())?;
        let text = format!("searched {} of {}", found.searched, found.total);
        Some(piece(text, StyleRole::Retry))
    }

    fn cache_requests(&self, look: &ViewContext<'_>) -> Vec<CacheRequest> {
        let wanted = is_searchable(words(look)).then(|| CacheRequest {
            key: paper(look),
            max_age: FRESH,
        });
        wanted.into_iter().collect()
    }

    fn draw(&self, look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
        let rows = found(look).map(rows).unwrap_or_default();
        if rows.is_empty() {
            return empty(look, area, canvas);
        }
        let mark = marked(look);
        let at = rows
            .iter()
            .position(|row| matches!(row, MatchRow::Line(nth, _) if Some(*nth) == mark));
        look.list((area, 1), &rows, at)
            .draw(canvas, hits, |row, line, canvas| match row {
                MatchRow::Of(of) => {
                    head(of, line, canvas);
                    None
                }
                MatchRow::Line(nth, found) => {
                    draw_line(look, found, line, canvas);
                    Some(ClickTarget::Row(look.id, u64::try_from(*nth).unwrap_or(0)))
                }
            });
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        let (Some(found), Some(by)) = (found(look), step.rows(area.height)) else {
            return MoveOutcome::LeaveView;
        };
        let to = stepped(marked(look), by, found.lines().count());
        to.map_or(MoveOutcome::Nowhere, MoveOutcome::to_row)
    }
}

fn words<'a>(look: &'a ViewContext<'_>) -> &'a str {
    match &look.pane.content {
        PaneContent::Past(words) => words,
        _ => "",
    }
}

fn paper(look: &ViewContext<'_>) -> CacheKey {
    CacheKey::Search(words(look).trim().to_owned())
}

fn found<'a>(look: &ViewContext<'a>) -> Option<&'a TerminalSearch> {
    match look.scene.cache.get(&paper(look))? {
        CacheEntry::Search(found) => Some(found),
        _ => None,
    }
}

/// The marked line; the first while none is.
fn marked(look: &ViewContext<'_>) -> Option<usize> {
    let last = found(look)?.lines().count().checked_sub(1)?;
    let mark = look.pane.mark.and_then(|mark| usize::try_from(mark).ok());
    Some(mark.unwrap_or(0).min(last))
}

fn rows(found: &TerminalSearch) -> Vec<MatchRow<'_>> {
    let mut rows = Vec::new();
    let mut nth = 0;
    for of in &found.terminals {
        rows.push(MatchRow::Of(of));
        for line in &of.lines {
            rows.push(MatchRow::Line(nth, line));
            nth += 1;
        }
    }
    rows
}

fn head(of: &TerminalMatches, line: Rect, canvas: &mut Canvas<'_>) {
    let mut pieces = vec![piece(format!(" {}", of.name), StyleRole::Strong)];
    pieces.push(piece(
        format!("  {}", pluralized(of.lines.len(), "line")),
        StyleRole::Dim,
    ));
    if of.left_out > 0 {
        pieces.push(piece(format!(", {} older left out", of.left_out), StyleRole::Dim));
    }
    canvas.line(line, &pieces);
}

/// Time, how often, and the line with the words in it.
fn draw_line(look: &ViewContext<'_>, found: &TerminalMatch, line: Rect, canvas: &mut Canvas<'_>) {
    let time = clock(found.at, look.scene.session.utc_offset);
    let lead = vec![piece(format!("   {time}  "), StyleRole::Dim)];
    let used = canvas.line(line, &lead);
    let often = match found.count {
        0 | 1 => String::new(),
        times => format!(" {times} times "),
    };
    let right = canvas.right(line, &[piece(often, StyleRole::Dim)]);
    let room = skip_right(skip_left(line, used), right);
    let text = found.text.replace('\t', " ");
    let at = match_columns(&text, words(look).trim())
        .first()
        .map_or(0, |(from, _)| *from);
    // Words far to the right are brought into view.
    let hidden = if at + width(words(look)) > usize::from(room.width) {
        prefix(&text, at.saturating_sub(BEFORE)).len()
    } else {
        0
    };
    let shown = text.get(hidden..).unwrap_or_default();
    canvas.line(room, &[piece(shown, StyleRole::Text)]);
    for (from, to) in match_columns(shown, words(look).trim()) {
        let column = |at: usize| u16::try_from(at).unwrap_or(u16::MAX).min(room.width);
        let found = left_part(skip_left(room, column(from)), column(to) - column(from));
        canvas.apply_role(found, StyleRole::Found);
    }
}

fn empty(look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let key = |action| look.state.keymap.hint(action).unwrap_or_default();
    let words = words(look);
    let text = match look.scene.cache.get(&paper(look)) {
        _ if !is_searchable(words) => {
            format!("Words to look for in what all agents have shown; at least {LEAST_LETTERS} letters.")
        }
        Some(CacheEntry::Failed(why)) => format!("Could not {why}."),
        Some(CacheEntry::Search(found)) if found.is_done() => match found.total {
            0 => "No agent has written anything yet.".to_owned(),
            all => format!("`{words}` occurs in none of {all} terminals."),
        },
        _ => format!("Looking for `{words}`."),
    };
    let hint = format!("{} other words    {} back", key(Action::Find), key(Action::Back));
    canvas.empty_state(area, (&text, StyleRole::Text), &hint);
}
