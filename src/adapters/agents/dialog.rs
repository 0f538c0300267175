//! Dialogs on the screen of a tool. Its first questions (its key, its login, its colours) come before all its reports, and of others it
//! reports nothing at all; without this module its agent would wait for an answer unnoticed.

use super::json_report::harmless;
use super::menu::ScreenMenu;
use crate::agent_state::{AgentReport, Doing, Wait};
use crate::domain::AskKind;

/// Words of a last line that waits for a key.
const PROMPTS: [&str; 10] = [
    "(y/n",
    "[y/n",
    "(yes/no",
    "[yes/no",
    "(y)es/(n)o",
    "press enter",
    "press return",
    "press any key",
    "hit enter",
    "enter to continue",
];
/// Lines above the choice in which the heading of the dialog is looked for.
const MOST_LINES: usize = 12;

/// Reads the screen of a tool that has reported nothing: it waits with a dialog, or else it starts.
pub(super) fn read(screen: &str) -> AgentReport {
    let text = ScreenMenu::read(screen).and_then(|menu| asked(screen, &menu));
    let asked = text.map(|text| Doing::Blocked(Wait::new(AskKind::Dialog, text)));
    AgentReport::doing(asked.unwrap_or(Doing::Starting))
}

/// Returns the text of the dialog that a screen at rest shows, whatever its tool reports: it has a menu, or its last line waits for a key.
pub fn at_rest(screen: &str) -> Option<String> {
    if let Some(menu) = ScreenMenu::read(screen) {
        return asked(screen, &menu);
    }
    let last = screen.lines().map(inside).rfind(|line| !line.is_empty())?;
    let line = last.to_lowercase();
    let waits = PROMPTS.iter().any(|prompt| line.contains(prompt));
    waits.then(|| harmless(last))
}

/// Returns the heading of the dialog with that menu and its question, as shown on the screen; its first entry if nothing is above it.
fn asked(screen: &str, menu: &ScreenMenu) -> Option<String> {
    let row = menu.row;
    let lines: Vec<&str> = screen.lines().map(inside).collect();
    let above = lines.get(..row)?;
    let begin = above
        .iter()
        .rposition(|line| is_border(line))
        .map_or(0, |border| border + 1);
    let begin = begin.max(row.saturating_sub(MOST_LINES));
    let texts: Vec<&str> = above
        .iter()
        .skip(begin)
        .copied()
        .filter(|line| !line.is_empty())
        .collect();
    // The beginning of a dialog that is higher than its screen is out of sight.
    let whole = texts
        .iter()
        .position(|line| !line.starts_with(char::is_lowercase))
        .unwrap_or(0);
    let mut texts = texts.into_iter().skip(whole);
    let first = menu.entries.first().map(|entry| entry.label.as_str());
    let heading = texts.next().or(first)?;
    let rest: Vec<&str> = texts.collect();
    let (place, words) = rest
        .iter()
        .enumerate()
        .filter_map(|(place, line)| Some((place, question(line)?)))
        .next_back()
        .unzip();
    let text = match (words, command(rest.get(place.unwrap_or(0)..).unwrap_or_default())) {
        (Some(question), Some(command)) => format!("{question} {command}"),
        (Some(question), None) => format!("{heading}: {question}"),
        (None, _) => heading.to_owned(),
    };
    Some(harmless(&text))
}

/// The command that is asked about, behind the prompt of a shell, with its further lines.
fn command(lines: &[&str]) -> Option<String> {
    let first = lines.iter().position(|line| line.starts_with("$ "))?;
    let lines = lines.get(first..)?.join(" ");
    lines.strip_prefix("$ ").map(str::to_owned)
}

/// The line up to the end of the question in it.
fn question(line: &str) -> Option<&str> {
    let end = line
        .find("? ")
        .or_else(|| line.ends_with('?').then(|| line.len() - 1))?;
    line.get(..=end)
}

/// A line without the frame around it.
pub(super) fn inside(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '│' | '┃' | '║' | '|'))
}

