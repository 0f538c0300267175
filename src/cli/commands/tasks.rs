//! Commands that change the board.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::adapters::clock;
use crate::adapters::deadline::Deadline;
use crate::adapters::desktop::editor;
use crate::cli::args::{JsonFlag, RetryArgs, TaskArgs, TaskCommand, TaskTextArgs, UpdateArgs};
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::CommandError;
use crate::cli::commands::{CommandResult, create, execute, import, print_reply, show, task_agent};
use crate::cli::text_input;
use crate::config::process_env::ProcessEnv;
use crate::domain::{AgentDisplay, Ask, AskKind, AskReply, AttemptId, Command, TaskId, TaskPatch};
use crate::protocol::query::{Report, TaskDetail};

/// Maximum time until the board knows the observed wait of an agent, on a busy machine.
const UNTIL_BOARD_KNOWS: Duration = Duration::from_secs(3);

pub(super) fn task(env: &ProcessEnv, verb: TaskCommand) -> CommandResult {
    match verb {
        TaskCommand::Create(create) => create::run(env, create),
        TaskCommand::Import(import) => import::run(env, &import),
        TaskCommand::Show(one) => show::print_report(env, Report::Task(id(&one.id)), one.json),
        TaskCommand::List { state, stage, json } => {
            show::print_report(env, Report::Tasks { state, stage }, json)
        }
        TaskCommand::Ready(json) => show::print_report(env, Report::Ready, json),
        TaskCommand::Edit(one) => edit(env, &one.id, one.json),
        TaskCommand::Update(update) => self::update(env, update),
        TaskCommand::Comment(one) => {
            let text = text_input::typed("comment", one.text.join(" "))?;
            execute(env, Command::Comment(id(&one.id), text), one.json)
        }
        TaskCommand::Dep {
            id: waits,
            on,
            remove: false,
            json,
        } => execute(env, Command::AddDependency(id(&waits), id(&on)), json),
        TaskCommand::Dep {
            id: waits,
            on,
            remove: true,
            json,
        } => execute(env, Command::RemoveDependency(id(&waits), id(&on)), json),
        TaskCommand::Release { ids, json } => execute(
            env,
            Command::Release(ids.iter().map(|text| id(text)).collect()),
            json,
        ),
        TaskCommand::Withdraw(one) => execute(env, Command::Withdraw(id(&one.id)), one.json),
        TaskCommand::Park(one) => execute(env, Command::Park(id(&one.id), one.text.join(" ")), one.json),
        TaskCommand::Close(one) => execute(env, Command::Close(id(&one.id), one.text.join(" ")), one.json),
        TaskCommand::Retry(again) => retry(env, again),
        TaskCommand::Attic(one) => show::attic(env, &one),
        TaskCommand::Why(wanted) => show::why(env, wanted),
    }
}

fn id(text: &str) -> TaskId {
    TaskId::from(text)
}

/// Opens title and description in the person's editor; the first line is the title.
fn edit(env: &ProcessEnv, name: &str, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let detail = access.task(&id(name))?.ok_or_else(|| {
        CommandError::user(format!("could not edit {name}: there is no such task"))
            .with_hint("`dbs task list` shows those there are")
    })?;
    let task = detail.task;
    let before = format!("{}\n\n{}\n", task.title, task.body.trim_end());
    let after = editor::edit(env.editor(), &before)?;
    let (title, body) = after.trim_start().split_once('\n').unwrap_or((after.trim(), ""));
    let patch = TaskPatch {
        title: Some(title.trim().to_owned()).filter(|title| !title.is_empty() && *title != task.title),
        body: Some(body.trim().to_owned()).filter(|body| body != task.body.trim()),
        ..TaskPatch::default()
    };
    if patch == TaskPatch::default() {
        return Err(CommandError::user(format!(
            "could not change {name}: nothing was changed in the editor"
        )));
    }
    let answer = access.execute(&env.author(), Command::Update(id(name), patch))?;
    Ok(print_reply(&answer, "", json))
}

