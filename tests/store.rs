//! The store against real files: turns, recovery, refusals, races, power cuts.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is a failed test")]

#[path = "store/boards.rs"]
mod boards;
#[path = "store/intents.rs"]
mod intents;
#[path = "store/turns.rs"]
mod turns;
