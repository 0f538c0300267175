//! `dbs` orchestrates coding agents in real terminals. Modules in reading order; each may use only those above it
//! (see `docs/architecture.md`; `tests/tidy.rs` keeps the walls).

pub mod domain;
pub mod read_model;
pub mod ports;
pub mod formats;
pub mod term;
pub mod engine;
pub mod adapters;
pub mod ui;
pub mod app;
