//! Content of a file of tests: the tests in it, with the answer whether each asserts anything. It is found from the text alone, by the words
//! of its language; comments never count. The result is a first guess that finds plain stubs: what tests are worth is shown by their runs,
//! which fail on the base and pass with the work.

mod pattern;
mod tokens;
mod units;
mod words;

pub use words::TestWords;

/// Most bytes of a file of tests that are read.
pub const MOST_TEST_TEXT_BYTES: usize = 1_048_576;

/// Content of a file of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTest {
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

/// Reads the tests of a file.
pub fn read(words: &TestWords, text: &str) -> TestFileText {
    let read = text
        .get(..text.floor_char_boundary(MOST_TEST_TEXT_BYTES))
        .unwrap_or_default();
    TestFileText {
        tests: units::tests(&tokens::tokens(read, &words.comments), words),
        is_cut: read.len() < text.len(),
    }
}
