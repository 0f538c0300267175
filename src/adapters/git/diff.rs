//! Differences between two commits, computed in the control repository: no external diff, no textconv (LK-24).

use super::call::Call;
use super::cli::GitCli;
use super::parse;
use crate::ports::git::{ChangedFile, CommitId, GitError, Range, Revision, Text};

/// Most bytes of a summary.
const STAT_LIMIT: usize = 256 * 1024;

impl GitCli {
    pub(super) fn files_between(&self, range: &Range) -> Result<Vec<ChangedFile>, GitError> {
        let ends = self.ends(range)?;
        let call = self.compare(&["--raw", "-z", "--no-renames", "--no-abbrev"], &ends)?;
        Ok(parse::raw_changes(&call.ok()?.stdout))
    }

    pub(super) fn stat_between(&self, range: &Range) -> Result<Text, GitError> {
        let ends = self.ends(range)?;
        text(self.compare(&["--stat=100", "--summary"], &ends)?, STAT_LIMIT)
    }

    pub(super) fn text_between(&self, range: &Range, limit: usize) -> Result<Text, GitError> {
        let ends = self.ends(range)?;
        text(self.compare(&["--patch", "--find-renames"], &ends)?, limit)
    }

    fn compare(&self, form: &[&str], (from, to): &(CommitId, CommitId)) -> Result<Call<'_>, GitError> {
        let call = self.in_control(format!("compare {from} with {to}"))?;
        let call = call.args([
            "diff-tree",
            "-r",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=none",
        ]);
        Ok(call
            .args(form)
            .args(["--end-of-options", from.as_str(), to.as_str()]))
    }

    fn ends(&self, range: &Range) -> Result<(CommitId, CommitId), GitError> {
        match range {
            Range::Between { from, to } => Ok((self.need(from)?, self.need(to)?)),
            Range::SinceFork { base, head } => {
                let (base, head) = (self.need(base)?, self.need(head)?);
                let call = self.in_control(format!("find where {head} left {base}"))?;
                let fork = call.args(["merge-base", base.as_str(), head.as_str()]).line()?;
                Ok((CommitId::new(&fork)?, head))
            }
        }
    }

    fn need(&self, revision: &Revision) -> Result<CommitId, GitError> {
        self.find(revision)?.ok_or_else(|| GitError::Missing {
            what: format!("a commit to compare ({revision:?})"),
            hint: "it was deleted".to_owned(),
        })
    }
}

fn text(call: Call<'_>, limit: usize) -> Result<Text, GitError> {
    let output = call.limit(limit).ok()?;
    Ok(Text {
        text: String::from_utf8_lossy(&output.stdout).into_owned(),
        truncated: output.truncated,
    })
}
