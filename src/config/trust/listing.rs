//! The canonical listing of everything in a project's files that starts a program or steers an agent, and its hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::adapters::project::Project;
use crate::adapters::text_file;
use crate::config::files::ConfigFiles;
use crate::config::layers::guarded_settings;
use crate::config::schema::spec_of;
use crate::config::setting::SettingTrust;
use crate::config::trust::item::{ListedText, TrustItem, TrustKind};
use crate::config::trust::{TrustError, scripts};

/// Everything in a project's files that starts a program or steers an agent, in the order in which it is hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustListing {
    pub items: Vec<ListedText>,
    /// Reason why a file of the settings is not in the listing; reads after "could not use".
    pub unreadable: Option<String>,
}

/// File at the root of the checkout with patterns of ignored files that new worktrees get copies of, as other tools know it.
pub(super) const WORKTREE_INCLUDE: &str = ".worktreeinclude";

/// Folders of the project folder whose files steer agents, with the ending of those files: one row per folder.
pub(super) const FOLDERS: [(&str, &str, TrustKind); 5] = [
    ("agents", "toml", TrustKind::AgentKind),
    ("workflows", "toml", TrustKind::Workflow),
    ("roles", "toml", TrustKind::Role),
    ("prompts", "md", TrustKind::Prompt),
    ("plans", "md", TrustKind::PlanTemplate),
];

impl TrustListing {
    /// Reads it from the files of a project.
    ///
    /// # Errors
    /// The folder or file that cannot be read, and why; reads after "could not".
    pub(super) fn read(project: &Project, files: &ConfigFiles) -> Result<TrustListing, TrustError> {
        let mut items: Vec<ListedText> = Vec::new();
        let (settings, unreadable) = guarded_settings(files);
        for raw in settings {
            let (file, line) = raw.origin.place();
            items.extend(kind_of(&raw.parts()).map(|kind| ListedText {
                item: TrustItem {
                    kind,
                    name: raw.key(),
                    text: raw.value_text().to_owned(),
                },
                file: file.to_owned(),
                line,
            }));
        }
        let mut of_folders = Vec::new();
        for (folder, ending, kind) in FOLDERS {
            for file in files_of(&project.folder().join(folder), ending)? {
                let text =
                    text_file::read_text(&file, text_file::LARGEST_WRITTEN).map_err(failed("read", &file))?;
                let name = format!(
                    ".debussy/{folder}/{}",
                    file.file_name().unwrap_or_default().to_string_lossy()
                );
                let item = TrustItem { kind, name, text };
                of_folders.push(ListedText { item, file, line: 1 });
            }
        }
        let include = project.root().join(WORKTREE_INCLUDE);
        if include.symlink_metadata().is_ok() {
            let text = text_file::read_text(&include, text_file::LARGEST_WRITTEN);
            of_folders.push(ListedText {
                item: TrustItem {
                    kind: TrustKind::CopiedFiles,
                    name: WORKTREE_INCLUDE.to_owned(),
                    text: text.map_err(failed("read", &include))?,
                },
                file: include,
                line: 1,
            });
        }
        let scripts = scripts::of_programs(project.root(), items.iter().chain(&of_folders));
        items.extend(scripts);
        items.append(&mut of_folders);
        Ok(TrustListing { items, unreadable })
    }

    /// The hash of the listing.
    pub fn hash(&self) -> String {
        hash(self.items.iter().map(|listed| &listed.item))
    }
}

/// SHA-256 of a listing in hexadecimal digits. Names and texts carry their length, so that no text can pass for two items.
pub(super) fn hash<'a>(items: impl Iterator<Item = &'a TrustItem>) -> String {
    let mut digest = Sha256::new();
    digest.update(b"dbs trust 1\n");
    for item in items {
        let (name, text) = (&item.name, &item.text);
        digest.update(format!("{:?} {} {}\n{name}{text}\n", item.kind, name.len(), text.len()).as_bytes());
    }
    hex::encode(digest.finalize())
}

fn kind_of(parts: &[&str]) -> Option<TrustKind> {
    match spec_of(parts)?.trust {
        SettingTrust::Runs => Some(TrustKind::Program),
        SettingTrust::Sends => Some(TrustKind::Address),
        SettingTrust::Steers => Some(TrustKind::Agent),
        SettingTrust::Harmless => None,
    }
}

fn failed(act: &'static str, file: &Path) -> impl FnOnce(std::io::Error) -> TrustError {
    let file = file.to_owned();
    move |why| TrustError::Failed { act, file, why }
}

fn files_of(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, TrustError> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list", folder))?,
    };
    let paths = entries.map(|entry| Ok(entry.map_err(failed("list", folder))?.path()));
    let mut files = paths.collect::<Result<Vec<PathBuf>, TrustError>>()?;
    files.retain(|file| file.extension().is_some_and(|found| found == ending));
    files.sort();
    Ok(files)
}
