//! A server: a session with its clients.

use super::Session;
use super::SessionEndError;
use crate::adapters::ipc::IpcListener;
use crate::engine::stop_all::stop_programs;
use crate::plans::projections::PlanFiles;
use crate::protocol::wire::StopAgents;
use crate::server::clients::attached_clients::AttachedClients;
use crate::server::clients::fetch::Fetcher;
use crate::server::connections;
use crate::server::connections::callers::CallerGuard;
use crate::server::connections::connection_places::ConnectionPlaces;
use crate::server::connections::conversations::Conversations;
use crate::server::connections::idle_connections::IdleConnections;
use crate::server::ending::{self, StopOrder};
use crate::server::figures::disk::DiskMonitor;
use crate::server::figures::machine::MachineMonitor;
use crate::server::figures::metrics::MetricsCollector;
use crate::server::issue_closer::IssueCloser;
use crate::server::keeping::retention::{AtticExpiry, Retention};
use crate::server::notifier;
use crate::server::plan_files::PlanFileKeeper;
use crate::server::plan_jobs::PlanJobs;
use crate::server::queue_watch::QueueWatch;
use crate::server::services::Services;
use crate::server::settings::reload::Reloader;
use crate::server::terminals::records::Records;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A session with its clients, terminal sizes and shells, ready to accept connections.
pub struct Server {
    pub session: Session,
    pub stop: CancellationToken,
    conversations: Arc<Conversations>,
}

impl Server {
    /// Creates a server of a started session that does not listen yet.
    pub fn new(session: Session) -> Server {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        session.shells.adopt();
        let services = Arc::new(session.services(tasks.clone(), stop.clone()));
        let conversations = Conversations {
            services,
            intake: session.intake.clone(),
            guard: CallerGuard::new(session.paths.marker.clone(), session.engine.clone()),
            retention: Arc::new(Retention {
                attempts: session.paths.attempts.clone(),
                holders: Arc::clone(&session.holders),
            }),
            attic: Arc::new(AtticExpiry {
                git: Arc::clone(&session.git),
            }),
            stop_order: Mutex::new(StopOrder::default()),
            tasks,
            idle: IdleConnections::default(),
            places: ConnectionPlaces::default(),
        };
        Server {
            session,
            stop,
            conversations: Arc::new(conversations),
        }
    }

    /// Runs everything a server is made of, until it is stopped or the engine has ended by itself: this is the list of its parts.
    pub async fn run(&self, listener: &IpcListener) {
        let stop = &self.stop;
        let serving = async {
            self.serve(listener).await;
            stop.cancel();
        };
        tokio::join!(
            serving,
            self.remove_record(),
            self.notify(),
            stop.run_until_cancelled(self.watch_settings()),
            stop.run_until_cancelled(self.make_plans()),
            stop.run_until_cancelled(self.watch_queues()),
            self.keep_plan_files(),
            stop.run_until_cancelled(self.close_issues()),
        );
    }

    /// Serves clients until it is stopped, or the engine has ended by itself.
    pub async fn serve(&self, listener: &IpcListener) {
        connections::listener::serve(listener, &self.conversations, &self.session.thread).await;
    }

    /// Applies changes of the settings files until the server ends.
    async fn watch_settings(&self) {
        let reloader = &self.conversations.services.reloader;
        reloader.say_untrusted(&self.session.settings.config());
        reloader.say_faults();
        reloader.watch_files().await;
    }

    /// Becomes true when a person presses the first key, clicks or pastes at an attached client.
    pub fn at_keys(&self) -> watch::Receiver<bool> {
        self.conversations.services.clients.presence.at_keys()
    }

    /// Shows a notice about the session in the top bar of every client; it is never removed.
    pub fn say(&self, notice: Option<String>) {
        self.session.settings.set_notice(notice);
    }

    /// Takes the steps of plans that persons ordered, until the server ends.
    async fn make_plans(&self) {
        let jobs = PlanJobs {
            paths: self.session.paths.clone(),
            engine: self.session.engine.clone(),
            git: Arc::clone(&self.session.git),
        };
        Arc::new(jobs).run().await;
    }

