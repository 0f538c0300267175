//! Fill of the context of an agent whose tool reports no figures: an estimate from the length of the text that passed through it.

use crate::domain::ContextFill;

/// Characters that make a token, roughly.
const CHARACTERS: u64 = 4;

/// An estimate of one agent's context; a restarted agent begins a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContextEstimate {
    counted: u64,
    tool_calls: u64,
}

impl ContextEstimate {
    /// Counts a prompt, a file that was read or other text.
    pub fn text(&mut self, text: &str) {
        let characters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        self.counted = self.counted.saturating_add(characters / CHARACTERS);
    }

    /// Counts a call of a tool with its output.
    pub fn tool_call(&mut self, output: &str) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        self.text(output);
    }

    /// Returns the fill known from the estimate alone: the number of tool calls. Their output is not seen, so that no share of a window is
    /// presumed. None before the first call.
    pub fn fill(&self) -> Option<ContextFill> {
        let calls = u32::try_from(self.tool_calls).unwrap_or(u32::MAX);
        (calls > 0).then(|| ContextFill {
            used: self.tokens(),
            window: None,
            tool_calls: Some(calls),
        })
    }

    /// Returns the tokens presumed to be used: those counted and 30 percent for reasoning that is not seen.
    pub fn tokens(&self) -> u64 {
        self.counted.saturating_mul(13) / 10
    }
}
