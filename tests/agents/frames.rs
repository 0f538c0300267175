//! Output of a recorded session: what draws the same again is left out, because a tool draws its spinner many times a second.

use crate::pane::PaneEvent;

/// Least time in milliseconds between two frames that draw the same: the screen is looked at as often.
const BETWEEN_FRAMES: u64 = 450;

/// Returns what output draws: its text and its movements, without its colours, the digits of counters and the signs of spinners.
fn drawn(output: &str) -> String {
    let is_text = |sign: &char| !sign.is_ascii_digit() && !is_of_spinner(*sign);
    let mut parts = output.split("\u{1b}[");
    let mut drawn: String = parts.next().unwrap_or_default().chars().filter(is_text).collect();
    for part in parts {
        let mut signs = part.char_indices();
        let end = signs.find(|(_, sign)| !sign.is_ascii_digit() && !";?>".contains(*sign));
        let (sequence, text) = part.split_at(end.map_or(part.len(), |(at, sign)| at + sign.len_utf8()));
        if !sequence.ends_with('m') {
            drawn.push_str(sequence);
        }
        drawn.extend(text.chars().filter(is_text));
    }
    drawn
}

fn is_of_spinner(sign: char) -> bool {
    "■⬝".contains(sign) || ('\u{2800}'..='\u{28ff}').contains(&sign)
}

/// Returns true if output that draws this draws at most a spinner, at any place.
fn is_empty_frame(drawn: &str) -> bool {
    let is_moving = |sign: char| sign.is_ascii_digit() || ";?hlH".contains(sign);
    drawn.starts_with("?2026h") && drawn.chars().all(is_moving)
}

/// Returns true if output draws over what it drew before, and leaves the cursor where it was.
fn is_frame(output: &str) -> bool {
    output.starts_with("\u{1b}[") && (output.contains("\u{1b}[2K") || output.contains("\u{1b}[?2026l"))
}

/// Leaves out most of the frames that draw the same as the one before, or nothing but a spinner.
fn without_repeated(mut events: Vec<PaneEvent>) -> Vec<PaneEvent> {
    let mut before: Option<(u64, String)> = None;
    events.retain(|event| {
        if event.kind != "o" || !is_frame(&event.text) {
            before = None;
            return true;
        }
        let drawn = drawn(&event.text);
        let is_spinner = is_empty_frame(&drawn);
        let is_repeated = before
            .as_ref()
            .is_some_and(|(at, known)| event.millis - at < BETWEEN_FRAMES && (is_spinner || *known == drawn));
        if !is_repeated {
            before = Some((event.millis, drawn));
        }
        !is_repeated
    });
    events
}

/// Joins output that came at almost the same time into one event.
pub(crate) fn joined(events: Vec<PaneEvent>) -> Vec<PaneEvent> {
    let mut joined: Vec<PaneEvent> = Vec::new();
    for event in without_repeated(events) {
        match joined.last_mut() {
            Some(last) if last.kind == "o" && event.kind == "o" && event.millis - last.millis < 20 => {
                last.text.push_str(&event.text);
            }
            _ => joined.push(event),
        }
    }
    without_repeated(joined)
}
