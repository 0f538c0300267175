//! Calls to the server: requests to the board, signals of attempts, questions about the session.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::adapters::load::SAMPLE_INTERVAL;
use crate::domain::{Accepted, Refusal};
use crate::engine::inbox::InboxClosed;
use crate::protocol::answer::answer;
use crate::protocol::wire::{CallReply, ServerCall, ServerStatus, StopAgents};
use crate::read_model::{MetricsReport, ReadModel};
use crate::server::engine_handle::EngineHandle;
use crate::server::intake::{SignalIntake, take_signal};
use crate::server::metrics::MetricsCollector;
use crate::server::permissions::Approvals;
use crate::server::reload::Reloader;
use crate::server::session_identity::SessionIdentity;

/// What the server does after a call: answer, stream text or lines, or stop.
#[derive(Debug)]
pub(super) enum CallOutcome {
    Answer(CallReply),
    /// The answer, and then the end of the server.
    Stop(CallReply, StopAgents),
    Follow(u64),
    /// A word whenever the board has changed.
    Watch,
}

/// Answers the calls of clients.
pub(super) struct Calls {
    pub(super) engine: EngineHandle,
    pub(super) intake: SignalIntake,
    pub(super) approvals: Arc<Approvals>,
    pub(super) reloader: Arc<Reloader>,
    pub(super) metrics: Arc<MetricsCollector>,
    pub(super) identity: Arc<SessionIdentity>,
}

impl Calls {
    /// Answers a call. Blocks until the board has decided: call from a blocking thread.
    pub(super) fn answer(&self, clients: usize, call: ServerCall) -> CallOutcome {
        CallOutcome::Answer(match call {
            ServerCall::Ask { by, command } => command_reply(self.engine.ask(&by, command)),
            ServerCall::Signal(signal) => command_reply(take_signal(&self.intake, &signal)),
            ServerCall::Consent { attempt, what, says } => {
                CallReply::Asked(self.approvals.reply(attempt, (&what, says)))
            }
            ServerCall::Query(query) => {
                let model = self.engine.read_model();
                CallReply::Query(answer(&model, &query, &|| self.measure(&model)))
            }
            ServerCall::Follow(after) => return CallOutcome::Follow(after),
            ServerCall::Watch => return CallOutcome::Watch,
            ServerCall::Reload => reload(&self.reloader),
            ServerCall::Stop(agents) => {
                return CallOutcome::Stop(CallReply::Done("the server ends".to_owned()), agents);
            }
            ServerCall::Who => {
                CallReply::Who(server_status(&self.identity, &self.engine.read_model(), clients))
            }
        })
    }

    /// The figures. What agents use is what they use between two looks.
    fn measure(&self, model: &ReadModel) -> Result<Arc<MetricsReport>, String> {
        let first = self.metrics.report(model)?;
        if model.agents().next().is_none() {
            return Ok(first);
        }
        Handle::current().block_on(tokio::time::sleep(SAMPLE_INTERVAL));
        self.metrics.report(model)
    }
}

fn command_reply(answer: Result<Result<Accepted, Refusal>, InboxClosed>) -> CallReply {
    match answer {
        Ok(answer) => CallReply::Asked(answer),
        Err(closed) => CallReply::Failed(format!("could not {closed}")),
    }
}

fn reload(reloader: &Reloader) -> CallReply {
    match reloader.reload() {
        Ok(()) => CallReply::Done("settings and workflows were read again".to_owned()),
        Err(why) => CallReply::Failed(format!("{why}\nthe old settings stay in force")),
    }
}

fn server_status(identity: &SessionIdentity, model: &ReadModel, clients: usize) -> ServerStatus {
    let counts = model.counts().into_iter();
    ServerStatus {
        name: identity.settings.name(),
        root: identity.settings.place.root.to_string_lossy().into_owned(),
        pid: std::process::id(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        since: identity.started,
        clients,
        agents: model.agents().count(),
        counts: counts.map(|(word, many)| (word.to_owned(), many)).collect(),
        needs: model.attention.len(),
    }
}
