//! What the board tells the command line: a question, answered with the finished text of a command. Total and without side effect,
//! so that a server answers in its own process with nothing but that text, and a command without a server by the same code. Must
//! not print, nor ask for anything that is not in the board or the question.

mod answer;
mod board;
mod debug;
mod metrics;
mod query;
mod status;
mod task;
mod tasks;
mod why;

pub use answer::tell;
pub use metrics::metrics;
pub use query::{
    BoardQuery, OutputFormat, QueryContext, QueryRequest, StateEntry, StateFolder, TaskBranches,
};
