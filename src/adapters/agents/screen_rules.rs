//! Meaning of a screen by the rules of a kind's file. A rule holds on to the last line of the screen, which is the tool's own: a text of a
//! conversation that looks like it is never the last line while the tool draws its interface.

use super::dialog::inside;
use super::json_report::harmless;
use super::menu::ScreenMenu;
use super::retry_line;
use crate::agent_state::{Doing, Wait};
use crate::domain::AskKind;
use crate::formats::agent_kind::{ScreenRule, ScreenState};
use crate::formats::permissions::fits_pattern;

/// Signs of the sides of a frame.
const SIDES: [char; 4] = ['│', '┃', '║', '|'];

/// Rows of a screen that a rule fits.
struct Found<'a> {
    rule: &'a ScreenRule,
    /// Row of the first of its lines; that above the frame if it has only one.
    first: usize,
    /// Row of the last line that says something.
    last: usize,
}

/// Reads the state of a tool from its screen by the first rule that fits.
pub(super) fn read(rules: &[ScreenRule], screen: &str) -> Option<Doing> {
    let rows: Vec<&str> = screen.lines().collect();
    let found = rules.iter().find_map(|rule| find(rule, &rows))?;
    let waits = |kind| Doing::Blocked(Wait::new(kind, found.text(&rows, screen)));
    Some(match found.rule.state {
        ScreenState::Working => retry_line::read(screen).unwrap_or(Doing::WORKING),
        ScreenState::Idle => Doing::Idle,
        ScreenState::Permission => waits(AskKind::Permission),
        ScreenState::Question => waits(AskKind::Question),
        ScreenState::Dialog => waits(AskKind::Dialog),
        ScreenState::Error => Doing::Done {
            problem: Some(found.text(&rows, screen)),
        },
        ScreenState::Login => Doing::NotLoggedIn {
            text: found.text(&rows, screen),
        },
    })
}

/// Returns the rows that a rule fits: its last pattern one of the last rows, and the others, from the bottom up, the nearest rows above it.
/// Rows that say nothing count for nothing.
fn find<'a>(rule: &'a ScreenRule, rows: &[&str]) -> Option<Found<'a>> {
    let (end, others) = rule.lines.split_last()?;
    let said = |row: &usize| {
        rows.get(*row)
            .map(|row| inside(row))
            .filter(|row| says_something(row))
    };
    let fits = |pattern: &String, row: &usize| said(row).is_some_and(|row| fits_pattern(pattern, row));
    let mut lowest = (0..rows.len()).rev().filter(|row| said(row).is_some());
    let last = lowest.by_ref().take(rule.below + 1).find(|row| fits(end, row))?;
    let top = top_of_frame(rows, last);
    let mut places = vec![last];
    for pattern in others.iter().rev() {
        let below = places.last().copied().unwrap_or(last);
        places.push((top..below).rev().find(|row| fits(pattern, row))?);
    }
    let first = places.last().copied().filter(|_| !others.is_empty());
    let first = first.unwrap_or(if top > 0 { top - 1 } else { last });
    let is_excluded =
        |row: usize| !places.contains(&row) && rule.without.iter().any(|pattern| fits(pattern, &row));
    (!(first + 1..last).any(is_excluded)).then_some(Found { rule, first, last })
}

/// Returns the first row of the frame around a row; that of the screen if there is none.
fn top_of_frame(rows: &[&str], row: usize) -> usize {
    let is_framed = |row: &&str| row.trim_start().starts_with(SIDES);
    let above = rows.get(..=row).unwrap_or_default().iter().rev();
    match above.take_while(|row| is_framed(row)).count() {
        0 => 0,
        framed => row + 1 - framed,
    }
}

