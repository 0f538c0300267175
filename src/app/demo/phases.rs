//! The demos of a phased plan and of stories: their files are read and put on the board as `dbs run` does it. A phase that waits for
//! approval is approved, and a story that is held is retried, after a time that is shown, unless a person is there.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::DemoDisplay;
use crate::adapters::child_process::own_program;
use crate::adapters::rehearsal::{BASE, DemoPlan, demo_gate};
use crate::adapters::text_file;
use crate::cli::command_error::{CommandError, CommandResult, failed};
use crate::domain::task::HoldReason;
use crate::domain::{Command, RunOptions, StoryTests, TaskId, TaskState};
use crate::formats::plan::{self, Plan, PlanChoices, PlanItem, StoryRules};
use crate::formats::prd;
use crate::read_model::ReadModel;
use crate::server::Server;

/// The master plan in the project of the demo.
const MASTER: &str = "plan/MASTER_PLAN.md";
/// Batch named after the title of the plan.
pub(super) const BATCH: &str = "knots-for-climbers";
/// The PRD in the project of the demo of stories.
const PRD: &str = "prds/001-FEAT-knots.json";
/// The batch of its stories.
pub(super) const STORIES: &str = "stories";

/// Returns the commands to the board before anything moves.
///
/// # Errors
/// When the plan of the demo cannot be read, or is not sound; for people.
pub(super) fn commands(demo: &DemoPlan, project: &Path) -> CommandResult<Vec<Command>> {
    let mut open = |path: &Path| {
        text_file::read_text(path, text_file::LARGEST_WRITTEN).map_err(|error| error.to_string())
    };
    let master = project.join(MASTER);
    let text = open(&master).map_err(failed("could not read the plan of the demo"))?;
    let gates = [demo_gate("check", ""), demo_gate("complete", " --complete")];
    let read = plan::read(&master, &text, &gates, &mut open);
    if let Some(found) = read.findings.first() {
        return Err(CommandError::project(format!(
            "could not read the plan of the demo: {found}"
        )));
    }
    let choices = PlanChoices {
        is_parallel: true,
        ..PlanChoices::default()
    };
    carry_out(&read, &choices, demo, project)
}

/// Returns the commands for the stories of the PRD.
///
/// # Errors
/// When the PRD of the demo cannot be read; for people.
pub(super) fn story_commands(demo: &DemoPlan, project: &Path) -> CommandResult<Vec<Command>> {
    let file = project.join(PRD);
    let text = text_file::read_text(&file, text_file::LARGEST_WRITTEN)
        .map_err(failed("could not read the PRD of the demo"))?;
    let test_file = |name: &str| format!("tests/{name}.py");
    let rules = StoryRules {
        folder: "prds".to_owned(),
        test_command: &|name| own_program(&format!("rehearse pytest {}", test_file(name))),
        suite_command: None,
        test_file: &test_file,
        on_base: &|_| false,
        protected: Vec::new(),
        archived: &BTreeSet::new(),
        tests: StoryTests::default(),
        passes_over: false,
    };
    let read = plan::queue(&[prd::read(&file, &text)], &rules);
    carry_out(&read, &PlanChoices::default(), demo, project)
}

fn carry_out(
    read: &Plan,
    choices: &PlanChoices,
    demo: &DemoPlan,
    project: &Path,
) -> CommandResult<Vec<Command>> {
    let body = |item: &PlanItem| {
        let file = item.file.as_deref();
        file.and_then(|file| text_file::read_text(file, text_file::LARGEST_WRITTEN).ok())
            .unwrap_or_default()
    };
    let name = |path: &Path| {
        let inside = path.strip_prefix(project).unwrap_or(path);
        inside.display().to_string()
    };
    let drafts =
        plan::drafts(read, choices, &body, &name).map_err(failed("could not play the plan of the demo"))?;
    let ids: Vec<TaskId> = drafts.iter().map(|draft| draft.id.clone()).collect();
    let put = Command::PutBatch {
        id: plan::batch_of(read, 0),
        title: demo.title.clone(),
        goal: demo.goal.clone(),
        base: Some(BASE.to_owned()),
        options: RunOptions::default(),
    };
    Ok(vec![put, Command::CreateAll(drafts), Command::Release(ids)])
}

/// Approves waiting phases and retries held stories, each after the time in which a person could press a key; a remark and the top bar show
/// it. Once a person is there, everything waits for them.
pub(super) async fn approve(server: &Server, form: DemoDisplay) {
    let mut models = server.session.engine.read_models.clone();
    let mut at_keys = server.at_keys();
    loop {
        let Ok(task) = models
            .wait_for(|model| waiting(model).is_some())
            .await
            .map(|model| waiting(&model))
        else {
            return;
        };
        let Some((task, is_stuck)) = task else { continue };
        let verb = if is_stuck { "retries" } else { "approves" };
        tell(server, Command::Comment(task.clone(), remark(form, verb))).await;
        let (word, command) = if is_stuck {
            let (stage, note) = (None, None);
            (
                "retried",
                Command::Retry {
                    task: task.clone(),
                    stage,
                    note,
                },
            )
        } else {
            ("approved", Command::Approve(task.clone()))
        };
        tokio::select! {
            () = count_down(server, form, word) => tell(server, command).await,
            _ = at_keys.wait_for(|pressed| *pressed) => return server.say(None),
        }
        server.say(None);
        if models
            .wait_for(|model| waiting(model).is_none_or(|(other, _)| other != task))
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Returns a phase that waits for approval, or a story that got stuck for the first time; and true if it is such a story.
pub(super) fn waiting(model: &ReadModel) -> Option<(TaskId, bool)> {
    model.tasks.values().find_map(|task| match task.state {
        TaskState::Held(HoldReason::Approval) => Some((task.id.clone(), false)),
        TaskState::Held(_) if task.record.work.stuck.len() == 1 => Some((task.id.clone(), true)),
        _ => None,
    })
}

fn remark(form: DemoDisplay, verb: &str) -> String {
    let after = form.answer_after();
    if form.has_person() {
        format!("this demo {verb} it after {after} seconds; press any key, and it waits for you")
    } else {
        format!("this demo {verb} it after {after} seconds, because there is no screen")
    }
}

/// Shows the seconds that are left.
async fn count_down(server: &Server, form: DemoDisplay, word: &str) {
    for left in (1..=form.answer_after()).rev() {
        server.say(Some(format!("{word} in {left}s")));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Sends a command to the board; a refused one was decided by a person meanwhile.
async fn tell(server: &Server, command: Command) {
    let engine = server.session.engine.clone();
    drop(tokio::task::spawn_blocking(move || engine.ask("demo", command)).await);
}
