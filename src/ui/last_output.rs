//! The last output of a program in a terminal: its screen without the input line. Agents draw an input line or a choice at the bottom, with
//! keys and figures below it; their output is above. The rules are the same for all agents.

use crate::display::text::width;

/// Marks at the beginning of an input line, or of the marked row of a choice.
const PROMPTS: [char; 4] = ['❯', '›', '>', '▌'];
/// Maximum number of rows with words below the input line: choices, keys, figures. More are a text that follows a quoted line.
const MOST_BELOW: usize = 6;
/// Spinner characters, besides the braille ones.
const SPINNERS: [char; 10] = ['·', '✢', '✳', '✶', '✻', '✽', '◐', '◓', '◑', '◒'];
/// Words after the name of a key in a line that explains the key.
const DOES: [&str; 4] = ["to", "for", "or", "again"];

/// The last output of one terminal, kept until the terminal changes: most terminals on a screen show the same for many frames.
#[derive(Debug, Default)]
pub struct LastOutputCache(Option<(ScreenVersion, String)>);

/// Version of a screen, which alone decides its contents: the number of its last change, and its columns and rows.
type ScreenVersion = (u64, (u16, u16));

impl LastOutputCache {
    /// Returns the last output of that version; `read` finds it if it is not known.
    pub(super) fn get(&mut self, version: ScreenVersion, read: impl FnOnce() -> String) -> String {
        match &self.0 {
            Some((known, output)) if *known == version => output.clone(),
            _ => self.0.insert((version, read())).1.clone(),
        }
    }
}

/// Returns the last line with words among the rows of a screen from top to bottom; empty when there is none.
pub(super) fn last_output(rows: &[String]) -> String {
    let columns = rows.iter().map(|row| width(row)).max().unwrap_or(0);
    let bare: Vec<&str> = rows.iter().map(|row| words_of(row)).collect();
    let end = input_start(rows, &bare).unwrap_or(rows.len());
    let above = rows.iter().zip(&bare).take(end).rev();
    let says = |(row, words): &(&String, &&str)| {
        let is_figure = is_about_keys(words) || is_clock(words) || is_at_the_right(row, columns);
        says_something(row) && !is_prompt(words) && !is_figure
    };
    { above }
        .find(says)
        .map_or_else(String::new, |(_, words)| without_spinner(words).to_owned())
}

/// Returns the first row of the input area, if there is one at the bottom.
fn input_start(rows: &[String], bare: &[&str]) -> Option<usize> {
    let prompt = bare.iter().rposition(|words| is_prompt(words))?;
    let below = rows.iter().skip(prompt + 1);
    let below: Vec<&String> = below.filter(|row| says_something(row)).collect();
    // The output of the program begins at the left edge; the parts of the input line are indented.
    let is_set_off = |row: &&String| row.starts_with(' ') || words_of(row).len() < row.trim().len();
    if below.len() > MOST_BELOW || !below.iter().all(is_set_off) {
        return None;
    }
    // A question is right above its choices, and a line around the input is right above that.
    let joined = |row: &&String| !row.trim().is_empty() && !is_rule(row);
    let block = rows.iter().take(prompt).rev().take_while(joined).count();
    Some(prompt - block)
}

/// Returns true if the line is an input line, or the marked row of a choice.
fn is_prompt(words: &str) -> bool {
    let mut letters = words.chars();
    letters.next().is_some_and(|mark| PROMPTS.contains(&mark))
        && letters.next().is_none_or(char::is_whitespace)
}

/// Returns true if the row is a line drawn from side to side, with nothing or a title in it.
fn is_rule(row: &str) -> bool {
    let row = row.trim();
    let is_level = |c: char| is_line(c) && !['│', '┃', '║'].contains(&c);
    let is_ascii = || row.len() > 2 && row.chars().all(|c| "-=_+".contains(c));
    (row.starts_with(is_level) && row.ends_with(is_level)) || is_ascii()
}

