//! Theme files of a person's own, and other TOML files in folders of settings.

use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::config::project_paths::ProjectPaths;
use crate::display::UserTheme;

/// Reads the theme files of the project, then the person's own; and returns the errors of those that could not be read. Blocks for a few
/// small reads.
pub fn own_themes(paths: &ProjectPaths) -> (Vec<UserTheme>, Vec<String>) {
    let mine = paths.sources.files.user.first().and_then(|file| file.parent());
    let folders = [Some(paths.debussy.as_path()), mine];
    let (mut own, mut problems) = (Vec::new(), Vec::new());
    for folder in folders.into_iter().flatten() {
        match toml_files(&folder.join("themes")) {
            Ok(files) => own.extend(files.into_iter().map(|(file, text)| named(&file, text))),
            Err((file, why)) => problems.push(format!("could not use {}: {why}", file.display())),
        }
    }
    (own, problems)
}

fn named(file: &Path, text: String) -> UserTheme {
    let name = file.file_stem().unwrap_or_default();
    UserTheme {
        name: name.to_string_lossy().into_owned(),
        file: file.display().to_string(),
        text,
    }
}

/// Paths of the TOML files of a folder, in order; none if there is no folder.
///
/// # Errors
/// When the folder cannot be listed.
pub fn toml_paths(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut files = paths.collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    Ok(files)
}

/// Paths and contents of text files.
pub type TextFiles = Vec<(PathBuf, String)>;

/// The TOML files of a folder, in order of their names; none if there is no folder.
///
/// # Errors
/// The first file or folder that cannot be read, and why.
pub fn toml_files(folder: &Path) -> Result<TextFiles, (PathBuf, String)> {
    let files = toml_paths(folder).map_err(|error| (folder.to_owned(), error.to_string()))?;
    let read_one = |file: PathBuf| match read_small(&file) {
        Ok(text) => Ok((file, text)),
        Err(error) => Err((file, error.to_string())),
    };
    files.into_iter().map(read_one).collect()
}

/// The text of a file that is not too large.
///
/// # Errors
/// When it is, or cannot be read.
pub fn read_small(file: &Path) -> std::io::Result<String> {
    text_file::read_text(file, text_file::LARGEST_WRITTEN)
}
