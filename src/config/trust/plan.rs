//! Trust of a person in a plan: the exact commands of its gates. Its record is kept beside that of the project and never counts as it.

use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::adapters::project::Project;
use crate::config::trust::error::TrustError;
use crate::config::trust::item::TrustItem;
use crate::config::trust::project::ProjectTrust;
use crate::config::trust::record::TrustRecord;

/// The trust that a person has in the commands of one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanTrust {
    project: Project,
    /// Path of its master file, from the root of the project where it is inside.
    plan: String,
    /// File of the record; `None` if there is no folder to keep it in.
    file: Option<PathBuf>,
}

impl ProjectTrust {
    /// The trust in the plan whose master file has that path from the project's root.
    pub fn of_plan(&self, plan: &str) -> PlanTrust {
        let name = format!("{}.json", hex::encode(Sha256::digest(plan)));
        PlanTrust {
            project: self.project.clone(),
            plan: plan.to_owned(),
            file: self.plan_folder().map(|folder| folder.join(name)),
        }
    }

    /// Returns the trust records of all plans of the project, in order of their names.
    ///
    /// # Errors
    /// The record that cannot be read, and why; reads after "could not".
    pub fn plans(&self) -> Result<Vec<TrustRecord>, TrustError> {
        let Some(folder) = self.plan_folder() else {
            return Ok(Vec::new());
        };
        let failed = |why| TrustError::Failed {
            act: "list",
            file: folder.clone(),
            why,
        };
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut records = Vec::new();
        for entry in entries {
            let file = entry.map_err(failed)?.path();
            let read = TrustRecord::read(&file, |record| {
                record.root == self.root() && record.plan.is_some()
            });
            let record = read.map_err(|why| TrustError::Record { file, why })?;
            records.extend(record.filter(|record| record.is_of(&self.project)));
        }
        records.sort_by(|one, other| one.plan.cmp(&other.plan));
        Ok(records)
    }

    /// Forgets the trust in all plans of the project.
    pub(super) fn forget_plans(&self) -> Result<(), TrustError> {
        let Some(folder) = self.plan_folder() else {
            return Ok(());
        };
        match std::fs::remove_dir_all(&folder) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(TrustError::Failed {
                act: "write",
                file: folder,
                why,
            }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn plan_folder(&self) -> Option<PathBuf> {
        self.record.as_ref().map(|record| record.with_extension("plans"))
    }
}

impl PlanTrust {
    /// The commands that are trusted.
    ///
    /// # Errors
    /// Why the record cannot be used, and the way out.
    pub fn trusted(&self) -> Result<Vec<TrustItem>, TrustError> {
        let Some(file) = &self.file else {
            return Ok(Vec::new());
        };
        let is_own = |record: &TrustRecord| {
            record.root == self.project.root() && record.plan.as_ref() == Some(&self.plan)
        };
        let record = TrustRecord::read(file, is_own).map_err(|why| TrustError::PlanRecord {
            file: file.clone(),
            why,
        })?;
        let own = record.filter(|record| record.is_of(&self.project));
        Ok(own.map(|record| record.items).unwrap_or_default())
    }

    /// Trusts these commands in the place of earlier ones of their names. `is_there` returns whether the plan still has a name: commands
    /// that are gone are not trusted any more.
    ///
    /// # Errors
    /// When the record cannot be read or written.
    pub fn trust(&self, commands: &[TrustItem], is_there: impl Fn(&str) -> bool) -> Result<(), TrustError> {
        let file = self.file.as_ref().ok_or(TrustError::NoFolder)?;
        let mut items = self.trusted()?;
        let is_new = |item: &TrustItem| commands.iter().any(|new| new.name == item.name);
        items.retain(|item| is_there(&item.name) && !is_new(item));
        items.extend_from_slice(commands);
        let mut record = TrustRecord::new(&self.project, false, items)?;
        record.plan = Some(self.plan.clone());
        record.write(file).map_err(|why| TrustError::Failed {
            act: "write",
            file: file.clone(),
            why,
        })
    }
}
