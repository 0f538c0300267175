//! Ways out to a person who is at no screen: a program of theirs, a POST over HTTP. Each tells once and says how that went; when
//! to tell what, and when to try again, is decided elsewhere.

mod command;
mod post;
mod shape;

pub use command::{Command, CommandSetup};
pub use post::{BadAddress, Post, PostSetup, Proxies, check_address, host_of};
pub use shape::Shape;
