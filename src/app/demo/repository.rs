//! The demo's throw-away project: a git repository with a bare `origin` beside it.
#![expect(
    clippy::disallowed_methods,
    reason = "makes a repository with git before any session exists"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::adapters::rehearsal::DemoPlan;

/// The base branch of the demo's batch; `main` is never touched by agents (K61).
pub(super) const BASE: &str = "feature/demo";

/// The demo's checkout and its bare remote.
#[derive(Debug, Clone)]
pub(super) struct DemoRepos {
    pub(super) project: PathBuf,
    pub(super) origin: PathBuf,
}

/// Makes both below `folder`, with the demo's files as the first commit.
///
/// # Errors
/// The error of git or of the disk; reads after "could not".
pub(super) fn make(folder: &Path, demo: &DemoPlan) -> Result<DemoRepos, String> {
    let made = DemoRepos {
        project: folder.join("project"),
        origin: folder.join("origin.git"),
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    git(
        folder,
        &[
            "init",
            "--quiet",
            "--bare",
            "--initial-branch=main",
            &text(&made.origin),
        ],
    )?;
    git(
        folder,
        &["init", "--quiet", "--initial-branch=main", &text(&made.project)],
    )?;
    for file in &demo.files {
        let path = made.project.join(&file.path);
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, &file.text));
        written.map_err(|error| format!("write {}: {error}", path.display()))?;
    }
    let steps: [&[&str]; 8] = [
        &["config", "user.name", "Rehearsal"],
        &["config", "user.email", "rehearsal@localhost"],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "Begin"],
        &["remote", "add", "origin", &text(&made.origin)],
        &["branch", BASE],
        &["push", "--quiet", "origin", "main", BASE],
        &["config", "gc.auto", "0"],
    ];
    steps
        .iter()
        .try_for_each(|step| git(&made.project, step).map(drop))?;
    Ok(made)
}

/// Path and content of every file of a branch.
///
/// # Errors
/// The error of git; reads after "could not".
pub(super) fn tree(repository: &Path, branch: &str) -> Result<BTreeMap<String, String>, String> {
    let names = git(repository, &["ls-tree", "-r", "-z", "--name-only", branch])?;
    let names = names.split('\0').filter(|name| !name.is_empty());
    names
        .map(|name| {
            Ok((
                name.to_owned(),
                git(repository, &["show", &format!("{branch}:{name}")])?,
            ))
        })
        .collect()
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", NOTHING)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("run git: {error}; install git 2.38 or newer"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "run git {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// A configuration file without anything in it.
pub(super) const NOTHING: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };
