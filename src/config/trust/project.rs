//! The trust that a person has in one project: looking, trusting, forgetting.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::adapters::project::Project;
use crate::config::files::ConfigFiles;
use crate::config::layers::Config;
use crate::config::origin::ConfigOverrides;
use crate::config::raw::TrustedValue;
use crate::config::trust::changes::TrustReport;
use crate::config::trust::error::TrustError;
use crate::config::trust::item::TrustKind;
use crate::config::trust::listing::{FOLDERS, TrustListing};
use crate::config::trust::own_hand;
use crate::config::trust::record::TrustRecord;
use crate::formats::agent_kind::AgentKinds;
use crate::formats::prompt::{PromptError, PromptLibrary};

/// Trust of one person in one project: the paths of its files, and of the record of what is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectTrust {
    pub(super) project: Project,
    files: ConfigFiles,
    /// Record of what is trusted; `None` if there is no folder to keep it in, and then nothing can be trusted.
    pub(super) record: Option<PathBuf>,
}

impl ProjectTrust {
    /// The trust in a project, as recorded in the person's state folder.
    pub fn new(project: &Project, files: &ConfigFiles, state: Option<&Path>) -> ProjectTrust {
        let digest = hex::encode(Sha256::digest(project.root().as_os_str().as_encoded_bytes()));
        ProjectTrust {
            project: project.clone(),
            files: files.clone(),
            record: state.map(|folder| folder.join("trust").join(format!("{digest}.json"))),
        }
    }

    /// Compares the project's files with what was trusted.
    pub fn look(&self) -> TrustReport {
        let listing = TrustListing::read(&self.project, &self.files);
        let record = self.record();
        let problem = listing
            .as_ref()
            .err()
            .or(record.as_ref().err())
            .map(ToString::to_string);
        let record = record.unwrap_or_default();
        let (record, former) = match record {
            Some(record) if !record.is_of(&self.project) => (None, Some(record)),
            record => (record, None),
        };
        TrustReport {
            listing: listing.unwrap_or_default(),
            record,
            former,
            problem,
        }
    }

    /// Trusts everything in the project's files, if it has this hash.
    ///
    /// # Errors
    /// When the files have another hash, cannot be read, or the record cannot be written.
    pub fn trust(&self, hash: &str) -> Result<(), TrustError> {
        let listing = self.listing()?;
        if let Some(why) = listing.unreadable {
            return Err(TrustError::Unreadable(why));
        }
        let now = listing.hash();
        if now != hash {
            return Err(TrustError::OtherHash {
                given: hash.to_owned(),
                now,
            });
        }
        self.write_listing(listing)
    }

    /// Lets a person set a key of the project's settings to a value (`None`: not set any more), and thereby trusts the key with this value
    /// and the scripts that only it names. Other changes in the files since then wait, as any other change does.
    ///
    /// # Errors
    /// When the record cannot be written; the setting is changed then.
    pub fn by_own_hand<T>(
        &self,
        key: &str,
        value: Option<&str>,
        act: impl FnOnce() -> T,
    ) -> (T, Result<(), TrustError>) {
        let before = self.look();
        let done = act();
        (done, self.trust_key(&before, key, value))
    }

