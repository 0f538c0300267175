//! `dbs audit`, `dbs init NAME` and `dbs run`: the contents of a plan, the files of a new one, and the phases of one as tasks of the board.

mod consent;
mod convert;
mod documents;
mod graphs;
mod headless;
mod interactive;
mod run;
mod run_facts;
mod shown;
mod stories;
mod uncommitted;
mod write_back;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::{AuditArgs, JsonFlag, PlanCommand, PlanShape};
use crate::cli::command_error::CommandError;
use crate::cli::commands::CommandResult;
use crate::cli::failure::could_not;
use crate::config::atdd::StorySettings;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::Task;
use crate::domain::task::GateCommand;
use crate::formats::design::DesignDocument;
use crate::formats::plan::{self, Plan, PlanItem, PlanKind};

pub use convert::{convert, design, new_prd};
pub use headless::run_headless;
pub use interactive::run_interactive;
pub(super) use run::run;
pub(super) use shown::{finding_json, finding_line, standing_of};
pub(super) use stories::on_board as stories_on_board;

/// Largest file of a plan, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Most bytes of all files of a plan together: the same file may be named again and again.
const LARGEST_PLAN: usize = 16 * 1024 * 1024;

/// Exit code of `--strict` for documents with warnings.
const DOUBTFUL: u8 = 2;

/// Prints the contents of a plan and its problems.
pub(super) fn audit(edge: &ProcessEnv, wanted: &AuditArgs) -> CommandResult {
    if let Some(kind) = DesignDocument::of(&wanted.plan) {
        return Ok(documents::audit(&wanted.plan, kind, wanted.json)?.exit_code(wanted.strict));
    }
    let place = ProjectPaths::find(&edge.folder, edge).ok();
    let (mut plan, texts) = read_files(&wanted.plan, place.as_ref())?;
    if plan.kind == PlanKind::Graph {
        let text = texts.get(&wanted.plan).map_or("", String::as_str);
        plan.findings
            .extend(graphs::undecided((&wanted.plan, text), &wanted.answers));
    }
    if wanted.json.json {
        output::json(&shown::json(&plan));
    } else {
        output::all(shown::lines(&plan));
    }
    let audited = Audited {
        is_sound: plan.is_sound(),
        has_findings: !plan.findings.is_empty(),
    };
    Ok(audited.exit_code(wanted.strict))
}

/// Result of auditing documents.
pub(super) struct Audited {
    /// True if nothing is an error.
    pub(super) is_sound: bool,
    pub(super) has_findings: bool,
}

impl Audited {
    /// Returns the exit code; `is_strict` where warnings count.
    pub(super) fn exit_code(&self, is_strict: bool) -> ExitCode {
        match (self.is_sound, self.has_findings) {
            (false, _) => ExitCode::FAILURE,
            (true, true) if is_strict => ExitCode::from(DOUBTFUL),
            (true, _) => ExitCode::SUCCESS,
        }
    }
}

/// The commands of `dbs plan`.
pub(super) fn plan(edge: &ProcessEnv, verb: &PlanCommand) -> CommandResult {
    match verb {
        PlanCommand::New(wanted) => init(edge, (&wanted.feature, &wanted.shape), wanted.json),
        PlanCommand::WriteBack(wanted) => write_back::write_back(edge, wanted),
    }
}

