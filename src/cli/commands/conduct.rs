//! `dbs conduct`: a conductor, which plans tasks with a person.

use crate::cli::commands::prelude::*;
use crate::cli::commands::run::AgentStart;
use crate::cli::commands::task::create;
use crate::cli::text_input;
use crate::domain::{AgentSettings, TaskDraft, WorkflowId};

/// Start a conductor, an agent that plans tasks with you
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs conduct \"Let people export their orders\"\ndbs conduct"))]
pub struct ConductArgs {
    /// Goal of the plan; without one the conductor asks you
    goal: Vec<String>,
    /// Start the conductor without asking (the default without a terminal)
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ConductArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        // Its task goes to it at once.
        let goal = text_input::typed("goal", self.goal.join(" "))?;
        let goal = if goal.trim().is_empty() {
            "Plan with a person"
        } else {
            &goal
        };
        let draft = TaskDraft {
            workflow: WorkflowId::from(WorkflowId::CONDUCT),
            ..create::requirement(goal)
        };
        if !self.json.json {
            let paths = ProjectPaths::find(&env.folder, env)?;
            let start = AgentStart {
                paths: &paths,
                workflows: &[WorkflowId::CONDUCT],
                chosen: AgentSettings::default(),
                result: "It plans with you in its terminal, which `dbs` shows, until you end it.".to_owned(),
            };
            start.agree(self.yes)?;
        }
        let put = create::put(env, &draft, true, self.json)?;
        if put == ExitCode::SUCCESS && !self.json.json && !BoardAccess::open(env)?.has_server() {
            output::line("no server runs for this project: `dbs` starts the conductor and shows it");
        }
        Ok(put)
    }
}
