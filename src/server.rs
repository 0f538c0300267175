//! The server: one per project, the only writer of its store. It decides through the engine and draws for its clients; it may
//! die at any instant, agents never notice.

pub mod hub;
pub mod session;

mod arranging;
mod calls;
mod canvas;
mod colours;
mod consenting;
mod copies;
mod drawing;
mod ending;
mod fetching;
mod first_start;
mod gauge;
mod history;
mod inbox_folder;
pub mod listening;
mod pace;
mod past;
mod picture;
mod presence;
mod recalling;
mod reloading;
mod requests;
mod screens;
mod seeking;
mod shells;
mod sizes;
mod summoning;
mod tally;
mod told;
pub mod whole;

pub use ending::end;
