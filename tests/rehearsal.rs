//! The rehearsal agent in a real pseudo-terminal and on real repositories, and the demo as a whole.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what cannot be set up is a failed test"
)]

#[expect(dead_code, reason = "a fixture for other tests, too")]
#[path = "support/git_fixture.rs"]
mod git_fixture;

#[path = "rehearsal/demo.rs"]
mod demo;
#[path = "rehearsal/document.rs"]
mod document;
#[path = "rehearsal/git_steps.rs"]
mod git_steps;
#[cfg(unix)]
#[path = "rehearsal/hostile.rs"]
mod hostile;
#[path = "rehearsal/playing.rs"]
mod playing;
#[cfg(unix)]
#[path = "support/polling.rs"]
mod polling;
#[path = "rehearsal/program.rs"]
mod program;
#[cfg(unix)]
#[path = "support/script.rs"]
mod script;
#[cfg(unix)]
#[path = "rehearsal/terminal.rs"]
mod terminal;
#[cfg(unix)]
#[path = "rehearsal/watching.rs"]
mod watching;
