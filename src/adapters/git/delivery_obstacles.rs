//! Obstacles to a move of the person's files: each path that changes is compared with the checked-out commit, and all folders above it are
//! looked at. Nothing is changed here, and no link is followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::delivery_move::{Move, Moving, on_disk, present, until};
use super::error_text::one_line;
use super::files::failed;
use super::parse::TreeChange;

impl Move<'_> {
    /// Compares all files that change with those of the checked-out commit.
    pub(super) fn look_at_files(&mut self) -> Moving<()> {
        let paths: BTreeMap<&str, &TreeChange> = self
            .changes
            .iter()
            .map(|change| (change.path.as_str(), change))
            .collect();
        let mut obstacles = Vec::new();
        let mut settled = BTreeSet::new();
        for change in &self.changes {
            match self
                .look_at(change, &paths)
                .map_err(failed("look at", &self.place(&change.path)))?
            {
                Look::Free => {}
                Look::Settled => {
                    settled.insert(change.path.clone());
                }
                Look::Obstacle(why) => obstacles.push(why),
            }
        }
        self.settled = settled;
        match obstacles.as_slice() {
            [] => Ok(()),
            [one] => Err(until(one)),
            [one, others @ ..] => Err(until(format!("{one}, and {} more", others.len()))),
        }
    }

    fn look_at(&self, change: &TreeChange, paths: &BTreeMap<&str, &TreeChange>) -> io::Result<Look> {
        if let Some(why) = self.obstacle_above(&change.path, paths)? {
            return Ok(Look::Obstacle(why));
        }
        let (path, place) = (one_line(&change.path), self.place(&change.path));
        let is_like = |name: &str| self.is_same(&self.stage().join(name).join(&change.path), &place);
        let had = on_disk(change.from.as_ref()).is_some();
        let found = present(&place)?;
        let Some(found) = found else {
            let is_ours = self.projected.holds(Path::new(&change.path), None);
            return Ok(match (had, on_disk(change.to.as_ref())) {
                (false, _) => Look::Free,
                (true, None) => Look::Settled,
                (true, Some(_)) if is_ours => Look::Free,
                (true, Some(_)) => Look::Obstacle(format!("{path} is deleted here; restore or commit that")),
            });
        };
        if found.is_dir() {
            return Ok(match self.kept_below(&place, paths)? {
                // An empty folder stands for a submodule without files.
                None if !had => Look::Free,
                None => Look::Obstacle(format!("{path} is a folder here; move it away")),
                Some(file) => Look::Obstacle(format!(
                    "{} is in the way of {path}; move it away",
                    one_line(&file)
                )),
            });
        }
        if had && is_like("from")? {
            return Ok(Look::Free);
        }
        if on_disk(change.to.as_ref()).is_some() && is_like("to")? {
            return Ok(Look::Settled);
        }
        if self.is_projected(&change.path, &place) {
            return Ok(Look::Free);
        }
        Ok(Look::Obstacle(if had {
            format!("{path} has changes of yours; commit or stash them")
        } else {
            format!("{path} is a file of yours that the merged work adds; move it away")
        }))
    }

    /// Returns true if a file of the checkout still is what this program wrote there.
    pub(super) fn is_projected(&self, path: &str, place: &Path) -> bool {
        let is_file = place.symlink_metadata().is_ok_and(|found| found.is_file());
        let content = is_file.then(|| fs::read(place).ok()).flatten();
        content.is_some_and(|content| self.projected.holds(Path::new(path), Some(&content)))
    }

    /// Returns what is in the way above a path: a link, a file that stays, another repository, or a name that differs in case only.
    fn obstacle_above(&self, path: &str, paths: &BTreeMap<&str, &TreeChange>) -> io::Result<Option<String>> {
        let ignores_case = self.git.project.has("core.ignorecase=true");
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends {
            let part = path.get(..end).unwrap_or_default();
            let place = self.place(part);
            if ignores_case && let Some(other) = other_case(&place)? {
                return Ok(Some(format!(
                    "{} differs from {part} in case only; rename it",
                    one_line(&other)
                )));
            }
            if end == path.len() {
                break;
            }
            let Some(found) = present(&place)? else {
                return Ok(None);
            };
            if !found.is_dir() {
                let goes = paths
                    .get(part)
                    .is_some_and(|change| on_disk(change.to.as_ref()).is_none());
                let why = format!("{} is not a folder here; move it away", one_line(part));
                return Ok((!goes).then_some(why));
            }
            if place.join(".git").symlink_metadata().is_ok() {
                return Ok(Some(format!(
                    "{} is another repository; move it away",
                    one_line(part)
                )));
            }
        }
        Ok(None)
    }

    /// Returns the first file below a folder that the move does not take away.
    fn kept_below(&self, folder: &Path, paths: &BTreeMap<&str, &TreeChange>) -> io::Result<Option<String>> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let place = entry.path();
            if entry.file_type()?.is_dir() {
                if let Some(kept) = self.kept_below(&place, paths)? {
                    return Ok(Some(kept));
                }
                continue;
            }
            let name = place.strip_prefix(&self.git.project.root).unwrap_or(&place);
            let name = name.to_string_lossy().replace('\\', "/");
            let goes = paths.get(name.as_str()).is_some_and(|change| change.to.is_none());
            if !goes {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Returns true if two files, or two links, are the same, with the mode as far as git looks at it here.
    pub(super) fn is_same(&self, one: &Path, other: &Path) -> io::Result<bool> {
        let (Some(first), Some(second)) = (present(one)?, present(other)?) else {
            return Ok(false);
        };
        if first.is_symlink() || second.is_symlink() {
            let both = first.is_symlink() && second.is_symlink();
            return Ok(both && fs::read_link(one)? == fs::read_link(other)?);
        }
        let with_modes = !self.git.project.has("core.filemode=false");
        if !first.is_file() || !second.is_file() || first.len() != second.len() {
            return Ok(false);
        }
        Ok((!with_modes || is_executable(&first) == is_executable(&second))
            && fs::read(one)? == fs::read(other)?)
    }

    pub(super) fn place(&self, path: &str) -> PathBuf {
        self.git.project.root.join(path)
    }
}

/// Result of a look at a path of the checkout.
enum Look {
    /// Path that may be written or removed.
    Free,
    /// Path that is already as in the new commit.
    Settled,
    /// Reason why nothing may be moved; for people.
    Obstacle(String),
}

/// Returns the name beside a path that differs from its own in case only.
fn other_case(place: &Path) -> io::Result<Option<String>> {
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Ok(None);
    };
    let lower = name.to_string_lossy().to_lowercase();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(_absent) => return Ok(None),
    };
    for entry in entries {
        let other = entry?.file_name();
        if other != name && other.to_string_lossy().to_lowercase() == lower {
            return Ok(Some(other.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn is_executable(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &fs::Metadata) -> bool {
    false
}
