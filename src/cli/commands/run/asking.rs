//! Questions about a plan at the terminal.

use std::io::BufRead as _;

use crate::adapters::output;
use crate::adapters::termination::termination_signal;
pub(in crate::cli::commands) use crate::cli::asking::can_ask;
use crate::cli::command_error::{CommandError, CommandResult};
use crate::plans::consent::ConsentQuestion;
use crate::protocol::connection::blocking_runtime;

/// Reads a line at the terminal; returns nothing at the end of the input, and when this process is asked to end: a process that followed a
/// run does not end by itself then.
pub(super) fn read_line() -> Option<String> {
    let runtime = blocking_runtime().ok()?;
    let line = runtime.block_on(async {
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            let read = std::io::stdin().lock().read_line(&mut line);
            read.is_ok_and(|read| read > 0).then_some(line)
        });
        tokio::select! {
            line = read => line.ok().flatten(),
            () = termination_signal() => None,
        }
    });
    runtime.shutdown_background();
    line
}

/// Asks a person for a yes to exactly this: at the terminal, or by its hash.
pub(in crate::cli::commands) fn ask(asked: &ConsentQuestion, given: Option<&str>) -> CommandResult<()> {
    let hash = asked.listing.hash();
    if asked.listing.items.is_empty() || given.map(str::trim) == Some(hash.as_str()) {
        return Ok(());
    }
    output::all(asked.lines());
    if given.is_some() {
        return Err(CommandError::user(format!(
            "could not continue: the hash of this is {hash}, not the given one"
        )));
    }
    if !can_ask() {
        return Err(CommandError::user(format!(
            "could not ask whether to do that: this is not a terminal; look at it, then add --trust {hash}"
        )));
    }
    output::lines(&format!("{} y or n", asked.question));
    read_yes()
}

/// Reads the answer to a question; any but a yes is an error.
pub(super) fn read_yes() -> CommandResult<()> {
    match read_line() {
        Some(line) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err(CommandError::user(
            "nothing was started or changed: you did not say yes",
        )),
    }
}
