//! Lines in which the interfaces of tools show that a request failed and is tried again. Their other reports say only that they work.

use super::json_report::harmless;
use crate::agent_state::{Doing, Work};

/// Lines from the end of a screen among which such a line stands: above the one in which people type.
const LAST_LINES: usize = 14;
/// Words of a provider that refuses a key, in lower case.
const NO_LOGIN: [&str; 5] = [
    "401",
    "invalid x-api-key",
    "authentication_error",
    "unauthorized",
    "/login",
];

/// Words of Gemini CLI for a request that it tries again.
const STILL_ON_IT: &str = "This is taking a bit longer";
/// Words of aider below the cause of a request that it tries again.
const AIDER_RETRIES: &str = "Retrying in ";
/// The most lines from these words to the end of the screen: below them only the sign that it waits.
const AIDER_BELOW: usize = 2;
/// The most lines from the cause to these words: a long cause takes several.
const AIDER_ABOVE: usize = 6;

/// Returns the request that is tried again by the last lines of a screen.
pub fn read(screen: &str) -> Option<Doing> {
    let lines = screen.lines().map(without_marks).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let mut last = lines.iter().rev().take(LAST_LINES);
    let (attempt, most, why) = last
        .find_map(|line| retry(line))
        .or_else(|| below_its_cause(&lines))?;
    let lower = why.to_lowercase();
    let text = harmless(why);
    Some(if NO_LOGIN.iter().any(|word| lower.contains(word)) {
        Doing::NotLoggedIn { text }
    } else {
        Doing::Working(Work::Retry {
            attempt,
            most,
            why: text,
        })
    })
}

/// Reads one line: the number of the try, the maximum, and the cause.
fn retry(line: &str) -> Option<(u32, u32, &str)> {
    if let Some(rest) = line.strip_prefix("Reconnecting...") {
        let numbers = rest.split_whitespace().next().and_then(fraction);
        let why = rest
            .split_once('(')
            .map_or(rest, |(_, why)| why.trim_end_matches(')'));
        if numbers.is_none() && !rest.contains("waiting for network") {
            return None;
        }
        let (attempt, most) = numbers.unwrap_or((0, 0));
        let is_hint = numbers.is_some() && why.contains("esc to interrupt");
        return Some((attempt, most, if is_hint { "" } else { why.trim() }));
    }
    in_brackets(line)
        .or_else(|| to_reach(line))
        .or_else(|| between_dots(line))
}

/// Reads the line of opencode: `Provider is overloaded [retrying in 3s attempt #2]`, whose end may be cut.
fn in_brackets(line: &str) -> Option<(u32, u32, &str)> {
    let (why, rest) = line.split_once(" [retrying in ")?;
    let number = rest.split_once("attempt #").map(|(_, number)| number);
    let digits = number.and_then(|number| number.split(|sign: char| !sign.is_ascii_digit()).next());
    Some((digits.and_then(|digits| digits.parse().ok()).unwrap_or(0), 0, why))
}

/// Reads the lines of Gemini CLI, which name no cause, and for people who did not ask for details no number.
fn to_reach(line: &str) -> Option<(u32, u32, &str)> {
    if line.starts_with(STILL_ON_IT) {
        return Some((0, 0, STILL_ON_IT));
    }
    let (why, rest) = line.split_once(" (Attempt ")?;
    let (attempt, most) = fraction(rest.split_once(')')?.0)?;
    why.starts_with("Trying to reach ")
        .then_some((attempt, most, why))
}

/// Reads the end of the screen of aider: the error, a line that explains it, and `Retrying in 0.2 seconds...`.
fn below_its_cause<'a>(lines: &[&'a str]) -> Option<(u32, u32, &'a str)> {
    let at = lines.len().checked_sub(AIDER_BELOW)?;
    let at = at + lines.get(at..)?.iter().rposition(|line| is_of_aider(line))?;
    let why = lines.get(..at)?.iter().rev().take(AIDER_ABOVE).find_map(|line| {
        let (_, cause) = line.split_once("litellm.")?;
        Some(cause)
    });
    Some((0, 0, why.unwrap_or_default()))
}

