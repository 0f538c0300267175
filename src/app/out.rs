//! Lines on standard output and standard error. A reader that has gone away ends the output, not the program.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::term::sanitize;

/// Whether nobody reads standard output any more.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Writes one line for people; control characters in it are made visible.
pub fn line(text: &str) {
    bytes(format!("{}\n", sanitize(text)).as_bytes());
}

/// Writes several lines, each cleaned.
pub fn lines(text: &str) {
    all(text.lines());
}

/// Writes many lines at once, each cleaned; none of them becomes two.
pub fn all<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) {
    let mut text = String::new();
    for line in lines {
        text.push_str(&sanitize(line.as_ref()));
        text.push('\n');
    }
    bytes(text.as_bytes());
}

/// Writes a value as one line of JSON.
pub fn json<T: serde::Serialize>(value: &T) {
    match serde_json::to_string(value) {
        Ok(text) => bytes(format!("{text}\n").as_bytes()),
        Err(error) => problem(&format!("could not write JSON: {error}")),
    }
}

/// Writes bytes as they are.
pub fn bytes(bytes: &[u8]) {
    if is_unread() {
        return;
    }
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        UNREAD.store(true, Ordering::Relaxed);
    }
}

/// Columns of the terminal that standard output is; none for a pipe or a file, which get everything.
pub fn columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (columns, _rows) = crossterm::terminal::size().ok()?;
    Some(usize::from(columns))
}

/// Whether the reader has gone away (`dbs logs --follow | head`): what follows has nobody to follow for.
pub fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Writes a line about something that went wrong.
pub fn problem(text: &str) {
    for line in text.lines() {
        // Nobody is left to be told.
        drop(writeln!(io::stderr().lock(), "dbs: {}", sanitize(line)));
    }
}
