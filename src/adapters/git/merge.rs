//! Merging without a working tree: `merge-tree` and `commit-tree` in the control repository (ADR 0007). The same
//! request on the same base gives the same commit, so a crash between any two steps is repaired by repeating.

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::commit_message::{CommitMessage, Trailers};
use super::error_text;
use super::parse;
use super::process::ProcessOutput;
use super::refs::PinKind;
use crate::domain::MergeStyle;
use crate::domain::cut::cut_chars;
use crate::ports::git::{CommitId, ConflictFile, GitError, MergeOutcome, MergeRequest, TreeId};

/// Maximum number of bytes of one file in conflict, and of git's report.
const TEXT_LIMIT: usize = 16 * 1024;
/// Maximum number of files in conflict whose text is kept.
const N_TEXTS: usize = 20;

/// Work that a commit on a base brings.
#[derive(Clone, Copy)]
enum MergedWork<'a> {
    /// All that the head of the request has and this side lacks.
    Onto(&'a CommitId),
    Nothing,
}

impl GitCli {
    pub(super) fn create_merge(&self, request: &MergeRequest) -> Result<MergeOutcome, GitError> {
        self.read_person(&request.base)?;
        let Some(base) = self.import_remote(&request.base)? else {
            return Ok(MergeOutcome::Impossible(self.no_branch(&request.base)));
        };
        if !self.import_commit(&request.head)? {
            let why = format!("commit {} exists nowhere", request.head);
            return Ok(MergeOutcome::Impossible(why));
        }
        if request.edits.as_ref().is_some_and(|edits| edits.base != base) {
            return Ok(MergeOutcome::BaseMoved);
        }
        let landing = self.landing_in(&request.head, &base, Some(request.attempt.as_str()))?;
        if landing.is_some() || self.is_ancestor(&request.head, &base)? {
            let has_edits = landing.as_ref().is_some_and(|(_, is_own)| *is_own);
            if request.edits.is_some() && !has_edits {
                let tree = self.tree_of(&base)?;
                // Work that the base holds already does not become a second parent: nothing is merged, files are written only.
                return self.commit_merge(request, &tree, base, MergedWork::Nothing);
            }
            let commit = landing.map(|(commit, _)| commit);
            return Ok(MergeOutcome::AlreadyMerged { commit, base });
        }
        let side = self.base_side(request, &base)?;
        let call = self.in_control(format!("merge {} into {}", request.head, request.base))?;
        let call = call.words("merge-tree --write-tree --messages --name-only -z");
        let output = call.arg(side.as_str()).arg(request.head.as_str()).run()?;
        match (output.code, parse::merge_tree(&output.stdout)) {
            (Some(0), Some(merged)) => self.merged_cleanly(request, &merged.tree, base, &side),
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
        tree: &TreeId,
        base: CommitId,
        side: &CommitId,
    ) -> Result<MergeOutcome, GitError> {
        if let Some(found) = self.unreviewed_integration(request, &base, tree)? {
            return Ok(MergeOutcome::Unreviewed(Box::new(found)));
        }
        if request.edits.is_none() && *tree == self.tree_of(&base)? {
            return Ok(MergeOutcome::AlreadyMerged { commit: None, base });
        }
        match self.unusable(&base, tree)? {
            Some(why) => Ok(MergeOutcome::Impossible(why)),
            None => self.commit_merge(request, tree, base, MergedWork::Onto(side)),
        }
    }

    /// Returns the reason why it is impossible to work with a merged tree, if there is one.
    pub(super) fn unusable(&self, base: &CommitId, tree: &TreeId) -> Result<Option<String>, GitError> {
        match self.broken_link(base, tree)? {
            None => self.colliding_names(base, tree),
            found => Ok(found),
        }
    }

    /// Commits a merged tree on the base, in the form that is asked for, and notes the commit.
    fn commit_merge(
        &self,
        request: &MergeRequest,
        tree: &TreeId,
        base: CommitId,
        work: MergedWork<'_>,
    ) -> Result<MergeOutcome, GitError> {
        let files = request.edits.as_ref().map_or(&[][..], |edits| &edits.files);
        let whole = self.with_edits(tree.clone(), files)?;
        let signing = self.signing()?;
        let replayed = match work {
            MergedWork::Onto(side) if request.style == MergeStyle::Rebase => {
                self.replayed(request, &base, side, tree, signing.as_ref())?
            }
            MergedWork::Onto(_) | MergedWork::Nothing => None,
        };
        let commit = match replayed {
            Some(last) if whole == *tree => last,
            replayed => {
                let joins = matches!(work, MergedWork::Onto(_)) && request.style == MergeStyle::Merge;
                let first = replayed.as_ref().unwrap_or(&base);
                let parents: Vec<CommitId> = [Some(first), joins.then_some(&request.head)]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect();
                let draft = CommitDraft {
                    tree: &whole,
                    parents: &parents,
                    message: self.message(request, &base)?,
                    signature: &request.signature,
                    author: None,
                };
                self.commit_for_base(&draft, signing.as_ref())?
            }
        };
        self.remember_ancestor(&base, &commit);
        if matches!(work, MergedWork::Onto(_)) && request.style == MergeStyle::Merge {
            self.remember_ancestor(&request.head, &commit);
        }
        self.pin(PinKind::Pin, &commit)?;
        self.note_landing(request, &base, &commit)?;
        Ok(MergeOutcome::Merged {
            commit,
            tree: whole,
            base,
        })
    }

    /// Returns the message of a merge. One commit of all the work lists the first lines of the commits it takes the place of.
    fn message(&self, request: &MergeRequest, base: &CommitId) -> Result<String, GitError> {
        let trailers = Trailers {
            task: request.task.as_str(),
            attempt: request.attempt.as_str(),
            agent: None,
        };
        if let Some(text) = &request.message {
            return Ok(trailers.below(text));
        }
        let mut text = String::new();
        if request.style != MergeStyle::Merge {
            let call = self.in_control(format!("list the commits of {}", request.head))?;
            let call = call
                .words("log --reverse --no-merges --encoding=UTF-8 --max-count=50")
                .arg("--format=- %s");
            text = call
                .args([request.head.as_str(), "--not", base.as_str(), "--"])
                .run_line()?;
        }
        let words = CommitMessage {
            start: request.start.clone(),
            title: &request.title,
            text: if text.lines().count() > 1 { &text } else { "" },
            trailers,
        };
        Ok(words.message())
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
}

/// Returns true if git refused to merge because the two have nothing in common.
pub(super) fn is_unrelated(output: &ProcessOutput) -> bool {
    error_text::reason(output).contains("unrelated histories")
}
