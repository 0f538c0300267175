//! `dbs` orchestrates coding agents in real terminals. Modules in reading order; each may use only those above it
//! (see `docs/architecture.md`; `tests/tidy.rs` keeps the walls).

pub mod adapters;
pub mod app;
pub mod domain;
pub mod engine;
pub mod formats;
pub mod ports;
pub mod read_model;
pub mod term;
pub mod ui;
