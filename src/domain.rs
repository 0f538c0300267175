//! The rules: a board, what may happen to it, what should follow. Standard library and serde derives only; no clock,
//! no randomness, no input or output. Begin with [`board::Board::apply`].

pub mod attempt;
pub mod board;
pub mod command;
mod completion;
mod counted;
pub mod effect;
pub mod event;
pub mod evidence;
pub mod failure;
pub mod hours;
pub mod id;
pub mod run;
pub mod settings;
pub mod signal;
pub mod task;
pub mod time;
pub mod tri;
pub mod workflow;

pub use attempt::{Attempt, AttemptMode, AttemptState, Doing, Exit, StopCause, Verdict, Worker, Workplace};
pub use board::Board;
pub use command::{Command, Draft, Patch, Refusal};
pub use counted::counted;
pub use effect::{Accepted, Effect, Level, Notice};
pub use event::{ActionOutcome, Event, Inventory};
pub use evidence::Evidence;
pub use failure::FailureClass;
pub use hours::Hours;
pub use id::{AttemptId, BatchId, RequestId, RoleId, StageId, TaskId, WorkflowId};
pub use run::{Batch, Pause, RunState};
pub use settings::Settings;
pub use signal::{Signal, SignalKind};
pub use task::{Hold, Task, TaskState, WhyNot};
pub use time::{Span, Timestamp};
pub use tri::Tri;
pub use workflow::{Action, EvidenceKind, Workflow};
