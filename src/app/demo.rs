//! `dbs demo`: the whole program on a throw-away repository with scripted agents. No account, no network; everything but the agents'
//! thinking is real. With `--agent` a few of its tasks are done by an agent of the person.

mod headless;
mod own_agent;
mod phases;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::adapters::agents::{AgentTool, RehearsalAgent};
use crate::adapters::clock;
use crate::adapters::ipc::{FrameLimits, IpcListener};
use crate::adapters::output;
use crate::adapters::rehearsal::{self, DemoRepos, DemoScript, NO_GIT_CONFIGURATION};
use crate::adapters::termination::termination_signal;
use crate::app::session;
use crate::cli::command_error::{CommandError, CommandResult, could_not, failed};
use crate::cli::commands::RunCommand;
use crate::cli::commands::demo::DemoArgs;
use crate::config::Config;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::{self, SessionSetup};
use crate::display::{LeaveEffect, NEXT_STEPS, NextSteps};
use crate::domain::{BatchId, Command, TaskState, pluralized};
use crate::protocol::wire::{LONG_FRAMES_TOGETHER, StopAgents, longest_from_client};
use crate::read_model::ReadModel;
use crate::server::{Server, Session, SessionEndError};

/// Demo that was asked for.
#[derive(Debug)]
struct DemoOptions {
    form: DemoDisplay,
    args: DemoArgs,
}

/// Display of the demo: on a screen, by the plain client, or as lines or JSON without a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoDisplay {
    Screen,
    /// The plain client: lines, and typed input.
    Plain,
    /// A line per event and a summary, without a person.
    Lines,
    Json,
}

impl DemoDisplay {
    /// Returns true if a person looks on who can answer.
    fn has_person(self) -> bool {
        matches!(self, DemoDisplay::Screen | DemoDisplay::Plain)
    }

    /// Returns the seconds after which a question to a person answers itself, while no key was pressed.
    fn answer_after(self) -> u32 {
        // A question that is over before the server has looked was never asked.
        if self.has_person() { 10 } else { 2 }
    }
}

impl RunCommand for DemoArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let form = match (self.headless, self.json, self.plain || env.needs_plain()) {
            (true, true, _) => DemoDisplay::Json,
            (true, false, _) => DemoDisplay::Lines,
            (false, _, true) => DemoDisplay::Plain,
            (false, _, false) => DemoDisplay::Screen,
        };
        let options = DemoOptions { form, args: self };
        play(&options, env)
    }
}

/// Runs the demo.
fn play(options: &DemoOptions, env: &ProcessEnv) -> CommandResult<ExitCode> {
    if options.form == DemoDisplay::Screen {
        crate::client::refuse_nesting(env)?;
    }
    let agent = options.args.agent.as_deref();
    let agent = agent
        .map(|name| own_agent::find(name, options.form, env))
        .transpose()?;
    if let Some(agent) = &agent {
        agent.agree(options.args.yes)?;
    }
    let kept = options.args.keep.as_deref().map(kept).transpose()?;
    // Removed with everything in it when the demo has ended; empty when the repository is kept elsewhere.
    let scratch = tempfile::Builder::new()
        .prefix("dbs-demo-")
        .tempdir()
        .map_err(failed("could not make a folder for the demo"))?;
    let mut demo = options.args.script().sheet()?;
    if agent.is_some() {
        own_agent::OwnAgent::reduce(&mut demo);
    }
    let made = DemoRepos::make(kept.as_deref().unwrap_or(scratch.path()), &demo)?;
    let runtime = session::runtime()?;
    // Nothing of a project that is about to be removed is left in the person's state folder.
    let own = match &kept {
        Some(_) => env.clone(),
        None => env.with_state_home(scratch.path()),
    };
    let paths = ProjectPaths::find(&made.project, &own)?;
    paths.prepare()?;
    let person = scratch.path().join("person");
    let mut setup = demo_setup(options, env, &person)?;
    setup.config = paths.read_config(); // A person's own keys and colours hold here, too.
    if let Some(agent) = &agent {
        agent.arrange(&mut setup, env);
    }
    let next_steps = setup.next_steps;
    let session = session::start(paths, setup, &runtime)?;
    let commands = match options.args.script() {
        DemoScript::Tasks => Ok(rehearsal::demo_commands(&demo)),
        DemoScript::Plan => phases::commands(&demo, &made.project),
        DemoScript::Stories => phases::story_commands(&demo, &made.project),
    };
    let models = session.engine.read_models.clone();
    let result = commands
        .and_then(|commands| fill(&session, commands))
        .and_then(|()| runtime.block_on(serve(session, &made, &person, options, env)));
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    drop(scratch);
    if options.form.has_person() {
        say_goodbye(&models.borrow(), kept.as_deref(), next_steps);
    } else if let Some(folder) = kept.filter(|_| options.form != DemoDisplay::Json) {
        output::line(&format!("the repository is in {}", folder.display()));
    }
    result
}

/// Prints the result of the demo, the fate of its folder, and the next steps of a person.
fn say_goodbye(model: &ReadModel, kept: Option<&Path>, next: NextSteps) {
    let done = model
        .tasks
        .values()
        .filter(|task| task.state == TaskState::Done)
        .count();
    let folder = match kept {
        Some(folder) => format!("its repository is in {}", folder.display()),
        None => "its folder was deleted".to_owned(),
    };
    let tasks = pluralized(model.tasks.len(), "task");
    output::line(&format!(
        "left the demo, {done} of {tasks} done; its agents ended, and {folder}"
    ));
    output::line(NEXT_STEPS);
    for (command, what) in next.commands() {
        output::line(&format!("   {command:<41} {what}"));
    }
}