    /// Trusts nothing of the project any more, and nothing of its plans.
    ///
    /// # Errors
    /// When a record cannot be removed.
    pub fn forget(&self) -> Result<(), TrustError> {
        self.forget_plans()?;
        let Some(file) = &self.record else { return Ok(()) };
        match std::fs::remove_file(file) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => Err(TrustError::Failed {
                act: "write",
                file: file.clone(),
                why,
            }),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The settings in force: of the project's executable ones, those that are trusted.
    pub fn config(&self, overrides: &ConfigOverrides) -> Config {
        let report = self.look();
        let in_force = report.in_force();
        let of_kinds = in_force.iter().filter(|item| item.kind == TrustKind::AgentKind);
        let kinds: Vec<(PathBuf, String)> = of_kinds
            .map(|item| (self.root().join(&item.name), item.text.clone()))
            .collect();
        let trusted: Vec<TrustedValue> = in_force
            .into_iter()
            .filter(|item| item.kind.is_setting())
            .map(|item| TrustedValue {
                key: item.name,
                text: item.text,
            })
            .collect();
        Config::read_trusted(&self.files, overrides, &trusted)
            .with_agent_kinds(AgentKinds::read(&kinds))
            .with_untrusted(report.untrusted())
    }

    /// Path and text of the project's trusted workflows, as they were trusted.
    pub fn workflows(&self) -> Vec<(PathBuf, String)> {
        let trusted = self.look().in_force().into_iter();
        let flows = trusted.filter(|item| item.kind == TrustKind::Workflow);
        flows
            .map(|item| (self.root().join(item.name), item.text))
            .collect()
    }

    /// Roles and prompt blocks in force: those of the program, replaced and joined by those of the project as they were trusted.
    ///
    /// # Errors
    /// The fault in a trusted file, with its line.
    pub fn prompt_library(&self) -> Result<PromptLibrary, PromptError> {
        let trusted = self.look().in_force().into_iter();
        let files = trusted.filter(|item| matches!(item.kind, TrustKind::Role | TrustKind::Prompt));
        let texts = files.map(|item| (self.root().join(item.name), item.text));
        PromptLibrary::read(&texts.collect::<Vec<_>>())
    }

    /// Returns the templates of plans that replace those of the program, as they were trusted, by the names of their files (P18).
    pub fn plan_templates(&self) -> BTreeMap<String, String> {
        let trusted = self.look().in_force().into_iter();
        let templates = trusted.filter(|item| item.kind == TrustKind::PlanTemplate);
        let named = templates.filter_map(|item| {
            let (_, name) = item.name.rsplit_once('/')?;
            Some((name.to_owned(), item.text))
        });
        named.collect()
    }

    /// Returns the text of `.worktreeinclude`, as it was trusted.
    pub fn worktree_include(&self) -> Option<String> {
        let mut trusted = self.look().in_force().into_iter();
        let item = trusted.find(|item| item.kind == TrustKind::CopiedFiles)?;
        Some(item.text)
    }

    /// Returns the files other than settings and workflows whose change affects trust, and the folders in which such files may appear.
    pub fn watched_files(&self) -> Vec<PathBuf> {
        let listing = self.listing().unwrap_or_default();
        let kinds = [
            TrustKind::Script,
            TrustKind::AgentKind,
            TrustKind::Role,
            TrustKind::Prompt,
            TrustKind::PlanTemplate,
            TrustKind::CopiedFiles,
        ];
        let others = listing
            .items
            .into_iter()
            .filter(|listed| kinds.contains(&listed.item.kind));
        let folders = FOLDERS.iter().filter(|(.., kind)| kinds.contains(kind));
        self.record
            .iter()
            .cloned()
            .chain(folders.map(|(folder, ..)| self.project.folder().join(folder)))
            .chain(others.map(|listed| listed.file))
            .collect()
    }

    pub(super) fn root(&self) -> &Path {
        self.project.root()
    }

    fn trust_key(&self, before: &TrustReport, key: &str, value: Option<&str>) -> Result<(), TrustError> {
        let listing = self.listing()?;
        // A value that is there already is trusted by being set once more.
        let is_listed = listing.items.iter().any(|listed| listed.item.name == key);
        if listing == before.listing && !is_listed {
            return Ok(());
        }
        let mut record = match &before.record {
            Some(record) => record.clone(),
            None => TrustRecord::new(&self.project, false, Vec::new())?,
        };
        record.is_whole |= before.is_trusted();
        own_hand::trust(&mut record.items, &before.listing, &listing, key, value);
        self.write(&record)
    }

    fn listing(&self) -> Result<TrustListing, TrustError> {
        TrustListing::read(&self.project, &self.files)
    }

    fn record(&self) -> Result<Option<TrustRecord>, TrustError> {
        let Some(file) = &self.record else { return Ok(None) };
        let is_own = |record: &TrustRecord| record.root == self.root() && record.plan.is_none();
        TrustRecord::read(file, is_own).map_err(|why| TrustError::Record {
            file: file.clone(),
            why,
        })
    }

    fn write_listing(&self, listing: TrustListing) -> Result<(), TrustError> {
        let items = listing.items.into_iter().map(|listed| listed.item).collect();
        self.write(&TrustRecord::new(&self.project, true, items)?)
    }

    fn write(&self, record: &TrustRecord) -> Result<(), TrustError> {
        let file = self.record.as_ref().ok_or(TrustError::NoFolder)?;
        record.write(file).map_err(|why| TrustError::Failed {
            act: "write",
            file: file.clone(),
            why,
        })
    }
}
