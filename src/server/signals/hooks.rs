//! Calls of the hooks of agents' tools: an ask waits until it is answered, here or in the agent's terminal.

use crate::adapters::agents::hook::{begins_turn, session_begun};
use crate::adapters::agents::{LocalAgents, claude};
use crate::adapters::clock;
use crate::agent_state::{AgentReport, Doing, Seen, Source, Wait, Work};
use crate::domain::{Ask, AskChannel, AskId, AskRecord, Attempt, AttemptId, Event, Timestamp, ToolUse};
use crate::engine::inbox::Inbox;
use crate::protocol::answer::plan_now;
use crate::protocol::hooks::{HookCall, HookEvent, HookReply, LONGEST_STATE};
use crate::server::engine_handle::EngineHandle;
use crate::server::signals::inbox_folder;
use crate::server::signals::intake::SignalIntake;
use crate::server::signals::waiting_hooks::{WaitingHook, withdraw};
use crate::server::terminals::hub::AgentStates;
use crate::term::sanitize;

/// Request to the agent for the report without which a turn is not over.
const REPORT_FIRST: &str = "You have not reported how it ended. Run one of `dbs signal done TEXT`, `dbs signal reject TEXT`, \
                            `dbs signal block TEXT` or `dbs signal fail TEXT`, whichever is true, and then stop.";

/// Question to a person about an agent that ends its turn all the same.
const STOPPED: &str = "it stopped without a report, though it was told to report; what should it do?";

/// Outcome of a hook's call.
#[derive(Debug)]
pub(in crate::server) enum HookOutcome {
    Reply(HookReply),
    Wait(WaitingAsk),
}

/// An ask whose hook waits for the reply.
#[derive(Debug)]
pub(in crate::server) struct WaitingAsk {
    attempt: AttemptId,
    ask: AskId,
    /// Entry in the list of the hooks that wait.
    _hook: WaitingHook,
}

/// Takes in the report of a hook. A hook without a valid token gets no answer.
pub(in crate::server) fn take_hook(
    intake: &SignalIntake,
    agents: &LocalAgents,
    states: &AgentStates,
    call: HookCall,
) -> HookOutcome {
    if matches!(call.event, HookEvent::TurnOver { .. }) {
        // An agent in a sandbox reports by a file, and stops at once: its report may still be there.
        inbox_folder::take_all(intake);
    }
    let attempts = &intake.engine.read_model().attempts;
    let known = attempts.get(&call.attempt).filter(|attempt| {
        attempt.state.is_open() && intake.secret.proves(&call.token, attempt.id, attempt.created_at)
    });
    let Some(attempt) = known else {
        return HookOutcome::Reply(HookReply::Nothing);
    };
    let report = state_of(&call.state);
    if let Some((of, session)) = attempt.role_choice().zip(session_begun(&call.state)) {
        agents.session_told(of, attempt.id, &session);
    }
    let observe = |report: &AgentReport| states.observe(call.attempt, Source::Hook, report);
    match call.event {
        HookEvent::Ask(ask) => {
            let ask = ask.bounded();
            intake.usage.count_call(attempt, &ask);
            let waits = (!was_answered(attempt, &ask.id)).then(|| asking(report, &ask));
            let told = TellAsk {
                observe: || waits.iter().for_each(observe),
                answered: || states.answered(call.attempt, clock::now()),
            };
            let wanted = call.wanted.map(ToolUse::bounded);
            take_ask(intake, agents, attempt, ask, wanted.as_ref(), told)
        }
        HookEvent::Usage(figures) => {
            intake.usage.count(attempt.id, &figures);
            HookOutcome::Reply(HookReply::Nothing)
        }
        HookEvent::TurnOver { again } if again || may_stop(attempt, &report) => {
            intake.records.look_at(agents, attempt, &intake.usage, states);
            observe(&report);
            if !may_stop(attempt, &report) {
                // An engine that has ended takes the server with it, and the next finds the agent idle.
                drop(intake.engine.inbox.send(stopped_without_report(attempt)));
            }
            HookOutcome::Reply(HookReply::Nothing)
        }
        HookEvent::TurnOver { .. } => HookOutcome::Reply(HookReply::GoOn(REPORT_FIRST.to_owned())),
        HookEvent::Report => {
            if is_compacting(&report) {
                intake.usage.forget_fill(attempt.id);
                let compacted = Event::ContextCompacted { attempt: attempt.id };
                drop(intake.engine.inbox.send(compacted));
            }
            observe(&report);
            let is_told = attempt.conducts() && begins_turn(&call.state);
            HookOutcome::Reply(if is_told {
                HookReply::Context(plan_now(&intake.engine.read_model()))
            } else {
                HookReply::Nothing
            })
        }
    }
}