fn is_line(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

/// Returns true if the line explains keys: `Esc to cancel · Tab to amend`, `? for shortcuts`, `y · n · 1-9 · Enter`.
fn is_about_keys(words: &str) -> bool {
    let lower = words.to_lowercase();
    let is_between = |c: char| c.is_whitespace() || "·•|()[],:".contains(c);
    let parts: Vec<&str> = lower.split(is_between).filter(|part| !part.is_empty()).collect();
    let mut pairs = parts.iter().zip(parts.iter().skip(1));
    let says_what = pairs.any(|(key, does)| is_key(key) && DOES.contains(does));
    let mut listed = lower.split(['·', '•', '|']);
    let mut is_list = || listed.clone().count() > 1 && listed.all(|part| part.trim().chars().count() <= 6);
    says_what || (parts.iter().any(|part| is_key(part)) && is_list())
}

fn is_key(word: &str) -> bool {
    let held = ["ctrl+", "ctrl-", "shift+", "alt+", "cmd+", "⌘", "⌃"];
    ["esc", "enter", "tab", "return", "?", "↑/↓", "↑↓"].contains(&word)
        || held.iter().any(|held| word.starts_with(held))
}

/// Returns true if the line counts the time of something under way: `Working (14s · 2 files)`.
fn is_clock(words: &str) -> bool {
    let inside = words.split('(').skip(1);
    { inside }.any(|inside| {
        let digits = inside.trim_start_matches(|c: char| c.is_ascii_digit());
        let counts = digits.len() < inside.len();
        let after = digits.strip_prefix(['s', 'm', 'h']).map(str::trim_start);
        counts
            && after.is_some_and(|after| {
                after.starts_with(['·', '•', ',', '|']) || after.starts_with(|c: char| c.is_ascii_digit())
            })
    })
}

/// Returns a line without the spinner before it, which would never be the same twice.
fn without_spinner(words: &str) -> &str {
    let turns = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c) || SPINNERS.contains(&c);
    words.trim_start_matches(|c: char| turns(c) || c.is_whitespace())
}

/// Returns true if the text of the row is at the right edge, where figures are.
fn is_at_the_right(row: &str, columns: usize) -> bool {
    width(row) - width(row.trim_start()) > columns / 2
}

/// Returns a line of a terminal without the spaces and frames around its words.
fn words_of(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_line(c))
}

/// Returns true if a line of a terminal is more than lines, titles in lines, marks and an empty prompt.
fn says_something(line: &str) -> bool {
    !is_rule(line) && line.chars().filter(|c| c.is_alphanumeric()).count() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output_of(screen: &str) -> String {
        let rows: Vec<String> = screen.lines().map(str::to_owned).collect();
        last_output(&rows)
    }

    #[test]
    fn the_input_line_and_what_stands_below_it_are_no_output() {
        let below = "\n──────\n❯ write a test \n──────\n  ⏸ manual mode on · 12k tokens";
        assert_eq!(output_of(&format!("● Wrote 12 lines{below}")), "● Wrote 12 lines");
        let boxed = "\n╭─────╮\n│ > say more │\n╰─────╯\n  main   4 files\n";
        assert_eq!(output_of(&format!("• Ran the tests\n{boxed}")), "• Ran the tests");
        assert_eq!(
            output_of("it is done\n\n+------+\n> \n+------+\n  model x\n"),
            "it is done"
        );
    }

    #[test]
    fn a_choice_and_the_question_right_above_it_are_no_output() {
        let choice = "\nGo on?\n❯ 1. Yes\n  2. Yes, always\n  3. No\n\n Esc to cancel · Tab to amend";
        assert_eq!(output_of(&format!("  $ touch a\n{choice}")), "$ touch a");
    }

    #[test]
    fn what_a_program_writes_below_a_quoted_line_is_output() {
        assert_eq!(output_of("> make it so\n\n● I make it so"), "● I make it so");
        assert_eq!(output_of("> make it so\n\nfine\n  it is\n"), "it is");
        let long = ["  one line of many"; 9].join("\n");
        assert_eq!(output_of(&format!("> tell me\n{long}")), "one line of many");
    }

    #[test]
    fn keys_clocks_and_a_spinner_are_no_output() {
        for figure in [
            "  Esc to cancel · Tab to amend",
            "• Working (0s • esc to interrupt)",
            "✻ Thinking… (14s · ↑ 1.2k tokens)",
            "  y · n · 1-9 · Enter",
            "  ? for shortcuts",
            "  shift+tab to cycle",
            "  Press enter to confirm or esc to go back",
            "                                   ◐ medium · /effort",
        ] {
            assert_eq!(
                output_of(&format!("Reads the code of the parser\n{figure}")),
                "Reads the code of the parser",
                "{figure}"
            );
        }
        for kept in [
            "Took 3 tries to enter the room",
            "finished (3s)",
            "The tab · of the bar is long enough",
        ] {
            assert_eq!(output_of(kept), kept);
        }
        assert_eq!(output_of("⠙ Weighing words"), "Weighing words");
        assert_eq!(output_of("── a title ──\n  >  \n"), "");
    }
}
