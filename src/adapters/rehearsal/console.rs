//! The terminal a rehearsal runs in: where bytes go, where keys come from, how large it is.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};

/// What a rehearsal draws on.
pub struct Console<'a> {
    /// Where the bytes go.
    pub out: &'a mut dyn Write,
    /// Where keys come from.
    pub keys: Keys,
}

/// Where keys come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// The process's own terminal, in raw mode.
    Terminal,
    /// Nowhere, but drawing is wanted; columns and rows are fixed.
    Fixed(u16, u16),
    /// Nowhere: output is a pipe or a file and gets plain lines only.
    None,
}

/// A key, as far as a rehearsal cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A letter, digit or sign.
    Char(char),
    /// Return.
    Enter,
    /// Escape.
    Escape,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Backspace.
    Backspace,
    /// Any other.
    Other,
}

/// What happened while waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Time is up, or something happened that is no key.
    Nothing,
    /// A key; Ctrl-C is [`Input::Interrupt`].
    Key(Key),
    /// Ctrl-C.
    Interrupt,
}

impl Keys {
    /// The terminal when standard input and output are one, otherwise nothing.
    pub fn of_process() -> Self {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            Keys::Terminal
        } else {
            Keys::None
        }
    }

    /// Columns and rows now; never less than 4 by 4, so that arithmetic is safe.
    pub(super) fn size(self) -> (u16, u16) {
        let (columns, rows) = match self {
            // A terminal that was never told its size says 0 by 0.
            Keys::Terminal => size()
                .ok()
                .filter(|(columns, rows)| *columns > 0 && *rows > 0)
                .unwrap_or((80, 24)),
            Keys::Fixed(columns, rows) => (columns, rows),
            Keys::None => (80, 24),
        };
        (columns.max(4), rows.max(4))
    }

    /// Waits at most `time` for something to happen.
    pub(super) fn wait(self, time: Duration) -> io::Result<Input> {
        if self != Keys::Terminal {
            std::thread::sleep(time);
            return Ok(Input::Nothing);
        }
        if !poll(time)? {
            return Ok(Input::Nothing);
        }
        Ok(match read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
            _ => Input::Nothing,
        })
    }
}

fn of_key(key: KeyEvent) -> Input {
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return Input::Interrupt;
    }
    Input::Key(match key.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Backspace => Key::Backspace,
        _ => Key::Other,
    })
}

/// Raw mode for as long as it lives.
pub(super) struct RawMode(Keys);

impl RawMode {
    /// Turns raw mode on when there is a terminal.
    pub(super) fn on(keys: Keys) -> io::Result<Self> {
        if keys == Keys::Terminal {
            enable_raw_mode()?;
        }
        Ok(Self(keys))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        if self.0 == Keys::Terminal {
            // The terminal may be gone already; there is nobody left to tell.
            drop(disable_raw_mode());
        }
    }
}
