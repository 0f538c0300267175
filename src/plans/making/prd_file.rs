//! A PRD that an agent makes of a text: the text for the agent, and the file that is taken over, with the next number of the queue.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{MadeFiles, PlanMaking};
use crate::config::atdd::StorySettings;
use crate::domain::Cause;
use crate::domain::Task;
use crate::formats::prd;
use crate::formats::prompt::{fenced_whole, fill};
use crate::formats::story_files::STORY_TEMPLATES;
use crate::plans::prd_queue;
use crate::plans::shown::finding_lines;

const TEXT: &str = include_str!("../../../assets/plans/making/prd.md");

/// Returns the existing PRD of that name, with any number.
pub(super) fn taken(folder: &Path, slug: &str) -> Option<PathBuf> {
    let has_name = |name: &String| {
        let unnumbered = name.trim_start_matches(|sign: char| sign.is_ascii_digit());
        name == slug || unnumbered.strip_prefix('-') == Some(slug)
    };
    let name = names(folder).into_iter().find(has_name)?;
    Some(folder.join(format!("{name}.json")))
}

/// Returns the names of the PRDs of a folder and of its archive, without their ending.
fn names(folder: &Path) -> Vec<String> {
    let folders = [
        folder.to_owned(),
        folder.join(crate::formats::story_files::ARCHIVE_FOLDER),
    ];
    let entries = folders
        .iter()
        .flat_map(|folder| folder.read_dir().into_iter().flatten().flatten());
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect()
}

impl PlanMaking<'_> {
    /// Returns the file that the agent writes, relative to the root of the project. It gets its number when it is taken over.
    fn prd(&self) -> String {
        format!("{}/{}.json", self.name.folder, self.name.slug)
    }

    /// Returns the text for the agent, with the ids that are taken and the text as nothing but material, and the command that checks its work.
    ///
    /// # Errors
    /// When the queue cannot be read, so that the taken ids are not known.
    pub(super) fn prd_order(&self) -> Result<(String, String), Cause> {
        let settings = StorySettings::of(&self.paths.read_config());
        let queue = prd_queue::whole(self.paths, &settings)?.prds;
        let stories = queue.iter().flat_map(|queued| &queued.prd.stories);
        let taken: Vec<&str> = stories.map(|story| story.id.as_str()).collect();
        let schema = STORY_TEMPLATES.iter().find(|(name, _)| *name == "prd-schema.md");
        let file = self.prd();
        let check = format!("atdd check {file}");
        let values = json!({
            "file": file, "taken": taken.join(", "), "check": check,
            "form": fenced_whole(schema.map_or("", |(_, text)| *text)), "text": fenced_whole(&self.job.text),
        });
        Ok((fill(TEXT, &values)?, check))
    }

    /// Returns the PRD, with the number after the last one of the queue.
    pub(super) fn prd_files(&self, task: &Task) -> Result<MadeFiles, Cause> {
        let file = PathBuf::from(self.prd());
        let text = (self.open)(task, &file).map_err(|why| format!("{}: {why}", file.display()))?;
        let made = prd::read(&file, &text);
        if !made.is_sound() {
            let lines = finding_lines(&made.findings);
            return Err(format!("the PRD has errors:\n{}", lines.join("\n")).into());
        }
        if let Some(story) = made.stories.iter().find(|story| story.passes == Some(true)) {
            return Err(format!(
                "the PRD says that {} passes, although no agent has worked on it",
                story.id
            )
            .into());
        }
        let begins = names(&self.paths.root.join(&self.name.folder))
            .into_iter()
            .filter_map(|name| {
                let (number, _) = name.split_once('-')?;
                number.parse::<u16>().ok()
            });
        let next = begins.max().unwrap_or_default().saturating_add(1);
        let name = format!("{next:03}-{}.json", self.name.slug);
        Ok(MadeFiles::from([(name.into(), text)]))
    }
}
