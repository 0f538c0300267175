//! Shows a person what an agent made, and puts it in its place.

use super::super::consent::Consent;
use super::{Conversion, MadeFiles, MadeForm, graph_file};
use crate::config::trust::{ListedText, TrustItem, TrustKind, TrustListing};

impl Conversion<'_> {
    /// Everything that would be written.
    pub(super) fn consent(&self, files: &MadeFiles) -> Consent {
        let lines = files.iter().flat_map(|(name, text)| {
            let head = format!("--- {}/{}", self.folder, name.display());
            std::iter::once(head).chain(text.lines().map(str::to_owned))
        });
        let summary = match self.form {
            MadeForm::Graph => graph_file::summary(files),
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
            },
            trusted: Vec::new(),
            shown: (
                "What was made:",
                self.kept().into_iter().chain(summary).chain(lines).collect(),
            ),
        }
    }

    /// Writes all files or none.
    pub(super) fn write(&self, files: &MadeFiles) -> Result<(), String> {
        let folder = match self.form {
            MadeForm::Plan => self.place.root.join("plans"),
            MadeForm::Prd | MadeForm::Graph => self.place.root.join(&self.folder),
        };
        let failed = |error: std::io::Error| format!("could not write {}: {error}", folder.display());
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
        let (from, to) = match (self.form, files.keys().next()) {
            (MadeForm::Prd | MadeForm::Graph, Some(name)) => (made.join(name), real.join(name)),
            (MadeForm::Prd | MadeForm::Graph | MadeForm::Plan, _) => (made, real.join(&self.slug)),
        };
        if self.form == MadeForm::Graph {
            graph_file::keep_old(&real).map_err(failed)?;
        }
        if to.exists() {
            return Err(format!("{} is there meanwhile", to.display()));
        }
        std::fs::rename(from, to).map_err(failed)
    }
}
