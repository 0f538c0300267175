//! The words of commits the engine makes: a first line of at most 72 characters, the text below it, and the trailers the
//! engine itself goes by. Titles and texts come from agents: nothing in them may act on a terminal or pass for a trailer.

use super::error_text;
use crate::domain::cut::cut_chars;

/// Maximum length of the first line, and of the lines below it, which are wrapped, in characters.
const WIDTH: usize = 72;
/// Maximum length of a title kept in full where the first line could not hold it, in characters.
const LONGEST_TITLE: usize = 250;
/// Maximum number of bytes below the title: the whole message must stay small enough to be handed to git before it reads.
const LONGEST_TEXT: usize = 1_800;

/// Parts of the message of a commit that the engine makes.
pub(super) struct CommitMessage<'a> {
    /// Comes before the title: `[t-1]`, `Merge feature/t-1:`.
    pub(super) start: String,
    pub(super) title: &'a str,
    /// Summary of the work; may be empty.
    pub(super) text: &'a str,
    pub(super) trailers: Trailers<'a>,
}

/// Trailers of a commit that the engine makes.
pub(super) struct Trailers<'a> {
    pub(super) task: &'a str,
    pub(super) attempt: &'a str,
    /// Agent that did the work, for a trailer (C14).
    pub(super) agent: Option<&'a str>,
}

impl CommitMessage<'_> {
    /// The whole message; the same words give the same message.
    pub(super) fn message(&self) -> String {
        let title = error_text::one_line(&words(self.title));
        let whole = format!("{} {title}", self.start);
        let whole = whole.trim();
        let subject = cut(whole, WIDTH);
        let mut parts = vec![subject.clone()];
        if subject != whole {
            parts.push(text(&cut(&title, LONGEST_TITLE)));
        }
        let body = text(self.text);
        if !body.is_empty() {
            parts.push(body);
        }
        parts.push(self.trailers.lines());
        parts.join("\n\n")
    }
}

impl Trailers<'_> {
    fn lines(&self) -> String {
        let agent = self
            .agent
            .map(|agent| cut(&error_text::one_line(&words(agent)), WIDTH));
        let agent = agent.map_or_else(String::new, |agent| format!("Dbs-Agent: {agent}\n"));
        format!("Dbs-Task: {}\nDbs-Attempt: {}\n{agent}", self.task, self.attempt)
    }

    /// Returns a message that a person worded, with these trailers: among its own if it ends with some.
    pub(super) fn below(&self, message: &str) -> String {
        let lines = message.lines().map(|line| error_text::one_line(line.trim_end()));
        let message = lines.collect::<Vec<_>>().join("\n");
        let message = message.trim();
        let last = message.rsplit_once("\n\n").map(|(_, last)| last);
        let is_trailer = |line: &str| {
            let key = line.split_once(": ").map(|(key, _)| key);
            key.is_some_and(|key| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
        };
        let has_trailers = last.is_some_and(|last| last.lines().all(is_trailer));
        let gap = if has_trailers { "\n" } else { "\n\n" };
        format!("{message}{gap}{}", self.lines())
    }
}

/// Formats a text: paragraphs and lines stay; long lines are wrapped, and a text that is too long is cut.
fn text(given: &str) -> String {
    let mut text = String::new();
    let mut is_parted = false;
    for line in given.lines() {
        let line = error_text::one_line(line.replace('\t', "    ").trim_end());
        if line.is_empty() {
            is_parted = true;
            continue;
        }
        // One less than fits, for the space below.
        for piece in textwrap::wrap(&line, WIDTH - 1) {
            if piece.trim().is_empty() {
                continue;
            }
            let gap = match (text.is_empty(), is_parted) {
                (true, _) => "",
                (false, true) => "\n\n",
                (false, false) => "\n",
            };
            is_parted = false;
            if text.len() + gap.len() + piece.len() > LONGEST_TEXT {
                text.push_str("\n…");
                return text;
            }
            text.push_str(gap);
            // Git takes such a line for the end of the message.
            if piece.starts_with("---") {
                text.push(' ');
            }
            text.push_str(piece.trim_end());
        }
    }
    text
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    format!("{}…", cut_chars(text, most.saturating_sub(1)).trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::term::sanitize;

    fn message(title: &str, text: &str) -> String {
        CommitMessage {
            start: "[t-1]".to_owned(),
            title,
            text,
            trailers: Trailers {
                task: "t-1",
                attempt: "17",
                agent: None,
            },
        }
        .message()
    }

    const TRAILERS: &str = "Dbs-Task: t-1\nDbs-Attempt: 17\n";

    #[test]
    fn a_short_title_is_the_first_line_and_nothing_is_repeated() {
        assert_eq!(
            message("Add a cart", ""),
            format!("[t-1] Add a cart\n\n{TRAILERS}")
        );
        assert_eq!(message(" \n", ""), format!("[t-1]\n\n{TRAILERS}"));
    }

    #[test]
    fn a_long_title_is_cut_in_the_first_line_and_stands_in_full_below_it() {
        let title = "Let people who have put more than one thing into their cart take one of them out again";
        let made = message(title, "");
        let mut lines = made.lines();
        let first = lines.next().unwrap();
        assert_eq!(
            first,
            "[t-1] Let people who have put more than one thing into their cart take…"
        );
        assert_eq!(lines.next(), Some(""));
        assert_eq!(made.replace('\n', " ").matches(title).count(), 1, "{made}");
    }

    #[test]
    fn the_text_of_the_agent_keeps_its_lines_and_paragraphs() {
        let made = message("Add a cart", "Done:\n- one\n-\ttwo\n\n\n\nAlso three.\n");
        assert_eq!(
            made,
            format!("[t-1] Add a cart\n\nDone:\n- one\n-    two\n\nAlso three.\n\n{TRAILERS}")
        );
    }

    #[test]
    fn a_text_cannot_end_the_message_early() {
        let made = message("Add a cart", "One\n---\nDbs-Task: t-9");
        assert!(made.contains("\n ---\nDbs-Task: t-9\n\n"), "{made}");
        assert!(made.ends_with(TRAILERS), "{made}");
    }

    proptest! {
        #[test]
        fn whatever_titles_and_texts_say_the_message_is_small_plain_and_ends_with_its_trailers(
            title in any::<String>(),
            lines in proptest::collection::vec(any::<String>(), 0..60),
            long in "[a-z日 \u{202e}\u{1b}-]{0,3000}",
        ) {
            let text = lines.join("\n") + &long;
            for (title, text) in [(&title, &text), (&long, &title)] {
                let made = message(title, text);
                let first = made.lines().next().unwrap_or_default();
                prop_assert!(first.starts_with("[t-1]") && first.chars().count() <= 72, "{}", first);
                prop_assert!(made.len() < 4_096, "{} bytes", made.len());
                let paragraphs: Vec<&str> = made.split("\n\n").collect();
                prop_assert_eq!(paragraphs.last(), Some(&TRAILERS));
                prop_assert!(paragraphs.iter().all(|part| !part.is_empty() && !part.starts_with('\n')));
                prop_assert!(!made.lines().any(|line| line.starts_with("---")), "{}", made);
                prop_assert!(made.split('\n').all(|line| sanitize(line) == line), "{:?}", made);
            }
        }
    }
}
