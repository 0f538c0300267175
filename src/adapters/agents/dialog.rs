//! Dialogs on the screen of a tool that has reported nothing yet. The first questions of a tool (its key, its login, its colours) come
//! before all its reports; without this module its agent would wait for an answer unnoticed.

use super::json_report::harmless;
use crate::agent_state::{AgentReport, Doing, Wait};
use crate::domain::AskKind;

/// Words that say how to answer. A marked choice alone does not count: the line in which one types to Codex has the same mark, and is there
/// before it reports anything.
const WAYS: [&str; 3] = ["enter to confirm", "enter to continue", "enter to select"];
/// Lines above the choice in which the heading of the dialog is looked for.
const MOST_LINES: usize = 12;

/// Reads the screen of a tool that has reported nothing: it waits with a dialog, or else it starts.
pub(super) fn read(screen: &str) -> AgentReport {
    let asked = asked(screen).map(|text| Doing::Blocked(Wait::new(AskKind::Dialog, harmless(&text))));
    AgentReport::doing(asked.unwrap_or(Doing::Starting))
}

/// Returns the heading of the dialog and its question, as shown on the screen.
fn asked(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.lines().map(inside).collect();
    let says_how = |line: &&str| {
        let line = line.to_lowercase();
        WAYS.iter().any(|way| line.contains(way))
    };
    let at = lines.iter().position(says_how)?;
    let above = lines.get(..at)?;
    let begin = above
        .iter()
        .rposition(|line| is_border(line))
        .map_or(0, |border| border + 1);
    let begin = begin.max(at.saturating_sub(MOST_LINES));
    let mut texts = above.iter().skip(begin).copied().filter(|line| !line.is_empty());
    let heading = texts.next()?;
    let question = texts.rfind(|line| line.ends_with('?'));
    Some(match question {
        Some(question) => format!("{heading}: {question}"),
        None => heading.to_owned(),
    })
}

/// A line without the frame around it.
fn inside(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '┃' | '║' | '|'))
}

/// A line that is drawn and says nothing.
fn is_border(line: &str) -> bool {
    !line.is_empty() && !line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_that_says_how_to_answer_is_a_dialog_with_its_heading_and_its_question() {
        let of_claude = "\n────────\n  Detected a custom API key in your environment\n\n  ANTHROPIC_API_KEY: sk-ant-...abc\n\n  \
                         Do you want to use this API key?\n\n    Yes\n  ❯ No (recommended)\n\n  Enter to confirm · Esc to cancel\n";
        let words = "Detected a custom API key in your environment: Do you want to use this API key?";
        assert_eq!(asked(of_claude).as_deref(), Some(words));
        let framed = "╭─────╮\n│ Sign in with ChatGPT │\n│ › 1. Yes │\n│   2. No │\n│ Press Enter to continue │\n╰─────╯";
        assert_eq!(asked(framed).as_deref(), Some("Sign in with ChatGPT"));
        let told = "Update available\n\nPress Enter to continue";
        assert_eq!(asked(told).as_deref(), Some("Update available"));
    }

    #[test]
    fn a_screen_without_such_words_is_that_of_a_tool_that_starts() {
        for screen in [
            "",
            "\n\n",
            "OpenAI Codex\n› Ask Codex to do anything",
            "enter to confirm",
            "loading …\n────\n",
        ] {
            assert_eq!(read(screen), AgentReport::doing(Doing::Starting), "{screen:?}");
        }
    }
}
