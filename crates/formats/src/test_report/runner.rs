//! The programs that run tests, and the signs that they are known by.

use super::codes::ExitCodes;

/// Program that ran the tests, which decides the reading of its exit code and output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestRunner {
    Pytest,
    /// `cargo test`.
    Cargo,
    Vitest,
    Jest,
    /// `go test`.
    Go,
    /// Any other program: its exit codes say everything.
    Other(ExitCodes),
}

impl TestRunner {
    /// Returns the runner that a command line starts, by the words in it; `None` if it names none that is known, or two. The name of a
    /// script or a task of a package does not show which runner it starts.
    pub fn of_command(command: &str) -> Option<TestRunner> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let name = |word: &str| {
            let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
            file.strip_suffix(".exe").unwrap_or(file).to_owned()
        };
        let names: Vec<String> = words.iter().map(|word| name(word)).collect();
        let follows = |first: &str| {
            names.iter().enumerate().any(|(at, word)| {
                let next = names.get(at + 1..).unwrap_or_default();
                word == first
                    && next
                        .iter()
                        .find(|word| !word.starts_with(['-', '+']))
                        .is_some_and(|word| word == "test")
            })
        };
        let has = |wanted: &str| names.iter().any(|word| word == wanted);
        let known = [
            (has("pytest") || has("py.test"), TestRunner::Pytest),
            (has("vitest"), TestRunner::Vitest),
            (has("jest"), TestRunner::Jest),
            (follows("cargo"), TestRunner::Cargo),
            (follows("go"), TestRunner::Go),
        ];
        let mut matching = known.into_iter().filter(|(is_named, _)| *is_named);
        let first = matching.next().map(|(_, runner)| runner);
        // With two in one line it is unknown whose exit code it is.
        first.filter(|_| matching.next().is_none())
    }
}
