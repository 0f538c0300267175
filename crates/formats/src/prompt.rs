//! Prompts: blocks of text with values put in, in the order that a role names. What people and agents wrote is data there: it is
//! set off, can close nothing, and is never read as a template.

mod builtin;
mod library;
mod quoting;
mod template;
mod values;

pub use library::{BlockOrigin, MAX_PROMPT_BYTES, PromptBlock, PromptError, PromptLibrary};
pub use quoting::is_hidden;
