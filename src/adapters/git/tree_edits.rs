//! Changing single files of a commit without a working tree: in an index of our own in the control repository.

use std::fs;
use std::path::Path;

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::command::GitCommand;
use super::commit_message::{CommitMessage, Trailers};
use super::files::not_ours;
use super::refs::PinKind;
use crate::ports::git::{CommitId, FileEdit, GitError, RestoreRequest, TreeId};

impl GitCli {
    /// Paths of all files of a commit, or of a folder of it.
    pub(super) fn files_of(&self, commit: &CommitId, folder: Option<&str>) -> Result<Vec<String>, GitError> {
        let call = self.in_control(format!("list the files of {commit}"))?;
        let call = call.words("ls-tree -r -z --full-tree --name-only --end-of-options");
        let call = call.arg(commit.as_str());
        let folder = folder.map(|folder| format!("{}/", folder.trim_end_matches('/')));
        let output = call.args(folder).run_ok()?;
        if output.truncated {
            return Err(not_ours(&self.project.root, "it has too many files"));
        }
        let text = output.text();
        let names = text.split('\0').filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }

    /// Returns a tree with some of its files rewritten or removed.
    pub(super) fn with_edits(&self, tree: TreeId, edits: &[FileEdit]) -> Result<TreeId, GitError> {
        if edits.is_empty() {
            return Ok(tree);
        }
        let mut lines = Vec::new();
        for edit in edits {
            let entry = match &edit.text {
                None => self.removed_entry(),
                Some(text) => {
                    let call = self.in_control(format!("keep the text of {}", edit.path))?;
                    let call = call.words("hash-object -w --stdin").input(text.as_bytes());
                    format!("100644 {}", call.run_line()?)
                }
            };
            lines.extend_from_slice(format!("{entry}\t{}\0", edit.path).as_bytes());
        }
        self.with_entries(tree.as_str(), &lines)
    }

    /// Start of a line for an index that removes a file.
    fn removed_entry(&self) -> String {
        let length = if self.project.object_format == "sha1" {
            40
        } else {
            64
        };
        format!("0 {}", "0".repeat(length))
    }

    /// A tree with other entries: lines of `MODE ID TAB PATH`.
    fn with_entries(&self, tree: &str, lines: &[u8]) -> Result<TreeId, GitError> {
        let index = self.control.scratch(&self.unique_name("index"))?;
        let change = || -> Result<TreeId, GitError> {
            let call = self.on_index(&index, "read a tree")?;
            call.words("read-tree --end-of-options").arg(tree).run_ok()?;
            let call = self.on_index(&index, "change files of a tree")?;
            call.words("update-index --add -z --index-info")
                .input(lines)
                .run_ok()?;
            let call = self.on_index(&index, "write a tree")?;
            Ok(TreeId::new(&call.arg("write-tree").run_line()?)?)
        };
        let tree = change();
        for name in [index.clone(), index.with_extension("lock")] {
            // A left-over scratch file costs only room.
            drop(fs::remove_file(name));
        }
        tree
    }

    fn on_index(&self, index: &Path, what: &str) -> Result<GitCommand, GitError> {
        Ok(self.in_control(what)?.env("GIT_INDEX_FILE", index))
    }

    pub(super) fn restore(&self, request: &RestoreRequest) -> Result<Option<CommitId>, GitError> {
        for commit in [&request.head, &request.from] {
            self.import_known(commit.clone())?;
        }
        let mut lines = Vec::new();
        for path in &request.paths {
            let call = self.in_control(format!("look for {path} in {}", request.from))?;
            let call = call.words("ls-tree -z --full-tree --end-of-options");
            let listed = call.arg(request.from.as_str()).arg(path).run_ok()?;
            // `MODE TYPE ID TAB PATH`
            let listed = listed.text().into_owned();
            let mut fields = listed.split('\t').next().unwrap_or_default().split(' ');
            let entry = match (fields.next(), fields.next(), fields.next()) {
                (Some(mode), Some(_), Some(id)) => format!("{mode} {id}"),
                _ => self.removed_entry(),
            };
            lines.extend_from_slice(format!("{entry}\t{path}\0").as_bytes());
        }
        let tree = self.with_entries(request.head.as_str(), &lines)?;
        if tree == self.tree_of(&request.head)? {
            return Ok(None);
        }
        let words = CommitMessage {
            start: String::new(),
            title: "Restore files that must stay as they are",
            text: &request.paths.join("\n"),
            trailers: Trailers {
                task: request.task.as_str(),
                attempt: request.attempt.as_str(),
                agent: None,
            },
        };
        let commit = self.commit(&CommitDraft {
            tree: &tree,
            parents: std::slice::from_ref(&request.head),
            message: words.message(),
            signature: &request.signature,
            author: None,
        })?;
        self.pin(PinKind::Pin, &commit)?;
        self.export_to_project(&[&PinKind::Pin.ref_name(&commit)])?;
        let mut turn = self.lock_project()?;
        let why = "dbs: restore files";
        self.move_branch(&request.branch, Some(&request.head), &commit, why, &mut turn)?;
        Ok(Some(commit))
    }
}
