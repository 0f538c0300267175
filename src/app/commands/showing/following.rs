//! The output of an agent as it comes: read from its log, so it works with and without a server.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::Form;
use crate::adapters::holder::{Chunk, LogReader};
use crate::app::commands::Outcome;
use crate::app::out;
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
pub(super) fn follow(folder: &Path, mut log: LogReader, form: Form) -> Outcome {
    let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| failed(&format!("start: {error}")))?;
    let raw = form == Form::FollowingRaw;
    let mut at = log
        .tail(if raw { u64::MAX } else { PAST })
        .map_err(|error| failed(&error))?
        .offset;
    let mut lines = Lines::new();
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
            Chunk::Gap { to, .. } => at = to,
            // The end is written after the last byte: one more look behind it finds everything.
            Chunk::End if ended => break,
            Chunk::End if folder.join("exit.json").exists() => ended = true,
            Chunk::End => runtime.block_on(async { tokio::time::sleep(AGAIN).await }),
        }
    }
    lines.finish();
    Ok(ExitCode::SUCCESS)
}

/// Turns output into lines: a line is shown when it has left a very low terminal and can no longer change.
struct Lines {
    terminal: Terminal,
    shown: usize,
}

impl Lines {
    fn new() -> Lines {
        Lines {
            terminal: Terminal::new(EngineKind::default(), Size::new(120, 2), KEPT),
            shown: 0,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.terminal.feed(0, bytes);
        let there = self.terminal.history_len();
        for back in (1..=there.saturating_sub(self.shown)).rev() {
            out::lines(&self.terminal.text(0, 0, back));
        }
        self.shown = there;
        if there > KEPT / 2 {
            self.finish();
            *self = Lines::new();
        }
    }

    fn finish(&mut self) {
        out::lines(self.terminal.text(0, 1, 0).trim_end());
    }
}
