//! What agents ask of a person: each ask is answered once, whoever answers it first, and an answer reaches only the ask it was given to.

use std::borrow::Cow;

use super::Board;
use super::commands::{accepted, refusal, refuse};
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::ask::{Ask, AskAnswer, AskChannel, AskKind, AskRecord, AskReply, MOST_CLOSED_ASKS};
use crate::attempt::{Activity, ActivityKind, Attempt, Worker};
use crate::command::Refusal;
use crate::effect::{CommandReply, Effect, NoticeLevel};
use crate::event::Event;
use crate::id::{AskId, AttemptId};
use crate::time::Timestamp;

/// What is said of an answer of which nobody knows whether it arrived.
const UNSURE: &str =
    "the server ended before it was known to be typed; look at its terminal, or answer again";

impl Board {
    /// What was reported about an ask; any other event is none of its business.
    pub(super) fn ask_event(&mut self, step: &mut Transition, event: &Event) {
        match event {
            Event::AskOpened { attempt, ask, rule } => {
                let rule = rule.as_ref().map(|(by, reply)| (by.as_str(), reply));
                self.ask_opened(step, *attempt, (ask, rule));
            }
            // It is done with: nothing else ever tells the end of a question that was asked in words.
            Event::AskWithdrawn { attempt, ask } | Event::AnswerTyped { attempt, ask } => {
                self.close_asks(step.now, *attempt, |known| known.ask.id == *ask);
            }
            Event::AnswerLost {
                attempt,
                ask,
                problem,
            } => self.answer_lost(step, *attempt, ask, problem),
            _ => {}
        }
    }

    /// An agent's tool asks by a request that waits for the reply. `rule` is the setting that answers by itself, if one does.
    fn ask_opened(
        &mut self,
        step: &mut Transition,
        id: AttemptId,
        (ask, rule): (&Ask, Option<(&str, &AskReply)>),
    ) {
        let Some(attempt) = self.asking_attempt(id) else {
            return;
        };
        // Whoever waits for the reply to a known one has come back.
        if attempt.asks.iter().any(|known| known.ask.id == ask.id) || !attempt.takes_asks() {
            return;
        }
        let mut open = attempt.asks.iter().filter(|known| known.closed.is_none());
        // The terminal shows what the request is about; it is one question and not two, asked since it was shown.
        let shown = open.find(|known| is_on_screen(known)).map(|known| known.since);
        self.close_asks(step.now, id, is_on_screen);
        let ask = ask.clone().bounded();
        self.add_ask(id, AskRecord::new(ask.clone(), shown.unwrap_or(step.now)));
        match rule {
            Some((by, reply)) => self.record_answer(step, &attempt, &ask, (by, reply.clone())),
            None if shown.is_some() => {}
            None => call_for_answer(step, &attempt, ask.kind, &ask.text),
        }
    }

    /// The answer to an ask did not reach its agent.
    fn answer_lost(&mut self, step: &mut Transition, id: AttemptId, ask: &AskId, problem: &str) {
        let Some(attempt) = self.attempt(id) else { return };
        let is_it = |known: &AskRecord| known.ask.id == *ask && known.closed.is_none();
        if !attempt.asks.iter().any(is_it) {
            return;
        }
        self.edit_attempt(id, |row| {
            for known in row.asks.iter_mut().filter(|known| is_it(known)) {
                if let Some(answer) = &mut known.answer {
                    answer.problem = Some(problem.to_owned());
                }
            }
        });
        let text = format!("{} did not get the answer: {problem}", attempt.worker.name());
        step.notify_attempt(NoticeLevel::Warning, "answer", &attempt, text);
    }

    /// The engine ended before it was told that an answer was typed. Nobody knows whether it was, so it is asked again.
    pub(super) fn doubt_answers(&mut self, step: &mut Transition, attempt: &Attempt) {
        let is_unsure = |known: &&AskRecord| {
            known.ask.channel == AskChannel::Line && known.closed.is_none() && known.given().is_some()
        };
        for known in attempt.asks.iter().filter(is_unsure) {
            self.answer_lost(step, attempt.id, &known.ask.id, UNSURE);
        }
    }

