//! Puts what an agent made and a person has seen in its place.

use super::{Conversion, MadeFiles, MadeForm, graph_file};

impl Conversion<'_> {
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
