//! What the processes of one person say to each other: frames and versions, questions about the board and their answers, and
//! which sessions there are.

pub mod connection;
pub mod naming;
pub mod neighbours;
pub mod snapshot;
pub mod telling;
pub mod wire;
