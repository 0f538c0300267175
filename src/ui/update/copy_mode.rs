//! Copy mode: a terminal is frozen; keys move over its lines, search them, select and copy.

mod words;

pub(super) use words::word_at;
use words::{WordEdge, word_back, word_on};

use std::sync::Arc;

use super::{ProgramInput, UiRequest, UpdateContext};
use crate::display::text::{clean, cut};
use crate::domain::NoticeLevel;
use crate::keymap::Direction;
use crate::keymap::SelectionMode;
use crate::keymap::TextMove;
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::scrollback::{Scrollback, ScrollbackLine, TextPosition};
use crate::ui::state::{CopyMode, EditorPurpose, KeyFocus, OlderLines};
use crate::ui::views::{ViewMove, first_row_shown};

/// Maximum bytes that are copied: terminals refuse more, or hang.
const MOST_BYTES: usize = 100 * 1024;
/// Columns of the copied text that a toast shows.
const MOST_SHOWN: usize = 40;
/// Maximum bytes that are opened in an editor, those written last.
const MOST_EDITED: usize = 4 * 1024 * 1024;

impl UpdateContext<'_, '_> {
    pub(super) fn focused_copy_mode(&self, layout: &ScreenLayout) -> Option<&CopyMode> {
        let copying = self.state.copy_mode.as_ref();
        copying.filter(|copying| copying.pane == layout.focus)
    }

    pub(super) fn height(&self) -> usize {
        let layout = self.arranged();
        let placed = layout.focused();
        placed.map_or(1, |placed| usize::from(placed.inner.height)).max(1)
    }

    pub(super) fn enter_copy_mode(&mut self, layout: &ScreenLayout, at: Option<(u16, u16)>) -> bool {
        let pane = self.state.pane(layout.focus);
        let Some(screen) = pane.content.screen() else {
            return false;
        };
        let height = layout.focused().map_or(1, |placed| placed.inner.height);
        let held = self.scene.screens.read(screen, |screen| {
            let back = pane.scroll.min(screen.history_len());
            let top = screen.history_len() - back + usize::from(first_row_shown(screen, height));
            (screen.scrollback(), top, back)
        });
        let Some((still, top, back)) = held else {
            return false;
        };
        let bottom = (top + usize::from(height).saturating_sub(1)).min(still.last_line());
        let cursor = if back == 0 { still.cursor } else { (bottom, 0) };
        let spot = at.map_or(cursor, |(column, row)| {
            (
                (top + usize::from(row)).min(still.last_line()),
                usize::from(column),
            )
        });
        let then = match self.state.key_focus {
            KeyFocus::Terminal(id) | KeyFocus::Prefix { then: Some(id), .. } => Some(id),
            KeyFocus::Views
            | KeyFocus::Opening(_)
            | KeyFocus::DropUntil(_)
            | KeyFocus::Prefix { then: None, .. } => None,
        };
        self.state.key_focus = KeyFocus::Views;
        self.state.copy_mode = Some(CopyMode {
            pane: layout.focus,
            screen,
            cursor: (spot.0.min(still.last_line()), spot.1),
            scrollback: Arc::new(still),
            anchor: None,
            top,
            search: (String::new(), true),
            return_to: then,
            older: OlderLines::NotLoaded,
        });
        true
    }

    pub(super) fn leave_copy_mode(&mut self) {
        if let Some(copying) = self.state.copy_mode.take() {
            self.state.key_focus = copying.return_to.map_or(KeyFocus::Views, KeyFocus::Terminal);
        }
    }

    pub(super) fn move_to(&mut self, spot: TextPosition, layout: &ScreenLayout) {
        let height = self.height();
        let Some(copying) = &mut self.state.copy_mode else {
            return;
        };
        let stuck = copying.cursor == spot && spot.0 == 0;
        copying.cursor = spot;
        copying.reveal(height);
        if stuck {
            self.request_older_lines(layout);
        }
    }

    pub(super) fn scroll_copy_mode(&mut self, by: isize) {
        let height = self.height();
        if let Some(copying) = &mut self.state.copy_mode {
            let most = copying.scrollback.lines.len().saturating_sub(height);
            copying.top = copying.top.saturating_add_signed(by).min(most);
            let last = copying.top + height.saturating_sub(1);
            copying.cursor.0 = copying
                .cursor
                .0
                .clamp(copying.top, last)
                .min(copying.scrollback.last_line());
        }
    }

