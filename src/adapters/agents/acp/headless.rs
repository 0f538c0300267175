//! A tool that speaks the protocol without its interface: one process for the whole run and one session in it. A message is sent when
//! the turn before it is over.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use super::message::{self, Message};
use super::printed::SessionTranscript;
use super::{asked, updates};
use crate::adapters::agents::headless::{EventReply, HeadlessStep, HeadlessTool};
use crate::adapters::agents::json_report::{failed, failure, filled, raw};
use crate::adapters::agents::tool_ask::ToolAsk;
use crate::agent_state::{AgentReport, Doing, Wait};
use crate::domain::{AskKind, AskReply};

/// The version of the protocol.
const VERSION: u64 = 1;
/// Permissions that wait at a time; more are not given.
const MOST_ASKED: usize = 64;
/// Messages that wait at a time; more are not taken.
const MOST_WAITING: usize = 100;
/// The event that says which session was begun.
const BEGUN: &str = "session";
/// The code of an error that says that a person has to log in.
const NOT_LOGGED_IN: i64 = -32000;

/// The session of one run.
#[derive(Debug)]
pub struct AcpSession {
    folder: String,
    /// Session to continue, and later the present one.
    session: Option<String>,
    phase: Phase,
    last_id: u64,
    /// Messages that wait for their turn, with their ids.
    waiting: VecDeque<(String, String)>,
    /// Permissions that are asked for, by the id as JSON: the id and the request.
    asked: BTreeMap<String, (Value, Value)>,
    transcript: SessionTranscript,
    /// True if this turn continues because it was sent back at its end.
    again: bool,
    /// Reason why the turn that is over did not come to its own end.
    problem: Option<&'static str>,
}

/// Phase of the session. The number is that of the request whose reply leads to the next phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Opening(u64),
    Session(u64),
    /// Report to the server which session it is.
    Telling,
    Idle,
    Turn(u64),
    /// Turn that is over while the server decides whether it is sent back.
    Asked,
    /// Failed begin; the process is asked to end.
    Failed,
}

impl AcpSession {
    /// Creates a session in that folder, which is absolute; continues the named one if there is a name.
    pub fn new(folder: &str, session: Option<&str>) -> AcpSession {
        AcpSession {
            folder: folder.to_owned(),
            session: session.map(str::to_owned),
            phase: Phase::Opening(0),
            last_id: 0,
            waiting: VecDeque::new(),
            asked: BTreeMap::new(),
            transcript: SessionTranscript::default(),
            again: false,
            problem: None,
        }
    }
}

impl HeadlessTool for AcpSession {
    fn start(&mut self, argv: &[String]) -> Vec<HeadlessStep> {
        let run = HeadlessStep::Run {
            argv: argv.to_vec(),
            takes_lines: true,
        };
        let no_files = json!({ "readTextFile": false, "writeTextFile": false });
        let params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": { "fs": no_files, "terminal": false },
        });
        let (id, line) = self.request("initialize", &params);
        self.phase = Phase::Opening(id);
        let starting = HeadlessStep::Report(AgentReport::doing(Doing::Starting));
        vec![run, starting, line]
    }

    fn line(&mut self, line: &[u8]) -> Vec<HeadlessStep> {
        match message::read(line) {
            Some(Message::Reply { id, result }) => self.replied(id, result),
            Some(Message::Request { id, method, params }) => self.asks(id, &method, params),
            Some(Message::Notification { method, params }) if method == "session/update" => {
                self.update(&params)
            }
            Some(Message::Notification { .. }) | None => Vec::new(),
        }
    }

    fn message(&mut self, text: &str, id: &str) -> Vec<HeadlessStep> {
        if self.waiting.len() >= MOST_WAITING {
            let text = format!("! this message was not taken: {MOST_WAITING} wait already");
            return vec![HeadlessStep::Show(text)];
        }
        self.waiting.push_back((id.to_owned(), text.to_owned()));
        self.next_turn()
    }

    fn interrupt(&mut self, _id: &str) -> Vec<HeadlessStep> {
        let Phase::Turn(_) = self.phase else {
            return Vec::new();
        };
        let params = json!({ "sessionId": self.session });
        let mut steps = vec![HeadlessStep::Write(message::notification(
            "session/cancel",
            &params,
        ))];
        for (key, (id, _)) in std::mem::take(&mut self.asked) {
            steps.push(HeadlessStep::Write(message::reply(&id, &asked::cancelled())));
            steps.push(HeadlessStep::Withdrawn { id: key });
        }
        steps
    }

    fn event_answer(&mut self, id: &str, reply: &EventReply) -> Vec<HeadlessStep> {
        match self.phase {
            Phase::Telling if id == BEGUN => {
                self.phase = Phase::Idle;
                return vec![HeadlessStep::Ready];
            }
            Phase::Asked if id != BEGUN => self.phase = Phase::Idle,
            _ => return Vec::new(),
        }
        self.again = matches!(reply, EventReply::GoOn(_));
        if let EventReply::GoOn(why) = reply {
            return self.prompt(why);
        }
        let problem = self.problem.take().map(str::to_owned);
        self.over(Doing::Done { problem })
    }

    fn permission_answer(&mut self, id: &str, _input: &Value, reply: &AskReply) -> Vec<HeadlessStep> {
        let Some((id, params)) = self.asked.remove(id) else {
            return Vec::new();
        };
        vec![HeadlessStep::Write(message::reply(
            &id,
            &asked::outcome(&params, reply),
        ))]
    }

    fn process_end(&mut self, _is_success: bool) -> Option<Vec<HeadlessStep>> {
        None
    }
}

