//! Differences between two commits, computed in the control repository: no external diff, no textconv (LK-24).

use super::cli::GitCli;
use super::command::GitCommand;
use super::files::missing;
use super::worktree::name_of;
use crate::ports::git::{CommitFile, CommitId, DiffRange, GitError, LimitedText, Revision};

/// Ids of the two commits or trees that are compared.
type TreePair = (String, String);

impl GitCli {
    pub(super) fn text_between(&self, range: &DiffRange, limit: usize) -> Result<LimitedText, GitError> {
        let ends = self.ends(range)?;
        text(self.compare(&ends, &["--patch", "--find-renames"])?, limit)
    }

    pub(super) fn paths_between(&self, range: &DiffRange) -> Result<Vec<String>, GitError> {
        let ends = self.ends(range)?;
        let output = self
            .compare(&ends, &["--name-only", "--no-renames", "-z"])?
            .run_ok()?;
        let paths = output.text().into_owned();
        let paths = paths.split('\0').filter(|path| !path.is_empty());
        Ok(paths.map(str::to_owned).collect())
    }

    pub(super) fn read_file(
        &self,
        commit: &CommitId,
        path: &str,
        limit: usize,
    ) -> Result<CommitFile, GitError> {
        let call = self.in_control(format!("read {path} in {commit}"))?;
        let call = call
            .env("GIT_LITERAL_PATHSPECS", "1")
            .words("ls-tree -z --full-tree");
        let listed = call.args(["--end-of-options", commit.as_str(), path]).run_ok()?;
        let listed = listed.text().into_owned();
        // `MODE TYPE ID TAB PATH`
        let mut fields = listed.split(['\t', '\0']).next().unwrap_or_default().split(' ');
        let (mode, kind, id) = (fields.next(), fields.next(), fields.next());
        match (mode.unwrap_or_default(), kind, id) {
            (_, None, _) | (_, _, None) => Ok(CommitFile::Absent),
            (mode, Some("blob"), Some(id)) if mode.starts_with("100") => {
                let call = self.in_control(format!("read {path} in {commit}"))?;
                let call = call.words("cat-file blob --end-of-options").arg(id);
                text(call, limit).map(CommitFile::Text)
            }
            _ => Ok(CommitFile::NoFile),
        }
    }

    fn compare(&self, (from, to): &TreePair, shown: &[&str]) -> Result<GitCommand, GitError> {
        let call = self.in_control(format!("compare {from} with {to}"))?;
        let call = call.words("diff-tree -r --no-ext-diff --no-textconv --no-color --ignore-submodules=none");
        Ok(call.args(shown).args(["--end-of-options", from, to]))
    }

    fn ends(&self, range: &DiffRange) -> Result<TreePair, GitError> {
        let text = |commit: CommitId| commit.as_str().to_owned();
        match range {
            DiffRange::Between { from, to } => Ok((text(self.need(from)?), text(self.need(to)?))),
            DiffRange::SinceFork { base, head } => {
                let head = self.need(head)?;
                Ok((text(self.fork(base, &head)?), text(head)))
            }
            DiffRange::WorkInProgress { base, place } => {
                let now = self.state_of(place)?;
                let what = "a commit in the place to compare";
                let head = now
                    .head
                    .ok_or_else(|| missing(what, "nothing was ever committed there"))?;
                Ok((text(self.fork(base, &head)?), now.tree.as_str().to_owned()))
            }
            DiffRange::Commit { commit } => {
                let made = self.need(&Revision::Commit(commit.clone()))?;
                if let Some(base) = self.landed_on(&made)? {
                    return Ok((text(base), text(made)));
                }
                let call = self.in_control(format!("find what {made} was made from"))?;
                let call = call.words("rev-parse --verify --end-of-options");
                let parent = call.arg(format!("{made}^1")).run_line()?;
                Ok((text(CommitId::new(&parent)?), text(made)))
            }
        }
    }

    fn fork(&self, base: &Revision, head: &CommitId) -> Result<CommitId, GitError> {
        let base = self.need(base)?;
        let call = self.in_control(format!("find where {head} left {base}"))?;
        let call = call.args(["merge-base", base.as_str(), head.as_str()]);
        Ok(CommitId::new(&call.run_line()?)?)
    }

    fn need(&self, revision: &Revision) -> Result<CommitId, GitError> {
        let found = self.resolve_revision(revision)?;
        found.ok_or_else(|| {
            let what = format!("a commit to compare ({})", name_of(revision));
            let why = match revision {
                Revision::TaskBranch(_) => "nothing was committed for it, or it was deleted",
                _ => "it was deleted",
            };
            missing(what, why)
        })
    }
}

fn text(call: GitCommand, limit: usize) -> Result<LimitedText, GitError> {
    let output = call.limit(limit).run_ok()?;
    Ok(LimitedText {
        text: output.text().into_owned(),
        truncated: output.truncated,
    })
}
