//! The tests of a file as plain values.

use serde::Serialize;

/// What a file of tests holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestFileText {
    pub tests: Vec<WrittenTest>,
    /// Whether the file is larger than what was read of it.
    pub is_cut: bool,
}

impl TestFileText {
    /// How many tests would show something: they are run, and they assert.
    pub fn n_asserting(&self) -> usize {
        self.tests.iter().filter(|test| test.is_asserting()).count()
    }
}

/// A test as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenTest {
    /// Its name; in Python behind its class: `TestLogin::test_status`.
    pub name: String,
    /// Line at which it begins.
    pub line: usize,
    /// Whether it is never run, or known to fail.
    pub is_skipped: bool,
    /// Whether it compares something that is not fixed in the text.
    pub has_assertion: bool,
}

impl WrittenTest {
    /// Whether it is run and asserts something.
    pub fn is_asserting(&self) -> bool {
        self.has_assertion && !self.is_skipped
    }
}

/// Most characters of a name.
const MOST_NAME: usize = 200;

/// A name as it is kept.
pub(super) fn kept_name(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control());
    letters.take(MOST_NAME).collect()
}
