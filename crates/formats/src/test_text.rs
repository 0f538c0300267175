//! Content of a file of tests: the tests in it, with the answer whether each asserts anything. It is found from the text alone, by the words
//! of its language; comments never count. The result is a first guess that finds plain stubs: what tests are worth is shown by their runs,
//! which fail on the base and pass with the work.

mod pattern;
mod tokens;
mod units;
mod words;

pub use units::WrittenTest;
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
