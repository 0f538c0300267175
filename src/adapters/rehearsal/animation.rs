//! Full-screen drawings: pure functions of frame, width and height.

use super::transcript_line::{TranscriptLine, colour};
use crate::formats::scenario::{Animation, ScenarioColour};

const RAINBOW: [ScenarioColour; 6] = [
    ScenarioColour::Red,
    ScenarioColour::Yellow,
    ScenarioColour::Green,
    ScenarioColour::Cyan,
    ScenarioColour::Blue,
    ScenarioColour::Magenta,
];

/// The rows of a picture at a frame.
pub(super) fn rows(picture: Animation, frame: usize, width: usize, height: usize) -> Vec<TranscriptLine> {
    (0..height)
        .map(|y| row(picture, frame, y, width, height))
        .collect()
}

fn row(picture: Animation, frame: usize, y: usize, width: usize, height: usize) -> TranscriptLine {
    let mut line = TranscriptLine::default();
    let mut x = 0;
    while x < width {
        let cell = cell(picture, frame, x, y, width, height);
        let run = (x..width)
            .take_while(|next| self::cell(picture, frame, *next, y, width, height) == cell)
            .count();
        let letter = if cell.is_some() { "█" } else { " " };
        line = line.and(&letter.repeat(run), colour(cell.unwrap_or_default()));
        x += run;
    }
    line
}

fn cell(
    picture: Animation,
    frame: usize,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
) -> Option<ScenarioColour> {
    let band = match picture {
        Animation::Waves => {
            let wave = fold(x / 2 + frame, height.max(2) - 1);
            y.abs_diff(wave)
        }
        Animation::Boxes => {
            let env = x.min(width - 1 - x) / 2;
            (env.min(y).min(height - 1 - y) + frame) % 12
        }
    };
    RAINBOW.get(band).copied()
}

/// A number that goes up to `limit` and down again.
fn fold(number: usize, limit: usize) -> usize {
    let at = number % (2 * limit);
    if at > limit { 2 * limit - at } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_fills_the_screen_and_moves() {
        for picture in [Animation::Waves, Animation::Boxes] {
            for (width, height) in [(1, 1), (2, 3), (80, 24), (200, 60)] {
                let lines = rows(picture, 3, width, height);
                assert_eq!(lines.len(), height);
                assert!(
                    lines
                        .iter()
                        .all(|line| super::super::transcript_line::width_of(&line.text()) == width)
                );
            }
            let drawn = |frame| {
                rows(picture, frame, 80, 24)
                    .iter()
                    .map(|line| line.draw(80))
                    .collect::<String>()
            };
            assert_ne!(drawn(1), drawn(2));
        }
    }
}
