//! `dbs demo`: the whole program on a throw-away repository with scripted agents. No account, no network; everything but the
//! agents' thinking is real.

mod headless;
mod repository;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use crate::adapters::agents::Kind;
use crate::adapters::clock;
use crate::adapters::ipc::Listener;
use crate::adapters::out;
use crate::adapters::rehearsal::{DemoTask, TaskSheet, demo_tasks};
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::config::setup::{self, Setup};
use crate::domain::command::{Command, Draft};
use crate::domain::task::GateCommand;
use crate::domain::{BatchId, Settings, Span, TaskId};
use crate::protocol::wire::StopAgents;
use crate::server::{Server, Session};
use repository::{BASE, NOTHING, Repositories};

/// How the demo is to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// How it is shown.
    pub form: Form,
    /// Every wait of the agents is divided by this.
    pub speed: f64,
    /// Where to keep the repository; `None`: a folder that is removed in the end.
    pub keep: Option<PathBuf>,
}

/// How the demo is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// On the whole screen.
    Screen,
    /// By the plain client: lines, and what is typed.
    Plain,
    /// Nobody is there: a line per event and a summary.
    Lines,
    /// The same as JSON.
    Json,
}

impl Form {
    /// Whether nobody is there.
    fn is_headless(self) -> bool {
        matches!(self, Form::Lines | Form::Json)
    }
}

const BATCH: &str = "demo";

/// Runs the demo.
///
/// # Errors
/// What could not be done, for people.
pub fn run(options: &Options, edge: &Edge) -> Result<ExitCode, String> {
    if options.form == Form::Screen {
        crate::client::refuse_to_nest(edge)?;
    }
    let scratch = match &options.keep {
        Some(folder) => Scratch::Kept(kept(folder)?),
        None => Scratch::Removed(
            tempfile::Builder::new()
                .prefix("dbs-demo-")
                .tempdir()
                .map_err(|error| format!("could not make a folder for the demo: {error}"))?,
        ),
    };
    let sheet = demo_tasks().map_err(|error| format!("could not {error}"))?;
    let made = repository::make(scratch.path(), &sheet).map_err(|error| format!("could not {error}"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2)
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    let place = Place::find(&made.project, edge).map_err(|error| format!("could not {error}"))?;
    let session = Session::begin(place, demo_setup(options, edge)?, runtime.handle())
        .map_err(|error| format!("could not {error}"))?;
    let result = fill(&session, &sheet).and_then(|()| runtime.block_on(serve(session, &made, options, edge)));
    if let (Scratch::Kept(folder), false) = (&scratch, options.form == Form::Json) {
        out::line(&format!("the repository is in {}", folder.display()));
    }
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    result
}

enum Scratch {
    Removed(tempfile::TempDir),
    Kept(PathBuf),
}

impl Scratch {
    fn path(&self) -> &Path {
        match self {
            Scratch::Removed(folder) => folder.path(),
            Scratch::Kept(folder) => folder,
        }
    }
}

/// The folder to keep; it must be new or empty, so that nothing of a person's is touched.
fn kept(folder: &Path) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("could not use {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(format!(
            "could not use {}: it is not empty; name a new folder",
            folder.display()
        ));
    }
    folder.canonicalize().map_err(failed)
}

fn demo_setup(options: &Options, edge: &Edge) -> Result<Setup, String> {
    let mut setup = setup::defaults(&edge.without_git_configuration(NOTHING))?;
    let answer_after = if options.form.is_headless() {
        "0".to_owned()
    } else {
        "10".to_owned()
    };
    setup.agents.otherwise = Some(Kind::Rehearsal {
        scenario: "demo".to_owned(),
        speed: options.speed.to_string(),
        answer_after: Some(answer_after),
    });
    setup.settings = rules(setup.settings);
    Ok(setup)
}

/// The rules the demo runs under: those, with shorter waits and its own gate.
pub fn rules(settings: Settings) -> Settings {
    Settings {
        base: Some(BASE.to_owned()),
        max_agents: 4,
        cooldown: Some(Span(2_000)),
        crash_backoff: Span(1_000),
        gates: vec![gate("check", "")],
        ..settings
    }
}

