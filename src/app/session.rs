//! Starts the session of a project with the adapters of this machine.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::runtime::{Builder, Runtime};

use crate::adapters::agents::{AttemptPrompts, LaunchContext, LocalAgents};
use crate::adapters::clock;
use crate::adapters::gates::{RecordedGates, ShellGates};
use crate::adapters::git::{GitCli, GitSetup, ProgramMarking};
use crate::adapters::holder::LocalHolders;
use crate::adapters::holder::process::{GATE, GIT, Keeper};
use crate::adapters::store::{LockOwner, SqliteStore};
use crate::adapters::stories::StoryFormats;
use crate::cli::command_error::{CommandResult, failed};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::config::trust::TrustedGates;
use crate::ports::git::{Git as _, PreflightError};
use crate::server::{Session, SessionAdapters, SessionError};

/// Builds the runtime of a server and of the demo.
pub(super) fn runtime() -> CommandResult<Runtime> {
    let mut runtime = Builder::new_multi_thread();
    runtime
        .enable_all()
        .worker_threads(2)
        .build()
        .map_err(failed("could not start"))
}

/// Takes the project's lock, opens store and repository, and starts the session. Blocks: call it outside of asynchronous code.
pub(super) fn start(
    place: ProjectPaths,
    setup: SessionSetup,
    runtime: &Runtime,
) -> Result<Session, SessionError> {
    let owner = LockOwner {
        process: std::process::id(),
        socket: place.socket.to_string_lossy().into_owned(),
    };
    let holders = LocalHolders::new(
        setup.program.clone(),
        place.attempts.clone(),
        place.runtime.clone(),
    );
    let adapters = SessionAdapters {
        store: Box::new(SqliteStore::open(&place.store, &owner, clock::now())?),
        git: Arc::new(repository(&place, &setup)?),
        gates: Arc::new(TrustedGates {
            gates: RecordedGates(ShellGates {
                keeper: Keeper::new(setup.program.clone(), format!("{}-{GATE}", place.marker)),
            }),
            trust: place.trust.clone(),
        }),
        holders: Arc::new(holders),
        agents: Arc::new(agents(&place, &setup)),
        stories: Arc::new(StoryFormats),
    };
    Session::start(place, setup, adapters, runtime.handle())
}

/// Opens the project's repository, when it is fit.
fn repository(place: &ProjectPaths, setup: &SessionSetup) -> Result<GitCli, PreflightError> {
    let marker = format!("{}-{GIT}", place.marker);
    let git = GitCli::open(&GitSetup {
        marking: ProgramMarking {
            keeper: Keeper::new(setup.program.clone(), marker.clone()),
            marker: Some(marker),
        },
        ..GitSetup::new(&place.root, setup.environment.clone())
    })?;
    git.preflight()?;
    Ok(git)
}

/// Builds the kinds of agents, with the context each is started with.
fn agents(place: &ProjectPaths, setup: &SessionSetup) -> LocalAgents {
    let (secret, trust) = (place.secret.clone(), place.trust.clone());
    let prompts = place.trust.clone();
    LocalAgents {
        kinds: RwLock::new(setup.agents.clone()),
        context: LaunchContext {
            program: setup.program.clone(),
            inherited: setup.inherited.clone(),
            person: setup.person.clone(),
            socket: place.socket.clone(),
            inbox: place.inbox.clone(),
            root: place.root.clone(),
            attempts: place.attempts.clone(),
            token: Arc::new(move |attempt, at| secret.token(attempt, at)),
        },
        may_start: Arc::new(move |words, folder| trust.check_start(words, folder)),
        prompts: AttemptPrompts {
            attempts: place.attempts.clone(),
            library: Arc::new(move || prompts.prompt_library()),
        },
    }
}
