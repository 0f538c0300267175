//! The bridge to the terminal layer: its screens as something to draw.

use ratatui::style::{Color, Modifier, Style};

use super::last_output::{LastOutputCache, last_output};
use super::scene::{MouseReporting, ScreenCursor, ScreenRead};
use super::scrollback::{Scrollback, ScrollbackLine};
use crate::domain::Timestamp;
use crate::term::{
    Cell, CellAttributes, CellStyle, CellWidth, Color as TermColor, MouseMode, TermMode, Terminal, Underline,
};

/// A locked terminal and whether its program still runs, readable as a screen.
pub struct LiveScreen<'a> {
    terminal: &'a mut Terminal,
    alive: bool,
    row: Vec<Cell>,
    last_output: Option<&'a mut LastOutputCache>,
}

impl<'a> LiveScreen<'a> {
    /// Creates a screen of that terminal.
    pub fn new(terminal: &'a mut Terminal, alive: bool) -> LiveScreen<'a> {
        LiveScreen {
            terminal,
            alive,
            row: Vec::new(),
            last_output: None,
        }
    }

    /// Adds the cache of the last output.
    #[must_use]
    pub fn with_last_output(self, cache: &'a mut LastOutputCache) -> LiveScreen<'a> {
        LiveScreen {
            last_output: Some(cache),
            ..self
        }
    }
}

impl LiveScreen<'_> {
    /// Returns the words of a row to which the program gave a link.
    fn links(&mut self, row: u16, back: usize) -> Vec<(std::ops::Range<u16>, String)> {
        let mut links: Vec<(std::ops::Range<u16>, String)> = Vec::new();
        for column in 0..self.terminal.size().cols {
            let Some(target) = self.terminal.hyperlink(row, column, back) else {
                continue;
            };
            match links.last_mut() {
                Some((columns, same)) if columns.end == column && *same == target => columns.end += 1,
                _ => links.push((column..column + 1, target)),
            }
        }
        links
    }

    fn show_row(&mut self, row: u16, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        let inverse = self.terminal.modes().has(TermMode::ReverseVideo);
        self.terminal.visible_row(row, back, &mut self.row);
        // Neighbours mostly look alike, and most cells are empty.
        let mut last = (CellStyle::default(), style(&CellStyle::default(), inverse));
        for (column, cell) in (0u16..).zip(&self.row) {
            if cell.style != last.0 {
                last = (cell.style, style(&cell.style, inverse));
            }
            let is_empty = cell.text == " " && last.1 == Style::default();
            if cell.width != CellWidth::Continuation && !is_empty {
                show(column, row, &cell.text, last.1);
            }
        }
    }
}

impl ScreenRead for LiveScreen<'_> {
    fn size(&self) -> (u16, u16) {
        let size = self.terminal.size();
        (size.cols, size.rows)
    }

    fn history_len(&self) -> usize {
        self.terminal.history_len()
    }

    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        for row in 0..self.terminal.size().rows {
            self.show_row(row, back, show);
        }
    }

    fn last_line(&mut self) -> String {
        let version = (self.changes_since(u64::MAX).0, self.size());
        match self.last_output.take() {
            Some(cache) => {
                let output = cache.get(version, || last_output(&self.text_rows()));
                self.last_output = Some(cache);
                output
            }
            None => last_output(&self.text_rows()),
        }
    }

    fn text_rows(&mut self) -> Vec<String> {
        let rows = (0..self.terminal.size().rows).map(|row| {
            self.terminal.visible_row(row, 0, &mut self.row);
            self.row.iter().map(|cell| cell.text.as_str()).collect()
        });
        rows.collect()
    }

    fn row(&mut self, row: u16, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.show_row(row, 0, show);
    }

    fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>) {
        self.terminal.changes_since(seen)
    }

    fn is_frame_complete(&self, now: Timestamp) -> bool {
        self.terminal.presentable(now.0)
    }

    fn scrollback(&mut self) -> Scrollback {
        let inverse = self.terminal.modes().has(TermMode::ReverseVideo);
        let linked = self.terminal.has_linked();
        let (history, rows) = (self.terminal.history_len(), self.terminal.size().rows);
        let places = (1..=history).rev().map(|back| (0, back));
        let places = places.chain((0..rows).map(|row| (row, 0)));
        let mut lines: Vec<ScrollbackLine> = Vec::with_capacity(history + usize::from(rows));
        for (row, back) in places {
            self.terminal.visible_row(row, back, &mut self.row);
            let begins_wide = self.row.first().is_some_and(|cell| cell.width == CellWidth::Wide);
            if let Some(above) = lines.last_mut().filter(|above| above.wraps && begins_wide) {
                // A wide character that did not fit left the last column blank; that blank is not a space of the text.
                above
                    .text
                    .truncate(above.text.strip_suffix(' ').map_or(above.text.len(), str::len));
            }
            let wraps = self.terminal.row_wraps(row, back);
            let mut line = line_of(&self.row, inverse);
            line.wraps = wraps;
            line.is_prompt = self.terminal.is_prompt(row, back);
            if !wraps {
                line.text.truncate(line.text.trim_end_matches(' ').len());
            }
            if linked {
                line.links = self.links(row, back);
            }
            lines.push(line);
        }
        let cursor = self.terminal.cursor();
        Scrollback {
            lines,
            cursor: (history + usize::from(cursor.row), usize::from(cursor.col)),
        }
    }

    fn cursor(&self) -> Option<ScreenCursor> {
        let cursor = self.terminal.cursor();
        cursor.visible.then_some(ScreenCursor {
            column: cursor.col,
            row: cursor.row,
            shape: cursor.shape,
        })
    }

    fn output_row(&self) -> u16 {
        let cursor = self.terminal.cursor();
        if !cursor.visible && self.terminal.modes().has(TermMode::AlternateScreen) {
            return self.terminal.size().rows.saturating_sub(1);
        }
        cursor.row
    }

    fn mouse_reporting(&self) -> MouseReporting {
        let modes = self.terminal.modes();
        MouseReporting {
            reports: modes.mouse != MouseMode::Off,
            wheel_keys: modes.has(TermMode::AlternateScreen) && modes.has(TermMode::AlternateScroll),
        }
    }

    fn bracketed_paste(&self) -> bool {
        self.terminal.modes().has(TermMode::BracketedPaste)
    }

    fn title(&self) -> String {
        self.terminal.title().to_owned()
    }

    fn is_running(&self) -> bool {
        self.alive
    }
}

