//! Folders in which worktrees and the checkouts of gates are made. They lie outside of the person's checkout, so that no tool that climbs to
//! the folders above finds packages, instructions or settings there; and never in a cache, because worktrees hold unsaved work.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::error::{ProjectError, failed};
use super::find::Project;
use super::folders::make;

use crate::adapters::state_folder::private_folder;
use crate::adapters::text_file;

/// File in a folder of ours that names the checkout it belongs to.
const MARK: &str = ".dbs-place";

/// Maximum size of a mark that is read, in bytes.
const LONGEST_MARK: u64 = 64 * 1024;

/// Place of the worktrees of a project, as a setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkspaceRoot {
    /// Folder beside the checkout, or in the person's state folder where that one cannot be written.
    #[default]
    Beside,
    /// `.debussy-worktrees` in the checkout.
    Inside,
}

/// Folders of a project's worktrees and checkouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkPlaces {
    /// The main checkout.
    root: PathBuf,
    /// `NAME.dbs` beside the checkout.
    beside: Option<PathBuf>,
    /// Folder below the person's state folder.
    in_state: Option<PathBuf>,
    /// Folders of worktrees that an earlier place of the project had.
    moved: Vec<PathBuf>,
    setting: WorkspaceRoot,
}

impl Project {
    /// Returns the folders of worktrees and checkouts by the setting. `person` is the person's state folder. Makes nothing.
    pub fn places(&self, person: Option<&Path>, setting: WorkspaceRoot) -> WorkPlaces {
        let name = self.root().file_name().map(|name| name.to_string_lossy());
        let name = name.as_deref().unwrap_or("project");
        let beside = self
            .root()
            .parent()
            .map(|above| above.join(format!("{name}.dbs")));
        let in_state = person.map(|folder| {
            let digest = Sha256::digest(self.root().as_os_str().as_encoded_bytes());
            let digits = hex::encode(digest.get(..6).unwrap_or_default());
            folder.join("work").join(format!("{name}-{digits}"))
        });
        let mut places = WorkPlaces {
            root: self.root().to_owned(),
            beside,
            in_state,
            moved: Vec::new(),
            setting,
        };
        places.moved = places.registered_elsewhere(self.git_folder());
        places
    }
}

impl WorkPlaces {
    /// Folder in which new worktrees are made.
    pub fn worktrees(&self) -> PathBuf {
        match self.setting {
            WorkspaceRoot::Inside => self.inside(),
            WorkspaceRoot::Beside => self.by_checkout(),
        }
    }

    /// Other folders that may hold worktrees of the project.
    pub fn former_worktrees(&self) -> Vec<PathBuf> {
        let new = self.worktrees();
        let known = [self.beside.clone(), self.in_state.clone(), Some(self.inside())];
        let all = known.into_iter().flatten().chain(self.moved.iter().cloned());
        all.filter(|folder| *folder != new).collect()
    }

    /// Folder of the checkouts of gates, outside of the checkout whatever the setting is.
    pub fn checkouts(&self) -> PathBuf {
        self.outside().join(".checkouts")
    }

    /// Folder outside of the checkout for what is kept beside worktrees.
    pub fn outside(&self) -> PathBuf {
        match (self.setting, &self.in_state) {
            (WorkspaceRoot::Inside, Some(folder)) => folder.clone(),
            _ => self.by_checkout(),
        }
    }

    /// Other folders in which checkouts of gates may have been left.
    pub fn former_checkouts(&self) -> Vec<PathBuf> {
        let new = self.checkouts();
        let below = [self.beside.as_ref(), self.in_state.as_ref()]
            .into_iter()
            .flatten();
        let below = below.map(|folder| folder.join(".checkouts"));
        let earlier = self.root.join(".debussy").join("checkouts");
        below.chain([earlier]).filter(|folder| *folder != new).collect()
    }

    /// Makes the folders, closed to others.
    ///
    /// # Errors
    /// When neither the folder beside the checkout nor the one in the person's state folder can be made.
    pub fn prepare(&self) -> Result<(), ProjectError> {
        if self.setting == WorkspaceRoot::Inside {
            make(&self.inside())?;
            return self.in_state.as_ref().map_or(Ok(()), |folder| self.claim(folder));
        }
        let first = self.by_checkout();
        match self.claim(&first) {
            Err(error) if self.beside.as_ref() == Some(&first) => self
                .in_state
                .as_ref()
                .map_or(Err(error), |folder| self.claim(folder)),
            claimed => claimed,
        }
    }

    /// The folder outside of the checkout: beside it if that is ours or free, and nothing was made in the person's state folder before.
    fn by_checkout(&self) -> PathBuf {
        let beside = self.beside.as_ref().filter(|folder| self.is_ours(folder));
        let state = self.in_state.as_ref();
        let made = beside.or_else(|| state.filter(|folder| folder.is_dir()));
        let free = || self.beside.as_ref().filter(|folder| is_free(folder));
        let chosen = made.or_else(free).or(state);
        chosen.cloned().unwrap_or_else(|| self.inside())
    }

    fn inside(&self) -> PathBuf {
        self.root.join(".debussy-worktrees")
    }

    /// Makes a folder and marks it as this project's.
    fn claim(&self, folder: &Path) -> Result<(), ProjectError> {
        if let Some(above) = folder.parent() {
            let made = private_folder().recursive(true).create(above);
            made.map_err(failed("make folder", above))?;
        }
        make(folder)?;
        let mark = folder.join(MARK);
        let text = self.root.to_string_lossy();
        if fs::read(&mark).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        text_file::replace_private_unsynced(&mark, text.as_bytes()).map_err(failed("write", &mark))
    }

    /// Returns true if a folder is marked as this project's, or as that of a checkout that is no longer there.
    fn is_ours(&self, folder: &Path) -> bool {
        let is_real = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
        let mark = || text_file::read_text(&folder.join(MARK), LONGEST_MARK).ok();
        let owner = is_real.then(mark).flatten().map(PathBuf::from);
        owner.is_some_and(|owner| owner == self.root || !owner.exists())
    }

    /// Returns the folders of registered worktrees that were made for this project while it had another name or place.
    fn registered_elsewhere(&self, common: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(common.join("worktrees"))
            .into_iter()
            .flatten()
            .flatten();
        let root = |entry: fs::DirEntry| {
            let pointer = text_file::read_text(&entry.path().join("gitdir"), LONGEST_MARK).ok()?;
            let root = Path::new(pointer.trim_end()).parent()?.parent()?.to_owned();
            let is_known = [&self.beside, &self.in_state].contains(&&Some(root.clone()));
            (!is_known && root.is_absolute() && self.is_ours(&root)).then_some(root)
        };
        let mut found: Vec<PathBuf> = entries.filter_map(root).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// Returns true if nothing is in the place of a folder, or an empty one.
fn is_free(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound && folder.symlink_metadata().is_err(),
    }
}
