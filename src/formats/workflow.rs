//! Workflows as TOML files: reading them with every doubt bound to its line, the built-in ones, and their stages in words for people. A
//! file with a single error is refused as a whole; nothing is guessed.

mod able;
mod builtin;
mod describing;
mod judging;
mod placed;
mod reading;
mod stage;
mod table;

pub use builtin::builtin;
pub use describing::describe;
pub use reading::read;
