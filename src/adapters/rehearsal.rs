//! The built-in scripted agent: plays scenario files (`formats::scenario`) in a real terminal, with real files, real
//! commits and real signals. The demo runs it, the tests use it as their double, and it is always labelled as a
//! rehearsal. It must not decide anything about tasks: like every agent it only works and signals.
#![expect(
    clippy::disallowed_methods,
    reason = "an agent is a program of its own: it starts git, reads its environment once, and lets time pass"
)]

mod ask;
mod check;
mod command;
mod console;
mod context;
mod demo;
mod error;
mod files;
mod line;
mod misbehave;
mod outcome;
mod picture;
mod play_files;
mod play_git;
mod play_misbehaviour;
mod play_speech;
mod player;
mod report;
mod repository;
mod screen;
mod show;
mod signals;

pub use check::{Extent, MANIFEST, check};
pub use command::command;
pub use console::{Console, Keys};
pub use context::{Context, Pace};
pub use demo::{DemoTask, SeedFile, TaskSheet, demo_scenario, demo_scenario_text, demo_tasks, expected_tree};
pub use error::RehearsalError;
pub use outcome::ExitOutcome;
pub use player::run;
pub use signals::{InboxSink, OutgoingSignal, SignalSink};
