//! The edge: arguments, configuration, server, client and commands. The only layer that knows concrete adapters.

pub mod config;
pub mod wire;
