//! Lines from the output of a program, each once it can no longer change. Must not keep more of a line without an end than [`MAX_LINE`].

use crate::term::{DrainingTerminal, Size, Terminal};

/// Number of lines above the emulated screen at which they are dropped.
const THRESHOLD: usize = 8 * 1024;
/// Maximum bytes of one line; a longer one is cut into several.
const MAX_LINE: usize = 64 * 1024;

/// Turns terminal output into lines. Rows that were only wrapped are one line.
pub(in crate::cli::commands) struct OutputLines {
    terminal: DrainingTerminal,
    rows: OutputRows,
}

/// State of reading the rows that scroll off a screen.
#[derive(Default)]
struct OutputRows {
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
            terminal: DrainingTerminal::new(Size::new(120, 2), THRESHOLD),
            rows: OutputRows::default(),
        }
    }

    /// Returns the lines that are completed by these bytes.
    pub(in crate::cli::commands) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        self.terminal.feed(0, bytes, &mut |terminal| {
            self.rows.read_new(terminal, &mut lines);
            self.rows.read = 0;
        });
        self.rows.read_new(self.terminal.terminal(), &mut lines);
        lines
    }

    /// Returns the line that is complete but could still change; `None` if it was returned before.
    pub(in crate::cli::commands) fn rest(&mut self) -> Option<String> {
        let terminal = self.terminal.terminal();
        if self.rows.provisional.is_some() || terminal.cursor().row == 0 {
            return None;
        }
        let mut line = self.rows.open.clone();
        if terminal.join_row(0, 0, &mut line) {
            return None;
        }
        let line = end_of_line(&mut line);
        self.rows.provisional = Some(line.clone());
        Some(line)
    }

    /// Returns the lines that are left on the screen when no more output comes.
    pub(in crate::cli::commands) fn finish(mut self) -> Vec<String> {
        let (terminal, rows) = (self.terminal.terminal(), &mut self.rows);
        let mut lines = Vec::new();
        let goes_on = terminal.join_row(0, 0, &mut rows.open);
        if !goes_on {
            let line = end_of_line(&mut rows.open);
            if terminal.cursor().row > 0 || !line.is_empty() {
                lines.extend(rows.unless_given(line));
            }
        }
        terminal.join_row(1, 0, &mut rows.open);
        let line = end_of_line(&mut rows.open);
        lines.extend(Some(line).filter(|line| !line.is_empty()));
        lines
    }
}

impl OutputRows {
    /// Appends the lines that end in the rows which scrolled off since the last call.
    fn read_new(&mut self, terminal: &mut Terminal, lines: &mut Vec<String>) {
        let there = terminal.history_len();
        for back in (1..=there.saturating_sub(self.read)).rev() {
            let goes_on = terminal.join_row(0, back, &mut self.open);
            if !goes_on || self.open.len() > MAX_LINE {
                let line = end_of_line(&mut self.open);
                lines.extend(self.unless_given(line));
            }
        }
        self.read = there;
    }

    fn unless_given(&mut self, line: String) -> Option<String> {
        let is_known = self.provisional.take().is_some_and(|early| early == line);
        (!is_known).then_some(line)
    }
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
