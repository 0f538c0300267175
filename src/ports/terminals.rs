//! Who follows the terminals of running attempts and reports their end.

use super::holders::HolderId;

/// Follows terminals.
pub trait Terminals: Send + Sync {
    /// Attaches to the holder of that id, shows its screen and reports its end to the engine. Safe to repeat.
    fn follow(&self, id: &HolderId);

    /// Types a line of text into it, as a person would.
    ///
    /// # Errors
    /// When nothing runs there; the text says so.
    fn tell(&self, id: &HolderId, line: &str) -> Result<(), String>;
}
