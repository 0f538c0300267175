//! Commits that a nested repository names, read from its files: no git of ours runs with its configuration, which could hide refs or start
//! programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use super::files::{failed, not_ours};
use super::nested_search::NestedRepo;
use super::parse::existing_commit;
use crate::ports::git::{CommitId, GitError};

/// Maximum length of a file that is read as refs or as their log.
const FILE_LIMIT: u64 = 64 * 1024 * 1024;
/// Maximum number of ids taken from logs, the newest of each file first.
const MOST_LOGGED: usize = 10_000;

/// Ids that a repository names.
#[derive(Debug, Default)]
pub(super) struct NamedIds {
    /// Commit that is checked out; `None` if there is no commit yet.
    pub(super) head: Option<CommitId>,
    /// Commits by name: branches, tags, stashes, heads.
    pub(super) names: BTreeMap<String, CommitId>,
    /// Commits that refs once named.
    pub(super) logged: BTreeSet<CommitId>,
}

/// Reads all of it. Errors: something is not a plain file, or refs are kept in another way than as files.
pub(super) fn read(repo: &NestedRepo) -> Result<NamedIds, GitError> {
    if repo.common.join("reftable").symlink_metadata().is_ok() {
        return Err(not_ours(&repo.common, "its refs are not files"));
    }
    let mut shared = BTreeMap::new();
    read_packed(&repo.common.join("packed-refs"), &mut shared)?;
    read_refs(&repo.common, Path::new("refs"), &mut shared)?;
    let mut ids = NamedIds::default();
    let mut folders = vec![&repo.git_dir];
    // Branches of a repository that stays are in no danger; they only say what is checked out.
    if repo.has_own_objects {
        ids.names.clone_from(&shared);
        folders.extend((repo.common != repo.git_dir).then_some(&repo.common));
    }
    for folder in folders {
        read_heads(folder, &mut ids.names)?;
        read_logs(&folder.join("logs"), &mut ids.logged)?;
    }
    if repo.common != repo.git_dir {
        read_refs(&repo.git_dir, Path::new("refs"), &mut ids.names)?;
    }
    ids.head = head(&repo.git_dir.join("HEAD"), &shared)?;
    if let Some(head) = &ids.head {
        ids.names.insert("HEAD".to_owned(), head.clone());
    }
    Ok(ids)
}

fn head(file: &Path, refs: &BTreeMap<String, CommitId>) -> Result<Option<CommitId>, GitError> {
    let text = text_of(file)?;
    let text = text.trim_end();
    Ok(match text.strip_prefix("ref: ") {
        Some(name) => refs.get(name.trim()).cloned(),
        None => existing_commit(text),
    })
}

fn read_packed(file: &Path, names: &mut BTreeMap<String, CommitId>) -> Result<(), GitError> {
    for line in text_of(file)?.lines() {
        if let Some((id, name)) = line.split_once(' ')
            && let Some(id) = existing_commit(id)
        {
            names.insert(name.to_owned(), id);
        }
    }
    Ok(())
}

/// Every file below a folder is a ref by that name.
fn read_refs(root: &Path, below: &Path, names: &mut BTreeMap<String, CommitId>) -> Result<(), GitError> {
    for file in files_below(&root.join(below))? {
        let name = file
            .strip_prefix(root)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        if let Some(id) = existing_commit(text_of(&file)?.trim_end()) {
            names.insert(name, id);
        }
    }
    Ok(())
}

/// `ORIG_HEAD`, `FETCH_HEAD`, `MERGE_HEAD` and their like: the ids lines of theirs begin with.
fn read_heads(folder: &Path, names: &mut BTreeMap<String, CommitId>) -> Result<(), GitError> {
    for entry in fs::read_dir(folder).map_err(failed("read", folder))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "HEAD" || !name.ends_with("HEAD") || !entry.file_type().is_ok_and(|found| found.is_file())
        {
            continue;
        }
        for (number, line) in text_of(&entry.path())?.lines().enumerate() {
            let id = line.split(['\t', ' ']).next().and_then(existing_commit);
            if let Some(id) = id {
                names.insert(format!("{name}-{number}"), id);
            }
        }
    }
    Ok(())
}

fn read_logs(folder: &Path, logged: &mut BTreeSet<CommitId>) -> Result<(), GitError> {
    for file in files_below(folder)? {
        let text = text_of(&file)?;
        let ids = text.lines().rev().flat_map(|line| line.split(' ').take(2));
        logged.extend(ids.filter_map(existing_commit).take(MOST_LOGGED));
    }
    if logged.len() > MOST_LOGGED {
        return Err(not_ours(folder, "its logs are very long"));
    }
    Ok(())
}

/// Reads a file; an empty text if it does not exist.
fn text_of(file: &Path) -> Result<String, GitError> {
    match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(failed("look at", file)(error)),
        Ok(found) if found.is_file() && found.len() <= FILE_LIMIT => {}
        Ok(_) => return Err(not_ours(file, "it is not a file of a usual size")),
    }
    let text = fs::read(file).map_err(failed("read", file))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn files_below(folder: &Path) -> Result<Vec<std::path::PathBuf>, GitError> {
    let (mut open, mut files) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.map_err(failed("read", &folder))?,
        };
        for entry in entries {
            let entry = entry.map_err(failed("read", &folder))?;
            match entry.file_type().map_err(failed("look at", &folder))? {
                kind if kind.is_dir() => open.push(entry.path()),
                kind if kind.is_file() => files.push(entry.path()),
                _ => return Err(not_ours(entry.path(), "it is neither a file nor a folder")),
            }
        }
    }
    Ok(files)
}
