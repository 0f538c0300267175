//! Answers of a person to an agent. An answer reaches only the ask it was given to, and chooses nothing that it does not name: a text
//! followed by Enter would take the marked entry of any menu that the agent's terminal shows.

use super::commands::{accepted, refusal, refuse, require_text};
use super::transition::Transition;
use super::{Board, ENGINE};
use crate::ask::{Ask, AskAnswer, AskChannel, AskKind, AskRecord, AskReply};
use crate::attempt::{Activity, ActivityKind, Attempt};
use crate::command::Refusal;
use crate::effect::{CommandReply, Effect, NoticeLevel};
use crate::id::{AskId, AttemptId, TaskId};
use crate::time::Timestamp;

/// Explanation of an answer that may or may not have arrived.
const UNSURE: &str =
    "the server ended before it was known to be typed; look at its terminal, or answer again";

impl Board {
    /// Passes the words of a person to the agent that works on a task: as the answer to its ask, else as its next prompt.
    pub(super) fn answer(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        text: &str,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        let text = require_text("the answer", text)?;
        let Some(attempt) = self.agent_at_work(&task) else {
            refuse!("no agent works on {id} now: leave a comment, the next one reads it");
        };
        let in_words =
            |known: &&AskRecord| known.ask.channel == AskChannel::Line && known.waits(transition.now);
        let shown = asks_in_the_way(&attempt).next();
        let asked = shown.or_else(|| attempt.asks.iter().find(in_words));
        if let Some(known) = asked {
            let reply = reply_in_words(&attempt, &known.ask, text)?;
            let answered = self.answer_ask(transition, by, attempt.id, &known.ask.id, &reply)?;
            if known.ask.channel == AskChannel::Line {
                self.comment(transition.now, id, by, format!("answered: {text}"));
            }
            return Ok(answered);
        }
        if let ActivityKind::Permission(_) | ActivityKind::Dialog(_) = attempt.activity.doing {
            refuse!("{id} shows something that a text does not answer: answer it in its terminal");
        }
        let name = attempt.worker.name();
        self.comment(transition.now, id, by, format!("answered: {text}"));
        transition.notify_attempt(
            NoticeLevel::Info,
            "answer",
            &attempt,
            format!("{by} told {name}: {text}"),
        );
        self.type_line(transition, by, attempt.id, text);
        Ok(accepted(format!("answered {name}")))
    }

    /// Answers an ask if it is still open.
    pub(super) fn answer_ask(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: AttemptId,
        ask: &AskId,
        reply: &AskReply,
    ) -> CommandReply {
        let Some(attempt) = self.asking_attempt(id) else {
            refuse!("attempt {id} is over: nothing was sent");
        };
        let known = attempt.asks.iter().find(|known| known.ask.id == *ask);
        let Some(known) = known.filter(|known| known.closed.is_none()) else {
            refuse!("attempt {id} asks something else by now; nothing was sent");
        };
        if !known.waits(transition.now) {
            let by = known.answer.as_ref().map_or("another", |answer| &answer.by);
            refuse!(
                "{} was answered by {by} already and has not gone on yet; nothing was sent again",
                attempt.task
            );
        }
        check_reply(&attempt, &known.ask, reply)?;
        let is_typed = matches!(reply, AskReply::Text(_)) && known.ask.channel != AskChannel::Request;
        let mut others = asks_in_the_way(&attempt).filter(|other| other.ask.id != known.ask.id);
        if let Some(shown) = others.next().filter(|_| is_typed) {
            return Err(other_answer(&attempt, &shown.ask));
        }
        let ask = known.ask.clone();
        self.record_answer(transition, &attempt, &ask, by, reply.clone(), &reply.words(&ask));
        let task = &attempt.task;
        let has_reason = matches!(reply, AskReply::Deny(why) if !why.is_empty());
        let more = if has_reason && ask.channel == AskChannel::Keys {
            "; its tool takes no reason with a no: it gets it as its next prompt"
        } else {
            ""
        };
        Ok(accepted(format!(
            "{} {task}: {}{more}",
            reply.words(&ask),
            ask.text
        )))
    }

    /// Stores an answer and sends it to the agent.
    pub(super) fn record_answer(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        ask: &Ask,
        by: &str,
        reply: AskReply,
        words: &str,
    ) {
        let text = format!("{by} {words} {}: {}", attempt.worker.name(), ask.text);
        transition.notify_attempt(NoticeLevel::Info, "answer", attempt, text);
        let answer = AskAnswer {
            by: by.to_owned(),
            reply,
            at: transition.now,
            problem: None,
        };
        self.edit_attempt(attempt.id, |row| {
            let known = row.asks.iter_mut().find(|known| known.ask.id == ask.id);
            if let Some(known) = known {
                known.answer = Some(answer);
            }
            row.add_person_wait(transition.now);
            if ask.channel == AskChannel::Line && row.activity.doing.needs_person() {
                row.activity = Activity::new(ActivityKind::Working, "answer", transition.now);
            }
        });
        transition.emit(Effect::Answer(attempt.id, ask.id.clone()));
    }

