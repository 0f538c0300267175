//! The box in which a rehearsal asks a person, and the keys that answer it.

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use super::error::{PlayEnd, RehearsalError};
use super::screen::RehearsalScreen;
use super::transcript_line::{TranscriptLine, bold, colour, width_of};
use crate::formats::scenario::ScenarioColour;

/// Shows a question and waits for `y`, `n`, a digit, the arrows with Enter, or Esc for the last choice. After
/// `answer_after` the marked choice is taken. Returns the index of the answer.
pub(super) fn ask(
    screen: &mut RehearsalScreen<'_>,
    text: &str,
    choices: &[String],
    answer_after: Option<Duration>,
) -> Result<usize, PlayEnd> {
    if !screen.has_keys() && answer_after.is_none() {
        return Err(RehearsalError::NobodyToAsk.into());
    }
    let until = answer_after.map(|time| Instant::now() + time);
    let mut marked = 0;
    loop {
        screen.show(boxed(screen.size().0, text, choices, marked))?;
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            break;
        }
        let Some(key) = screen.key(left.unwrap_or(Duration::from_secs(1)))? else {
            continue;
        };
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

/// What a key does in the question box: move the highlight or choose an answer.
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

fn boxed(columns: usize, text: &str, choices: &[String], marked: usize) -> Vec<TranscriptLine> {
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
    fn the_box_stays_within_the_width() {
        for columns in [26, 40, 80, 200] {
            for line in boxed(
                columns,
                "Run the checks of the handbook, all of them?",
                &["Yes".into(), "No".into()],
                0,
            ) {
                assert!(width_of(&line.text()) < columns, "{columns}: {}", line.text());
            }
        }
    }
}
