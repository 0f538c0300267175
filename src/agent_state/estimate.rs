//! Tokens of a text: an estimate from its length.

/// Characters that make a token, roughly.
const CHARACTERS: u64 = 4;

/// An estimate of the part of an agent's context that some texts take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContextEstimate {
    counted: u64,
}

impl ContextEstimate {
    /// Counts a prompt, a file that was read or other text.
    pub fn text(&mut self, text: &str) {
        let characters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        self.counted = self.counted.saturating_add(characters / CHARACTERS);
    }

    /// Returns the tokens presumed to be used: those counted and 30 percent for reasoning that is not seen.
    pub fn tokens(&self) -> u64 {
        self.counted.saturating_mul(13) / 10
    }
}
