//! The built-in scripted agent: plays scenario files (`formats::scenario`) in a real terminal, with real files, real
//! commits and real signals. The demo runs it, the tests use it as their double, and it is always labelled as a
//! rehearsal. It must not decide anything about tasks: like every agent it only works and signals.
#![expect(
    clippy::disallowed_methods,
    reason = "an agent is a program of its own: it starts git, reads its environment once, and lets time pass"
)]

mod animation;
mod check;
mod command;
mod console;
mod context;
mod demo;
mod demo_board;
mod demo_repository;
mod error;
mod fault_steps;
mod faults;
mod file_steps;
mod files;
mod git_steps;
mod osc;
mod outcome;
mod player;
mod prompt;
mod pytest;
mod repository;
mod screen;
mod signal_steps;
mod signals;
mod transcript;
mod transcript_line;

pub use check::{MANIFEST, TreeCheck, check};
pub use command::command;
pub use console::{Console, KeySource};
pub use context::{RehearsalContext, RehearsalSpeed};
pub use demo::{DemoPlan, DemoRecord, DemoScript, DemoTask, SeedFile};
pub use demo_board::{BASE, DEMO_BATCH, demo_commands, demo_gate, demo_rules};
pub use demo_repository::{DemoRepos, NO_GIT_CONFIGURATION, demo_differences};
pub use error::RehearsalError;
pub use outcome::RehearsalExit;
pub use player::run;
pub use signals::{OutgoingSignal, SignalSink, SinkError};
