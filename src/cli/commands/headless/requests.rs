//! What a tool asks while it runs, on its way to the server and back: each as a task, so that nothing else waits.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::super::hook::{HookCaller, ask_until_told, call_of, told_once};
use crate::adapters::agents::claude::control;
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
    /// The id of a permission; none for what is no question.
    pub(super) permission: Option<String>,
    /// The line for the tool; none for what it does not wait for.
    pub(super) line: Option<String>,
    /// What was decided, for people.
    pub(super) words: Option<String>,
    is_usage: bool,
}

impl Requests {
    pub(super) fn of(caller: Option<HookCaller>) -> Requests {
        Requests {
            caller,
            ..Requests::default()
        }
    }

    /// Tells the server of an event; the answer goes to the tool in any case.
    pub(super) fn event(&mut self, id: String, input: Value) -> Option<String> {
        let Some(caller) = self.free_caller() else {
            return Some(control::event_answer(&id, None));
        };
        let task = async move {
            let reply = match call_of(&caller, &input) {
                Ok(Some(call)) => told_once(&caller, &call).await,
                Ok(None) | Err(_) => HookReply::Nothing,
            };
            let printed = super::super::hook::printed(&input, &reply);
            Answered {
                permission: None,
                line: Some(control::event_answer(&id, printed.as_deref())),
                words: printed.map(|_| "sent back: it has not reported how it ended".to_owned()),
                is_usage: false,
            }
        };
        self.tasks.spawn(task);
        None
    }

    /// Asks for a permission; a line is the answer that is known at once.
    pub(super) fn permission(&mut self, id: &str, input: &Value) -> Option<String> {
        if !control::has_one_answer(input) {
            return Some(control::denied(id, ONE_AT_A_TIME));
        }
        let Some(caller) = self.free_caller() else {
            return Some(control::denied(id, UNDECIDED));
        };
        let (key, input) = (id.to_owned(), input.clone());
        let task = async move { decided(&caller, key, &input).await };
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
                permission: None,
                line: None,
                words: None,
                is_usage: true,
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
                    if let Some(id) = &answered.permission {
                        self.permissions.remove(id);
                    }
                    self.tells_usage &= !answered.is_usage;
                    return answered;
                }
            }
        }
    }

    fn free_caller(&self) -> Option<HookCaller> {
        self.caller.clone().filter(|_| self.tasks.len() < MOST)
    }
}

async fn decided(caller: &HookCaller, id: String, input: &Value) -> Answered {
    let mut printed = None;
    for _ in 0..TRIES {
        let Ok(Some(call)) = call_of(caller, input) else {
            break;
        };
        printed = answer(caller, &call, input).await;
        if printed.is_some() {
            break;
        }
    }
    let (line, words) = match printed {
        Some((text, words)) => (control::permission_answer(&id, input, &text), words),
        None => (
            control::denied(&id, UNDECIDED),
            "nobody could be asked".to_owned(),
        ),
    };
    Answered {
        permission: Some(id),
        line: Some(line),
        words: Some(words),
        is_usage: false,
    }
}

async fn answer(caller: &HookCaller, call: &HookCall, input: &Value) -> Option<(String, String)> {
    let reply = ask_until_told(caller, call, true).await;
    let words = match (&reply, &call.event) {
        (HookReply::Answer(reply), HookEvent::Ask(ask)) => format!("{} it", reply.words(ask)),
        _ => String::new(),
    };
    Some((super::super::hook::printed(input, &reply)?, words))
}
