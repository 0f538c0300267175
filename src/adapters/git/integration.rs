//! Comparison of an integrator's work with the engine's own merge of the head that was there before. Paths outside of the conflicts must be
//! as that merge has them; within a file in conflict, so must the lines around the conflicts.

use std::collections::BTreeMap;

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::conflict_text::{ConflictResolution, Sides, resolution};
use super::files::missing;
use super::parse;
use super::refs::PinKind;
use crate::domain::Integration;
use crate::ports::git::{CommitId, GitError, MergeRequest, TreeId};

/// Maximum length of a file in conflict that is compared; one that is longer counts as changed.
const FILE_LIMIT: usize = 8 * 1024 * 1024;
/// Maximum number of files of each kind that are reported.
const MOST_FILES: usize = 100;

/// Merge of two commits before its conflicts are resolved.
struct OwnMerge {
    tree: TreeId,
    /// Files in conflict, with the entry of each side and of the state before them.
    conflicts: BTreeMap<String, Vec<parse::Staged>>,
    base: CommitId,
    head: CommitId,
}

/// Files in which an integrator's merge differs from the engine's own.
#[derive(Default, PartialEq, Eq)]
struct Differences {
    outside: Vec<String>,
    written: Vec<String>,
}

impl GitCli {
    /// Finds the changes that an integrator made beyond a conflict, as far as they are to be reviewed. `tree` is the merge of its work.
    pub(super) fn unreviewed_integration(
        &self,
        request: &MergeRequest,
        base: &CommitId,
        tree: &TreeId,
    ) -> Result<Option<Integration>, GitError> {
        let Some(before) = request
            .reviewed
            .as_ref()
            .filter(|before| before.commit != request.head)
        else {
            return Ok(None);
        };
        if !self.import_commit(&before.commit)? {
            let what = format!("commit {}, which was to be merged before", before.commit);
            return Err(missing(what, "fetch it into the repository, then retry the task"));
        }
        let side = self.base_side(request, base)?;
        let own = self.own_merge(&side, &before.commit)?;
        let Some(found) = self.differences(&own, tree, before.judges_lines)? else {
            return Ok(None);
        };
        let from = self.commit_tree(request, &own.tree, [base, &before.commit])?;
        let to = self.commit_tree(request, tree, [base, &request.head])?;
        self.found_between(found, &from, &to, &request.head).map(Some)
    }

    /// Compares the base after an agent's merge with the engine's own merge of the same.
    pub(super) fn compare_agents_merge(
        &self,
        request: &MergeRequest,
        start: &CommitId,
        now: &CommitId,
    ) -> Result<Option<Integration>, GitError> {
        for commit in [&request.head, start, now] {
            if !self.import_commit(commit)? {
                return Err(missing(format!("commit {commit}"), "it was deleted"));
            }
        }
        let own = self.own_merge(start, &request.head)?;
        let judges_lines = request.reviewed.as_ref().is_some_and(|head| head.judges_lines);
        let Some(found) = self.differences(&own, &self.tree_of(now)?, judges_lines)? else {
            return Ok(None);
        };
        let from = self.commit_tree(request, &own.tree, [start, &request.head])?;
        self.pin(PinKind::Pin, now)?;
        self.found_between(found, &from, now, now).map(Some)
    }

    /// Lists the files that differ from the engine's own merge; `None` if none is to be reviewed.
    fn differences(
        &self,
        own: &OwnMerge,
        tree: &TreeId,
        judges_lines: bool,
    ) -> Result<Option<Differences>, GitError> {
        let mut found = Differences::default();
        for change in self.tree_changes(&own.tree, tree)? {
            match self.judge(own, &change)? {
                ConflictResolution::Written if judges_lines => found.written.push(change.path),
                ConflictResolution::OfTheSides | ConflictResolution::Written => {}
                ConflictResolution::Changed => found.outside.push(change.path),
            }
        }
        found.outside.truncate(MOST_FILES);
        found.written.truncate(MOST_FILES);
        Ok((found != Differences::default()).then_some(found))
    }

    /// Puts two commits where a reviewer can compare them: beside the project's own.
    fn found_between(
        &self,
        found: Differences,
        from: &CommitId,
        to: &CommitId,
        head: &CommitId,
    ) -> Result<Integration, GitError> {
        let [from_pin, to_pin] = [from, to].map(|commit| PinKind::Pin.ref_name(commit));
        self.export_to_project(&[&from_pin, &to_pin])?;
        Ok(Integration {
            from: from.as_str().to_owned(),
            to: to.as_str().to_owned(),
            head: head.as_str().to_owned(),
            outside: found.outside,
            written: found.written,
        })
    }

