//! Puts a session together: engine, terminals and ports of one project; and a server, which adds a socket and clients to it. This
//! file knows the parts; no part knows it.

mod adapters;

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock::{self, WallClock};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::holder::LocalHolders;
use crate::adapters::ipc::IpcListener;
use crate::adapters::store::{LockOwner, SqliteStore};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::{Board, Command, Event, RequestId, Timestamp};
use crate::engine::event_loop::EngineLoop;
use crate::engine::inbox::inbox;
use crate::engine::inventory::take_inventory;
use crate::engine::journal::Journal;
use crate::engine::performer::Performer;
use crate::engine::turn::DurableBoard;
use crate::ports::git::{Git, PreflightError};
use crate::ports::holders::HolderPortError;
use crate::ports::store::StoreError;
use crate::protocol::wire::StopAgents;
use crate::server::attached_client::Services;
use crate::server::attached_clients::AttachedClients;
use crate::server::calls::Calls;
use crate::server::connections::{self, Upkeep};
use crate::server::conversations::Conversations;
use crate::server::engine_handle::EngineHandle;
use crate::server::engine_thread::EngineThread;
use crate::server::fetch::Fetcher;
use crate::server::hub::TerminalHub;
use crate::server::in_force::ActiveSettings;
use crate::server::intake::SignalIntake;
use crate::server::machine::MachineMonitor;
use crate::server::metrics::MetricsCollector;
use crate::server::notifier::NotifierParts;
use crate::server::permissions::Approvals;
use crate::server::records::Records;
use crate::server::reload::Reloader;
use crate::server::session_identity::SessionIdentity;
use crate::server::shells::{ShellSetup, Shells};
use crate::server::{ending, inbox_folder};
use adapters::{agents, local, named, terminals, world};

/// Engine, terminals and ports of one running project. Without a socket and without clients it is what `dbs demo --headless`
/// runs.
pub struct Session {
    pub paths: ProjectPaths,
    pub engine: EngineHandle,
    pub started_at: Timestamp,
    thread: Arc<EngineThread>,
    hub: TerminalHub,
    holders: Arc<LocalHolders>,
    shells: Arc<Shells>,
    intake: SignalIntake,
    agents: Arc<LocalAgents>,
    git: Arc<dyn Git>,
    settings: Arc<ActiveSettings>,
}

/// A session with its clients, terminal sizes and shells, ready to accept connections.
pub struct Server {
    pub session: Session,
    pub stop: CancellationToken,
    conversations: Arc<Conversations>,
    upkeep: Upkeep,
    notifier: NotifierParts,
}

