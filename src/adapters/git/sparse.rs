//! Sparse checkouts: a new worktree holds the files that the person's checkout is told to hold, and a file that git was told to leave out
//! of a place is no deleted file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::cli::GitCli;
use super::files::{failed, path_of};
use super::place_tree::StagedEntry;
use super::worktree_link::CheckoutDir;
use crate::ports::git::{CommitId, GitError};

impl CheckoutDir {
    /// Returns true if git has rules about the files that this checkout holds. They may be switched off.
    pub(super) fn has_rules(&self) -> bool {
        self.git_dir.join("info/sparse-checkout").exists()
    }
}

impl GitCli {
    /// Writes the files of a commit that a new worktree is to hold, with a matching index. Returns false, and writes nothing, if that is all
    /// of them, or if git is too old to tell (before 2.41).
    pub(super) fn write_sparse(
        &self,
        worktree: &CheckoutDir,
        index: &Path,
        commit: &CommitId,
    ) -> Result<bool, GitError> {
        if !worktree.has_rules() {
            return Ok(false);
        }
        let folder = &worktree.folder;
        let on_index = |what: &str| self.on_files(folder, index, what);
        let call = on_index("read a commit")?.words("read-tree --end-of-options");
        call.arg(commit.as_str()).run_ok()?;
        let listed = on_index("list an index")?.words("ls-files -z").run_whole()?;
        let paths = &listed.stdout;
        let call = self.in_project("ask which files the checkout leaves out");
        let call = call.git_option("--git-dir=", &worktree.git_dir);
        let call = call.git_option("--work-tree=", folder);
        let held = call.words("sparse-checkout check-rules -z").input(paths).run()?;
        if held.code != Some(0) || held.truncated {
            return Ok(false);
        }
        let held: BTreeSet<&[u8]> = lines(&held.stdout).collect();
        let left_out = lines(paths).filter(|path| !held.contains(path));
        let left_out: Vec<u8> = left_out.flat_map(|path| [path, b"\0"].concat()).collect();
        let call = on_index("leave files out")?.words("update-index -z --skip-worktree --stdin");
        call.input(&left_out).run_ok()?;
        let call = on_index("write the files of a commit")?.config("core.trustctime=true");
        let call = call.timeout(self.program.limits.transfer);
        call.words("checkout-index --all --force --quiet -u").run_ok()?;
        Ok(true)
    }

    /// Returns the entries of an index that are not on the disk because git was told to leave them out of that place.
    pub(super) fn left_out(
        &self,
        place: &CheckoutDir,
        entries: Vec<StagedEntry>,
    ) -> Result<Vec<StagedEntry>, GitError> {
        let own = place.git_dir.join("index");
        if !own.exists() {
            return Ok(Vec::new());
        }
        // Git writes to an index that it only reads.
        let copy = self.control.scratch(&self.unique_name("index"))?;
        fs::copy(&own, &copy).map_err(failed("copy", &own))?;
        let call = self.in_control("list what a checkout leaves out")?;
        let listed = call
            .env("GIT_INDEX_FILE", &copy)
            .words("ls-files -t -z")
            .run_whole();
        drop(fs::remove_file(&copy));
        let listed = listed?;
        let skipped: BTreeSet<&[u8]> = lines(&listed.stdout)
            .filter_map(|line| line.strip_prefix(b"S "))
            .collect();
        let is_left_out = |entry: &StagedEntry| {
            skipped.contains(entry.path.as_slice())
                && place
                    .folder
                    .join(path_of(&entry.path))
                    .symlink_metadata()
                    .is_err()
        };
        Ok(entries.into_iter().filter(is_left_out).collect())
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty())
}
