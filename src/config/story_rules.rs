//! What follows when a story whose tests are written first does not go as it should.

/// What becomes of new tests that pass before the work on their story has begun (A6, LA-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassingTests {
    /// The story is held.
    Block,
    /// A person says what follows.
    Ask,
    /// They count as written.
    Accept,
}

/// What becomes of the queue when a story is held (A22).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStoryFailure {
    Stop,
    /// The next story is begun.
    Continue,
}
