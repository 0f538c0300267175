//! A folder of PRDs, or one of them, as a plan of stories.

use std::path::{Path, PathBuf};

use super::in_project;
use crate::adapters::text_file;
use crate::config::atdd::{OnStoryFailure, PassingTests, StorySettings};
use crate::config::project_paths::ProjectPaths;
use crate::domain::StoryTests;
use crate::formats::plan::{self, Plan, StoryRules};
use crate::formats::prd::{self, MOST_PRD_BYTES, PrdDocument};

/// Most PRDs of a queue.
const MOST_PRDS: usize = 500;

/// The stories of a path that is a folder of PRDs or a PRD; nothing for any other.
pub(super) fn read(path: &Path, place: Option<&ProjectPaths>) -> Result<Option<Plan>, String> {
    let failed =
        |path: &Path, why: &dyn std::fmt::Display| format!("could not read {}: {why}", path.display());
    let (folder, files) = if path.is_dir() {
        (
            path.to_owned(),
            prd_files(path).map_err(|error| failed(path, &error))?,
        )
    } else {
        let most = u64::try_from(MOST_PRD_BYTES).unwrap_or(u64::MAX);
        let is_prd = path.extension().is_some_and(|ending| ending == "json")
            && text_file::read_text(path, most).is_ok_and(|text| prd::is_prd(&text));
        if !is_prd {
            return Ok(None);
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let folder = if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder
        };
        (folder, vec![path.to_owned()])
    };
    let Some(place) = place else {
        return Err(
            "could not read the queue: it is worked on in a project; run `dbs init` first".to_owned(),
        );
    };
    let named = in_project(&folder, &place.root);
    if Path::new(&named).is_absolute() {
        return Err(format!(
            "could not read {}: it is outside of the project",
            folder.display()
        ));
    }
    if files.is_empty() {
        return Err(format!(
            "queue empty: there is no PRD in {named}; write one, or see `dbs atdd init`"
        ));
    }
    if files.len() > MOST_PRDS {
        return Err(format!(
            "could not read {named}: it has more than {MOST_PRDS} PRDs"
        ));
    }
    let prds = files
        .iter()
        .map(|file| document(file, &folder))
        .collect::<Result<Vec<_>, _>>()?;
    let rules = OwnRules {
        settings: StorySettings::of(&place.config()),
        folder: named,
    };
    Ok(Some(rules.plan(&prds, &place.root)))
}

fn prd_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn document(file: &Path, folder: &Path) -> Result<PrdDocument, String> {
    let failed = |why: &dyn std::fmt::Display| format!("could not read {}: {why}", file.display());
    let real = file.canonicalize().map_err(|error| failed(&error))?;
    let real_folder = folder.canonicalize().map_err(|error| failed(&error))?;
    if !real.starts_with(real_folder) {
        return Err(failed(&"it is a link to a file outside of the folder"));
    }
    let most = u64::try_from(MOST_PRD_BYTES).unwrap_or(u64::MAX);
    let text = text_file::read_text(&real, most).map_err(|error| failed(&error))?;
    Ok(prd::read(file, &text))
}

/// The settings of stories with the folder of the queue.
struct OwnRules {
    settings: StorySettings,
    folder: String,
}

impl OwnRules {
    /// Reads the plan by these rules: what is asked about a file is answered from the project's folder.
    fn plan(&self, prds: &[PrdDocument], root: &Path) -> Plan {
        let settings = &self.settings;
        let rules = StoryRules {
            folder: self.folder.clone(),
            test_command: &|name| shell_words::join(settings.test_words(name)),
            suite_command: settings.suite_cmd.clone(),
            test_file: &|name| settings.test_file(name),
            exists: &|path| root.join(path).is_file(),
            protected: settings.protected.clone(),
            tests: StoryTests {
                may_pass: settings.passing_tests == PassingTests::Accept,
                test_words: settings.words.tests.clone(),
                assertion_words: settings.words.assertions.clone(),
                context_tokens: settings.context_tokens,
                ..StoryTests::default()
            },
            passes_over: settings.on_failure == OnStoryFailure::Continue,
        };
        plan::queue(prds, &rules)
    }
}
