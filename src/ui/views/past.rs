//! Words in what all terminals have shown: agent by agent, the newest line first. Enter leads to that line in the agent's
//! terminal, or to what its screen showed then.

use ratatui::layout::Rect;

use super::{Hit, Hits, Look, Moved, Step, View, first_row, stepped};
use crate::domain::{Span, counted};
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::past::{LEAST_LETTERS, Occurrence, Occurrences, OccurrencesIn, is_enough, spans};
use crate::ui::shelf::{Paper, Sheet, Want};
use crate::ui::state::Content;
use crate::ui::text::{clock, prefix, width};
use crate::ui::theme::Role;

/// Words in what all terminals have shown.
pub(super) struct PastView;

/// How long what was found is good enough: what is written later does not change what was.
const FRESH: Span = Span::minutes(1);
/// Columns of a line that are kept before the words, when they stand far to the right.
const BEFORE: usize = 24;

enum Row<'a> {
    Of(&'a OccurrencesIn),
    Line(usize, &'a Occurrence),
}

impl View for PastView {
    fn about(&self) -> &'static str {
        "Words in what all agents have shown, from their logs, the newest first. Enter leads to that line in the agent's terminal, or to its screen as it was then."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let mut title = vec![piece("History of all agents", Role::Title)];
        if !words(look).is_empty() {
            title.push(piece(format!("  /{}", words(look)), Role::Key));
        }
        let Some(found) = found(look) else { return title };
        let many = found.lines().count();
        let figures = format!(
            "  {} of {}",
            counted(many, "line"),
            counted(found.of.len(), "terminal")
        );
        title.push(piece(figures, Role::Dim));
        if found.left_out() > 0 {
            title.push(piece(
                format!("  {} older ones left out", found.left_out()),
                Role::Retry,
            ));
        }
        if found.unreadable > 0 {
            title.push(piece(
                format!("  {} logs cannot be read", found.unreadable),
                Role::Retry,
            ));
        }
        title
    }

    fn copies(&self, look: &Look<'_>) -> Vec<(&'static str, String)> {
        let line = marked(look).and_then(|at| found(look)?.lines().nth(at));
        line.map(|(_, line)| ("line", line.text.clone()))
            .into_iter()
            .collect()
    }

    fn note(&self, look: &Look<'_>) -> Option<Piece> {
        let found = found(look).filter(|found| !found.is_done())?;
        let text = format!("searched {} of {}", found.searched, found.all);
        Some(piece(text, Role::Retry))
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let wanted = is_enough(words(look)).then(|| Want {
            paper: paper(look),
            fresh_for: FRESH,
        });
        wanted.into_iter().collect()
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let rows = found(look).map(rows).unwrap_or_default();
        if rows.is_empty() {
            return empty(look, area, canvas);
        }
        let mark = marked(look);
        let at = rows
            .iter()
            .position(|row| matches!(row, Row::Line(nth, _) if Some(*nth) == mark));
        let height = usize::from(area.height);
        let first = first_row(at.unwrap_or(0), height, rows.len());
        for (place, row) in rows.iter().skip(first).take(height).enumerate() {
            let line = row_of(area, place);
            match row {
                Row::Of(of) => head(of, line, canvas),
                Row::Line(nth, found) => {
                    draw_line(look, found, line, canvas);
                    if Some(*nth) == mark {
                        canvas.tint(line, look.chosen());
                    }
                    hits.push((line, Hit::Mark(look.id, u64::try_from(*nth).unwrap_or(0))));
                }
            }
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let (Some(found), Some(by)) = (found(look), step.rows(area.height)) else {
            return Moved::Out;
        };
        let to = stepped(marked(look), by, found.lines().count());
        let mark = to.and_then(|to| u64::try_from(to).ok());
        mark.map_or(Moved::Nowhere, |mark| Moved::Marked { mark, scroll: 0 })
    }
}

fn words<'a>(look: &'a Look<'_>) -> &'a str {
    match &look.pane.content {
        Content::Past(words) => words,
        _ => "",
    }
}

fn paper(look: &Look<'_>) -> Paper {
    Paper::Past(words(look).trim().to_owned())
}

fn found<'a>(look: &Look<'a>) -> Option<&'a Occurrences> {
    match look.scene.shelf.sheet(&paper(look))? {
        Sheet::Past(found) => Some(found),
        _ => None,
    }
}

