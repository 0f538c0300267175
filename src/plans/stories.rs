//! A folder of PRDs, or one of them, as a plan of stories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{OnBase, in_project, prd_queue};
use crate::adapters::text_file;
use crate::config::atdd::{OnStoryFailure, PassingTests, StorySettings};
use crate::config::project_paths::ProjectPaths;
use crate::domain::Cause;
use crate::domain::StoryTests;
use crate::formats::plan::{self, Plan, StoryRules};
use crate::formats::prd::{self, MOST_PRD_BYTES, PrdDocument};
use crate::formats::story_files::ARCHIVE_FOLDER;

/// Returns the stories of a path that is a folder of PRDs or a PRD; `None` for any other.
pub(super) fn read(
    path: &Path,
    paths: Option<&ProjectPaths>,
    on_base: OnBase<'_>,
) -> Result<Option<Plan>, Cause> {
    let most = u64::try_from(MOST_PRD_BYTES).unwrap_or(u64::MAX);
    let is_prd = || {
        path.extension().is_some_and(|ending| ending == "json")
            && text_file::read_text(path, most).is_ok_and(|text| prd::is_prd(&text))
    };
    let folder = match path.parent() {
        _ if path.is_dir() => path,
        _ if !is_prd() => return Ok(None),
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Some(paths) = paths else {
        return Err(
            "could not read the queue: it is worked on in a project; run `dbs init` first"
                .to_owned()
                .into(),
        );
    };
    let rules = OwnRules {
        settings: StorySettings::of(&paths.read_config()).with_python_of(&paths.root),
        folder: in_project(folder, &paths.root),
    };
    if Path::new(&rules.folder).is_absolute() {
        return Err(format!(
            "could not read {}: it is outside of the project",
            folder.display()
        )
        .into());
    }
    let queued = prd_queue::named(&[path.to_owned()], Some(paths), &rules.settings)?;
    let is_queue = || rules.folder == rules.settings.folder || path.join(ARCHIVE_FOLDER).is_dir();
    if queued.prds.is_empty() && !is_queue() {
        let folder = path.display();
        return Err(format!(
            "could not find a plan in the folder {folder}: there is no MASTER_PLAN.md, .design/plan.json or PRD in it; `dbs convert TEXT` makes a plan, or name the file of one"
        )
        .into());
    }
    let prds: Vec<PrdDocument> = queued.prds.into_iter().map(|queued| queued.prd).collect();
    Ok(Some(rules.plan(&prds, &queued.archived, on_base)))
}

/// Returns the plan of all stories on the board, whatever folder they come from; it has no items.
pub fn all_stories() -> Plan {
    plan::queue_of(PathBuf::new())
}

/// The settings of stories with the folder of the queue.
struct OwnRules {
    settings: StorySettings,
    folder: String,
}

impl OwnRules {
    /// Reads the plan by these rules.
    fn plan(&self, prds: &[PrdDocument], archived: &BTreeSet<String>, on_base: OnBase<'_>) -> Plan {
        let settings = &self.settings;
        let rules = StoryRules {
            folder: self.folder.clone(),
            test_command: &|name| shell_words::join(settings.test_words(name)),
            suite_command: settings.suite_cmd.clone(),
            test_file: &|name| settings.test_file(name),
            on_base,
            protected: settings.protected.clone(),
            archived,
            tests: StoryTests {
                may_pass: settings.passing_tests == PassingTests::Accept,
                test_words: settings.words.tests.clone(),
                assertion_words: settings.words.assertions.clone(),
                skip_words: settings.words.skips.clone(),
                comment_marks: settings.words.comments.clone(),
                context_tokens: settings.context_tokens,
                ..StoryTests::default()
            },
            passes_over: settings.on_failure == OnStoryFailure::Continue,
        };
        plan::queue(prds, &rules)
    }
}
