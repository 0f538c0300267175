//! The server: one per project, the only writer of its store. It decides through the engine and draws for its clients; it may
//! die at any instant, agents never notice.

pub mod engine_handle;
pub mod hub;
pub mod session;
pub mod whole;

mod arranging;
mod attached_clients;
mod calls;
mod canvas;
mod colours;
mod consenting;
mod conversations;
mod copies;
mod drawing;
mod ending;
mod engine_thread;
mod fetching;
mod first_start;
mod gauge;
mod history;
mod in_force;
mod inbox_folder;
mod intake;
mod listening;
mod pace;
mod past;
mod peer;
mod picture;
mod presence;
mod recalling;
mod records;
mod reloading;
mod screens;
mod seeking;
mod session_identity;
mod shells;
mod sizes;
mod summoning;
mod tally;
mod told;

pub use session::{Server, Session, SessionError};
