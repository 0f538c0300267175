//! Files of the person's checkout that come and go: put aside, looked at again, put in place, and all of that undone. Every step may be the
//! last one of this process, so each leaves either name of a file, and no file takes the place of another.

use std::fs;
use std::io;
use std::path::Path;

use super::delivery_move::{Move, Moving, on_disk, present, put, until};
use super::error_text::one_line;
use super::files::failed;
use super::parse::TreeChange;
use crate::ports::git::GitError;

impl Move<'_> {
    /// Makes the folder for the files of the move.
    pub(super) fn make_stage(&self) -> Moving<()> {
        Ok(fs::create_dir(self.stage()).map_err(failed("make", &self.stage()))?)
    }

    /// Removes that folder. Files in it that were written to after they were put aside are kept beside it.
    pub(super) fn remove_stage(&self) -> Moving<()> {
        let stage = self.stage();
        if present(&stage).map_err(failed("look at", &stage))?.is_none() {
            return Ok(());
        }
        for change in &self.changes {
            self.keep_if_changed(change)?;
        }
        Ok(fs::remove_dir_all(&stage).map_err(failed("remove", &stage))?)
    }

    /// Keeps a file that was put aside and is not what it was then: a program had it open, or it was changed in that moment.
    fn keep_if_changed(&self, change: &TreeChange) -> Result<(), GitError> {
        let old = self.in_stage("old", &change.path);
        let look = failed("look at", &old);
        let is_known = || -> io::Result<bool> {
            let from = self.in_stage("from", &change.path);
            Ok(self.is_same(&old, &from)? || self.is_projected(&change.path, &old))
        };
        let is_kept = present(&old).and_then(|found| Ok(found.is_some() && !is_known()?));
        if !is_kept.map_err(look)? {
            return Ok(());
        }
        let name = format!(".debussy-kept-{}", self.git.unique_name("delivery"));
        let kept = self.place(&name).join(&change.path);
        make_folders(&kept).map_err(failed("make a folder for", &kept))?;
        put(&old, &kept).map_err(failed("keep", &kept))?;
        tracing::warn!(
            "{} was written to while it was moved; it is kept as {}",
            change.path,
            kept.display()
        );
        Ok(())
    }

    /// Puts the files of the checked-out commit that change or go aside.
    pub(super) fn put_aside(&self) -> Moving<()> {
        for change in self.unsettled().filter(|change| change.from.is_some()) {
            let place = self.place(&change.path);
            if on_disk(change.from.as_ref()).is_none() {
                // The empty folder of a submodule.
                drop(fs::remove_dir(&place));
                continue;
            }
            if present(&place).map_err(failed("look at", &place))?.is_none() {
                continue;
            }
            self.step("put aside");
            let old = self.in_stage("old", &change.path);
            make_folders(&old).map_err(failed("make a folder for", &old))?;
            fs::rename(&place, &old).map_err(failed("put aside", &place))?;
            self.step("look again");
            let from = self.in_stage("from", &change.path);
            let is_same = self.is_same(&old, &from).map_err(failed("look at", &old))?;
            if !is_same && !self.is_projected(&change.path, &old) {
                let path = one_line(&change.path);
                return Err(until(format!("{path} was changed meanwhile; commit or stash it")));
            }
        }
        for change in self.unsettled().filter(|change| change.to.is_none()) {
            self.remove_empty_folders(&change.path);
        }
        Ok(())
    }

    /// Puts the files of the new commit in their places, which are empty.
    pub(super) fn put_in_place(&self) -> Moving<()> {
        for change in self.unsettled().filter(|change| change.to.is_some()) {
            self.step("put in place");
            let place = self.place(&change.path);
            make_folders(&place).map_err(failed("make a folder for", &place))?;
            if on_disk(change.to.as_ref()).is_none() {
                if let Err(error) = fs::create_dir(&place)
                    && error.kind() != io::ErrorKind::AlreadyExists
                {
                    return Err(failed("make", &place)(error).into());
                }
                continue;
            }
            remove_empty(&place);
            if let Err(error) = put(&self.in_stage("to", &change.path), &place) {
                if error.kind() == io::ErrorKind::AlreadyExists {
                    let path = one_line(&change.path);
                    return Err(until(format!("{path} was made meanwhile; move it away")));
                }
                return Err(failed("write", &place)(error).into());
            }
        }
        Ok(())
    }

    /// Takes away the files of the new commit that were put in place, unless they have been changed since.
    pub(super) fn take_away(&self) -> Moving<()> {
        let again = self.stage().join("again");
        if present(&again).map_err(failed("look at", &again))?.is_some() {
            fs::remove_dir_all(&again).map_err(failed("remove", &again))?;
        }
        self.write_stage("again", &self.to)?;
        for change in self
            .unsettled()
            .filter(|change| on_disk(change.to.as_ref()).is_some())
        {
            let (place, new) = (self.place(&change.path), self.in_stage("again", &change.path));
            let prepared = self.in_stage("to", &change.path);
            let waits = present(&prepared)
                .map_err(failed("look at", &prepared))?
                .is_some();
            let is_new = self.is_same(&place, &new).map_err(failed("look at", &place))?;
            if !is_new || (waits && !is_one_file(&prepared, &place)) {
                continue;
            }
            self.step("take away");
            let taken = self.in_stage("taken", &change.path);
            make_folders(&taken).map_err(failed("make a folder for", &taken))?;
            fs::rename(&place, &taken).map_err(failed("take away", &place))?;
            if self.is_same(&taken, &new).map_err(failed("look at", &taken))? {
                self.remove_empty_folders(&change.path);
            } else {
                put(&taken, &place).map_err(failed("put back", &place))?;
            }
        }
        Ok(())
    }

    /// Puts the files that were put aside back if nothing is in their place.
    pub(super) fn put_back(&self) -> Moving<()> {
        for change in &self.changes {
            let (place, old) = (self.place(&change.path), self.in_stage("old", &change.path));
            let look = |path: &Path| present(path).map_err(failed("look at", path));
            if look(&old)?.is_none() || look(&place)?.is_some() {
                continue;
            }
            self.step("put back");
            // A folder that cannot be made was replaced by a file of the person, and the old one is no longer wanted.
            if let Err(error) = make_folders(&place).and_then(|()| put(&old, &place)) {
                tracing::warn!("could not put {} back: {error}", place.display());
            }
        }
        Ok(())
    }

    fn unsettled(&self) -> impl Iterator<Item = &TreeChange> {
        self.changes
            .iter()
            .filter(|change| !self.settled.contains(&change.path))
    }

    fn in_stage(&self, name: &str, path: &str) -> std::path::PathBuf {
        self.stage().join(name).join(path)
    }

    /// Removes the folders above a path, from the lowest, as long as they are empty.
    fn remove_empty_folders(&self, path: &str) {
        let folders = Path::new(path).ancestors().skip(1);
        let mut folders = folders.filter(|folder| *folder != Path::new(""));
        while let Some(folder) = folders.next()
            && fs::remove_dir(self.git.project.root.join(folder)).is_ok()
        {}
    }
}

/// Removes a folder that holds nothing but folders.
fn remove_empty(folder: &Path) {
    if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        remove_empty(&entry.path());
    }
    drop(fs::remove_dir(folder));
}

/// Makes the folders above a path.
fn make_folders(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Returns true if two names are of one file: it was about to lose the first.
#[cfg(unix)]
fn is_one_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |path: &Path| {
        path.symlink_metadata()
            .map(|found| (found.dev(), found.ino()))
            .ok()
    };
    number(one).is_some_and(|found| number(other) == Some(found))
}

#[cfg(not(unix))]
fn is_one_file(_one: &Path, _other: &Path) -> bool {
    false
}
