//! Puts the program together: reads what the process was given, and runs server, client, demo or a command with their concrete
//! adapters. The only room that sees all the others.

mod command_errors;
pub mod demo;
mod entry;
mod rehearse;
mod serve;
mod session;
mod start;
mod watch;

pub use entry::run;
