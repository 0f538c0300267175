//! The box in which a rehearsal asks a person, and the keys that answer it.

use std::path::Path;
use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use super::error::{PlayEnd, RehearsalError};
use super::screen::RehearsalScreen;
use super::transcript_line::{TranscriptLine, bold, colour, width_of};
use crate::formats::scenario::ScenarioColour;

/// Interval at which the remaining time is updated.
const FRAME: Duration = Duration::from_millis(250);

/// Shows a question and waits for `y`, `n`, a digit, the arrows with Enter, or Esc for the last choice. After
/// `answer_after` the marked choice is taken, unless a person has pressed a key: here, or anywhere once that file is there.
/// Returns the index of the answer.
pub(super) fn ask(
    screen: &mut RehearsalScreen<'_>,
    text: &str,
    choices: &[String],
    answer_after: Option<Duration>,
    person: Option<&Path>,
) -> Result<usize, PlayEnd> {
    if !screen.has_keys() && answer_after.is_none() {
        return Err(RehearsalError::NobodyToAsk.into());
    }
    let mut until = answer_after.map(|time| Instant::now() + time);
    let mut marked = 0;
    let mut drawn = None;
    loop {
        if screen.has_keys() && person.is_some_and(Path::exists) {
            until = None;
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let now = (screen.size().0, marked, countdown(left, person.is_some(), marked));
        // Redrawn only when it shows something else.
        if drawn.as_ref() != Some(&now) {
            screen.show_question(boxed(now.0, text, choices, marked, now.2.as_deref()))?;
            drawn = Some(now);
        }
        if left.is_some_and(|left| left.is_zero()) {
            break;
        }
        let Some(key) = screen.key(left.unwrap_or(FRAME).min(FRAME))? else {
            continue;
        };
        until = None;
        match press(key, choices, marked) {
            ChoiceAction::Highlight(index) => marked = index,
            ChoiceAction::Choose(index) => {
                marked = index;
                break;
            }
        }
    }
    screen.show(Vec::new())?;
    Ok(marked)
}

/// Action of a key in the question box: move the highlight or choose an answer.
#[derive(Debug, PartialEq, Eq)]
enum ChoiceAction {
    Highlight(usize),
    Choose(usize),
}

fn press(key: KeyCode, choices: &[String], marked: usize) -> ChoiceAction {
    let last = choices.len().saturating_sub(1);
    match key {
        KeyCode::Char('y' | 'Y') => ChoiceAction::Choose(0),
        KeyCode::Char('n' | 'N') | KeyCode::Esc => ChoiceAction::Choose(last),
        KeyCode::Enter => ChoiceAction::Choose(marked),
        KeyCode::Up => ChoiceAction::Highlight(marked.saturating_sub(1)),
        KeyCode::Down => ChoiceAction::Highlight((marked + 1).min(last)),
        KeyCode::Char(digit) => match digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
            Some(number) if number > 0 && number - 1 <= last => ChoiceAction::Choose(number - 1),
            _ => ChoiceAction::Highlight(marked),
        },
        _ => ChoiceAction::Highlight(marked),
    }
}

/// The time left before the box answers itself, in words; and that it waits, where it would have answered itself.
fn countdown(left: Option<Duration>, is_demo: bool, marked: usize) -> Option<String> {
    match left {
        Some(left) => {
            let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
            let answer = marked + 1;
            Some(format!(
                "answers itself with {answer} in {seconds}s; any key stops that"
            ))
        }
        None => is_demo.then(|| "waits for your answer".to_owned()),
    }
}

/// The lines of the box; `foot` says when it answers itself.
fn boxed(
    columns: usize,
    text: &str,
    choices: &[String],
    marked: usize,
    foot: Option<&str>,
) -> Vec<TranscriptLine> {
    let inner = columns.saturating_sub(6).clamp(1, 70);
    let edge = "─".repeat(inner + 2);
    let frame = colour(ScenarioColour::Yellow);
    let mut lines = vec![TranscriptLine::new(&format!("╭{edge}╮"), frame)];
    let mut row = |text: &str, look| {
        let space = " ".repeat(inner.saturating_sub(width_of(text)));
        lines.push(
            TranscriptLine::new("│ ", frame)
                .and(text, look)
                .and(&space, look)
                .and(" │", frame),
        );
    };
    for piece in textwrap::wrap(text, inner) {
        row(&piece, bold(ScenarioColour::Plain));
    }
    for (index, choice) in choices.iter().enumerate() {
        let (arrow, look) = if index == marked {
            ("❯", bold(ScenarioColour::Cyan))
        } else {
            (" ", colour(ScenarioColour::Plain))
        };
        for piece in textwrap::wrap(&format!("{arrow} {}. {choice}", index + 1), inner) {
            row(&piece, look);
        }
    }
    row("y · n · 1-9 · Enter", colour(ScenarioColour::Grey));
    for piece in foot.iter().flat_map(|line| textwrap::wrap(line, inner)) {
        row(&piece, colour(ScenarioColour::Grey));
    }
    lines.push(TranscriptLine::new(&format!("╰{edge}╯"), frame));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_the_box_names_answers_it() {
        let choices: Vec<String> = ["Yes", "Always", "No"].map(Into::into).into();
        let table = [
            (KeyCode::Char('y'), ChoiceAction::Choose(0)),
            (KeyCode::Char('n'), ChoiceAction::Choose(2)),
            (KeyCode::Esc, ChoiceAction::Choose(2)),
            (KeyCode::Enter, ChoiceAction::Choose(1)),
            (KeyCode::Char('1'), ChoiceAction::Choose(0)),
            (KeyCode::Char('3'), ChoiceAction::Choose(2)),
            (KeyCode::Char('4'), ChoiceAction::Highlight(1)),
            (KeyCode::Char('0'), ChoiceAction::Highlight(1)),
            (KeyCode::Up, ChoiceAction::Highlight(0)),
            (KeyCode::Down, ChoiceAction::Highlight(2)),
            (KeyCode::Char('x'), ChoiceAction::Highlight(1)),
        ];
        for (key, expected) in table {
            assert_eq!(press(key, &choices, 1), expected, "{key:?}");
        }
    }

    #[test]
    fn the_time_left_is_counted_in_whole_seconds_and_a_demo_says_that_it_waits() {
        let left = |millis| Some(Duration::from_millis(millis));
        assert_eq!(
            countdown(left(9_100), true, 0).unwrap(),
            "answers itself with 1 in 10s; any key stops that"
        );
        assert_eq!(
            countdown(left(9_000), true, 1).unwrap(),
            "answers itself with 2 in 9s; any key stops that"
        );
        assert_eq!(countdown(None, true, 0).unwrap(), "waits for your answer");
        assert_eq!(countdown(None, false, 0), None, "no other question says it");
    }

    #[test]
    fn the_box_stays_within_the_width() {
        for columns in [26, 40, 80, 200] {
            for line in boxed(
                columns,
                "Run the checks of the handbook, all of them?",
                &["Yes".into(), "No".into()],
                0,
                Some("answers itself with 1 in 7s; any key stops that"),
            ) {
                assert!(width_of(&line.text()) < columns, "{columns}: {}", line.text());
            }
        }
    }
}
