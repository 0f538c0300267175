//! Keeping of a repository inside a worktree before it is removed with the worktree: branches, stashes, commits in logs, the index and the
//! files. No git runs in that repository, so nothing it configures is obeyed: its objects are read through a repository of ours that
//! borrows them, and its refs are read as files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::attic::{CommitDraft, commit_with};
use super::cli::GitCli;
use super::command::{ConfigScope, GitCommand};
use super::files::{failed, not_ours};
use super::nested_refs::{self, NamedIds};
use super::nested_search::{self, NestedRepo};
use super::worktree_link::CheckoutDir;
use crate::ports::git::{AtticOwner, CommitId, GitError, SafeName, TreeId};

/// Maximum number of bytes of a commit message.
const MESSAGE_LIMIT: usize = 3_000;
/// Attributes with which files are taken byte by byte.
const UNCONVERTED: &str = "* -text -eol -crlf -ident -filter -working-tree-encoding\n";
/// Number of letters of an id that distinguish two states of one ref in the names under which they are kept.
const SHORT: usize = 12;

/// Temporary repository of ours, with the objects of a nested one.
struct BorrowedRepo<'a> {
    git: &'a GitCli,
    path: &'a Path,
    repo: &'a NestedRepo,
    owner: &'a AtticOwner,
}

/// Parts of a nested repository that are in the control repository now.
struct KeptRepo {
    head: Option<CommitId>,
    parents: Vec<CommitId>,
    words: String,
}

impl GitCli {
    /// Keeps each repository in a worktree; returns the commits that keep them, which no ref names yet. The commits of its refs are below
    /// `refs/dbs/nested/<task>/` afterwards.
    pub(super) fn keep_nested(
        &self,
        checkout: &CheckoutDir,
        owner: &AtticOwner,
    ) -> Result<Vec<CommitId>, GitError> {
        let mut kept = Vec::new();
        for repo in self.repositories_with_work(checkout)? {
            kept.extend(self.keep_repository(&repo, owner)?);
        }
        Ok(kept)
    }

    /// Finds the repositories in a worktree that have something which the control repository does not keep: all but submodules that are as the
    /// engine filled them.
    pub(super) fn repositories_with_work(&self, checkout: &CheckoutDir) -> Result<Vec<NestedRepo>, GitError> {
        let mut found = nested_search::search(checkout)?;
        found.retain(|repo| !self.is_as_filled(repo).unwrap_or(false));
        Ok(found)
    }

    fn is_as_filled(&self, repo: &NestedRepo) -> Result<bool, GitError> {
        if !repo.has_own_objects {
            return Ok(false);
        }
        let ids = nested_refs::read(repo)?;
        let Some(head) = &ids.head else { return Ok(false) };
        for id in ids.names.values().chain(&ids.logged) {
            if !self.has(id)? {
                return Ok(false);
            }
        }
        let tree = self.tree_of(head)?;
        if let Some(folder) = &repo.folder
            && self.read_tree_of(folder, Some(head))? != tree
        {
            return Ok(false);
        }
        let (there, copy) = (
            repo.git_dir.join("index"),
            self.control.scratch(&self.unique_name("index"))?,
        );
        fs::copy(&there, &copy).map_err(failed("read", &there))?;
        let call = self.in_control("write an index as a tree")?;
        let written = call.env("GIT_INDEX_FILE", &copy).arg("write-tree").run_line();
        drop(fs::remove_file(&copy));
        Ok(written? == tree.as_str())
    }

    fn keep_repository(&self, repo: &NestedRepo, owner: &AtticOwner) -> Result<Option<CommitId>, GitError> {
        let named = self.keep_named(repo, owner).or_else(|error| {
            let label = super::error_text::one_line(&repo.label);
            tracing::info!("could not fetch from {label}, its git folder is kept as files: {error}");
            self.keep_git_folder(repo, owner)
        })?;
        let tree = match &repo.folder {
            Some(folder) => self.read_tree_of(folder, named.head.as_ref())?,
            None => self.empty_tree()?,
        };
        if named.parents.is_empty() && named.words.is_empty() && tree == self.empty_tree()? {
            return Ok(None);
        }
        let label = super::error_text::one_line(&repo.label);
        let message = format!("Files of repository {label}\n\n{}", named.words);
        let draft = CommitDraft {
            tree: &tree,
            parents: &named.parents,
            message,
            signature: &owner.signature,
            author: None,
        };
        self.commit(&draft).map(Some)
    }

    fn empty_tree(&self) -> Result<TreeId, GitError> {
        let call = self.in_control("make an empty tree")?;
        Ok(TreeId::new(&call.arg("mktree").run_line()?)?)
    }

    /// Fetches the commits that the refs, the logs and the index of a nested repository name.
    fn keep_named(&self, repo: &NestedRepo, owner: &AtticOwner) -> Result<KeptRepo, GitError> {
        let ids = nested_refs::read(repo)?;
        let folder = self.control.scratch_folder()?;
        let borrowed = BorrowedRepo {
            git: self,
            path: folder.path(),
            repo,
            owner,
        };
        borrowed.keep(&ids)
    }

