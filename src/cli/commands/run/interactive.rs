//! `dbs run --interactive`: at the terminal a person decides between phases about the next step. Every answer can also be given by a
//! command, so that a person who quits has lost nothing.

use super::headless::{self, FollowEnd, RunFollower};
use super::{asking, begin};
use crate::adapters::termination::Interruption;
use crate::cli::commands::logs::EventCursor;
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::RunPlanArgs;
use crate::plans::phase_answer::{self, PhaseAnswer, TypedAnswer};
use crate::plans::run_watch::PhaseFacts;

/// Executes a plan, and asks before each phase is merged and after each that has stopped.
///
/// # Errors
/// When this is not a terminal, or the plan cannot be begun or followed.
pub(super) fn run(env: &ProcessEnv, args: &RunPlanArgs) -> CommandResult {
    if args.call.headless || args.call.json.json || !asking::can_ask() {
        return Err(CommandError::user(
            "could not ask between phases: --interactive needs a terminal, without --headless and --json. Leave it out, put the line \
             `**Approval:** required` into the phases that are to wait, and answer with `dbs approve ID`, `dbs reject ID WHY` or \
             `dbs skip ID`",
        ));
    }
    let paths = ProjectPaths::find(&env.folder, env)?;
    let mut events = EventCursor::new(paths.store.clone());
    events.print_new(args.call.json, &|_old| false)?;
    let interruption = Interruption::listen();
    let batch = match headless::begin(env, &paths, args)? {
        Ok(run) => run.batch,
        Err(code) => return Ok(code),
    };
    let printed = (events, args.call.printed(), args.call.json);
    let mut follower = RunFollower::new(&paths, &batch, printed, interruption);
    follower.watch.stops_for_approval = true;
    loop {
        let found = match follower.until_still(env)? {
            FollowEnd::Still(found) => found,
            FollowEnd::Unread => return Ok(ExitCode::SUCCESS),
            FollowEnd::Interrupted => return Ok(headless::left_running()),
        };
        let Some(task) = phase_answer::next_question(&found) else {
            return follower.finish(&found).map(ExitCode::from);
        };
        let Some(answer) = ask(task) else {
            output::line(&format!(
                "running work continues; `dbs run {} --interactive --resume` asks again",
                args.plan.display()
            ));
            return Ok(follower.finish(&found)?.into());
        };
        let mut access = BoardAccess::open_project(paths.clone())?;
        let tasks = begin::tasks_of(&mut access, batch.clone())?;
        for command in phase_answer::commands(answer, &task.id, &tasks) {
            match access.execute(&env.author(), command)? {
                Ok(accepted) => output::line(&accepted.0),
                Err(refusal) => output::problem(&refusal.why),
            }
        }
    }
}

/// Asks at the terminal until an answer is understood; returns nothing where the person quits.
fn ask(task: &PhaseFacts) -> Option<PhaseAnswer> {
    loop {
        output::line(&phase_answer::question(task));
        // The end of the input is not an answer.
        let line = asking::read_line()?;
        match phase_answer::read_answer(task, &line) {
            TypedAnswer::Answer(answer) => return Some(answer),
            TypedAnswer::Quit => return None,
            TypedAnswer::NoReason => {
                output::line("add an instruction, for example: r keep the old names");
            }
            TypedAnswer::NotUnderstood => {}
        }
    }
}
