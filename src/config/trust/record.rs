//! Record of what a person trusts of one project, as it is kept in their state folder.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::adapters::project::Project;
use crate::adapters::state_folder::private_folder;
use crate::adapters::text_file;
use crate::config::trust::error::{RecordError, TrustError};
use crate::config::trust::item::TrustItem;
use crate::config::trust::listing::hash;

/// Maximum size of a record that is read.
const LARGEST: u64 = 32 * 1024 * 1024;
/// The version of the form that records have.
const VERSION: u32 = 1;

/// Record of what a person trusts of a project: the exact texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRecord {
    version: u32,
    /// Root of the project, for people who look into the folder.
    pub(super) root: PathBuf,
    /// Identity of the repository that lay there; none in records of earlier versions, which count for no repository.
    #[serde(default)]
    pub(super) repository: Option<String>,
    /// The plan whose commands these are; nothing in the record of the project itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// True if a person has trusted a whole listing, not only settings they set themselves.
    pub is_whole: bool,
    pub items: Vec<TrustItem>,
}

impl TrustRecord {
    /// A record that trusts these texts in the repository that lies at the project's root now.
    ///
    /// # Errors
    /// [`TrustError::NoIdentity`] when nothing names that repository.
    pub(super) fn new(
        project: &Project,
        is_whole: bool,
        items: Vec<TrustItem>,
    ) -> Result<TrustRecord, TrustError> {
        let identity = project.identity();
        let repository = identity.ok_or_else(|| TrustError::NoIdentity(project.dbs()))?;
        Ok(TrustRecord {
            version: VERSION,
            root: project.root().to_owned(),
            repository: Some(repository),
            plan: None,
            is_whole,
            items,
        })
    }

    /// Returns true if the record was made for the repository that is at the project's root now.
    pub(super) fn is_of(&self, project: &Project) -> bool {
        self.repository.is_some() && self.repository == project.identity()
    }

    /// The hash of what is trusted.
    pub fn hash(&self) -> String {
        hash(self.items.iter())
    }

    /// The record in the file; `None` if there is none. `is_meant` says whether it is of the right project and plan.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub(super) fn read(
        file: &Path,
        is_meant: impl Fn(&TrustRecord) -> bool,
    ) -> Result<Option<TrustRecord>, RecordError> {
        let text = match text_file::read_text(file, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let record: TrustRecord = serde_json::from_str(&text)?;
        if record.version != VERSION || !is_meant(&record) {
            return Err(RecordError::Other);
        }
        Ok(Some(record))
    }

    /// Writes the whole record or nothing, readable for this person alone.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        private_folder().recursive(true).create(folder)?;
        text_file::replace_private(file, &serde_json::to_vec_pretty(self)?)
    }
}
