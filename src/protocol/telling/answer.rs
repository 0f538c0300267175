//! The answer to each question, by the file that writes it.

use super::question::{Asked, Question};
use super::{board, debug, status, task, tasks, why};
use crate::protocol::snapshot::Snapshot;

/// The answer, with the end of its last line; why there is none, for people.
///
/// # Errors
/// When the question names something that is not there.
pub fn tell(board: &Snapshot, asked: &Asked) -> Result<String, String> {
    match &asked.question {
        Question::Status(branches) => status::tell(board, branches, asked.form),
        Question::Tasks { state, stage } => {
            tasks::list(board, (state.as_deref(), stage.as_deref()), asked.form)
        }
        Question::Ready => tasks::ready(board, asked.form),
        Question::Board(around) => board::tell(board, around, asked.form),
        Question::Task(id) => task::tell(board, id, asked.form),
        Question::Why(name) => why::tell(board, name, asked.form),
        Question::Debug(folder) => debug::tell(board, folder, asked.form),
    }
}
