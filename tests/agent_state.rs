//! Conclusions from recordings of real tools: their streams, hooks, titles and status records.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a recording that cannot be read is a failed test, and the text says which part"
)]

#[path = "agent_state/accuracy.rs"]
mod accuracy;
#[path = "agent_state/damaged.rs"]
mod damaged;
#[path = "agent_state/figures.rs"]
mod figures;
#[path = "agent_state/protocol_types.rs"]
mod protocol_types;
#[path = "agent_state/recordings.rs"]
mod recordings;
#[path = "agent_state/sequences.rs"]
mod sequences;
#[path = "agent_state/transcript.rs"]
mod transcript;
