//! How steps look in the transcript: tool calls, results, differences, bars.

use std::io;
use std::time::{Duration, Instant};

use super::error::Stop;
use super::line::{Line, bold, colour};
use super::picture;
use super::screen::Screen;
use crate::formats::scenario::{Colour, Look, Picture};

/// The most lines of a difference that are shown.
const SHOWN: usize = 24;

/// The head of a tool call: `● Write(pages/a.md)`.
pub(super) fn call(screen: &mut Screen<'_>, name: &str, target: &str) -> io::Result<()> {
    let line = Line::new("● ", colour(Colour::Green)).and(name, bold(Colour::Plain));
    screen.say(if target.is_empty() {
        line
    } else {
        line.and(&format!("({target})"), colour(Colour::Grey))
    })
}

/// What came of it, below the head.
pub(super) fn result(screen: &mut Screen<'_>, text: &str, look: Look) -> io::Result<()> {
    for (index, line) in text.lines().enumerate() {
        let hook = if index == 0 { "  ⎿ " } else { "    " };
        screen.say(Line::new(hook, colour(Colour::Grey)).and(line, look))?;
    }
    Ok(())
}

/// Lines of a difference, coloured, one after the other.
pub(super) fn diff(screen: &mut Screen<'_>, text: &str) -> Result<(), Stop> {
    let all = text.lines().count();
    for line in text.lines().take(SHOWN) {
        let look = match line.chars().next() {
            Some('+') => colour(Colour::Green),
            Some('-') => colour(Colour::Red),
            Some('@') => colour(Colour::Cyan),
            _ => colour(Colour::Grey),
        };
        screen.say(Line::plain("    ").and(line, look))?;
        screen.wait(Duration::from_millis(40))?;
    }
    if all > SHOWN {
        screen.say(Line::new(
            &format!("    … {} more lines", all - SHOWN),
            colour(Colour::Grey),
        ))?;
    }
    Ok(())
}

/// Text as if typed, word by word.
pub(super) fn typed(screen: &mut Screen<'_>, text: &str, look: Look) -> Result<(), Stop> {
    for line in text.lines() {
        let mut shown = String::new();
        for word in line.split_inclusive(' ') {
            shown.push_str(word);
            screen.show(vec![Line::new(&shown, look)])?;
            screen.wait(Duration::from_millis(70))?;
        }
        screen.show(Vec::new())?;
        screen.say_text(line, look)?;
    }
    Ok(())
}

/// A bar that fills within `time`.
pub(super) fn bar(screen: &mut Screen<'_>, label: &str, time: Duration) -> Result<(), Stop> {
    const CELLS: usize = 30;
    let start = Instant::now();
    let time = screen.pace.scaled(time);
    let until = start + time;
    while Instant::now() < until {
        let part = start.elapsed().as_secs_f64() / time.as_secs_f64();
        let percent = (0..100_u32)
            .take_while(|percent| f64::from(*percent) / 100.0 < part)
            .count()
            .min(100);
        let full = "━".repeat(CELLS * percent / 100);
        let rest = "━".repeat(CELLS - CELLS * percent / 100);
        let line = Line::new(&full, colour(Colour::Green)).and(&rest, colour(Colour::Grey));
        screen.show(vec![
            line.and(&format!(" {percent:3} % {label}"), colour(Colour::Plain)),
        ])?;
        screen.pass(until)?;
    }
    screen.show(Vec::new())?;
    let line = Line::new(&"━".repeat(CELLS), colour(Colour::Green));
    Ok(screen.say(line.and(&format!(" 100 % {label}"), colour(Colour::Plain)))?)
}

/// A full-screen drawing under the label, then the screen as it was.
pub(super) fn draw(screen: &mut Screen<'_>, what: Picture, time: Duration, badge: &str) -> Result<(), Stop> {
    let until = Instant::now() + screen.pace.scaled(time);
    screen.step_aside()?;
    screen.control("\x1b[?1049h")?;
    let mut frame = 0;
    while Instant::now() < until {
        let (columns, rows) = screen.size();
        let label = Line::new(badge, bold(Colour::Magenta)).draw(columns);
        let lines = picture::rows(what, frame, columns - 1, rows - 1);
        let lines: String = lines
            .iter()
            .flat_map(|line| ["\r\n".to_owned(), line.draw(columns)])
            .collect();
        screen.control(&format!("\x1b[?2026h\x1b[H\x1b[2K{label}{lines}\x1b[?2026l"))?;
        let left = until.saturating_duration_since(Instant::now());
        screen.key(left.min(Duration::from_millis(90)))?;
        frame += 1;
    }
    screen.leave_drawing()?;
    Ok(())
}
