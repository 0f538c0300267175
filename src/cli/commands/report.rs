//! Reports of the board, as the server or the store has them.

use std::process::ExitCode;

use bytes::Bytes;

use crate::adapters::output;
use crate::cli::args::JsonFlag;
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::CommandError;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::protocol::query::{Answer, Query, Report};

/// Prints a report.
pub(super) fn print_report(env: &ProcessEnv, report: Report, json: JsonFlag) -> CommandResult {
    print(&mut BoardAccess::open(env)?, report, json)
}

/// Prints a report of a board that is open.
pub(super) fn print(access: &mut BoardAccess, report: Report, json: JsonFlag) -> CommandResult {
    for part in fetch_report(access, report, json)? {
        output::bytes(&part);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of a report.
pub(super) fn fetch_report(
    access: &mut BoardAccess,
    report: Report,
    json: JsonFlag,
) -> CommandResult<Vec<Bytes>> {
    text_of(access.query(Query::Report(report, json.into()))?)
}

/// Returns the text of an answer.
pub(super) fn text_of(answer: Answer) -> CommandResult<Vec<Bytes>> {
    match answer {
        Answer::Text(pieces) => Ok(pieces),
        other => Err(CommandError::internal(format!(
            "could not understand the answer: {other:?}"
        ))),
    }
}
