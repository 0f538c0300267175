//! The output of an agent as it comes: read from its log, so it works with and without a server.

mod output_lines;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapters::holder::{LogChunk, LogReader};
use crate::cli::commands::logs::LogsArgs;
use crate::cli::commands::prelude::*;
use crate::domain::AttemptId;
use crate::protocol::connection::blocking_runtime;

pub(in crate::cli::commands) use self::output_lines::OutputLines;

/// Bytes of earlier output that are shown first.
const INITIAL_BYTES: u64 = 64 * 1024;
/// Bytes read at a time: fewer than the lines a terminal keeps, so that no line is lost.
const PIECE: usize = 4 * 1024;
/// Time between two reads of a log that has nothing new.
pub(in crate::cli::commands) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A log that is read while it grows.
pub(in crate::cli::commands) struct LogFollower {
    folder: PathBuf,
    log: LogReader,
    attempt: AttemptId,
    at: u64,
    ended: bool,
}

/// Result of reading a log.
pub(in crate::cli::commands) enum LogStep {
    Bytes(Vec<u8>),
    /// Nothing more for now.
    Idle,
    /// The program has ended, and everything was read.
    End,
}

impl LogFollower {
    /// Creates a follower that begins at that byte of the log of an attempt.
    pub(in crate::cli::commands) fn new(folder: &Path, log: LogReader, attempt: AttemptId, at: u64) -> Self {
        LogFollower {
            folder: folder.to_owned(),
            log,
            attempt,
            at,
            ended: false,
        }
    }

    /// Reads the next piece; reports missing bytes.
    pub(in crate::cli::commands) fn step(&mut self) -> CommandResult<LogStep> {
        loop {
            match self.log.read_from(self.at, PIECE)? {
                LogChunk::Bytes { offset, bytes } => {
                    self.at = offset.saturating_add(bytes.len() as u64);
                    return Ok(LogStep::Bytes(bytes));
                }
                LogChunk::Gap { from, to } => {
                    warn_dropped(self.attempt, from, to);
                    self.at = to;
                }
                // The end is written after the last byte: one more read behind it finds everything.
                LogChunk::End if self.ended => return Ok(LogStep::End),
                LogChunk::End if self.folder.join("exit.json").exists() => self.ended = true,
                LogChunk::End => return Ok(LogStep::Idle),
            }
        }
    }
}

/// Shows the existing and new output of the log, until the program has ended or the output is closed.
pub(super) fn follow(
    folder: &Path,
    mut log: LogReader,
    attempt: AttemptId,
    wanted: &LogsArgs,
) -> CommandResult {
    let runtime = blocking_runtime()?;
    let raw = wanted.raw;
    let begin = if raw {
        0
    } else {
        log.end()?.saturating_sub(INITIAL_BYTES)
    };
    let json = wanted.json.json.then_some(attempt);
    let mut log = LogFollower::new(folder, log, attempt, begin);
    let mut lines = OutputLines::new();
    while !output::is_unread() {
        match log.step()? {
            LogStep::Bytes(bytes) if raw => output::bytes(&bytes),
            LogStep::Bytes(bytes) => show(json, lines.take(&bytes)),
            LogStep::Idle => match lines.rest() {
                Some(line) => show(json, Some(line)),
                None => runtime.block_on(async { tokio::time::sleep(POLL_INTERVAL).await }),
            },
            LogStep::End => break,
        }
    }
    show(json, lines.finish());
    Ok(ExitCode::SUCCESS)
}

/// Reports the bytes of a log that cannot be read any more, if any.
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

/// Prints lines, for people or for programs.
fn show(json: Option<AttemptId>, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        match json {
            None => output::line(&line),
            Some(attempt) => output::json(&serde_json::json!({ "attempt": attempt, "line": line })),
        }
    }
}
