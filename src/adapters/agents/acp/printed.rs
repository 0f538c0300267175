//! Transcript of a session: its updates become lines for people, clean and of a bearable length. Texts come in small parts and are kept
//! until a line of them is whole.

use serde_json::Value;

use crate::adapters::agents::json_report::{list, raw};
use crate::adapters::agents::shown::{Shown, first_line};

/// Bytes of a text that are kept until its line is whole.
const LONGEST_PART: usize = 8 * 1024;
/// Lines of a result, of each side of a change, and steps of a plan.
const RESULT_LINES: usize = 6;
const EDIT_LINES: usize = 10;
const MOST_STEPS: usize = 20;

/// The transcript of one session.
#[derive(Debug, Default)]
pub(super) struct SessionTranscript {
    /// Line that is not whole yet, and its prefix.
    part: String,
    begin: &'static str,
    /// Title of the tool call that was shown last: the first update of a call may lack its subject.
    title: String,
}

impl SessionTranscript {
    /// The lines that one `session/update` adds.
    pub(super) fn lines(&mut self, update: &Value) -> Vec<String> {
        let begin = match raw(update, "/sessionUpdate") {
            "agent_message_chunk" => Some(""),
            "agent_thought_chunk" => Some("~ "),
            _ => None,
        };
        if let Some(begin) = begin {
            return self.chunk(begin, raw(update, "/content/text"));
        }
        let mut shown = Shown::of(None);
        match raw(update, "/sessionUpdate") {
            "tool_call" => {
                self.title.clear();
                self.called(update, &mut shown);
                changes(update, &mut shown);
            }
            "tool_call_update" => {
                if raw(update, "/status") == "in_progress" {
                    self.called(update, &mut shown);
                }
                changes(update, &mut shown);
                result(update, &mut shown);
            }
            "plan" => {
                for step in list(update, "/entries").iter().take(MOST_STEPS) {
                    let (state, step) = (raw(step, "/status"), raw(step, "/content"));
                    shown.line(&format!("  {}: {}", first_line(state), first_line(step)));
                }
            }
            _ => {}
        }
        self.after_the_rest(shown)
    }

    /// Returns the lines for a permission that is asked for: the wanted changes.
    pub(super) fn asked(&mut self, call: &Value) -> Vec<String> {
        let mut shown = Shown::of(None);
        changes(call, &mut shown);
        self.after_the_rest(shown)
    }

    fn after_the_rest(&mut self, mut shown: Shown) -> Vec<String> {
        if shown.lines.is_empty() {
            return shown.lines;
        }
        let mut lines = self.rest();
        lines.append(&mut shown.lines);
        lines
    }

    fn called(&mut self, update: &Value, shown: &mut Shown) {
        let title = first_line(raw(update, "/title"));
        if !title.is_empty() && title != self.title {
            shown.line(&format!("* {title}"));
            self.title = title;
        }
    }

    /// The line that was not whole when something else came.
    pub(super) fn rest(&mut self) -> Vec<String> {
        let mut shown = Shown::of(None);
        shown.block(self.begin, &std::mem::take(&mut self.part), RESULT_LINES);
        shown.lines
    }

    fn chunk(&mut self, begin: &'static str, text: &str) -> Vec<String> {
        let mut lines = if begin == self.begin {
            Vec::new()
        } else {
            self.rest()
        };
        self.begin = begin;
        let mut shown = Shown::of(None);
        for piece in text.split_inclusive('\n') {
            self.part.push_str(piece);
            if piece.ends_with('\n') || self.part.len() > LONGEST_PART {
                shown.block(begin, &std::mem::take(&mut self.part), RESULT_LINES);
            }
        }
        lines.append(&mut shown.lines);
        lines
    }
}

/// The two sides of each change.
fn changes(update: &Value, shown: &mut Shown) {
    let parts = list(update, "/content").iter();
    for part in parts.filter(|part| raw(part, "/type") == "diff").take(EDIT_LINES) {
        shown.line(&format!("    {}", first_line(raw(part, "/path"))));
        shown.block("    - ", raw(part, "/oldText"), EDIT_LINES);
        shown.block("    + ", raw(part, "/newText"), EDIT_LINES);
    }
}

/// Shows the result of a tool call; of one that went well only the beginning.
fn result(update: &Value, shown: &mut Shown) {
    let begin = match raw(update, "/status") {
        "completed" => "  > ",
        "failed" => "  ! ",
        _ => return,
    };
    for part in list(update, "/content").iter().take(RESULT_LINES) {
        shown.block(begin, raw(part, "/content/text"), RESULT_LINES);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chunk(text: &str) -> Value {
        json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })
    }

    #[test]
    fn a_text_is_shown_line_by_line_however_it_is_cut() {
        let mut transcript = SessionTranscript::default();
        assert_eq!(transcript.lines(&chunk("I ma")), Vec::<String>::new());
        assert_eq!(transcript.lines(&chunk("ke it.\nNow")), ["I make it."]);
        let call = json!({ "sessionUpdate": "tool_call", "title": "make\u{1b}[2J" });
        let lines = transcript.lines(&call);
        assert_eq!(lines.first().map(String::as_str), Some("Now"));
        assert!(
            lines
                .get(1)
                .is_some_and(|line| line.starts_with("* make") && !line.contains('\u{1b}'))
        );
        let long = transcript.lines(&chunk(&"x".repeat(100_000)));
        assert!(long.concat().len() < 1_000 && !long.is_empty());
    }

    #[test]
    fn a_change_shows_both_sides_and_a_failure_its_words() {
        let mut transcript = SessionTranscript::default();
        let update = json!({ "sessionUpdate": "tool_call_update", "status": "failed", "content": [
            { "type": "diff", "path": "a", "oldText": "one", "newText": "two" },
            { "type": "content", "content": { "type": "text", "text": "no room" } },
        ] });
        assert_eq!(
            transcript.lines(&update),
            ["    a", "    - one", "    + two", "  ! no room"]
        );
    }
}