    /// Keeps the files of a git folder themselves: a repository that git cannot read as a whole (a part of a history, a broken index,
    /// another way to keep refs) is kept as it is.
    fn keep_git_folder(&self, repo: &NestedRepo, owner: &AtticOwner) -> Result<KeptRepo, GitError> {
        let own = self.control.scratch_folder()?;
        self.borrowing_repository(own.path(), None, "ref: refs/heads/none")?;
        let info = own.path().join("info");
        fs::create_dir(&info).map_err(failed("make", &info))?;
        let attributes = info.join("attributes");
        fs::write(&attributes, UNCONVERTED).map_err(failed("write", &attributes))?;
        let call = |what: &str| {
            let program = &self.program;
            let call = program.command(ConfigScope::Control, &repo.git_dir, what);
            call.git_option("--git-dir=", own.path())
                .git_option("--work-tree=", &repo.git_dir)
                .env("GIT_OBJECT_DIRECTORY", self.control.path.join("objects"))
        };
        let add = call("read the files of a git folder").config("core.autocrlf=false");
        add.words("add --all --force -- .").run_ok()?;
        let write = call("write the files of a git folder as a tree").arg("write-tree");
        let tree = TreeId::new(&write.run_line()?)?;
        let label = super::error_text::one_line(&repo.label);
        let draft = CommitDraft {
            tree: &tree,
            parents: &[],
            message: format!("Git folder of repository {label}, as files\n"),
            signature: &owner.signature,
            author: None,
        };
        Ok(KeptRepo {
            head: None,
            parents: vec![self.commit(&draft)?],
            words: "Its git folder is the second commit, as files.\n".to_owned(),
        })
    }
}

impl BorrowedRepo<'_> {
    fn keep(&self, ids: &NamedIds) -> Result<KeptRepo, GitError> {
        let objects = self.repo.common.join("objects");
        let is_plain = !objects.to_string_lossy().contains(['\n', '\u{fffd}']);
        if !is_plain || !objects.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Err(not_ours(objects, "it is not a folder of objects"));
        }
        self.git
            .borrowing_repository(self.path, Some(&objects), "ref: refs/heads/none")?;
        let mut refs: BTreeMap<String, CommitId> = BTreeMap::new();
        let mut words = String::new();
        for (name, id) in &ids.names {
            refs.insert(self.ref_name(name, id), id.clone());
            if words.len() < MESSAGE_LIMIT && !name.contains(char::is_control) {
                words.extend([id.as_str(), " ", name, "\n"]);
            }
        }
        self.write_refs(&refs)?;
        for id in self.only_logged(ids)? {
            refs.insert(self.ref_name("log", &id), id);
        }
        let index = self.index_commit(ids)?;
        if let Some(id) = &index {
            refs.insert(self.ref_name("index", id), id.clone());
        }
        self.write_refs(&refs)?;
        if !refs.is_empty() {
            let from = self.path.to_string_lossy().into_owned();
            self.git
                .fetch(&from, &["+refs/dbs/nested/*:refs/dbs/nested/*".to_owned()])?;
        }
        let head = ids.head.clone();
        let parents = head.iter().cloned().chain(index).collect();
        Ok(KeptRepo { head, parents, words })
    }

    fn call(&self, what: &str) -> GitCommand {
        let program = &self.git.program;
        let call = program.command(ConfigScope::Control, self.path, what);
        call.git_option("--git-dir=", self.path)
    }

    /// Returns the name of a ref for an id. The ref is never moved: another id has another name.
    fn ref_name(&self, name: &str, id: &CommitId) -> String {
        let (task, label) = (&self.owner.task, SafeName::derive(&self.repo.label));
        let name = SafeName::derive(name.strip_prefix("refs/").unwrap_or(name));
        let short = id.as_str().get(..SHORT).unwrap_or_default();
        format!("refs/dbs/nested/{task}/{label}/{name}/{short}")
    }

    fn write_refs(&self, refs: &BTreeMap<String, CommitId>) -> Result<(), GitError> {
        let lines = refs.iter().flat_map(|(name, id)| [id.as_str(), " ", name, "\n"]);
        let text: String = lines.collect();
        let file = self.path.join("packed-refs");
        fs::write(&file, text).map_err(failed("write", &file))
    }

    /// Commits that logs remember and that no ref reaches.
    fn only_logged(&self, ids: &NamedIds) -> Result<Vec<CommitId>, GitError> {
        if ids.logged.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.call("look for commits that only a log remembers");
        let call = call.words("rev-list --ignore-missing");
        let call = call.args(ids.logged.iter().map(CommitId::as_str));
        let found = call.words("--not --all --").run_line()?;
        let logged = |line: &str| CommitId::new(line).ok().filter(|id| ids.logged.contains(id));
        Ok(found.lines().filter_map(logged).collect())
    }

    /// Commits the content of the index, if it differs from the checked out commit.
    fn index_commit(&self, ids: &NamedIds) -> Result<Option<CommitId>, GitError> {
        let (there, copy) = (self.repo.git_dir.join("index"), self.path.join("index"));
        match there.symlink_metadata() {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(not_ours(there, "it is not a file")),
            Err(_missing) => return Ok(None),
        }
        fs::copy(&there, &copy).map_err(failed("read", &there))?;
        let call = self.call("write an index as a tree");
        let tree = TreeId::new(&call.env("GIT_INDEX_FILE", &copy).arg("write-tree").run_line()?)?;
        let checked_out = match &ids.head {
            Some(head) => {
                let call = self.call("read what is checked out").words("rev-parse --verify");
                Some(TreeId::new(&call.arg(format!("{head}^{{tree}}")).run_line()?)?)
            }
            None => None,
        };
        if checked_out.as_ref() == Some(&tree) {
            return Ok(None);
        }
        let parents: Vec<CommitId> = ids.head.iter().cloned().collect();
        let label = super::error_text::one_line(&self.repo.label);
        let draft = CommitDraft {
            tree: &tree,
            parents: &parents,
            message: format!("Index of repository {label}\n"),
            signature: &self.owner.signature,
            author: None,
        };
        commit_with(self.call("keep an index"), &draft).map(Some)
    }
}
