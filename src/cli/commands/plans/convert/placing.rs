//! Reads the result of an agent, shows it to a person, and puts it in its place.

use std::io;
use std::path::{Path, PathBuf};

use super::{Conversion, LARGEST_RESULT, MadeFiles, MadeForm, graph_file, history, plan_files, prd_file};
use crate::adapters::git::{GitCli, GitSetup};
use crate::cli::commands::plans::consent::Consent;
use crate::cli::failure::could_not;
use crate::config::trust::{ListedText, TrustItem, TrustKind, TrustListing};
use crate::domain::Task;
use crate::ports::git::{CommitFile, CommitId, Git as _};

impl Conversion<'_> {
    /// Returns the files of the result at the commit that was checked, and no others.
    pub(super) fn result(&self, task: &Task) -> Result<MadeFiles, String> {
        let mut open = |path: &Path| self.file_of(task, path);
        match self.form {
            MadeForm::Plan => plan_files::result(self, &mut open),
            MadeForm::Prd => prd_file::result(self, &mut open),
            MadeForm::Graph => graph_file::result(self, &mut open),
        }
    }

    /// Returns a file at the commit of a task that was checked.
    pub(super) fn file_of(&self, task: &Task, path: &Path) -> Result<String, String> {
        let head = task.head.as_deref().ok_or("nothing was committed")?;
        let head = CommitId::new(head).map_err(could_not)?;
        let setup = GitSetup::new(&self.place.root, self.edge.environment.clone());
        let git = GitCli::open(&setup).map_err(could_not)?;
        let name = path.to_str().unwrap_or_default().replace('\\', "/");
        match git.file_at(&head, &name, LARGEST_RESULT) {
            Ok(CommitFile::Text(text)) if !text.truncated => Ok(text.text),
            Ok(CommitFile::Text(_)) => Err(format!("it has more than {LARGEST_RESULT} bytes")),
            Ok(CommitFile::Absent) => Err("it is not there".to_owned()),
            Ok(CommitFile::NoFile) => Err("it is no file".to_owned()),
            Err(error) => Err(could_not(error)),
        }
    }

    /// Returns everything that would be written.
    pub(super) fn consent(&self, files: &MadeFiles) -> Consent {
        let lines = files.iter().flat_map(|(name, text)| {
            let head = format!("--- {}/{}", self.folder, name.display());
            std::iter::once(head).chain(text.lines().map(str::to_owned))
        });
        let summary = match self.form {
            MadeForm::Graph => self.about_design(files),
            MadeForm::Plan | MadeForm::Prd => Vec::new(),
        };
        let items = files.iter().map(|(name, text)| ListedText {
            item: TrustItem {
                kind: TrustKind::Prompt,
                name: name.display().to_string(),
                text: text.clone(),
            },
            file: self.place.root.join(&self.folder).join(name),
            line: 1,
        });
        Consent {
            listing: TrustListing {
                items: items.collect(),
                unreadable: None,
            },
            trusted: Vec::new(),
            shown: (
                "What was made:",
                // The summary comes last, above the question: the whole may be longer than a screen.
                lines.chain(self.kept()).chain(summary).collect(),
            ),
            question: "Write these files?",
        }
    }

    /// Writes all files or none.
    pub(super) fn write(&self, files: &MadeFiles) -> Result<(), String> {
        let folder = match self.form {
            MadeForm::Plan => self.place.root.join("plans"),
            MadeForm::Prd | MadeForm::Graph => self.place.root.join(&self.folder),
        };
        let failed = |error: io::Error| format!("could not write {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let (real, root) = (
            folder.canonicalize().map_err(failed)?,
            self.place.root.canonicalize(),
        );
        if !real.starts_with(root.map_err(failed)?) {
            return Err(format!("{} lies outside of the project", folder.display()));
        }
        let made = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&real)
            .map_err(failed)?;
        for (name, text) in files {
            let file = made.path().join(&self.slug).join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&real)).map_err(failed)?;
            std::fs::write(&file, text).map_err(failed)?;
        }
        let made = made.path().join(&self.slug);
        let place = |from: PathBuf, to: PathBuf| {
            if to.exists() {
                return Err(format!("{} is there meanwhile", to.display()));
            }
            std::fs::rename(from, to).map_err(failed)
        };
        match (self.form, files.keys().next()) {
            (MadeForm::Plan, _) | (_, None) => place(made, real.join(&self.slug)),
            (MadeForm::Prd, Some(name)) => place(made.join(name), real.join(name)),
            (MadeForm::Graph, Some(name)) => {
                history::keep_old(&real).map_err(failed)?;
                for (name, text) in &self.design.documents {
                    write_new(&real.join(name), text).map_err(failed)?;
                }
                place(made.join(name), real.join(name))
            }
        }
    }
}

/// Writes a file that does not exist.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut file = std::fs::File::create_new(file)?;
    io::Write::write_all(&mut file, text.as_bytes())
}
