//! Lines for people out of texts of any length and content: cleaned, cut with a word about what is missing. Knows no tool.

use crate::domain::cut::cut_chars;
use crate::term::sanitize;

/// Maximum length of a line in characters.
const LONGEST_LINE: usize = 400;

/// Lines that are shown together.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Prefix of each line.
    begin: String,
    pub(super) lines: Vec<String>,
}

impl Shown {
    /// Lines of the agent itself, or of a subagent of that name.
    pub(super) fn of(child: Option<String>) -> Shown {
        let begin = child.map(|name| format!("[{}] ", first_line(&name)));
        Shown {
            begin: begin.unwrap_or_default(),
            lines: Vec::new(),
        }
    }

    /// Adds one line.
    pub(super) fn line(&mut self, text: &str) {
        let line = format!("{}{}", self.begin, cut(text));
        self.lines.push(sanitize(&line).into_owned());
    }

    /// Adds the lines of a text, at most `most`, and says how many are left out.
    pub(super) fn block(&mut self, begin: &str, text: &str, most: usize) {
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        for line in text.lines().take(most) {
            // A tab is escaped otherwise, and code is full of them.
            self.line(&format!("{begin}{}", cut(line).replace('\t', "    ")));
        }
        let left = text.lines().skip(most).count();
        if left > 0 {
            self.line(&format!("{begin}… {left} more lines"));
        }
    }
}

/// The first line of a text that has any.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    cut(line.unwrap_or_default())
}

/// The text up to the longest line, with a word about the rest.
fn cut(text: &str) -> String {
    let kept = cut_chars(text, LONGEST_LINE);
    match text.len() - kept.len() {
        0 => text.to_owned(),
        rest => format!("{kept}… ({rest} more bytes)"),
    }
}

/// Lines of a message that are shown of one sent to a tool.
const MOST_SENT: usize = 12;

/// A message that is sent to the tool, as it is shown.
pub fn sent_message(text: &str) -> Vec<String> {
    let mut shown = Shown::default();
    shown.block("> ", text, MOST_SENT);
    shown.lines
}

/// Returns a line that is not a message of the tool, as it is shown.
pub fn plain_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(LONGEST_LINE * 8)).unwrap_or_default());
    let mut shown = Shown::default();
    shown.line(text.trim_end());
    shown.lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_clean_and_bounded() {
        let mut shown = Shown::of(Some("x\x1b]0;y\x07\nz".to_owned()));
        shown.block("> ", "a\x1b[2Jb\tc\n\u{202e}d", 9);
        shown.line(&"y".repeat(1_000_000));
        shown.block("> ", &"z\n".repeat(1_000), 2);
        let all = shown.lines.join("\n");
        assert!(!all.contains('\x1b') && !all.contains('\u{202e}'), "{all}");
        assert!(all.len() < 2_000, "{}", all.len());
        assert!(
            all.contains("… 998 more lines") && all.contains("999600 more bytes"),
            "{all}"
        );
        assert!(plain_line(&vec![0xff; 1_000_000]).len() < 10_000);
        let sent = sent_message(&format!("# Task\n\n{}", "step\n".repeat(50)));
        assert_eq!(sent.first().map(String::as_str), Some("> # Task"));
        assert_eq!(
            (sent.len(), sent.last().map(String::as_str)),
            (13, Some("> … 40 more lines"))
        );
    }
}
