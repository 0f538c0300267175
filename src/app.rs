//! The edge: arguments, configuration, server, client and commands. The only layer that knows concrete adapters.

pub mod args;
pub mod client;
pub mod commands;
pub mod completing;
pub mod config;
mod copying;
pub mod crash;
pub mod demo;
pub mod door;
pub mod edge;
pub mod editing;
pub mod ending;
pub mod incoming;
pub mod logging;
pub mod naming;
pub mod neighbours;
mod opening;
pub mod out;
pub mod patience;
pub mod place;
mod reaching;
pub mod server;
pub mod setup;
pub mod snapshot;
pub mod spawning;
pub mod taste;
pub mod telling;
pub mod wire;

mod running;

pub use running::run;
