//! Earlier graph plans when a new one is made: they are kept, with the documents they were made of, because these explain the decisions
//! (LG-1).

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::LARGEST_RESULT;
use super::graph_file::{FOLDER, PLAN};
use crate::adapters::text_file;
use crate::domain::pluralized;
use crate::formats::design::DesignDocument;
use crate::formats::graph_plan;

/// The folder of the earlier plans.
const HISTORY: &str = "history";
/// Maximum number of plans that are kept.
const MOST_KEPT: u32 = 10_000;

/// Returns the line on the existing plan, for a person who is asked about the new one (G7).
pub(super) fn kept(root: &Path) -> Option<String> {
    let folder = root.join(FOLDER);
    let file = folder.join(PLAN);
    if file.symlink_metadata().is_err() {
        return None;
    }
    let most = u64::try_from(LARGEST_RESULT).unwrap_or(u64::MAX);
    let text = text_file::read_text(&file, most).unwrap_or_default();
    let old = graph_plan::read(&file, &text, &|_| true);
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &old.tasks {
        *states.entry(<&str>::from(task.status)).or_default() += 1;
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, many)| format!("{many} {state}"))
        .collect();
    let to = free_name(&folder).unwrap_or_default();
    Some(format!(
        "The plan that is there ({}: {}) goes to {FOLDER}/{HISTORY}/{to}/",
        pluralized(old.tasks.len(), "task"),
        if states.is_empty() {
            "not readable".to_owned()
        } else {
            states.join(", ")
        }
    ))
}

/// Returns the first name of the history that no plan has.
fn free_name(folder: &Path) -> Option<String> {
    let history = folder.join(HISTORY);
    let mut names = (1..MOST_KEPT).map(|number| format!("plan-{number}"));
    // Before there were documents, a plan was kept as a file of that name.
    let is_free = |name: &str| {
        [name, &format!("{name}.json")]
            .iter()
            .all(|name| !history.join(name).exists())
    };
    names.find(|name| is_free(name))
}

/// Makes room for a new plan in that folder: the existing one is kept, with the documents it was made of. The folder ignores itself, so
/// that it is not committed by accident. Nothing is written through a link.
pub(super) fn keep_old(folder: &Path) -> io::Result<()> {
    let ignore = folder.join(".gitignore");
    if ignore.symlink_metadata().is_err() {
        let mut file = std::fs::File::create_new(ignore)?;
        file.write_all(b"*\n")?;
    }
    let mut old = documents(folder)?;
    let plan = folder.join(PLAN);
    if plan.symlink_metadata().is_ok() {
        // Last, so that an interrupted move continues when it is tried again.
        old.push(plan);
    }
    if old.is_empty() {
        return Ok(());
    }
    let history = own_folder(folder.join(HISTORY))?;
    let name = free_name(folder).ok_or_else(|| io::Error::other(format!("{} is full", history.display())))?;
    let kept = own_folder(history.join(name))?;
    for file in old {
        let name = file.file_name().unwrap_or_default();
        std::fs::rename(&file, kept.join(name))?;
    }
    Ok(())
}

/// Returns the documents of a design in a folder.
fn documents(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let file = entry?.path();
        if DesignDocument::of(&file).is_some() {
            found.push(file);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a folder that exists or is made, and is not a link.
fn own_folder(folder: PathBuf) -> io::Result<PathBuf> {
    match std::fs::create_dir(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ if folder.symlink_metadata()?.is_dir() => Ok(folder),
        _ => Err(io::Error::other(format!(
            "{} is not a folder; move it away",
            folder.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn plans_are_kept_under_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(HISTORY)).unwrap();
        fs::write(folder.path().join(HISTORY).join("plan-3.json"), "as before").unwrap();
        for text in ["one", "two", "four"] {
            fs::write(folder.path().join(PLAN), text).unwrap();
            fs::write(folder.path().join("expert-data.json"), format!("report {text}")).unwrap();
            fs::write(folder.path().join("mine.json"), "stays").unwrap();
            keep_old(folder.path()).unwrap();
        }
        keep_old(folder.path()).unwrap();
        let kept = |name: &str| fs::read_to_string(folder.path().join(HISTORY).join(name)).unwrap();
        for (number, text) in [(1, "one"), (2, "two"), (4, "four")] {
            assert_eq!(kept(&format!("plan-{number}/plan.json")), text);
            assert_eq!(
                kept(&format!("plan-{number}/expert-data.json")),
                format!("report {text}")
            );
        }
        assert_eq!(kept("plan-3.json"), "as before");
        assert!(
            folder.path().join("mine.json").exists() && !folder.path().join(HISTORY).join("plan-5").exists()
        );
        assert_eq!(
            fs::read_to_string(folder.path().join(".gitignore")).unwrap(),
            "*\n"
        );
        assert!(!folder.path().join(PLAN).exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_or_moved_through_a_link() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        link(&outside.path().join("ignore"), ".gitignore");
        link(outside.path(), HISTORY);
        fs::write(folder.path().join(PLAN), "one").unwrap();
        let refused = keep_old(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("history is not a folder"), "{refused}");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert!(folder.path().join(PLAN).exists());
    }
}
