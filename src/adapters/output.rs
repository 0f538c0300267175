//! Lines on standard output and standard error. A reader that has gone away ends the output, not the program.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::term::{sanitize, sanitize_json};

/// True once standard output is not read any more.
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
    bytes(text(lines).as_bytes());
}

/// Many lines as they are written, each cleaned; none of them becomes two.
pub fn text<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&sanitize(line.as_ref()));
        text.push('\n');
    }
    text
}

/// Writes a value as one line of JSON.
pub fn json<T: serde::Serialize>(value: &T) {
    json_lines([value]);
}

/// Writes values, each as a line of JSON, at once.
pub fn json_lines<T: serde::Serialize>(values: impl IntoIterator<Item = T>) {
    let lines: Result<String, serde_json::Error> =
        values.into_iter().map(|value| json_line(&value)).collect();
    match lines {
        Ok(text) => bytes(text.as_bytes()),
        Err(error) => problem(&format!("could not write JSON: {error}")),
    }
}

/// A value as a line of JSON that can be shown on a terminal.
///
/// # Errors
/// When the value has no JSON.
pub fn json_line<T: serde::Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let line = serde_json::to_string(value)?;
    Ok(format!("{}\n", sanitize_json(&line)))
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

/// Columns of the terminal that standard output is; `None` for a pipe or a file, which get everything.
pub fn columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (columns, _rows) = crossterm::terminal::size().ok()?;
    Some(usize::from(columns))
}

/// Gives each key of the terminal at once and shows none, until that is taken back.
///
/// # Errors
/// When the terminal does not take it.
pub fn enable_raw_keys() -> io::Result<()> {
    crossterm::terminal::enable_raw_mode()
}

/// Takes that back.
///
/// # Errors
/// When the terminal does not take it.
pub fn disable_raw_keys() -> io::Result<()> {
    crossterm::terminal::disable_raw_mode()
}

/// Returns true if the reader has gone away (`dbs logs --follow | head`), so that there is no reason to follow any more.
pub fn is_unread() -> bool {
    if !UNREAD.load(Ordering::Relaxed) && is_closed() {
        UNREAD.store(true, Ordering::Relaxed);
    }
    UNREAD.load(Ordering::Relaxed)
}

/// Returns true if the other end of a pipe is closed, as seen without writing into it.
#[cfg(unix)]
fn is_closed() -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::os::fd::AsFd as _;
    let out = io::stdout();
    let mut asked = [PollFd::new(out.as_fd(), PollFlags::empty())];
    let answered = poll(&mut asked, PollTimeout::ZERO);
    let [asked] = asked;
    let gone = |flags: PollFlags| flags.intersects(PollFlags::POLLERR | PollFlags::POLLNVAL);
    answered.is_ok() && asked.revents().is_some_and(gone)
}

/// Elsewhere it is noticed by the next write.
#[cfg(not(unix))]
fn is_closed() -> bool {
    false
}

/// Writes a line about something that went wrong.
pub fn problem(text: &str) {
    for line in text.lines() {
        // No reader is left.
        drop(writeln!(io::stderr().lock(), "dbs: {}", sanitize(line)));
    }
}
