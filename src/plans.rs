//! Plans: the reading of their files, the commands that put them on the board, the questions for a person, and the steps by which agents
//! make a plan of a text. Nothing here prints, asks or changes the board: command line and server carry out the decisions.

pub mod added_prds;
mod base_files;
pub mod closed_items;
pub mod consent;
pub mod forge_issues;
mod graphs;
pub mod importing;
mod list_files;
pub mod making;
pub mod phase_answer;
mod plan_folder;
pub mod prd_queue;
mod project_path;
pub mod projections;
pub mod reading;
pub mod reconcile;
pub mod run_watch;
pub mod setup;
pub mod shown;
mod stories;
pub mod story_record;
pub mod uncommitted;
pub mod write_back;

pub use base_files::{BaseFiles, OnBase};
pub use graphs::undecided;
pub use plan_folder::plan_in;
pub use project_path::in_project;
pub use reading::{PlanTexts, ReadPlan, read};
pub use stories::all_stories;
