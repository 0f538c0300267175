//! Puts a session together: engine, terminals and ports of one project; and a server, which adds a socket and clients to it. This
//! file knows the parts; no part knows it.

mod adapters;

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::agents::Configured;
use crate::adapters::clock::{self, WallClock};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::holder::LocalHolders;
use crate::adapters::ipc::Listener;
use crate::adapters::store::{Owner, SqliteStore};
use crate::config::place::Place;
use crate::config::setup::Setup;
use crate::domain::{Board, Command, Event, RequestId, Timestamp};
use crate::engine::inbox::inbox;
use crate::engine::journal::Journal;
use crate::engine::performer::Performer;
use crate::engine::running::Running;
use crate::engine::turn::Ledger;
use crate::engine::wake::take_inventory;
use crate::ports::git::{Git, PreflightError};
use crate::ports::holders::HolderFailure;
use crate::ports::store::StoreError;
use crate::protocol::wire::StopAgents;
use crate::server::attached_clients::AttachedClients;
use crate::server::calls::Calls;
use crate::server::consenting::Approvals;
use crate::server::conversations::Conversations;
use crate::server::drawing::Services;
use crate::server::engine_handle::EngineHandle;
use crate::server::engine_thread::EngineThread;
use crate::server::fetching::Fetcher;
use crate::server::gauge::Gauge;
use crate::server::hub::Hub;
use crate::server::in_force::InForce;
use crate::server::intake::Intake;
use crate::server::listening::{self, Upkeep};
use crate::server::records::Records;
use crate::server::reloading::Reloader;
use crate::server::session_identity::SessionIdentity;
use crate::server::shells::{ShellSetup, Shells};
use crate::server::summoning::Notifier;
use crate::server::tally::Tally;
use crate::server::{ending, inbox_folder};
use adapters::{agents, local, named, terminals, world};

/// Engine and terminals of one project at work. Without a socket and without clients it is what `dbs demo --headless` runs.
pub struct Session {
    /// Where the project is.
    pub place: Place,
    /// Where the engine is reached.
    pub engine: EngineHandle,
    /// What people are told.
    pub journal: Journal,
    /// When it started.
    pub since: Timestamp,
    thread: Arc<EngineThread>,
    hub: Hub,
    holders: Arc<LocalHolders>,
    shells: Arc<Shells>,
    intake: Intake,
    agents: Arc<Configured>,
    git: Arc<dyn Git>,
    settings: Arc<InForce>,
}

/// A session that listens.
pub struct Server {
    /// What it serves.
    pub session: Session,
    /// Ends the server.
    pub stop: CancellationToken,
    conversations: Arc<Conversations>,
    upkeep: Upkeep,
    notifier: Notifier,
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

impl Session {
    /// Takes the project's lock, opens the store, looks for agents that still run, and begins to work. Blocks: call it outside of
    /// asynchronous code, with the runtime whose blocking threads carry out effects.
    ///
    /// # Errors
    /// When another server owns the project, the repository is not fit, or the store cannot be read.
    pub fn begin(place: Place, setup: Setup, runtime: &Handle) -> Result<Session, SessionError> {
        let ledger = Ledger::open(Box::new(store(&place)?))?;
        let git: Arc<dyn Git> = Arc::new(repository(&place, &setup)?);
        let (inbox, outlet) = inbox();
        let (publish, read_models) = watch::channel(Arc::new(ledger.read_model(clock::now())));
        let engine = EngineHandle { inbox, read_models };
        let intake = Intake {
            folder: place.inbox.clone(),
            secret: place.secret.clone(),
            engine: engine.clone(),
        };
        let (holders, agents) = (Arc::new(local(&place, &setup)), Arc::new(agents(&place, &setup)));
        let hub = terminals(&holders, &setup, &intake, &agents);
        let woke = take_inventory(ledger.board(), holders.as_ref(), &hub, &|attempt, tail| {
            named(&agents, attempt, tail)
        })?;
        let world = world((&place, &setup), (&git, &agents), &holders, (&hub, &engine.inbox));
        let (effects, journal) = (TaskTracker::new(), Journal::default());
        let running = Running {
            ledger,
            clock: Arc::new(WallClock),
            outlet,
            performer: Performer::new(world, runtime.clone(), effects.clone()),
            pictures: publish,
            journal: journal.clone(),
        };
        let mut first = read_from_files(running.ledger.board(), &setup);
        // Read after the inventory: who is found ended has said before what there is to say, and that comes first.
        first.extend(inbox_folder::waiting(&intake));
        first.push(woke);
        let ends = (engine.inbox.clone(), effects, hub.whole().clone());
        let thread = EngineThread::start(running, first, ends).map_err(|error| SessionError::System {
            what: "start the engine's thread".to_owned(),
            why: error.to_string(),
        })?;
        let since = clock::now();
        let shells = Shells::new(shells(&place, setup, since), Arc::clone(&holders), hub.clone());
        Ok(Session {
            settings: Arc::new(InForce::new(place.clone())),
            place,
            engine,
            journal,
            since,
            thread: Arc::new(thread),
            hub,
            holders,
            shells: Arc::new(shells),
            intake,
            agents,
            git,
        })
    }

    /// What it is called now.
    pub fn name(&self) -> String {
        self.settings.name()
    }

