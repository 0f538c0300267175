//! The output of an agent as it comes: read from its log, so it works with and without a server.

mod output_lines;

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

use self::output_lines::OutputLines;

/// Bytes of the past shown first.
const INITIAL_BYTES: u64 = 64 * 1024;
/// Bytes read at a time: fewer than the lines a terminal keeps, so that no line is lost.
const PIECE: usize = 4 * 1024;
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
    let json = wanted.json.json.then_some(attempt);
    let mut lines = OutputLines::new();
    let mut ended = false;
    while !output::is_unread() {
        match log.read_from(at, PIECE).map_err(could_not)? {
            LogChunk::Bytes { offset, bytes } => {
                at = offset.saturating_add(bytes.len() as u64);
                if raw {
                    output::bytes(&bytes);
                } else {
                    show(json, lines.take(&bytes));
                }
            }
            LogChunk::Gap { from, to } => {
                warn_dropped(attempt, from, to);
                at = to;
            }
            // The end is written after the last byte: one more look behind it finds everything.
            LogChunk::End if ended => break,
            LogChunk::End if folder.join("exit.json").exists() => ended = true,
            LogChunk::End => match lines.rest() {
                Some(line) => show(json, Some(line)),
                None => runtime.block_on(async { tokio::time::sleep(POLL_INTERVAL).await }),
            },
        }
    }
    show(json, lines.finish());
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

/// Prints lines, for people or for programs.
fn show(json: Option<AttemptId>, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        match json {
            None => output::line(&line),
            Some(attempt) => output::json(&serde_json::json!({ "attempt": attempt, "line": line })),
        }
    }
}
