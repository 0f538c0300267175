//! `dbs atdd`: stories whose tests are written first. Their documents, what their PRDs say, whether all is there that they need, and where
//! they stand.

mod check;
mod init;
mod queue;

use crate::cli::args::AtddCommand;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;

/// Folder of the documents that stories are written by, in the project's root.
const DOCUMENTS: &str = ".swanson";

/// Carries out a command of stories.
pub(super) fn run(edge: &ProcessEnv, verb: &AtddCommand) -> CommandResult {
    match verb {
        AtddCommand::Init(wanted) => init::run(edge, wanted),
        AtddCommand::Check(wanted) => check::run(edge, wanted),
    }
}

/// A number with the word for one, or that for several.
fn counted(many: usize, one: &str, several: &str) -> String {
    format!("{many} {}", if many == 1 { one } else { several })
}
