//! Puts a session together: engine and terminals of one project, over the adapters it is given; and a server, which adds a socket
//! and clients to it. This file knows the parts; no part knows it.

mod agents;
mod context;
mod server;

pub use server::Server;

use std::io;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock::{self, WallClock};
use crate::adapters::holder::LocalHolders;
use crate::adapters::project::{ProjectError, ProjectSecret};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::domain::{Board, Command, Event, Inventory, NoticeLevel, RequestId, Timestamp};
use crate::engine::context::{EngineConfig, EngineContext};
use crate::engine::event_loop::EngineLoop;
use crate::engine::green_gates::GreenGates;
use crate::engine::inbox::{Inbox, inbox};
use crate::engine::inventory::take_inventory;
use crate::engine::journal::Journal;
use crate::engine::performer::Performer;
use crate::engine::turn::DurableBoard;
use crate::ports::gates::Gates;
use crate::ports::git::{Git, PreflightError};
use crate::ports::holders::{HolderPortError, Holders};
use crate::ports::store::{Store, StoreError};
use crate::ports::stories::StoryFiles;
use crate::ports::workspaces::Workspaces;
use crate::protocol::session_list;
use crate::read_model::general_notice;
use crate::server::engine_handle::EngineHandle;
use crate::server::engine_thread::EngineThread;
use crate::server::settings::in_force::ActiveSettings;
use crate::server::signals::inbox_folder;
use crate::server::signals::intake::SignalIntake;
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::shells::Shells;

/// Events from before a start whose notices are shown again.
const REPLAYED_EVENTS: usize = 500;

/// Engine, terminals and ports of one running project. Without a socket and without clients it is the session of `dbs demo --headless`.
pub struct Session {
    pub paths: ProjectPaths,
    pub engine: EngineHandle,
    pub started_at: Timestamp,
    thread: EngineThread,
    hub: TerminalHub,
    holders: Arc<dyn Holders>,
    shells: Arc<Shells>,
    intake: SignalIntake,
    git: Arc<dyn Git>,
    settings: Arc<ActiveSettings>,
    /// Message to people about the server before this one, if it was lost.
    loss: Option<String>,
}

/// The adapters a session works with beside its store. The repository is fit.
pub struct SessionAdapters {
    pub git: Arc<dyn Git>,
    pub gates: Arc<dyn Gates>,
    pub workspaces: Arc<dyn Workspaces>,
    pub holders: Arc<LocalHolders>,
    pub agents: Arc<LocalAgents>,
    pub stories: Arc<dyn StoryFiles>,
}

impl SessionAdapters {
    /// Returns all that the effects of the engine work with.
    fn engine_context(&self, hub: &TerminalHub, inbox: &Inbox, config: EngineConfig) -> EngineContext {
        EngineContext {
            stories: Arc::clone(&self.stories),
            git: Arc::clone(&self.git),
            gates: Arc::clone(&self.gates),
            workspaces: Arc::clone(&self.workspaces),
            holders: Arc::clone(&self.holders) as _,
            agents: Arc::clone(&self.agents) as _,
            terminals: Arc::new(hub.clone()),
            clock: Arc::new(WallClock),
            inbox: inbox.clone(),
            green_gates: GreenGates::default(),
            config,
        }
    }
}

