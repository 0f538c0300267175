//! Lines from the output of a program, each once it can no longer change. Must not keep more of a line without an end than [`MAX_LINE`].

use crate::term::{EmulatorKind, Size, Terminal};

/// Number of lines the terminal keeps above its screen; beyond half of it a new one takes over.
const EMULATOR_LINES: usize = 16 * 1024;
/// Maximum bytes of one line; a longer one is cut into several.
const MAX_LINE: usize = 64 * 1024;

/// Turns terminal output into lines. Rows that were only wrapped are one line.
pub(in crate::cli::commands) struct OutputLines {
    terminal: Terminal,
    /// Number of rows above the screen that were read.
    read: usize,
    /// The rows of a line that continues on the screen.
    open: String,
    /// The line that was returned before it had left the screen.
    provisional: Option<String>,
}

impl OutputLines {
    pub(in crate::cli::commands) fn new() -> OutputLines {
        OutputLines {
            terminal: emulator(),
            read: 0,
            open: String::new(),
            provisional: None,
        }
    }

    /// Returns the lines that are completed by these bytes, at most 4096 of them.
    pub(in crate::cli::commands) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        // Between a line end and the next byte no sequence is open, so the emulator can be changed there.
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let (before, rest) = bytes.split_at(whole);
        let mut lines = self.feed(before);
        if self.read > EMULATOR_LINES / 2 && whole > 0 || self.read > EMULATOR_LINES / 4 * 3 {
            let screen = self.terminal.dump(0);
            self.terminal = emulator();
            self.terminal.feed(0, &screen);
            self.read = 0;
        }
        lines.extend(self.feed(rest));
        lines
    }

    fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        self.terminal.feed(0, bytes);
        let there = self.terminal.history_len();
        let mut lines = Vec::new();
        for back in (1..=there.saturating_sub(self.read)).rev() {
            let goes_on = self.terminal.join_row(0, back, &mut self.open);
            if !goes_on || self.open.len() > MAX_LINE {
                let line = end_of_line(&mut self.open);
                lines.extend(self.unless_given(line));
            }
        }
        self.read = there;
        lines
    }

    /// Returns the line that is complete but could still change; nothing when it was returned before.
    pub(in crate::cli::commands) fn rest(&mut self) -> Option<String> {
        if self.provisional.is_some() || self.terminal.cursor().row == 0 {
            return None;
        }
        let mut line = self.open.clone();
        if self.terminal.join_row(0, 0, &mut line) {
            return None;
        }
        let line = end_of_line(&mut line);
        self.provisional = Some(line.clone());
        Some(line)
    }

    /// Returns the lines that are left on the screen when no more output comes.
    pub(in crate::cli::commands) fn finish(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let goes_on = self.terminal.join_row(0, 0, &mut self.open);
        if !goes_on {
            let line = end_of_line(&mut self.open);
            if self.terminal.cursor().row > 0 || !line.is_empty() {
                lines.extend(self.unless_given(line));
            }
        }
        self.terminal.join_row(1, 0, &mut self.open);
        let line = end_of_line(&mut self.open);
        lines.extend(Some(line).filter(|line| !line.is_empty()));
        lines
    }

    fn unless_given(&mut self, line: String) -> Option<String> {
        let is_known = self.provisional.take().is_some_and(|early| early == line);
        (!is_known).then_some(line)
    }
}

fn emulator() -> Terminal {
    Terminal::new(EmulatorKind::default(), Size::new(120, 2), EMULATOR_LINES)
}

/// Returns the line, without blanks at its end; the next one begins.
fn end_of_line(open: &mut String) -> String {
    std::mem::take(open).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&str]) -> Vec<String> {
        let mut output = OutputLines::new();
        let mut lines = Vec::new();
        for part in parts {
            lines.extend(output.take(part.as_bytes()));
            lines.extend(output.rest());
        }
        lines.extend(output.finish());
        lines
    }

    #[test]
    fn a_line_that_was_only_wrapped_comes_as_one_with_its_space_at_the_wrap() {
        let long = format!("{} {} {}", "a".repeat(119), "b".repeat(119), "c".repeat(50));
        assert_eq!(
            lines(&[&format!("one\r\n{long}\r\ntwo\r\nthree\r\n")]),
            ["one", &long, "two", "three"]
        );
        assert_eq!(lines(&[&format!("one\r\n{long}")]), ["one", &long], "at the end");
        let wide = "日本".repeat(70);
        assert_eq!(
            lines(&[&format!("x{wide}\r\ntwo\r\n")]),
            [&format!("x{wide}"), "two"]
        );
    }

    #[test]
    fn a_line_that_comes_in_parts_is_given_once_and_whole() {
        let (one, other) = ("a".repeat(100), "b".repeat(300));
        let parts = [&one, other.as_str(), "\r\n", "two", "\r\n", "three\r\n"];
        assert_eq!(lines(&parts), [&format!("{one}{other}"), "two", "three"]);
    }

    #[test]
    fn many_lines_come_once_and_in_order_over_every_change_of_the_terminal() {
        let line = |at: usize| format!("{at}:{}", "x".repeat(at % 400));
        let text: String = (0..30_000).map(|at| line(at) + "\r\n").collect();
        let mut output = OutputLines::new();
        let mut lines = Vec::new();
        for part in text.as_bytes().chunks(4096) {
            lines.extend(output.take(part));
        }
        lines.extend(output.finish());
        assert_eq!(lines.len(), 30_000);
        for (at, found) in lines.iter().enumerate() {
            assert_eq!(*found, line(at));
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let text = "y".repeat(4096);
        let mut output = OutputLines::new();
        let lines: Vec<String> = (0..1000).flat_map(|_| output.take(text.as_bytes())).collect();
        assert!(lines.len() > 50);
        assert!(lines.iter().all(|line| line.len() <= MAX_LINE + 120));
    }
}
