//! The person's own base branch, where the project works without a remote. The base of the control repository is the one that counts: it
//! takes up what the person commits, whatever merged work came to it meanwhile, and the person's branch follows it. A base that the person
//! rewrote so that merged work is no longer in it is left as it is, and nothing is merged, until the person has decided.

use std::fs;

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::error_text::one_line;
use super::files::missing;
use super::merge::is_unrelated;
use super::parse;
use super::push::{PushLease, PushReply};
use super::refs::PinKind;
use super::stale_locks::lock_of;
use crate::adapters::text_file;
use crate::domain::TroubleKind;
use crate::ports::git::{BranchName, CommitId, GitError, Signature};

/// Number of looks at a branch that moves each time it was looked at.
const N_TRIES: usize = 5;
/// Maximum number of bytes of a file in which git notes the branch that it works on.
const LONGEST_NOTE: u64 = 64 * 1024;
/// Maximum number of files in conflict that are named.
const MOST_NAMED: usize = 5;

impl GitCli {
    /// Takes the person's commits on a base branch into the control repository's. With a remote there is nothing to do.
    ///
    /// # Errors
    /// A refusal, where only the person can settle the difference: the branch is gone, was rewritten, or conflicts with merged work.
    pub(super) fn read_person(&self, branch: &BranchName) -> Result<(), GitError> {
        if self.has_remote() {
            return Ok(());
        }
        for _ in 0..N_TRIES {
            let seen = self.control_ref(&person_name(branch))?;
            let control = self.control_ref(&branch.full())?;
            let Some(person) = self.local_head(branch)? else {
                return self.without_branch(branch, seen.as_ref(), control.as_ref());
            };
            if control.is_some() && seen.as_ref() == Some(&person) {
                return Ok(());
            }
            let next = self.next_base(branch, &person, seen.as_ref(), control.as_ref())?;
            let moved = self.set_in_control(Some(&next), branch, PushLease::At(control.as_ref()))?;
            if !matches!(moved, PushReply::Accepted) {
                continue;
            }
            let noted = self.swap_control_ref(&person_name(branch), seen.as_ref(), Some(&person))?;
            if matches!(noted, PushReply::Accepted) {
                return Ok(());
            }
        }
        Err(GitError::Unreachable {
            kind: TroubleKind::Other,
            what: format!("read branch {branch}"),
            why: "it moved each time it was looked at".to_owned(),
        })
    }

    /// Returns true for a branch that the person works on, too; branches of tasks are the engine's.
    pub(super) fn is_shared(&self, branch: &BranchName) -> Result<bool, GitError> {
        let is_of_task = branch.as_str().starts_with("feature/");
        Ok(!is_of_task || self.control_ref(&person_name(branch))?.is_some())
    }

    fn without_branch(
        &self,
        branch: &BranchName,
        seen: Option<&CommitId>,
        control: Option<&CommitId>,
    ) -> Result<(), GitError> {
        let (Some(_), Some(_)) = (seen, control) else {
            return Ok(());
        };
        self.show_base(branch)?;
        let hint = format!(
            "it was there before; make it again with `git branch {branch} {}/{branch}`, or name another: `dbs config base_branch \
             NAME`",
            self.remote.name()
        );
        Err(missing(format!("branch {branch} in this repository"), hint))
    }

    /// Returns the commit that holds what the person has and what was merged.
    fn next_base(
        &self,
        branch: &BranchName,
        person: &CommitId,
        seen: Option<&CommitId>,
        control: Option<&CommitId>,
    ) -> Result<CommitId, GitError> {
        self.import_base(person)?;
        let Some(control) = control else {
            return Ok(person.clone());
        };
        // An agent may have pushed it.
        self.fetch_pinned(control)?;
        if self.is_ancestor(control, person)? {
            return Ok(person.clone());
        }
        if let Some(seen) = seen
            && !self.is_ancestor(seen, person)?
        {
            return if self.lacks_merged_work(control, person, seen)? {
                Err(self.to_settle(branch, "it was rewritten, and merged work is no longer in it")?)
            } else {
                Ok(person.clone())
            };
        }
        if self.is_ancestor(person, control)? {
            return Ok(control.clone());
        }
        self.merge_person(branch, control, person)
    }

