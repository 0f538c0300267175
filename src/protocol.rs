//! What the processes of one person say to each other: frames and versions, questions about the board and their answers, and
//! which sessions there are.

pub mod answer;
pub mod callers;
pub mod connection;
pub mod hooks;
pub mod query;
pub mod session_list;
pub mod task_ids;
pub mod wire;

mod reports;
