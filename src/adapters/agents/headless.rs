//! Interface between the runner of a tool without an interface and the tool's protocol: the form of messages to the tool, and the meaning
//! of its output. One implementation for each protocol, in the folder of its tool. Each is pure: it gets an event and returns the steps to
//! do.
//!
//! Two shapes fit. A tool with one long process is run once, and prompts are lines that are written to it: before the first one there may
//! be a handshake, and its questions are answered by lines. A tool with one process for each turn is run again for each prompt; it returns
//! [`HeadlessStep::Run`] once more when a message has its turn.

use std::fmt::Debug;

use serde_json::Value;

use crate::agent_state::{AgentReport, Wait};
use crate::domain::AskReply;

/// Step to do for a tool, in the order in which the steps are returned.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadlessStep {
    /// Run this command line. Only said while no process of the tool runs.
    Run {
        argv: Vec<String>,
        /// True if lines will be written to it; else its input is empty.
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
    /// Take in the report of the tool's activity and usage.
    Report(AgentReport),
    /// Tell the server of this event, in the fields of the hook of that name; see [`HeadlessTool::event_answer`].
    Event { id: String, input: Value },
    /// Ask for this permission, in the fields of the hook `PermissionRequest`; see [`HeadlessTool::permission_answer`].
    Permission {
        id: String,
        input: Value,
        /// Wait for the permission, for people.
        wait: Option<Wait>,
    },
    /// Withdrawal of the question under that id.
    Withdrawn { id: String },
}

/// Consequence of an event that was reported to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventReply {
    /// Nothing: the tool continues.
    Nothing,
    /// Reason why the turn is not over yet, for the model.
    GoOn(String),
    /// Text that the model should know in this turn beside its prompt.
    Context(String),
}

/// A tool without an interface, as one protocol sees it.
pub trait HeadlessTool: Debug + Send {
    /// Starts the tool. `argv` is the command line without the prompt, which follows as a message once [`HeadlessStep::Ready`] is returned.
    fn start(&mut self, argv: &[String]) -> Vec<HeadlessStep>;

    /// Takes a line of its output that begins like an object of JSON.
    fn line(&mut self, line: &[u8]) -> Vec<HeadlessStep>;

    /// Sends a message for the model, of a person or the prompt. `id` is in the form of a UUID; the tool keeps the message when it is busy
    /// and returns [`HeadlessStep::Begun`] when it has its turn.
    fn message(&mut self, text: &str, id: &str) -> Vec<HeadlessStep>;

    /// Ends the turn for a person, while the tool stays. `id` is one that no other request has.
    fn interrupt(&mut self, id: &str) -> Vec<HeadlessStep>;

    /// Takes the reply of the server to an event.
    fn event_answer(&mut self, id: &str, reply: &EventReply) -> Vec<HeadlessStep>;

    /// Takes the decision on a permission; `input` is that of the step.
    fn permission_answer(&mut self, id: &str, input: &Value, reply: &AskReply) -> Vec<HeadlessStep>;

    /// Handles the end of its process, which ended by itself or because it was asked to. Returns the next steps; `None` if the run is
    /// over.
    fn process_end(&mut self, is_success: bool) -> Option<Vec<HeadlessStep>>;

    /// Returns true if the question can be answered by one reply.
    fn has_one_answer(&self, _input: &Value) -> bool {
        true
    }

    /// Returns true if a line of its errors, or one that is not an object of JSON, is not worth showing.
    fn is_noise(&self, _line: &[u8]) -> bool {
        false
    }
}