impl Found<'_> {
    /// Returns the text that the rule names, down to the entries of a menu or the last line.
    fn text(&self, rows: &[&str], screen: &str) -> String {
        let menu = ScreenMenu::read(screen).map(|menu| menu.row);
        let end = menu.filter(|row| *row > self.first).unwrap_or(self.last);
        let begins = |row: &usize| {
            let row = rows.get(*row).map(|row| inside(row));
            row.and_then(|row| self.rule.text.as_ref().map(|text| fits_pattern(text, row)))
        };
        let named = (self.first..=self.last).find(|row| begins(row) == Some(true));
        let begin = named.unwrap_or(self.first + 1).min(self.last);
        let end = end.max(begin + 1);
        let rows = rows.get(begin..end).unwrap_or_default().iter();
        // A choice is the end of what is asked; other texts end with their paragraph.
        let is_paragraph = matches!(self.rule.state, ScreenState::Error | ScreenState::Login);
        let said = rows.take_while(|row| !is_paragraph || says_something(row));
        let lines: Vec<String> = said
            .filter(|row| says_something(row))
            .map(|row| single_spaced(inside(row)))
            .collect();
        let fixed = self.rule.text.as_deref().and_then(|text| text.split('*').next());
        // The lines of a paragraph are those of the window.
        let text = lines.join(if is_paragraph { " " } else { "\n" });
        let rest = fixed
            .filter(|_| named.is_some())
            .and_then(|fixed| text.strip_prefix(fixed));
        let lines: Vec<String> = rest.unwrap_or(&text).lines().map(harmless).collect();
        lines.join("\n")
    }
}

/// Returns true for a row with more than what is drawn.
fn says_something(row: &str) -> bool {
    row.chars().any(char::is_alphanumeric)
}

