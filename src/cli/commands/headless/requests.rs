//! What a tool asks while it runs, on its way to the server and back: each as a task, so that nothing else waits.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::super::hook::{HookCaller, ask_until_told, call_of, told_once};
use crate::adapters::agents::headless::EventReply;
use crate::domain::AskReply;
use crate::protocol::hooks::{HookCall, HookEvent, HookReply, UsageFigures};

/// Most requests that are on their way at a time.
const MOST: usize = 64;
/// How often a permission is asked again that the server takes for answered elsewhere: here is nowhere else.
const TRIES: usize = 3;
/// What the model is told when nobody decides.
const UNDECIDED: &str = "Nobody could be asked. Go on without it, or report that you are blocked.";
/// What it is told of questions that one reply cannot answer.
const ONE_AT_A_TIME: &str =
    "Ask one question at a time, each with one answer: several at once cannot be answered here.";

/// Requests on their way.
#[derive(Default)]
pub(super) struct Requests {
    caller: Option<HookCaller>,
    tasks: JoinSet<Answered>,
    permissions: BTreeMap<String, AbortHandle>,
    tells_usage: bool,
}

/// A request that has its answer.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) answer: RequestAnswer,
    /// What was decided, for people.
    pub(super) words: Option<String>,
}

/// What the tool is told.
#[derive(Debug)]
pub(super) enum RequestAnswer {
    /// That the turn goes on, and why, or that it may go on as it likes.
    Event { id: String, reply: EventReply },
    /// What was decided about what it asked.
    Permission {
        id: String,
        input: Value,
        reply: AskReply,
    },
    /// Nothing: it does not wait.
    Usage,
}

impl Requests {
    pub(super) fn of(caller: Option<HookCaller>) -> Requests {
        Requests {
            caller,
            ..Requests::default()
        }
    }

    /// Tells the server of an event; an answer is what is known at once.
    pub(super) fn event(&mut self, id: String, input: Value) -> Option<RequestAnswer> {
        let Some(caller) = self.free_caller() else {
            return Some(RequestAnswer::Event {
                id,
                reply: EventReply::Nothing,
            });
        };
        let task = async move {
            let reply = match call_of(&caller, &input) {
                Ok(Some(call)) => told_once(&caller, &call).await,
                Ok(None) | Err(_) => HookReply::Nothing,
            };
            let reply = match reply {
                HookReply::GoOn(why) => EventReply::GoOn(why),
                HookReply::Context(text) => EventReply::Context(text),
                HookReply::Answer(_) | HookReply::Nothing => EventReply::Nothing,
            };
            let words = matches!(reply, EventReply::GoOn(_))
                .then(|| "sent back: it has not reported how it ended".to_owned());
            Answered {
                answer: RequestAnswer::Event { id, reply },
                words,
            }
        };
        self.tasks.spawn(task);
        None
    }

    /// Asks for a permission; an answer is what is known at once.
    pub(super) fn permission(
        &mut self,
        id: &str,
        input: &Value,
        has_one_answer: bool,
    ) -> Option<RequestAnswer> {
        if !has_one_answer {
            return Some(denied(id, input, ONE_AT_A_TIME));
        }
        let Some(caller) = self.free_caller() else {
            return Some(denied(id, input, UNDECIDED));
        };
        let (key, input) = (id.to_owned(), input.clone());
        let task = async move { decided(&caller, key, input).await };
        let handle = self.tasks.spawn(task);
        self.permissions.insert(id.to_owned(), handle);
        None
    }

    /// Tells the server what was used.
    pub(super) fn usage(&mut self, figures: UsageFigures) {
        let Some(caller) = self.free_caller() else { return };
        self.tells_usage = true;
        self.tasks.spawn(async move {
            let call = caller.call(HookEvent::Usage(figures));
            told_once(&caller, &call).await;
            Answered {
                answer: RequestAnswer::Usage,
                words: None,
            }
        });
    }

    /// Whether the server is being told of usage.
    pub(super) fn tells_usage(&self) -> bool {
        self.tells_usage
    }

    /// A permission that is no longer wanted.
    pub(super) fn withdraw(&mut self, id: &str) {
        if let Some(task) = self.permissions.remove(id) {
            task.abort();
        }
    }

    /// The next one that has its answer; waits for ever while there is none.
    pub(super) async fn next(&mut self) -> Answered {
        loop {
            match self.tasks.join_next().await {
                None => std::future::pending().await,
                // One that was withdrawn, which nobody waits for.
                Some(Err(_)) => {}
                Some(Ok(answered)) => {
                    match &answered.answer {
                        RequestAnswer::Permission { id, .. } => drop(self.permissions.remove(id)),
                        RequestAnswer::Usage => self.tells_usage = false,
                        RequestAnswer::Event { .. } => {}
                    }
                    return answered;
                }
            }
        }
    }

    fn free_caller(&self) -> Option<HookCaller> {
        self.caller.clone().filter(|_| self.tasks.len() < MOST)
    }
}

/// A permission that nobody can give.
fn denied(id: &str, input: &Value, why: &str) -> RequestAnswer {
    RequestAnswer::Permission {
        id: id.to_owned(),
        input: input.clone(),
        reply: AskReply::Deny(why.to_owned()),
    }
}

async fn decided(caller: &HookCaller, id: String, input: Value) -> Answered {
    for _ in 0..TRIES {
        let Ok(Some(call)) = call_of(caller, &input) else {
            break;
        };
        if let HookReply::Answer(reply) = ask_until_told(caller, &call, true).await {
            return Answered {
                words: words_of(&call, &reply),
                answer: RequestAnswer::Permission { id, input, reply },
            };
        }
    }
    Answered {
        answer: denied(&id, &input, UNDECIDED),
        words: Some("nobody could be asked".to_owned()),
    }
}

/// What was decided, for people.
fn words_of(call: &HookCall, reply: &AskReply) -> Option<String> {
    match &call.event {
        HookEvent::Ask(ask) => Some(match reply {
            AskReply::Deny(why) if !why.is_empty() => format!("denied it: {why}"),
            reply => format!("{} it", reply.words(ask)),
        }),
        HookEvent::Usage(_) | HookEvent::TurnOver { .. } | HookEvent::Report => None,
    }
}
