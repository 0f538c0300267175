//! Pseudo-random numbers, the same for the same seed.
#![expect(
    clippy::disallowed_methods,
    reason = "reads the seed of a story to be told again"
)]

use std::hash::{BuildHasher as _, RandomState};

/// Variable with the seed of a story that is to be repeated.
const SEED: &str = "DBS_STORY_SEED";

/// Pseudo-random numbers of a story.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed | (1 << 63))
    }

    /// Returns the dice of a new story or of the one to be repeated, and a line that says how to repeat it.
    pub(crate) fn of_the_story() -> (Self, String) {
        let again = std::env::var(SEED).ok().and_then(|seed| seed.parse().ok());
        let seed = again.unwrap_or_else(|| RandomState::new().hash_one(0));
        (Self::new(seed), format!("the same again with {SEED}={seed}"))
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}
