//! A session: engine, terminals and ports of one project, put together. Without a socket and without clients it is what
//! `dbs demo --headless` and tests run; the server adds those.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::{Mutex, RwLock};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::adapters::agents::{Configured, Inherited, Kinds};
use crate::adapters::clock::{self, WallClock};
use crate::adapters::gates::{Recorded, ShellGates};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::holder::LocalHolders;
use crate::adapters::store::{Owner, SqliteStore};
use crate::config::place::Place;
use crate::config::setup::Setup;
use crate::domain::event::EndCause;
use crate::domain::{Attempt, AttemptId, Board, Command, Event, RequestId, Timestamp, Worker};
use crate::engine::inbox::{Answer, Closed, Inbox, inbox};
use crate::engine::journal::Journal;
use crate::engine::performer::Performer;
use crate::engine::running::Running;
use crate::engine::turn::Ledger;
use crate::engine::wake::take_inventory;
use crate::engine::world::{Facts, World, signature};
use crate::ports::agents::Agents as _;
use crate::ports::git::{Git, PreflightError, Signature};
use crate::ports::holders::{HolderFailure, PaneSize};
use crate::ports::store::StoreError;
use crate::read_model::ReadModel;
use crate::server::hub::Hub;
use crate::server::inbox_folder::{self, Intake};
use crate::server::reloading::InForce;
use crate::server::tally::Tally;
use crate::server::whole::Whole;
use crate::ui::{SessionFacts, SessionKind};

/// Engine, terminals and ports of one project at work.
pub struct Session {
    /// Where the project is.
    pub place: Place,
    /// Where events go.
    pub inbox: Inbox,
    /// Where signals are taken in.
    pub(super) intake: Intake,
    /// Pictures of the board.
    pub pictures: watch::Receiver<Arc<ReadModel>>,
    /// What people are told.
    pub journal: Journal,
    /// The live terminals.
    pub hub: Hub,
    /// The holders below them.
    pub holders: Arc<LocalHolders>,
    /// The outside, for looking at it.
    pub(super) world: Arc<World>,
    /// Figures about the work.
    pub(super) tally: Tally,
    /// Who was allowed or denied what it asked.
    pub(super) consents: crate::server::consenting::Consents,
    /// When it started.
    pub since: Timestamp,
    /// What shells are started with.
    pub shell: Shell,
    /// The settings that hold now.
    pub(super) in_force: InForce,
    agents: Arc<Configured>,
    engine: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    tracker: TaskTracker,
}

/// What shells are started with.
#[derive(Debug, Clone)]
pub struct Shell {
    /// The person's shell.
    pub program: PathBuf,
    /// What it inherits of the environment.
    pub inherited: Inherited,
}

