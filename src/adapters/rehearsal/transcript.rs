//! Look of steps in the transcript: tool calls, results, differences, bars.

use std::io;
use std::time::{Duration, Instant};

use super::animation;
use super::error::PlayEnd;
use super::screen::RehearsalScreen;
use super::transcript_line::{TranscriptLine, bold, colour};
use crate::formats::scenario::{Animation, ScenarioColour, TextStyle};

/// The most lines of a difference that are shown.
const SHOWN: usize = 24;

impl RehearsalScreen<'_> {
    /// Shows the head of a tool call: `● Write(pages/a.md)`.
    pub(super) fn call(&mut self, name: &str, target: &str) -> io::Result<()> {
        let line =
            TranscriptLine::new("● ", colour(ScenarioColour::Green)).and(name, bold(ScenarioColour::Plain));
        self.say(if target.is_empty() {
            line
        } else {
            line.and(&format!("({target})"), colour(ScenarioColour::Grey))
        })
    }

    /// Shows the result of the call, below the head.
    pub(super) fn result(&mut self, text: &str, look: TextStyle) -> io::Result<()> {
        for (index, line) in text.lines().enumerate() {
            let hook = if index == 0 { "  ⎿ " } else { "    " };
            self.say(TranscriptLine::new(hook, colour(ScenarioColour::Grey)).and(line, look))?;
        }
        Ok(())
    }

    /// Lines of a difference, coloured, one after the other.
    pub(super) fn diff(&mut self, text: &str) -> Result<(), PlayEnd> {
        let all = text.lines().count();
        for line in text.lines().take(SHOWN) {
            let look = match line.chars().next() {
                Some('+') => colour(ScenarioColour::Green),
                Some('-') => colour(ScenarioColour::Red),
                Some('@') => colour(ScenarioColour::Cyan),
                _ => colour(ScenarioColour::Grey),
            };
            self.say(TranscriptLine::plain("    ").and(line, look))?;
            self.wait(Duration::from_millis(40))?;
        }
        if all > SHOWN {
            self.say(TranscriptLine::new(
                &format!("    … {} more lines", all - SHOWN),
                colour(ScenarioColour::Grey),
            ))?;
        }
        Ok(())
    }

    /// Text as if typed, word by word.
    pub(super) fn typed(&mut self, text: &str, look: TextStyle) -> Result<(), PlayEnd> {
        for line in text.lines() {
            let mut shown = String::new();
            for word in line.split_inclusive(' ') {
                shown.push_str(word);
                self.show(vec![TranscriptLine::new(&shown, look)])?;
                self.wait(Duration::from_millis(70))?;
            }
            self.show(Vec::new())?;
            self.say_text(line, look)?;
        }
        Ok(())
    }

    /// A bar that fills within `time`.
    pub(super) fn bar(&mut self, label: &str, time: Duration) -> Result<(), PlayEnd> {
        const CELLS: usize = 30;
        let start = Instant::now();
        let time = self.pace.scaled(time);
        let until = start + time;
        while Instant::now() < until {
            let part = start.elapsed().as_secs_f64() / time.as_secs_f64();
            let percent = (0..100_u32)
                .take_while(|percent| f64::from(*percent) / 100.0 < part)
                .count()
                .min(100);
            let full = "━".repeat(CELLS * percent / 100);
            let rest = "━".repeat(CELLS - CELLS * percent / 100);
            let line = TranscriptLine::new(&full, colour(ScenarioColour::Green))
                .and(&rest, colour(ScenarioColour::Grey));
            self.show(vec![
                line.and(&format!(" {percent:3} % {label}"), colour(ScenarioColour::Plain)),
            ])?;
            self.pass(until)?;
        }
        self.show(Vec::new())?;
        let line = TranscriptLine::new(&"━".repeat(CELLS), colour(ScenarioColour::Green));
        Ok(self.say(line.and(&format!(" 100 % {label}"), colour(ScenarioColour::Plain)))?)
    }

    /// A full-screen drawing under the label, then the screen as it was.
    pub(super) fn draw(&mut self, what: Animation, time: Duration, badge: &str) -> Result<(), PlayEnd> {
        let until = Instant::now() + self.pace.scaled(time);
        self.clear_live()?;
        self.control("\x1b[?1049h")?;
        let mut frame = 0;
        while Instant::now() < until {
            let (columns, rows) = self.size();
            let label = TranscriptLine::new(badge, bold(ScenarioColour::Magenta)).draw(columns);
            let lines = animation::rows(what, frame, columns - 1, rows - 1);
            let lines: String = lines
                .iter()
                .flat_map(|line| ["\r\n".to_owned(), line.draw(columns)])
                .collect();
            self.control(&format!("\x1b[?2026h\x1b[H\x1b[2K{label}{lines}\x1b[?2026l"))?;
            let left = until.saturating_duration_since(Instant::now());
            self.key(left.min(Duration::from_millis(90)))?;
            frame += 1;
        }
        self.leave_drawing()?;
        Ok(())
    }
}
