//! Screen that draws a rehearsal like a real agent draws itself: a transcript that grows, and below it a live area with the present
//! activity, the text that the person types, and the label that says this is a rehearsal. It knows nothing of scenarios.

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
    /// Transcript that a full screen redraws for every line; inline, it is in the terminal already.
    transcript: VecDeque<TranscriptLine>,
    live: Vec<TranscriptLine>,
    /// True while the live area is a question: its keys are no prompt, so no prompt is shown below it.
    asks: bool,
    /// The lines of the live area as they were drawn.
    drawn: Vec<DrawnLine>,
    typed: String,
    size: (u16, u16),
    frame: usize,
}

/// A line on the terminal: its columns, and the bytes that draw it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DrawnLine {
    columns: usize,
    bytes: String,
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
            asks: false,
            drawn: Vec::new(),
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
        self.drawn.clear();
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
        self.take_size();
        if self.surface == Surface::Full {
            if self.transcript.len() == REMEMBERED {
                self.transcript.pop_front();
            }
            self.transcript.push_back(line);
            return self.repaint();
        }
        let drawn = line.draw(self.columns());
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
        (self.live, self.asks) = (live, false);
        self.redraw()
    }

    /// Shows a question in the live area instead of the lines there and the prompt.
    pub(super) fn show_question(&mut self, question: Vec<TranscriptLine>) -> io::Result<()> {
        (self.live, self.asks) = (question, true);
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

    /// Waits, scaled by the pace, while the live area stays as it is.
    pub(super) fn wait(&mut self, time: Duration) -> Result<(), PlayEnd> {
        let until = Instant::now() + self.pace.scaled(time);
        while Instant::now() < until {
            self.pass(until)?;
        }
        Ok(())
    }

    /// Lets one frame pass, or less when `until` comes first. Text that a person types goes into the prompt.
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
        if self.keys.size() != self.size {
            if self.surface == Surface::Inline && self.drawn.is_empty() {
                // Bytes of another kind are there, such as a drawing.
                self.take_size();
            } else {
                self.redraw()?;
            }
        }
        match input {
            ConsoleInput::Nothing => Ok(None),
            ConsoleInput::Key(key) => Ok(Some(key)),
            ConsoleInput::Interrupt => Err(PlayEnd::Ended(RehearsalExit::Code(130))),
        }
    }

    /// Returns true if a person can press keys here.
    pub(super) fn has_keys(&self) -> bool {
        self.keys == KeySource::Terminal
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (usize::from(self.size.0), usize::from(self.size.1))
    }

    /// Sends a control sequence; dropped if there is no terminal.
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
        self.drawn.clear();
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

    fn repaint(&mut self) -> io::Result<()> {
        let (columns, rows) = self.size();
        let below = self.draw_live();
        let room = rows.saturating_sub(self.drawn.len().max(1));
        let tail = self.transcript.iter();
        let tail: String = tail
            .skip(self.transcript.len().saturating_sub(room))
            .flat_map(|line| [line.draw(columns), "\r\n".to_owned()])
            .collect();
        self.control(&format!("\x1b[?2026h\x1b[m\x1b[2J\x1b[H{tail}{below}\x1b[?2026l"))
    }

    fn redraw(&mut self) -> io::Result<()> {
        let is_new_size = self.take_size();
        if is_new_size && self.surface == Surface::Full {
            return self.repaint();
        }
        let next = self.live_lines();
        if !is_new_size && next.len() == self.drawn.len() {
            let changed = self.draw_changed(&next);
            self.drawn = next;
            return self.control(&changed);
        }
        let erase = self.erase_live();
        let below = self.draw_live();
        self.control(&format!("{erase}{below}"))
    }

    /// Returns the bytes that draw only the changed lines. A terminal that becomes narrower meanwhile has them inside the live area, which
    /// is drawn again for the new size.
    fn draw_changed(&self, next: &[DrawnLine]) -> String {
        let pairs = next.iter().zip(&self.drawn).rev().enumerate();
        let changed = pairs.filter(|(_, (new, old))| new != old);
        let draw = |(below, (new, _)): (usize, (&DrawnLine, _))| {
            let (up, down) = match below {
                0 => (String::new(), String::new()),
                rows => (format!("\x1b[{rows}A"), format!("\x1b[{rows}B")),
            };
            format!("{up}\r{}\x1b[K{down}", new.bytes)
        };
        let drawn: String = changed.map(draw).collect();
        match next.last() {
            Some(last) if !drawn.is_empty() => format!("{drawn}\r\x1b[{}C", last.columns),
            _ => drawn,
        }
    }

    /// Takes the size of the terminal, and returns true if it has changed.
    fn take_size(&mut self) -> bool {
        let before = std::mem::replace(&mut self.size, self.keys.size());
        before != self.size
    }

    fn columns(&self) -> usize {
        usize::from(self.size.0)
    }

    fn spinner(&self) -> &'static str {
        SPINNER.get(self.frame % SPINNER.len()).copied().unwrap_or("-")
    }

    /// Returns the bytes that erase the live area. A terminal that has become narrower since then has wrapped its lines, and those of the
    /// transcript, too, which are left alone: to draw them again would leave them in the history once for every size.
    fn erase_live(&self) -> String {
        let rows = self
            .drawn
            .iter()
            .map(|line| line.columns.div_ceil(self.columns()).max(1));
        match rows.sum::<usize>() {
            0 => String::new(),
            1 => "\r\x1b[J".into(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        }
    }

    /// The bytes that draw the live area, which are kept as drawn.
    fn draw_live(&mut self) -> String {
        self.drawn = self.live_lines();
        let lines: Vec<&str> = self.drawn.iter().map(|line| line.bytes.as_str()).collect();
        lines.join("\r\n")
    }

    /// Returns the lines of the live area: the present activity, the prompt, the label.
    fn live_lines(&self) -> Vec<DrawnLine> {
        let (columns, rows) = self.size();
        // One column is left free: a full row would wrap on some terminals and not on others.
        let width = columns - 1;
        let skip = (self.live.len() + 2).saturating_sub(rows - 1);
        let grey = colour(ScenarioColour::Grey);
        let prompt = TranscriptLine::new("> ", grey).and(&self.typed, TextStyle::default());
        let rule = "─".repeat(width.saturating_sub(width_of(&self.badge) + 4));
        let label = TranscriptLine::new("── ", grey).and(&self.badge, bold(ScenarioColour::Magenta));
        let label = label.and(&format!(" {rule}"), grey);
        let prompt = Some(&prompt).filter(|_| !self.asks);
        let lines = self.live.iter().skip(skip).chain(prompt).chain([&label]);
        let drawn = lines.map(|line| DrawnLine {
            columns: width_of(&line.text()).min(width),
            bytes: line.draw(width),
        });
        drawn.collect()
    }
}
