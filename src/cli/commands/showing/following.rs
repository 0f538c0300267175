//! The output of an agent as it comes: read from its log, so it works with and without a server.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::adapters::holder::{Chunk, LogReader};
use crate::adapters::out;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::commands::showing::form::Form;
use crate::domain::AttemptId;
use crate::term::{EngineKind, Size, Terminal};

/// Bytes of the past shown first.
const PAST: u64 = 64 * 1024;
/// Bytes read at a time: fewer than the lines a terminal keeps, so that no line is lost.
const PIECE: usize = 4 * 1024;
/// Lines kept above the lines for people; beyond half of it a new terminal takes over.
const KEPT: usize = 16 * 1024;
/// Between two looks at a log that has nothing new.
const AGAIN: Duration = Duration::from_millis(100);

/// Shows what the log has and gets, until the program has ended or nobody reads any more.
pub(super) fn follow(
    folder: &Path,
    mut log: LogReader,
    attempt: AttemptId,
    form: Form,
    json: Json,
) -> Outcome {
    let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| failed(&format!("start: {error}")))?;
    let raw = form == Form::FollowingRaw;
    let mut at = if raw {
        0
    } else {
        log.end().map_err(|error| failed(&error))?.saturating_sub(PAST)
    };
    let mut lines = Lines::new(json.json.then_some(attempt));
    let mut ended = false;
    while !out::is_unread() {
        match log.read_from(at, PIECE).map_err(|error| failed(&error))? {
            Chunk::Bytes { offset, bytes } => {
                at = offset.saturating_add(bytes.len() as u64);
                if raw {
                    out::bytes(&bytes);
                } else {
                    lines.take(&bytes);
                }
            }
            Chunk::Gap { from, to } => {
                say_gone(attempt, from, to);
                at = to;
            }
            // The end is written after the last byte: one more look behind it finds everything.
            Chunk::End if ended => break,
            Chunk::End if folder.join("exit.json").exists() => ended = true,
            Chunk::End if lines.rest() => {}
            Chunk::End => runtime.block_on(async { tokio::time::sleep(AGAIN).await }),
        }
    }
    lines.finish();
    Ok(ExitCode::SUCCESS)
}

/// Says which bytes of a log nobody can read any more, if any.
pub(super) fn say_gone(attempt: AttemptId, from: u64, to: u64) {
    if from == 0 && to > 0 {
        out::problem(&format!(
            "the first {to} bytes of attempt {attempt} are gone: a log keeps what came last"
        ));
    } else if to > from {
        out::problem(&format!(
            "{} bytes of attempt {attempt} are missing here: they were dropped, or could not be stored",
            to - from
        ));
    }
}

/// Turns output into lines: a line is shown when it has left a very low terminal and can no longer change, or when nothing more
/// comes for the moment.
struct Lines {
    terminal: Terminal,
    shown: usize,
    /// The line that was shown before it had left.
    early: Option<String>,
    /// Whose lines they are, for programs.
    json: Option<AttemptId>,
}

impl Lines {
    fn new(json: Option<AttemptId>) -> Lines {
        Lines {
            terminal: Terminal::new(EngineKind::default(), Size::new(120, 2), KEPT),
            shown: 0,
            early: None,
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
        if there > KEPT / 2 {
            self.finish();
            *self = Lines::new(self.json);
        }
    }

    /// Shows the line that is complete but could still change; false when that was done before.
    fn rest(&mut self) -> bool {
        if self.early.is_some() || self.terminal.cursor().row == 0 {
            return false;
        }
        let line = self.row(0, 0);
        self.show(&line);
        self.early = Some(line);
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
        if self.early.take().is_none_or(|early| early != line) {
            self.show(line);
        }
    }

    fn show(&self, line: &str) {
        match self.json {
            None => out::line(line),
            Some(attempt) => out::json(&serde_json::json!({ "attempt": attempt, "line": line })),
        }
    }
}
