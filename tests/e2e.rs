//! Stories of the whole program: the real binary, real terminals, real processes, real repositories. Each has a home, a runtime
//! folder and a project of its own, and leaves no process behind.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what is not as it should be is a failed story"
)]

#[path = "e2e/dice.rs"]
mod dice;
#[path = "e2e/driver.rs"]
mod driver;

#[path = "e2e/attached.rs"]
mod attached;
#[path = "e2e/calling.rs"]
mod calling;
#[path = "e2e/colours.rs"]
mod colours;
#[path = "e2e/demo.rs"]
mod demo;
#[path = "e2e/integrating.rs"]
mod integrating;
#[path = "e2e/killing.rs"]
mod killing;
#[path = "e2e/lost.rs"]
mod lost;
#[path = "e2e/mishaps.rs"]
mod mishaps;
#[path = "e2e/plain.rs"]
mod plain;
#[path = "e2e/reaching.rs"]
mod reaching;
#[path = "e2e/readme.rs"]
mod readme;
#[path = "e2e/scenarios.rs"]
mod scenarios;
#[path = "e2e/servers.rs"]
mod servers;
#[path = "e2e/settings.rs"]
mod settings;
#[path = "e2e/sizes.rs"]
mod sizes;
#[path = "e2e/terminal.rs"]
mod terminal;
#[path = "e2e/unruly.rs"]
mod unruly;