fn update(env: &ProcessEnv, update: UpdateArgs) -> CommandResult {
    if let Some(status) = &update.status {
        return Err(CommandError::user(status_way(&update.id, status)));
    }
    let described = update
        .description
        .map(|text| text_input::typed("description", text));
    let patch = TaskPatch {
        title: update.title,
        body: described.transpose()?,
        priority: update.priority,
        add_tags: update.add_tags.into_iter().collect::<BTreeSet<_>>(),
        remove_tags: update.remove_tags.into_iter().collect(),
        stage: update.stage.map(|stage| stage.replace('-', "_").as_str().into()),
        workflow: update.workflow.as_deref().map(Into::into),
        gates: (update.no_gates || !update.gates.is_empty()).then_some(update.gates),
        needs_approval: update.approval,
        timeout: update.timeout,
        agent: task_agent::changed(env, &id(&update.id), &update.agent)?,
        begins_anew: None,
        plan: None,
    };
    if patch == TaskPatch::default() {
        return Err(CommandError::user(
            "could not change anything: say what to change, for example --title or --priority",
        ));
    }
    execute(env, Command::Update(id(&update.id), patch), update.json)
}

/// Returns the action to take instead of giving a task the status of a bead (K77).
fn status_way(id: &str, status: &str) -> String {
    let way = match status {
        "open" => format!("`dbs task release {id}` hands it over, `dbs retry {id}` takes it up again"),
        "blocked" => {
            format!("`dbs task park {id} REASON` sets it aside, `dbs task dep {id} ON` lets it wait")
        }
        "deferred" => format!("`dbs task withdraw {id}` moves it back to the backlog"),
        "closed" => format!("`dbs task close {id} REASON` closes it; only checked work is done"),
        "in_progress" => "an agent that begins sets it".to_owned(),
        _ => "a bead is open, in_progress, blocked, deferred or closed".to_owned(),
    };
    format!("could not set the status of {id} to {status}: the engine keeps it; {way}")
}

pub(super) fn retry(env: &ProcessEnv, retry: RetryArgs) -> CommandResult {
    let stage = retry.stage.map(|stage| stage.replace('-', "_").as_str().into());
    let task = id(&retry.id);
    let command = Command::Retry {
        task: task.clone(),
        stage,
        note: retry.note,
    };
    if !retry.clean {
        return execute(env, command, retry.json);
    }
    let mut access = BoardAccess::open(env)?;
    let mut clean = |is_clean| {
        let patch = TaskPatch {
            begins_anew: Some(is_clean),
            ..TaskPatch::default()
        };
        access.execute(&env.author(), Command::Update(task.clone(), patch))
    };
    // Set before: the next attempt may begin at once.
    let set = clean(true)?;
    if set.is_err() {
        return Ok(print_reply(&set, "", retry.json));
    }
    let retried = BoardAccess::open(env)?.execute(&env.author(), command)?;
    if retried.is_err() {
        clean(false)??;
    }
    Ok(print_reply(&retried, "", retry.json))
}

/// Allows the request of an agent, or approves a task.
pub(super) fn approve(env: &ProcessEnv, one: &TaskArgs) -> CommandResult {
    let task = id(&one.id);
    reply_or(
        env,
        (&task, |_| true),
        (AskReply::Allow, Command::Approve(task.clone())),
        one.json,
    )
}

/// Types an answer to the agent that works on a task.
pub(super) fn answer(env: &ProcessEnv, one: &TaskTextArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let task = id(&one.id);
    open_ask(&mut access, &task)?;
    let answer = access.execute(&env.author(), Command::Answer(task, one.text.join(" ")))?;
    Ok(print_reply(&answer, "", one.json))
}

/// Denies the request of an agent for permission, or sends work back.
pub(super) fn reject(env: &ProcessEnv, one: &TaskTextArgs) -> CommandResult {
    let (task, why) = (id(&one.id), one.text.join(" "));
    let takes_no = |kind| matches!(kind, AskKind::Permission | AskKind::Plan);
    let send_back = Command::Reject(task.clone(), why.clone());
    reply_or(env, (&task, takes_no), (AskReply::Deny(why), send_back), one.json)
}

/// Gives the agent of a task the reply if it asks something that takes it, else executes the command.
fn reply_or(
    env: &ProcessEnv,
    (task, takes_it): (&TaskId, impl Fn(AskKind) -> bool),
    (reply, otherwise): (AskReply, Command),
    json: JsonFlag,
) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let asked = open_ask(&mut access, task)?
        .and_then(|(attempt, ask)| takes_it(ask.kind).then_some((attempt, ask.id)));
    let command = match asked {
        Some((attempt, ask)) => Command::AnswerAsk { attempt, ask, reply },
        None => otherwise,
    };
    let answer = access.execute(&env.author(), command)?;
    Ok(print_reply(&answer, "", json))
}

