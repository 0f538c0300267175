//! A phased plan that an agent makes of a text: the text for the agent, and the files that are taken over.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{MadeFiles, PlanMaking};
use crate::adapters::clock;
use crate::domain::Cause;
use crate::domain::Task;
use crate::formats::plan::{self, NewPlan};
use crate::formats::prompt::{fenced_whole, fill};
use crate::plans::shown;

/// The file that the agent writes first.
const MASTER: &str = "MASTER_PLAN.md";
const TEXT: &str = include_str!("../../../assets/plans/making/plan.md");

impl PlanMaking<'_> {
    /// Returns the text for the agent, with the text as nothing but material, and the command that checks its work.
    pub(super) fn plan_order(&self) -> Result<(String, String), Cause> {
        let example = plan::new_plan(&NewPlan {
            feature: &self.name.feature,
            phases: 2,
            template: "generic",
            date: &clock::utc_date(clock::now()),
            gates: &self.setup.settings.gates,
            own: &self.setup.templates,
        });
        let example: Vec<String> = example
            .iter()
            .take(2)
            .map(|(name, text)| format!("`{name}`:\n\n{}", fenced_whole(text)))
            .collect();
        let folder = &self.name.folder;
        let check = format!("audit {folder}/{MASTER}");
        let values = json!({
            "folder": folder, "master": MASTER, "checks": self.checks()?, "check": check,
            "form": example.join("\n\n"), "text": fenced_whole(&self.job.text),
        });
        Ok((fill(TEXT, &values)?, check))
    }

    /// Returns the files of the plan: those that its table names and no others.
    pub(super) fn plan_files(&self, task: &Task) -> Result<MadeFiles, Cause> {
        let folder = PathBuf::from(&self.name.folder);
        let mut files = MadeFiles::new();
        let mut open = |path: &Path| {
            let text = (self.open)(task, path).map_err(|why| why.to_string())?;
            let inside = path.strip_prefix(&folder).unwrap_or(path);
            files.insert(inside.to_owned(), text.clone());
            Ok(text)
        };
        let master = folder.join(MASTER);
        let text = open(&master).map_err(|why| format!("{}: {why}", master.display()))?;
        let made = plan::read(&master, &text, &self.setup.settings.gates, &mut open);
        if made.is_sound() {
            return Ok(files);
        }
        Err(format!("the plan has errors:\n{}", shown::lines(&made).join("\n")).into())
    }
}
