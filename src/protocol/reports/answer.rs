//! The answer to each question, by the file that writes it.

use super::query::{BoardQuery, QueryRequest};
use super::{board, debug, status, task, tasks, why};
use crate::protocol::snapshot::BoardSnapshot;

/// The answer, with the end of its last line; why there is none, for people.
///
/// # Errors
/// When the question names something that is not there.
pub fn tell(board: &BoardSnapshot, asked: &QueryRequest) -> Result<String, String> {
    match &asked.question {
        BoardQuery::Status(branches) => status::tell(board, branches, asked.form),
        BoardQuery::Tasks { state, stage } => {
            tasks::list(board, (state.as_deref(), stage.as_deref()), asked.form)
        }
        BoardQuery::Ready => tasks::ready(board, asked.form),
        BoardQuery::Board(around) => board::tell(board, around, asked.form),
        BoardQuery::Task(id) => task::tell(board, id, asked.form),
        BoardQuery::Why(name) => why::tell(board, name, asked.form),
        BoardQuery::Debug(folder) => debug::tell(board, folder, asked.form),
    }
}
