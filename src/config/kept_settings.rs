//! Copies of a project's own settings, workflows, layouts, themes, roles and prompts in its state: `git clean -fdx` takes `.debussy` away,
//! because git ignores it, and leaves the state. Trust is not kept with the copies: restored text is judged like any other text in the
//! files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::config::error::ConfigError;

/// Endings of files with settings.
const SETTINGS: &[&str] = &["toml", "yaml", "yml", "json"];
/// Folders of `.debussy` whose files people write, with the endings of these; the first is itself.
const FOLDERS: [(&str, &[&str]); 7] = [
    ("", SETTINGS),
    ("workflows", SETTINGS),
    ("layouts", SETTINGS),
    ("themes", SETTINGS),
    ("roles", SETTINGS),
    ("prompts", &["md"]),
    ("plans", &["md"]),
];
/// Maximum number of files that are kept.
const MOST: usize = 500;

/// The files people wrote in a project's `.debussy`, and their copies.
#[derive(Debug, Clone)]
pub struct KeptSettings {
    debussy: PathBuf,
    copies: PathBuf,
}

impl KeptSettings {
    /// Creates the settings of the folder `debussy`, with the copies in the project's state.
    pub fn new(debussy: &Path, state: &Path) -> KeptSettings {
        KeptSettings {
            debussy: debussy.to_owned(),
            copies: state.join("settings"),
        }
    }

    /// Makes the copies the same as the files, unless all files are gone.
    ///
    /// # Errors
    /// When a file cannot be read or a copy not be written; the others are copied all the same.
    pub fn keep(&self) -> io::Result<()> {
        let files = files_in(&self.debussy);
        if files.is_empty() {
            return Ok(());
        }
        let gone = files_in(&self.copies)
            .into_iter()
            .filter(|name| !files.contains(name));
        for name in gone {
            fs::remove_file(self.copies.join(name))?;
        }
        let copied = files.iter().map(|name| copy(&self.debussy, &self.copies, name));
        copied.fold(Ok(()), Result::and)
    }

    /// Returns the files of which only the copies are left, when none of the originals is there any more.
    pub fn lost(&self) -> Vec<PathBuf> {
        if files_in(&self.debussy).is_empty() {
            files_in(&self.copies)
        } else {
            Vec::new()
        }
    }

    /// Returns the message about lost files; `None` when none is lost.
    pub fn lost_text(&self) -> Option<String> {
        let lost = self.lost();
        if lost.is_empty() {
            return None;
        }
        let names: Vec<String> = lost.iter().map(|name| name.display().to_string()).collect();
        Some(format!(
            "the settings in {} are gone ({}); copies are kept: bring them back with `dbs doctor --repair`",
            self.debussy.display(),
            names.join(", ")
        ))
    }

    /// Brings the lost files back; which these are.
    ///
    /// # Errors
    /// When one cannot be written; reads after "could not".
    pub fn restore(&self) -> Result<Vec<PathBuf>, ConfigError> {
        let lost = self.lost();
        for name in &lost {
            copy(&self.copies, &self.debussy, name).map_err(|why| ConfigError::Failed {
                act: "bring back",
                path: self.debussy.join(name),
                why,
            })?;
        }
        Ok(lost)
    }
}

/// Returns the names of the regular files that people write, sorted. Links are not followed: their targets are not the project's.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (inside, endings) in FOLDERS {
        let entries = fs::read_dir(folder.join(inside)).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let names = files.map(|entry| Path::new(inside).join(entry.file_name()));
        found.extend(names.filter(|name| {
            let ending = name.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| endings.contains(&ending))
        }));
    }
    found.sort();
    found.truncate(MOST);
    found
}

/// Copies a file from one folder to the same name in another, unless it is the same there.
fn copy(from: &Path, to: &Path, name: &Path) -> io::Result<()> {
    let read = |folder: &Path| text_file::read(&folder.join(name), text_file::LARGEST_WRITTEN);
    let bytes = read(from)?;
    if read(to).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    let target = to.join(name);
    fs::create_dir_all(target.parent().unwrap_or(to))?;
    text_file::replace_private(&target, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_altogether_comes_back_and_what_a_person_removed_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (debussy, state) = (
            folder.path().join("project/.debussy"),
            folder.path().join("state"),
        );
        let kept = KeptSettings::new(&debussy, &state);
        kept.keep().unwrap();
        assert_eq!(kept.lost_text(), None, "there was never anything");
        for folder in ["workflows", "roles", "prompts"] {
            fs::create_dir_all(debussy.join(folder)).unwrap();
        }
        fs::create_dir_all(debussy.join("logs")).unwrap();
        for (name, text) in [
            ("config.toml", "a = 1\n"),
            ("workflows/own.toml", "own"),
            ("roles/own.toml", "own"),
            ("prompts/own.md", "own"),
            ("config.yaml", "b: 1\n"),
        ] {
            fs::write(debussy.join(name), text).unwrap();
        }
        fs::write(debussy.join("logs/dbs.log"), "log").unwrap();
        kept.keep().unwrap();
        assert_eq!(kept.lost(), Vec::<PathBuf>::new());
        // One file is a person's doing, and so is another text.
        fs::remove_file(debussy.join("config.yaml")).unwrap();
        fs::write(debussy.join("config.toml"), "a = 2\n").unwrap();
        assert_eq!(kept.lost_text(), None);
        kept.keep().unwrap();
        fs::remove_dir_all(&debussy).unwrap();
        kept.keep().unwrap();
        fs::create_dir_all(debussy.join("logs")).unwrap();
        let text = kept.lost_text().unwrap();
        assert!(
            text.contains("(config.toml, prompts/own.md, roles/own.toml, workflows/own.toml)")
                && text.contains("dbs doctor --repair"),
            "{text}"
        );
        assert_eq!(kept.restore().unwrap().len(), 4);
        assert_eq!(
            fs::read_to_string(debussy.join("config.toml")).unwrap(),
            "a = 2\n"
        );
        assert_eq!(
            fs::read_to_string(debussy.join("workflows/own.toml")).unwrap(),
            "own"
        );
        assert!(!debussy.join("config.yaml").exists() && kept.lost().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_link_leads_to_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (debussy, state) = (folder.path().join(".debussy"), folder.path().join("state"));
        fs::create_dir(&debussy).unwrap();
        fs::write(folder.path().join("secret"), "key").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), debussy.join("config.toml")).unwrap();
        KeptSettings::new(&debussy, &state).keep().unwrap();
        assert!(!state.exists());
    }
}
