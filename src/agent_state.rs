//! State of an agent, concluded from everything that is reported of it. Pure: observations with a source and a time go in, a conclusion and
//! the reasons for it come out. Must not read a clock, a file or a process.
//!
//! A caller keeps one [`AgentState`] and one [`Meter`] for each process of an agent. The result of reading some bytes is an
//! [`AgentReport`]; its observations go to [`AgentState::observe`], its figures to [`Meter::count`]. A person's keys go to
//! [`AgentState::input`], an answer given through `dbs` to [`AgentState::answered`].

mod child;
mod conclusion;
mod doing;
mod estimate;
mod explanation;
mod meter;
mod observation;
mod report;
mod state;

pub use child::Child;
pub use conclusion::Conclusion;
pub use doing::{Doing, Wait, Work};
pub use estimate::ContextEstimate;
pub use explanation::Explained;
pub use meter::{Figures, Meter};
pub use observation::{Observation, Seen, Source};
pub use report::{AgentReport, AskReport};
pub use state::AgentState;

#[cfg(test)]
mod tests;
