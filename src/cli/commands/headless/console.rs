//! The terminal of an agent without an interface: lines of its transcript, and below them the text a person is typing.

use std::io::IsTerminal as _;

use crate::adapters::output;
use crate::cli::command_error::{CommandResult, failed};
use crate::term::sanitize;

/// Asks the terminal to mark pasted text, and to stop that.
const MARK_PASTES: (&str, &str) = ("\x1b[?2004h", "\x1b[?2004l");

/// The terminal, in raw mode if it is one, until it is dropped.
#[derive(Debug)]
pub(super) struct TranscriptConsole {
    is_terminal: bool,
    /// Text in the last row.
    typed: String,
}

impl TranscriptConsole {
    pub(super) fn open() -> CommandResult<TranscriptConsole> {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if is_terminal {
            output::enable_raw_keys().map_err(failed("could not read keys of this terminal"))?;
            output::bytes(MARK_PASTES.0.as_bytes());
        }
        Ok(TranscriptConsole {
            is_terminal,
            typed: String::new(),
        })
    }

    /// Adds lines above the text that is being typed. Each is cleaned once more: this is the only way to the terminal.
    pub(super) fn lines<T: AsRef<str>>(&self, lines: impl IntoIterator<Item = T>) {
        let text = output::text(lines);
        if text.is_empty() {
            return;
        }
        if !self.is_terminal {
            output::bytes(text.as_bytes());
            return;
        }
        let rows = text.replace('\n', "\r\n");
        output::bytes(format!("\r\x1b[K{rows}{}", self.prompt()).as_bytes());
    }

    /// Writes a record for the reader of this terminal.
    pub(super) fn record(&self, record: &str) {
        if self.is_terminal {
            output::bytes(record.as_bytes());
        }
    }

    /// Shows the text that is being typed.
    pub(super) fn show_typed(&mut self, text: String) {
        self.typed = text;
        if self.is_terminal {
            output::bytes(format!("\r\x1b[K{}", self.prompt()).as_bytes());
        }
    }

    /// Returns the end of the text that is being typed, as far as one row shows it.
    fn prompt(&self) -> String {
        if self.typed.is_empty() {
            return String::new();
        }
        let text = sanitize(&self.typed);
        let room = output::columns().unwrap_or(80).saturating_sub(4);
        let over = text.chars().count().saturating_sub(room);
        let end: String = text.chars().skip(over).collect();
        format!("> {end}")
    }
}

impl Drop for TranscriptConsole {
    fn drop(&mut self) {
        if self.is_terminal {
            output::bytes(MARK_PASTES.1.as_bytes());
            // The terminal may be gone already; nothing else can be done.
            drop(output::disable_raw_keys());
        }
    }
}
