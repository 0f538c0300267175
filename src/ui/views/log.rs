//! The watcher's log: what happened, newest at the bottom; follows unless scrolled back.

use ratatui::layout::Rect;

use super::{Hits, Look, Moved, Step, View, scrolled};
use crate::domain::Level;
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width, row_of};
use crate::ui::scene::LogLine;
use crate::ui::text::{clock, prefix, width, wrap};
use crate::ui::theme::{Glyphs, Role};

/// The watcher's log.
pub(super) struct LogView;

impl View for LogView {
    fn title(&self, _look: &Look<'_>) -> Vec<Piece> {
        vec![piece("Watcher", Role::Title)]
    }

    fn note(&self, look: &Look<'_>) -> Option<Piece> {
        let newer = look.pane.scroll.min(look.scene.log.len());
        (newer > 0).then(|| piece(format!("{newer} newer below"), Role::Retry))
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, _hits: &mut Hits) {
        if look.scene.log.is_empty() {
            return canvas.centre(
                row_of(area, usize::from(area.height) / 3),
                "Nothing has happened yet.",
                Role::Dim,
            );
        }
        let mut rows: Vec<Vec<Piece>> = Vec::new();
        let newest = look
            .scene
            .log
            .len()
            .saturating_sub(look.pane.scroll.min(look.scene.log.len() - 1));
        for line in look.scene.log.iter().take(newest).rev() {
            rows.extend(entry(look, line, area.width).into_iter().rev());
            if rows.len() >= usize::from(area.height) {
                break;
            }
        }
        let shown = rows.len().min(usize::from(area.height));
        for (at, pieces) in rows.iter().take(shown).rev().enumerate() {
            canvas.line(row_of(area, at), pieces);
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let Some(rows) = step.rows(area.height) else {
            return Moved::Out;
        };
        let most = look.scene.log.len().saturating_sub(1);
        Moved::Scrolled(scrolled(look.pane.scroll.min(most), -rows, most))
    }
}

/// One entry: time, glyph, task, sentence; wrapped under the sentence's beginning.
fn entry(look: &Look<'_>, line: &LogLine, room: u16) -> Vec<Vec<Piece>> {
    let time = clock(line.at, look.scene.session.utc_offset);
    let time = if room < 44 { prefix(&time, 5) } else { &time };
    let (glyph, role) = mark(line.notice.level, look.scene.theme.glyphs);
    let mut lead = vec![
        piece(format!("{time} "), Role::Dim),
        piece(format!("{glyph} "), role),
    ];
    if let Some(task) = &line.notice.task {
        lead.push(piece(format!("{task} "), Role::Dim));
    }
    let indent = pieces_width(&lead);
    let left = usize::from(room).saturating_sub(indent);
    let text_role = if line.notice.level == Level::Info {
        Role::Text
    } else {
        role
    };
    let mut rows = Vec::new();
    let (indent, left) = if left < 16 {
        (2, usize::from(room).saturating_sub(2))
    } else {
        (indent, left)
    };
    let mut texts = wrap(&line.notice.text, left.max(2)).into_iter();
    if let Some(first) = texts.next() {
        if pieces_width(&lead) + width(&first) > usize::from(room) {
            rows.push(std::mem::take(&mut lead));
            lead.push(piece(" ".repeat(indent), Role::Dim));
        }
        lead.push(piece(first, text_role));
    }
    rows.push(lead);
    rows.extend(texts.map(|text| vec![piece(" ".repeat(indent), Role::Dim), piece(text, text_role)]));
    rows
}

fn mark(level: Level, glyphs: Glyphs) -> (&'static str, Role) {
    let (unicode, ascii, role) = match level {
        Level::Info => ("∙", ".", Role::Dim),
        Level::Success => ("✓", "+", Role::Done),
        Level::Warning => ("↻", "r", Role::Retry),
        Level::Error => ("✗", "x", Role::Failed),
        Level::Alert => ("⚑", "!", Role::Human),
    };
    match glyphs {
        Glyphs::Unicode => (unicode, role),
        Glyphs::Ascii => (ascii, role),
    }
}