/// Returns the agent's state from an event. It is only a report: of limited length and of harmless texts.
fn state_of(fields: &str) -> AgentReport {
    if fields.len() > LONGEST_STATE {
        return AgentReport::default();
    }
    claude::hooks::read(fields.as_bytes())
}

/// Returns true if the tool is about to shorten its context. The report that it has done so does not count again.
fn is_compacting(report: &AgentReport) -> bool {
    let compacting = Seen::Doing(Doing::Working(Work::Compacting));
    report.seen.contains(&compacting)
}

/// Returns the same report with the ask as the board keeps it.
pub(in crate::server) fn asking(mut report: AgentReport, ask: &Ask) -> AgentReport {
    for seen in &mut report.seen {
        if let Seen::Doing(Doing::Blocked(wait)) = seen {
            (wait.kind, wait.text) = (ask.kind, sanitize(&ask.text).into_owned());
        }
    }
    report
}

/// Returns true if an ask was answered already: a hook that comes back for the answer does not wait.
fn was_answered(attempt: &Attempt, ask: &AskId) -> bool {
    let mut known = attempt.asks.iter().filter(|known| known.ask.id == *ask);
    known.any(|known| known.given().is_some())
}

/// Returns the wait of an agent whose request was taken by a server that has ended since. Its terminal may not show it yet, and the hook
/// comes back only when it finds this server.
pub(in crate::server) fn still_asked(attempt: &Attempt, now: Timestamp) -> Option<AgentReport> {
    let mut open = attempt.open_asks(now);
    let known = open.find(|known| known.ask.channel == AskChannel::Request)?;
    let wait = Wait::new(known.ask.kind, sanitize(&known.ask.text));
    Some(AgentReport::doing(Doing::Blocked(wait)))
}

/// Reports about the wait of an agent to the watch over it.
struct TellAsk<O, A> {
    /// Reports that the agent waits.
    observe: O,
    /// Reports that its wait was answered.
    answered: A,
}

/// Lets an ask wait for its reply. A known ask makes no event, so that asking again and again costs nothing.
fn take_ask(
    intake: &SignalIntake,
    agents: &LocalAgents,
    attempt: &Attempt,
    ask: Ask,
    wanted: Option<&ToolUse>,
    told: TellAsk<impl FnOnce(), impl FnOnce()>,
) -> HookOutcome {
    let is_known = attempt.asks.iter().any(|known| known.ask.id == ask.id);
    if !is_known && !attempt.takes_asks() {
        (told.observe)();
        return HookOutcome::Reply(HookReply::Nothing);
    }
    let waiting = WaitingAsk {
        attempt: attempt.id,
        ask: ask.id.clone(),
        _hook: intake.hooks.begin(attempt.id, &ask.id),
    };
    let opened = (!is_known).then(|| Event::AskOpened {
        attempt: attempt.id,
        rule: agents.answer_rule(attempt, &ask, wanted),
        ask,
    });
    tell_ask(&intake.engine.inbox, opened, told);
    HookOutcome::Wait(waiting)
}

/// Reports a new ask and then the wait of the agent to the board. Reported first, the wait would be an ask of its own for the board: a
/// person would be called although a rule answers it, and an answer would be typed into a terminal that asks nothing yet. The answer of a
/// rule may be there before the wait, which would then wait for ever: it is reported once more.
fn tell_ask(inbox: &Inbox, opened: Option<Event>, told: TellAsk<impl FnOnce(), impl FnOnce()>) {
    let has_rule = matches!(&opened, Some(Event::AskOpened { rule: Some(_), .. }));
    if let Some(opened) = opened {
        // An engine that has ended takes the server with it; the hook comes back to the next.
        drop(inbox.send(opened));
    }
    (told.observe)();
    if has_rule {
        (told.answered)();
    }
}

