//! Questions about a plan at the terminal.

use std::io::{BufRead as _, IsTerminal as _};

use crate::adapters::output;
use crate::plans::consent::ConsentQuestion;

/// Returns true if a person at a terminal can be asked.
pub(super) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks a person for a yes to exactly this: at the terminal, or by its hash.
pub(super) fn ask(asked: &ConsentQuestion, given: Option<&str>) -> Result<(), String> {
    let hash = asked.listing.hash();
    if asked.listing.items.is_empty() || given.map(str::trim) == Some(hash.as_str()) {
        return Ok(());
    }
    output::all(asked.lines());
    if given.is_some() {
        return Err(format!(
            "could not go on: the hash of this is {hash}, not that one"
        ));
    }
    if !can_ask() {
        return Err(format!(
            "could not ask whether to do that, for this is no terminal: look at it, then add --trust {hash}"
        ));
    }
    output::lines(&format!("{} y or n", asked.question));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    match read {
        Ok(_) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err("nothing was started or changed: you did not say yes".to_owned()),
    }
}