    /// Whether the engine has stopped by itself.
    pub fn has_ended(&self) -> bool {
        self.thread.has_ended()
    }
}

impl Server {
    /// A server that does not listen yet.
    pub fn new(session: Session) -> Server {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        session.shells.adopt();
        let clients = Arc::new(AttachedClients::new(session.hub.clone(), tasks.clone()));
        let notifier = Notifier {
            settings: Arc::clone(&session.settings),
            engine: session.engine.clone(),
            journal: session.journal.clone(),
            away: clients.presence.away(),
            stop: stop.clone(),
        };
        let upkeep = Upkeep {
            intake: session.intake.clone(),
            store: session.place.store.clone(),
            journal: session.journal.clone(),
            engine: Arc::clone(&session.thread),
            whole: session.hub.whole().clone(),
        };
        let (calls, screens) = session.parts(clients, stop.clone());
        Server {
            session,
            stop,
            conversations: Arc::new(Conversations {
                calls: Arc::new(calls),
                screens: Arc::new(screens),
                stop_agents: Mutex::new(StopAgents::No),
                tasks,
            }),
            upkeep,
            notifier,
        }
    }

    /// Serves until it is told to stop, or the engine has ended by itself.
    pub async fn serve(&self, listener: &Listener) {
        listening::serve(listener, &self.conversations, &self.upkeep).await;
    }

    /// Lets what is written into the files of the settings come into force, until the server ends.
    pub async fn watch_settings(&self) {
        self.conversations.screens.reloader.watch_files().await;
    }

    /// Calls people by the ways that are set, until the server ends.
    pub async fn notify(&self) {
        self.notifier.run().await;
    }

    /// Ends a session that serves nobody any more: what is under way is finished, then the engine ends, then, if so wished, every
    /// agent and shell there is, also one that was just being started.
    ///
    /// # Errors
    /// When the engine had stopped by itself, or it cannot be found out what runs; for people.
    pub async fn end(&self, agents: StopAgents) -> Result<(), String> {
        let own = &self.session;
        ending::end(&own.thread, (&own.hub, &own.holders, &own.shells), agents).await
    }

    /// Whether agents end with it, as somebody wished.
    pub fn stop_agents(&self) -> StopAgents {
        *self.conversations.stop_agents.lock()
    }

    /// How many clients draw.
    pub fn clients(&self) -> usize {
        self.conversations.screens.clients.count()
    }

    /// Whether a part that everything hangs on has broken.
    pub fn is_broken(&self) -> bool {
        self.upkeep.whole.is_broken()
    }
}

impl Session {
    /// What calls are answered from, and what attached clients are served by.
    fn parts(&self, clients: Arc<AttachedClients>, stop: CancellationToken) -> (Calls, Services) {
        let (hub, holders, shells) = (&self.hub, &self.holders, &self.shells);
        let (engine, settings) = (&self.engine, &self.settings);
        let identity = Arc::new(SessionIdentity {
            settings: Arc::clone(settings),
            agents: Arc::clone(&self.agents),
            started: self.since,
        });
        let reloader = Arc::new(Reloader {
            settings: Arc::clone(settings),
            engine: engine.clone(),
            agents: Arc::clone(&self.agents),
            journal: self.journal.clone(),
        });
        let approvals = Arc::new(Approvals::new(engine.clone(), hub.clone()));
        let (store, attempts) = (self.place.store.clone(), self.place.attempts.clone());
        let gauge = Gauge::new(store.database.clone());
        let tally = Arc::new(Tally::new(store.clone(), Arc::clone(holders)));
        let calls = Calls {
            engine: engine.clone(),
            intake: self.intake.clone(),
            approvals: Arc::clone(&approvals),
            reloader: Arc::clone(&reloader),
            tally: Arc::clone(&tally),
            identity: Arc::clone(&identity),
        };
        let fetcher = Arc::new(Fetcher {
            place: self.place.clone(),
            engine: engine.clone(),
            git: Arc::clone(&self.git),
            records: Records { attempts, store },
            tally,
            gauge,
        });
        let services = Services {
            engine: engine.clone(),
            journal: self.journal.clone(),
            hub: hub.clone(),
            shells: Arc::clone(shells),
            identity,
            settings: Arc::clone(settings),
            reloader,
            fetcher,
            approvals,
            clients,
            stop,
        };
        (calls, services)
    }
}

/// The project's store, which is this process's from now on.
fn store(place: &Place) -> Result<SqliteStore, StoreError> {
    let owner = Owner {
        process: std::process::id(),
        socket: place.socket.to_string_lossy().into_owned(),
    };
    SqliteStore::open(&place.store, &owner, clock::now())
}

/// The project's repository, when it is fit.
fn repository(place: &Place, setup: &Setup) -> Result<GitCli, PreflightError> {
    let git = GitCli::open(&GitSetup::new(&place.root, setup.environment.clone()))?;
    git.preflight()?;
    Ok(git)
}

fn shells(place: &Place, setup: Setup, since: Timestamp) -> ShellSetup {
    ShellSetup {
        program: setup.shell,
        inherited: setup.inherited,
        root: place.root.clone(),
        socket: place.socket.clone(),
        marker: (place.marker.clone(), since),
    }
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

/// Whether nobody works and nobody has paused.
fn is_quiet(board: &Board) -> bool {
    let open = board.attempts.values().any(|attempt| attempt.state.is_open());
    !open && board.pause.is_none()
}
