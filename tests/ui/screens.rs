//! Terminals without programs, filled with fixed text.

use std::collections::BTreeMap;

use dbs::domain::{AttemptId, Timestamp};
use dbs::read_model::LiveActivity;
use dbs::term::CursorShape;
use dbs::ui::{
    MouseReporting, ProgramReport, ScreenCursor, ScreenId, ScreenRead, Screens, Scrollback, ScrollbackLine,
};
use ratatui::style::{Color, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Line that makes the drawing of its terminal panic.
pub(crate) const BREAKS: &str = "this line breaks";

/// Beginning of a line that a shell marked as a prompt.
pub(crate) const PROMPT: &str = "❯ ";

#[derive(Default)]
pub(crate) struct TextScreens {
    pub(crate) all: BTreeMap<ScreenId, TextScreen>,
    /// Activities of agents about which more is known than the board holds.
    pub(crate) doing: BTreeMap<AttemptId, LiveActivity>,
    /// Reports of programs beside their screens.
    pub(crate) reports: BTreeMap<ScreenId, ProgramReport>,
}

#[derive(Clone)]
pub(crate) struct TextScreen {
    pub(crate) lines: Vec<String>,
    pub(crate) rows: u16,
    pub(crate) wants: MouseReporting,
    pub(crate) alive: bool,
    pub(crate) marks_pastes: bool,
}

impl TextScreens {
    pub(crate) fn agent(&mut self, attempt: u64, text: &str) {
        self.put(ScreenId::Attempt(AttemptId(attempt)), text);
    }

    pub(crate) fn put(&mut self, id: ScreenId, text: &str) {
        let screen = TextScreen {
            lines: text.lines().map(str::to_owned).collect(),
            rows: 30,
            wants: MouseReporting::default(),
            marks_pastes: true,
            alive: true,
        };
        self.all.insert(id, screen);
    }
}

/// The trait hands out the screen mutably, so readers get a copy.
impl Screens for TextScreens {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let Some(screen) = self.all.get(&id) else {
            return false;
        };
        read(&mut screen.clone());
        true
    }

    fn activity(&self, attempt: AttemptId) -> Option<LiveActivity> {
        self.doing.get(&attempt).cloned()
    }

    fn reported(&self, id: ScreenId) -> ProgramReport {
        self.reports.get(&id).cloned().unwrap_or_default()
    }
}

impl TextScreen {
    fn breaks(&self) {
        assert!(!self.lines.contains(&BREAKS.to_owned()), "broken by a test");
    }

    fn visible(&self, back: usize) -> Vec<&str> {
        let rows = usize::from(self.rows);
        let end = self.lines.len().saturating_sub(back);
        let start = end.saturating_sub(rows);
        self.lines[start..end].iter().map(String::as_str).collect()
    }
}

impl ScreenRead for TextScreen {
    fn size(&self) -> (u16, u16) {
        (100, self.rows)
    }

    fn history_len(&self) -> usize {
        self.lines.len().saturating_sub(usize::from(self.rows))
    }

    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.breaks();
        for (row, line) in (0..).zip(self.visible(back)) {
            let mut column = 0;
            let style = if line.starts_with('>') {
                Style::new().fg(Color::Green)
            } else {
                Style::new()
            };
            for grapheme in line.graphemes(true) {
                show(column, row, grapheme, style);
                column += u16::try_from(grapheme.width()).expect("short");
            }
        }
    }

    fn row(&mut self, row: u16, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.cells(0, &mut |column, at, text, style| {
            if at == row {
                show(column, at, text, style);
            }
        });
    }

    fn text_rows(&mut self) -> Vec<String> {
        self.breaks();
        self.visible(0).into_iter().map(str::to_owned).collect()
    }

    fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>) {
        (seen + 1, (0..self.rows).collect())
    }

    fn is_frame_complete(&self, _now: Timestamp) -> bool {
        true
    }

    fn scrollback(&mut self) -> Scrollback {
        let line = |text: &String| ScrollbackLine {
            is_prompt: text.starts_with(PROMPT),
            ..ScrollbackLine::plain(text)
        };
        let lines: Vec<ScrollbackLine> = self.lines.iter().map(line).collect();
        Scrollback {
            cursor: (lines.len().saturating_sub(1), 0),
            lines,
        }
    }

    fn cursor(&self) -> Option<ScreenCursor> {
        let lines = self.visible(0);
        Some(ScreenCursor {
            column: u16::try_from(lines.last().map_or(0, |line| line.width())).expect("short"),
            row: u16::try_from(lines.len().saturating_sub(1)).expect("short"),
            shape: CursorShape::default(),
        })
    }

    fn output_row(&self) -> u16 {
        u16::try_from(self.visible(0).len().saturating_sub(1)).expect("short")
    }

    fn mouse_reporting(&self) -> MouseReporting {
        self.wants
    }

    fn bracketed_paste(&self) -> bool {
        self.marks_pastes
    }

    fn title(&self) -> String {
        String::new()
    }

    fn is_running(&self) -> bool {
        self.alive
    }
}
