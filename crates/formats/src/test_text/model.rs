//! The tests of a file as plain values.

use serde::Serialize;

/// Content of a file of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestFileText {
    pub tests: Vec<WrittenTest>,
    /// True if the file is larger than the part of it that was read.
    pub is_cut: bool,
}

impl TestFileText {
    /// Number of tests that would show something: they are run, and they assert.
    pub fn n_asserting(&self) -> usize {
        self.tests.iter().filter(|test| test.is_asserting()).count()
    }
}

/// A test as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenTest {
    /// Name of the test; in Python behind its class: `TestLogin::test_status`.
    pub name: String,
    /// Line at which it begins.
    pub line: usize,
    /// True if the test is never run, or known to fail.
    pub is_skipped: bool,
    /// True if the test compares something that is not fixed in the text.
    pub has_assertion: bool,
}

impl WrittenTest {
    /// Returns true if the test is run and asserts something.
    pub fn is_asserting(&self) -> bool {
        self.has_assertion && !self.is_skipped
    }
}

/// Most characters of a name.
const MOST_NAME: usize = 200;

/// Returns a name in the form that is kept.
pub(super) fn kept_name(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control());
    letters.take(MOST_NAME).collect()
}
