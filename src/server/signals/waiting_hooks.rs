//! The hooks that wait for the reply to an ask. An ask whose hook ended while no server ran is withdrawn: nothing else would report that.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::adapters::clock;
use crate::agent_state::{AgentReport, Seen, Source};
use crate::domain::{AskChannel, AskId, AttemptId, Event, Span, Timestamp};
use crate::read_model::ReadModel;
use crate::server::engine_handle::EngineHandle;
use crate::server::terminals::hub::AgentStates;

/// Time in which hooks that waited for the reply of an earlier server come back to this one.
const RETURN_TIME: Span = Span::seconds(30);

type Waiting = Mutex<BTreeMap<(AttemptId, AskId), usize>>;

/// The asks for whose reply hooks wait, and the number of these hooks.
#[derive(Debug, Clone)]
pub(in crate::server) struct WaitingHooks {
    waiting: Arc<Waiting>,
    /// Start of the server, as the time for which the machine had been awake.
    since: Span,
}

/// A hook that waits, for as long as this value lives.
#[derive(Debug)]
pub(in crate::server) struct WaitingHook {
    waiting: Arc<Waiting>,
    of: (AttemptId, AskId),
}

impl WaitingHooks {
    /// Creates the list of a server that starts after the machine was awake for that time. No hook has come yet.
    pub(in crate::server) fn new(since: Span) -> WaitingHooks {
        WaitingHooks {
            waiting: Arc::default(),
            since,
        }
    }

    /// Notes that one more hook waits for the reply to that ask.
    pub(in crate::server) fn begin(&self, attempt: AttemptId, ask: &AskId) -> WaitingHook {
        let of = (attempt, ask.clone());
        *self.waiting.lock().entry(of.clone()).or_default() += 1;
        WaitingHook {
            waiting: Arc::clone(&self.waiting),
            of,
        }
    }

    /// Withdraws the asks of hooks that have not come back. All hooks leave a server that stops, and go to the next one.
    pub(in crate::server) fn withdraw_lost(
        &self,
        engine: &EngineHandle,
        states: &AgentStates,
        stop: &CancellationToken,
    ) {
        if clock::uptime().0.saturating_sub(self.since.0) < RETURN_TIME.0 {
            return;
        }
        let lost = self.lost(&engine.read_model(), clock::now());
        if stop.is_cancelled() {
            return;
        }
        for (attempt, ask) in &lost {
            withdraw(engine, states, *attempt, ask);
        }
    }

    /// Returns the requests that wait for an answer and for which no hook waits.
    fn lost(&self, model: &ReadModel, now: Timestamp) -> Vec<(AttemptId, AskId)> {
        let waiting = self.waiting.lock();
        let asks = model.attempts.values().flat_map(|attempt| {
            let open = attempt.open_asks(now);
            let requests = open.filter(|known| known.ask.channel == AskChannel::Request);
            requests.map(|known| (attempt.id, known.ask.id.clone()))
        });
        asks.filter(|ask| !waiting.contains_key(ask)).collect()
    }
}

impl Drop for WaitingHook {
    fn drop(&mut self) {
        let mut waiting = self.waiting.lock();
        if let Some(number) = waiting.get_mut(&self.of) {
            *number -= 1;
            if *number == 0 {
                waiting.remove(&self.of);
            }
        }
    }
}

/// Reports that no hook waits for the reply to an ask any more.
pub(in crate::server) fn withdraw(
    engine: &EngineHandle,
    states: &AgentStates,
    attempt: AttemptId,
    ask: &AskId,
) {
    let over = AgentReport::of(Seen::WaitOver { child: None });
    states.observe(attempt, Source::Hook, &over);
    let ask = ask.clone();
    drop(engine.inbox.send(Event::AskWithdrawn { attempt, ask }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Ask, AskAnswer, AskKind, AskRecord, AskReply, AttemptState, Verdict};
    use crate::read_model::settled_attempt;

    const ATTEMPT: AttemptId = AttemptId(7);

    fn request(id: &str, channel: AskChannel) -> AskRecord {
        let ask = Ask {
            id: id.into(),
            kind: AskKind::Permission,
            text: "Bash: make".to_owned(),
            options: Vec::new(),
            channel,
        };
        AskRecord::new(ask, Timestamp(1))
    }

    #[test]
    fn a_request_is_lost_while_no_hook_waits_for_its_answer() {
        let mut answered = request("answered", AskChannel::Request);
        answered.answer = Some(AskAnswer {
            by: "ada".to_owned(),
            reply: AskReply::Allow,
            at: Timestamp(2),
            problem: None,
        });
        let mut attempt = settled_attempt(ATTEMPT.0, "development", 0, 1, Verdict::Passed);
        attempt.state = AttemptState::Running;
        attempt.asks = vec![
            request("k", AskChannel::Request),
            request("screen-1", AskChannel::Keys),
            answered,
        ];
        let mut model = ReadModel::default();
        model.attempts.insert(ATTEMPT, Arc::new(attempt));
        let hooks = WaitingHooks::new(Span(0));
        let lost = || hooks.lost(&model, Timestamp(3));
        let of_request = [(ATTEMPT, "k".into())];
        assert_eq!(lost(), of_request);
        let (one, other) = (
            hooks.begin(ATTEMPT, &"k".into()),
            hooks.begin(ATTEMPT, &"k".into()),
        );
        assert_eq!(lost(), []);
        drop(one);
        assert_eq!(lost(), [], "another one has come back for it");
        drop(other);
        assert_eq!(lost(), of_request);
    }
}
