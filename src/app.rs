//! Puts the program together: reads what the process was given, and runs server, client, demo or a command with their concrete
//! adapters. The only room that sees all the others.

pub mod demo;
mod narrating;
mod running;
mod serving;
pub mod spawning;
mod start;

pub use running::run;
