//! Record of the commits with which the engine brings work to a base. The control repository notes each before it is pushed, so that merged
//! work is known by what was made, in every form: after a squash or a rebase no base holds the head of the work itself.

use super::attic::CommitDraft;
use super::cli::GitCli;
use crate::domain::MergeStyle;
use crate::ports::git::{CommitId, GitError, MergeRequest};

/// Names of the record: `refs/dbs/landed/<head of the work>/<attempt>/<commit made of it>`.
const LANDED: &str = "refs/dbs/landed/";
/// Commit that a row of commits was made on: `refs/dbs/landed-on/<last of them>`.
const LANDED_ON: &str = "refs/dbs/landed-on/";

/// Commit that was made to bring work to a base; whether a base holds it is another question.
pub(super) struct Landing {
    head: CommitId,
    attempt: String,
    commit: CommitId,
}

impl GitCli {
    /// Notes a commit that is about to be pushed, before it is.
    pub(super) fn note_landing(
        &self,
        request: &MergeRequest,
        base: &CommitId,
        commit: &CommitId,
    ) -> Result<(), GitError> {
        if request.style == MergeStyle::Rebase {
            self.set_control_ref(&format!("{LANDED_ON}{commit}"), base)?;
        }
        let name = format!("{LANDED}{}/{}/{commit}", request.head, request.attempt);
        self.set_control_ref(&name, commit)
    }

    /// Returns the commit that a landed one was made on, where that is noted.
    pub(super) fn landed_on(&self, commit: &CommitId) -> Result<Option<CommitId>, GitError> {
        self.control_ref(&format!("{LANDED_ON}{commit}"))
    }

    /// Returns the commit by which a base has that head, if the record knows one; one of that attempt comes first.
    pub(super) fn landing_in(
        &self,
        head: &CommitId,
        base: &CommitId,
        attempt: Option<&str>,
    ) -> Result<Option<(CommitId, bool)>, GitError> {
        let mut found = None;
        for landing in self.landings(head.as_str())? {
            let is_own = attempt == Some(landing.attempt.as_str());
            if (found.is_none() || is_own) && self.is_ancestor(&landing.commit, base)? {
                found = Some((landing.commit, is_own));
            }
        }
        Ok(found)
    }

    /// Returns true if a head was brought to a base by the engine, in any form.
    pub(super) fn has_landed(&self, head: &CommitId) -> Result<bool, GitError> {
        Ok(!self.landings(head.as_str())?.is_empty())
    }

    /// Returns true if the engine made a commit for a base, or brought it there.
    pub(super) fn is_landed(&self, commit: &CommitId) -> Result<bool, GitError> {
        for landing in self.refs_with(commit, LANDED)? {
            let made_on = if let Some(base) = self.landed_on(&landing)? {
                base
            } else {
                let call = self.in_control(format!("read commit {landing}"))?;
                let call = call.words("rev-parse --verify --quiet");
                CommitId::new(&call.arg(format!("{landing}^1")).run_line()?)?
            };
            if !self.is_ancestor(commit, &made_on)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the commits that refs below a name have and that hold a commit.
    pub(super) fn refs_with(&self, commit: &CommitId, below: &str) -> Result<Vec<CommitId>, GitError> {
        if !self.has_refs_below(below) {
            return Ok(Vec::new());
        }
        let call = self.in_control(format!("find the refs that contain {commit}"))?;
        let call = call.words("for-each-ref --format=%(objectname) --contains");
        let listed = call.arg(commit.as_str()).arg("--").arg(below).run_whole()?;
        let mut found: Vec<CommitId> = listed
            .text()
            .lines()
            .filter_map(|id| CommitId::new(id).ok())
            .collect();
        found.dedup();
        Ok(found)
    }

    /// Returns the newest part of some work that a base has by a landing, where the base holds it in no other way and the work does not hold
    /// the landing.
    pub(super) fn landed_part(&self, head: &CommitId, base: &CommitId) -> Result<Option<CommitId>, GitError> {
        let all = self.landings("")?;
        if all.is_empty() {
            return Ok(None);
        }
        let call = self.in_control(format!("list the commits of {head} that {base} lacks"))?;
        let call = call.words("rev-list --topo-order").arg(head.as_str());
        let listed = call.args(["--not", base.as_str(), "--"]).run_ok()?;
        for commit in listed.text().lines() {
            for landing in all.iter().filter(|landing| landing.head.as_str() == commit) {
                if self.is_ancestor(&landing.commit, base)? {
                    return Ok(Some(landing.head.clone()));
                }
            }
        }
        Ok(None)
    }

    /// Returns the base as a side of a merge. Where a part of the work has landed there, that is a commit which has the base's files and says
    /// so by its parents: git takes nothing twice then.
    pub(super) fn base_side(&self, request: &MergeRequest, base: &CommitId) -> Result<CommitId, GitError> {
        let Some(landed) = self.landed_part(&request.head, base)? else {
            return Ok(base.clone());
        };
        self.commit(&CommitDraft {
            tree: &self.tree_of(base)?,
            parents: &[base.clone(), landed],
            message: format!("{} with what has landed of {}\n", request.base, request.branch),
            signature: &request.signature,
            author: None,
        })
    }

    fn landings(&self, of: &str) -> Result<Vec<Landing>, GitError> {
        if !self.has_refs_below(LANDED) {
            return Ok(Vec::new());
        }
        let refs = self.in_control("read what has landed")?;
        let landing = |(commit, name): (CommitId, String)| {
            let mut parts = name.strip_prefix(LANDED)?.split('/');
            Some(Landing {
                head: CommitId::new(parts.next()?).ok()?,
                attempt: parts.next()?.to_owned(),
                commit,
            })
        };
        let listed = refs.list_refs(&format!("{LANDED}{of}"))?;
        Ok(listed.into_iter().filter_map(landing).collect())
    }
}