/// Makes the files of a new plan in a folder of its own; existing files are not touched.
pub(super) fn init(edge: &ProcessEnv, (feature, shape): (&str, &PlanShape), json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let feature = feature.trim();
    let usable = |sign: char| !sign.is_control() && !"|[]`".contains(sign);
    if feature.is_empty() || feature.len() > 80 || !feature.chars().all(usable) {
        return Err(CommandError::user(format!(
            "could not make a plan called {feature:?}: name it in at most 80 letters, without | [ ] and backticks"
        )));
    }
    let gates = own_gates(Some(&place));
    if gates.is_empty() {
        return Err(CommandError::user(
            "could not make a plan: nothing would prove its phases; set a check first, for example: dbs config gates.test 'make test'",
        ));
    }
    let folder = place.root.join("plans").join(plan::slug(feature));
    let failed = |error: std::io::Error| format!("could not make {}: {error}", folder.display());
    if folder.exists() {
        return Err(CommandError::user(format!(
            "could not make a plan: {} is there already; name it otherwise",
            folder.display()
        )));
    }
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let date = clock::utc_date(clock::now());
    let files = plan::new_plan(&plan::NewPlan {
        feature,
        phases: shape.phases,
        template: &shape.template,
        date: &date,
        gates: &gates,
    });
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    let made: Vec<String> = files
        .iter()
        .map(|(name, _)| in_project(&folder.join(name), &place.root))
        .collect();
    if json.json {
        output::json(&serde_json::json!({ "files": made }));
        return Ok(ExitCode::SUCCESS);
    }
    let master = made.first().cloned().unwrap_or_default();
    output::all(made);
    output::line(&format!(
        "write down what each phase is to do, then: dbs audit {master}; dbs run {master}"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Reads the plan with the files of its phases. A link in a plan must not lead outside of the folder of the plan.
fn read(file: &Path, place: Option<&ProjectPaths>) -> Result<Plan, String> {
    read_files(file, place).map(|(plan, _)| plan)
}

/// Finds the task of an item on the board.
type TaskOf<'a> = &'a dyn Fn(&PlanItem) -> Option<&'a Arc<Task>>;

/// The texts of the files of a plan, without byte order marks.
type PlanTexts = BTreeMap<PathBuf, String>;

/// Reads the same, with the texts that were read.
fn read_files(file: &Path, place: Option<&ProjectPaths>) -> Result<(Plan, PlanTexts), String> {
    if let Some(plan) = stories::read(file, place)? {
        return Ok((plan, PlanTexts::new()));
    }
    let failed = |why: &dyn std::fmt::Display| format!("could not read the plan {}: {why}", file.display());
    if !file.exists() {
        return Err(failed(&format!("it is not there; {}", way_to_plan(file, place))));
    }
    let text = text_file::read_text(file, LARGEST).map_err(|error| failed(&error))?;
    if file.extension().is_some_and(|ending| ending == "json") {
        let plan = graphs::read((file, &text), place);
        return Ok((plan, PlanTexts::from([(file.to_owned(), text)])));
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
    let plan = plan::read(file, &text, &own_gates(place), &mut open);
    Ok((plan, texts))
}

/// Returns the way for a person to get a plan that does not exist.
fn way_to_plan(file: &Path, place: Option<&ProjectPaths>) -> &'static str {
    let is_queue = |place: &ProjectPaths| {
        file.ends_with(StorySettings::of(&place.read_config()).folder) && file.extension().is_none()
    };
    if file.ends_with(".design/plan.json") {
        "`dbs design GOAL` makes one"
    } else if place.is_some_and(is_queue) {
        "`dbs atdd init` makes the folder, `dbs atdd new TEXT` a PRD in it"
    } else {
        "name the file of a plan, for example: dbs run docs/MASTER.md, dbs run .design/plan.json"
    }
}

/// Returns the gates of the project, by whose names a plan may use their commands.
fn own_gates(place: Option<&ProjectPaths>) -> Vec<GateCommand> {
    let settings = place.and_then(|place| crate::config::session_setup::reread(place).ok());
    settings.map(|(settings, _)| settings.gates).unwrap_or_default()
}

/// Returns a path as it is named from the project's root.
fn in_project(path: &Path, root: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_gone| path.to_owned());
    let root = root.canonicalize().unwrap_or_else(|_gone| root.to_owned());
    let shown: PathBuf = real
        .strip_prefix(&root)
        .map_or_else(|_outside| path.to_owned(), Path::to_owned);
    let parts = shown.components().map(|part| part.as_os_str().to_string_lossy());
    if shown.is_relative() {
        // As git names it, on every system.
        return parts.collect::<Vec<_>>().join("/");
    }
    shown.display().to_string()
}
