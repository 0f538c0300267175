//! Calls to the server: requests to the board, signals of attempts, questions about the session.

use std::sync::Arc;

use crate::domain::{Accepted, Refusal};
use crate::engine::inbox::InboxClosed;
use crate::protocol::reports::{self, OutputFormat};
use crate::protocol::snapshot::{AttentionSnapshot, BoardSnapshot};
use crate::protocol::wire::{CallReply, ServerCall, ServerStatus, StopAgents};
use crate::read_model::ReadModel;
use crate::server::engine_handle::EngineHandle;
use crate::server::intake::{SignalIntake, take_signal};
use crate::server::metrics::MetricsCollector;
use crate::server::permissions::Approvals;
use crate::server::reload::Reloader;
use crate::server::session_identity::SessionIdentity;

/// What the server does after a call: answer, stream text or lines, or stop.
#[derive(Debug)]
pub(super) enum CallOutcome {
    /// Just the answer.
    Answer(CallReply),
    /// A text, piece by piece.
    Text(String),
    /// The answer, and then the end of the server.
    Stop(CallReply, StopAgents),
    /// Lines from that position on.
    Follow(u64),
    /// A word whenever the board has changed.
    Watch,
    /// The figures, which take a while to look at.
    Metrics(OutputFormat),
}

/// Answers calls from what the session knows of itself and what it may be asked to do.
pub(super) struct Calls {
    /// The board.
    pub(super) engine: EngineHandle,
    /// Where signals are taken in.
    pub(super) intake: SignalIntake,
    /// Allows or denies what agents ask.
    pub(super) approvals: Arc<Approvals>,
    /// Reads settings again.
    pub(super) reloader: Arc<Reloader>,
    /// Figures about the work.
    pub(super) tally: Arc<MetricsCollector>,
    /// What the session is.
    pub(super) identity: Arc<SessionIdentity>,
}

impl Calls {
    /// Answers a call. Blocks until the board has decided: call from a blocking thread.
    pub(super) fn answer(&self, clients: usize, call: ServerCall) -> CallOutcome {
        let board = || BoardSnapshot::from_read_model(&self.engine.read_model());
        CallOutcome::Answer(match call {
            ServerCall::Ask { by, command } => command_reply(self.engine.ask(&by, command)),
            ServerCall::Signal(signal) => command_reply(take_signal(&self.intake, &signal)),
            ServerCall::Consent { attempt, what, says } => {
                CallReply::Asked(self.approvals.reply(attempt, (&what, says)))
            }
            ServerCall::Task(id) => CallReply::Task(board().task_detail(&id).map(Box::new)),
            ServerCall::Attempt(name) => CallReply::Attempt(board().attempt(&name).cloned().map(Box::new)),
            ServerCall::Ids => CallReply::Ids(board().tasks.into_keys().collect()),
            ServerCall::Tell(asked) => match reports::tell(&board(), &asked) {
                Ok(text) => return CallOutcome::Text(text),
                Err(why) => CallReply::Failed(why),
            },
            ServerCall::Figures(form) => return CallOutcome::Metrics(form),
            ServerCall::Needs => CallReply::Needs(Box::new(AttentionSnapshot::from_read_model(
                &self.engine.read_model(),
            ))),
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

    /// The figures as a command prints them, of what agents use since the last look at it. Blocks.
    ///
    /// # Errors
    /// When the store cannot be read; for people.
    pub(super) fn metrics_text(&self, form: OutputFormat) -> Result<String, String> {
        let model = self.engine.read_model();
        let figures = self
            .tally
            .report(&model)
            .map_err(|why| format!("could not {why}"))?;
        reports::metrics(&BoardSnapshot::from_read_model(&model), &figures, form)
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
