//! The command line: arguments, one function per command, and the printed output. Must not draw, and knows servers only through `protocol`.

pub mod args;
pub mod asking;
mod base_choice;
pub mod board_access;
pub mod caller;
pub mod command_error;
pub mod commands;
pub mod remote_choice;
pub mod server_process;
pub mod text_input;
mod workspace_choice;
