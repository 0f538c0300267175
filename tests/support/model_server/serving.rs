//! Connections of the model server: one thread and one request each, from the first byte to the last.

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::dialogue::Dialogue;
use super::http::{self, EventStream, HttpRequest, StreamEvent};
use super::script::{Choice, Failure, Reply};
use super::{MOST_CONNECTIONS, MOST_REQUESTS, RecordedRequest, Shared, chat, contents, messages, responses};

/// Longest silence of the other side in the middle of a request or an answer.
const LONGEST_SILENCE: Duration = Duration::from_mins(1);
/// Silence of a connection before it breaks.
const SILENCE_BEFORE_BREAK: Duration = Duration::from_secs(1);
/// Number of characters in one piece of a stream.
const PIECE: usize = 24;

/// API that a request uses.
#[derive(Clone, Copy)]
enum Interface {
    Messages,
    Responses,
    Chat,
    /// Gemini API; its address says whether the answer comes whole or as a stream.
    Contents {
        is_stream: bool,
    },
}

impl Interface {
    /// Returns the API that this address belongs to.
    fn of(path: &str) -> Option<Self> {
        let ends = [
            ("/messages", Self::Messages),
            ("/responses", Self::Responses),
            ("/chat/completions", Self::Chat),
            (":generateContent", Self::Contents { is_stream: false }),
            (":streamGenerateContent", Self::Contents { is_stream: true }),
        ];
        let found = ends.into_iter().find(|(end, _)| path.ends_with(end));
        found.map(|(_, interface)| interface)
    }

    fn dialogue(self, body: &Value) -> Dialogue {
        match self {
            Self::Messages => messages::dialogue(body),
            Self::Responses => responses::dialogue(body),
            Self::Chat => chat::dialogue(body),
            Self::Contents { .. } => contents::dialogue(body),
        }
    }

    fn error(self, failure: &Failure) -> Value {
        match self {
            Self::Messages => messages::error(failure),
            Self::Responses => responses::error(failure),
            Self::Chat => chat::error(failure),
            Self::Contents { .. } => contents::error(failure),
        }
    }

    /// Returns true if the answer to this request is a stream.
    fn streams(self, body: &Value) -> bool {
        match self {
            Self::Messages | Self::Chat => body["stream"] == true,
            Self::Responses => true,
            Self::Contents { is_stream } => is_stream,
        }
    }

    /// Returns the reply as a whole. The Responses API is only supported as a stream.
    fn whole(self, body: &Value, reply: &Reply, number: usize) -> Value {
        match self {
            Self::Messages => messages::message(body, reply, number),
            Self::Responses => Value::Null,
            Self::Chat => chat::completion(body, reply, number),
            Self::Contents { .. } => contents::whole(body, reply, number),
        }
    }

    fn events(self, body: &Value, reply: &Reply, number: usize) -> Vec<StreamEvent> {
        match self {
            Self::Messages => messages::events(&messages::message(body, reply, number)),
            Self::Responses => responses::events(body, reply, number),
            Self::Chat => chat::events(body, reply, number),
            Self::Contents { .. } => contents::events(body, reply, number),
        }
    }
}

/// Accepts connections until the server stops, then waits for their threads.
pub(super) fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while let Ok((connection, _)) = listener.accept() {
        if shared.lock().stopping {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= MOST_CONNECTIONS {
            continue;
        }
        let shared = Arc::clone(shared);
        let serve = move || serve(connection, &shared);
        let started = std::thread::Builder::new()
            .name("model-answer".into())
            .spawn(serve);
        threads.extend(started.ok());
    }
    for thread in threads {
        assert!(thread.join().is_ok(), "a connection of the model server panicked");
    }
}

fn serve(mut connection: TcpStream, shared: &Shared) {
    let Some(number) = register(&connection, shared) else {
        return;
    };
    // An agent that is killed or interrupted hangs up in the middle; that is not an error of the server.
    drop(exchange(&mut connection, shared));
    drop(connection.shutdown(Shutdown::Both));
    shared.lock().connections.remove(&number);
}

/// Registers a connection so that the server closes it when it stops; returns None if it is stopping already.
fn register(connection: &TcpStream, shared: &Shared) -> Option<usize> {
    connection.set_read_timeout(Some(LONGEST_SILENCE)).ok()?;
    connection.set_write_timeout(Some(LONGEST_SILENCE)).ok()?;
    let twin = connection.try_clone().ok()?;
    let mut state = shared.lock();
    if state.stopping {
        return None;
    }
    state.accepted += 1;
    let number = state.accepted;
    state.connections.insert(number, twin);
    Some(number)
}