/// Why a session could not begin. Each reads after "could not".
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The repository is not fit for it.
    #[error("{0}")]
    Preflight(#[from] PreflightError),
    /// The store.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Agents that may still run could not be looked for.
    #[error("{0}")]
    Holders(#[from] HolderFailure),
    /// Something of the system.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: String,
        /// Why not.
        why: String,
    },
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Takes the project's lock, opens the store, looks for agents that still run, and begins to work. Blocks: call it outside of
    /// asynchronous code, with the runtime whose blocking threads carry out effects.
    ///
    /// # Errors
    /// When another server owns the project, the repository is not fit, or the store cannot be read.
    pub fn begin(place: Place, setup: Setup, runtime: &Handle) -> Result<Session, SessionError> {
        let owner = Owner {
            process: std::process::id(),
            socket: place.socket.to_string_lossy().into_owned(),
        };
        let store = SqliteStore::open(&place.store, &owner, clock::now())?;
        let git = GitCli::open(&GitSetup::new(&place.root, setup.environment.clone()))?;
        git.preflight()?;
        let ledger = Ledger::open(Box::new(store))?;
        let (inbox, outlet) = inbox();
        let holders = Arc::new(local(&place, &setup));
        let (pictures, seen) = watch::channel(Arc::new(ledger.read_model(clock::now())));
        let intake = Intake {
            folder: place.inbox.clone(),
            secret: place.secret.clone(),
            pictures: seen.clone(),
            inbox: inbox.clone(),
        };
        let agents = Arc::new(agents(&place, &setup));
        let hub = terminals(&holders, &setup, &intake, &agents);
        let woke = take_inventory(ledger.board(), holders.as_ref(), &hub, &|attempt, tail| {
            named(&agents, attempt, tail)
        })?;
        let world = world((&place, &setup), (git, &agents), &holders, (&hub, &inbox));
        let tracker = TaskTracker::new();
        let journal = Journal::default();
        let running = Running {
            ledger,
            clock: Arc::new(WallClock),
            outlet,
            performer: Performer::new(Arc::clone(&world), runtime.clone(), tracker.clone()),
            pictures,
            journal: journal.clone(),
        };
        let mut first = read_from_files(running.ledger.board(), &setup);
        // Read after the inventory: who is found ended has said before what there is to say, and that comes first.
        first.extend(inbox_folder::waiting(&intake));
        first.push(woke);
        let engine = start_engine(running, first, hub.whole().clone())?;
        Ok(Session {
            in_force: InForce::new(&place),
            place,
            inbox,
            intake,
            pictures: seen,
            journal,
            hub,
            holders,
            world,
            tally: Tally::default(),
            consents: crate::server::consenting::Consents::default(),
            since: clock::now(),
            shell: Shell {
                program: setup.shell,
                inherited: setup.inherited,
            },
            agents,
            engine: Mutex::new(Some(engine)),
            tracker,
        })
    }

    /// What a frame says about the session as a whole.
    pub fn facts(&self) -> SessionFacts {
        SessionFacts {
            project: self.name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: if self.agents.kinds.read().has_rehearsal() {
                SessionKind::Rehearsal
            } else {
                SessionKind::Real
            },
            started: self.since,
            utc_offset: clock::utc_offset(),
            connection: None,
        }
    }

    /// Asks the board for something and waits for the answer.
    ///
    /// # Errors
    /// [`Closed`] when the engine has stopped.
    pub fn ask(&self, by: &str, command: Command) -> Result<Answer, Closed> {
        ask(&self.inbox, by, command)
    }

    /// Lets other kinds of agents play the roles from now on; without any those in force stay.
    pub fn use_agents(&self, kinds: Kinds) {
        if kinds != Kinds::default() {
            *self.agents.kinds.write() = kinds;
        }
    }

    /// Whether the engine has stopped by itself.
    pub fn has_ended(&self) -> bool {
        self.engine.lock().as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the engine and the readers; effects under way are finished first. Agents go on. A second time it does nothing.
    ///
    /// # Errors
    /// When the engine had stopped because a turn could not be made durable.
    pub async fn end(&self) -> Result<(), StoreError> {
        self.tracker.close();
        self.inbox.close();
        let engine = self.engine.lock().take();
        let joined = tokio::task::spawn_blocking(move || engine.map(JoinHandle::join)).await;
        self.tracker.wait().await;
        self.hub.close();
        match joined {
            Ok(Some(Ok(result))) => result,
            Ok(None) => Ok(()),
            Ok(Some(Err(_))) | Err(_) => Err(broken()),
        }
    }
}

fn broken() -> StoreError {
    StoreError::Failed {
        what: "run the engine".to_owned(),
        why: "it broke; what was committed is safe, see the log".to_owned(),
    }
}

/// Whether nobody works and nobody has paused.
fn is_quiet(board: &Board) -> bool {
    let open = board.attempts.values().any(|attempt| attempt.state.is_open());
    !open && board.pause.is_none()
}

/// Terminals whose programs are heard to the last word before their end counts.
fn terminals(holders: &Arc<LocalHolders>, setup: &Setup, intake: &Intake, agents: &Arc<Configured>) -> Hub {
    let (last_words, agents, pictures) = (intake.clone(), Arc::clone(agents), intake.pictures.clone());
    let cause = move |attempt: AttemptId, tail: &str| {
        let attempt = pictures.borrow().attempts.get(&attempt).cloned();
        attempt.and_then(|attempt| named(&agents, &attempt, tail))
    };
    Hub::new(
        Arc::clone(holders),
        (setup.engine, setup.history),
        intake.inbox.clone(),
        (
            Box::new(move || inbox_folder::take_all(&last_words)),
            Box::new(cause),
        ),
    )
}

fn local(place: &Place, setup: &Setup) -> LocalHolders {
    let (program, attempts) = (setup.program.clone(), place.attempts.clone());
    LocalHolders::new(program, attempts, place.runtime.clone())
}

/// What the files say that the board does not know yet.
fn read_from_files(board: &Board, setup: &Setup) -> Vec<Event> {
    let mut first = vec![
        Event::WorkflowsLoaded(setup.workflows.clone()),
        Event::Configured(setup.settings.clone()),
    ];
    first.retain(|event| !board.knows(event));
    if setup.paused && is_quiet(board) {
        first.push(Event::Asked {
            request: RequestId(0),
            by: "the setting `paused`".to_owned(),
            command: Command::Pause,
        });
    }
    first
}

/// What an agent's tool names as the cause of its end.
fn named(agents: &Configured, attempt: &Attempt, tail: &str) -> Option<EndCause> {
    match &attempt.worker {
        Worker::Agent { role, .. } => agents.end_cause(role, tail, clock::now()),
        Worker::Engine(_) => None,
    }
}

fn world(
    (place, setup): (&Place, &Setup),
    (git, agents): (GitCli, &Arc<Configured>),
    holders: &Arc<LocalHolders>,
    (hub, inbox): (&Hub, &Inbox),
) -> Arc<World> {
    Arc::new(World {
        git: Arc::new(git),
        gates: Arc::new(Recorded(ShellGates)),
        holders: Arc::clone(holders) as _,
        agents: Arc::clone(agents) as _,
        terminals: Arc::new(hub.clone()),
        clock: Arc::new(WallClock),
        inbox: inbox.clone(),
        facts: facts(place, setup),
    })
}

/// Who signs what the engine commits for agents, as the setting says; without an address it is the engine's.
fn author(text: Option<&str>) -> Signature {
    let own = signature(Timestamp(0));
    let Some((name, address)) = text.and_then(|text| text.split_once('<')) else {
        let name = text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty());
        return Signature {
            name: name.unwrap_or_else(|| own.name.clone()),
            ..own
        };
    };
    Signature {
        name: name.trim().to_owned(),
        email: address.trim_end_matches(['>', ' ']).to_owned(),
        ..own
    }
}