/// Returns a row as a line of text with its styles.
fn line_of(row: &[Cell], inverse: bool) -> ScrollbackLine {
    let mut line = ScrollbackLine::default();
    let mut last = Style::default();
    for (column, cell) in (0u16..).zip(row) {
        if cell.width == CellWidth::Continuation {
            continue;
        }
        let look = style(&cell.style, inverse);
        if look != last {
            line.styles.push((column, look));
            last = look;
        }
        line.text
            .push_str(if cell.text.is_empty() { " " } else { &cell.text });
    }
    line
}

fn style(cell: &CellStyle, inverse: bool) -> Style {
    let attributes = cell.attributes;
    let mut style = Style {
        fg: color(cell.fg),
        bg: color(cell.bg),
        underline_color: color(cell.underline_color),
        ..Style::default()
    };
    for (attribute, modifier) in [
        (CellAttributes::BOLD, Modifier::BOLD),
        (CellAttributes::DIM, Modifier::DIM),
        (CellAttributes::ITALIC, Modifier::ITALIC),
        (CellAttributes::BLINK, Modifier::SLOW_BLINK),
        (CellAttributes::HIDDEN, Modifier::HIDDEN),
        (CellAttributes::STRIKE, Modifier::CROSSED_OUT),
    ] {
        if attributes.contains(attribute) {
            style = style.add_modifier(modifier);
        }
    }
    if attributes.contains(CellAttributes::INVERSE) != inverse {
        style = style.add_modifier(Modifier::REVERSED);
    }
    if cell.underline != Underline::None {
        style = style.add_modifier(Modifier::UNDERLINED);
    }
    style
}

fn color(color: TermColor) -> Option<Color> {
    match color {
        TermColor::Default => None,
        TermColor::Indexed(index) => Some(Color::Indexed(index)),
        TermColor::Rgb(red, green, blue) => Some(Color::Rgb(red, green, blue)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::SelectionMode;
    use crate::term::{EmulatorKind, Size};

    fn all(written: &str) -> String {
        let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(6, 3), 2000);
        terminal.feed(0, written.as_bytes());
        let lines = LiveScreen::new(&mut terminal, true).scrollback();
        lines.text(SelectionMode::Text, (0, 0), (lines.last_line(), 99))
    }

    #[test]
    fn the_last_output_is_read_once_for_each_change_of_a_terminal() {
        let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(20, 3), 2000);
        let mut cache = LastOutputCache::default();
        let last_line = |terminal: &mut Terminal, cache: &mut LastOutputCache| {
            LiveScreen::new(terminal, true)
                .with_last_output(cache)
                .last_line()
        };
        terminal.feed(0, b"first words\r\n");
        assert_eq!(last_line(&mut terminal, &mut cache), "first words");
        let version = (terminal.changes_since(u64::MAX).0, (20, 3));
        let known = cache.get(version, || panic!("it is read a second time"));
        assert_eq!(known, "first words");
        terminal.feed(0, b"more words");
        assert_eq!(last_line(&mut terminal, &mut cache), "more words");
        terminal.resize(Size::new(4, 3));
        assert_eq!(last_line(&mut terminal, &mut cache), "wor");
    }

    #[test]
    fn lines_that_were_wrapped_are_joined_with_the_spaces_they_were_written_with() {
        assert_eq!(all("one   two"), "one   two");
        assert_eq!(all("ends  \r\nhere"), "ends\nhere");
        // A wide character that did not fit leaves a blank column and no space.
        assert_eq!(all("12345日本"), "12345日本");
        // The same once the lines are packed away above the screen.
        let many = "a   b   c\r\n12345日本\r\n".repeat(400);
        assert_eq!(all(&many), many.trim_end().replace("\r\n", "\n"));
    }
}
