//! What the runner of a tool without an interface needs to know of the tool: how it is told something, and what its output means.
//! One implementation for each protocol, in the folder of its tool. Each is pure: it is given what happened and says what is to be done.
//!
//! Two shapes fit. A tool with one long process is run once, and prompts are lines that are written to it: before the first one
//! there may be a handshake, and what it asks is answered by lines. A tool with one process for each turn is run again for each
//! prompt; it says [`HeadlessStep::Run`] once more when a message has its turn.

use std::fmt::Debug;

use serde_json::Value;

use crate::agent_state::{AgentReport, Wait};
use crate::domain::AskReply;

/// What is to be done for a tool, in the order in which it is said.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadlessStep {
    /// Run this command line. Only said while no process of the tool runs.
    Run {
        argv: Vec<String>,
        /// Whether lines will be written to it; else its input is empty.
        takes_lines: bool,
    },
    /// Write this line to the process.
    Write(String),
    /// Interrupt the process, as Ctrl-C does in a terminal. It is expected to end, and made to when it does not.
    Interrupt,
    /// The tool can take its prompt: it is sent as the first message.
    Ready,
    /// The message of that id has its turn; it waited until now.
    Begun { message: String },
    /// Add this line to the transcript. It is clean and of a bearable length.
    Show(String),
    /// Take in what the tool says of what it does and uses.
    Report(AgentReport),
    /// Tell the server of this event, in the fields of the hook of that name; see [`HeadlessTool::event_answer`].
    Event { id: String, input: Value },
    /// Ask for this permission, in the fields of the hook `PermissionRequest`; see [`HeadlessTool::permission_answer`].
    Permission {
        id: String,
        input: Value,
        /// What is waited for, for people.
        wait: Option<Wait>,
    },
    /// What was asked under that id is no longer wanted.
    Withdrawn { id: String },
}

/// What follows from an event that the server was told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventReply {
    /// The tool goes on.
    Nothing,
    /// Why the turn is not over yet, for the model.
    GoOn(String),
    /// What the model should know beside what it is told in this turn.
    Context(String),
}

/// A tool without an interface, as one protocol sees it.
pub trait HeadlessTool: Debug + Send {
    /// What is done first. `argv` is the command line without the prompt, which follows as a message once [`HeadlessStep::Ready`] is said.
    fn start(&mut self, argv: &[String]) -> Vec<HeadlessStep>;

    /// A line of its output that begins like an object of JSON.
    fn line(&mut self, line: &[u8]) -> Vec<HeadlessStep>;

    /// A message for the model, of a person or the prompt. `id` is in the form of a UUID; the tool keeps the message when it is
    /// busy and says [`HeadlessStep::Begun`] when it has its turn.
    fn message(&mut self, text: &str, id: &str) -> Vec<HeadlessStep>;

    /// A person wants the turn to end, and the tool to stay. `id` is one that no other request has.
    fn interrupt(&mut self, id: &str) -> Vec<HeadlessStep>;

    /// The server was told of an event, and says what follows.
    fn event_answer(&mut self, id: &str, reply: &EventReply) -> Vec<HeadlessStep>;

    /// A permission was decided; `input` is that of the step.
    fn permission_answer(&mut self, id: &str, input: &Value, reply: &AskReply) -> Vec<HeadlessStep>;

    /// Its process has ended, by itself or because it was asked to. What follows; none where the run is over.
    fn process_end(&mut self, is_success: bool) -> Option<Vec<HeadlessStep>>;

    /// Whether what is asked can be answered by one reply.
    fn has_one_answer(&self, _input: &Value) -> bool {
        true
    }

    /// Whether a line of its errors, or one that is no object of JSON, is of no interest to anybody.
    fn is_noise(&self, _line: &[u8]) -> bool {
        false
    }
}
