//! The server: one per project, the only writer of its store. It decides through the engine and draws for its clients; it may
//! die at any instant, agents never notice.

pub mod engine_handle;
pub mod hub;
pub mod poison;
pub mod session;

mod arrangements;
mod attached_client;
mod attached_clients;
mod backups;
mod callers;
mod calls;
mod colours;
mod comment_limit;
mod connection_places;
mod connections;
mod conversations;
mod delivered;
mod ending;
mod engine_thread;
mod fetch;
mod fetch_error;
mod first_start;
mod frame;
mod frame_buffer;
mod frame_pacer;
mod hooks;
mod idle_connections;
mod in_force;
mod inbox_folder;
mod intake;
mod machine;
mod metrics;
mod notifier;
mod past_screen;
mod peer;
mod plan_jobs;
mod plan_orders;
mod presence;
mod records;
mod reload;
mod replay;
mod retention;
mod screens;
mod scrollback;
mod search;
mod services;
mod session_figures;
mod settings_changes;
mod shells;
mod sizes;
mod socket_reach;
mod trust_overview;
mod usage;

pub use session::{Server, Session, SessionAdapters, SessionEndError, SessionError};