/// Returns the question to a person about an agent that was told to report and stopped all the same: it would wait for a prompt until its
/// time is over.
fn stopped_without_report(attempt: &Attempt) -> Event {
    Event::AskOpened {
        attempt: attempt.id,
        ask: Ask::about_standstill(attempt.asks_made.into(), STOPPED.to_owned()),
        rule: None,
    }
}

/// Handles a person's typing in the terminal of an agent. A tool that asks its hook before it shows anything gets its hook back without a
/// reply, so that it asks there; any other shows its question already.
pub(in crate::server) fn leave_to_terminal(engine: &EngineHandle, agents: &LocalAgents, id: AttemptId) {
    let model = engine.read_model();
    let Some(attempt) = model.attempts.get(&id) else {
        return;
    };
    let mut open = attempt.asks.iter().filter(|known| {
        known.closed.is_none() && known.answer.is_none() && known.ask.channel == AskChannel::Request
    });
    let of = attempt.role_choice();
    if let Some(known) = open.next()
        && of.is_some_and(|of| agents.asks_hook_first(of))
    {
        let withdrawn = Event::AskWithdrawn {
            attempt: id,
            ask: known.ask.id.clone(),
        };
        drop(engine.inbox.send(withdrawn));
    }
}

/// Returns true if an agent may end its turn: it has reported, waits for a person (K106) or for what it has left running, talks with a
/// person, or was asked to because its context is full.
fn may_stop(attempt: &Attempt, report: &AgentReport) -> bool {
    let was_told = attempt.background.as_ref().is_some_and(|left| left.was_told);
    let is_left = |seen: &Seen| matches!(seen, Seen::Doing(Doing::Background(_)));
    if report.seen.iter().any(is_left) && !was_told {
        return true;
    }
    let has_reported = attempt.signals.iter().any(|signal| signal.kind.is_terminal());
    // An answer that arrived needs no person any more, though the tool has not been seen to continue yet.
    let waits = |known: &AskRecord| known.closed.is_none() && known.given().is_none();
    attempt.conducts() || has_reported || attempt.leaves.is_some() || attempt.asks.iter().any(waits)
}

impl WaitingAsk {
    /// Waits for the reply; nothing when the agent no longer asks. The board holds the answer, so that it is the same for every hook that
    /// comes back for it, also to the next server.
    pub(in crate::server) async fn reply(&self, engine: &EngineHandle) -> HookReply {
        let mut models = engine.read_models.clone();
        loop {
            let attempt = models.borrow_and_update().attempts.get(&self.attempt).cloned();
            if let Some(reply) = self.decided(attempt.as_deref()) {
                return reply;
            }
            if models.changed().await.is_err() {
                return HookReply::Nothing;
            }
        }
    }

    /// Returns the reply as the board knows it, once it does.
    fn decided(&self, attempt: Option<&Attempt>) -> Option<HookReply> {
        let Some(attempt) = attempt.filter(|attempt| attempt.state.is_open()) else {
            return Some(HookReply::Nothing);
        };
        let known = attempt.asks.iter().find(|known| known.ask.id == self.ask)?;
        let given = known
            .answer
            .as_ref()
            .map(|answer| HookReply::Answer(answer.reply.clone()));
        given.or(known.closed.map(|_| HookReply::Nothing))
    }

