//! Makes happen what the rules decide: the queue of events, the turn (apply, commit, publish, perform), the performer of
//! effects, and the inventory after a start. It never decides and never draws.

pub mod inbox;
pub mod journal;
pub mod lanes;
pub mod performer;
pub mod running;
pub mod turn;
pub mod wake;
pub mod world;

mod evidence;
mod gating;
mod job;
mod merging;
mod settling;
mod starting;
mod tidying;
mod yielding;
