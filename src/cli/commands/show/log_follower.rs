//! The output of an agent as it comes: read from its log, so it works with and without a server.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::adapters::holder::{LogChunk, LogReader};
use crate::adapters::output;
use crate::cli::args::LogsArgs;
use crate::cli::commands::CommandResult;
use crate::cli::failure::could_not;
use crate::domain::AttemptId;
use crate::protocol::connection::blocking_runtime;
use crate::term::{EmulatorKind, Size, Terminal};

/// Bytes of the past shown first.
const INITIAL_BYTES: u64 = 64 * 1024;
/// Bytes read at a time: fewer than the lines a terminal keeps, so that no line is lost.
const PIECE: usize = 4 * 1024;
/// Lines kept above the lines for people; beyond half of it a new terminal takes over.
const EMULATOR_LINES: usize = 16 * 1024;
/// Between two looks at a log that has nothing new.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Shows what the log has and gets, until the program has ended or nobody reads any more.
pub(super) fn follow(
    folder: &Path,
    mut log: LogReader,
    attempt: AttemptId,
    wanted: &LogsArgs,
) -> CommandResult {
    let runtime = blocking_runtime()?;
    let raw = wanted.raw;
    let mut at = if raw {
        0
    } else {
        log.end().map_err(could_not)?.saturating_sub(INITIAL_BYTES)
    };
    let mut lines = OutputFollower::new(wanted.json.json.then_some(attempt));
    let mut ended = false;
    while !output::is_unread() {
        match log.read_from(at, PIECE).map_err(could_not)? {
            LogChunk::Bytes { offset, bytes } => {
                at = offset.saturating_add(bytes.len() as u64);
                if raw {
                    output::bytes(&bytes);
                } else {
                    lines.take(&bytes);
                }
            }
            LogChunk::Gap { from, to } => {
                warn_dropped(attempt, from, to);
                at = to;
            }
            // The end is written after the last byte: one more look behind it finds everything.
            LogChunk::End if ended => break,
            LogChunk::End if folder.join("exit.json").exists() => ended = true,
            LogChunk::End if lines.rest() => {}
            LogChunk::End => runtime.block_on(async { tokio::time::sleep(POLL_INTERVAL).await }),
        }
    }
    lines.finish();
    Ok(ExitCode::SUCCESS)
}

/// Says which bytes of a log nobody can read any more, if any.
pub(super) fn warn_dropped(attempt: AttemptId, from: u64, to: u64) {
    if from == 0 && to > 0 {
        output::problem(&format!(
            "the first {to} bytes of attempt {attempt} are gone: a log keeps what came last"
        ));
    } else if to > from {
        output::problem(&format!(
            "{} bytes of attempt {attempt} are missing here: they were dropped, or could not be stored",
            to - from
        ));
    }
}

/// Turns terminal output into lines and prints each once it can no longer change.
struct OutputFollower {
    terminal: Terminal,
    shown: usize,
    /// The line that was shown before it had left.
    provisional: Option<String>,
    /// Whose lines they are, for programs.
    json: Option<AttemptId>,
}

impl OutputFollower {
    fn new(json: Option<AttemptId>) -> OutputFollower {
        OutputFollower {
            terminal: Terminal::new(EmulatorKind::default(), Size::new(120, 2), EMULATOR_LINES),
            shown: 0,
            provisional: None,
            json,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.terminal.feed(0, bytes);
        let there = self.terminal.history_len();
        for back in (1..=there.saturating_sub(self.shown)).rev() {
            let line = self.row(0, back);
            self.show_once(&line);
        }
        self.shown = there;
        if there > EMULATOR_LINES / 2 {
            self.finish();
            *self = OutputFollower::new(self.json);
        }
    }

    /// Shows the line that is complete but could still change; false when that was done before.
    fn rest(&mut self) -> bool {
        if self.provisional.is_some() || self.terminal.cursor().row == 0 {
            return false;
        }
        let line = self.row(0, 0);
        self.show(&line);
        self.provisional = Some(line);
        true
    }

    fn finish(&mut self) {
        let (upper, lower) = (self.row(0, 0), self.row(1, 0));
        if self.terminal.cursor().row > 0 || !upper.is_empty() {
            self.show_once(&upper);
        }
        if !lower.is_empty() {
            self.show(&lower);
        }
    }

    fn row(&mut self, row: u16, back: usize) -> String {
        self.terminal.text(row, row, back).trim_end().to_owned()
    }

    fn show_once(&mut self, line: &str) {
        if self.provisional.take().is_none_or(|early| early != line) {
            self.show(line);
        }
    }

    fn show(&self, line: &str) {
        match self.json {
            None => output::line(line),
            Some(attempt) => output::json(&serde_json::json!({ "attempt": attempt, "line": line })),
        }
    }
}
