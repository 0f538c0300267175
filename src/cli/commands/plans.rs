//! `dbs audit`, `dbs init NAME` and `dbs run`: the contents of a plan, the files of a new one, and the phases of one as tasks of the board.

mod asking;
mod beginning;
mod convert;
mod documents;
mod headless;
mod interactive;
mod run;
mod write_back;

use std::process::ExitCode;
use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::output;
use crate::cli::args::{AuditArgs, JsonFlag, PlanCommand, PlanShape};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::{CommandError, CommandResult};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::Task;
use crate::formats::design::DesignDocument;
use crate::formats::plan::{self, PlanKind};
use crate::plans::setup::own_gates;
use crate::plans::{ReadPlan, all_stories, in_project, shown, undecided};

pub(super) use beginning::AgentStart;
pub use convert::{convert, design, new_prd};
pub use headless::run_and_wait;
pub use interactive::run_interactive;
pub(super) use run::run;
pub use run::stays_attached;

/// Exit code of `--strict` for documents with warnings.
const DOUBTFUL: u8 = 2;

/// Prints the contents of a plan and its problems.
pub(super) fn audit(env: &ProcessEnv, wanted: &AuditArgs) -> CommandResult {
    if let Some(kind) = DesignDocument::of(&wanted.plan) {
        return Ok(documents::audit(&wanted.plan, kind, wanted.json)?.exit_code(wanted.strict));
    }
    let paths = ProjectPaths::find(&env.folder, env).ok();
    let ReadPlan { mut plan, texts } = crate::plans::read(&wanted.plan, paths.as_ref())?;
    if plan.kind == PlanKind::Graph {
        let text = texts.get(&plan.file).map_or("", String::as_str);
        let open = undecided(&plan.file, text, &wanted.answers);
        plan.findings.extend(open);
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
pub(super) fn plan(env: &ProcessEnv, verb: &PlanCommand) -> CommandResult {
    match verb {
        PlanCommand::New(wanted) => init(env, (&wanted.feature, &wanted.shape), wanted.json),
        PlanCommand::WriteBack(wanted) => write_back::write_back(env, wanted),
    }
}

/// Makes the files of a new plan in a folder of its own; existing files are not touched.
pub(super) fn init(env: &ProcessEnv, (feature, shape): (&str, &PlanShape), json: JsonFlag) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    let feature = feature.trim();
    let usable = |sign: char| !sign.is_control() && !"|[]`".contains(sign);
    if feature.is_empty() || feature.len() > 80 || !feature.chars().all(usable) {
        return Err(CommandError::user(format!(
            "could not make a plan called {feature:?}: name it in at most 80 letters, without | [ ] and backticks"
        )));
    }
    let gates = own_gates(Some(&paths));
    if gates.is_empty() {
        return Err(CommandError::user(
            "could not make a plan: nothing would prove its phases; set a check first, for example: dbs config gates.test 'make test'",
        ));
    }
    let folder = paths.root.join("plans").join(plan::slug(feature));
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
        .map(|(name, _)| in_project(&folder.join(name), &paths.root))
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

/// Returns the tasks of all stories on the board.
pub(super) fn stories_on_board(access: &mut BoardAccess) -> CommandResult<Vec<Arc<Task>>> {
    let rows = run::rows(access, &all_stories())?;
    Ok(rows.tasks.into_values().collect())
}