    pub(super) fn request_older_lines(&mut self, layout: &ScreenLayout) {
        let Some(copying) = &mut self.state.copy_mode else {
            return;
        };
        match copying.older {
            OlderLines::NotLoaded => {
                copying.older = OlderLines::Loading;
                let screen = copying.screen;
                let area = layout.focused().map(|placed| placed.inner);
                let width = area.map_or(80, |area| area.width);
                self.ask(UiRequest::LoadOlderLines(screen, width));
                self.inform("reading older lines from the log");
            }
            OlderLines::Loading => {}
            OlderLines::Loaded => self.warn("this is where its output begins"),
        }
    }

    /// Stops selecting with the first key, and leaves with the next one.
    pub(super) fn clear_selection(&mut self) {
        match &mut self.state.copy_mode {
            Some(copying) if copying.anchor.is_some() => copying.anchor = None,
            _ => self.leave_copy_mode(),
        }
    }

    pub(super) fn select(&mut self, select: SelectionMode) {
        if let Some(copying) = &mut self.state.copy_mode {
            copying.anchor = match copying.anchor {
                Some((same, _)) if same == select => None,
                Some((_, from)) => Some((select, from)),
                None => Some((select, copying.cursor)),
            };
        }
    }

    /// Moves to the other end of the selection; without one, opens the link under the cursor.
    pub(super) fn other_end(&mut self, layout: &ScreenLayout) {
        let height = self.height();
        let Some(copying) = &mut self.state.copy_mode else {
            return;
        };
        let Some((select, from)) = copying.anchor else {
            return self.open_link(layout);
        };
        copying.anchor = Some((select, copying.cursor));
        copying.cursor = from;
        copying.reveal(height);
    }

    pub(super) fn next_match(&mut self, same_way: bool) {
        let height = self.height();
        let Some(copying) = &mut self.state.copy_mode else {
            return;
        };
        let (words, onward) = copying.search.clone();
        if words.is_empty() {
            return self.warn("nothing was searched for");
        }
        match copying
            .scrollback
            .find(&words, copying.cursor, onward == same_way)
        {
            Some(spot) => {
                copying.cursor = spot;
                copying.reveal(height);
            }
            None => self.warn(format!("`{words}` does not occur")),
        }
    }

    /// Moves to the next prompt of a shell, or to the one before; a live terminal is held still for it.
    pub(super) fn jump_to_prompt(&mut self, onward: bool, layout: &ScreenLayout) {
        let goes_on = self.focused_copy_mode(layout).is_none();
        if goes_on {
            self.enter_copy_mode(layout, None);
        }
        let Some(copying) = self.focused_copy_mode(layout) else {
            return;
        };
        let (still, line) = (copying.scrollback.as_ref(), copying.cursor.0);
        if let Some(line) = still.prompt_from(line, onward) {
            return self.move_to((line, 0), layout);
        }
        let is_marked = still.lines.iter().any(|line| line.is_prompt);
        if goes_on {
            self.leave_copy_mode();
        }
        match (is_marked, onward) {
            (false, _) => self.warn("no prompt is marked here; a shell marks its prompts with OSC 133"),
            (true, true) => self.warn("there is no prompt below"),
            (true, false) if goes_on => self.warn("there is no prompt above"),
            (true, false) => self.request_older_lines(layout),
        }
    }

    pub(super) fn yank(&mut self) {
        let Some(copying) = &self.state.copy_mode else {
            return;
        };
        let text = copying.text();
        self.leave_copy_mode();
        self.copy_text(None, &text);
    }

    pub(super) fn copy_text(&mut self, named: Option<&str>, text: &str) {
        if text.is_empty() {
            return self.warn("there is nothing to copy");
        }
        let mut end = MOST_BYTES.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let part = text.get(..end).unwrap_or_default().to_owned();
        let lines = part.lines().count();
        let what = match lines {
            0 | 1 if named.is_some() => format!(
                "{} `{}`",
                named.unwrap_or_default(),
                cut(&clean(&part), MOST_SHOWN, "…")
            ),
            0 | 1 => format!("{} characters", part.chars().count()),
            lines => format!("{lines} lines"),
        };
        let toast = if end < text.len() {
            format!("copied only the first 100 KB, {what}: terminals take no more")
        } else {
            format!("copied {what} (by OSC 52; some terminals ignore it)")
        };
        let level = if end < text.len() {
            NoticeLevel::Warning
        } else {
            NoticeLevel::Info
        };
        self.state.show_toast(self.scene.now, level, toast);
        self.state.clipboard.clone_from(&part);
        self.ask(UiRequest::CopyToClipboard(part));
    }

