//! Content of a file of tests: the tests in it, with the answer whether each asserts anything. It is found from the text alone, without
//! running or importing the file; comments and texts in quotes never count. The result is a good guess, not that of a compiler: code that
//! may be an assertion counts as one, also if it is in a function of the same file that a test calls. Functions of other files are not
//! looked at, so a test that asserts only by one of those counts as a stub.

mod assertions;
mod called;
mod code;
mod go;
mod javascript;
mod language;
mod model;
mod python;
mod rust;
mod scanner;
mod syntax;
mod words;

pub use language::TestLanguage;
pub use model::{TestFileText, WrittenTest};
pub use words::TestWords;

/// Most bytes of a file of tests that are read.
pub const MOST_TEST_TEXT_BYTES: usize = 1_048_576;

/// Reads the tests of a file.
pub fn read(language: &TestLanguage, text: &str) -> TestFileText {
    let mut end = text.len().min(MOST_TEST_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let read = text.get(..end).unwrap_or_default();
    let tests = match language {
        TestLanguage::Python => python::tests(read),
        TestLanguage::Rust => rust::tests(read),
        TestLanguage::JavaScript => javascript::tests(read),
        TestLanguage::Go => go::tests(read),
        TestLanguage::Other(words) => words::tests(read, words),
    };
    TestFileText {
        tests,
        is_cut: end < text.len(),
    }
}
