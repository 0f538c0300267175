//! Calls to the server: requests to the board, signals of attempts, questions about the session.

use std::sync::Arc;

use crate::domain::{Accepted, Refusal};
use crate::engine::inbox::Closed;
use crate::protocol::snapshot::{Needs, Snapshot};
use crate::protocol::telling::{self, Form};
use crate::protocol::wire::{Answer, Call, StopAgents, Who};
use crate::read_model::ReadModel;
use crate::server::consenting::Approvals;
use crate::server::engine_handle::EngineHandle;
use crate::server::intake::{Intake, take_signal};
use crate::server::reloading::Reloader;
use crate::server::session_identity::SessionIdentity;
use crate::server::tally::Tally;

/// What a call led to, besides its answer.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Just the answer.
    Answer(Answer),
    /// A text, piece by piece.
    Text(String),
    /// The answer, and then the end of the server.
    Stop(Answer, StopAgents),
    /// Lines from that position on.
    Follow(u64),
    /// A word whenever the board has changed.
    Watch,
    /// The figures, which take a while to look at.
    Figures(Form),
}

/// Answers calls from what the session knows of itself and what it may be asked to do.
pub(super) struct Calls {
    /// The board.
    pub(super) engine: EngineHandle,
    /// Where signals are taken in.
    pub(super) intake: Intake,
    /// Allows or denies what agents ask.
    pub(super) approvals: Arc<Approvals>,
    /// Reads settings again.
    pub(super) reloader: Arc<Reloader>,
    /// Figures about the work.
    pub(super) tally: Arc<Tally>,
    /// What the session is.
    pub(super) identity: Arc<SessionIdentity>,
}

impl Calls {
    /// Answers a call. Blocks until the board has decided: call from a blocking thread.
    pub(super) fn answer(&self, clients: usize, call: Call) -> Outcome {
        let board = || Snapshot::served(&self.engine.read_model());
        Outcome::Answer(match call {
            Call::Ask { by, command } => asked(self.engine.ask(&by, command)),
            Call::Signal(signal) => asked(take_signal(&self.intake, &signal)),
            Call::Consent { attempt, what, says } => {
                Answer::Asked(self.approvals.consent(attempt, (&what, says)))
            }
            Call::Task(id) => Answer::Task(board().sheet(&id).map(Box::new)),
            Call::Attempt(name) => Answer::Attempt(board().attempt(&name).cloned().map(Box::new)),
            Call::Ids => Answer::Ids(board().tasks.into_keys().collect()),
            Call::Tell(asked) => match telling::tell(&board(), &asked) {
                Ok(text) => return Outcome::Text(text),
                Err(why) => Answer::Failed(why),
            },
            Call::Figures(form) => return Outcome::Figures(form),
            Call::Needs => Answer::Needs(Box::new(Needs::served(&self.engine.read_model()))),
            Call::Follow(after) => return Outcome::Follow(after),
            Call::Watch => return Outcome::Watch,
            Call::Reload => reload(&self.reloader),
            Call::Stop(agents) => return Outcome::Stop(Answer::Done("the server ends".to_owned()), agents),
            Call::Who => Answer::Who(who(&self.identity, &self.engine.read_model(), clients)),
        })
    }

    /// The figures as a command prints them, of what agents use since the last look at it. Blocks.
    ///
    /// # Errors
    /// When the store cannot be read; for people.
    pub(super) fn figures(&self, form: Form) -> Result<String, String> {
        let model = self.engine.read_model();
        let figures = self
            .tally
            .figures(&model)
            .map_err(|why| format!("could not {why}"))?;
        telling::figures(&Snapshot::served(&model), &figures, form)
    }
}

fn asked(answer: Result<Result<Accepted, Refusal>, Closed>) -> Answer {
    match answer {
        Ok(answer) => Answer::Asked(answer),
        Err(closed) => Answer::Failed(format!("could not {closed}")),
    }
}

fn reload(reloader: &Reloader) -> Answer {
    match reloader.reload() {
        Ok(()) => Answer::Done("settings and workflows were read again".to_owned()),
        Err(why) => Answer::Failed(format!("{why}\nthe old settings stay in force")),
    }
}

fn who(identity: &SessionIdentity, model: &ReadModel, clients: usize) -> Who {
    let counts = model.counts().into_iter();
    Who {
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
