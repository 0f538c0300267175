//! Plans that a person orders at a screen: the question about one that is to be carried out, and the order to have one made.

use crate::domain::{Cause, Command, MadeForm, PlanJob};
use crate::plans::consent::PlanConsent;
use crate::plans::making::{LARGEST_GOAL, MadeName, goal_name};
use crate::plans::reconcile::{PlanProject, PlanRows, PlanWishes, reconcile};
use crate::plans::setup::PlanSetup;
use crate::plans::{self, BaseFiles, shown, uncommitted};
use crate::server::services::Services;
use crate::ui::PlanQuestion;

/// Returns the question about the plan of a file: all that a yes leads to was read before it.
///
/// # Errors
/// When the plan cannot be carried out.
pub(in crate::server) fn question(services: &Services, file: &str) -> Result<PlanQuestion, Cause> {
    let paths = &services.settings.paths;
    let git = services.shells.git_setup();
    let base = BaseFiles::new(paths, git.clone());
    let read = plans::read(&paths.root.join(file), Some(paths), &|path| base.has(path))?;
    let plan = &read.plan;
    if let Some(first) = plan.findings.iter().find(|found| found.is_error()) {
        return Err(format!("could not run the plan: {first}; `dbs audit {file}` shows all errors").into());
    }
    let model = services.engine.read_model();
    let rows = PlanRows::on_board(plan, &model.tasks);
    let wishes = PlanWishes::default();
    let mut lines = shown::lines(plan);
    if rows.begins(&wishes) {
        lines.extend(uncommitted::refuse_changes(paths, &git, plan)?);
    }
    let project = PlanProject {
        root: &paths.root,
        is_claude: PlanSetup::read(paths).works_with_claude(plan.kind),
    };
    let taken = model.tasks.keys().cloned().collect();
    let found = reconcile(&read, &rows, &taken, &wishes, project)?;
    if found.commands.is_empty() {
        return Err("the plan is on the board as its files have it".to_owned().into());
    }
    lines.extend(PlanConsent::new(plan, paths).question(&found)?.lines());
    Ok(PlanQuestion {
        title: plan.title.clone(),
        lines,
        commands: found.commands,
    })
}

/// Returns the order to have a plan made for a goal.
///
/// # Errors
/// When it cannot be made.
pub(in crate::server) fn design(services: &Services, goal: &str) -> Result<Command, Cause> {
    if goal.len() > LARGEST_GOAL {
        return Err(format!(
            "could not design: the goal has {} bytes and may have {LARGEST_GOAL}; put the rest into a file of the project, and name it",
            goal.len()
        ).into());
    }
    let job = PlanJob::new(MadeForm::Graph, goal_name(goal), goal.to_owned());
    let name = MadeName::new(&services.settings.paths, job.form, &job.feature);
    if services.engine.read_model().batches.contains_key(&name.batch()) {
        return Err(format!(
            "could not design: {} is on the board already; begin the goal with other words",
            name.batch()
        )
        .into());
    }
    Ok(Command::PutJob(name.batch(), Box::new(job)))
}
