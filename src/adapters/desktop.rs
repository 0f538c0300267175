//! Programs of the person's desktop: editor, clipboard, opener for links.

pub mod browser;
pub mod clipboard;
pub mod editor;
