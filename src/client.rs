//! The processes that people look at and type into: the thin one that shows a session on a whole terminal, and the plain one of
//! lines. They know a server only through `protocol`.

mod attach;
mod bar;
mod colours;
mod input;
mod lost;
pub mod plain;
mod signs;
mod tty;
mod voice;

pub use attach::{Onward, attach, refuse_to_nest};
pub use lost::Restart;