    /// Marks the answer to an ask as lost: it did not reach its agent.
    pub(super) fn answer_lost(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        ask: &AskId,
        problem: &str,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let is_it = |known: &AskRecord| known.ask.id == *ask && known.closed.is_none();
        // The answer is reported as lost although the ask is over by now: the person believes that it arrived.
        if !attempt.asks.iter().any(|known| known.ask.id == *ask) {
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
        transition.notify_attempt(NoticeLevel::Warning, "answer", &attempt, text);
        // A person is not asked again about an agent that works again.
        if attempt.activity.doing.is_work() {
            self.close_asks(transition.now, id, |known| {
                known.ask.id == *ask && known.ask.is_standstill()
            });
        }
    }

    /// Reports a text that was not typed into the terminal of its agent.
    pub(super) fn text_lost(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        text: &str,
        problem: &str,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let name = attempt.worker.name();
        let said = format!("{name} did not get the text {text:?}: {problem}");
        self.comment(transition.now, &attempt.task, ENGINE, said.clone());
        transition.notify_attempt(NoticeLevel::Warning, "answer", &attempt, said);
    }

    /// Marks answers as lost if the engine ended before it learned that they were typed. They may have been, or not, so the person is asked
    /// again.
    pub(super) fn doubt_answers(&mut self, transition: &mut Transition, attempt: &Attempt) {
        let is_unsure = |known: &&AskRecord| {
            known.ask.channel == AskChannel::Line && known.closed.is_none() && known.given().is_some()
        };
        for known in attempt.asks.iter().filter(is_unsure) {
            self.answer_lost(transition, attempt.id, &known.ask.id, UNSURE);
        }
    }

    /// Records that a line was typed to an agent: it answers open asks that take words or are on the screen.
    pub(super) fn answer_by_line(&mut self, now: Timestamp, by: &str, id: AttemptId, text: &str) {
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
            row.add_person_wait(now);
        });
    }
}

/// Returns the asks for which the agent's terminal may show a menu, the oldest first. An error is not one of them: the tool shows its
/// prompt with it.
fn asks_in_the_way(attempt: &Attempt) -> impl Iterator<Item = &AskRecord> {
    let is_error = matches!(attempt.activity.doing, ActivityKind::Error(_));
    let asks = attempt.asks.iter();
    asks.filter(move |known| known.is_in_the_way() && !(is_error && known.ask.kind == AskKind::Dialog))
}

/// Converts the words of a person to an answer to this ask, or refuses with the answers it takes.
fn reply_in_words(attempt: &Attempt, ask: &Ask, words: &str) -> Result<AskReply, Refusal> {
    AskReply::from_words(ask, words).ok_or_else(|| other_answer(attempt, ask))
}

/// Refuses an answer that cannot be given to this ask.
fn check_reply(attempt: &Attempt, ask: &Ask, reply: &AskReply) -> Result<(), Refusal> {
    let fits = match reply {
        AskReply::Deny(_) => ask.takes_no(),
        AskReply::Allow | AskReply::AllowAlways => {
            matches!(ask.kind, AskKind::Permission | AskKind::Plan) && ask.channel != AskChannel::Terminal
        }
        AskReply::Choose(number) => {
            *number < ask.options.len() && matches!(ask.kind, AskKind::Question | AskKind::Dialog)
        }
        AskReply::Text(text) => matches!(AskReply::from_words(ask, text), Some(AskReply::Text(_))),
    };
    if fits {
        Ok(())
    } else {
        Err(other_answer(attempt, ask))
    }
}

/// Builds the refusal that names the answers an ask takes, for a person who gave another.
fn other_answer(attempt: &Attempt, ask: &Ask) -> Refusal {
    let (task, options) = (&attempt.task, ask.numbered_options());
    let text = match ask.kind {
        AskKind::Permission | AskKind::Plan if ask.channel != AskChannel::Terminal => format!(
            "{task} asks for a permission: `dbs approve {task}` allows it, `dbs reject {task} WHY` denies it and says why; nothing was sent"
        ),
        AskKind::Question if ask.channel == AskChannel::Line => format!("{task} wants an answer in words"),
        AskKind::Question | AskKind::Dialog if !ask.options.is_empty() => {
            format!(
                "{task} asks: {}; `dbs answer {task} NUMBER` chooses of {options}; nothing was sent",
                ask.text
            )
        }
        AskKind::Question if ask.channel != AskChannel::Terminal => {
            format!("{task} wants an answer in words")
        }
        _ => format!("{task} shows a dialog of its tool: answer it in its terminal; nothing was sent"),
    };
    refusal(text)
}