/// Returns the first ask of a task's agent. An observed wait is waited for until the board knows it: without that the reply would be
/// refused, or be taken for something else.
fn open_ask(access: &mut BoardAccess, task: &TaskId) -> CommandResult<Option<(AttemptId, Ask)>> {
    open_ask_until(&Deadline::after(UNTIL_BOARD_KNOWS), || access.task(task))
}

fn open_ask_until(
    deadline: &Deadline,
    mut look: impl FnMut() -> CommandResult<Option<TaskDetail>>,
) -> CommandResult<Option<(AttemptId, Ask)>> {
    loop {
        let Some(detail) = look()? else {
            return Ok(None);
        };
        let asked = detail.attempt.as_ref().and_then(|attempt| {
            let known = attempt.open_asks(clock::now()).next()?;
            Some((attempt.id, known.ask.clone()))
        });
        if asked.is_some() || !detail.is_waiting || deadline.is_over() {
            return Ok(asked);
        }
        deadline.sleep();
    }
}

/// Lets the agents of a task work with or without their tool's interface.
pub(super) fn mode(env: &ProcessEnv, (id, mode): (&str, Option<&str>), json: JsonFlag) -> CommandResult {
    let mode = mode.map(|word| match word {
        "headless" => AgentDisplay::Headless,
        _ => AgentDisplay::Visible,
    });
    execute(env, Command::SetMode(id.into(), mode), json)
}

/// Ends the turn of the agent that works on a task.
pub(super) fn interrupt(env: &ProcessEnv, id: &str, json: JsonFlag) -> CommandResult {
    execute(env, Command::Interrupt(id.into()), json)
}

/// Stops an agent, named by its name, its attempt or its task.
pub(super) fn kill(env: &ProcessEnv, name: &str, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let attempt = access.open_attempt(name)?.ok_or_else(|| {
        CommandError::user(format!("could not find an agent at work called {name}"))
            .with_hint("`dbs status` lists them")
    })?;
    let answer = access.execute(&env.author(), Command::Kill(attempt.id))?;
    Ok(print_reply(&answer, "", json))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{AskChannel, AskId, AskRecord, AttemptState, Task, TaskDraft, Timestamp, Verdict};
    use crate::read_model::settled_attempt;

    /// A task whose agent is seen to wait or not, and what the board knows that it asks.
    fn detail(is_waiting: bool, ask: Option<&str>) -> TaskDetail {
        let mut attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        attempt.state = AttemptState::Running;
        attempt.asks.extend(ask.map(|id| {
            let ask = Ask {
                id: id.into(),
                kind: AskKind::Permission,
                text: "Bash: make".to_owned(),
                options: Vec::new(),
                channel: AskChannel::Request,
            };
            AskRecord::new(ask, Timestamp(1))
        }));
        TaskDetail {
            task: Arc::new(Task::planned(
                Timestamp(0),
                &TaskDraft::new("t-1", "One"),
                "development".into(),
            )),
            attempt: Some(Arc::new(attempt)),
            is_waiting,
        }
    }

    /// The ask that is found when the task is seen like this, one time after the other, and how many times it was looked at.
    fn found(seen: Vec<Option<TaskDetail>>, deadline: &Deadline) -> (Option<AskId>, usize) {
        let (mut seen, mut looks) = (seen.into_iter(), 0);
        let ask = open_ask_until(deadline, || {
            looks += 1;
            Ok(seen.next().unwrap())
        });
        (ask.unwrap().map(|(_, ask)| ask.id), looks)
    }

    #[test]
    fn what_an_agent_is_seen_to_wait_for_is_found_once_the_board_knows_it() {
        let late = || {
            vec![
                Some(detail(true, None)),
                Some(detail(true, None)),
                Some(detail(true, Some("k"))),
            ]
        };
        let patient = Deadline::after(Duration::from_mins(1));
        assert_eq!(found(late(), &patient), (Some("k".into()), 3));
        let over = Deadline::after(Duration::ZERO);
        assert_eq!(
            found(late(), &over),
            (None, 1),
            "it is not waited for without end"
        );
        assert_eq!(
            found(vec![Some(detail(false, Some("k")))], &over),
            (Some("k".into()), 1)
        );
        // An agent that goes on asks nothing, and a task that is not there has none.
        assert_eq!(
            found(
                vec![Some(detail(true, None)), Some(detail(false, None))],
                &patient
            ),
            (None, 2)
        );
        assert_eq!(found(vec![None], &patient), (None, 1));
    }
}
