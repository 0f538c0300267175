//! The texts of commands that report on the board, for people as lines and for programs as JSON, each written from the read model.
//! Total and without side effect, so that a server and a command without one write the same. Must not print, nor ask for anything
//! that is not in the read model or the query.

pub(super) mod board;
pub(super) mod cost;
pub(super) mod debug;
pub(super) mod metrics;
mod plan_table;
mod progress;
pub(super) mod runs;
pub(super) mod status;
pub(super) mod task;
pub(super) mod tasks;
pub(super) mod why;

use serde::Serialize;

use crate::adapters::output;
use crate::domain::Task;
use crate::protocol::query::{OutputFormat, QueryError};
use crate::read_model::{ReadModel, Standing};

/// Task as data for programs, with its standing in the words that people read.
#[derive(Serialize)]
struct TaskJson<'a> {
    #[serde(flatten)]
    task: &'a Task,
    standing: Standing,
}

impl TaskJson<'_> {
    fn of<'a>(model: &ReadModel, task: &'a Task) -> TaskJson<'a> {
        let standing = model.standing(task);
        TaskJson { task, standing }
    }
}

/// Returns a report in the wanted format: the result of `json` for programs, or the lines of `lines` for people.
fn in_format<T: Serialize>(
    format: OutputFormat,
    json: impl FnOnce() -> T,
    lines: impl FnOnce() -> Vec<String>,
) -> Result<String, QueryError> {
    if format == OutputFormat::Lines {
        return Ok(output::text(lines()));
    }
    output::json_line(&json()).map_err(|error| QueryError::Json(error.to_string()))
}
