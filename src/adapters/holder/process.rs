//! Processes of this machine: who one is beyond its number, what belongs to an attempt, and how to end all of it. It
//! starts nothing, and it never signals a process it has not just recognised.

mod identity;
mod table;
mod terminate;
mod tree;

pub use identity::Identity;
pub use table::{Row, rows};
pub use terminate::terminate;
pub use tree::{MARKER, Target, members};