    /// Answers an ask, if it still waits.
    pub(super) fn answer_ask(
        &mut self,
        step: &mut Transition,
        by: &str,
        (id, ask): (AttemptId, &AskId),
        reply: &AskReply,
    ) -> CommandReply {
        let Some(attempt) = self.asking_attempt(id) else {
            refuse!("attempt {id} is over: nothing was sent");
        };
        let known = attempt.asks.iter().find(|known| known.ask.id == *ask);
        let Some(known) = known.filter(|known| known.closed.is_none()) else {
            refuse!("attempt {id} asks something else by now; nothing was sent");
        };
        if !known.waits(step.now) {
            let by = known.answer.as_ref().map_or("somebody", |answer| &answer.by);
            refuse!(
                "{} was answered by {by} already and has not gone on yet; nothing was sent again",
                attempt.task
            );
        }
        check_reply(&attempt, &known.ask, reply)?;
        let ask = known.ask.clone();
        self.record_answer(step, &attempt, &ask, (by, reply.clone()));
        Ok(accepted(format!(
            "{} {}: {}",
            reply.words(&ask),
            attempt.task,
            ask.text
        )))
    }

    /// Keeps an answer and sends it on its way.
    fn record_answer(
        &mut self,
        step: &mut Transition,
        attempt: &Attempt,
        ask: &Ask,
        (by, reply): (&str, AskReply),
    ) {
        let text = format!(
            "{by} {} {}: {}",
            reply.words(ask),
            attempt.worker.name(),
            ask.text
        );
        step.notify_attempt(NoticeLevel::Info, "answer", attempt, text);
        let answer = AskAnswer {
            by: by.to_owned(),
            reply,
            at: step.now,
            problem: None,
        };
        self.edit_attempt(attempt.id, |row| {
            let known = row.asks.iter_mut().find(|known| known.ask.id == ask.id);
            if let Some(known) = known {
                known.answer = Some(answer);
            }
            if ask.channel == AskChannel::Line && row.activity.doing.needs_person() {
                row.activity = Activity::new(ActivityKind::Working, "answer", step.now);
            }
        });
        step.emit(Effect::Answer(attempt.id, ask.id.clone()));
    }

