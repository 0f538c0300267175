//! Asks of agents to a person: each ask is answered once, by the first who answers it, and an answer reaches only the ask it was given to.

use std::borrow::Cow;

use super::Board;
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::ask::{Ask, AskChannel, AskKind, AskRecord, AskReply, CONTINUE, MOST_CLOSED_ASKS};
use crate::attempt::{ActivityKind, Attempt, Worker};
use crate::effect::NoticeLevel;
use crate::event::Event;
use crate::id::{AskId, AttemptId};
use crate::time::{Span, Timestamp};

/// Question about an agent whose program is suspended.
const SUSPENDED: &str = "its program is stopped, as by Ctrl-Z, and its time limit with it";

/// Maximum time between the reports of two sources about one dialog.
const TOGETHER: Span = Span::seconds(2);

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
        // An agent that asks does not stand still.
        self.close_asks(transition.now, id, |known| {
            is_on_screen(known) || known.ask.is_standstill()
        });
        let ask = ask.clone().bounded();
        self.add_ask(id, AskRecord::new(ask.clone(), shown.unwrap_or(transition.now)));
        self.await_person(transition.now, id);
        match rule {
            Some((by, reply)) => {
                // The reason that the agent gets names the rule, as the beginning of the line does.
                let words = reply.words_without_reason(&ask);
                self.record_answer(transition, &attempt, &ask, by, reply.clone(), &words);
            }
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
        if *doing != ActivityKind::Suspended {
            self.close_asks(transition.now, attempt.id, |known| known.ask.is_suspension());
        }
        if doing.is_work() {
            self.close_asks(transition.now, attempt.id, |known| known.ask.is_standstill());
        }
        // An agent that has reported the end of its work waits for no person, even if something goes wrong after that.
        let is_late = matches!(doing, ActivityKind::Error(_)) && deciding_signal(attempt).is_some();
        let Some((kind, text)) = asked(doing).filter(|_| !is_late) else {
            self.close_asks(transition.now, attempt.id, is_over);
            return;
        };
        let mut open = attempt.asks.iter().filter(|known| known.closed.is_none());
        if open.any(|known| is_shown_by(known, kind, &text, doing)) {
            return self.name_ask(attempt.id, kind, &text);
        }
        if matches!(doing, ActivityKind::Dialog(_)) && self.is_named_by_another(transition.now, attempt) {
            return self.reword_asks(attempt.id, &text, is_open_dialog);
        }
        self.close_asks(transition.now, attempt.id, |known| {
            is_on_screen(known) || known.ask.is_standstill() && *doing != ActivityKind::Suspended
        });
        if !attempt.takes_asks() {
            return;
        }
        let ask = seen_ask(attempt, kind, &text, doing);
        self.add_ask(attempt.id, AskRecord::new(ask.bounded(), transition.now));
        if matches!(doing, ActivityKind::Error(_)) {
            let text = format!("{} {text}", attempt.worker.name());
            transition.notify_attempt(NoticeLevel::Alert, "error", attempt, text);
        } else {
            // A tool that shows an error may recover when it is tried again, so its time limit still counts.
            self.await_person(transition.now, attempt.id);
            let is_own = *doing == ActivityKind::Suspended;
            if is_own || !self.is_asked_elsewhere(transition.now, attempt, kind, &text) {
                call_for_answer(transition, attempt, kind, &text);
            }
        }
    }

    /// Returns true if another source has just named the dialog that the agent shows: a screen at rest is read in the moment in which the
    /// tool reports it, in other words. `before` is the agent as it was until now.
    fn is_named_by_another(&self, now: Timestamp, before: &Attempt) -> bool {
        let activity = &before.activity;
        let shows_dialog =
            matches!(activity.doing, ActivityKind::Dialog(_)) && before.asks.iter().any(is_open_dialog);
        let source = self.attempt(before.id).map(|row| row.activity.source.clone());
        shows_dialog
            && source.is_some_and(|source| source != activity.source)
            && now.since(activity.since) <= TOGETHER
    }

    /// Gives an ask that was seen without a text the one that is seen now.
    fn name_ask(&mut self, id: AttemptId, kind: AskKind, text: &str) {
        if !text.is_empty() {
            self.reword_asks(id, text, |known| is_unnamed(known, kind));
        }
    }

    /// Gives another text to the asks of an attempt that `is_meant` selects.
    fn reword_asks(&mut self, id: AttemptId, text: &str, is_meant: impl Fn(&AskRecord) -> bool) {
        let has_one = self.attempt(id).is_some_and(|row| row.asks.iter().any(&is_meant));
        if has_one {
            self.edit_attempt(id, |row| {
                for known in row.asks.iter_mut().filter(|known| is_meant(known)) {
                    text.clone_into(&mut known.ask.text);
                    known.ask = known.ask.clone().bounded();
                }
            });
        }
    }

    /// Returns true if another agent waits with the same dialog, so that a person was called for it already.
    fn is_asked_elsewhere(&self, now: Timestamp, attempt: &Attempt, kind: AskKind, text: &str) -> bool {
        let is_same = |known: &AskRecord| known.ask.kind == kind && known.ask.text == text;
        let mut others = self
            .attempts
            .values()
            .filter(|other| other.id != attempt.id && other.worker.role() == attempt.worker.role());
        kind == AskKind::Dialog && others.any(|other| other.open_asks(now).any(is_same))
    }

    /// Opens an ask that an agent made by a signal. It stays open until it is answered.
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

    /// Asks a person what an agent is to do whose tool ended the turn at a no that told it nothing.
    pub(super) fn observe_refusal(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        doing: &ActivityKind,
    ) {
        let is_idle = *doing == ActivityKind::Idle && attempt.state.is_at_work();
        let last = attempt.asks.last().filter(|_| is_idle);
        let Some(known) = last.filter(|known| was_refused_without_words(known)) else {
            return;
        };
        if deciding_signal(attempt).is_some() || attempt.conducts() {
            return;
        }
        let text = format!(
            "its tool ended the turn at the no to {}; what should it do?",
            as_subject(&known.ask.text)
        );
        self.ask_about_standstill(transition, attempt, text);
    }

    pub(super) fn add_ask(&mut self, id: AttemptId, ask: AskRecord) {
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
        ActivityKind::Suspended => Some((AskKind::Dialog, SUSPENDED.into())),
        ActivityKind::Starting
        | ActivityKind::Working
        | ActivityKind::Background(_)
        | ActivityKind::Limit { .. }
        | ActivityKind::NotLoggedIn(_)
        | ActivityKind::Failed(_)
        | ActivityKind::Idle
        | ActivityKind::Exited
        | ActivityKind::Lost => None,
    }
}

