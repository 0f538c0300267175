//! Origin of a file of the person's checkout, by the engine's own records of the work of agents: the log of the checkout can be written by
//! anyone who can write into the repository.

use std::collections::BTreeSet;
use std::path::Path;

use super::cli::GitCli;
use crate::ports::git::{BranchName, CommitId, GitError};

/// Maximum number of bytes of the answers about the heads of all tasks.
const MOST_ANSWERS: usize = 16 * 1024 * 1024;

impl GitCli {
    /// Returns true if a file, as the commit of the person's checkout has it, may have come with work of agents: with a merge of the engine,
    /// or from one of these heads of tasks. If a head is similar, the remote is asked for the base to tell them apart; without a base, any
    /// similarity counts.
    ///
    /// # Errors
    /// When git or the remote cannot be asked.
    pub fn may_be_of_agents(
        &self,
        file: &Path,
        heads: &BTreeSet<CommitId>,
        base: Option<&BranchName>,
    ) -> Result<bool, GitError> {
        let commit = CommitId::new(&self.last_change(file)?)?;
        // Questions about files are lines.
        let is_odd = file.to_string_lossy().contains('\n');
        if is_odd || !self.import_commit(&commit)? || self.is_landed(&commit)? {
            return Ok(true);
        }
        let with_commit: BTreeSet<CommitId> = ["refs/dbs/pin/", "refs/dbs/remote/"]
            .into_iter()
            .map(|below| self.refs_with(&commit, below))
            .collect::<Result<Vec<_>, _>>()?
            .concat()
            .into_iter()
            .collect();
        let with_text = self.heads_with_text(&commit, file, heads)?;
        let alike: Vec<&CommitId> = heads
            .iter()
            .filter(|head| with_commit.contains(*head) || with_text.contains(*head))
            .collect();
        if alike.is_empty() {
            return Ok(false);
        }
        let base = match base {
            Some(base) => self.import_remote(base)?,
            None => None,
        };
        let Some(base) = base else { return Ok(true) };
        for head in alike {
            if !self.has_from_base(head, &base, &commit, file)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if some work has the commit, or the text that a file has in it, from the base on which it was begun.
    fn has_from_base(
        &self,
        head: &CommitId,
        base: &CommitId,
        commit: &CommitId,
        file: &Path,
    ) -> Result<bool, GitError> {
        let call = self.in_control(format!("find where {head} began"))?;
        let begun = call
            .words("merge-base")
            .args([head.as_str(), base.as_str()])
            .run()?;
        let Ok(begun) = CommitId::new(begun.text().trim()) else {
            return Ok(false);
        };
        // The base has all of this work: where that did not come by a merge of the engine, nothing tells the two apart.
        if begun == *head {
            return self.has_landed(head);
        }
        Ok(self.is_ancestor(commit, &begun)?
            || !self.heads_with_text(commit, file, &[begun].into())?.is_empty())
    }

    /// Returns those of the heads in which a file has the same text as in a commit.
    fn heads_with_text(
        &self,
        commit: &CommitId,
        file: &Path,
        heads: &BTreeSet<CommitId>,
    ) -> Result<BTreeSet<CommitId>, GitError> {
        let all = [commit].into_iter().chain(heads);
        let asked: Vec<String> = all
            .map(|commit| format!("{commit}:{}\n", file.display()))
            .collect();
        let call = self.in_control(format!("compare {}", file.display()))?;
        let call = call
            .words("cat-file --batch-check=%(objectname)")
            .limit(MOST_ANSWERS);
        let said = call.input(asked.concat().as_bytes()).run_whole()?;
        let said = said.text();
        // One line for each; a file that is not there is named with the word `missing`.
        let mut texts = said.lines();
        let own = texts.next().unwrap_or_default();
        let same = heads.iter().zip(texts).filter(|(_, text)| *text == own);
        Ok(same.map(|(head, _)| head.clone()).collect())
    }
}
