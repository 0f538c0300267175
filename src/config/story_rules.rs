//! Consequences when a story whose tests are written first does not go as it should.

/// Commands for tests if none are set. The project's own Python is put in the place of the first word.
pub(super) const PYTHON_TEST: &str = "python3 -m pytest {file}";
pub(super) const PYTHON_SUITE: &str = "python3 -m pytest";

/// Handling of new tests that pass before the work on their story has begun (LA-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassingTests {
    /// The story is held.
    Block,
    /// A person decides.
    Ask,
    /// The tests count as written.
    Accept,
}

/// Effect on the queue when a story is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStoryFailure {
    Stop,
    /// The next story is begun.
    Continue,
}
