//! Draws a rehearsal like a real agent draws itself: a transcript that grows, and below it a live area with what is
//! going on, what the person types, and the label that says this is a rehearsal. It knows nothing of scenarios.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use super::console::{Console, ConsoleInput, KeySource};
use super::context::RehearsalSpeed;
use super::error::PlayEnd;
use super::outcome::RehearsalExit;
use super::transcript_line::{TranscriptLine, bold, colour, width_of};
use crate::formats::scenario::{ScenarioColour, ScenarioScreen as Surface, TextStyle};

/// Lines remembered for redrawing; older ones are forgotten here and live on in the terminal's history.
const REMEMBERED: usize = 500;
/// Time between two pictures of the spinner.
const FRAME: Duration = Duration::from_millis(90);
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Screen of a rehearsal: a growing transcript above a live area.
pub(super) struct RehearsalScreen<'a> {
    out: &'a mut dyn Write,
    keys: KeySource,
    pub(super) pace: RehearsalSpeed,
    surface: Surface,
    badge: String,
    transcript: VecDeque<TranscriptLine>,
    live: Vec<TranscriptLine>,
    drawn: usize,
    typed: String,
    size: (u16, u16),
    frame: usize,
}

impl<'a> RehearsalScreen<'a> {
    pub(super) fn open(
        console: Console<'a>,
        pace: RehearsalSpeed,
        surface: Surface,
        badge: &str,
    ) -> io::Result<Self> {
        let Console { out, keys } = console;
        let mut screen = Self {
            out,
            keys,
            pace,
            surface,
            badge: badge.to_owned(),
            transcript: VecDeque::new(),
            live: Vec::new(),
            drawn: 0,
            typed: String::new(),
            size: keys.size(),
            frame: 0,
        };
        if surface == Surface::Full {
            screen.control("\x1b[?1049h")?;
        }
        screen.control("\x1b[?25l")?;
        screen.say(TranscriptLine::new(badge, bold(ScenarioColour::Magenta)))?;
        Ok(screen)
    }

    pub(super) fn close(&mut self) -> io::Result<()> {
        let erase = self.erase_live();
        self.drawn = 0;
        let leave = if self.surface == Surface::Full {
            "\x1b[?1049l"
        } else {
            ""
        };
        self.control(&format!("{erase}\x1b[?25h{leave}"))
    }

    pub(super) fn say(&mut self, line: TranscriptLine) -> io::Result<()> {
        if self.keys == KeySource::NoTerminal {
            return self.bytes(format!("{}\n", line.text()).as_bytes());
        }
        let drawn = line.draw(self.columns());
        if self.transcript.len() == REMEMBERED {
            self.transcript.pop_front();
        }
        self.transcript.push_back(line);
        if self.surface == Surface::Full {
            return self.repaint();
        }
        let erase = self.erase_live();
        let below = self.draw_live();
        self.bytes(format!("{erase}{drawn}\r\n{below}").as_bytes())
    }

    /// Adds text of any length: lines are wrapped to the width.
    pub(super) fn say_text(&mut self, text: &str, look: TextStyle) -> io::Result<()> {
        for line in text.lines() {
            for piece in textwrap::wrap(&super::transcript_line::printable(line), self.columns()) {
                self.say(TranscriptLine::new(&piece, look))?;
            }
        }
        Ok(())
    }

    /// Shows lines in the live area instead of the ones there.
    pub(super) fn show(&mut self, live: Vec<TranscriptLine>) -> io::Result<()> {
        self.live = live;
        self.redraw()
    }

    /// Shows a label behind the spinner and waits, scaled by the pace.
    pub(super) fn work(&mut self, label: &str, time: Duration) -> Result<(), PlayEnd> {
        let until = Instant::now() + self.pace.scaled(time);
        while Instant::now() < until {
            let spinner =
                TranscriptLine::new(&format!("{} ", self.spinner()), colour(ScenarioColour::Magenta));
            self.show(vec![spinner.and(label, colour(ScenarioColour::Cyan))])?;
            self.pass(until)?;
        }
        Ok(self.show(Vec::new())?)
    }

    /// Waits, scaled by the pace, with whatever the live area shows.
    pub(super) fn wait(&mut self, time: Duration) -> Result<(), PlayEnd> {
        let until = Instant::now() + self.pace.scaled(time);
        while Instant::now() < until {
            self.pass(until)?;
        }
        Ok(())
    }