/// The marked line; the first while none is.
fn marked(look: &Look<'_>) -> Option<usize> {
    let last = found(look)?.lines().count().checked_sub(1)?;
    let mark = look.pane.mark.and_then(|mark| usize::try_from(mark).ok());
    Some(mark.unwrap_or(0).min(last))
}

fn rows(found: &Occurrences) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut nth = 0;
    for of in &found.of {
        rows.push(Row::Of(of));
        for line in &of.lines {
            rows.push(Row::Line(nth, line));
            nth += 1;
        }
    }
    rows
}

fn head(of: &OccurrencesIn, line: Rect, canvas: &mut Canvas<'_>) {
    let mut pieces = vec![piece(format!(" {}", of.name), Role::Strong)];
    pieces.push(piece(format!("  {}", counted(of.lines.len(), "line")), Role::Dim));
    if of.left_out > 0 {
        pieces.push(piece(format!(", {} older left out", of.left_out), Role::Dim));
    }
    canvas.line(line, &pieces);
}

/// Time, how often, and the line with the words in it.
fn draw_line(look: &Look<'_>, found: &Occurrence, line: Rect, canvas: &mut Canvas<'_>) {
    let time = clock(found.at, look.scene.session.utc_offset);
    let lead = vec![piece(format!("   {time}  "), Role::Dim)];
    let used = canvas.line(line, &lead);
    let often = match found.times {
        0 | 1 => String::new(),
        times => format!(" {times} times "),
    };
    let right = canvas.right(line, &[piece(often, Role::Dim)]);
    let room = Rect {
        x: line.x + used,
        width: line.width.saturating_sub(used + right),
        ..line
    };
    let text = found.text.replace('\t', " ");
    let at = spans(&text, words(look).trim())
        .first()
        .map_or(0, |(from, _)| *from);
    // Words far to the right are brought into view.
    let hidden = if at + width(words(look)) > usize::from(room.width) {
        prefix(&text, at.saturating_sub(BEFORE)).len()
    } else {
        0
    };
    let shown = text.get(hidden..).unwrap_or_default();
    canvas.line(room, &[piece(shown, Role::Text)]);
    for (from, to) in spans(shown, words(look).trim()) {
        let column = |at: usize| u16::try_from(at).unwrap_or(u16::MAX).min(room.width);
        let area = Rect {
            x: room.x + column(from),
            width: column(to) - column(from),
            ..room
        };
        canvas.tint(area, Role::Found);
    }
}

fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let top = usize::from(area.height) / 3;
    let key = |action| look.state.keymap.hint(action).unwrap_or_default();
    let words = words(look);
    let text = match look.scene.shelf.sheet(&paper(look)) {
        _ if !is_enough(words) => {
            format!("Words to look for in what all agents have shown; at least {LEAST_LETTERS} letters.")
        }
        Some(Sheet::Failed(why)) => format!("Could not {why}."),
        Some(Sheet::Past(found)) if found.is_done() => match found.all {
            0 => "No agent has written anything yet.".to_owned(),
            all => format!("`{words}` occurs in none of {all} terminals."),
        },
        _ => format!("Looking for `{words}`."),
    };
    canvas.centre(row_of(area, top), &text, Role::Text);
    let hint = format!("{} other words    {} back", key(Action::Find), key(Action::Back));
    canvas.centre(row_of(area, top + 2), &hint, Role::Dim);
}
