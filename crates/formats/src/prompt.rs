//! Prompts: blocks of text with values put in, in the order that a role names. Texts of people and agents are data there: they are set off,
//! can close nothing, and are never read as a template.

mod builtin;
mod library;
mod quoting;
mod template;
mod values;

pub use library::{BlockOrigin, MAX_PROMPT_BYTES, PromptBlock, PromptError, PromptLibrary};
pub use quoting::{fenced_whole, is_hidden};
pub use template::fill;
