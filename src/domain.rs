//! The rules: a board, what may happen to it, what should follow. Standard library and serde derives only; no clock,
//! no randomness, no input or output.

pub mod tri;

pub use tri::Tri;