/// Returns true if an open ask is the one that the agent's terminal shows now.
fn is_shown_by(known: &AskRecord, kind: AskKind, text: &str, doing: &ActivityKind) -> bool {
    let ask = &known.ask;
    let is_request = ask.channel == AskChannel::Request && *doing != ActivityKind::Suspended;
    let is_same = ask.kind == kind && ask.text == text;
    // The terminal may show a part of what a request asks, or only that something is asked.
    let is_open = is_on_screen(known) && known.given().is_none();
    let is_part = text.is_empty() || (ask.kind == kind && !ask.was_seen());
    is_request || is_same || is_open && is_part || is_unnamed(known, kind)
}

/// Returns true for an open ask of that kind that was seen in a terminal, without a text.
fn is_unnamed(known: &AskRecord, kind: AskKind) -> bool {
    let ask = &known.ask;
    let is_open = known.closed.is_none() && known.given().is_none();
    is_open && ask.was_seen() && ask.kind == kind && ask.text.is_empty()
}

/// Returns true for a dialog that is seen on a screen and was not answered.
fn is_open_dialog(known: &AskRecord) -> bool {
    let is_open = known.closed.is_none() && known.given().is_none();
    is_open && known.ask.kind == AskKind::Dialog && known.ask.was_seen() && !known.ask.is_suspension()
}

/// Creates the ask that an agent shows in its terminal.
fn seen_ask(attempt: &Attempt, kind: AskKind, text: &str, doing: &ActivityKind) -> Ask {
    let is_suspension = *doing == ActivityKind::Suspended;
    Ask {
        id: Ask::seen_id(attempt.asks_made + 1),
        kind,
        text: text.to_owned(),
        options: is_suspension.then(|| CONTINUE.to_owned()).into_iter().collect(),
        channel: match kind {
            AskKind::Permission | AskKind::Question | AskKind::Plan => AskChannel::Keys,
            AskKind::Dialog => AskChannel::Terminal,
        },
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

/// Returns true for an ask that was denied by a key, without a reason or with one that did not arrive.
fn was_refused_without_words(record: &AskRecord) -> bool {
    let answer = record
        .answer
        .as_ref()
        .filter(|_| record.ask.channel == AskChannel::Keys);
    answer.is_some_and(|answer| match &answer.reply {
        AskReply::Deny(why) => why.is_empty() || answer.problem.is_some(),
        _ => false,
    })
}

/// Returns the text of an ask as the subject of a sentence.
fn as_subject(text: &str) -> &str {
    if text.is_empty() { "its request" } else { text }
}

fn is_on_screen(record: &AskRecord) -> bool {
    matches!(record.ask.channel, AskChannel::Keys | AskChannel::Terminal)
}

/// Returns true if an agent that was seen to continue no longer asks this.
fn is_over(record: &AskRecord) -> bool {
    match record.ask.channel {
        AskChannel::Keys | AskChannel::Terminal => true,
        // A tool may go on, or end its turn, while a request of it waits. The waiting hook reports when it no longer waits for the reply.
        AskChannel::Request => record.given().is_some(),
        // A question in words stays open while the agent works on something else.
        AskChannel::Line => false,
    }
}

pub(super) fn call_for_answer(transition: &mut Transition, attempt: &Attempt, kind: AskKind, text: &str) {
    let name = attempt.worker.name();
    let text = if text.is_empty() && kind == AskKind::Permission {
        format!("{name} asks for a permission")
    } else {
        format!("{name} asks: {text}")
    };
    transition.notify_attempt(NoticeLevel::Alert, kind.into(), attempt, text);
}
