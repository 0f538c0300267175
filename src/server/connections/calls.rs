//! Calls to the server: requests to the board, signals of attempts, questions about the session.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::adapters::agents::InheritedEnv;
use crate::adapters::clock;
use crate::adapters::load::SAMPLE_INTERVAL;
use crate::adapters::store::attempts_at;
use crate::domain::{Accepted, Attempt, Command, Refusal, TaskId};
use crate::engine::inbox::InboxClosed;
use crate::protocol::answer::{StoredFacts, answer};
use crate::protocol::query::{Query, QueryError};
use crate::protocol::wire::{CallReply, ServerCall, ServerStatus};
use crate::read_model::{MetricsReport, ReadModel};
use crate::server::ending::StopOrder;
use crate::server::services::Services;
use crate::server::settings::reload::Reloader;
use crate::server::signals::hooks::{HookOutcome, WaitingAsk, take_hook};
use crate::server::signals::intake::{SignalIntake, take_signal};

/// Action of the server after a call: answer, stream text or lines, or stop.
#[derive(Debug)]
pub(in crate::server) enum CallOutcome {
    Answer(CallReply),
    /// The answer, and then the end of the server.
    Stop(CallReply, StopOrder),
    /// The reply, once the agent was answered.
    Hook(WaitingAsk),
    Follow(u64),
    /// A message whenever the board has changed.
    Watch,
}

/// Answers a call. Blocks until the board has decided: call from a blocking thread.
pub(in crate::server) fn answer_call(
    services: &Services,
    intake: &SignalIntake,
    call: ServerCall,
) -> CallOutcome {
    CallOutcome::Answer(match call {
        ServerCall::Ask {
            command: Command::Clear,
            ..
        } => CallReply::Asked(Err(Refusal::new(
            "a server runs: `dbs stop --all` ends it and its agents, then clear the board",
        ))),
        ServerCall::Ask { by, command } => command_reply(services.engine.ask(&by, command)),
        ServerCall::Signal(signal) => command_reply(take_signal(intake, &signal)),
        ServerCall::Hook(call) => {
            match take_hook(intake, &services.settings.agents, services.hub.agents(), call) {
                HookOutcome::Reply(reply) => CallReply::Hook(reply),
                HookOutcome::Wait(waiting) => return CallOutcome::Hook(waiting),
            }
        }
        ServerCall::Query(query) => {
            let mut model = services.engine.read_model();
            if tells_of_now(&query) {
                let model = Arc::make_mut(&mut model);
                model.live = services.hub.agents().all_live();
                // The last event on the board may be long ago.
                model.at = model.at.max(clock::now());
            }
            CallReply::Query(answer(&model, &query, &ServerFacts(services)))
        }
        ServerCall::Follow(after) => return CallOutcome::Follow(after),
        ServerCall::Watch => return CallOutcome::Watch,
        ServerCall::Reload { by } => reload(&services.reloader, &by),
        ServerCall::Refused(_) => CallReply::Done("it is written down".to_owned()),
        ServerCall::Stop(agents) => {
            let order = StopOrder {
                agents,
                ..StopOrder::default()
            };
            return stop(services, order);
        }
        ServerCall::StopNow(agents) => return stop(services, StopOrder::at_once(agents)),
        ServerCall::Who => CallReply::Who(server_status(services)),
    })
}

/// Returns true if the answer includes the present activities of agents, ages or the time that is left.
fn tells_of_now(query: &Query) -> bool {
    match query {
        Query::Task(_) | Query::Attention | Query::Report(..) => true,
        Query::OpenAttempt(_)
        | Query::Changes(..)
        | Query::TaskIds(_)
        | Query::Job(_)
        | Query::PromptFacts(..) => false,
    }
}

fn stop(services: &Services, order: StopOrder) -> CallOutcome {
    let reply = order.reply(&services.engine.read_model());
    CallOutcome::Stop(CallReply::Done(reply), order)
}

/// Facts that a server reads from its store and from the processes of agents.
struct ServerFacts<'a>(&'a Services);

impl StoredFacts for ServerFacts<'_> {
    // The load of agents is measured between two reads.
    fn metrics(&self, model: &ReadModel) -> Result<Arc<MetricsReport>, QueryError> {
        let metrics = &self.0.fetcher.metrics;
        let first = metrics.report(model).map_err(QueryError::facts)?;
        if model.agents().next().is_none() {
            return Ok(first);
        }
        Handle::current().block_on(tokio::time::sleep(SAMPLE_INTERVAL));
        metrics.report(model).map_err(QueryError::facts)
    }

    fn attempts_at(&self, task: &TaskId) -> Result<Vec<Attempt>, QueryError> {
        attempts_at(&self.0.settings.paths.store, task).map_err(QueryError::facts)
    }
}

fn command_reply(answer: Result<Result<Accepted, Refusal>, InboxClosed>) -> CallReply {
    match answer {
        Ok(answer) => CallReply::Asked(answer),
        Err(closed) => CallReply::Failed(format!("could not {closed}")),
    }
}

fn reload(reloader: &Reloader, by: &str) -> CallReply {
    match reloader.reload(&format!("by {by}")) {
        Ok(()) => CallReply::Done("settings and workflows were read again".to_owned()),
        Err(why) => CallReply::Failed(format!("{why}\nthe old settings stay in force")),
    }
}

/// Returns the names of the variables of an environment, without their values.
fn names(environment: &InheritedEnv) -> Vec<String> {
    let pairs = environment.pairs().iter();
    pairs.map(|(name, _)| name.clone()).collect()
}

fn server_status(services: &Services) -> ServerStatus {
    let (settings, model) = (&services.settings, services.engine.read_model());
    let counts = model.counts().into_iter();
    ServerStatus {
        name: settings.name(),
        root: settings.paths.root.to_string_lossy().into_owned(),
        pid: std::process::id(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        since: settings.started,
        clients: services.clients.count(),
        agents: model.agents().count(),
        counts: counts.map(|(word, many)| (word.to_owned(), many)).collect(),
        needs: model.attention.len(),
        last_line: services.engine.journal.last(),
        variables: names(&services.shells.environment()),
    }
}
