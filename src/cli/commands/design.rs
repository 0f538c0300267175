//! `dbs design`: agents plan for a goal, over the steps that it needs, and the plan is written where a person says yes to it.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use strum::VariantNames as _;

use crate::cli::commands::convert::{PlanOrder, WriterArgs, job, text_of};
use crate::cli::commands::prelude::*;
use crate::domain::{MadeForm, PlanJob};
use crate::formats::design::Complexity;
use crate::plans::making::{LARGEST_GOAL, MadeName, goal_name};

/// Let agents design a graph plan for a goal, which you review
///
/// Unless the goal is small, experts look at it first. The whole plan is shown and needs your approval, at the terminal or by its hash,
/// before it is written to `.design/plan.json`. A previous plan is moved to `.design/history/`. The exit codes are those of `dbs run
/// --headless`; without a terminal, the command exits with 5 if the finished plan needs your approval. If you interrupt the command, the
/// server continues; run the command again to see the result.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs design 'Let people export their invoices as CSV'\ndbs design - --name export <goal.md\ndbs design 'Let people export their invoices as CSV' --complexity full"))]
pub struct DesignArgs {
    /// Goal in a sentence or more; `-` reads standard input
    goal: String,
    /// Agents that take part: `standard` adds experts to the planner, `full` also a critic of the experts; default: by the analysis of
    /// the goal
    #[arg(long, value_parser = PossibleValuesParser::new(Complexity::VARIANTS))]
    complexity: Option<String>,
    #[command(flatten)]
    writer: WriterArgs,
}

impl RunCommand for DesignArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let name = self.writer.name.as_deref();
        let failed = |why: &dyn std::fmt::Display| CommandError::user(format!("could not design: {why}"));
        let text = match self.goal.as_str() {
            "-" => text_of(Path::new("-"), name).map_err(|why| failed(&why))?,
            goal if goal.trim().is_empty() => {
                return Err(failed(&"the goal is empty; describe it in a sentence"));
            }
            goal => goal.to_owned(),
        };
        if text.len() > LARGEST_GOAL {
            return Err(failed(&format!(
                "the goal has {} bytes and may have {LARGEST_GOAL}; put the rest into a file of the project, and name it",
                text.len()
            )));
        }
        let feature = name.map_or_else(|| goal_name(&text), ToOwned::to_owned);
        let job = PlanJob {
            complexity: self.complexity.clone(),
            ..job(MadeForm::Graph, feature, text, &self.writer)
        };
        let order = PlanOrder {
            env,
            name: MadeName::new(&paths, job.form, &job.feature),
            paths,
            job,
            tried: "design".to_owned(),
            wanted: &self.writer,
        };
        order.carry_out()
    }
}
