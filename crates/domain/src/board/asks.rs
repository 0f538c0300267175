//! Asks of agents to a person: each ask is answered once, by the first who answers it, and an answer reaches only the ask it was given to.

use std::borrow::Cow;

use super::Board;
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::ask::{Ask, AskChannel, AskKind, AskRecord, AskReply, MOST_CLOSED_ASKS};
use crate::attempt::{Activity, ActivityKind, Attempt, Worker};
use crate::effect::NoticeLevel;
use crate::event::Event;
use crate::id::{AskId, AttemptId};
use crate::time::Timestamp;

impl Board {
    /// Handles a report about an ask; any other event is ignored.
    pub(super) fn ask_event(&mut self, transition: &mut Transition, event: &Event) {
        match event {
            Event::AskOpened { attempt, ask, rule } => {
                let rule = rule.as_ref().map(|(by, reply)| (by.as_str(), reply));
                self.ask_opened(transition, *attempt, ask, rule);
            }
            // The ask is done with: nothing else ever reports the end of a question that was asked in words.
            Event::AskWithdrawn { attempt, ask } | Event::AnswerTyped { attempt, ask } => {
                self.close_asks(transition.now, *attempt, |known| known.ask.id == *ask);
            }
            Event::AnswerLost {
                attempt,
                ask,
                problem,
            } => self.answer_lost(transition, *attempt, ask, problem),
            Event::TextLost {
                attempt,
                text,
                problem,
            } => self.text_lost(transition, *attempt, text, problem),
            Event::MenuSeen { attempt, options } => self.menu_seen(*attempt, options),
            _ => {}
        }
    }

    /// Stores the entries of the dialog or question that an agent's screen shows; empty if it shows none that are known.
    fn menu_seen(&mut self, id: AttemptId, options: &[String]) {
        self.edit_attempt(id, |row| {
            let open = row.asks.iter_mut().filter(|known| known.closed.is_none());
            for known in open.filter(|known| has_menu(&known.ask)) {
                let ask = known.ask.clone();
                known.ask = Ask {
                    options: options.to_vec(),
                    ..ask
                }
                .bounded();
            }
        });
    }

    /// Opens an ask of an agent's tool, made by a request that waits for the reply. `rule` is the setting that answers by itself, if one
    /// does.
    fn ask_opened(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        ask: &Ask,
        rule: Option<(&str, &AskReply)>,
    ) {
        let Some(attempt) = self.asking_attempt(id) else {
            return;
        };
        // The request that waits for the reply to a known ask has come back.
        if attempt.asks.iter().any(|known| known.ask.id == ask.id) || !attempt.takes_asks() {
            return;
        }
        let mut open = attempt.asks.iter().filter(|known| known.closed.is_none());
        // The terminal shows the subject of the request; it is one question and not two, asked since it was shown.
        let shown = open.find(|known| is_on_screen(known)).map(|known| known.since);
        self.close_asks(transition.now, id, is_on_screen);
        let ask = ask.clone().bounded();
        self.add_ask(id, AskRecord::new(ask.clone(), shown.unwrap_or(transition.now)));
        self.await_person(transition.now, id);
        match rule {
            Some((by, reply)) => self.record_answer(transition, &attempt, &ask, by, reply.clone()),
            None if shown.is_some() => {}
            None => call_for_answer(transition, &attempt, ask.kind, &ask.text),
        }
    }

    /// Opens or closes the asks that an agent shows in its terminal, according to its observed activity.
    pub(super) fn observe_asks(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        doing: &ActivityKind,
    ) {
        // An agent that has reported the end of its work waits for nobody, even if something goes wrong after that.
        let is_late = matches!(doing, ActivityKind::Error(_)) && deciding_signal(attempt).is_some();
        let Some((kind, text)) = asked(doing).filter(|_| !is_late) else {
            self.close_asks(transition.now, attempt.id, |known| {
                is_over(known, &attempt.activity)
            });
            return;
        };
        let open: Vec<&AskRecord> = attempt
            .asks
            .iter()
            .filter(|known| known.closed.is_none())
            .collect();
        let is_known = |known: &&AskRecord| {
            known.ask.channel == AskChannel::Request || (known.ask.kind == kind && known.ask.text == text)
        };
        if open.iter().any(is_known) {
            return;
        }
        self.close_asks(transition.now, attempt.id, is_on_screen);
        if !attempt.takes_asks() {
            return;
        }
        let channel = match kind {
            AskKind::Permission | AskKind::Question | AskKind::Plan => AskChannel::Keys,
            AskKind::Dialog => AskChannel::Terminal,
        };
        let ask = Ask {
            id: AskId::new(format!("screen-{}", attempt.asks_made + 1)),
            kind,
            text: text.clone().into_owned(),
            options: Vec::new(),
            channel,
        };
        self.add_ask(attempt.id, AskRecord::new(ask.bounded(), transition.now));
        if matches!(doing, ActivityKind::Error(_)) {
            let text = format!("{} {text}", attempt.worker.name());
            transition.notify_attempt(NoticeLevel::Alert, "error", attempt, text);
        } else {
            // A tool that shows an error may recover when it is tried again, so its time limit still counts.
            self.await_person(transition.now, attempt.id);
            call_for_answer(transition, attempt, kind, &text);
        }
    }

