//! Workflows as TOML files: their reader with findings by line, the built-in ones, and a description of their stages for people. A file
//! with a single error is refused; nothing is assumed.

mod builtin;
mod description;
mod reader;
mod stage;
mod support;
mod validation;

pub use builtin::builtin;
pub use description::describe;
pub use reader::read;
