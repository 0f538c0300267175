//! Calls of the hooks of agents' tools: an ask waits until somebody answers it, here or in the agent's terminal.

use tokio::sync::oneshot;

use crate::adapters::agents::LocalAgents;
use crate::domain::{AskId, AskReply, Attempt, AttemptId, Event};
use crate::protocol::hooks::{HookCall, HookEvent, HookReply};
use crate::server::ask_replies::AskReplies;
use crate::server::engine_handle::EngineHandle;
use crate::server::intake::SignalIntake;

/// What a turn is not over without.
const REPORT_FIRST: &str = "You have not reported how it ended. Run one of `dbs signal done TEXT`, `dbs signal reject TEXT`, \
                            `dbs signal block TEXT` or `dbs signal fail TEXT`, whichever is true, and then stop.";

/// What follows from a call of a hook.
#[derive(Debug)]
pub(super) enum HookOutcome {
    Reply(HookReply),
    Wait(WaitingAsk),
}

/// An ask whose hook waits for the reply.
#[derive(Debug)]
pub(super) struct WaitingAsk {
    pub(super) attempt: AttemptId,
    pub(super) ask: AskId,
    pub(super) reply: oneshot::Receiver<AskReply>,
}

/// Takes in what a hook says. What is not proved by its token is told nothing.
pub(super) fn take_hook(
    intake: &SignalIntake,
    (agents, replies): (&LocalAgents, &AskReplies),
    call: HookCall,
) -> HookOutcome {
    let attempts = &intake.engine.read_model().attempts;
    let known = attempts.get(&call.attempt).filter(|attempt| {
        attempt.state.is_open() && intake.secret.proves(&call.token, attempt.id, attempt.created_at)
    });
    let Some(attempt) = known else {
        return HookOutcome::Reply(HookReply::Nothing);
    };
    match call.event {
        HookEvent::Ask(ask) => {
            let reply = replies.wait(attempt.id, ask.id.clone());
            let waiting = WaitingAsk {
                attempt: attempt.id,
                ask: ask.id.clone(),
                reply,
            };
            let opened = Event::AskOpened {
                attempt: attempt.id,
                rule: attempt
                    .worker
                    .role()
                    .and_then(|role| agents.answer_rule(role, &ask)),
                ask,
            };
            // An engine that has ended takes the server with it; the hook comes back to the next.
            drop(intake.engine.inbox.send(opened));
            HookOutcome::Wait(waiting)
        }
        HookEvent::TurnOver { again } if again || may_stop(attempt) => HookOutcome::Reply(HookReply::Nothing),
        HookEvent::TurnOver { .. } => HookOutcome::Reply(HookReply::GoOn(REPORT_FIRST.to_owned())),
    }
}

/// Whether an agent may end its turn: it has reported, or waits for a person (K106).
fn may_stop(attempt: &Attempt) -> bool {
    let has_reported = attempt.signals.iter().any(|signal| signal.kind.is_terminal());
    has_reported || attempt.asks.iter().any(|known| known.closed.is_none())
}

impl WaitingAsk {
    /// Waits for the reply; nothing when the agent no longer asks.
    pub(super) async fn reply(&mut self, engine: &EngineHandle) -> HookReply {
        let mut models = engine.read_models.clone();
        loop {
            let is_over = self.is_closed(
                models
                    .borrow_and_update()
                    .attempts
                    .get(&self.attempt)
                    .map(AsRef::as_ref),
            );
            if is_over {
                return HookReply::Nothing;
            }
            tokio::select! {
                answered = &mut self.reply => {
                    return answered.map_or(HookReply::Nothing, HookReply::Answer);
                }
                more = models.changed() => if more.is_err() { return HookReply::Nothing },
            }
        }
    }

    /// Whether the board knows that the agent went on without the reply.
    fn is_closed(&self, attempt: Option<&Attempt>) -> bool {
        let Some(attempt) = attempt.filter(|attempt| attempt.state.is_open()) else {
            return true;
        };
        let known = attempt.asks.iter().find(|known| known.ask.id == self.ask);
        known.is_some_and(|known| known.closed.is_some())
    }

    /// Says that nobody waits for the reply any more.
    pub(super) fn withdraw(&self, engine: &EngineHandle) {
        let withdrawn = Event::AskWithdrawn {
            attempt: self.attempt,
            ask: self.ask.clone(),
        };
        drop(engine.inbox.send(withdrawn));
    }
}
