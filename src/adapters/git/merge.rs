//! Merging without a working tree: `merge-tree` and `commit-tree` in the control repository (ADR 0007). The same
//! request on the same base gives the same commit, so a crash between any two steps is repaired by repeating.

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::commit_message::CommitMessage;
use super::error_text;
use super::parse;
use super::process::ProcessOutput;
use super::refs::PinKind;
use crate::domain::cut::cut_chars;
use crate::ports::git::{CommitId, ConflictFile, GitError, MergeOutcome, MergeRequest, TreeId};

/// Maximum number of bytes of one file in conflict, and of git's report.
const TEXT_LIMIT: usize = 16 * 1024;
/// Maximum number of files in conflict whose text is kept.
const N_TEXTS: usize = 20;
/// Maximum number of merge commits looked through for one of ours.
const N_LOOKED_THROUGH: &str = "--max-count=1000";

impl GitCli {
    pub(super) fn create_merge(&self, request: &MergeRequest) -> Result<MergeOutcome, GitError> {
        self.read_person(&request.base)?;
        let Some(base) = self.import_remote(&request.base)? else {
            return Ok(MergeOutcome::Impossible(self.no_branch(&request.base)));
        };
        if !self.import_commit(&request.head)? {
            let why = format!("nobody has commit {}", request.head);
            return Ok(MergeOutcome::Impossible(why));
        }
        if request.edits.as_ref().is_some_and(|edits| edits.base != base) {
            return Ok(MergeOutcome::BaseMoved);
        }
        if self.is_ancestor(&request.head, &base)? {
            return match self.earlier_merge(request, &base)? {
                None if request.edits.is_some() => {
                    let tree = self.tree_of(&base)?;
                    // Work that the base holds already does not become a second parent: nothing is merged, files are written only.
                    self.commit_merge(request, tree, base, None)
                }
                commit => Ok(MergeOutcome::AlreadyMerged { commit, base }),
            };
        }
        let call = self.in_control(format!("merge {} into {}", request.head, request.base))?;
        let call = call.words("merge-tree --write-tree --messages --name-only -z");
        let output = call.arg(base.as_str()).arg(request.head.as_str()).run()?;
        match (output.code, parse::merge_tree(&output.stdout)) {
            (Some(0), Some(merged)) => self.merged_cleanly(request, merged.tree, base),
            (Some(1), Some(merged)) => self.describe(&merged, base),
            _ if is_unrelated(&output) => {
                let why = format!("{} and {} share no history", request.head, request.base);
                Ok(MergeOutcome::Impossible(why))
            }
            _ => Err(output.failure()),
        }
    }

    /// Continues a merge that git could make. The changes of an integrator are looked at first: where the base seems to have all of the
    /// work, they may have dropped it.
    fn merged_cleanly(
        &self,
        request: &MergeRequest,
        tree: TreeId,
        base: CommitId,
    ) -> Result<MergeOutcome, GitError> {
        if let Some(found) = self.unreviewed_integration(request, &base, &tree)? {
            return Ok(MergeOutcome::Unreviewed(Box::new(found)));
        }
        if request.edits.is_none() && tree == self.tree_of(&base)? {
            return Ok(MergeOutcome::AlreadyMerged { commit: None, base });
        }
        match self.unusable(&base, &tree)? {
            Some(why) => Ok(MergeOutcome::Impossible(why)),
            None => self.commit_merge(request, tree, base, Some(&request.head)),
        }
    }

    /// Returns the reason why it is impossible to work with a merged tree, if there is one.
    pub(super) fn unusable(&self, base: &CommitId, tree: &TreeId) -> Result<Option<String>, GitError> {
        match self.broken_link(base, tree)? {
            None => self.colliding_names(base, tree),
            found => Ok(found),
        }
    }

    /// Commits a merged tree on the base and the merged head.
    fn commit_merge(
        &self,
        request: &MergeRequest,
        tree: TreeId,
        base: CommitId,
        merged: Option<&CommitId>,
    ) -> Result<MergeOutcome, GitError> {
        let files = request.edits.as_ref().map_or(&[][..], |edits| &edits.files);
        let tree = self.with_edits(tree, files)?;
        let parents: Vec<CommitId> = [Some(&base), merged].into_iter().flatten().cloned().collect();
        let draft = CommitDraft {
            tree: &tree,
            parents: &parents,
            message: message(request),
            signature: &request.signature,
        };
        let commit = self.commit(&draft)?;
        for parent in &parents {
            self.remember_ancestor(parent, &commit);
        }
        self.pin(PinKind::Pin, &commit)?;
        Ok(MergeOutcome::Merged { commit, tree, base })
    }

    fn describe(&self, merged: &parse::MergeTreeOutput, base: CommitId) -> Result<MergeOutcome, GitError> {
        let mut files = Vec::new();
        for (count, path) in merged.files.iter().enumerate() {
            let text = (count < N_TEXTS).then(|| self.conflict_text(&merged.tree, path));
            files.push(ConflictFile {
                path: path.clone(),
                text: text.transpose()?.flatten(),
            });
        }
        let report = cut_chars(&merged.report, TEXT_LIMIT).to_owned();
        Ok(MergeOutcome::Conflict { files, report, base })
    }

    fn conflict_text(&self, tree: &TreeId, path: &str) -> Result<Option<String>, GitError> {
        let call = self.in_control("read a file in conflict")?.limit(TEXT_LIMIT);
        let call = call.words("cat-file blob --end-of-options");
        let output = call.arg(format!("{tree}:{path}")).run()?;
        let is_text = !output.stdout.contains(&0) && (output.code == Some(0) || output.truncated);
        Ok(is_text.then(|| output.text().into_owned()))
    }

    /// The merge commit of this very request below the base, found by its trailers and its second parent.
    fn earlier_merge(&self, request: &MergeRequest, base: &CommitId) -> Result<Option<CommitId>, GitError> {
        let call = self.in_control("look for an earlier merge")?;
        let form = "--format=%H%x00%P%x00%(trailers:key=Dbs-Task,valueonly,separator=%x2C)%x00\
                    %(trailers:key=Dbs-Attempt,valueonly,separator=%x2C)";
        let call = call.args(["log", "--merges", N_LOOKED_THROUGH, form, base.as_str()]);
        let log = call.args(["--not", request.head.as_str(), "--"]).run_line()?;
        let ours = |line: &str| {
            let mut fields = line.split('\0');
            let (id, parents) = (fields.next()?, fields.next()?);
            let is_ours =
                fields.next()? == request.task.as_str() && fields.next()? == request.attempt.as_str();
            let joins = parents.split(' ').any(|parent| parent == request.head.as_str());
            CommitId::new(id).ok().filter(|_| is_ours && joins)
        };
        Ok(log.lines().find_map(ours))
    }
}

/// Returns true if git refused to merge because the two have nothing in common.
pub(super) fn is_unrelated(output: &ProcessOutput) -> bool {
    error_text::reason(output).contains("unrelated histories")
}

fn message(request: &MergeRequest) -> String {
    let words = CommitMessage {
        agent: None,
        start: request.start.clone(),
        title: &request.title,
        text: "",
        task: request.task.as_str(),
        attempt: request.attempt.as_str(),
    };
    words.message()
}
