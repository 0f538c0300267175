//! `dbs run --interactive`: at the terminal a person decides between phases about the next step. Every answer can also be given by a
//! command, so that a person who quits has lost nothing.

use std::io::BufRead as _;
use std::process::ExitCode;

use super::headless::{self, RunFollower, StartServer};
use super::run_facts::{PhaseFacts, RunFacts};
use super::{consent, read, run};
use crate::adapters::output;
use crate::cli::args::RunPlanArgs;
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::CommandError;
use crate::cli::commands::CommandResult;
use crate::cli::commands::show::EventCursor;
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::task::{HoldReason, behind_failed};
use crate::domain::{Command, Task, TaskId, TaskState};

/// Executes a plan, and asks before each phase is merged and after each that has stopped.
///
/// # Errors
/// The failure, for people; also when this is not a terminal.
pub fn run_interactive(edge: &ProcessEnv, wanted: &RunPlanArgs, serve: StartServer<'_>) -> CommandResult {
    if wanted.headless || wanted.json.json || !consent::can_ask() {
        return Err(CommandError::user(
            "could not ask between phases: --interactive needs a terminal, without --headless and --json. Leave it out, put the line \
             `**Approval:** required` into the phases that are to wait, and answer with `dbs approve ID`, `dbs reject ID WHY` or \
             `dbs skip ID`",
        ));
    }
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let mut events = EventCursor::new(place.store.clone());
    events.print_new(wanted.json, &|_old| false)?;
    let batch = match headless::begin(edge, &place, wanted, serve)? {
        Ok(batch) => batch,
        Err(code) => return Ok(code),
    };
    let mut follower = RunFollower::new(&place, &batch, (events, wanted.output, wanted.json));
    follower.stops_for_approval = true;
    while let Some(found) = follower.until_still(serve)? {
        let answer = match next_question(&found) {
            Some(task) => ask(task),
            None => return Ok(follower.finish(&found)?.into()),
        };
        let Some((id, answer)) = answer else {
            output::line(&format!(
                "what is under way goes on; `dbs run {} --interactive --resume` asks again",
                wanted.plan.display()
            ));
            return Ok(follower.finish(&found)?.into());
        };
        let mut access = BoardAccess::open_project(place.clone())?;
        for command in commands(&mut access, wanted, (id, answer))? {
            match access.execute(&edge.author(), command)? {
                Ok(accepted) => output::line(&accepted.0),
                Err(refusal) => output::problem(&refusal.why),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Answer of a person about a phase.
enum PhaseAnswer {
    Approve,
    /// Work on it again, for that reason.
    Reject(String),
    /// Fix the findings of the checks, and that.
    Fix(String),
    Retry(Option<String>),
    Skip,
}

/// Returns the phase that a person has to decide about: one that waits for a yes, else one that has stopped by itself.
fn next_question(found: &RunFacts) -> Option<&PhaseFacts> {
    let waits = |task: &&PhaseFacts| task.state.awaits_approval();
    let stopped = |task: &&PhaseFacts| matches!(task.state, TaskState::Failed(_) | TaskState::Held(_));
    let mut tasks = found.tasks.iter();
    tasks.find(waits).or_else(|| found.tasks.iter().find(stopped))
}

/// Asks at the terminal until an answer is understood; returns nothing where the person quits.
fn ask(task: &PhaseFacts) -> Option<(TaskId, PhaseAnswer)> {
    let (id, is_asked) = (&task.id, task.state.awaits_approval());
    let what = match &task.state {
        TaskState::Held(hold) => hold.to_string(),
        TaskState::Failed(why) => format!("failed: {}", behind_failed(why)),
        state => state.word().to_owned(),
    };
    let approve = if is_asked { "[a]pprove, " } else { "" };
    let question = format!("{id} {what}: {approve}[r]etry and what is to be done, [s]kip, [q]uit?");
    loop {
        output::line(&question);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        // The end of the input is not an answer.
        if !read.is_ok_and(|read| read > 0) {
            return None;
        }
        let (word, text) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let reason = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let answer = match (word, reason) {
            ("a" | "approve", _) if is_asked => PhaseAnswer::Approve,
            ("r" | "retry", Some(why)) if task.state == TaskState::Held(HoldReason::Approval) => {
                PhaseAnswer::Reject(why)
            }
            ("r" | "retry", Some(why)) if is_asked => PhaseAnswer::Fix(why),
            ("r" | "retry", None) if is_asked => {
                output::line("say what is to be done otherwise, for example: r keep the old names");
                continue;
            }
            ("r" | "retry", reason) => PhaseAnswer::Retry(reason),
            ("s" | "skip", _) => PhaseAnswer::Skip,
            ("q" | "quit", _) => return None,
            _ => continue,
        };
        return Some((id.clone(), answer));
    }
}

/// Returns the commands to the board for an answer.
fn commands(
    access: &mut BoardAccess,
    wanted: &RunPlanArgs,
    (id, answer): (TaskId, PhaseAnswer),
) -> Result<Vec<Command>, String> {
    let retry = |note| Command::Retry {
        task: id.clone(),
        stage: None,
        note,
    };
    Ok(match answer {
        PhaseAnswer::Approve => vec![Command::Approve(id)],
        // A person who says so at the terminal does not wait for the pause between a rejection and the next try.
        PhaseAnswer::Reject(why) => vec![Command::Reject(id.clone(), why), retry(None)],
        PhaseAnswer::Fix(why) => vec![Command::Reject(id, why)],
        PhaseAnswer::Retry(note) => vec![retry(note)],
        PhaseAnswer::Skip => {
            let freed = ordered_behind(access, wanted, &id)?;
            let free = |task: TaskId| Command::RemoveDependency(task, id.clone());
            let freed: Vec<Command> = freed.into_iter().map(free).collect();
            std::iter::once(Command::Skip(id.clone())).chain(freed).collect()
        }
    })
}

/// Returns the phases that wait for another by the order of the table alone: they continue without it, and those whose files name it do
/// not.
fn ordered_behind(
    access: &mut BoardAccess,
    wanted: &RunPlanArgs,
    skipped: &TaskId,
) -> Result<Vec<TaskId>, String> {
    let plan = read(&wanted.plan, Some(&access.place))?;
    let (_, known) = run::known(access, &plan)?;
    let item_of = |task: &Task| {
        let entry = task.plan.as_ref()?;
        plan.items.iter().find(|item| item.id == entry.source.item)
    };
    let left_out = known
        .get(skipped)
        .and_then(|task| item_of(task))
        .map(|item| &item.id);
    let is_declared = |task: &Task| {
        let needs = item_of(task).map(|item| &item.needs);
        left_out.is_none_or(|left_out| needs.is_none_or(|needs| needs.contains(left_out)))
    };
    let waiting = known.values().filter(|task| task.deps.contains(skipped));
    let freed = waiting.filter(|task| !is_declared(task));
    Ok(freed.map(|task| task.id.clone()).collect())
}