/// Error that kept a session from starting; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Repository that is not fit for it.
    #[error("{0}")]
    Preflight(#[from] PreflightError),
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Secret of the project that cannot be read.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// Agents that may still run could not be searched.
    #[error("{0}")]
    Holders(#[from] HolderPortError),
    #[error("start the engine's thread: {0}")]
    Thread(io::Error),
}

/// Error of a session that did not end well; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum SessionEndError {
    #[error(transparent)]
    Engine(#[from] StoreError),
    #[error(transparent)]
    Holders(#[from] HolderPortError),
    #[error("stop the agents: {0}")]
    Task(tokio::task::JoinError),
}

/// Opens the board of a store that takes in no token of an attempt.
fn open_board(store: Box<dyn Store>, secret: ProjectSecret) -> Result<DurableBoard, StoreError> {
    let mask = Arc::new(move |board: &Board, event: &Event| secret.mask_tokens(board, event));
    Ok(DurableBoard::open(store)?.with_mask(mask))
}

/// Creates the journal with the notices from before this start, and those about it.
fn begun_journal(durable: &mut DurableBoard, setup: &SessionSetup) -> Result<Journal, StoreError> {
    let journal = Journal::default();
    for (at, notice) in durable.recent_notices(REPLAYED_EVENTS)? {
        journal.add(at, notice);
    }
    if let Some(note) = &setup.path_note {
        let notice = general_notice(NoticeLevel::Warning, "path", note.clone());
        journal.add(clock::now(), notice);
    }
    Ok(journal)
}

/// Returns the programs that run and those that have ended since the last server, and whether that one was lost.
fn look_around(
    paths: &ProjectPaths,
    board: &Board,
    holders: &Arc<LocalHolders>,
    hub: &TerminalHub,
    agents: &Arc<LocalAgents>,
) -> Result<Inventory, HolderPortError> {
    let found = take_inventory(board, holders.as_ref(), hub, &|attempt, tail| {
        agents::end_cause(agents, attempt, tail)
    })?;
    Ok(Inventory {
        server_was_lost: session_list::has_record(&paths.socket),
        ..found
    })
}

impl Session {
    /// Looks for agents that still run, and begins to work. The store is locked for this process. Blocks: call it outside of asynchronous
    /// code, with the runtime whose blocking threads carry out effects.
    pub fn start(
        paths: ProjectPaths,
        setup: SessionSetup,
        store: Box<dyn Store>,
        adapters: SessionAdapters,
        runtime: &Handle,
    ) -> Result<Session, SessionError> {
        let secret = paths.secret()?;
        let mut durable = open_board(store, secret.clone())?;
        let (inbox, outlet) = inbox();
        let (publish, read_models) = watch::channel(Arc::new(durable.read_model(clock::now())));
        // Before any client can ask for it: the notices from before this start are there from the beginning.
        let journal = begun_journal(&mut durable, &setup)?;
        let engine = EngineHandle {
            inbox,
            read_models,
            journal: journal.clone(),
        };
        let intake = SignalIntake::new(paths.inbox.clone(), secret, engine.clone());
        let SessionAdapters { holders, agents, .. } = &adapters;
        let hub = agents::terminals(holders, &setup, &intake, agents);
        let found = look_around(&paths, durable.board(), holders, &hub, agents)?;
        let loss = found.loss_text();
        let context = adapters.engine_context(&hub, &engine.inbox, context::config(&paths, &setup));
        let effects = TaskTracker::new();
        let running = EngineLoop {
            durable,
            clock: Arc::new(WallClock),
            inbox: outlet,
            performer: Performer::new(Arc::new(context), runtime.clone(), effects.clone()),
            read_models: publish,
            journal,
            held: std::collections::VecDeque::new(),
        };
        let first = first_events(running.durable.board(), &setup, &intake, found);
        let (inbox, poison) = (engine.inbox.clone(), hub.poison().clone());
        let thread = EngineThread::start(running, first, inbox, effects, poison);
        let thread = thread.map_err(SessionError::Thread)?;
        let started = clock::now();
        let settings = Arc::new(ActiveSettings::new(
            paths.clone(),
            Arc::clone(agents),
            &setup,
            started,
        ));
        let shells = Shells::new(paths.clone(), setup, started, holders.clone(), hub.clone());
        Ok(Session {
            settings,
            paths,
            engine,
            started_at: started,
            thread,
            hub,
            holders: adapters.holders,
            shells: Arc::new(shells),
            intake,
            git: adapters.git,
            loss,
        })
    }

    /// Returns the present name of the session.
    pub fn name(&self) -> String {
        self.settings.name()
    }

    /// Returns true if the engine has stopped by itself.
    pub fn has_ended(&self) -> bool {
        self.thread.has_ended()
    }
}

/// Returns the contents of the files that the board does not know yet, the signals of agents that wait, and what was found.
fn first_events(board: &Board, setup: &SessionSetup, intake: &SignalIntake, found: Inventory) -> Vec<Event> {
    let mut first = vec![
        Event::WorkflowsLoaded(setup.workflows.clone()),
        Event::configured(setup.settings.clone()),
    ];
    first.retain(|event| !board.is_redundant(event));
    let has_open = board.attempts.values().any(|attempt| attempt.state.is_open());
    if setup.paused && !has_open && board.pause.is_none() {
        first.push(Event::Asked {
            request: RequestId(0),
            by: "the setting `paused`".to_owned(),
            command: Command::Pause,
        });
    }
    // Read after the inventory: a program that is found ended has sent its signals before, and they come first.
    first.extend(inbox_folder::pending_events(intake));
    first.push(Event::Woke(found));
    first
}
