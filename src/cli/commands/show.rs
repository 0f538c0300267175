//! Commands that only read: the board, a task, agents, the reasons of waits, events.

mod cast;
mod debug;
mod differences;
pub(super) mod log_follower;
mod logs;
mod metrics;

pub(super) use debug::debug;
pub(super) use differences::{attic, diff};
pub use logs::last_lines;
pub use logs::print as print_line;
pub(super) use logs::{EventCursor, logs};
pub(super) use metrics::metrics;

use std::process::ExitCode;

use bytes::Bytes;

use crate::adapters::git::task_branches;
use crate::adapters::output;
use crate::cli::args::{JsonFlag, StatusArgs, WhyArgs};
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::CommandError;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::protocol::query::{Answer, Query, Report, TaskBranches};

pub(super) fn print_report(env: &ProcessEnv, report: Report, json: JsonFlag) -> CommandResult {
    print(&mut BoardAccess::open(env)?, report, json)
}

fn print(access: &mut BoardAccess, report: Report, json: JsonFlag) -> CommandResult {
    for part in fetch_report(access, report, json)? {
        output::bytes(&part);
    }
    Ok(ExitCode::SUCCESS)
}

/// Explains why a task does not move, or what an agent does.
pub(super) fn why(env: &ProcessEnv, wanted: WhyArgs) -> CommandResult {
    let report = Report::Why {
        name: wanted.id,
        with_sources: wanted.sources,
    };
    print_report(env, report, wanted.json)
}

/// Prints base branch, agents, counts, branches of tasks (K65).
pub(super) fn status(env: &ProcessEnv, wanted: &StatusArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let report = match &wanted.run {
        Some(run) => Report::Run(run.as_str().into()),
        None => Report::Status(branches(&access.paths, env)),
    };
    print(&mut access, report, wanted.json)
}

/// Prints the board; with `watch` again whenever it has changed.
pub(super) fn board(env: &ProcessEnv, watch: bool, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let place = access.paths.clone();
    let report = || {
        let branches = if json.json {
            Ok(Vec::new())
        } else {
            branches(&place, env)
        };
        Report::Board {
            columns: output::columns(),
            branches,
        }
    };
    if !watch {
        return print(&mut access, report(), json);
    }
    let mut first = true;
    access.watch(&mut || {
        let blank = !first && !json.json;
        first = false;
        reprint(&place, report(), json, blank)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the board as a server knows it now, on a connection of its own; nothing when the server has just gone.
fn reprint(paths: &ProjectPaths, report: Report, json: JsonFlag, blank: bool) -> CommandResult<()> {
    let mut access = BoardAccess::open_project(paths.clone())?;
    if !access.has_server() {
        return Ok(());
    }
    let text = fetch_report(&mut access, report, json)?;
    if blank {
        output::line("");
    }
    for part in text {
        output::bytes(&part);
    }
    Ok(())
}

fn fetch_report(access: &mut BoardAccess, report: Report, json: JsonFlag) -> CommandResult<Vec<Bytes>> {
    text_of(access.query(Query::Report(report, json.into()))?)
}

fn text_of(answer: Answer) -> CommandResult<Vec<Bytes>> {
    match answer {
        Answer::Text(pieces) => Ok(pieces),
        other => Err(CommandError::internal(format!(
            "could not understand the answer: {other:?}"
        ))),
    }
}

/// Returns the local branches of tasks, or the reason why they could not be listed.
fn branches(paths: &ProjectPaths, env: &ProcessEnv) -> TaskBranches {
    task_branches(&paths.git_setup(env.environment.clone())).map_err(|error| error.to_string())
}
