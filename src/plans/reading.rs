//! The files of a plan, read with limits. A link in a plan must not lead outside of the folder of the plan.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::plan_folder::{LARGEST, plan_in};
use super::setup::own_gates;
use super::{OnBase, graphs, in_project, stories};
use crate::adapters::text_file;
use crate::config::atdd::StorySettings;
use crate::config::project_paths::ProjectPaths;
use crate::domain::Cause;
use crate::domain::plan_entry::fits_path;
use crate::formats::plan::{self, Plan, ToolFiles};
use crate::formats::work_list::{TextShape, shape_of};

/// Maximum number of bytes of all files of a plan together: the same file may be named again and again.
const LARGEST_PLAN: usize = 16 * 1024 * 1024;

/// Plan that a design makes, and that is run if none is named.
const DESIGNED: &str = ".design/plan.json";

/// The texts of the files of a plan, without byte order marks.
pub type PlanTexts = BTreeMap<PathBuf, String>;

/// Plan as it was read at one time. Everything that becomes of it comes of these texts: a file that is edited later is another plan.
#[derive(Debug)]
pub struct ReadPlan {
    pub plan: Plan,
    pub texts: PlanTexts,
}

/// Reads a plan with the files of its phases; of a folder the plan in it. What it has done, and tests that it need not write, are looked for
/// on the base.
///
/// # Errors
/// When there is no plan, or its first file cannot be read; for people.
pub fn read(named: &Path, paths: Option<&ProjectPaths>, on_base: OnBase<'_>) -> Result<ReadPlan, Cause> {
    let in_folder = plan_in(named)?;
    let file = in_folder.as_deref().unwrap_or(named);
    if let Some(plan) = stories::read(file, paths, on_base)? {
        let texts = PlanTexts::new();
        return Ok(ReadPlan { plan, texts });
    }
    let failed = |why: &dyn std::fmt::Display| format!("could not read the plan {}: {why}", file.display());
    if !file.exists() {
        if file.ends_with(DESIGNED) {
            return Err(format!(
                "could not find a plan: there is no {}; `dbs design \"GOAL\"` makes one, `dbs run FILE` runs another",
                file.display()
            )
            .into());
        }
        return Err(failed(&format!("it is not there; {}", way_to_plan(file, paths))).into());
    }
    let text = text_file::read_text(file, LARGEST).map_err(|error| failed(&error))?;
    refuse_list(file, &text)?;
    if file.extension().is_some_and(|ending| ending == "json") {
        let plan = graphs::read(file, &text, paths, on_base);
        let texts = PlanTexts::from([(file.to_owned(), text)]);
        return Ok(ReadPlan { plan, texts });
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let real_folder = folder.canonicalize().map_err(|error| failed(&error))?;
    let mut room = LARGEST_PLAN;
    let mut texts = PlanTexts::from([(file.to_owned(), text.clone())]);
    let mut open = |path: &Path| {
        let real = path.canonicalize().map_err(|error| error.to_string())?;
        if !real.starts_with(&real_folder) {
            return Err("it is a link to a file outside of the folder of the plan".to_owned());
        }
        let text = text_file::read_text(&real, LARGEST).map_err(|error| error.to_string())?;
        let left = room.checked_sub(text.len());
        room = left
            .ok_or_else(|| format!("the files of the plan have more than {LARGEST_PLAN} bytes together"))?;
        texts.insert(path.to_owned(), text.clone());
        Ok(text)
    };
    let mut plan = plan::read(file, &text, &own_gates(paths), &mut open);
    if let Some(paths) = paths {
        let template = notes_template(&paths.root, folder);
        for item in plan.items.iter_mut().filter(|item| item.notes.is_some()) {
            item.notes_template.clone_from(&template);
        }
        plan::find_notes(&mut plan, |pattern| newest_file(&paths.root, pattern));
        if !plan.is_sound() {
            plan::propose_commands(&mut plan, &tool_files(&paths.root));
        }
    }
    Ok(ReadPlan { plan, texts })
}

/// Refuses a list of work of another tool, which is no plan.
fn refuse_list(file: &Path, text: &str) -> Result<(), Cause> {
    let TextShape::List(kind) = shape_of(text) else {
        return Ok(());
    };
    let (file, kind) = (file.display(), kind.word());
    Err(format!(
        "could not read the plan {file}: it is a {kind}; `dbs import {file}` makes tasks of it, `dbs convert {file}` has an agent make a plan of it"
    )
    .into())
}

/// Reads the files of a project that name its tools.
fn tool_files(root: &Path) -> ToolFiles {
    let text = |name: &str| text_file::read_text(&root.join(name), LARGEST).ok();
    ToolFiles::read(text, |name| root.join(name).is_file())
}

/// Returns the file that shows the form of notes: beside the plan, or where the phased predecessor has it.
fn notes_template(root: &Path, folder: &Path) -> Option<String> {
    let beside = in_project(&folder.join("NOTES_TEMPLATE.md"), root);
    let usual = [
        "docs/templates/notes/NOTES_TEMPLATE.md",
        "notes/NOTES_TEMPLATE.md",
    ];
    let mut all = std::iter::once(beside).chain(usual.map(str::to_owned));
    all.find(|path| root.join(path).is_file())
}

/// Returns the newest file of the project whose path fits a pattern with a `*` in its last part.
fn newest_file(root: &Path, pattern: &str) -> Option<String> {
    let (folder, _) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let is_below = Path::new(folder)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let entries = is_below
        .then(|| std::fs::read_dir(root.join(folder)).ok())
        .flatten()?;
    let found = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let path = if folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        };
        let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        fits_path(pattern, &path).then_some((about.modified().ok()?, path))
    });
    found.max().map(|(_, path)| path)
}

/// Returns the way for a person to get a plan that does not exist.
fn way_to_plan(file: &Path, paths: Option<&ProjectPaths>) -> &'static str {
    let is_queue = |paths: &ProjectPaths| {
        file.ends_with(StorySettings::of(&paths.read_config()).folder) && file.extension().is_none()
    };
    if paths.is_some_and(is_queue) {
        "`dbs atdd init` makes the folder, `dbs atdd new TEXT` a PRD in it"
    } else {
        "name the file of a plan, such as docs/MASTER.md or .design/plan.json"
    }
}
