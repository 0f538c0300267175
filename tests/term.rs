//! Proof for the terminal layer: control sequences against their standards, recorded agents, hostile bytes, and the two
//! emulators against each other.

#[path = "term/screen.rs"]
mod screen;

#[path = "term/cases.rs"]
mod cases;
#[path = "term/sequences.rs"]
mod sequences;
