//! The demo's throw-away project: a git repository with a bare `origin` beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::demo::{DemoPlan, DemoRecord, DemoScript};
use super::demo_board::BASE;
use super::error::RehearsalError;

/// The demo's checkout and its bare remote.
#[derive(Debug, Clone)]
pub struct DemoRepos {
    /// The checkout.
    pub project: PathBuf,
    /// The bare remote.
    pub origin: PathBuf,
}

impl DemoRepos {
    /// Makes both below `folder`, with the demo's files as the first commit.
    ///
    /// # Errors
    /// The error of git or of the disk; reads after "could not".
    pub fn make(folder: &Path, demo: &DemoPlan) -> Result<DemoRepos, RehearsalError> {
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
            written.map_err(RehearsalError::file("write", path))?;
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

    /// Path and content of every file that the base branch of the demo has at the remote.
    ///
    /// # Errors
    /// The error of git; reads after "could not".
    pub fn base_tree(&self) -> Result<BTreeMap<String, String>, RehearsalError> {
        let repository = &self.origin;
        let names = git(repository, &["ls-tree", "-r", "-z", "--name-only", BASE])?;
        let names = names.split('\0').filter(|name| !name.is_empty());
        names
            .map(|name| {
                let text = git(repository, &["show", &format!("{BASE}:{name}")])?;
                Ok((name.to_owned(), text))
            })
            .collect()
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, RehearsalError> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", NO_GIT_CONFIGURATION)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| RehearsalError::System {
            act: "run git",
            why: format!("{error}; install git 2.38 or newer"),
        })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(RehearsalError::Git {
        arguments: arguments.join(" "),
        why: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// A configuration file without anything in it.
pub const NO_GIT_CONFIGURATION: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Lists what is missing, superfluous or different in the tree of a played script; empty when it is exactly as it should be.
///
/// # Errors
/// When the embedded texts of the script do not fit together.
pub fn demo_differences(
    script: DemoScript,
    mut found: BTreeMap<String, String>,
) -> Result<Vec<String>, RehearsalError> {
    let expected = script.expected_tree()?;
    let mut all = lacking(&script.sheet()?.records, &mut found);
    all.extend(differences(&expected, &found));
    Ok(all)
}

/// Lists what the records lack, and takes the records out of the tree.
fn lacking(records: &[DemoRecord], found: &mut BTreeMap<String, String>) -> Vec<String> {
    let lacks = records.iter().filter_map(|record| {
        let path = &record.path;
        match found.remove(path) {
            None => Some(format!("{path} is missing")),
            Some(text) => record
                .missing(&text)
                .map(|line| format!("{path} lacks the line {line}")),
        }
    });
    lacks.collect()
}

fn differences(expected: &BTreeMap<String, String>, found: &BTreeMap<String, String>) -> Vec<String> {
    let missing = expected
        .keys()
        .filter(|path| !found.contains_key(*path))
        .map(|path| format!("{path} is missing"));
    let extra = found
        .keys()
        .filter(|path| !expected.contains_key(*path))
        .map(|path| format!("{path} is too much"));
    let other = expected
        .iter()
        .filter(|(path, text)| found.get(*path).is_some_and(|there| there != *text))
        .map(|(path, _)| format!("{path} has other content"));
    missing.chain(extra).chain(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pair = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        files.iter().map(pair).collect()
    }

    #[test]
    fn every_file_that_is_missing_too_much_or_other_is_named() {
        let expected = tree(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(differences(&expected, &expected), Vec::<String>::new());
        let found = tree(&[("a", "1"), ("b", "other"), ("d", "4")]);
        assert_eq!(
            differences(&expected, &found),
            ["c is missing", "d is too much", "b has other content"]
        );
    }
}
