//! Copy mode: a terminal that is held still to take text from it. Data, and small queries on it.

use std::sync::Arc;

use super::UiState;
use crate::domain::{NoticeLevel, Timestamp};
use crate::keymap::SelectionMode;
use crate::ui::pane::PaneId;
use crate::ui::scene::ScreenId;
use crate::ui::scrollback::{Scrollback, ScrollbackLine, TextPosition};

/// The state of copy mode: a frozen terminal with cursor, selection and search.
#[derive(Debug, Clone)]
pub(crate) struct CopyMode {
    /// The pane of the frozen terminal.
    pub(crate) pane: PaneId,
    pub(crate) screen: ScreenId,
    /// Copy of the history and the screen when copy mode began.
    pub(crate) scrollback: Arc<Scrollback>,
    pub(crate) cursor: TextPosition,
    /// Start and mode of the selection.
    pub(crate) anchor: Option<(SelectionMode, TextPosition)>,
    /// The first line that is drawn.
    pub(crate) top: usize,
    /// The last search words, and true if the search went downward.
    pub(crate) search: (String, bool),
    /// The receiver of the keys afterwards.
    pub(crate) return_to: Option<ScreenId>,
    /// Loading state of the lines older than those in memory.
    pub(crate) older: OlderLines,
}

/// Loading state of lines older than those in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OlderLines {
    /// Lines that were not requested.
    #[default]
    NotLoaded,
    Loading,
    Loaded,
}

impl UiState {
    /// Adds lines that a terminal showed before those in memory, oldest first; lines that both hold are joined.
    pub fn add_older_lines(&mut self, now: Timestamp, screen: ScreenId, lines: Vec<ScrollbackLine>) {
        let Some(copying) = &mut self.copy_mode else {
            return;
        };
        if copying.screen != screen {
            return;
        }
        let came = Arc::make_mut(&mut copying.scrollback).prepend(lines);
        copying.older = OlderLines::Loaded;
        copying.cursor.0 += came;
        copying.top += came;
        if let Some((_, from)) = &mut copying.anchor {
            from.0 += came;
        }
        let text = match came {
            0 => "the log holds nothing older".to_owned(),
            came => format!("{came} older lines from the log"),
        };
        self.show_toast(now, NoticeLevel::Info, text);
    }
}

impl CopyMode {
    /// Scrolls so that the cursor is visible.
    pub(crate) fn reveal(&mut self, height: usize) {
        let most = self.scrollback.lines.len().saturating_sub(height);
        let least = (self.cursor.0 + 1).saturating_sub(height);
        self.top = self.top.max(least).min(self.cursor.0).min(most);
    }

    /// Returns the position `by` lines above the cursor.
    pub(crate) fn up(&self, by: usize) -> TextPosition {
        (self.cursor.0.saturating_sub(by), self.cursor.1)
    }

    /// Returns the position `by` lines below the cursor.
    pub(crate) fn down(&self, by: usize) -> TextPosition {
        (
            (self.cursor.0 + by).min(self.scrollback.last_line()),
            self.cursor.1,
        )
    }

    /// Returns the position of the text drawn in that cell: column, row.
    pub(crate) fn position_at(&self, column: u16, row: u16) -> TextPosition {
        let line = (self.top + usize::from(row)).min(self.scrollback.last_line());
        (line, usize::from(column))
    }

    /// Returns the selected text; the line of the cursor when nothing is selected.
    pub(crate) fn text(&self) -> String {
        let (select, from) = self.anchor.unwrap_or((SelectionMode::Lines, self.cursor));
        self.scrollback.text(select, from, self.cursor)
    }
}