    /// What an agent was seen doing says whether it asks something in its terminal.
    pub(super) fn observe_asks(&mut self, step: &mut Transition, attempt: &Attempt, doing: &ActivityKind) {
        // An agent that has said how its work ended waits for nobody, whatever goes wrong after that.
        let is_late = matches!(doing, ActivityKind::Error(_)) && deciding_signal(attempt).is_some();
        let Some((kind, text)) = asked(doing).filter(|_| !is_late) else {
            self.close_asks(step.now, attempt.id, |known| is_over(known, &attempt.activity));
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
        self.close_asks(step.now, attempt.id, is_on_screen);
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
        self.add_ask(attempt.id, AskRecord::new(ask.bounded(), step.now));
        if matches!(doing, ActivityKind::Error(_)) {
            let text = format!("{} {text}", attempt.worker.name());
            step.notify_attempt(NoticeLevel::Alert, "error", attempt, text);
        } else {
            call_for_answer(step, attempt, kind, &text);
        }
    }

    /// An agent asked something by a signal. It stays asked until somebody answers.
    pub(super) fn ask_in_words(&mut self, now: Timestamp, id: AttemptId, (key, text): (&str, &str)) {
        let ask = Ask {
            id: AskId::new(format!("signal-{key}")),
            kind: AskKind::Question,
            text: text.to_owned(),
            options: Vec::new(),
            channel: AskChannel::Line,
        };
        self.add_ask(id, AskRecord::new(ask.bounded(), now));
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

    /// Closes such asks of an attempt.
    pub(super) fn close_asks(&mut self, now: Timestamp, id: AttemptId, closes: impl Fn(&AskRecord) -> bool) {
        let Some(attempt) = self.attempt(id) else { return };
        let is_meant = |known: &AskRecord| known.closed.is_none() && closes(known);
        if attempt.asks.iter().any(is_meant) {
            self.edit_attempt(id, |row| {
                for known in row.asks.iter_mut().filter(|known| is_meant(known)) {
                    known.closed = Some(now);
                }
            });
        }
    }

    /// A line was typed to an agent: it answers what was asked in words, or on the screen.
    pub(super) fn answer_by_line(&mut self, now: Timestamp, (by, id): (&str, AttemptId), text: &str) {
        self.edit_attempt(id, |row| {
            if row.activity.doing.needs_person() {
                row.activity = Activity::new(ActivityKind::Working, "answer", now);
            }
            for known in row.asks.iter_mut().filter(|known| known.waits(now)) {
                if known.ask.channel != AskChannel::Request {
                    known.closed = Some(now);
                    known.answer = Some(AskAnswer {
                        by: by.to_owned(),
                        reply: AskReply::Text(text.to_owned()),
                        at: now,
                        problem: None,
                    });
                }
            }
        });
    }

    /// An agent whose process may live.
    fn asking_attempt(&self, id: AttemptId) -> Option<std::sync::Arc<Attempt>> {
        self.attempt(id).filter(|attempt| {
            attempt.state.may_have_process() && matches!(attempt.worker, Worker::Agent { .. })
        })
    }
}

/// What is asked in a terminal by an agent that does that.
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

fn is_on_screen(known: &AskRecord) -> bool {
    matches!(known.ask.channel, AskChannel::Keys | AskChannel::Terminal)
}

/// Whether an agent that is seen to go on no longer asks this. `before` is what it was seen doing until now.
fn is_over(known: &AskRecord, before: &Activity) -> bool {
    match known.ask.channel {
        AskChannel::Keys | AskChannel::Terminal => true,
        // A request may arrive before the terminal shows what it is about: a report of work from in between does not end it.
        AskChannel::Request => {
            let was_shown = before.doing.needs_person() && before.since >= known.since;
            was_shown || known.given().is_some()
        }
        // What it asked in words stays asked while it works on something else.
        AskChannel::Line => false,
    }
}

/// Refuses an answer that cannot be given to this ask.
fn check_reply(attempt: &Attempt, ask: &Ask, reply: &AskReply) -> Result<(), Refusal> {
    let task = &attempt.task;
    if ask.channel == AskChannel::Terminal {
        return Err(refusal(format!(
            "{task} shows a dialog of its tool: answer it in its terminal"
        )));
    }
    let fits = match reply {
        AskReply::Allow | AskReply::AllowAlways | AskReply::Deny(_) => {
            matches!(ask.kind, AskKind::Permission | AskKind::Plan)
        }
        AskReply::Choose(number) => *number < ask.options.len(),
        AskReply::Text(text) => ask.kind == AskKind::Question && !text.trim().is_empty(),
    };
    if fits {
        return Ok(());
    }
    Err(refusal(match ask.kind {
        AskKind::Permission | AskKind::Plan => format!("{task} wants a yes or a no"),
        AskKind::Question if ask.options.is_empty() => format!("{task} wants an answer in words"),
        AskKind::Question => format!("{task} wants one of: {}", ask.options.join(", ")),
        AskKind::Dialog => format!("{task} shows a dialog of its tool: answer it in its terminal"),
    }))
}

fn call_for_answer(step: &mut Transition, attempt: &Attempt, kind: AskKind, text: &str) {
    let word = match kind {
        AskKind::Permission => "permission",
        AskKind::Question => "question",
        AskKind::Plan => "plan",
        AskKind::Dialog => "dialog",
    };
    let text = format!("{} asks: {text}", attempt.worker.name());
    step.notify_attempt(NoticeLevel::Alert, word, attempt, text);
}