fn exchange(connection: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(request) = http::read(connection)? else {
        return Ok(());
    };
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = request.path.split('?').next().unwrap_or_default();
    let interface = Interface::of(path).filter(|_| request.method == "POST");
    let choice = interface.map(|interface| shared.scripts.choose(&interface.dialogue(&body)));
    let Some(number) = record(&request, &body, choice.as_ref(), shared) else {
        return refuse(
            connection,
            503,
            "the server has answered as many requests as it may",
        );
    };
    match (interface, choice) {
        (Some(interface), Some(choice)) => {
            let answer = Answer {
                interface,
                body,
                choice,
                number,
            };
            answer.send(connection, shared)
        }
        _ if path.ends_with("/messages/count_tokens") => {
            http::answer(connection, 200, &BTreeMap::new(), &messages::token_count(&body))
        }
        _ if path.ends_with(":countTokens") => {
            http::answer(connection, 200, &BTreeMap::new(), &contents::token_count(&body))
        }
        _ if request.method == "HEAD" => http::answer(connection, 200, &BTreeMap::new(), &Value::Null),
        _ => refuse(connection, 404, "this server has no such page"),
    }
}

fn refuse(connection: &mut TcpStream, status: u16, message: &str) -> io::Result<()> {
    let body = json!({ "type": "error", "error": { "type": "not_found_error", "message": message } });
    http::answer(connection, status, &BTreeMap::new(), &body)
}

/// Records a request for the test; returns its number, or None if there were too many.
fn record(request: &HttpRequest, body: &Value, choice: Option<&Choice>, shared: &Shared) -> Option<usize> {
    let mut state = shared.lock();
    if state.requests.len() >= MOST_REQUESTS {
        return None;
    }
    state.requests.push(RecordedRequest {
        method: request.method.clone(),
        path: request.path.clone(),
        headers: request.headers.clone(),
        body: body.clone(),
        script: choice.map(|choice| (choice.script.clone(), choice.turn)),
        at: Instant::now(),
    });
    shared.changed.notify_all();
    Some(state.requests.len())
}

/// Returns the value of a header: `now+10` becomes the second ten seconds after the answer, any other value stays.
fn at_answer(value: &str) -> String {
    let later = value
        .strip_prefix("now+")
        .and_then(|text| text.parse::<u64>().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    later.map_or_else(
        || value.to_owned(),
        // The current second counts as over.
        |later| (now.as_secs() + 1 + later).to_string(),
    )
}

/// Reply that is being sent.
struct Answer {
    interface: Interface,
    body: Value,
    choice: Choice,
    number: usize,
}

impl Answer {
    fn send(&self, connection: &mut TcpStream, shared: &Shared) -> io::Result<()> {
        let reply = &self.choice.reply;
        if let Some(failure) = self.failure(shared) {
            let body = self.interface.error(failure);
            let headers = failure.headers.iter();
            let headers = headers.map(|(name, value)| (name.clone(), at_answer(value)));
            return http::answer(connection, failure.status, &headers.collect(), &body);
        }
        if self.interface.streams(&self.body) {
            let events = self.interface.events(&self.body, reply, self.number);
            return self.stream(connection, shared, &events);
        }
        match &reply.gate {
            Some(gate) if !shared.pass_gate(&gate.name) => Ok(()),
            _ => {
                let whole = self.interface.whole(&self.body, reply, self.number);
                http::answer(connection, 200, &reply.headers, &whole)
            }
        }
    }

    /// Returns the error to answer this request with, if the script wants one and it has not been sent often enough.
    fn failure(&self, shared: &Shared) -> Option<&Failure> {
        let failure = self.choice.reply.fail.as_ref()?;
        let mut state = shared.lock();
        let place = (self.choice.script.clone(), self.choice.turn);
        let seen = state.failures.entry(place).or_default();
        *seen += 1;
        failure
            .times
            .is_none_or(|times| *seen <= times)
            .then_some(failure)
    }

    /// Sends events, with the gate and the break of the script between them.
    fn stream(&self, connection: &mut TcpStream, shared: &Shared, events: &[StreamEvent]) -> io::Result<()> {
        let reply = &self.choice.reply;
        let gate_after = |pieces: usize| reply.gate.as_ref().filter(|gate| gate.after == pieces);
        if let Some(gate) = gate_after(0)
            && !shared.pass_gate(&gate.name)
        {
            return Ok(());
        }
        let mut stream = EventStream::open(connection, &reply.headers)?;
        let mut sent = 0;
        for event in events {
            stream.send(event)?;
            if !event.is_piece {
                continue;
            }
            sent += 1;
            if reply.break_after == Some(sent) {
                // On a busy machine a client may see the end together with the pieces, treat the request as unanswered, and ask again.
                std::thread::sleep(SILENCE_BEFORE_BREAK);
                return Ok(());
            }
            if let Some(gate) = gate_after(sent)
                && !shared.pass_gate(&gate.name)
            {
                return Ok(());
            }
        }
        stream.finish()
    }
}

/// Splits a text into pieces of a few characters.
pub(super) fn pieces(text: &str) -> std::vec::IntoIter<String> {
    let letters: Vec<char> = text.chars().collect();
    let parts = letters.chunks(PIECE).map(|part| part.iter().collect());
    parts.collect::<Vec<String>>().into_iter()
}

/// Returns an estimate of the tokens in a value: one per four bytes.
pub(super) fn tokens(value: &Value) -> usize {
    value.to_string().len() / 4 + 1
}

/// Returns the texts of a message or an item, which are a string or a list of parts.
pub(super) fn texts(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| part["text"].as_str());
    content
        .as_str()
        .into_iter()
        .chain(texts)
        .collect::<Vec<_>>()
        .join("\n")
}
