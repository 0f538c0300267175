//! Branch of the remote `origin` that tasks most likely start from. Reads only data that was fetched before; nothing goes over the network.

use super::command::{ConfigScope, GitProgram};
use super::options::GitSetup;
use crate::ports::git::GitError;

/// Names that are taken where nothing else decides.
const USUAL: [&str; 2] = ["main", "master"];

/// A branch of the remote `origin` that tasks may start from, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikelyBase {
    pub name: String,
    /// Reason for this choice, such as `origin's HEAD`.
    pub found_by: &'static str,
}

/// Names of the branches of the project, and of those that were fetched from the remote.
///
/// # Errors
/// When git cannot be asked.
pub fn known_branches(setup: &GitSetup) -> Result<Vec<String>, GitError> {
    let program = GitProgram::new(setup);
    let call = program.command(ConfigScope::Preflight, &setup.project, "list the branches");
    let call = call.words("for-each-ref --format=%(refname) refs/heads refs/remotes/origin");
    let output = call.run()?.ok()?;
    let name = |line: &str| {
        let name = line.strip_prefix("refs/heads/");
        name.or_else(|| line.strip_prefix("refs/remotes/origin/"))
            .map(str::to_owned)
    };
    Ok(output.text().lines().filter_map(name).collect())
}

/// The branch that the remote's HEAD names; else the one that is checked out, if the remote has it; else one with a usual name.
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
    let branches = ask("for-each-ref --format=%(refname:lstrip=3) refs/remotes/origin")?;
    let has = |name: &str| branches.lines().any(|branch| branch == name);
    let head = ask("symbolic-ref --quiet refs/remotes/origin/HEAD")?;
    let head = head
        .trim()
        .strip_prefix("refs/remotes/origin/")
        .filter(|name| has(name));
    let current = ask("symbolic-ref --quiet --short HEAD")?;
    let current = Some(current.trim()).filter(|name| has(name));
    let usual = || USUAL.into_iter().find(|name| has(name));
    let found = head
        .map(|name| (name, "origin's HEAD"))
        .or_else(|| current.map(|name| (name, "checked out here")))
        .or_else(|| usual().map(|name| (name, "its name")));
    Ok(found.map(|(name, found_by)| LikelyBase {
        name: name.to_owned(),
        found_by,
    }))
}
