//! The follower of the terminals of running attempts, which reports their end.

use dbs_domain::{Ask, AskAnswer, AttemptId, Cause};

use super::holders::{HolderId, PaneSize};

/// Follows the terminals of running attempts and reports their end.
pub trait Terminals: Send + Sync {
    /// Attaches to the holder of that id, shows its screen and reports its end to the engine, also when it has ended already. Safe to
    /// repeat: an end is reported once, however often it is followed.
    fn follow(&self, id: &HolderId);

    /// Returns the size with which the program of an attempt is to start: as wide as its terminal will probably be, once it is looked at.
    fn first_size(&self) -> PaneSize;

    /// Types a line of text into the terminal, as a person would.
    ///
    /// # Errors
    /// When nothing runs there; the text says so.
    fn type_line(&self, id: &HolderId, line: &str) -> Result<(), Cause>;

    /// Presses Esc in the terminal, as a person would.
    ///
    /// # Errors
    /// When nothing runs there; the text says so.
    fn interrupt(&self, id: &HolderId) -> Result<(), Cause>;

    /// Hands the answer to an ask to the agent, over the channel the ask came by. Safe to repeat while a request waits for it.
    ///
    /// # Errors
    /// When it cannot be handed over; the text says why.
    fn answer(&self, attempt: AttemptId, ask: &Ask, given: &AskAnswer) -> Result<(), Cause>;

    /// Returns the last lines that the terminal showed, as plain text for people; empty when there are none.
    fn last_lines(&self, id: &HolderId) -> String;
}