    /// Reports that the reply is not waited for any more.
    pub(in crate::server) fn withdraw(&self, engine: &EngineHandle, states: &AgentStates) {
        withdraw(engine, states, self.attempt, &self.ask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::background_work::BackgroundWork;
    use crate::domain::{AskAnswer, AskChannel, AskKind, AskReply, AttemptState, Span, Timestamp, Verdict};
    use crate::engine::inbox::{Received, inbox};
    use crate::read_model::settled_attempt;
    use crate::server::signals::waiting_hooks::WaitingHooks;

    fn ask() -> Ask {
        Ask {
            id: "k".into(),
            kind: AskKind::Permission,
            text: "Bash: make".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Request,
        }
    }

    fn running() -> Attempt {
        let mut attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        attempt.state = AttemptState::Running;
        attempt
    }

    #[test]
    fn a_hook_is_told_what_the_board_holds_whenever_it_comes() {
        let waiting = WaitingAsk {
            attempt: AttemptId(7),
            ask: "k".into(),
            _hook: WaitingHooks::new(Span(0)).begin(AttemptId(7), &"k".into()),
        };
        let decided = |attempt: &Attempt| waiting.decided(Some(attempt));
        let mut attempt = running();
        assert_eq!(decided(&attempt), None, "the board has not heard of it yet");
        attempt.asks.push(AskRecord::new(ask(), Timestamp(1)));
        assert_eq!(decided(&attempt), None);
        let mut gone = attempt.clone();
        gone.asks[0].closed = Some(Timestamp(2));
        assert_eq!(
            decided(&gone),
            Some(HookReply::Nothing),
            "it was answered in its terminal"
        );
        gone.asks[0].answer = Some(AskAnswer {
            by: "ada".to_owned(),
            reply: AskReply::Allow,
            at: Timestamp(2),
            problem: None,
        });
        assert_eq!(decided(&gone), Some(HookReply::Answer(AskReply::Allow)));
        attempt.state = AttemptState::Settled(Verdict::Passed);
        assert_eq!(decided(&attempt), Some(HookReply::Nothing), "its attempt is over");
        assert_eq!(waiting.decided(None), Some(HookReply::Nothing));
    }

    #[test]
    fn the_board_hears_of_a_request_before_it_is_seen_and_a_wait_that_a_rule_answers_is_over() {
        for (rule, wanted) in [
            (None, ["request", "wait"].as_slice()),
            (
                Some(("r".to_owned(), AskReply::Allow)),
                &["request", "wait", "answered"],
            ),
        ] {
            let (inlet, outlet) = inbox();
            let opened = Event::AskOpened {
                attempt: AttemptId(7),
                ask: ask(),
                rule,
            };
            let seen = std::cell::RefCell::new(Vec::new());
            let told = TellAsk {
                observe: || {
                    if matches!(outlet.next(Some(Span(0))), Received::Envelope(_)) {
                        seen.borrow_mut().push("request");
                    }
                    seen.borrow_mut().push("wait");
                },
                answered: || seen.borrow_mut().push("answered"),
            };
            tell_ask(&inlet, Some(opened), told);
            assert_eq!(*seen.borrow(), wanted);
        }
    }

    #[test]
    fn an_agent_that_was_asked_to_stop_for_its_full_context_may_stop_without_a_report() {
        let mut attempt = running();
        attempt.leaves = Some(Timestamp(1));
        assert!(may_stop(&attempt, &AgentReport::doing(Doing::DONE)));
    }

    #[test]
    fn only_the_beginning_of_a_compaction_is_one() {
        let event = |name: &str| state_of(&format!(r#"{{"hook_event_name":"{name}"}}"#));
        assert!(is_compacting(&event("PreCompact")));
        assert!(!is_compacting(&event("PostCompact")));
        assert!(!is_compacting(&event("SubagentStop")));
    }

    #[test]
    fn an_agent_may_stop_when_it_has_reported_or_waits_for_a_person() {
        let mut attempt = running();
        assert!(!may_stop(&attempt, &AgentReport::doing(Doing::DONE)));
        attempt.asks.push(AskRecord::new(ask(), Timestamp(1)));
        assert!(may_stop(&attempt, &AgentReport::doing(Doing::DONE)));
        attempt.asks[0].answer = Some(AskAnswer {
            by: "ada".to_owned(),
            reply: AskReply::Allow,
            at: Timestamp(2),
            problem: None,
        });
        assert!(
            !may_stop(&attempt, &AgentReport::doing(Doing::DONE)),
            "it was answered and has not gone on yet"
        );
        attempt.asks[0].closed = Some(Timestamp(2));
        assert!(!may_stop(&attempt, &AgentReport::doing(Doing::DONE)));
    }

    #[test]
    fn a_turn_that_leaves_something_running_may_end_until_the_agent_was_told_to_report() {
        let stop = r#"{"hook_event_name":"Stop","background_tasks":[{"description":"make docs"}]}"#;
        let left = state_of(stop);
        let mut attempt = running();
        assert!(may_stop(&attempt, &left));
        let mut work = BackgroundWork {
            what: "make docs".to_owned(),
            until: Timestamp(1),
            was_told: false,
        };
        attempt.background = Some(work.clone());
        assert!(may_stop(&attempt, &left));
        work.was_told = true;
        attempt.background = Some(work);
        assert!(!may_stop(&attempt, &left));
    }
}
