//! The languages that tests are written in, and the signs that they are known by.

use std::path::Path;

use super::words::TestWords;

/// The language a file of tests is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestLanguage {
    Python,
    Rust,
    /// JavaScript and TypeScript.
    JavaScript,
    Go,
    /// Any other, by its words.
    Other(TestWords),
}

impl TestLanguage {
    /// Returns the language of a file, by the ending of its name; nothing for any that needs words.
    pub fn of_path(path: &Path) -> Option<TestLanguage> {
        match path.extension()?.to_str()? {
            "py" => Some(TestLanguage::Python),
            "rs" => Some(TestLanguage::Rust),
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Some(TestLanguage::JavaScript),
            "go" => Some(TestLanguage::Go),
            _ => None,
        }
    }
}
