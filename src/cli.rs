//! The command line: arguments, one function per command, and what is printed. Must not draw, and knows servers only through
//! `protocol`.

pub mod args;
pub mod commands;
pub mod completing;
pub mod door;
pub mod incoming;
