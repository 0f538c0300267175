//! Engine against real git: effects are carried out in a real project with a real origin; the tests play the agents.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot be set up is a failed test"
)]

#[path = "support/git_fixture.rs"]
mod git_fixture;
#[path = "support/shapes.rs"]
mod shapes;

#[path = "engine/base_moves.rs"]
mod base_moves;
#[path = "engine/bench.rs"]
mod bench;
#[path = "engine/checking.rs"]
mod checking;
#[cfg(unix)]
#[path = "engine/committing.rs"]
mod committing;
#[path = "engine/continuing.rs"]
mod continuing;
#[path = "engine/delivering.rs"]
mod delivering;
#[cfg(unix)]
#[path = "engine/differing.rs"]
mod differing;
#[path = "engine/filling.rs"]
mod filling;
#[cfg(unix)]
#[path = "engine/gating.rs"]
mod gating;
#[path = "engine/integrating.rs"]
mod integrating;
#[path = "engine/keeping.rs"]
mod keeping;
#[path = "engine/mishaps.rs"]
mod mishaps;
#[cfg(unix)]
#[path = "engine/outside.rs"]
mod outside;
#[path = "engine/places.rs"]
mod places;
#[path = "engine/planning.rs"]
mod planning;
#[cfg(unix)]
#[path = "engine/preparing.rs"]
mod preparing;
#[path = "engine/proving.rs"]
mod proving;
#[cfg(unix)]
#[path = "engine/repositories.rs"]
mod repositories;
#[path = "engine/reviewing.rs"]
mod reviewing;
#[path = "support/script.rs"]
mod script;
#[cfg(unix)]
#[path = "engine/stories.rs"]
mod stories;
#[path = "engine/telling.rs"]
mod telling;
#[path = "engine/tidying.rs"]
mod tidying;
#[path = "engine/without_remote.rs"]
mod without_remote;
