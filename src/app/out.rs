//! Lines on standard output and standard error. A reader that has gone away ends the output, not the program.

use std::io::{self, Write};

use crate::term::sanitize;

/// Writes one line for people; control characters in it are made visible.
pub fn line(text: &str) {
    // Nobody reads any more: there is nobody to tell.
    drop(writeln!(io::stdout().lock(), "{}", sanitize(text)));
}

/// Writes several lines, each cleaned.
pub fn lines(text: &str) {
    text.lines().for_each(line);
}

/// Writes a value as one line of JSON.
pub fn json<T: serde::Serialize>(value: &T) {
    match serde_json::to_string(value) {
        Ok(text) => drop(writeln!(io::stdout().lock(), "{text}")),
        Err(error) => problem(&format!("could not write JSON: {error}")),
    }
}

/// Writes a line about something that went wrong.
pub fn problem(text: &str) {
    for line in text.lines() {
        drop(writeln!(io::stderr().lock(), "dbs: {}", sanitize(line)));
    }
}
