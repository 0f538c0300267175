//! Workflows as TOML files: reading them with every doubt bound to its line, the built-in ones, and their stages in words for people. A
//! file with a single error is refused as a whole; nothing is guessed.

mod builtin;
mod description;
mod reader;
mod stage;
mod support;
mod validation;

pub use builtin::builtin;
pub use description::describe;
pub use reader::read;
