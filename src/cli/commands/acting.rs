//! Commands that change the board.

use std::collections::BTreeSet;

use crate::adapters::desktop::editing;
use crate::cli::args::{Json, One, Retry, TaskVerb, Update};
use crate::cli::commands::{Outcome, ask, creating, importing, said, showing};
use crate::cli::door::Door;
use crate::cli::incoming;
use crate::config::edge::Edge;
use crate::domain::attempt::Doing;
use crate::domain::{Command, Patch, TaskId};
use crate::protocol::telling::Question;
use crate::ui::Consent;

/// A command on tasks.
pub(super) fn task(edge: &Edge, verb: TaskVerb) -> Outcome {
    match verb {
        TaskVerb::Create(create) => creating::run(edge, create),
        TaskVerb::Import(import) => importing::run(edge, &import),
        TaskVerb::Show(one) => showing::tell(edge, Question::Task(id(&one.id)), one.json),
        TaskVerb::List { state, stage, json } => showing::tell(edge, Question::Tasks { state, stage }, json),
        TaskVerb::Ready(json) => showing::tell(edge, Question::Ready, json),
        TaskVerb::Edit(one) => edit(edge, &one.id, one.json),
        TaskVerb::Update(update) => self::update(edge, update),
        TaskVerb::Comment(one) => {
            let text = incoming::typed("comment", one.text.join(" "))?;
            ask(edge, Command::Comment(id(&one.id), text), one.json)
        }
        TaskVerb::Dep {
            id: waits,
            on,
            remove: false,
            json,
        } => ask(edge, Command::AddDependency(id(&waits), id(&on)), json),
        TaskVerb::Dep {
            id: waits,
            on,
            remove: true,
            json,
        } => ask(edge, Command::RemoveDependency(id(&waits), id(&on)), json),
        TaskVerb::Release { ids, json } => ask(
            edge,
            Command::Release(ids.iter().map(|text| id(text)).collect()),
            json,
        ),
        TaskVerb::Withdraw(one) => ask(edge, Command::Withdraw(id(&one.id)), one.json),
        TaskVerb::Park(one) => ask(edge, Command::Park(id(&one.id), one.text.join(" ")), one.json),
        TaskVerb::Close(one) => ask(edge, Command::Close(id(&one.id), one.text.join(" ")), one.json),
        TaskVerb::Retry(again) => retry(edge, again),
        TaskVerb::Why(one) => showing::tell(edge, Question::Why(one.id), one.json),
    }
}

fn id(text: &str) -> TaskId {
    TaskId::from(text)
}

/// Opens title and description in the person's editor; the first line is the title.
fn edit(edge: &Edge, name: &str, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let sheet = door.task(&id(name))?.ok_or_else(|| {
        format!("could not edit {name}: there is no such task; `dbs task list` shows those there are")
    })?;
    let task = sheet.task;
    let before = format!("{}\n\n{}\n", task.title, task.body.trim_end());
    let after = editing::edit(edge.editor(), &before)?;
    let (title, body) = after.trim_start().split_once('\n').unwrap_or((after.trim(), ""));
    let patch = Patch {
        title: Some(title.trim().to_owned()).filter(|title| !title.is_empty() && *title != task.title),
        body: Some(body.trim().to_owned()).filter(|body| body != task.body.trim()),
        ..Patch::default()
    };
    if patch == Patch::default() {
        return Err(format!(
            "could not change {name}: nothing was changed in the editor"
        ));
    }
    Ok(said(
        &door.ask(&edge.author(), Command::Update(id(name), patch))?,
        json,
    ))
}

fn update(edge: &Edge, update: Update) -> Outcome {
    let described = update
        .description
        .map(|text| incoming::typed("description", text));
    let patch = Patch {
        title: update.title,
        body: described.transpose()?,
        priority: update.priority,
        add_tags: update.add_tags.into_iter().collect::<BTreeSet<_>>(),
        remove_tags: update.remove_tags.into_iter().collect(),
        stage: update.stage.map(|stage| stage.replace('-', "_").as_str().into()),
    };
    if patch == Patch::default() {
        return Err(
            "could not change anything: say what to change, for example --title or --priority".to_owned(),
        );
    }
    ask(edge, Command::Update(id(&update.id), patch), update.json)
}

/// Takes a task up again.
pub(super) fn retry(edge: &Edge, retry: Retry) -> Outcome {
    let stage = retry.stage.map(|stage| stage.replace('-', "_").as_str().into());
    ask(
        edge,
        Command::Retry {
            task: id(&retry.id),
            stage,
            note: retry.note,
        },
        retry.json,
    )
}

/// Says yes: to an agent that wants to be allowed something, or to a task that waits for approval.
pub(super) fn approve(edge: &Edge, one: &One) -> Outcome {
    let mut door = Door::open(edge)?;
    let task = id(&one.id);
    let open = door.task(&task)?.and_then(|sheet| sheet.attempt);
    let answer = match &open {
        Some(attempt) if let Doing::Permission(what) = &attempt.activity.doing => {
            door.consent(attempt.id, what, Consent::Yes)?
        }
        _ => door.ask(&edge.author(), Command::Approve(task))?,
    };
    Ok(said(&answer, one.json))
}

/// Stops an agent, named by its name, its attempt or its task.
pub(super) fn kill(edge: &Edge, name: &str, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let attempt = door
        .attempt(name)?
        .filter(|attempt| attempt.state.is_open())
        .ok_or_else(|| format!("could not find an agent at work called {name}; `dbs status` lists them"))?;
    Ok(said(&door.ask(&edge.author(), Command::Kill(attempt.id))?, json))
}
