//! Long-term maintenance of the control repository: accumulated objects are packed, rarely and while other work continues. Nothing is
//! thrown away, reachable or not: objects that are kept in the attic or still looked for stay.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::cli::GitCli;
use crate::ports::git::GitError;

/// Packs from which on they are made one.
const MAX_PACKS: usize = 50;

/// Refs in files of their own from which on they are packed: each takes a file, and every listing opens all of them.
const MAX_LOOSE_REFS: usize = 200;

impl GitCli {
    /// Packs if that is needed, and returns true if there was something to do. Other maintenance at work, in this process or left by
    /// another, counts as false.
    pub(super) fn pack_if_needed(&self) -> Result<bool, GitError> {
        let Some(_alone) = self.maintenance_lock.1.try_lock() else {
            return Ok(false);
        };
        let objects = self.control.path.join("objects");
        let has_objects = has_more_loose(&objects, self.program.limits.loose) || packs(&objects) > MAX_PACKS;
        if !has_objects && n_files(&self.control.path.join("refs"), MAX_LOOSE_REFS) <= MAX_LOOSE_REFS {
            return Ok(false);
        }
        let Ok(turn) = self
            .maintenance_lock
            .0
            .acquire(Duration::ZERO, |_notes| String::new())
        else {
            return Ok(false);
        };
        if has_objects {
            let call = self.in_control("pack the control repository")?;
            let call = call.words("repack --geometric=2 -d -q");
            call.timeout(self.program.limits.transfer)
                .with_lock(&turn)?
                .run_ok()?;
        }
        turn.finish()?;
        let call = self.in_control("pack the refs of the control repository")?;
        self.run_in_control_lock(call.words("pack-refs --all"))?;
        Ok(true)
    }
}

/// Returns true if more than `most` objects are in files of their own.
fn has_more_loose(objects: &Path, most: usize) -> bool {
    let folders = fs::read_dir(objects).into_iter().flatten().flatten();
    let folders = folders.filter(|folder| folder.file_name().len() == 2);
    let loose = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    loose.take(most.saturating_add(1)).count() > most
}

/// Files below a folder; counts hardly more than `most`.
fn n_files(folder: &Path, most: usize) -> usize {
    let mut n_found = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if n_found > most {
            break;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        n_found += if is_folder {
            n_files(&entry.path(), most)
        } else {
            1
        };
    }
    n_found
}

fn packs(objects: &Path) -> usize {
    let files = fs::read_dir(objects.join("pack")).into_iter().flatten().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "pack"))
        .count()
}
