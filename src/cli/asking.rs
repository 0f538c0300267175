//! Questions to a person at the terminal.

use std::io::{BufRead as _, IsTerminal as _};

use crate::adapters::output;
use crate::cli::command_error::{CommandResult, failed};

/// Returns true if a person at a terminal can be asked.
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a question, and returns the answer without the space around it; `None` if the input ends instead, which is no answer.
///
/// # Errors
/// When the terminal cannot be read.
pub fn answer_to(question: &str) -> CommandResult<Option<String>> {
    output::line(question);
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    let n_bytes = read.map_err(failed("could not read the answer"))?;
    Ok((n_bytes > 0).then(|| answer.trim().to_owned()))
}
