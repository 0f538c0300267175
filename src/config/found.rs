//! What a source says, before anybody has judged it.

use std::path::Path;

use crate::config::origin::Origin;

/// Reads a file's text; the error is a line, 0 when it is not known, and what is wrong there.
pub(super) type Reader = fn(&Path, &str) -> Result<Vec<Found>, (usize, String)>;

/// One value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The parts of its key.
    pub(super) path: Vec<String>,
    /// The value.
    pub(super) text: Written,
    /// Where.
    pub(super) origin: Origin,
}

/// A value as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    /// A number, a word, a text: without its quotes.
    Plain(String),
    /// A list, as text. No key has lists.
    List(String),
}

impl Found {
    /// Its parts.
    pub(super) fn parts(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// Under the name it has here: an earlier program kept some of its keys in a table of its own name.
    pub(super) fn plain(mut self) -> Found {
        if let ["debussy", "timeout" | "max_retries"] = self.parts()[..] {
            self.path.remove(0);
        }
        self
    }

    /// Its key for people.
    pub(super) fn key(&self) -> String {
        self.path.join(".")
    }
}
