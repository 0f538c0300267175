//! Checks before the files of the person's checkout are moved: every path that changes has the content of the checked-out commit, or one
//! that this program wrote there, both on the disk and in the index, and git converts it without a program. Nothing is changed here but the
//! folder in which the new files are prepared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::command::GitCommand;
use super::deliver::{Halt, INDEX_OF_COMMIT, Move, Moving, STAGE, in_parts, remove_if_there, until};
use super::discovery;
use super::error_text::{one_line, reason};
use super::files::{failed, missing};
use super::filter_settings::filter_of;
use super::parse::{self, FileEntry, TreeChange};
use crate::ports::git::{CommitId, GitError};

/// Mode of an entry that is a commit of another repository.
const GITLINK: &str = "160000";

impl FileEntry {
    pub(super) fn is_gitlink(&self) -> bool {
        self.mode == GITLINK
    }
}

/// Returns the entry, if it is a file or a link on the disk.
pub(super) fn on_disk(entry: Option<&FileEntry>) -> Option<&FileEntry> {
    entry.filter(|entry| !entry.is_gitlink())
}

impl Move<'_> {
    /// Fails where a rule forbids the move; the files of both commits are in the stage afterwards.
    pub(super) fn check(&mut self) -> Moving<()> {
        self.refuse_sparse()?;
        self.refuse_private_attributes()?;
        self.refuse_links()?;
        self.prepare_index()?;
        self.merged_index()?;
        for (name, commit) in [("from", &self.from), ("to", &self.to)] {
            self.write_stage(name, commit)?;
        }
        self.look_at_files()
    }

    /// Fails where something has the name of the folder that the move needs.
    pub(super) fn refuse_stage(&self) -> Moving<()> {
        let is_below = |change: &TreeChange| change.path.to_lowercase().starts_with(STAGE);
        if self.stage().symlink_metadata().is_ok() || self.changes.iter().any(is_below) {
            return Err(until(format!("{STAGE} is in the way; move it away")));
        }
        Ok(())
    }

    fn refuse_sparse(&self) -> Moving<()> {
        let call = self.git.in_project("ask whether the checkout is sparse");
        let is_sparse = call.words("config --type=bool --get core.sparseCheckout").run()?;
        if is_sparse.text().trim() == "true" {
            return Err(Halt::Kept(
                "the checkout is sparse; `git pull` moves it".to_owned(),
            ));
        }
        Ok(())
    }

    /// Fails where attributes that are in no commit may convert files.
    fn refuse_private_attributes(&self) -> Moving<()> {
        let private = self.git.private_attributes()?;
        let mut lines = private.lines().map(str::trim);
        if lines.any(|line| !line.is_empty() && !line.starts_with('#')) {
            let why = ".git/info/attributes may convert files; `git pull` moves them";
            return Err(Halt::Kept(why.to_owned()));
        }
        Ok(())
    }

    /// Fails where the commit of a submodule changes that has files here.
    fn refuse_links(&self) -> Moving<()> {
        let is_link = |entry: &Option<FileEntry>| entry.as_ref().is_some_and(FileEntry::is_gitlink);
        for change in &self.changes {
            if is_link(&change.from) || is_link(&change.to) {
                let mut entries = fs::read_dir(self.place(&change.path)).into_iter().flatten();
                if entries.next().is_some() {
                    let path = one_line(&change.path);
                    let why = format!(
                        "submodule {path} changes and has files here; `git pull --recurse-submodules` moves it"
                    );
                    return Err(Halt::Kept(why));
                }
            }
        }
        Ok(())
    }

    /// Copies the index and fails where the person has staged something at a changed path, or hidden it from git.
    fn prepare_index(&self) -> Moving<()> {
        self.copy_index()?;
        let paths: BTreeMap<&str, &TreeChange> = self
            .changes
            .iter()
            .map(|change| (change.path.as_str(), change))
            .collect();
        let call = self.on_index("compare the index")?;
        let call = call
            .words("diff-index --cached --raw -z --no-abbrev --no-renames")
            .arg(self.from.as_str());
        for staged in parse::tree_changes(&call.arg("--").run_whole()?.stdout) {
            // A file that the person took out of the index stays on the disk, and so does the move.
            let has_new = staged.to.is_some()
                && paths
                    .get(staged.path.as_str())
                    .is_some_and(|change| change.to == staged.to);
            if !has_new && touches(&paths, &staged.path) {
                return Err(until(format!(
                    "{} is staged; commit or unstage it",
                    one_line(&staged.path)
                )));
            }
        }
        let call = self.on_index("list the index")?.words("ls-files -v -z");
        let output = call.run_whole()?;
        for entry in output.text().split('\0') {
            let (tag, path) = entry.split_once(' ').unwrap_or_default();
            if tag == "M" {
                return Err(until(format!("{} is in conflict; resolve it", one_line(path))));
            }
            if !matches!(tag, "H" | "") && paths.contains_key(path) {
                let why = format!(
                    "git was told to skip {} or not to look at it; `git pull`",
                    one_line(path)
                );
                return Err(Halt::Kept(why));
            }
        }
        Ok(())
    }

    fn copy_index(&self) -> Moving<()> {
        let (index, copy) = (self.git.project.git_dir.join("index"), self.index_copy());
        remove_if_there(&copy)?;
        match fs::copy(&index, &copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("copy", &index)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns a copy of the index with the entries of the new commit where the two differ, and all others as they are.
    pub(super) fn merged_index(&self) -> Moving<PathBuf> {
        self.copy_index()?;
        let call = self.on_index("move the index")?.words("read-tree -i -m");
        let output = call.args([self.from.as_str(), self.to.as_str()]).run()?;
        if output.code != Some(0) {
            let why = reason(&output);
            return Err(until(format!(
                "the index is in the way ({why}); see `git status`"
            )));
        }
        Ok(self.index_copy())
    }

    /// Notes in the copy of the index how the written files look on the disk, so that git need not read them. Nothing depends on it.
    pub(super) fn refresh_index(&self) {
        let (root, copy) = (&self.git.project.root, self.index_copy());
        let changed = self
            .changes
            .iter()
            .filter(|change| on_disk(change.to.as_ref()).is_some());
        let written: Vec<&str> = changed.map(|change| change.path.as_str()).collect();
        let refresh = || {
            Ok(self
                .git
                .on_files(root, &copy, "refresh the index")?
                .words("add --refresh"))
        };
        drop(in_parts(&written, refresh));
    }

    /// A call that reads or writes only the copy of the index.
    fn on_index(&self, what: &str) -> Result<GitCommand, GitError> {
        Ok(self
            .git
            .in_control(what)?
            .env("GIT_INDEX_FILE", self.index_copy()))
    }

    /// Writes the changed files of a commit into the stage, as git would write them into the checkout.
    pub(super) fn write_stage(&self, name: &str, commit: &CommitId) -> Moving<()> {
        let stage = self.stage();
        let index = self.git.project.git_dir.join(INDEX_OF_COMMIT);
        remove_if_there(&index)?;
        let call = |what: &str| self.git.on_files(&stage, &index, what);
        let read = call("read the files of a commit")?;
        read.words("read-tree --end-of-options")
            .arg(commit.as_str())
            .run_ok()?;
        let side = |change: &TreeChange| {
            let entry = if *commit == self.from {
                &change.from
            } else {
                &change.to
            };
            on_disk(entry.as_ref()).is_some()
        };
        let paths = self.changes.iter().filter(|change| side(change));
        let paths: Vec<&str> = paths.map(|change| change.path.as_str()).collect();
        let ask = || Ok(call("read the attributes of files")?.words("check-attr --cached -z filter"));
        let attributes = in_parts(&paths, ask)?;
        self.refuse_filters(&String::from_utf8_lossy(&attributes))?;
        let folder = stage.join(name);
        fs::create_dir(&folder).map_err(failed("make", &folder))?;
        let write = || {
            let call = call("write the files of a commit")?.timeout(self.git.program.limits.transfer);
            Ok(call
                .words("checkout-index --force --quiet")
                .arg(format!("--prefix={name}/")))
        };
        in_parts(&paths, write)?;
        remove_if_there(&index)?;
        Ok(())
    }

    /// Fails where a file is converted by a program, by the output of `check-attr -z`.
    fn refuse_filters(&self, printed: &str) -> Moving<()> {
        let fields: Vec<&str> = printed.split_terminator('\0').collect();
        let wanted = fields.chunks_exact(3).filter_map(|entry| match entry {
            [_, _, "unspecified" | "unset" | "set"] => None,
            [path, _, filter] => Some((*path, *filter)),
            _ => None,
        });
        let wanted: Vec<(&str, &str)> = wanted.collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let known = discovery::filters(&self.git.program, &self.git.project)
            .map_err(|error| missing("the filters of the project", error.to_string()))?;
        let own: BTreeSet<&str> = known.own.keys().filter_map(|name| filter_of(name)).collect();
        let is_known = |name: &str| known.foreign.contains(name) || own.contains(name);
        match wanted.iter().find(|(_, name)| is_known(name)) {
            Some((path, name)) => {
                let (path, name) = (one_line(path), one_line(name));
                Err(Halt::Kept(format!(
                    "{path} needs the filter {name}; `git pull` runs it"
                )))
            }
            None => Ok(()),
        }
    }

    /// Compares all files that change with those of the checked-out commit.
    fn look_at_files(&mut self) -> Moving<()> {
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
                let why = format!("{} is no folder here; move it away", one_line(part));
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

/// Returns true if a path is one of those that change, is below one or has one below it.
fn touches(paths: &BTreeMap<&str, &TreeChange>, path: &str) -> bool {
    let below = format!("{path}/");
    let mut above = path
        .match_indices('/')
        .map(|(end, _)| path.get(..end).unwrap_or_default());
    paths.contains_key(path)
        || above.any(|folder| paths.contains_key(folder))
        || paths
            .range(below.as_str()..)
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
}

/// Returns what is at a path; nothing where there is nothing. A link is not followed.
pub(super) fn present(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
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
