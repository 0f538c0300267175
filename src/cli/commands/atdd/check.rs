//! `dbs atdd check`: the contents of PRDs and their problems (A22, A23, LA-16).

use std::path::PathBuf;

use serde_json::json;

use crate::cli::commands::audit::Audited;
use crate::cli::commands::prelude::*;
use crate::config::Config;
use crate::config::atdd::StorySettings;
use crate::domain::{counted, pluralized};
use crate::formats::story_files::DOCUMENTS;
use crate::plans::prd_queue::{self, QueuedPrd};
use crate::plans::shown::{finding_json, finding_line};

/// Validate PRDs and summarize them
///
/// Each error names file, line and the path in the document. Nothing is changed. The exit code is 0 if nothing is wrong, 1 with errors, and
/// 2 with `--strict` if there are warnings.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs atdd check\ndbs atdd check prds/001-FEAT-export.json --strict"))]
pub struct AtddCheckArgs {
    /// PRDs or folders of PRDs; default: the whole queue
    paths: Vec<PathBuf>,
    /// Exit with 2 when there are warnings
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AtddCheckArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env);
        let config = place
            .as_ref()
            .map_or_else(|_none| Config::default(), ProjectPaths::read_config);
        let settings = StorySettings::of(&config);
        let queue = if self.paths.is_empty() {
            prd_queue::whole(&place?, &settings)?.prds
        } else {
            prd_queue::named(&self.paths, place.as_ref().ok(), &settings)?.prds
        };
        if self.json.json {
            let prds: Vec<_> = queue.iter().map(as_json).collect();
            output::json(&json!({ "prds": prds }));
        } else {
            output::all(lines(&queue, &settings));
        }
        let audited = Audited {
            is_sound: queue.iter().all(|queued| queued.prd.is_sound()),
            has_findings: queue.iter().any(|queued| !queued.prd.findings.is_empty()),
        };
        Ok(audited.exit_code(self.strict))
    }
}

fn as_json(queued: &QueuedPrd) -> serde_json::Value {
    let prd = &queued.prd;
    let stories = prd.stories.iter().zip(&queued.test_files).map(|(story, file)| {
        json!({
            "id": story.id, "title": story.title, "criteria": story.criteria, "non_functional": story.non_functional,
            "priority": story.priority, "size": story.size, "passes": story.passes, "line": story.line, "test_file": file,
        })
    });
    let findings = prd.findings.iter().map(|found| {
        let mut shown = finding_json(found);
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("path".to_owned(), found.path.clone().into());
        }
        shown
    });
    json!({
        "file": prd.file, "dialect": prd.dialect, "type": prd.kind, "name": prd.name, "is_sound": prd.is_sound(),
        "stories": stories.collect::<Vec<_>>(), "diagnostics": findings.collect::<Vec<_>>(),
    })
}

fn lines(queue: &[QueuedPrd], settings: &StorySettings) -> Vec<String> {
    if queue.is_empty() {
        let folder = &settings.folder;
        return vec![format!(
            "the queue is empty: there is no PRD in {folder}/; {DOCUMENTS}/prd-schema.md describes a PRD, and `dbs atdd init` creates that file"
        )];
    }
    let mut lines: Vec<String> = queue.iter().flat_map(of_prd).collect();
    let bad = queue.iter().filter(|queued| !queued.prd.is_sound()).count();
    if bad > 0 {
        lines.push(format!(
            "{bad} of {} cannot be used as it is; {DOCUMENTS}/prd-schema.md describes a PRD, and `dbs atdd init` creates that file",
            pluralized(queue.len(), "PRD")
        ));
    } else if queue.iter().all(|queued| queued.prd.findings.is_empty()) {
        lines.push("nothing is wrong".to_owned());
    }
    lines
}

fn of_prd(queued: &QueuedPrd) -> Vec<String> {
    let prd = &queued.prd;
    let dialect = prd.dialect.map_or("cannot be read", Into::into);
    let name = if prd.name.is_empty() {
        String::new()
    } else {
        format!(", {}", prd.name)
    };
    let n_stories = counted(prd.stories.len(), "story", "stories");
    let mut lines = vec![format!("{}: {dialect}{name}, {n_stories}", prd.file.display())];
    for (story, file) in prd.stories.iter().zip(&queued.test_files) {
        let criteria = counted(story.criteria.len(), "criterion", "criteria");
        let done = if story.passes == Some(true) {
            ", passes"
        } else {
            ""
        };
        lines.push(format!(
            "{:<8} {}  ({criteria}, {file}{done})",
            story.id, story.title
        ));
    }
    let found = prd.findings.iter();
    lines.extend(found.map(finding_line));
    lines
}