    /// Keeps a commit of the person's base. The first one is taken as it is; later ones are checked.
    fn import_base(&self, commit: &CommitId) -> Result<(), GitError> {
        if self.is_pinned(PinKind::Remote, commit) {
            return Ok(());
        }
        if self.control.path.join("refs/dbs/remote").exists() {
            return self.import_pinned(commit, &[PinKind::Remote]);
        }
        let from = self.project.common.to_string_lossy().into_owned();
        self.fetch(&from, &[format!("{commit}:{}", PinKind::Remote.ref_name(commit))])
    }

    /// Returns true if the base holds merged work that a rewritten branch lacks. Commits of the person alone may go.
    fn lacks_merged_work(
        &self,
        control: &CommitId,
        person: &CommitId,
        seen: &CommitId,
    ) -> Result<bool, GitError> {
        let find = |words: &str, seen: Option<&CommitId>| -> Result<bool, GitError> {
            let call = self.in_control("look for merged work")?;
            let call = call.words(words).arg(control.as_str());
            let call = call.arg("--not").arg(person.as_str());
            let call = call.args(seen.map(CommitId::as_str)).arg("--");
            Ok(!call.run_line()?.is_empty())
        };
        Ok(find("rev-list --max-count=1", Some(seen))?
            || find("rev-list --max-count=1 --grep=^Dbs-Attempt:", None)?)
    }

    /// Merges the person's commits onto the base; the same two give the same commit.
    fn merge_person(
        &self,
        branch: &BranchName,
        control: &CommitId,
        person: &CommitId,
    ) -> Result<CommitId, GitError> {
        let call = self.in_control(format!("merge {person} into {branch}"))?;
        let call = call.words("merge-tree --write-tree --name-only -z");
        let output = call.arg(control.as_str()).arg(person.as_str()).run()?;
        let tree = match (output.code, parse::merge_tree(&output.stdout)) {
            (Some(0), Some(merged)) => merged.tree,
            (Some(1), Some(merged)) => {
                let files: Vec<String> = merged
                    .files
                    .iter()
                    .take(MOST_NAMED)
                    .map(|file| one_line(file))
                    .collect();
                let why = format!("it conflicts with merged work in {}", files.join(", "));
                return Err(self.to_settle(branch, &why)?);
            }
            _ if is_unrelated(&output) => {
                return Err(self.to_settle(branch, "it shares no history with merged work")?);
            }
            _ => return Err(output.failure()),
        };
        if let Some(why) = self.unusable(control, &tree)? {
            return Err(self.to_settle(branch, &why)?);
        }
        let draft = CommitDraft {
            tree: &tree,
            parents: &[control.clone(), person.clone()],
            message: format!("Merge local commits of {branch}\n"),
            signature: &self.author_of(person)?,
            author: None,
        };
        let commit = self.commit(&draft)?;
        self.pin(PinKind::Pin, &commit)?;
        Ok(commit)
    }

    /// Returns true if a commit is the very merge with which the person's commits are taken up.
    pub(super) fn is_merge_of_person(
        &self,
        branch: &BranchName,
        commit: &CommitId,
        person: &CommitId,
    ) -> bool {
        let parent = self.in_control(format!("read the parent of {commit}"));
        let parent = parent.and_then(|call| {
            let call = call.words("rev-parse --verify --quiet --end-of-options");
            call.arg(format!("{commit}^1")).run_line()
        });
        let parent = parent.and_then(|id| Ok(CommitId::new(&id)?));
        parent.is_ok_and(|parent| {
            let again = self.merge_person(branch, &parent, person);
            again.is_ok_and(|again| again == *commit)
        })
    }

    fn author_of(&self, commit: &CommitId) -> Result<Signature, GitError> {
        let call = self.in_control(format!("read the author of {commit}"))?;
        let call = call.words("log -1 --format=%an%x00%ae%x00%ct --end-of-options");
        let printed = call.arg(commit.as_str()).run_line()?;
        let mut fields = printed.split('\0').map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        Ok(Signature {
            name: next(),
            email: next(),
            seconds: next().parse().unwrap_or_default(),
        })
    }

