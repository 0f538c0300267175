//! The server: one per project, the only writer of its store. It decides through the engine and draws for its clients; it may
//! die at any instant, agents never notice.

pub mod engine_handle;
pub mod poison;
pub mod session;
pub mod terminals;

mod clients;
mod connections;
mod ending;
mod engine_thread;
mod fetch_error;
mod figures;
mod issue_closer;
mod keeping;
mod notifier;
mod plan_files;
mod plan_jobs;
mod queue_watch;
mod services;
mod settings;
mod signals;

pub use session::{Server, Session, SessionAdapters, SessionEndError, SessionError};
