//! `dbs hook`: called by the tool of an agent when something happens in it. Reads the event from standard input and prints the answer for
//! the tool; prints nothing where the tool should continue as if there were no hook, also when anything goes wrong.

use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::signal::new_key;
use crate::adapters::agents::hook::{ToolEvent, answer, context, go_on, read_event, state_fields, tool_use};
use crate::adapters::holder::process::ProcessIdentity;
use crate::cli::commands::prelude::*;
use crate::domain::{AttemptId, Tri};
use crate::protocol::connection::{blocking_runtime, call_once};
use crate::protocol::hooks::{HookCall, HookEvent, HookReply};
use crate::protocol::wire::{CallReply, ServerCall};

/// Maximum bytes of an event that is read. Tools put whole files into some.
const LONGEST_EVENT: u64 = 16 * 1024 * 1024;
/// Interval at which a server that went away is tried again while an agent waits for an answer.
const RETRY: Duration = Duration::from_millis(500);
/// Time limits for the end of a turn, and for a report of the agent's activity: the latter is not worth waiting for.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const REPORT_TIMEOUT: Duration = Duration::from_millis(500);

/// Caller of the hook, and the socket of the server.
#[derive(Clone)]
pub(super) struct HookCaller {
    attempt: AttemptId,
    token: String,
    socket: PathBuf,
}

/// Handle an event of an agent's tool
#[derive(Debug, Args)]
#[command(add = facts(Attempts, ""))]
pub struct HookArgs {}

impl RunCommand for HookArgs {
    /// Takes an event of an agent's tool.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let (Some(caller), Some(input)) = (caller(env), read_input()) else {
            return Ok(ExitCode::SUCCESS);
        };
        let Some(call) = call_of(&caller, &input)? else {
            return Ok(ExitCode::SUCCESS);
        };
        if let Some(text) = printed(&input, &send(&caller, &call)?) {
            output::line(&text);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the call to the server for an event, if it is one of interest.
pub(super) fn call_of(caller: &HookCaller, input: &Value) -> CommandResult<Option<HookCall>> {
    let event = match read_event(input, &new_key()?) {
        ToolEvent::Ask(ask) => HookEvent::Ask(ask),
        ToolEvent::TurnOver { again } => HookEvent::TurnOver { again },
        ToolEvent::Report => HookEvent::Report,
        ToolEvent::Other => return Ok(None),
    };
    Ok(Some(HookCall {
        state: state_fields(input),
        wanted: tool_use(input),
        ..caller.call(event)
    }))
}

/// Returns the answer to the tool for that reply; `None` if it continues as if it had not asked.
pub(super) fn printed(input: &Value, reply: &HookReply) -> Option<String> {
    match reply {
        HookReply::Answer(reply) => Some(answer(input, reply)),
        HookReply::GoOn(why) => Some(go_on(why)),
        HookReply::Context(text) => Some(context(text)),
        HookReply::Nothing => None,
    }
}

/// Returns the agent whose tool calls this program, by its environment.
pub(super) fn caller(env: &ProcessEnv) -> Option<HookCaller> {
    Some(HookCaller {
        attempt: AttemptId(env.get("DBS_ATTEMPT")?.parse().ok()?),
        token: env.get("DBS_TOKEN")?,
        socket: env.get("DBS_SOCKET")?.into(),
    })
}

fn read_input() -> Option<Value> {
    serde_json::from_slice(&input()?).ok()
}

/// Reads the input that the tool wrote to standard input.
pub(super) fn input() -> Option<Vec<u8>> {
    let mut text = Vec::new();
    std::io::stdin().take(LONGEST_EVENT).read_to_end(&mut text).ok()?;
    Some(text)
}

impl HookCaller {
    /// Builds a call that contains only its event.
    pub(super) fn call(&self, event: HookEvent) -> HookCall {
        HookCall {
            attempt: self.attempt,
            token: self.token.clone(),
            event,
            state: String::new(),
            wanted: None,
        }
    }
}

/// Reports the event; without a server that answers soon the tool continues.
pub(super) fn tell(caller: &HookCaller, call: &HookCall) -> CommandResult<HookReply> {
    Ok(blocking_runtime()?.block_on(told_once(caller, call)))
}

/// Returns the reply of the server to a call that is not worth a long wait.
pub(super) async fn told_once(caller: &HookCaller, call: &HookCall) -> HookReply {
    let most = match call.event {
        HookEvent::Report | HookEvent::Usage(_) => REPORT_TIMEOUT,
        HookEvent::Ask(_) | HookEvent::TurnOver { .. } => CALL_TIMEOUT,
    };
    let call = call_once(&caller.socket, ServerCall::Hook(call.clone()));
    let answered = tokio::time::timeout(most, call).await;
    let answered = answered.ok().and_then(Result::ok);
    answered.map_or(HookReply::Nothing, told)
}

/// Sends the event. An ask waits for its reply over the ends of servers, for as long as the tool that asks exists.
fn send(caller: &HookCaller, call: &HookCall) -> CommandResult<HookReply> {
    if !matches!(call.event, HookEvent::Ask(_)) {
        return tell(caller, call);
    }
    let tool = ProcessIdentity::of_parent();
    let runtime = blocking_runtime()?;
    let reply = runtime.block_on(async {
        tokio::select! {
            reply = ask_until_told(caller, call, tool.is_some()) => reply,
            () = end_of(tool.as_ref()) => HookReply::Nothing,
        }
    });
    Ok(reply)
}

/// Asks each server that listens until one of them replies. Where the tool that asks is not known, a server that cannot be reached once is
/// not asked again.
pub(super) async fn ask_until_told(caller: &HookCaller, call: &HookCall, again: bool) -> HookReply {
    loop {
        match call_once(&caller.socket, ServerCall::Hook(call.clone())).await {
            Ok(reply) => return told(reply),
            Err(_) if again => tokio::time::sleep(RETRY).await,
            Err(_) => return HookReply::Nothing,
        }
    }
}

/// Waits until the tool that asks has ended, also while a hanging server keeps the call open.
async fn end_of(tool: Option<&ProcessIdentity>) {
    let Some(tool) = tool else {
        return std::future::pending().await;
    };
    while !matches!(tool.is_alive(), Tri::No(_)) {
        tokio::time::sleep(RETRY).await;
    }
}

/// Returns the reply of the server; a refusal leaves the tool alone.
fn told(reply: CallReply) -> HookReply {
    match reply {
        CallReply::Hook(reply) => reply,
        _ => HookReply::Nothing,
    }
}