impl AcpSession {
    fn request(&mut self, method: &str, params: &Value) -> (u64, HeadlessStep) {
        self.last_id += 1;
        let line = message::request(self.last_id, method, params);
        (self.last_id, HeadlessStep::Write(line))
    }

    /// A reply; one to another request than the last says nothing.
    fn replied(&mut self, id: u64, result: Result<Value, Value>) -> Vec<HeadlessStep> {
        match (self.phase, result) {
            (Phase::Opening(known), Ok(result)) if known == id => self.opened(&result),
            (Phase::Session(known), Ok(result)) if known == id => self.begun(&result),
            (Phase::Turn(known), Ok(result)) if known == id => self.ended(&result),
            (Phase::Opening(known) | Phase::Session(known), Err(error)) if known == id => {
                let tried = match self.session {
                    Some(_) => "go on with its session",
                    None => "begin a session",
                };
                self.cannot_begin(&format!("could not {tried}: {}", why(&error)), &error)
            }
            (Phase::Turn(known), Err(error)) if known == id => {
                self.phase = Phase::Idle;
                let mut steps = self.rest();
                steps.push(HeadlessStep::Show(format!("  ! {}", why(&error))));
                steps.push(HeadlessStep::Report(problem(&error)));
                steps.extend(self.next_turn());
                steps
            }
            _ => Vec::new(),
        }
    }

    fn opened(&mut self, result: &Value) -> Vec<HeadlessStep> {
        let can_load = result.pointer("/agentCapabilities/loadSession") == Some(&Value::Bool(true));
        let (method, params) = match &self.session {
            None => ("session/new", json!({ "cwd": self.folder, "mcpServers": [] })),
            Some(_) if !can_load => {
                let text = "could not continue its session: the tool cannot load sessions";
                return self.cannot_begin(text, &Value::Null);
            }
            Some(session) => (
                "session/load",
                json!({ "cwd": self.folder, "mcpServers": [], "sessionId": session }),
            ),
        };
        let (id, line) = self.request(method, &params);
        self.phase = Phase::Session(id);
        vec![line]
    }

    /// Begins a session: its id is reported as the hook of other tools reports it, before the model begins with anything, so that a run
    /// that is killed at work can continue in the same session.
    fn begun(&mut self, result: &Value) -> Vec<HeadlessStep> {
        if self.session.is_none() {
            self.session = filled(result, "/sessionId");
        }
        let Some(session) = &self.session else {
            return self.cannot_begin("could not begin a session: the tool named none", &Value::Null);
        };
        let input = json!({ "hook_event_name": "SessionStart", "session_id": session });
        let event = HeadlessStep::Event {
            id: BEGUN.to_owned(),
            input,
        };
        self.phase = Phase::Telling;
        vec![event]
    }

    fn cannot_begin(&mut self, text: &str, error: &Value) -> Vec<HeadlessStep> {
        self.phase = Phase::Failed;
        let report = match problem(error) {
            report if report.end.is_some() => report,
            _ => AgentReport::doing(failed(text)),
        };
        vec![
            HeadlessStep::Show(text.to_owned()),
            HeadlessStep::Report(report),
            HeadlessStep::Interrupt,
        ]
    }

    /// Ends a turn: it is reported to the server, unless a person ended it.
    fn ended(&mut self, result: &Value) -> Vec<HeadlessStep> {
        let reason = raw(result, "/stopReason");
        let mut steps = self.rest();
        if reason == "cancelled" {
            self.phase = Phase::Idle;
            steps.push(HeadlessStep::Show("= interrupted".to_owned()));
            steps.extend(self.over(Doing::Idle));
            return steps;
        }
        self.phase = Phase::Asked;
        self.problem = stopped(reason);
        let words = match self.problem {
            None => "= turn over".to_owned(),
            Some(problem) => format!("= turn over: {problem}"),
        };
        steps.push(HeadlessStep::Show(words));
        let input =
            json!({ "hook_event_name": "Stop", "session_id": self.session, "stop_hook_active": self.again });
        let id = format!("turn-{}", self.last_id);
        steps.push(HeadlessStep::Event { id, input });
        steps
    }