/// The program checks a tree itself, so that the gate is the same on every system.
fn gate(name: &str, more: &str) -> GateCommand {
    let program = if cfg!(windows) {
        "\"%DBS_PROGRAM%\""
    } else {
        "\"$DBS_PROGRAM\""
    };
    GateCommand {
        name: name.to_owned(),
        command: format!("{program} rehearse --check .{more}"),
    }
}

fn fill(session: &Session, sheet: &TaskSheet) -> Result<(), String> {
    plan(sheet)
        .into_iter()
        .try_for_each(|command| match session.engine.ask("demo", command) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refusal)) => Err(format!("could not fill the board: {}", refusal.0)),
            Err(closed) => Err(format!("could not {closed}")),
        })
}

/// What is asked of the board before anything moves: the batch, its tasks, and their release.
pub fn plan(sheet: &TaskSheet) -> Vec<Command> {
    let batch = Command::PutBatch {
        id: BatchId::from(BATCH),
        title: sheet.title.clone(),
        goal: sheet.goal.clone(),
        base: Some(BASE.to_owned()),
    };
    let ids = sheet.tasks.iter().map(|task| TaskId::new(task.id.clone()));
    let tasks = sheet.tasks.iter().map(|task| Command::Create(draft(task)));
    let release = Command::Release(ids.collect());
    [batch].into_iter().chain(tasks).chain([release]).collect()
}

fn draft(task: &DemoTask) -> Draft {
    let last = task.stage.as_deref() == Some("acceptance");
    Draft {
        batch: BatchId::from(BATCH),
        stage: task.stage.as_deref().map(Into::into),
        body: task.body.clone(),
        tags: task.tags.iter().cloned().collect(),
        deps: task.deps.iter().map(|id| TaskId::new(id.clone())).collect(),
        gates: if last {
            vec![gate("complete", " --complete")]
        } else {
            Vec::new()
        },
        ..Draft::new(&task.id, &task.title)
    }
}

async fn serve(
    session: Session,
    made: &Repositories,
    options: &Options,
    edge: &Edge,
) -> Result<ExitCode, String> {
    let socket = session.place.socket.clone();
    let listener = Listener::bind(&socket)
        .map_err(|error| format!("could not listen at {}: {error}", socket.display()))?;
    let server = Arc::new(Server::new(session));
    let serving = {
        let server = Arc::clone(&server);
        async move {
            server.serve(&listener).await;
        }
    };
    let showing = async {
        let shown = match options.form {
            Form::Lines | Form::Json => headless(&server, made, options).await,
            Form::Plain => {
                crate::client::plain::attach(&server.session.place, (edge, super::start::COMMANDS), None)
                    .await
                    .map(|()| ExitCode::SUCCESS)
            }
            Form::Screen => crate::client::attach(&server.session.place, edge, None)
                .await
                .map(|_elsewhere| ExitCode::SUCCESS),
        };
        server.stop.cancel();
        shown
    };
    let ((), shown) = tokio::join!(serving, showing);
    let ended = end(&server).await;
    ended.and(shown)
}

async fn headless(server: &Arc<Server>, made: &Repositories, options: &Options) -> Result<ExitCode, String> {
    let interrupted = {
        let stop = server.stop.clone();
        async move {
            crate::adapters::ending::told_to_end().await;
            stop.cancel();
        }
    };
    let batch = BatchId::from(BATCH);
    let follow = headless::follow(server, &batch, options.form == Form::Json);
    tokio::pin!(follow, interrupted);
    let run = tokio::select! {
        run = &mut follow => run,
        () = &mut interrupted => (&mut follow).await,
    };
    let summary = headless::sum_up(server, made, &run, clock::now());
    Ok(ExitCode::from(summary.print(server, options.form == Form::Json)))
}

/// Ends the session, and every agent of the demo with it.
async fn end(server: &Arc<Server>) -> Result<(), String> {
    let ended = server.end(StopAgents::Yes).await;
    // The project is gone for good, and so are its sockets; what cannot be removed is empty and private.
    let place = &server.session.place;
    drop(std::fs::remove_file(&place.socket));
    drop(std::fs::remove_dir_all(&place.runtime));
    ended
}
