//! Plan of a folder: the file that is meant where a person names the folder that holds it.

use std::path::{Path, PathBuf};

use crate::adapters::text_file;
use crate::domain::Cause;
use crate::formats::{plan, prd};

/// Maximum size of a file of a plan, in bytes.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024;

/// Names of plans, relative to the folder that a person names.
const USUAL: [&str; 3] = ["MASTER_PLAN.md", ".design/plan.json", "plan.json"];

/// Maximum number of other files that are read to find one that is a plan.
const MOST_READ: usize = 200;

/// Returns the file of the plan in a folder; `None` if the path is no folder, or the folder has no plan.
///
/// # Errors
/// When the folder holds several plans, or a plan and PRDs; for people, with the files to name instead.
pub fn plan_in(folder: &Path) -> Result<Option<PathBuf>, Cause> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let files = files_of(folder);
    let usual = USUAL.iter().map(|name| folder.join(name));
    let mut plans: Vec<PathBuf> = usual.filter(|file| file.is_file() && !is_prd(file)).collect();
    let prds: Vec<PathBuf> = files.iter().filter(|file| is_prd(file)).cloned().collect();
    if plans.is_empty() && prds.is_empty() {
        plans = files.into_iter().filter(|file| is_master(file)).collect();
    }
    let has_both = !plans.is_empty() && !prds.is_empty();
    if plans.len() < 2 && !has_both {
        return Ok(plans.pop());
    }
    let all = plans.iter().chain(&prds);
    let names: Vec<String> = all.map(|file| file.display().to_string()).collect();
    let folder = folder.display();
    Err(format!(
        "could not tell which plan of the folder {folder} is meant: name one of {}",
        names.join(", ")
    )
    .into())
}

/// Returns the markdown and JSON files of a folder, sorted, up to the maximum.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_text = |file: &PathBuf| {
        let ending = file.extension();
        file.is_file() && ending.is_some_and(|ending| ending == "md" || ending == "json")
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_text).collect();
    files.sort();
    files.truncate(MOST_READ);
    files
}

fn is_prd(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "json")
        && text_file::read_text(file, LARGEST).is_ok_and(|text| prd::is_prd(&text))
}

fn is_master(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "md")
        && text_file::read_text(file, LARGEST).is_ok_and(|text| plan::is_master(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASTER: &str =
        "# Export\n\n## Phases\n\n| Phase | Title | Status |\n|--|--|--|\n| 1 | One | Open |\n";

    /// The plan that is found in a folder with these files.
    fn found(files: &[(&str, &str)]) -> Result<Option<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let shown = |file: &Path| file.strip_prefix(folder.path()).unwrap().display().to_string();
        let place = format!("{}/", folder.path().display());
        plan_in(folder.path())
            .map(|file| file.as_deref().map(shown))
            .map_err(|why| why.to_string().replace(&place, ""))
    }

    #[test]
    fn the_plan_of_a_folder_is_the_one_with_a_usual_name_or_the_only_one() {
        let notes = ("NOTES.md", "# Notes\n");
        for (files, wanted) in [
            (
                &[("MASTER_PLAN.md", MASTER), ("OTHER.md", MASTER), notes][..],
                Some("MASTER_PLAN.md"),
            ),
            (&[(".design/plan.json", "{}"), notes], Some(".design/plan.json")),
            (&[("EXPORT.md", MASTER), notes], Some("EXPORT.md")),
            (&[notes], None),
            (&[], None),
        ] {
            assert_eq!(found(files), Ok(wanted.map(str::to_owned)));
        }
        assert_eq!(plan_in(Path::new("there/is/none")).ok(), Some(None));
    }

    #[test]
    fn of_several_plans_in_a_folder_the_files_to_name_are_said() {
        for files in [
            [("A.md", MASTER), ("B.md", MASTER)],
            [("MASTER_PLAN.md", MASTER), (".design/plan.json", "{}")],
        ] {
            let why = found(&files).unwrap_err();
            assert!(
                why.starts_with("could not tell which plan of the folder "),
                "{why}"
            );
            let names = files.map(|(name, _)| name).join(", ");
            assert!(why.ends_with(&format!(" is meant: name one of {names}")), "{why}");
        }
    }
}