    /// Opens an ask that an agent made by a signal. It stays open until somebody answers it.
    pub(super) fn ask_in_words(&mut self, now: Timestamp, id: AttemptId, key: &str, text: &str) {
        let ask = Ask {
            id: AskId::new(format!("signal-{key}")),
            kind: AskKind::Question,
            text: text.to_owned(),
            options: Vec::new(),
            channel: AskChannel::Line,
        };
        self.add_ask(id, AskRecord::new(ask.bounded(), now));
        self.await_person(now, id);
    }

    fn add_ask(&mut self, id: AttemptId, ask: AskRecord) {
        self.edit_attempt(id, |row| {
            row.asks_made += 1;
            row.asks.push(ask);
            let closed = row.asks.iter().filter(|known| known.closed.is_some()).count();
            let mut surplus = closed.saturating_sub(MOST_CLOSED_ASKS);
            row.asks.retain(|known| {
                let goes = surplus > 0 && known.closed.is_some();
                surplus -= usize::from(goes);
                !goes
            });
        });
    }

    /// Closes the asks of an attempt that `closes` selects.
    pub(super) fn close_asks(&mut self, now: Timestamp, id: AttemptId, closes: impl Fn(&AskRecord) -> bool) {
        let Some(attempt) = self.attempt(id) else { return };
        let is_meant = |known: &AskRecord| known.closed.is_none() && closes(known);
        if attempt.asks.iter().any(is_meant) {
            self.edit_attempt(id, |row| {
                for known in row.asks.iter_mut().filter(|known| is_meant(known)) {
                    known.closed = Some(now);
                }
                row.add_person_wait(now);
            });
        }
    }

    /// Returns an agent whose process may be alive.
    pub(super) fn asking_attempt(&self, id: AttemptId) -> Option<std::sync::Arc<Attempt>> {
        self.attempt(id).filter(|attempt| {
            attempt.state.may_have_process() && matches!(attempt.worker, Worker::Agent { .. })
        })
    }
}

/// Returns the ask that an agent shows in its terminal, if its activity is one.
fn asked(doing: &ActivityKind) -> Option<(AskKind, Cow<'_, str>)> {
    match doing {
        ActivityKind::Permission(text) => Some((AskKind::Permission, text.into())),
        ActivityKind::Question(text) => Some((AskKind::Question, text.into())),
        ActivityKind::Dialog(text) => Some((AskKind::Dialog, text.into())),
        ActivityKind::Error(text) => Some((AskKind::Dialog, format!("reports an error: {text}").into())),
        ActivityKind::Starting
        | ActivityKind::Working
        | ActivityKind::Limit { .. }
        | ActivityKind::NotLoggedIn(_)
        | ActivityKind::Failed(_)
        | ActivityKind::Idle
        | ActivityKind::Exited
        | ActivityKind::Lost => None,
    }
}

/// Returns true if the entries on a screen are the options of this ask. A permission has its own yes and no.
fn has_menu(ask: &Ask) -> bool {
    match ask.kind {
        AskKind::Dialog => ask.channel == AskChannel::Terminal,
        AskKind::Question => ask.channel == AskChannel::Keys,
        AskKind::Permission | AskKind::Plan => false,
    }
}

fn is_on_screen(record: &AskRecord) -> bool {
    matches!(record.ask.channel, AskChannel::Keys | AskChannel::Terminal)
}

/// Returns true if an agent that was seen to continue no longer asks this. `before` is its activity until now.
fn is_over(record: &AskRecord, before: &Activity) -> bool {
    match record.ask.channel {
        AskChannel::Keys | AskChannel::Terminal => true,
        // A request may arrive before the terminal shows its subject: a report of work in between does not end it.
        AskChannel::Request => {
            let was_shown = before.doing.needs_person() && before.since >= record.since;
            was_shown || record.given().is_some()
        }
        // A question in words stays open while the agent works on something else.
        AskChannel::Line => false,
    }
}

fn call_for_answer(transition: &mut Transition, attempt: &Attempt, kind: AskKind, text: &str) {
    let name = attempt.worker.name();
    let text = if text.is_empty() && kind == AskKind::Permission {
        format!("{name} asks for a permission")
    } else {
        format!("{name} asks: {text}")
    };
    transition.notify_attempt(NoticeLevel::Alert, kind.into(), attempt, text);
}
