//! The words of the plain client: prompts with numbers for everything that needs a person, and the meaning of typed lines. Pure; printing
//! and execution are elsewhere. Lines are not cleaned here but where they are printed.

mod command;
mod prompts;

pub use command::{HELP, PlainCommand, parse_line};
pub use prompts::{PlainPrompt, PlainPrompts};
