//! The terminal a rehearsal runs in: where bytes go, where keys come from, how large it is.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};

/// Output stream and key source that a rehearsal draws on.
pub struct Console<'a> {
    /// Output for the bytes.
    pub out: &'a mut dyn Write,
    pub keys: KeySource,
}

/// Source of a rehearsal's keys: its terminal or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// The process's own terminal, in raw mode.
    Terminal,
    /// None, but drawing is wanted; columns and rows are fixed.
    Fixed(u16, u16),
    /// None: output is a pipe or a file and gets plain lines only.
    NoTerminal,
}

/// Event while a rehearsal waited: nothing, a key or an interrupt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConsoleInput {
    /// Time is up, or something happened that is not a key.
    Nothing,
    /// A key; Ctrl-C is [`ConsoleInput::Interrupt`].
    Key(KeyCode),
    Interrupt,
}

impl KeySource {
    /// The terminal when standard input and output are one, otherwise nothing.
    pub fn of_process() -> Self {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            KeySource::Terminal
        } else {
            KeySource::NoTerminal
        }
    }

    /// Columns and rows now; never less than 4 by 4, so that arithmetic is safe.
    pub(super) fn size(self) -> (u16, u16) {
        let (columns, rows) = match self {
            // A terminal that was never given a size answers 0 by 0.
            KeySource::Terminal => size()
                .ok()
                .filter(|(columns, rows)| *columns > 0 && *rows > 0)
                .unwrap_or((80, 24)),
            KeySource::Fixed(columns, rows) => (columns, rows),
            KeySource::NoTerminal => (80, 24),
        };
        (columns.max(4), rows.max(4))
    }

    /// Waits at most `time` for something to happen.
    pub(super) fn wait(self, time: Duration) -> io::Result<ConsoleInput> {
        if self != KeySource::Terminal {
            std::thread::sleep(time);
            return Ok(ConsoleInput::Nothing);
        }
        if !poll(time)? {
            return Ok(ConsoleInput::Nothing);
        }
        Ok(match read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
            _ => ConsoleInput::Nothing,
        })
    }
}

fn of_key(key: KeyEvent) -> ConsoleInput {
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => ConsoleInput::Interrupt,
        code => ConsoleInput::Key(code),
    }
}

/// Guard that keeps the terminal in raw mode until it is dropped.
pub(super) struct RawMode(KeySource);

impl RawMode {
    /// Turns raw mode on when there is a terminal.
    pub(super) fn on(keys: KeySource) -> io::Result<Self> {
        if keys == KeySource::Terminal {
            enable_raw_mode()?;
        }
        Ok(Self(keys))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        if self.0 == KeySource::Terminal {
            // The terminal may be gone already; nothing else can be done.
            drop(disable_raw_mode());
        }
    }
}
