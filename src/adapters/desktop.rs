//! Programs of the person's desktop: editor, clipboard, opener for links.

pub mod copying;
pub mod editing;
pub mod opening;
