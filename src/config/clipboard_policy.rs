//! What becomes of a text that a program in a pane wants to put into the person's clipboard (OSC 52).

/// Whether programs in panes may write the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipboardPolicy {
    /// A key takes the text over.
    #[default]
    Ask,
    /// It is copied at once, and said.
    Allow,
    Deny,
}