    pub(super) fn edit_text(&mut self, layout: &ScreenLayout) {
        let text = match self.focused_copy_mode(layout) {
            Some(copying) if copying.anchor.is_some() => copying.text(),
            Some(copying) => full_text(&copying.scrollback),
            None => {
                let screen = self.state.pane(layout.focus).content.screen();
                let read = |id| {
                    self.scene
                        .screens
                        .read(id, |screen| full_text(&screen.scrollback()))
                };
                screen.and_then(read).unwrap_or_default()
            }
        };
        let mut from = text.len().saturating_sub(MOST_EDITED);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        self.state.editing = Some(EditorPurpose::Text);
        self.ask(UiRequest::OpenEditor(
            text.get(from..).unwrap_or_default().to_owned(),
        ));
    }

    pub(super) fn paste_copied(&mut self, layout: &ScreenLayout) {
        let screen = self.state.pane(layout.focus).content.screen();
        match (screen, self.state.clipboard.clone()) {
            (_, text) if text.is_empty() => self.warn("paste: nothing was copied here yet"),
            (Some(id), text) => self.paste_previewed(id, text),
            (None, _) => {}
        }
    }

    pub(super) fn paste_into(&mut self, id: ScreenId, text: String) {
        self.ask(UiRequest::SendInput(id, ProgramInput::Paste(text)));
    }

    /// Returns the position after a movement over the text in copy mode; `None` if none is held still.
    pub(super) fn position_after(&self, movement: ViewMove, layout: &ScreenLayout) -> Option<TextPosition> {
        let copying = self.focused_copy_mode(layout)?;
        let (still, (line, column)) = (copying.scrollback.as_ref(), copying.cursor);
        let page = self.height().saturating_sub(1).max(1);
        Some(match movement {
            ViewMove::One(Direction::Up) => copying.up(1),
            ViewMove::One(Direction::Down) => copying.down(1),
            ViewMove::One(Direction::Left) => (line, left_of(still, (line, column))),
            ViewMove::One(Direction::Right) => (line, right_of(still, (line, column))),
            ViewMove::First => (0, 0),
            ViewMove::Last => (still.last_line(), 0),
            ViewMove::PageUp => copying.up(page),
            ViewMove::PageDown => copying.down(page),
            ViewMove::Lines(_) | ViewMove::Next | ViewMove::Previous => return None,
        })
    }

    pub(super) fn move_over_text(&mut self, motion: TextMove, layout: &ScreenLayout) {
        let height = self.height();
        let Some(copying) = self.focused_copy_mode(layout) else {
            return;
        };
        let (still, (line, column)) = (copying.scrollback.as_ref(), copying.cursor);
        let seen = |row: usize| ((copying.top + row).min(still.last_line()), column);
        let spot = match motion {
            TextMove::HalfUp => copying.up((height / 2).max(1)),
            TextMove::HalfDown => copying.down((height / 2).max(1)),
            TextMove::Top => seen(0),
            TextMove::Middle => seen(height / 2),
            TextMove::Bottom => seen(height.saturating_sub(1)),
            TextMove::LineStart => (line, 0),
            TextMove::LineEnd => (line, still.width(line).saturating_sub(1)),
            TextMove::LineFirst => (line, first_letter(still, line)),
            TextMove::WordNext => word_on(still, copying.cursor, WordEdge::Begin),
            TextMove::WordEnd => word_on(still, copying.cursor, WordEdge::End),
            TextMove::WordBack => word_back(still, copying.cursor),
        };
        self.move_to(spot, layout);
    }
}

/// Returns all of its text.
fn full_text(still: &Scrollback) -> String {
    still.text(SelectionMode::Lines, (0, 0), (still.last_line(), 0))
}

fn left_of(still: &Scrollback, (line, column): TextPosition) -> usize {
    let graphemes = still.line(line).into_iter().flat_map(ScrollbackLine::graphemes);
    let before = graphemes.map(|(at, _)| at).take_while(|at| *at < column);
    before.last().unwrap_or_else(|| column.saturating_sub(1))
}

fn right_of(still: &Scrollback, (line, column): TextPosition) -> usize {
    let mut graphemes = still.line(line).into_iter().flat_map(ScrollbackLine::graphemes);
    graphemes
        .find(|(at, _)| *at > column)
        .map_or(column, |(at, _)| at)
}

fn first_letter(still: &Scrollback, line: usize) -> usize {
    let mut graphemes = still.line(line).into_iter().flat_map(ScrollbackLine::graphemes);
    graphemes
        .find(|(_, grapheme)| !grapheme.trim().is_empty())
        .map_or(0, |(at, _)| at)
}
