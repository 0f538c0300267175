//! The files of a place as a tree, read through the control repository with an index of our own: nothing the place's
//! repository or index says is believed, nothing it configures is run.

use std::path::Path;

use memchr::memmem;

use super::cli::GitCli;
use super::files::{missing, not_ours};
use super::worktree_link::{self, CheckoutDir, PathStatus};
use crate::adapters::text_file;
use crate::domain::Tri;
use crate::ports::git::{CommitId, GitError, TreeId, WorkingTree, WorkspaceTree};

/// Trees of commits that are remembered; all are forgotten when there are more.
const MOST_TREES: usize = 1_000;
/// Maximum size of an index that is searched here; git is asked about a larger one.
const LARGEST_INDEX: u64 = 256 * 1024 * 1024;
/// Settings that make files on the disk differ from those in the repository, or give them another name.
const CONVERTING: &[&str] = &[
    "core.autocrlf=true",
    "core.autocrlf=input",
    "core.ignorecase=true",
    "core.precomposeunicode=true",
];

impl CheckoutDir {
    /// The commit checked out; `None` if the branch is unborn.
    pub(super) fn head(&self, git: &GitCli) -> Result<Option<CommitId>, GitError> {
        if let Some(commit) = git.checked_out_at(&self.git_dir) {
            return Ok(Some(commit));
        }
        let call = git.in_project(format!("read what is checked out in {}", self.folder.display()));
        let call = call.git_option("--git-dir=", &self.git_dir);
        let output = call
            .words("rev-parse --verify --quiet --end-of-options HEAD^{commit}")
            .run()?;
        match output.code {
            Some(0) => {
                let printed = output.text();
                let id = printed.trim_start_matches("--end-of-options").trim();
                Ok(Some(CommitId::new(id)?))
            }
            Some(1) => Ok(None),
            _ => Err(output.failure()),
        }
    }
}

impl GitCli {
    /// Finds a place; an unverified worktree is an error.
    pub(super) fn locate(&self, tree: &WorkingTree) -> Result<CheckoutDir, GitError> {
        let name = match tree {
            WorkingTree::Main => {
                return Ok(CheckoutDir {
                    folder: self.project.root.clone(),
                    git_dir: self.project.git_dir.clone(),
                });
            }
            WorkingTree::Worktree(name) => name,
        };
        let path = self.worktree_path(name);
        match worktree_link::look(&self.project, &path)? {
            PathStatus::Ours(site) => Ok(site),
            PathStatus::Foreign(why) => Err(not_ours(path, why)),
            PathStatus::Nothing | PathStatus::EmptyFolder => {
                let what = format!("worktree {}", path.display());
                Err(missing(what, "it was deleted; make it again"))
            }
        }
    }

    pub(super) fn state_of(&self, tree: &WorkingTree) -> Result<WorkspaceTree, GitError> {
        self.read_state(&self.locate(tree)?)
    }

    pub(super) fn read_state(&self, checkout: &CheckoutDir) -> Result<WorkspaceTree, GitError> {
        let head = checkout.head(self)?;
        let head = head.map(|commit| self.import_known(commit)).transpose()?;
        let tree = self.read_tree_at(checkout, head.as_ref())?;
        Ok(WorkspaceTree { head, tree })
    }

    /// Returns the state of a place whose files were written from a commit just now, and that no process has touched yet. Where nothing
    /// converts files on their way to the disk and back, they are the commit's.
    pub(super) fn fresh_state(
        &self,
        checkout: &CheckoutDir,
        written: &CommitId,
    ) -> Result<WorkspaceTree, GitError> {
        if !self.is_unconverted(&checkout.git_dir.join("index")) {
            return self.read_state(checkout);
        }
        Ok(WorkspaceTree {
            head: checkout.head(self)?,
            tree: self.tree_of(written)?,
        })
    }

    /// Returns true if the files an index lists are on the disk byte by byte, and name by name, as they are in its commit. False: perhaps
    /// not.
    fn is_unconverted(&self, index: &Path) -> bool {
        let converts = |setting: &&str| self.project.has(setting);
        let is_plain = !CONVERTING.iter().any(converts) && !self.project.has_attributes;
        // No other attributes have a say here than those of the commit's own files.
        is_plain
            && text_file::read(index, LARGEST_INDEX)
                .is_ok_and(|text| memmem::find(&text, b".gitattributes").is_none())
    }

    pub(super) fn compare_state(&self, tree: &WorkingTree, start: &WorkspaceTree) -> Result<Tri, GitError> {
        let now = self.state_of(tree)?;
        if now == *start {
            return Ok(Tri::Yes);
        }
        let mut seen = Vec::new();
        if now.head != start.head {
            let name =
                |head: &Option<CommitId>| head.as_ref().map_or("no commit".to_owned(), CommitId::to_string);
            let (now, start) = (name(&now.head), name(&start.head));
            seen.push(format!("{now} is checked out instead of {start}"));
        }
        if now.tree != start.tree {
            let names = self.names_between(&start.tree, &now.tree)?;
            seen.push(format!("changed files: {names}"));
        }
        Ok(Tri::No(seen.join("; ")))
    }

    /// The tree of a commit in the control repository.
    pub(super) fn tree_of(&self, commit: &CommitId) -> Result<TreeId, GitError> {
        if let Some(tree) = self.trees.lock().get(commit) {
            return Ok(tree.clone());
        }
        let call = self
            .in_control(format!("read commit {commit}"))?
            .words("rev-parse --verify --quiet");
        let tree = TreeId::new(&call.arg(format!("{commit}^{{tree}}")).run_line()?)?;
        let mut trees = self.trees.lock();
        if trees.len() >= MOST_TREES {
            trees.clear();
        }
        trees.insert(commit.clone(), tree.clone());
        Ok(tree)
    }

    fn names_between(&self, from: &TreeId, to: &TreeId) -> Result<String, GitError> {
        let call = self.in_control("compare two trees")?.limit(64 * 1024);
        let call = call.words("diff-tree -r -z --name-only --no-renames --end-of-options");
        let output = call.args([from.as_str(), to.as_str()]).run_ok()?;
        let text = output.text();
        let mut names = text.split_terminator('\0');
        let shown: Vec<&str> = names.by_ref().take(5).collect();
        let more = if names.next().is_some() { " and more" } else { "" };
        Ok(super::error_text::one_line(&format!(
            "{}{more}",
            shown.join(", ")
        )))
    }
}