    /// Shows the person the base that counts, and returns the refusal with the ways out.
    fn to_settle(&self, branch: &BranchName, why: &str) -> Result<GitError, GitError> {
        self.show_base(branch)?;
        let shown = format!("{}/{branch}", self.remote.name());
        Ok(GitError::Failed {
            kind: TroubleKind::Refusal,
            what: format!("use branch {branch} as it is now"),
            why: format!(
                "{why}; where {branch} is checked out, `git merge {shown}` joins both, and `git merge -s ours {shown}` keeps your files \
                 as they are; then `dbs retry ID`"
            ),
        })
    }

    /// Brings the base into the project's repository, as a tracking branch.
    fn show_base(&self, branch: &BranchName) -> Result<(), GitError> {
        let shown = self.tracking_name(branch);
        let mut turn = self.lock_project()?;
        // Read in the turn: an older one would undo what another thread has shown.
        let Some(control) = self.control_ref(&branch.full())? else {
            return Ok(());
        };
        self.pin(PinKind::Remote, &control)?;
        let kept = PinKind::Remote.ref_name(&control);
        let call = self.export_command(&[&format!("+{kept}:{shown}")]);
        call.run_locked(&mut turn, &[lock_of(&shown)]).map(drop)
    }

    /// Moves the person's branch to the base after a merge, if no checkout has it and no git works on it; elsewhere its files would have
    /// to move, too. The merge counts in any case, so a failure is only noted.
    pub(super) fn bring_to_person(&self, branch: &BranchName) {
        if self.has_remote() {
            return;
        }
        if let Err(error) = self.follow_base(branch) {
            tracing::warn!("could not bring merged work to branch {branch}: {error}");
        }
    }

    fn follow_base(&self, branch: &BranchName) -> Result<(), GitError> {
        let Some(control) = self.control_ref(&branch.full())? else {
            return Ok(());
        };
        self.show_base(branch)?;
        let person = self.local_head(branch)?;
        let follows = match &person {
            Some(person) => *person != control && self.has(person)? && self.is_ancestor(person, &control)?,
            // A branch that an agent began; one that the person deleted is not made again.
            None => self.control_ref(&person_name(branch))?.is_none(),
        };
        let mut turn = self.lock_project()?;
        if !follows || self.is_in_use(branch)? {
            return Ok(());
        }
        self.move_branch(branch, person.as_ref(), &control, "dbs: merged work", &mut turn)?;
        drop(turn);
        self.set_control_ref(&person_name(branch), &control)
    }

    /// Returns true if a checkout has a branch, or a rebase or bisect in one will come back to it.
    fn is_in_use(&self, branch: &BranchName) -> Result<bool, GitError> {
        if self.branch_checked_out().as_ref() == Some(branch)
            || self.registered()?.iter().any(|entry| entry.holds(branch))
        {
            return Ok(true);
        }
        let others = fs::read_dir(self.project.common.join("worktrees"));
        let others = others.into_iter().flatten().flatten().map(|entry| entry.path());
        let full = branch.full();
        let works_on = |file: &str, git_dir: &std::path::Path| {
            let noted = text_file::read_text(&git_dir.join(file), LONGEST_NOTE).unwrap_or_default();
            noted
                .lines()
                .any(|line| line.trim() == full || line.trim() == branch.as_str())
        };
        let places = std::iter::once(self.project.git_dir.clone()).chain(others);
        let is_noted = |git_dir: std::path::PathBuf| {
            let files = [
                "rebase-merge/head-name",
                "rebase-merge/update-refs",
                "rebase-apply/head-name",
                "BISECT_START",
            ];
            files.iter().any(|file| works_on(file, &git_dir))
        };
        Ok(places.into_iter().any(is_noted))
    }
}

/// Ref of the commit at which the person's branch was seen last, or to which it was moved for the person.
pub(super) fn person_name(branch: &BranchName) -> String {
    format!("refs/dbs/base/person/{branch}")
}