/// Returns a line without the blanks that only align it.
fn single_spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::agent_state::Work;
    use crate::formats::agent_kind::AgentKinds;

    fn recorded(name: &str) -> String {
        let path: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "tests",
            "data",
            "agents",
            "screens",
            name,
        ]
        .iter()
        .collect();
        std::fs::read_to_string(path.with_extension("txt")).unwrap()
    }

    fn read_as(kind: &str, screen: &str) -> Option<Doing> {
        let kind = AgentKinds::default().get(kind).unwrap().unwrap();
        read(&kind.screens, screen)
    }

    fn waits(kind: AskKind, text: &str) -> Doing {
        Doing::Blocked(Wait::new(kind, text))
    }

    fn again(attempt: u32, why: &str) -> Doing {
        Doing::Working(Work::Retry {
            attempt,
            most: 0,
            why: why.to_owned(),
        })
    }

    #[test]
    fn each_recorded_screen_of_opencode_means_what_a_person_reads_there() {
        let shell = Some(waits(AskKind::Permission, "ls -1 && echo done"));
        let always = "△ Always allow\nThis will allow the following patterns until OpenCode is restarted\n- ls *\n- echo *";
        let no_key = Some(Doing::NotLoggedIn {
            text: "Incorrect API key provided".to_owned(),
        });
        for (screen, wanted) in [
            ("opencode_working", Some(Doing::WORKING)),
            ("opencode_tool", Some(Doing::WORKING)),
            ("opencode_esc", Some(Doing::WORKING)),
            ("opencode_retry", Some(again(1, "Provider is overloaded"))),
            ("opencode_retry_narrow", Some(again(5, "Provider is overloaded"))),
            ("opencode_idle", Some(Doing::Idle)),
            ("opencode_rejected", Some(Doing::Idle)),
            ("opencode_interrupted", Some(Doing::Idle)),
            ("opencode_permission", shell.clone()),
            ("opencode_permission_narrow", shell),
            (
                "opencode_permission_edit",
                Some(waits(AskKind::Permission, "→ Edit out.txt")),
            ),
            ("opencode_always_allow", Some(waits(AskKind::Permission, always))),
            (
                "opencode_question",
                Some(waits(AskKind::Question, "Which database do you want?")),
            ),
            ("opencode_refused_key", no_key),
        ] {
            assert_eq!(read_as("opencode", &recorded(screen)), wanted, "{screen}");
        }
    }

    #[test]
    fn each_recorded_screen_of_gemini_means_what_a_person_reads_there() {
        let shell = "Shell ls -1 && echo done\nls -1 && echo done\nAllow execution of [Shell]?";
        let limit = "Usage limit reached for all Pro models.\n/stats model for usage details\n/model to switch models.";
        let edit = "WriteFile Writing to out.txt\nNo changes detected.\nApply this change?";
        let failed = "[API Error: {\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\",\"message\":\"The request is not valid\"}}]";
        let failed = Some(Doing::Done {
            problem: Some(failed.to_owned()),
        });
        let no_key = Some(Doing::NotLoggedIn {
            text: "Enter Gemini API Key".to_owned(),
        });
        for (screen, wanted) in [
            ("gemini_idle", None),
            ("gemini_permission", Some(waits(AskKind::Permission, shell))),
            ("gemini_permission_edit", Some(waits(AskKind::Permission, edit))),
            (
                "gemini_question",
                Some(waits(AskKind::Question, "Which database do you want?")),
            ),
            ("gemini_key", no_key),
            ("gemini_error", failed),
            ("gemini_limit", Some(waits(AskKind::Dialog, limit))),
        ] {
            assert_eq!(read_as("gemini", &recorded(screen)), wanted, "{screen}");
        }
    }

    #[test]
    fn aider_works_unless_it_asks_in_a_line_or_tries_again() {
        let began = "Aider v0.86.2\nModel: scripted with whole edit format\nRepo-map: using 1024 tokens, auto refresh\n";
        let question = "Create new file? (Y)es/(N)o [Yes]:";
        let failed = "litellm.ServiceUnavailableError: Overloaded\nThe API provider's servers are down or overloaded.\n";
        let cause = "ServiceUnavailableError: Overloaded";
        for (below, wanted) in [
            ("", Doing::WORKING),
            ("   █░      Waiting for openai/scripted", Doing::WORKING),
            (question, waits(AskKind::Dialog, question)),
            (&format!("{failed}Retrying in 0.2 seconds..."), again(0, cause)),
            (
                &format!("{failed}Retrying in 0.2 seconds...\n█░ Waiting for openai/scripted"),
                again(0, cause),
            ),
            (
                &format!("{failed}Retrying in 0.2 seconds...\nIt is better\nnow."),
                Doing::WORKING,
            ),
        ] {
            assert_eq!(
                read_as("aider", &[began, below].concat()),
                Some(wanted),
                "{below}"
            );
        }
        assert_eq!(read_as("aider", "Update git name with: git config\n"), None);
    }

    #[test]
    fn words_of_a_conversation_that_a_rule_has_too_mean_nothing() {
        let printed = "  ┃  △ Permission required\n  ┃  $ rm -rf x\n  ┃   Allow once   Allow always   ⇆ select  enter confirm\n\n\
                       ⬝⬝⬝⬝⬝⬝⬝⬝  esc interrupt\n\n";
        let idle = [printed, &recorded("opencode_idle")].concat();
        assert_eq!(read_as("opencode", &idle), Some(Doing::Idle));
        let asked = [printed, &recorded("opencode_permission")].concat();
        assert_eq!(
            read_as("opencode", &asked),
            Some(waits(AskKind::Permission, "ls -1 && echo done"))
        );
        let box_of_key = recorded("gemini_key");
        let after = [&box_of_key, recorded("gemini_idle").as_str()].concat();
        assert_eq!(read_as("gemini", &after), None);
        let answered = recorded("gemini_error").replace("ℹ This", "✦ Now it works.\n\nℹ This");
        assert_eq!(
            read_as("gemini", &answered),
            None,
            "an error before an answer is of the past"
        );
    }

    #[test]
    fn a_finished_turn_that_speaks_of_a_key_is_no_missing_login() {
        let said = recorded("opencode_refused_key").replace("▣  Build · Stub", "▣  Build · Stub · 1.6s");
        assert_eq!(read_as("opencode", &said), Some(Doing::Idle));
    }
}
