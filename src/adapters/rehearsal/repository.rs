//! Git as a rehearsal uses it: the real program, with arguments and never through a shell, in the attempt's worktree.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use memchr::memmem;

use super::error::RehearsalError;
use super::files;
use crate::adapters::deadline::Deadline;
use crate::formats::scenario::{CommitAuthor, Resolution};

/// Time for which a worktree that another git makes may stay half-made.
const LONGEST_RACE: Duration = Duration::from_secs(5);

/// The attempt's git worktree and the author of its commits.
pub(super) struct AttemptRepo<'a> {
    pub(super) worktree: &'a Path,
    pub(super) author: &'a CommitAuthor,
}

impl AttemptRepo<'_> {
    /// Commits everything that changed. Returns the short id, or `None` when nothing had changed.
    pub(super) fn commit(&self, text: &str) -> Result<Option<String>, RehearsalError> {
        self.git(&["add", "--all"])?;
        if self.run(&["diff", "--cached", "--quiet"])?.status.success() {
            return Ok(None);
        }
        self.git(&["commit", "--quiet", &format!("--message={text}")])?;
        Ok(Some(self.git(&["rev-parse", "--short", "HEAD"])?))
    }

    /// Pushes the worktree's commit to a branch of a remote.
    pub(super) fn push(&self, remote: &str, branch: &str, force: bool) -> Result<(), RehearsalError> {
        let target = format!("HEAD:refs/heads/{branch}");
        let lease: &[&str] = if force { &["--force-with-lease"] } else { &[] };
        self.git(&[&["push", "--quiet"], lease, &["--", remote, &target]].concat())
            .map(drop)
    }

    /// Merges a reference into the worktree's branch. Files in conflict get the content `resolve` gives them; without
    /// one the merge is taken back and the file is named. Returns the files that were in conflict.
    pub(super) fn merge(
        &self,
        reference: &str,
        fetch: Option<&str>,
        text: &str,
        resolve: &[Resolution],
    ) -> Result<Vec<String>, RehearsalError> {
        if let Some(remote) = fetch {
            self.git(&["fetch", "--quiet", "--", remote])?;
        }
        let commit = self.commit_of(reference)?;
        let message = format!("--message={text}");
        let arguments = ["merge", "--quiet", "--no-ff", message.as_str(), commit.as_str()];
        let output = self.run(&arguments)?;
        if output.status.success() {
            return Ok(Vec::new());
        }
        let files = self.git(&["diff", "--name-only", "--diff-filter=U", "-z"])?;
        let files = files.split('\0').filter(|file| !file.is_empty());
        let files: Vec<String> = files.map(Into::into).collect();
        if files.is_empty() {
            return Err(refused(&arguments, &output));
        }
        self.settle(&files, resolve)?;
        Ok(files)
    }

    /// The difference between the base's last common commit and the worktree's commit.
    pub(super) fn changes(&self, base: &str) -> Result<String, RehearsalError> {
        let base = self.commit_of(base)?;
        self.git(&["diff", "--no-color", "--no-ext-diff", &format!("{base}...HEAD")])
    }

    fn settle(&self, files: &[String], resolve: &[Resolution]) -> Result<(), RehearsalError> {
        for file in files {
            let Some(answer) = resolve.iter().find(|answer| answer.path == *file) else {
                self.git(&["merge", "--abort"])?;
                return Err(RehearsalError::Conflict { path: file.clone() });
            };
            files::write(self.worktree, file, &answer.text, false)?;
            self.git(&["add", "--", file])?;
        }
        self.git(&["commit", "--quiet", "--no-edit"]).map(drop)
    }

    /// Returns the commit of a reference. `origin/main` falls back to `main` if there is no such remote branch.
    fn commit_of(&self, reference: &str) -> Result<String, RehearsalError> {
        let ask = |name: &str| {
            let commit = format!("{name}^{{commit}}");
            self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
        };
        let found = ask(reference).or_else(|error| match reference.split_once('/') {
            Some(("origin", local)) => ask(local),
            _ => Err(error),
        });
        found.map_err(|_quiet| git_error(&["rev-parse", reference], "there is no such commit".into()))
    }

    fn git(&self, arguments: &[&str]) -> Result<String, RehearsalError> {
        let deadline = Deadline::after(LONGEST_RACE);
        let mut output = self.run(arguments)?;
        while meets_half_made_worktree(&output) && !deadline.is_over() {
            deadline.sleep();
            output = self.run(arguments)?;
        }
        if !output.status.success() {
            return Err(refused(arguments, &output));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        Ok(printed.trim_end_matches(['\n', '\r']).to_owned())
    }

    fn run(&self, arguments: &[&str]) -> Result<Output, RehearsalError> {
        let CommitAuthor { name, email } = self.author;
        let mut command = Command::new("git");
        command.current_dir(self.worktree).stdin(Stdio::null());
        for setting in [
            "core.autocrlf=false",
            "commit.gpgSign=false",
            "core.quotePath=false",
        ] {
            command.args(["-c", setting]);
        }
        command.args(arguments);
        command.envs([
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_EDITOR", "true"),
            ("LC_ALL", "C"),
        ]);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), name);
            command.env(format!("GIT_{role}_EMAIL"), email);
        }
        let failed = |error: std::io::Error| git_error(arguments, error.to_string());
        command.output().map_err(failed)
    }
}

/// Returns true if git failed because another git was just making a worktree of the project: it creates the file `commondir` first and
/// fills it then, and every git that looks at all worktrees in between ends with an error.
fn meets_half_made_worktree(output: &Output) -> bool {
    !output.status.success() && memmem::find(&output.stderr, b"/commondir: ").is_some()
}

fn refused(arguments: &[&str], output: &Output) -> RehearsalError {
    let printed = [output.stderr.as_slice(), output.stdout.as_slice()].concat();
    let printed = String::from_utf8_lossy(&printed);
    let lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.take(3).collect();
    let why = if lines.is_empty() {
        output.status.to_string()
    } else {
        lines.join(" / ")
    };
    git_error(arguments, why)
}

fn git_error(arguments: &[&str], why: String) -> RehearsalError {
    RehearsalError::Git {
        arguments: arguments.join(" "),
        why,
    }
}
