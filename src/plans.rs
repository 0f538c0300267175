//! Plans: what stands in their files, what they become on the board, what a person is asked about them, and how agents make one of a text.
//! Decides and reads; nothing here prints, asks or changes the board. Command line and server carry out what it says.

pub mod consent;
mod graphs;
pub mod making;
pub mod phase_answer;
pub mod prd_queue;
mod project_path;
pub mod reading;
pub mod reconcile;
pub mod run_watch;
pub mod setup;
pub mod shown;
mod stories;
pub mod uncommitted;
pub mod write_back;

pub use graphs::undecided;
pub use project_path::in_project;
pub use reading::{PlanTexts, ReadPlan, read};
pub use stories::all_stories;
