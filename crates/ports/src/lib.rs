//! Needs of the engine from outside, as traits over plain values. Nothing here does anything.

pub mod agents;
pub mod clock;
pub mod gates;
pub mod git;
pub mod holders;
pub mod notify;
pub mod store;
pub mod stories;
pub mod terminals;
pub mod trouble;
pub mod workspaces;
