//! Model server for tests on 127.0.0.1. It speaks the Anthropic Messages API, the `OpenAI` Responses and Chat Completions APIs and the
//! Gemini API, and answers from scripts, so that real agents can be driven without an account. It knows nothing of agents, and no answer
//! depends on time: an answer that has to wait stops at a named gate until the test opens it. Requests, connections and waits are bounded,
//! and dropping the server leaves nothing behind.

#[path = "model_server/chat.rs"]
mod chat;
#[path = "model_server/contents.rs"]
mod contents;
#[path = "model_server/dialogue.rs"]
mod dialogue;
#[path = "model_server/http.rs"]
mod http;
#[path = "model_server/messages.rs"]
mod messages;
#[path = "model_server/responses.rs"]
mod responses;
#[path = "model_server/script.rs"]
mod script;
#[path = "model_server/serving.rs"]
mod serving;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use script::Scripts;

/// Largest number of requests that one server answers; later ones are refused with 503.
const MOST_REQUESTS: usize = 1000;
/// Largest number of connections at a time.
const MOST_CONNECTIONS: usize = 64;
/// Longest time that an answer waits at a gate, and a test for a request.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Running model server. Dropping it ends its threads and closes its connections.
pub(crate) struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// Request as it came in, with the script that answered it.
#[derive(Debug, Clone)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Headers by lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    /// Body; null if there was none or it is not JSON.
    pub(crate) body: Value,
    /// Script and number of the reply in it; None for a request that asks no model.
    pub(crate) script: Option<(String, usize)>,
    /// Time at which the request came.
    pub(crate) at: Instant,
}

/// State that the threads of a server share.
struct Shared {
    scripts: Scripts,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    requests: Vec<RecordedRequest>,
    open_gates: BTreeSet<String>,
    /// Gates at which an answer waits now.
    waiting: Vec<String>,
    /// Number of refusals of each reply, by script and turn.
    failures: BTreeMap<(String, usize), usize>,
    /// Open connections, by their number.
    connections: BTreeMap<usize, TcpStream>,
    accepted: usize,
    stopping: bool,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1.
    pub(crate) fn start(scripts: Scripts) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port of 127.0.0.1 is free");
        let address = listener.local_addr().expect("the listener is bound");
        let shared = Arc::new(Shared {
            scripts,
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let for_acceptor = Arc::clone(&shared);
        let acceptor = std::thread::Builder::new()
            .name("model-server".into())
            .spawn(move || serving::accept(&listener, &for_acceptor))
            .expect("the thread starts");
        Self {
            address,
            shared,
            acceptor: Some(acceptor),
        }
    }

    /// Returns the base URL for agents, without a slash at its end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, oldest first.
    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.lock().requests.clone()
    }

    /// Returns the requests that this script answered, oldest first.
    pub(crate) fn requests_for(&self, script: &str) -> Vec<RecordedRequest> {
        let is_wanted =
            |request: &RecordedRequest| request.script.as_ref().is_some_and(|(name, _)| name == script);
        self.requests().into_iter().filter(is_wanted).collect()
    }

    /// Lets answers that wait at this gate go on, now and later.
    pub(crate) fn open_gate(&self, name: &str) {
        self.shared.lock().open_gates.insert(name.to_owned());
        self.shared.changed.notify_all();
    }

    /// Waits until an answer has come to this gate.
    pub(crate) fn wait_at_gate(&self, name: &str) {
        let is_there = |state: &State| state.waiting.iter().any(|gate| gate == name);
        let came = self.shared.wait_until(is_there);
        assert!(
            came,
            "no answer came to the gate `{name}`; the requests were: {}",
            self.summary()
        );
    }

    /// Returns one line for each request, for messages of failed tests.
    pub(crate) fn summary(&self) -> String {
        let line = |request: &RecordedRequest| {
            let script = request
                .script
                .as_ref()
                .map(|(name, turn)| format!(" -> {name} {turn}"));
            format!(
                "{} {}{}",
                request.method,
                request.path,
                script.unwrap_or_default()
            )
        };
        let lines: Vec<String> = self.requests().iter().map(line).collect();
        format!("{} requests\n{}", lines.len(), lines.join("\n"))
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.stopping = true;
            for connection in state.connections.values() {
                // A connection that the other side has already closed cannot be shut down again.
                drop(connection.shutdown(Shutdown::Both));
            }
        }
        self.shared.changed.notify_all();
        // The acceptor sleeps in `accept`; a connection wakes it.
        drop(TcpStream::connect(self.address));
        if let Some(acceptor) = self.acceptor.take()
            && acceptor.join().is_err()
            && !std::thread::panicking()
        {
            panic!("a thread of the model server panicked; see its message above");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits for a condition; returns false if it did not come true in time or the server stops.
    fn wait_until(&self, condition: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + LONGEST_WAIT;
        let mut state = self.lock();
        loop {
            if condition(&state) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.stopping || left.is_zero() {
                return false;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }

    /// Makes an answer wait until the test opens this gate; returns false if the answer must not go on.
    fn pass_gate(&self, name: &str) -> bool {
        self.lock().waiting.push(name.to_owned());
        self.changed.notify_all();
        let is_open = self.wait_until(|state| state.open_gates.contains(name));
        let mut state = self.lock();
        if let Some(at) = state.waiting.iter().position(|gate| gate == name) {
            state.waiting.remove(at);
        }
        is_open
    }
}
