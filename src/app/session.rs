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
use crate::adapters::project::ProjectSecret;
use crate::adapters::store::{LockOwner, SqliteStore};
use crate::adapters::stories::StoryFormats;
use crate::cli::command_error::{CommandResult, failed};
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::config::session_setup::SessionSetup;
use crate::config::trust::TrustedGates;
use crate::ports::gates::Gates;
use crate::ports::git::{Git, PreflightError};
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
    paths: ProjectPaths,
    setup: SessionSetup,
    runtime: &Runtime,
) -> Result<Session, SessionError> {
    let owner = LockOwner {
        process: std::process::id(),
        socket: paths.socket.to_string_lossy().into_owned(),
    };
    let holders = LocalHolders::new(
        setup.program.clone(),
        paths.attempts.clone(),
        paths.runtime.clone(),
    );
    let store = Box::new(SqliteStore::open(&paths.store, &owner, clock::now())?);
    let git: Arc<dyn Git> = Arc::new(repository(&paths, &setup)?);
    let gates: Arc<dyn Gates> = Arc::new(TrustedGates {
        gates: RecordedGates(ShellGates {
            keeper: Keeper::new(setup.program.clone(), format!("{}-{GATE}", paths.marker)),
        }),
        trust: paths.trust.clone(),
    });
    let adapters = SessionAdapters {
        workspaces: Arc::new(paths.workspaces(&git, &gates)),
        git,
        gates,
        holders: Arc::new(holders),
        agents: Arc::new(agents(&paths, &setup, paths.secret()?)),
        stories: Arc::new(StoryFormats),
    };
    Session::start(paths, setup, store, adapters, runtime.handle())
}

/// Opens the project's repository, when it is fit.
fn repository(paths: &ProjectPaths, setup: &SessionSetup) -> Result<GitCli, PreflightError> {
    let marker = format!("{}-{GIT}", paths.marker);
    let git = GitCli::open(&GitSetup {
        marking: ProgramMarking {
            keeper: Keeper::new(setup.program.clone(), marker.clone()),
            marker: Some(marker),
        },
        signs_merges: setup.config.choice(&schema::MERGE_SIGN),
        ..paths.git_setup(setup.environment.clone())
    })?;
    git.preflight()?;
    Ok(git)
}

/// Builds the kinds of agents, with the context each is started with.
fn agents(paths: &ProjectPaths, setup: &SessionSetup, secret: ProjectSecret) -> LocalAgents {
    let trust = paths.trust.clone();
    let prompts = paths.trust.clone();
    LocalAgents {
        kinds: RwLock::new(setup.agents.clone()),
        context: LaunchContext {
            program: setup.program.clone(),
            inherited: setup.inherited.clone(),
            person: setup.person.clone(),
            socket: paths.socket.clone(),
            inbox: paths.inbox.clone(),
            root: paths.root.clone(),
            attempts: paths.attempts.clone(),
            token: Arc::new(move |attempt, at| secret.token(attempt, at)),
        },
        may_start: Arc::new(move |words, folder| trust.check_start(words, folder)),
        prompts: AttemptPrompts {
            attempts: paths.attempts.clone(),
            library: Arc::new(move || prompts.prompt_library()),
        },
    }
}