fn start_engine(
    running: Running<Performer>,
    first: Vec<Event>,
    whole: Whole,
) -> Result<JoinHandle<Result<(), StoreError>>, SessionError> {
    let thread = std::thread::Builder::new().name("engine".to_owned());
    thread
        .spawn(move || {
            whole
                .watch("the engine", || running.run(first))
                .unwrap_or_else(|| Err(broken()))
        })
        .map_err(|error| SessionError::System {
            what: "start the engine's thread".to_owned(),
            why: error.to_string(),
        })
}

/// Asks the board for something and waits for the answer.
///
/// # Errors
/// [`Closed`] when the engine has stopped.
pub fn ask(inbox: &Inbox, by: &str, command: Command) -> Result<Answer, Closed> {
    let event = Event::Asked {
        request: RequestId(0),
        by: by.to_owned(),
        command,
    };
    inbox.answer(event)
}

fn agents(place: &Place, setup: &Setup) -> Configured {
    let secret = place.secret.clone();
    Configured {
        program: setup.program.clone(),
        kinds: RwLock::new(setup.agents.clone()),
        inherited: setup.inherited.clone(),
        socket: place.socket.clone(),
        inbox: place.inbox.clone(),
        root: place.root.clone(),
        token: Arc::new(move |attempt, at| secret.token(attempt, at)),
    }
}

fn facts(place: &Place, setup: &Setup) -> Facts {
    let env = |(name, value): (String, String)| (name.into(), value.into());
    let mut gate_env: Vec<(std::ffi::OsString, std::ffi::OsString)> = setup
        .inherited
        .clone()
        .into_pairs()
        .into_iter()
        .map(env)
        .collect();
    gate_env.push(("DBS_PROGRAM".into(), setup.program.clone().into()));
    Facts {
        root: place.root.clone(),
        attempts: place.attempts.clone(),
        checkouts: place.checkouts.clone(),
        gate_env,
        gate_timeout: setup.gate_timeout,
        marker: place.marker.clone(),
        size: PaneSize::cells(120, 40),
        log_limit: setup.log_limit,
        author: author(setup.author.as_deref()),
    }
}
