//! Branch that tasks most likely start from. Reads only data that was fetched before; nothing goes over the network.

use super::command::{ConfigScope, GitProgram};
use super::options::{GitSetup, RemoteChoice};
use crate::ports::git::GitError;

/// Names that are taken if nothing else decides.
const USUAL: [&str; 2] = ["main", "master"];

/// A branch that tasks may start from, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikelyBase {
    pub name: String,
    /// Reason for this choice, such as `origin's HEAD`.
    pub found_by: String,
}

/// Returns true if the project has the remote of the settings, or needs none.
///
/// # Errors
/// When git cannot be asked.
pub fn has_remote(setup: &GitSetup) -> Result<bool, GitError> {
    let RemoteChoice::Named(name) = &setup.remote else {
        return Ok(true);
    };
    let program = GitProgram::new(setup);
    let call = program.command(ConfigScope::Preflight, &setup.project, "look for the remote");
    let call = call.words("config --get-all").arg(format!("remote.{name}.url"));
    // Any other code than that of a missing setting is reported by what needs git next.
    Ok(call.run()?.code != Some(1))
}

/// Names of the branches of the project, and of those that were fetched from the remote.
///
/// # Errors
/// When git cannot be asked.
pub fn known_branches(setup: &GitSetup) -> Result<Vec<String>, GitError> {
    let program = GitProgram::new(setup);
    let call = program.command(ConfigScope::Preflight, &setup.project, "list the branches");
    let remote = format!("refs/remotes/{}/", setup.remote.name());
    let call = call
        .words("for-each-ref --format=%(refname) refs/heads")
        .arg(&remote);
    let output = call.run()?.ok()?;
    let name = |line: &str| {
        let name = line.strip_prefix("refs/heads/");
        name.or_else(|| line.strip_prefix(&remote)).map(str::to_owned)
    };
    Ok(output.text().lines().filter_map(name).collect())
}

/// The branch that the remote's HEAD names; else the one that is checked out, if the remote has it; else one with a usual name. Without a
/// remote the project's own branches count.
///
/// # Errors
/// When git cannot be asked.
pub fn likely_base(setup: &GitSetup) -> Result<Option<LikelyBase>, GitError> {
    let program = GitProgram::new(setup);
    let ask = |words: &str| {
        let call = program.command(ConfigScope::Preflight, &setup.project, "look for the base branch");
        // A name that is not there ends it with another code and prints nothing.
        call.words(words).run().map(|output| output.text().into_owned())
    };
    let remote = match &setup.remote {
        RemoteChoice::Named(name) => format!("refs/remotes/{name}/"),
        RemoteChoice::Control => "refs/heads/".to_owned(),
    };
    let branches = ask(&format!("for-each-ref --format=%(refname) {remote}"))?;
    let branches: Vec<&str> = branches
        .lines()
        .filter_map(|name| name.strip_prefix(&remote))
        .collect();
    let has = |name: &str| branches.contains(&name);
    let head = ask(&format!("symbolic-ref --quiet {remote}HEAD"))?;
    let head = head.trim().strip_prefix(&remote).filter(|name| has(name));
    let current = ask("symbolic-ref --quiet --short HEAD")?;
    let current = Some(current.trim()).filter(|name| has(name));
    let usual = || USUAL.into_iter().find(|name| has(name));
    let found = head
        .map(|name| (name, format!("{}'s HEAD", setup.remote.name())))
        .or_else(|| current.map(|name| (name, "checked out here".to_owned())))
        .or_else(|| usual().map(|name| (name, "its name".to_owned())));
    Ok(found.map(|(name, found_by)| LikelyBase {
        name: name.to_owned(),
        found_by,
    }))
}
