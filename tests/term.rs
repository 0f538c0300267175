//! Tests of the terminal layer: control sequences against their standards, recorded agents, hostile bytes, and the two emulators against
//! each other.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is not as expected is a failed test, and generators take what bits they need"
)]

#[path = "term/screen.rs"]
mod screen;

#[path = "term/cases.rs"]
mod cases;
#[path = "term/sequences.rs"]
mod sequences;

#[path = "term/casts.rs"]
mod casts;
#[path = "term/cuts.rs"]
mod cuts;
#[path = "term/differential.rs"]
mod differential;
#[path = "term/events.rs"]
mod events;
#[path = "term/full_screen.rs"]
mod full_screen;
#[path = "term/hostile.rs"]
mod hostile;
#[path = "term/keys.rs"]
mod keys;
#[path = "term/memory.rs"]
mod memory;
#[path = "term/prompts.rs"]
mod prompts;
#[path = "term/properties.rs"]
mod properties;
#[path = "term/queries.rs"]
mod queries;
#[path = "term/random.rs"]
mod random;
#[cfg(unix)]
#[path = "term/terminput.rs"]
mod terminput;
