//! Protocol between the processes of one person: frames and versions, questions about the board and their answers, and the list of
//! sessions.

pub mod answer;
pub mod callers;
pub mod connection;
pub mod hooks;
pub mod query;
pub mod session_list;
pub mod task_ids;
pub mod wire;

mod reports;
