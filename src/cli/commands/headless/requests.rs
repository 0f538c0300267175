//! Requests of a running tool, on their way to the server and back: each as a task, so that nothing else waits.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::super::hook::{HookCaller, ask_until_told, call_of, told_once};
use crate::adapters::agents::headless::EventReply;
use crate::domain::AskReply;
use crate::protocol::hooks::{HookCall, HookEvent, HookReply, UsageFigures};

/// Maximum number of requests on their way at a time.
const MOST: usize = 64;
/// Number of times that a permission is asked again which the server takes for answered elsewhere: there is no other place here.
const TRIES: usize = 3;
/// Reply to the model when no decision is made.
const UNDECIDED: &str = "No person could be asked. Continue without it, or report that you are blocked.";
/// Reply to questions that one answer cannot cover.
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
    /// Decision in words, for people.
    pub(super) words: Option<String>,
}

/// Answer for the tool.
#[derive(Debug)]
pub(super) enum RequestAnswer {
    /// Reply that the turn continues, with the reason, or that it may continue as it likes.
    Event { id: String, reply: EventReply },
    /// Decision on its request for permission.
    Permission {
        id: String,
        input: Value,
        reply: AskReply,
    },
    /// Usage was reported; the tool does not wait.
    Usage,
}

impl Requests {
    pub(super) fn of(caller: Option<HookCaller>) -> Requests {
        Requests {
            caller,
            ..Requests::default()
        }
    }

    /// Reports an event to the server; returns an answer that is known at once.
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

    /// Asks for a permission; returns an answer that is known at once.
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

    /// Reports the usage to the server.
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

    /// Returns true if usage is being reported to the server.
    pub(super) fn tells_usage(&self) -> bool {
        self.tells_usage
    }

    /// Withdraws a permission that is no longer wanted.
    pub(super) fn withdraw(&mut self, id: &str) {
        if let Some(task) = self.permissions.remove(id) {
            task.abort();
        }
    }

    /// Returns the next request that has its answer; waits for ever while there is none.
    pub(super) async fn next(&mut self) -> Answered {
        loop {
            match self.tasks.join_next().await {
                None => std::future::pending().await,
                // A request that was withdrawn, which is not waited for.
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

/// Returns the denial of a permission that cannot be given.
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
        words: Some("no person could be asked".to_owned()),
    }
}

/// Returns the decision in words, for people.
fn words_of(call: &HookCall, reply: &AskReply) -> Option<String> {
    match &call.event {
        HookEvent::Ask(ask) => Some(match reply {
            AskReply::Deny(why) if !why.is_empty() => format!("denied it: {why}"),
            reply => format!("{} it", reply.words(ask)),
        }),
        HookEvent::Usage(_) | HookEvent::TurnOver { .. } | HookEvent::Report => None,
    }
}
