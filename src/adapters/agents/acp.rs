//! The Agent Client Protocol: lines of JSON-RPC 2.0 over the standard streams of a tool without an interface. Knows no tool.

mod asked;
pub mod headless;
mod message;
mod printed;
mod updates;
