//! Choice of the base branch, in a project that has none set.

use crate::adapters::git::{LikelyBase, likely_base};
use crate::adapters::output;
use crate::cli::asking;
use crate::cli::command_error::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::{schema, set};

/// Result of a choice.
#[derive(Debug)]
pub(super) enum BaseChoice {
    /// Branch that is the base from now on.
    Made(String),
    /// Branch that is most likely the base; there is no terminal to ask at.
    Open(LikelyBase),
    /// Base that was set before, or that cannot be chosen here.
    None,
}

/// Asks a person at the terminal to confirm the base branch that was found, if none is set; `takes` is a yes that was given before.
///
/// # Errors
/// When the branches cannot be read, or the setting cannot be made.
pub(super) fn settle(env: &ProcessEnv, paths: &ProjectPaths, takes: bool) -> CommandResult<BaseChoice> {
    let is_set = paths.read_config().value(&schema::BASE_BRANCH).is_some();
    if is_set || env.is_agent() {
        return Ok(BaseChoice::None);
    }
    let Some(found) = likely_base(&paths.git_setup(env.environment.clone()))? else {
        return Ok(BaseChoice::None);
    };
    let chosen = if takes {
        found.name
    } else if !asking::can_ask() {
        return Ok(BaseChoice::Open(found));
    } else {
        let question = format!(
            "Tasks start from a base branch, and are merged into it. Which one? Enter for {} ({}):",
            found.name, found.found_by
        );
        match asking::answer_to(&question)? {
            None => return Ok(BaseChoice::None),
            Some(answer) if answer.is_empty() => found.name,
            Some(answer) => answer,
        }
    };
    set(&paths.sources.files, "base_branch", &chosen)?;
    Ok(BaseChoice::Made(chosen))
}

impl BaseChoice {
    /// Prints what was chosen, or how to choose.
    pub(super) fn print(&self) {
        match self {
            BaseChoice::Made(name) => output::line(&format!(
                "the base branch is {name}; `dbs config base_branch NAME` changes that"
            )),
            BaseChoice::Open(LikelyBase { name, found_by }) => output::line(&format!(
                "the base branch is most likely {name} ({found_by}): `dbs config base_branch {name}`"
            )),
            BaseChoice::None => {}
        }
    }
}