    /// Ends a turn: begins the message that has waited longest, if there is one.
    fn over(&mut self, doing: Doing) -> Vec<HeadlessStep> {
        self.again = false;
        let mut steps = vec![HeadlessStep::Report(AgentReport::doing(doing))];
        steps.extend(self.next_turn());
        steps
    }

    fn next_turn(&mut self) -> Vec<HeadlessStep> {
        if self.phase != Phase::Idle {
            return Vec::new();
        }
        let Some((message, text)) = self.waiting.pop_front() else {
            return Vec::new();
        };
        let mut steps = vec![HeadlessStep::Begun { message }];
        steps.extend(self.prompt(&text));
        steps
    }

    fn prompt(&mut self, text: &str) -> Vec<HeadlessStep> {
        let params = json!({ "sessionId": self.session, "prompt": [{ "type": "text", "text": text }] });
        let (id, line) = self.request("session/prompt", &params);
        self.phase = Phase::Turn(id);
        vec![line, HeadlessStep::Report(AgentReport::doing(Doing::WORKING))]
    }

    fn asks(&mut self, id: Value, method: &str, params: Value) -> Vec<HeadlessStep> {
        if method != "session/request_permission" {
            return vec![HeadlessStep::Write(message::unknown(&id, method))];
        }
        let key = id.to_string();
        let is_turn = matches!(self.phase, Phase::Turn(_));
        if !is_turn || self.asked.len() >= MOST_ASKED || self.asked.contains_key(&key) {
            return vec![HeadlessStep::Write(message::reply(&id, &asked::cancelled()))];
        }
        let input = asked::as_hook(&params);
        let call = params.pointer("/toolCall").unwrap_or(&Value::Null);
        let lines = self.transcript.asked(call);
        let mut steps: Vec<HeadlessStep> = lines.into_iter().map(HeadlessStep::Show).collect();
        let wanted = ToolAsk::read(
            raw(&input, "/tool_name"),
            input.get("tool_input").unwrap_or(&Value::Null),
        );
        let wait = Some(Wait::new(AskKind::Permission, wanted.text));
        self.asked.insert(key.clone(), (id, params));
        steps.push(HeadlessStep::Permission { id: key, input, wait });
        steps
    }

    /// Takes an update of the session. Updates before its first turn repeat the past.
    fn update(&mut self, params: &Value) -> Vec<HeadlessStep> {
        let is_own = self.session.as_deref() == Some(raw(params, "/sessionId"));
        let (Phase::Turn(_), true, Some(update)) = (self.phase, is_own, params.get("update")) else {
            return Vec::new();
        };
        let lines = self.transcript.lines(update);
        let mut steps: Vec<HeadlessStep> = lines.into_iter().map(HeadlessStep::Show).collect();
        let report = updates::read(update);
        if report != AgentReport::default() {
            steps.push(HeadlessStep::Report(report));
        }
        steps
    }

    fn rest(&mut self) -> Vec<HeadlessStep> {
        self.transcript
            .rest()
            .into_iter()
            .map(HeadlessStep::Show)
            .collect()
    }
}

/// Returns the reason why a turn that was not cancelled ended before its own end; `None` if it came to it. An unknown reason is not part
/// of the protocol, and a turn never counts as good because of it.
fn stopped(reason: &str) -> Option<&'static str> {
    match reason {
        "end_turn" => None,
        "refusal" => Some("the model refused to continue"),
        "max_tokens" => Some("the answer was cut: it reached the most tokens that its tool allows"),
        "max_turn_requests" => Some("the turn was cut: it reached the most requests that its tool allows"),
        _ => Some("the tool gave a reason that is not known"),
    }
}

/// Returns the reason why a request failed, in the words of the tool; if it has none, by the code.
fn why(error: &Value) -> String {
    let message = filled(error, "/message").unwrap_or_else(|| named(error));
    match filled(error, "/data/details").or_else(|| filled(error, "/data")) {
        None => message,
        Some(told) => format!("{message}: {told}"),
    }
}

/// Returns the meaning of an error's code.
fn named(error: &Value) -> String {
    match error.pointer("/code").and_then(Value::as_i64) {
        Some(NOT_LOGGED_IN) => "the tool asks to log in".to_owned(),
        Some(-32603) => "the tool failed within itself (error -32603)".to_owned(),
        Some(code) => format!("the tool gave error {code} without words"),
        None => "the tool gave an error without words".to_owned(),
    }
}

/// Returns the report that follows from an error of the tool.
fn problem(error: &Value) -> AgentReport {
    let code = error.pointer("/code").and_then(Value::as_i64);
    let status = match code {
        Some(NOT_LOGGED_IN) => 401,
        Some(code) => u64::try_from(code).unwrap_or_default(),
        None => 0,
    };
    failure(status, "", why(error))
}

#[cfg(test)]
mod tests;
