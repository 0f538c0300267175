//! Workflows as TOML files: reading them with every doubt bound to its line, the built-in ones, and a drawing for people. A
//! file with a single error is refused as a whole; nothing is guessed.

mod able;
mod builtin;
mod drawing;
mod judging;
mod reading;
mod stage;
mod table;

pub use builtin::builtin;
pub use drawing::draw;
pub use reading::read;
