//! The box in which a rehearsal asks a person, and the keys that answer it.

use std::time::{Duration, Instant};

use super::console::Key;
use super::error::{RehearsalError, Stop};
use super::line::{Line, bold, colour, width_of};
use super::screen::Screen;
use crate::formats::scenario::Colour;

/// Shows a question and waits for `y`, `n`, a digit, the arrows with Enter, or Esc for the last choice. After
/// `answer_after` the marked choice is taken. Returns the index of the answer.
pub(super) fn ask(
    screen: &mut Screen<'_>,
    text: &str,
    choices: &[String],
    answer_after: Option<Duration>,
) -> Result<usize, Stop> {
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
            Press::Mark(index) => marked = index,
            Press::Take(index) => {
                marked = index;
                break;
            }
        }
    }
    screen.show(Vec::new())?;
    Ok(marked)
}

/// What a key does in the box.
#[derive(Debug, PartialEq, Eq)]
enum Press {
    Mark(usize),
    Take(usize),
}

fn press(key: Key, choices: &[String], marked: usize) -> Press {
    let last = choices.len().saturating_sub(1);
    match key {
        Key::Char('y' | 'Y') => Press::Take(0),
        Key::Char('n' | 'N') | Key::Escape => Press::Take(last),
        Key::Enter => Press::Take(marked),
        Key::Up => Press::Mark(marked.saturating_sub(1)),
        Key::Down => Press::Mark((marked + 1).min(last)),
        Key::Char(digit) => match digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
            Some(number) if number > 0 && number - 1 <= last => Press::Take(number - 1),
            _ => Press::Mark(marked),
        },
        _ => Press::Mark(marked),
    }
}

fn boxed(columns: usize, text: &str, choices: &[String], marked: usize) -> Vec<Line> {
    let inner = columns.saturating_sub(6).clamp(1, 70);
    let edge = "─".repeat(inner + 2);
    let frame = colour(Colour::Yellow);
    let mut lines = vec![Line::new(&format!("╭{edge}╮"), frame)];
    let mut row = |text: &str, look| {
        let space = " ".repeat(inner.saturating_sub(width_of(text)));
        lines.push(
            Line::new("│ ", frame)
                .and(text, look)
                .and(&space, look)
                .and(" │", frame),
        );
    };
    for piece in textwrap::wrap(text, inner) {
        row(&piece, bold(Colour::Plain));
    }
    for (index, choice) in choices.iter().enumerate() {
        let (arrow, look) = if index == marked {
            ("❯", bold(Colour::Cyan))
        } else {
            (" ", colour(Colour::Plain))
        };
        for piece in textwrap::wrap(&format!("{arrow} {}. {choice}", index + 1), inner) {
            row(&piece, look);
        }
    }
    row("y · n · 1-9 · Enter", colour(Colour::Grey));
    lines.push(Line::new(&format!("╰{edge}╯"), frame));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_the_box_names_answers_it() {
        let choices: Vec<String> = ["Yes", "Always", "No"].map(Into::into).into();
        let table = [
            (Key::Char('y'), Press::Take(0)),
            (Key::Char('n'), Press::Take(2)),
            (Key::Escape, Press::Take(2)),
            (Key::Enter, Press::Take(1)),
            (Key::Char('1'), Press::Take(0)),
            (Key::Char('3'), Press::Take(2)),
            (Key::Char('4'), Press::Mark(1)),
            (Key::Char('0'), Press::Mark(1)),
            (Key::Up, Press::Mark(0)),
            (Key::Down, Press::Mark(2)),
            (Key::Char('x'), Press::Mark(1)),
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
