//! `dbs plan`: the files of a new plan, and the state of its phases in those of one.

mod write_back;

use clap::Subcommand;

use crate::adapters::clock;
use crate::cli::commands::prelude::*;
use crate::domain::task::GateCommand;
use crate::formats::plan::{self, TEMPLATES};
use crate::plans::in_project;
use crate::plans::setup::PlanSetup;

/// Name of the check that a new plan asks for where the project has none.
const PROPOSED_GATE: &str = "tests";

/// Create a plan, or write its progress back into its files
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    New(NewPlanArgs),
    WriteBack(write_back::WriteBackArgs),
}

impl RunCommand for PlanCommand {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match self {
            PlanCommand::New(wanted) => wanted.run(env),
            PlanCommand::WriteBack(wanted) => wanted.run(env),
        }
    }
}

/// Size and template of a new plan.
#[derive(Debug, Args)]
pub(super) struct PlanShape {
    /// Number of phases
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=50), requires = "feature", allow_negative_numbers = true)]
    phases: u32,
    /// Template of the phases
    #[arg(long, default_value = "generic", value_parser = TEMPLATES, requires = "feature")]
    template: String,
}

/// Create the files of a new plan, like dbs init with a name
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs plan new \"Invoice export\" --phases 4"))]
pub struct NewPlanArgs {
    /// Subject of the plan
    pub(in crate::cli::commands) feature: String,
    #[command(flatten)]
    pub(in crate::cli::commands) shape: PlanShape,
    #[command(flatten)]
    pub(in crate::cli::commands) json: JsonFlag,
}

impl RunCommand for NewPlanArgs {
    /// Makes the files of a new plan in a folder of its own; existing files are not touched.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let feature = self.feature.trim();
        let usable = |sign: char| !sign.is_control() && !"|[]`".contains(sign);
        if feature.is_empty() || feature.len() > 80 || !feature.chars().all(usable) {
            return Err(CommandError::user(format!(
                "could not make a plan called {feature:?}: name it in at most 80 letters, without | [ ] and backticks"
            )));
        }
        let PlanSetup {
            settings, templates, ..
        } = PlanSetup::read(&paths);
        let mut gates = settings.gates;
        let has_gates = !gates.is_empty();
        if !has_gates {
            gates.push(GateCommand {
                name: PROPOSED_GATE.to_owned(),
                command: String::new(),
            });
        }
        let folder = paths.root.join("plans").join(plan::slug(feature));
        let tried = format!("could not make {}", folder.display());
        if folder.exists() {
            return Err(CommandError::user(format!(
                "could not make a plan: {} is there already; name it otherwise",
                folder.display()
            )));
        }
        std::fs::create_dir_all(&folder).map_err(failed(&tried))?;
        let date = clock::utc_date(clock::now());
        let files = plan::new_plan(&plan::NewPlan {
            feature,
            phases: self.shape.phases,
            template: &self.shape.template,
            date: &date,
            gates: &gates,
            own: &templates,
        });
        for (name, text) in &files {
            std::fs::write(folder.join(name), text).map_err(failed(&tried))?;
        }
        let made: Vec<String> = files
            .iter()
            .map(|(name, _)| in_project(&folder.join(name), &paths.root))
            .collect();
        if self.json.json {
            output::json(&serde_json::json!({ "files": made }));
            return Ok(ExitCode::SUCCESS);
        }
        let master = made.first().cloned().unwrap_or_default();
        output::all(made);
        if !has_gates {
            output::line(&format!(
                "no check is set, so nothing proves a phase yet: `dbs config gates.{PROPOSED_GATE} 'make test'` sets one for all phases"
            ));
        }
        output::line(&format!(
            "write down what each phase is to do, then: dbs audit {master}; dbs run {master}"
        ));
        Ok(ExitCode::SUCCESS)
    }
}
