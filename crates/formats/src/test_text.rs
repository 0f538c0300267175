//! Content of a file of tests: the tests in it, with the answer whether each asserts anything. It is found from the text alone, by the words
//! of its language; comments never count. The result is a first guess that finds plain stubs: what tests are worth is shown by their runs,
//! which fail on the base and pass with the work.

mod pattern;
mod tokens;
mod units;
mod words;

pub use units::WrittenTest;
pub use words::TestWords;

/// Reads the tests of a file.
pub fn read(words: &TestWords, text: &str) -> Vec<WrittenTest> {
    units::tests(&tokens::tokens(text, &words.comments), words)
}
