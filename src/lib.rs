//! `dbs` orchestrates coding agents in real terminals. Modules in reading order; each may use only those that its row in
//! `docs/architecture.md` names (`tests/tidy.rs` keeps the walls).

pub mod adapters;
pub mod agent_state;
pub mod app;
pub mod cli;
pub mod client;
pub mod config;
pub mod display;
pub mod engine;
pub mod keymap;
pub mod plans;
pub mod protocol;
pub mod read_model;
pub mod server;
pub mod ui;

pub use dbs_domain as domain;
pub use dbs_formats as formats;
pub use dbs_ports as ports;
pub use dbs_term as term;