/// A line that is drawn and says nothing.
fn is_border(line: &str) -> bool {
    !line.is_empty() && !line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODEX_TRUST: &str = "  Folder access\n  /tmp/p\n\n  Trust this folder? Codex can read, edit, and run files here, subject to \
                               your permission settings. Folder\n  settings can run code automatically, even without a model request.\n\n\
                               › 1. Trust and continue\n  2. Back to Agent Command Center\n\n  enter continue · esc back\n";
    const CODEX_HOOKS: &str = "  Hooks need review\n  1 hook is new or changed.\n\n  Hooks can run outside the sandbox after you trust \
                               them.\n\n› 1. Review hooks\n  2. Trust all and continue\n  3. Continue without trusting (hooks won't run)\n\n\
                               \x20 enter confirm · esc skip\n";
    const CUT_TRUST: &str = " your own code, a well-known open source project, or work from your team). If\n not, take a moment to review \
                             what's in this folder first.\n\n Claude Code'll be able to read, edit, and execute files here.\n\n Security \
                             guide\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel\n";
    const SERVERS: &str = "────────\n  3 new MCP servers found in this project\n  Select any you wish to enable.\n\n  ❯ [✔] s0\n    [✔] \
                           s1\n    [✔] s2\n       Enable selected\n Space to select · Esc to reject all\n";

    #[test]
    fn a_screen_that_says_how_to_answer_is_a_dialog_with_its_heading_and_its_question() {
        let of_claude = "\n────────\n  Detected a custom API key in your environment\n\n  ANTHROPIC_API_KEY: sk-ant-...abc\n\n  \
                         Do you want to use this API key?\n\n    Yes\n  ❯ No (recommended)\n\n  Enter to confirm · Esc to cancel\n";
        let words = "Detected a custom API key in your environment: Do you want to use this API key?";
        // What Codex drew last stands above its dialog.
        let of_codex = "• Ran make\n    + Show details\n\n  Would you like to run the following command?\n\n  Environment: local\n\n  \
                        Reason: It needs the outside.\n\n  $ git add f &&\n    git commit\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't \
                        ask again (p)\n  3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel\n";
        let its_command = "Would you like to run the following command? git add f && git commit";
        let framed = "╭─────╮\n│ Sign in with ChatGPT │\n│ › 1. Yes │\n│   2. No │\n│ Press Enter to continue │\n╰─────╯";
        for (screen, text) in [
            (of_claude, words),
            (of_codex, its_command),
            (framed, "Sign in with ChatGPT"),
            ("Update available\n\nPress Enter to continue", "Update available"),
            (
                CUT_TRUST,
                "Claude Code'll be able to read, edit, and execute files here.",
            ),
            (CODEX_TRUST, "Folder access: Trust this folder?"),
            (CODEX_HOOKS, "Hooks need review"),
            (SERVERS, "3 new MCP servers found in this project"),
        ] {
            let wait = Wait::new(AskKind::Dialog, text);
            assert_eq!(read(screen), AgentReport::doing(Doing::Blocked(wait)));
            assert_eq!(at_rest(screen).as_deref(), Some(text));
        }
        assert!(
            ScreenMenu::read(SERVERS).unwrap().options().is_empty(),
            "several can be chosen"
        );
    }

    #[test]
    fn a_screen_at_rest_waits_for_a_key_where_its_last_line_says_so() {
        let news = "Aider v0.99\nWould you like to see what's new in this version? (Y)es/(N)o [Yes]:\n\n";
        let text = "Would you like to see what's new in this version? (Y)es/(N)o [Yes]:";
        assert_eq!(at_rest(news).as_deref(), Some(text));
        assert_eq!(
            at_rest("Overwrite a.txt? [y/N] ").as_deref(),
            Some("Overwrite a.txt? [y/N]")
        );
        assert_eq!(
            at_rest("done\n[Press any key]").as_deref(),
            Some("[Press any key]")
        );
    }

    #[test]
    fn a_screen_without_such_words_is_that_of_a_tool_that_starts_or_works() {
        for screen in [
            "",
            "\n\n",
            "OpenAI Codex\n› Ask Codex to do anything",
            "› 1\n\n  Waiting for startup  · esc cancel",
            "● Shall I go on? (y/n)\n────\n❯ \n────\n  ? for shortcuts",
            "• Working (3s • esc to interrupt)\n\n› Ask Codex to do anything",
            "loading …\n────\n",
        ] {
            assert_eq!(read(screen), AgentReport::doing(Doing::Starting), "{screen:?}");
            assert_eq!(at_rest(screen), None, "{screen:?}");
        }
        assert_eq!(read("enter to confirm"), AgentReport::doing(Doing::Starting));
    }
}
