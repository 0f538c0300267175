//! Names that almost every command uses.

pub(in crate::cli::commands) use std::process::ExitCode;

pub(in crate::cli::commands) use clap::Args;

pub(in crate::cli::commands) use super::report::print_report;
pub(in crate::cli::commands) use super::{
    CommandResult, RunCommand, execute, exit_code, print_done, print_reply,
};
pub(in crate::cli::commands) use crate::adapters::output;
pub(in crate::cli::commands) use crate::cli::args::{
    Attempts, Conductors, Everybody, JsonFlag, OwnAgent, Persons, TaskArgs, TaskTextArgs, facts,
};
pub(in crate::cli::commands) use crate::cli::board_access::BoardAccess;
pub(in crate::cli::commands) use crate::cli::command_error::{CommandError, could_not, failed};
pub(in crate::cli::commands) use crate::config::process_env::ProcessEnv;
pub(in crate::cli::commands) use crate::config::project_paths::ProjectPaths;
