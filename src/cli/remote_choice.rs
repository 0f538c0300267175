//! Choice to work without a remote, in a project that has none.

use crate::adapters::git::{GitCli, GitSetup, RemoteChoice, has_remote};
use crate::adapters::output;
use crate::cli::asking;
use crate::cli::command_error::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::{SettingOrigin, set};
use crate::ports::git::Git as _;

/// Asks a person at the terminal whether the project needs no remote, if it has none and the setting was never made; a yes makes the
/// setting. `takes` is a yes that was given before. Otherwise nothing happens, and whatever needs the remote says so. Returns true if a
/// person was asked and said yes.
///
/// # Errors
/// When the repository is not fit for work without a remote either, or the setting cannot be made.
pub fn settle(env: &ProcessEnv, paths: &ProjectPaths, takes: bool) -> CommandResult<bool> {
    let asks = asking::can_ask() && !env.is_agent();
    if !(takes || asks) || !is_open(env, paths)? {
        return Ok(false);
    }
    let alone = GitSetup {
        remote: RemoteChoice::Control,
        ..paths.git_setup(env.environment.clone())
    };
    GitCli::open(&alone)?.preflight()?;
    if !takes {
        let question = "This repository has no remote. Work without one: nothing is pushed, and finished work comes to the base branch \
                        here? [Y/n]";
        let answer = asking::answer_to(question)?;
        let answer = answer.map(|answer| answer.to_lowercase());
        if !matches!(answer.as_deref(), Some("" | "y" | "yes")) {
            return Ok(false);
        }
    }
    paths.prepare()?;
    let write = || set(&paths.sources.files, "remote", "none");
    let (written, trusted) = paths.trust.by_own_hand("remote", Some("none"), write);
    written?;
    trusted?;
    output::line("work here needs no remote; `dbs config remote NAME` names one");
    Ok(!takes)
}

/// Refuses to begin anything in a repository in which no server could work.
///
/// # Errors
/// When the remote does not fit; the text says the way out.
pub fn refuse_unfit(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<()> {
    settle(env, paths, false)?;
    GitCli::open(&paths.git_setup(env.environment.clone()))?.preflight()?;
    Ok(())
}

/// Returns true if the project has no remote of the usual name, and nothing is set about it.
fn is_open(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<bool> {
    let set = paths.read_config().explain("remote")?;
    Ok(set.origin == SettingOrigin::Default && !has_remote(&paths.git_setup(env.environment.clone()))?)
}