    /// Takes up the PRDs that a person adds while a run works on them, until the server ends.
    async fn watch_queues(&self) {
        let watch = QueueWatch {
            paths: self.session.paths.clone(),
            engine: self.session.engine.clone(),
            setup: self.session.shells.git_setup(),
        };
        Arc::new(watch).run().await;
    }

    /// Keeps the files of plans as the board has them, until the server is stopped.
    async fn keep_plan_files(&self) {
        let keeper = PlanFileKeeper {
            paths: self.session.paths.clone(),
            engine: self.session.engine.clone(),
            git: Arc::clone(&self.session.git),
            files: PlanFiles::default(),
            written: Vec::new(),
            told: BTreeSet::new(),
        };
        keeper.run(&self.stop).await;
    }

    /// Closes issues of a forge whose tasks are done, until the server is stopped.
    async fn close_issues(&self) {
        let session = &self.session;
        let (paths, engine) = (session.paths.clone(), session.engine.clone());
        let closer = IssueCloser::new(paths, engine, Arc::clone(&session.git));
        closer.run(&self.stop).await;
    }

    /// Sends notifications over the configured channels until the server ends.
    async fn notify(&self) {
        let (own, clients) = (&self.session, &self.conversations.services.clients);
        let away = clients.presence.away();
        notifier::run(&own.settings, &own.engine, away, &self.stop).await;
    }

    /// Ends a session that has no clients any more: work under way gets some time to end, then the engine ends, then, if asked for, every
    /// agent and shell, also one that was just being started.
    pub async fn end(&self, agents: StopAgents) -> Result<(), SessionEndError> {
        let own = &self.session;
        own.shells.close().await;
        let patience = self.conversations.stop_order.lock().patience;
        let ended = own.thread.end(patience).await;
        own.hub.close();
        if agents == StopAgents::No {
            return Ok(ended?);
        }
        let holders = Arc::clone(&own.holders);
        let stopped = tokio::task::spawn_blocking(move || stop_programs(holders.as_ref())).await;
        ended?;
        stopped.map_err(SessionEndError::Task)??;
        Ok(())
    }

    /// Waits until the server is stopped, and removes its record.
    async fn remove_record(&self) {
        ending::remove_record(&self.stop, self.session.hub.poison(), &self.session.paths.socket).await;
    }

    /// Returns the order for agents at the end of the server: they end with it if that was requested.
    pub fn stop_agents(&self) -> StopAgents {
        self.conversations.stop_order.lock().agents
    }

    /// Returns the number of clients that draw.
    pub fn clients(&self) -> usize {
        self.conversations.services.clients.count()
    }

    /// Returns true if an essential part of the server has broken.
    pub fn is_broken(&self) -> bool {
        self.session.hub.poison().is_poisoned()
    }
}

impl Session {
    /// Builds the services for clients; `tasks` are those that end before the server does.
    fn services(&self, tasks: TaskTracker, stop: CancellationToken) -> Services {
        let (engine, hub, store) = (&self.engine, &self.hub, &self.paths.store);
        let fetcher = Fetcher {
            paths: self.paths.clone(),
            engine: engine.clone(),
            git: Arc::clone(&self.git),
            records: Records {
                attempts: self.paths.attempts.clone(),
                store: store.clone(),
            },
            metrics: MetricsCollector::new(store.clone(), Arc::clone(&self.holders)),
            machine: MachineMonitor::new(store.database.clone()),
            disk: DiskMonitor::new(self.paths.clone(), Arc::clone(&self.git)),
        };
        Services {
            engine: engine.clone(),
            hub: hub.clone(),
            shells: Arc::clone(&self.shells),
            reloader: Arc::new(Reloader {
                settings: Arc::clone(&self.settings),
                engine: engine.clone(),
            }),
            settings: Arc::clone(&self.settings),
            fetcher: Arc::new(fetcher),
            clients: AttachedClients::new(hub.clone(), tasks),
            loss: self.loss.clone().map(|text| (self.started_at, text)),
            stop,
        }
    }
}