fn is_of_aider(line: &str) -> bool {
    let seconds = line
        .strip_prefix(AIDER_RETRIES)
        .and_then(|rest| rest.strip_suffix(" seconds..."));
    seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

/// Reads the line of Claude Code: `Connection refused · retrying in 6s · attempt 4/10`.
fn between_dots(line: &str) -> Option<(u32, u32, &str)> {
    let lower = line.to_ascii_lowercase();
    let at = lower.find(" · retrying in ")?;
    let (_, after) = lower.get(at..)?.split_once("attempt ")?;
    let (attempt, most) = fraction(after.split(|c: char| !c.is_ascii_digit() && c != '/').next()?)?;
    let why = line
        .get(..at)?
        .trim_end_matches(|sign: char| !sign.is_alphanumeric() && sign != ')');
    Some((attempt, most, why))
}

fn fraction(text: &str) -> Option<(u32, u32)> {
    let (one, all) = text.split_once('/')?;
    Some((one.parse().ok()?, all.parse().ok()?))
}

/// Returns a line without the marks that tools put in front of it.
fn without_marks(line: &str) -> &str {
    line.trim_start_matches(|sign: char| !sign.is_alphanumeric())
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(attempt: u32, most: u32, why: &str) -> Doing {
        let why = why.to_owned();
        Doing::Working(Work::Retry { attempt, most, why })
    }

    #[test]
    fn a_line_of_the_screen_that_says_so_is_a_request_that_is_tried_again_with_its_cause() {
        for (line, wanted) in [
            (
                "✻ Connection refused · retrying in 6s · attempt 4/10",
                Some(again(4, 10, "Connection refused")),
            ),
            (
                "  ⎿  API Error (529 Overloaded) · Retrying in 1 seconds… (attempt 1/10)",
                Some(again(1, 10, "API Error (529 Overloaded)")),
            ),
            (
                "• Reconnecting... 2/5 (3s • esc to interrupt)",
                Some(again(2, 5, "")),
            ),
            (
                "• Reconnecting... waiting for network",
                Some(again(0, 0, "waiting for network")),
            ),
            (
                "⬝⬝⬝⬝⬝⬝Cannot connect to API: Unable to connect. [retrying in 2s att",
                Some(again(0, 0, "Cannot connect to API: Unable to connect.")),
            ),
            (
                "⠏ Trying to reach gemini-2.5-flash (Attempt 2/10) (esc to cancel, 4s)",
                Some(again(2, 10, "Trying to reach gemini-2.5-flash")),
            ),
            (
                "⠏ This is taking a bit longer, we're still on it. (esc to cancel, 2m 4s)",
                Some(again(0, 0, STILL_ON_IT)),
            ),
            ("Retrying in the morning", None),
            ("⎿ 401 unauthorized, retrying in 2s (attempt 1/3)", None),
            ("Reconnecting... to the database", None),
            ("  I would be retrying in 3 days", None),
            ("", None),
        ] {
            let screen = format!("● I work.\n\n{line}\n\n────\n❯ \n────\n");
            assert_eq!(read(&screen), wanted, "{line}");
        }
    }

    #[test]
    fn a_key_that_is_refused_is_a_missing_login_at_the_first_retry() {
        for line in [
            "401 invalid x-api-key · retrying in 0s · attempt 1/10",
            "Reconnecting... 1/5 (unexpected status 401 Unauthorized: invalid x-api-key)",
        ] {
            assert!(
                matches!(read(line), Some(Doing::NotLoggedIn { text }) if text.contains("401")),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_far_above_the_end_of_the_screen_is_of_the_past() {
        let screen = format!(
            "Connection refused · retrying in 6s · attempt 4/10\n{}",
            "more\n".repeat(LAST_LINES)
        );
        assert_eq!(read(&screen), None);
    }
}
