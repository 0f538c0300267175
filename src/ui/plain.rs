//! The words of the plain client: what needs a person as numbered prompts, and what a typed line means. Pure; whoever prints
//! and performs is elsewhere. Lines are not cleaned here: whoever prints them cleans them.

mod command;
mod prompts;

pub use command::{HELP, PlainCommand, parse_line};
pub use prompts::{PlainPrompt, PlainPrompts};