/// Why a session could not start; the texts read after "could not". Each reads after "could not".
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The repository is not fit for it.
    #[error("{0}")]
    Preflight(#[from] PreflightError),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Agents that may still run could not be looked for.
    #[error("{0}")]
    Holders(#[from] HolderPortError),
    #[error("{what}: {why}")]
    System { what: String, why: String },
}

impl Session {
    /// Takes the project's lock, opens the store, looks for agents that still run, and begins to work. Blocks: call it outside of
    /// asynchronous code, with the runtime whose blocking threads carry out effects.
    pub fn start(
        place: ProjectPaths,
        setup: SessionSetup,
        runtime: &Handle,
    ) -> Result<Session, SessionError> {
        let ledger = DurableBoard::open(Box::new(store(&place)?))?;
        let git: Arc<dyn Git> = Arc::new(repository(&place, &setup)?);
        let (inbox, outlet) = inbox();
        let (publish, read_models) = watch::channel(Arc::new(ledger.read_model(clock::now())));
        let journal = Journal::default();
        let engine = EngineHandle {
            inbox,
            read_models,
            journal: journal.clone(),
        };
        let intake = SignalIntake {
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
        let effects = TaskTracker::new();
        let running = EngineLoop {
            durable: ledger,
            clock: Arc::new(WallClock),
            inbox: outlet,
            performer: Performer::new(world, runtime.clone(), effects.clone()),
            read_models: publish,
            journal,
        };
        let mut first = read_from_files(running.durable.board(), &setup);
        // Read after the inventory: who is found ended has said before what there is to say, and that comes first.
        first.extend(inbox_folder::pending_events(&intake));
        first.push(woke);
        let ends = (engine.inbox.clone(), effects, hub.poison().clone());
        let thread = EngineThread::start(running, first, ends).map_err(|error| SessionError::System {
            what: "start the engine's thread".to_owned(),
            why: error.to_string(),
        })?;
        let since = clock::now();
        let shells = Shells::new(shells(&place, setup, since), Arc::clone(&holders), hub.clone());
        Ok(Session {
            settings: Arc::new(ActiveSettings::new(place.clone())),
            paths: place,
            engine,
            started_at: since,
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
    /// A server of a started session that does not listen yet.
    pub fn new(session: Session) -> Server {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        session.shells.adopt();
        let clients = Arc::new(AttachedClients::new(session.hub.clone(), tasks.clone()));
        let notifier = NotifierParts {
            settings: Arc::clone(&session.settings),
            engine: session.engine.clone(),
            away: clients.presence.away(),
            stop: stop.clone(),
        };
        let upkeep = Upkeep {
            intake: session.intake.clone(),
            store: session.paths.store.clone(),
            engine: Arc::clone(&session.thread),
            poison: session.hub.poison().clone(),
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
    pub async fn serve(&self, listener: &IpcListener) {
        connections::serve(listener, &self.conversations, &self.upkeep).await;
    }

    /// Applies changes of the settings files until the server ends.
    pub async fn watch_settings(&self) {
        self.conversations.screens.reloader.watch_files().await;
    }

    /// Sends notifications over the configured channels until the server ends.
    pub async fn notify(&self) {
        self.notifier.run().await;
    }

    /// Ends a session that serves nobody any more: what is under way is finished, then the engine ends, then, if so wished, every
    /// agent and shell there is, also one that was just being started.
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

    /// Whether an essential part of the server has broken.
    pub fn is_broken(&self) -> bool {
        self.upkeep.poison.is_poisoned()
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
            started: self.started_at,
        });
        let reloader = Arc::new(Reloader {
            settings: Arc::clone(settings),
            engine: engine.clone(),
            agents: Arc::clone(&self.agents),
        });
        let approvals = Arc::new(Approvals::new(engine.clone(), hub.clone()));
        let (store, attempts) = (self.paths.store.clone(), self.paths.attempts.clone());
        let machine = MachineMonitor::new(store.database.clone());
        let metrics = Arc::new(MetricsCollector::new(store.clone(), Arc::clone(holders)));
        let calls = Calls {
            engine: engine.clone(),
            intake: self.intake.clone(),
            approvals: Arc::clone(&approvals),
            reloader: Arc::clone(&reloader),
            metrics: Arc::clone(&metrics),
            identity: Arc::clone(&identity),
        };
        let fetcher = Arc::new(Fetcher {
            place: self.paths.clone(),
            engine: engine.clone(),
            git: Arc::clone(&self.git),
            records: Records { attempts, store },
            metrics,
            machine,
        });
        let services = Services {
            engine: engine.clone(),
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
fn store(place: &ProjectPaths) -> Result<SqliteStore, StoreError> {
    let owner = LockOwner {
        process: std::process::id(),
        socket: place.socket.to_string_lossy().into_owned(),
    };
    SqliteStore::open(&place.store, &owner, clock::now())
}

/// The project's repository, when it is fit.
fn repository(place: &ProjectPaths, setup: &SessionSetup) -> Result<GitCli, PreflightError> {
    let git = GitCli::open(&GitSetup::new(&place.root, setup.environment.clone()))?;
    git.preflight()?;
    Ok(git)
}

fn shells(place: &ProjectPaths, setup: SessionSetup, since: Timestamp) -> ShellSetup {
    ShellSetup {
        program: setup.shell,
        inherited: setup.inherited,
        root: place.root.clone(),
        socket: place.socket.clone(),
        marker: (place.marker.clone(), since),
    }
}

/// What the files say that the board does not know yet.
fn read_from_files(board: &Board, setup: &SessionSetup) -> Vec<Event> {
    let mut first = vec![
        Event::WorkflowsLoaded(setup.workflows.clone()),
        Event::Configured(setup.settings.clone()),
    ];
    first.retain(|event| !board.is_redundant(event));
    if setup.paused && is_idle(board) {
        first.push(Event::Asked {
            request: RequestId(0),
            by: "the setting `paused`".to_owned(),
            command: Command::Pause,
        });
    }
    first
}

/// Whether nobody works and nobody has paused.
fn is_idle(board: &Board) -> bool {
    let open = board.attempts.values().any(|attempt| attempt.state.is_open());
    !open && board.pause.is_none()
}
