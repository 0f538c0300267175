//! Engine that carries out the decisions of the rules: the queue of events, the turn (apply, commit, publish, perform), the performer of
//! effects, and the inventory after a start. It never decides and never draws.

pub mod context;
pub mod event_loop;
pub mod green_gates;
pub mod inbox;
pub mod inventory;
pub mod journal;
pub mod lanes;
pub mod performer;
mod phase_notes;
mod plan_checks;
mod preparation;
pub mod prompt_place;
pub mod stop_all;
mod story_checks;
mod story_record;
pub mod task_diff;
pub mod turn;

mod agents_merge;
mod anew;
mod base_watch;
mod checkpoint;
mod cleanup;
mod clock_jumps;
mod delivery;
mod evidence;
mod gate_folder;
mod gate_runs;
mod git_changes;
mod guarded_files;
mod issues;
mod job;
mod launch;
mod leftovers;
mod merge;
mod merge_request;
mod priority;
mod session_before;
mod startup_cleanup;
