//! Replay of the commits of some work on a base, one by one and without a working tree, as a rebase does it: author, time and words stay.

use super::attic::{Authorship, CommitDraft};
use super::cli::GitCli;
use super::parse;
use super::signing::Signing;
use crate::ports::git::{CommitId, GitError, MergeRequest, Signature, TreeId};

/// Maximum number of commits that are replayed.
const MOST_COMMITS: usize = 1_000;
/// Parents, author and words of a commit.
const FORM: &str = "--format=%P%x00%an%x00%ae%x00%ad%x00%B";

impl GitCli {
    /// Replays the commits that a base lacks; returns the last one. Returns `None` if that cannot be done one by one (merges among them,
    /// conflicts on the way) or the files would not be those of the merge.
    pub(super) fn replayed(
        &self,
        request: &MergeRequest,
        base: &CommitId,
        side: &CommitId,
        tree: &TreeId,
        signing: Option<&Signing>,
    ) -> Result<Option<CommitId>, GitError> {
        let call = self.in_control(format!("list the commits of {}", request.head))?;
        let call = call
            .words("rev-list --reverse --topo-order")
            .arg(request.head.as_str());
        let listed = call.args(["--not", side.as_str(), "--"]).run_ok()?;
        let listed = listed.text();
        let commits: Vec<&str> = listed.lines().collect();
        if commits.len() > MOST_COMMITS {
            return Ok(None);
        }
        let mut tip = base.clone();
        for commit in commits {
            match self.replay(&CommitId::new(commit)?, &tip, &request.signature, signing)? {
                Some(next) => tip = next,
                None => return Ok(None),
            }
        }
        let is_whole = tip != *base && self.tree_of(&tip)? == *tree;
        Ok(is_whole.then_some(tip))
    }

    /// Makes one commit anew on another parent; `None` if it is a merge or conflicts. One that would change nothing is left out.
    fn replay(
        &self,
        commit: &CommitId,
        tip: &CommitId,
        signature: &Signature,
        signing: Option<&Signing>,
    ) -> Result<Option<CommitId>, GitError> {
        let call = self.in_control(format!("read commit {commit}"))?;
        let call = call.words("log -1 --encoding=UTF-8 --date=raw").arg(FORM);
        let shown = call.args([commit.as_str(), "--"]).run_ok()?;
        let shown = shown.text();
        let fields: Vec<&str> = shown.splitn(5, '\0').collect();
        let [parents, name, email, date, words] = fields.as_slice() else {
            return Ok(None);
        };
        if parents.contains(' ') || parents.is_empty() {
            return Ok(None);
        }
        if *parents == tip.as_str() && signing.is_none() {
            return Ok(Some(commit.clone()));
        }
        let here = self.tree_of(tip)?;
        // The tip's files as a change of the commit's own parent: the merge of both then takes over what the commit changed.
        let side = self.commit(&CommitDraft {
            tree: &here,
            parents: &[CommitId::new(parents)?],
            message: "Side of a replay\n".to_owned(),
            signature,
            author: None,
        })?;
        let call = self.in_control(format!("replay {commit} on {tip}"))?;
        let call = call.words("merge-tree --write-tree --name-only -z");
        let output = call.args([side.as_str(), commit.as_str()]).run()?;
        let tree = match (output.code, parse::merge_tree(&output.stdout)) {
            (Some(0), Some(merged)) => merged.tree,
            (Some(1), _) => return Ok(None),
            _ => return Err(output.failure()),
        };
        if tree == here {
            return Ok(Some(tip.clone()));
        }
        let author = Authorship {
            name: (*name).to_owned(),
            email: (*email).to_owned(),
            date: (*date).to_owned(),
        };
        let draft = CommitDraft {
            tree: &tree,
            parents: std::slice::from_ref(tip),
            message: format!("{}\n", words.trim_end()),
            signature,
            author: Some(&author),
        };
        self.commit_for_base(&draft, signing).map(Some)
    }
}