    /// Lets one frame pass, or less when `until` comes first. What a person types goes into the prompt.
    pub(super) fn pass(&mut self, until: Instant) -> Result<(), PlayEnd> {
        match self.key(FRAME.min(until.saturating_duration_since(Instant::now())))? {
            None => self.frame += 1,
            Some(KeyCode::Char(c)) => self.typed.push(c),
            Some(KeyCode::Backspace) => drop(self.typed.pop()),
            Some(KeyCode::Enter) if !self.typed.is_empty() => {
                let typed = std::mem::take(&mut self.typed);
                self.say(TranscriptLine::new(
                    &format!("> {typed}"),
                    bold(ScenarioColour::Plain),
                ))?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Waits at most `time` for a key. A new size is drawn at once; Ctrl-C ends the rehearsal.
    pub(super) fn key(&mut self, time: Duration) -> Result<Option<KeyCode>, PlayEnd> {
        let input = self.keys.wait(time)?;
        // Asked each time: a change before the first wait comes without an event.
        let size = self.keys.size();
        if size != self.size {
            self.size = size;
            self.repaint()?;
        }
        match input {
            ConsoleInput::Nothing => Ok(None),
            ConsoleInput::Key(key) => Ok(Some(key)),
            ConsoleInput::Interrupt => Err(PlayEnd::Ended(RehearsalExit::Code(130))),
        }
    }

    /// Whether a person can press keys here.
    pub(super) fn has_keys(&self) -> bool {
        self.keys == KeySource::Terminal
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (usize::from(self.size.0), usize::from(self.size.1))
    }

    /// Sends a control sequence; dropped where there is no terminal.
    pub(super) fn control(&mut self, sequence: &str) -> io::Result<()> {
        if self.keys == KeySource::NoTerminal {
            Ok(())
        } else {
            self.bytes(sequence.as_bytes())
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    /// Clears the live area so that raw bytes may follow; the next line is drawn below them.
    pub(super) fn clear_live(&mut self) -> io::Result<()> {
        let erase = self.erase_live();
        self.drawn = 0;
        self.control(&erase)
    }

    /// Comes back from a full-screen drawing.
    pub(super) fn leave_drawing(&mut self) -> io::Result<()> {
        if self.surface == Surface::Full {
            return self.repaint();
        }
        self.control("\x1b[?1049l")?;
        self.redraw()
    }

    pub(super) fn repaint(&mut self) -> io::Result<()> {
        let (columns, rows) = self.size();
        self.drawn = 0;
        let below = self.draw_live();
        let room = rows.saturating_sub(self.drawn.max(1));
        let tail = self.transcript.iter();
        let tail: String = tail
            .skip(self.transcript.len().saturating_sub(room))
            .flat_map(|line| [line.draw(columns), "\r\n".to_owned()])
            .collect();
        self.control(&format!("\x1b[?2026h\x1b[m\x1b[2J\x1b[H{tail}{below}\x1b[?2026l"))
    }

    fn redraw(&mut self) -> io::Result<()> {
        let erase = self.erase_live();
        let below = self.draw_live();
        self.control(&format!("{erase}{below}"))
    }

    fn columns(&self) -> usize {
        usize::from(self.size.0)
    }

    fn spinner(&self) -> &'static str {
        SPINNER.get(self.frame % SPINNER.len()).copied().unwrap_or("-")
    }

    fn erase_live(&self) -> String {
        match self.drawn {
            0 => String::new(),
            1 => "\r\x1b[J".into(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        }
    }

    /// The bytes that draw the live area: what goes on, the prompt, the label. Counts its rows.
    fn draw_live(&mut self) -> String {
        let (columns, rows) = self.size();
        // One column is left free: a full row would wrap on some terminals and not on others.
        let width = columns - 1;
        let skip = (self.live.len() + 2).saturating_sub(rows - 1);
        let mut lines: Vec<String> = self.live.iter().skip(skip).map(|line| line.draw(width)).collect();
        let grey = colour(ScenarioColour::Grey);
        let prompt = TranscriptLine::new("> ", grey).and(&self.typed, TextStyle::default());
        let rule = "─".repeat(width.saturating_sub(width_of(&self.badge) + 4));
        let label = TranscriptLine::new("── ", grey).and(&self.badge, bold(ScenarioColour::Magenta));
        let label = label.and(&format!(" {rule}"), grey);
        lines.extend([prompt.draw(width), label.draw(width)]);
        self.drawn = lines.len();
        lines.join("\r\n")
    }
}
