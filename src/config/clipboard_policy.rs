//! Handling of a text that a program in a pane wants to put into the person's clipboard (OSC 52).

/// Permission of programs in panes to write the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClipboardPolicy {
    /// A key takes the text over.
    #[default]
    Ask,
    /// The text is copied at once, with a notice.
    Allow,
    Deny,
}
