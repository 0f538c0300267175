//! The result of a job: read from the commit that was checked, shown to a person, and put in its place.

use std::io;
use std::path::{Path, PathBuf};

use super::{DesignSoFar, LARGEST_RESULT, MadeFiles, MadeName, PlanMaking, history};
use crate::adapters::projected;
use crate::config::project_paths::ProjectPaths;
use crate::config::trust::{ListedText, TrustItem, TrustKind, TrustListing};
use crate::domain::{Cause, MadeForm, Task};
use crate::plans::consent::ConsentQuestion;
use crate::ports::git::{CommitFile, CommitId, Git};

/// Returns a file at the commit of a task that was checked.
///
/// # Errors
/// When the file is not at that commit, or cannot be read.
pub fn committed_file(git: &dyn Git, task: &Task, path: &Path) -> Result<String, Cause> {
    let could_not = |error: &dyn std::fmt::Display| format!("could not {error}");
    let head = task.head.as_deref().ok_or("nothing was committed")?;
    let head = CommitId::new(head).map_err(|error| could_not(&error))?;
    let name = path.to_str().unwrap_or_default().replace('\\', "/");
    match git.file_at(&head, &name, LARGEST_RESULT) {
        Ok(CommitFile::Text(text)) if !text.truncated => Ok(text.text),
        Ok(CommitFile::Text(_)) => Err(format!("it has more than {LARGEST_RESULT} bytes").into()),
        Ok(CommitFile::Absent) => Err("it is not there".to_owned().into()),
        Ok(CommitFile::NoFile) => Err("it is not a file".to_owned().into()),
        Err(error) => Err(could_not(&error).into()),
    }
}

impl DesignSoFar {
    /// Returns everything that would be written.
    pub fn question(&self, paths: &ProjectPaths, name: &MadeName, files: &MadeFiles) -> ConsentQuestion {
        let folder = &name.folder;
        let lines = files.iter().flat_map(|(path, text)| {
            let head = format!("--- {folder}/{}", path.display());
            std::iter::once(head).chain(text.lines().map(str::to_owned))
        });
        let (kept, about) = match name.form {
            MadeForm::Graph => (history::kept(&paths.root), self.about(files)),
            MadeForm::Plan | MadeForm::Prd => (None, Vec::new()),
        };
        let items = files.iter().map(|(path, text)| ListedText {
            item: TrustItem {
                kind: TrustKind::Prompt,
                name: path.display().to_string(),
                text: text.clone(),
            },
            file: paths.root.join(folder).join(path),
            line: 1,
        });
        ConsentQuestion {
            listing: TrustListing {
                items: items.collect(),
                unreadable: None,
            },
            trusted: Vec::new(),
            shown: (
                "What was made:",
                // The summary comes last, above the question: the whole may be longer than a screen.
                lines.chain(kept).chain(about).collect(),
            ),
            question: "Write these files?",
        }
    }
}

impl PlanMaking<'_> {
    /// Returns the files of the result at the commit that was checked, and no others.
    ///
    /// # Errors
    /// When there is no result.
    pub fn result(&self, task: &Task) -> Result<MadeFiles, Cause> {
        match self.job.form {
            MadeForm::Plan => self.plan_files(task),
            MadeForm::Prd => self.prd_files(task),
            MadeForm::Graph => self.graph_files(task),
        }
    }

    /// Returns the files of the result by their names, if they are in their place already: the program may have ended right after that.
    pub(super) fn placed(&self, files: &MadeFiles) -> Option<Vec<PathBuf>> {
        let folder = self.paths.root.join(&self.name.folder);
        let is_there = |name: &Path, text: &String| {
            std::fs::read_to_string(folder.join(name)).is_ok_and(|there| there == *text)
        };
        if self.job.form != MadeForm::Prd {
            let all = files.iter().all(|(name, text)| is_there(name, text));
            return all.then(|| files.keys().cloned().collect());
        }
        let there = self.name.taken(self.paths)?;
        let name = PathBuf::from(there.file_name()?);
        let is_same = files.values().all(|text| is_there(&name, text));
        is_same.then(|| vec![name])
    }

    /// Writes all files or none.
    ///
    /// # Errors
    /// When a file cannot be written; then none is left.
    pub fn write(&self, files: &MadeFiles, design: &DesignSoFar) -> Result<(), Cause> {
        let MadeName {
            form, slug, folder, ..
        } = &self.name;
        let folder = match form {
            MadeForm::Plan => self.paths.root.join("plans"),
            MadeForm::Prd | MadeForm::Graph => self.paths.root.join(folder),
        };
        let failed = |error: io::Error| format!("could not write {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let (real, root) = (
            folder.canonicalize().map_err(failed)?,
            self.paths.root.canonicalize(),
        );
        if !real.starts_with(root.map_err(failed)?) {
            return Err(format!("{} lies outside of the project", folder.display()).into());
        }
        let made = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&real)
            .map_err(failed)?;
        for (name, text) in files {
            let file = made.path().join(slug).join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&real)).map_err(failed)?;
            std::fs::write(&file, text).map_err(failed)?;
        }
        let made = made.path().join(slug);
        let target = match form {
            MadeForm::Plan => real.join(slug),
            MadeForm::Prd | MadeForm::Graph => real.clone(),
        };
        let placed = files.iter().map(|(name, text)| (target.join(name), text));
        let beside = design
            .documents
            .iter()
            .map(|(name, text)| (real.join(name), text));
        let placed: Vec<(PathBuf, &String)> = placed.chain(beside).collect();
        let noted = placed
            .iter()
            .map(|(file, text)| (file.as_path(), Some(text.as_bytes())));
        projected::note(&self.paths.state, &self.paths.root, noted).map_err(failed)?;
        let place = |from: PathBuf, to: PathBuf| {
            if to.exists() {
                return Err(format!("{} is there meanwhile", to.display()));
            }
            std::fs::rename(from, to).map_err(failed)
        };
        match (form, files.keys().next()) {
            (MadeForm::Plan, _) | (_, None) => place(made, real.join(slug)).map_err(Into::into),
            (MadeForm::Prd, Some(name)) => place(made.join(name), real.join(name)).map_err(Into::into),
            (MadeForm::Graph, Some(name)) => {
                history::keep_old(&real).map_err(failed)?;
                for (name, text) in &design.documents {
                    write_new(&real.join(name), text).map_err(failed)?;
                }
                place(made.join(name), real.join(name)).map_err(Into::into)
            }
        }
    }
}

/// Writes a file that does not exist.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    let mut file = std::fs::File::create_new(file)?;
    io::Write::write_all(&mut file, text.as_bytes())
}