/// Returns the folder to keep; it must be new or empty, so that nothing of a person's is touched.
fn kept(folder: &Path) -> CommandResult<PathBuf> {
    let tried = format!("could not use {}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed(&tried))?;
    if std::fs::read_dir(folder)
        .map_err(failed(&tried))?
        .next()
        .is_some()
    {
        return Err(CommandError::user(format!(
            "could not use {}: it is not empty; name a new folder",
            folder.display()
        )));
    }
    folder.canonicalize().map_err(failed(&tried))
}

/// Bytes of room on the disk below which the agents of a demo, whose repository is small, are not started.
const MIN_FREE_DISK: u64 = 128 << 20;

fn demo_setup(options: &DemoOptions, env: &ProcessEnv, person: &Path) -> CommandResult<SessionSetup> {
    let mut setup = session_setup::of(
        &Config::default(),
        &env.without_git_configuration(NO_GIT_CONFIGURATION),
    )?;
    let scripted = AgentTool::Rehearsal(RehearsalAgent {
        scenario: options.args.script().name().to_owned(),
        speed: options.args.speed.to_string(),
        answer_after: Some(options.form.answer_after().to_string()),
        person_file: options.form.has_person().then(|| person.to_owned()),
    });
    setup.agents.default = Some(scripted.into());
    setup.min_free_disk = MIN_FREE_DISK;
    setup.settings = rehearsal::demo_rules(setup.settings);
    if options.args.script() != DemoScript::Tasks {
        // Only the gates that its phases or stories name.
        setup.settings.gates.clear();
    }
    setup.on_leave = match options.args.keep {
        Some(_) => LeaveEffect::EndsAndKeeps,
        None => LeaveEffect::EndsAndDeletes,
    };
    setup.next_steps = match options.args.script() {
        DemoScript::Tasks => NextSteps::Tasks,
        DemoScript::Plan => NextSteps::Plan,
        DemoScript::Stories => NextSteps::Stories,
    };
    Ok(setup)
}

fn fill(session: &Session, commands: Vec<Command>) -> CommandResult<()> {
    commands
        .into_iter()
        .try_for_each(|command| match session.engine.ask("demo", command) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refusal)) => Err(CommandError::user(format!(
                "could not fill the board: {}",
                refusal.why
            ))),
            Err(closed) => Err(could_not(closed)),
        })
}

async fn serve(
    session: Session,
    made: &DemoRepos,
    person: &Path,
    options: &DemoOptions,
    env: &ProcessEnv,
) -> CommandResult<ExitCode> {
    let socket = session.paths.socket.clone();
    let listener =
        IpcListener::bind(&socket).map_err(failed(format!("could not listen at {}", socket.display())))?;
    let listener = listener.with_limits(FrameLimits::new(longest_from_client, LONG_FRAMES_TOGETHER));
    let server = Server::new(session);
    let showing = async {
        let shown = match options.form {
            DemoDisplay::Lines | DemoDisplay::Json => Ok(headless(&server, made, options).await),
            DemoDisplay::Plain => {
                crate::client::plain::attach(&server.session.paths, env, super::start::COMMANDS, None)
                    .await
                    .map(|()| ExitCode::SUCCESS)
            }
            DemoDisplay::Screen => crate::client::attach(&server.session.paths, env, None)
                .await
                .map(|_elsewhere| ExitCode::SUCCESS),
        };
        server.stop.cancel();
        shown
    };
    let noticing = async {
        tokio::select! {
            () = async { tokio::join!(note_person(&server, person), phases::approve(&server, options.form)); } => {}
            () = server.stop.cancelled() => {}
        }
    };
    let ((), shown, ()) = tokio::join!(server.serve(&listener), showing, noticing);
    end(&server).await?;
    Ok(shown?)
}

/// Makes the file that lets the agents wait for a person, at the first key of one.
async fn note_person(server: &Server, file: &Path) {
    let mut at_keys = server.at_keys();
    if at_keys.wait_for(|pressed| *pressed).await.is_ok() {
        // Without it questions still answer themselves, after the time they show.
        let file = file.to_owned();
        drop(tokio::task::spawn_blocking(move || std::fs::write(file, "")).await);
    }
}

/// Shows the demo without a client until it is over or interrupted.
async fn headless(server: &Server, made: &DemoRepos, options: &DemoOptions) -> ExitCode {
    let json = options.form == DemoDisplay::Json;
    let batch = match options.args.script() {
        DemoScript::Tasks => BatchId::from(rehearsal::DEMO_BATCH),
        DemoScript::Plan => BatchId::from(phases::BATCH),
        DemoScript::Stories => BatchId::from(phases::STORIES),
    };
    let follow = headless::follow(server, &batch, json);
    tokio::pin!(follow);
    let run = tokio::select! {
        run = &mut follow => run,
        () = termination_signal() => {
            server.stop.cancel();
            follow.await
        }
    };
    let script = options.args.agent.is_none().then_some(options.args.script());
    let summary = headless::sum_up(server, made, script, &run, clock::now());
    ExitCode::from(summary.print(server, json))
}

/// Ends the session, and every agent of the demo with it.
async fn end(server: &Server) -> Result<(), SessionEndError> {
    let ended = server.end(StopAgents::Yes).await;
    // The project is gone for good, and so are its sockets; files that cannot be removed are empty and private.
    let paths = &server.session.paths;
    drop(std::fs::remove_file(&paths.socket));
    drop(std::fs::remove_dir_all(&paths.runtime));
    ended
}
