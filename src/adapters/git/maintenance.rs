//! The control repository in the long run: what has accumulated is packed, rarely and while other work goes on. Nothing is thrown
//! away, reachable or not: what is kept in the attic and what somebody still looks for stays.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::cli::GitCli;
use crate::ports::git::GitError;

/// Packs from which on they are made one.
const MAX_PACKS: usize = 50;

impl GitCli {
    /// Answers whether there was something to do. Somebody else at it, in this process or left by another, is a no.
    pub(super) fn pack_if_needed(&self) -> Result<bool, GitError> {
        let Some(_alone) = self.maintenance_lock.1.try_lock() else {
            return Ok(false);
        };
        let objects = self.control.path.join("objects");
        if !has_more_loose(&objects, self.program.limits.loose) && packs(&objects) <= MAX_PACKS {
            return Ok(false);
        }
        let Ok(turn) = self
            .maintenance_lock
            .0
            .acquire(Duration::ZERO, |_notes| String::new())
        else {
            return Ok(false);
        };
        let call = self.in_control("pack the control repository")?;
        let call = call.words("repack --geometric=2 -d -q");
        call.timeout(self.program.limits.transfer)
            .with_lock(&turn)?
            .run_ok()?;
        turn.finish()?;
        let call = self.in_control("pack the refs of the control repository")?;
        self.run_in_control_lock(call.words("pack-refs --all"))?;
        Ok(true)
    }
}

/// Whether more objects than that lie in files of their own.
fn has_more_loose(objects: &Path, most: usize) -> bool {
    let folders = fs::read_dir(objects).into_iter().flatten().flatten();
    let folders = folders.filter(|folder| folder.file_name().len() == 2);
    let loose = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
    loose.take(most.saturating_add(1)).count() > most
}

fn packs(objects: &Path) -> usize {
    let files = fs::read_dir(objects.join("pack")).into_iter().flatten().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "pack"))
        .count()
}
