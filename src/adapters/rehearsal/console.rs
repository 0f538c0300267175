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

/// What happened while waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// Time is up.
    Nothing,
    /// A key; Ctrl-C is [`Input::Interrupt`].
    Key(KeyCode),
    /// Ctrl-C.
    Interrupt,
    /// The terminal has another size.
    Resized,
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
            Keys::Terminal => size().unwrap_or((80, 24)),
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
            Event::Resize(..) => Input::Resized,
            Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
            _ => Input::Nothing,
        })
    }
}

fn of_key(key: KeyEvent) -> Input {
    if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
        return Input::Interrupt;
    }
    Input::Key(key.code)
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