    fn own_merge(&self, base: &CommitId, head: &CommitId) -> Result<OwnMerge, GitError> {
        let call = self.in_control(format!("merge {head} into {base}"))?;
        let call = call.config("merge.conflictStyle=merge");
        let call = call.words("merge-tree --write-tree --no-messages -z");
        let output = call.arg(base.as_str()).arg(head.as_str()).run()?;
        let parsed = parse::conflicts(&output.stdout).filter(|_| matches!(output.code, Some(0 | 1)));
        let (tree, conflicts) = parsed.ok_or_else(|| output.failure())?;
        Ok(OwnMerge {
            tree,
            conflicts,
            base: base.clone(),
            head: head.clone(),
        })
    }

    fn tree_changes(&self, from: &TreeId, to: &TreeId) -> Result<Vec<parse::TreeChange>, GitError> {
        let call = self.in_control(format!("compare {from} with {to}"))?;
        let call = call.words("diff-tree -r --raw --no-abbrev --no-renames --ignore-submodules=none -z");
        let output = call
            .args(["--end-of-options", from.as_str(), to.as_str()])
            .run_ok()?;
        Ok(parse::tree_changes(&output.stdout))
    }

    fn judge(&self, own: &OwnMerge, change: &parse::TreeChange) -> Result<ConflictResolution, GitError> {
        let Some(conflict) = own.conflicts.get(&change.path) else {
            return Ok(ConflictResolution::Changed);
        };
        let sides: Vec<&parse::FileEntry> = conflict.iter().filter_map(parse::Staged::side).collect();
        let Some(now) = &change.to else {
            // Where one side has deleted the file, the conflict is about that.
            let is_in_both = sides.len() > 1;
            return Ok(if is_in_both {
                ConflictResolution::Changed
            } else {
                ConflictResolution::OfTheSides
            });
        };
        let mut known = sides.iter().copied().chain(&change.from);
        if !known.any(|entry| entry.mode == now.mode) {
            return Ok(ConflictResolution::Changed);
        }
        if let Some(before) = change
            .from
            .as_ref()
            .filter(|entry| entry.is_file() && now.is_file())
            && let Some(judged) = self.judge_text(own, before, now)?
        {
            return Ok(judged);
        }
        Ok(match (sides.contains(&now), now.is_file()) {
            (true, _) => ConflictResolution::OfTheSides,
            (false, true) => ConflictResolution::Written,
            (false, false) => ConflictResolution::Changed,
        })
    }

    /// Judges the text of a file; `None` if it has no conflict markers, because one side deleted it or it is not text.
    fn judge_text(
        &self,
        own: &OwnMerge,
        before: &parse::FileEntry,
        now: &parse::FileEntry,
    ) -> Result<Option<ConflictResolution>, GitError> {
        let (Some(marked), Some(result)) = (self.whole_blob(before)?, self.whole_blob(now)?) else {
            return Ok(Some(ConflictResolution::Changed));
        };
        let sides = Sides {
            ours: own.base.as_str(),
            theirs: own.head.as_str(),
        };
        Ok(resolution(&marked, &result, sides))
    }

    /// Reads a file; `None` if it is too long to be compared.
    fn whole_blob(&self, entry: &parse::FileEntry) -> Result<Option<Vec<u8>>, GitError> {
        let call = self.in_control("read a file in conflict")?.limit(FILE_LIMIT);
        let call = call.words("cat-file blob --end-of-options").arg(&entry.id);
        let output = call.run()?;
        if output.truncated {
            return Ok(None);
        }
        Ok(Some(output.ok()?.stdout.clone()))
    }

    /// Makes a commit of a merge, to be compared with another; it is never published.
    fn commit_tree(
        &self,
        request: &MergeRequest,
        tree: &TreeId,
        [base, head]: [&CommitId; 2],
    ) -> Result<CommitId, GitError> {
        let draft = CommitDraft {
            tree,
            message: format!("{head} merged into {}, to be compared\n", request.base),
            parents: &[base.clone(), head.clone()],
            signature: &request.signature,
            author: None,
        };
        let commit = self.commit(&draft)?;
        self.pin(PinKind::Pin, &commit)?;
        Ok(commit)
    }
}
