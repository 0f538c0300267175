//! The run of one tool without an interface, from its prompt to its end: what it says, what is typed and what the server answers meet
//! here, one after another.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use super::super::hook::HookCaller;
use super::super::signal::new_key;
use super::console::TranscriptConsole;
use super::requests::{Answered, Requests};
use super::state::HeadlessState;
use super::typed::{Typed, TypedMessage};
use crate::adapters::agents::claude::control::{self, ControlRequest};
use crate::adapters::agents::claude::printed::StreamTranscript;
use crate::adapters::agents::claude::stream;
use crate::adapters::agents::plain_line;
use crate::adapters::tool_process::{ToolOutput, ToolProcess};
use crate::agent_state::{AgentReport, Doing, Seen};

/// Lines in a row that are no messages of the tool, before they are only counted.
const MOST_STRAY: usize = 20;
/// How long a tool that was asked to end may take, and how long the output of one that has ended is waited for: something it left
/// behind may hold it open.
const TO_END: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_secs(2);
/// Messages of a person that wait for their turn.
const MOST_QUEUED: usize = 100;

/// A tool and all that belongs to its run.
pub(super) struct Runner {
    requests: Requests,
    tool: ToolProcess,
    console: TranscriptConsole,
    transcript: StreamTranscript,
    state: HeadlessState,
    typed: TypedMessage,
    /// Sent when the tool is ready.
    prompt: Option<String>,
    queued: BTreeMap<String, String>,
    stray: usize,
    /// Ctrl-C was typed, and the next one ends the tool.
    is_warned: bool,
    end: End,
}

/// How far the end of the tool has come.
#[derive(Default)]
struct End {
    status: Option<io::Result<ExitStatus>>,
    is_output_over: bool,
    /// Until when the next step of the end is waited for.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Runner {
    pub(super) fn new(
        caller: Option<HookCaller>,
        tool: ToolProcess,
        console: TranscriptConsole,
        prompt: &str,
    ) -> Runner {
        Runner {
            requests: Requests::of(caller),
            tool,
            console,
            transcript: StreamTranscript::default(),
            state: HeadlessState::new(),
            typed: TypedMessage::default(),
            prompt: Some(prompt.to_owned()),
            queued: BTreeMap::new(),
            stray: 0,
            is_warned: false,
            end: End::default(),
        }
    }

    /// Goes on until the tool has ended and everything it said was read.
    pub(super) async fn run(mut self) -> Result<ExitStatus, String> {
        self.write(control::initialize());
        while self.end.status.is_none() || !self.end.is_output_over {
            tokio::select! {
                event = self.tool.events.recv() => match event {
                    Some(event) => self.take(event),
                    None => break,
                },
                answered = self.requests.next() => self.answered(answered),
                () = reached(self.end.limit.as_mut()) => {
                    if self.end.status.is_some() {
                        break;
                    }
                    self.end.limit = None;
                    self.tool.kill();
                }
            }
            self.tell_usage();
        }
        self.show_stray();
        let status = self
            .end
            .status
            .take()
            .ok_or("could not learn how the tool ended: nobody told")?;
        let status = status.map_err(|error| format!("could not learn how the tool ended: {error}"))?;
        if !status.success() {
            self.console.lines([format!("the tool ended: {status}")]);
        }
        Ok(status)
    }

    fn take(&mut self, event: ToolOutput) {
        match event {
            ToolOutput::Line(line) => self.line(&line),
            ToolOutput::TooLong(length) => {
                let text = format!("~ a line of {length} bytes is too long and was left out");
                self.console.lines([text]);
            }
            ToolOutput::Error(line) => self.stray_line(&line),
            ToolOutput::Typed(bytes) => self.keys(&bytes),
            ToolOutput::OutputOver => self.end.is_output_over = true,
            ToolOutput::Ended(status) => {
                self.end.status = Some(status);
                self.end.limit = Some(Box::pin(sleep(DRAIN)));
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.first() != Some(&b'{') {
            self.stray_line(line);
            return;
        }
        self.show_stray();
        self.console.lines(self.transcript.lines(line));
        let report = stream::read(line);
        let wait = wait_of(&report);
        for record in self.state.take(report) {
            self.console.record(&record);
        }
        if let Some(request) = control::request(line) {
            self.request(request, wait);
        }
    }

    /// A line of the tool that is no message. Of many in a row the rest is only counted.
    fn stray_line(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        self.stray += 1;
        if self.stray <= MOST_STRAY {
            self.console.lines([plain_line(line)]);
        }
    }

    fn show_stray(&mut self) {
        let left = self.stray.saturating_sub(MOST_STRAY);
        if left > 0 {
            self.console
                .lines([format!("~ {left} more lines of the tool are left out")]);
        }
        self.stray = 0;
    }

    fn request(&mut self, request: ControlRequest, wait: Option<Doing>) {
        let answer = match request {
            ControlRequest::Ready => {
                if let Some(prompt) = self.prompt.take() {
                    self.send(&prompt);
                }
                None
            }
            ControlRequest::Event { id, input } => self.requests.event(id, input),
            ControlRequest::Permission { id, input } => {
                let answer = self.requests.permission(&id, &input);
                if let (None, Some(Doing::Blocked(wait))) = (&answer, wait) {
                    self.console
                        .lines([format!("? {}", plain_line(wait.text.as_bytes()))]);
                    let record = self.state.waits(&id, wait);
                    self.record(record.as_deref());
                }
                answer
            }
            ControlRequest::Withdrawn { id } => {
                self.requests.withdraw(&id);
                let record = self.state.settled(&id);
                self.record(record.as_deref());
                None
            }
            ControlRequest::Unknown { id } => Some(control::unknown(&id)),
            ControlRequest::Begun { message } => {
                let text = self.queued.remove(&message);
                self.console
                    .lines(text.map(|text| format!("> {}", plain_line(text.as_bytes()))));
                None
            }
        };
        if let Some(line) = answer {
            self.write(line);
        }
    }

    fn answered(&mut self, answered: Answered) {
        let words = answered.words.map(|words| format!("! {words}"));
        self.console.lines(words);
        if let Some(line) = answered.line {
            self.write(line);
        }
        if let Some(id) = answered.permission {
            let record = self.state.settled(&id);
            self.record(record.as_deref());
        }
    }

    fn keys(&mut self, bytes: &[u8]) {
        for typed in self.typed.take(bytes) {
            match typed {
                Typed::Message(text) => self.message(&text),
                Typed::Escape if self.state.is_busy() => self.interrupt(),
                Typed::Escape => {}
                Typed::Interrupt if self.is_warned => {
                    self.console.lines(["ending"]);
                    self.tool.terminate();
                    self.end.limit = Some(Box::pin(sleep(TO_END)));
                }
                Typed::Interrupt => {
                    self.is_warned = true;
                    if self.state.is_busy() {
                        self.interrupt();
                    }
                    self.console.lines(["Ctrl-C once more ends the agent"]);
                    continue;
                }
            }
            self.is_warned = false;
        }
        self.console.show_typed(self.typed.text());
    }

    /// A message of a person. While the tool is busy it waits, and is shown as waiting.
    fn message(&mut self, text: &str) {
        self.console.show_typed(String::new());
        let begin = if self.state.is_busy() { "queued > " } else { "> " };
        let shown = plain_line(text.replace('\n', " ").as_bytes());
        self.console.lines([format!("{begin}{shown}")]);
        self.send(text);
    }

    fn send(&mut self, text: &str) {
        let Ok(id) = message_id() else {
            self.console
                .lines(["the message was not sent: no random number could be had"]);
            return;
        };
        if self.state.is_busy() && self.queued.len() < MOST_QUEUED {
            self.queued.insert(id.clone(), text.to_owned());
        }
        self.write(control::message(text, &id));
    }

    fn interrupt(&mut self) {
        self.console.lines(["interrupting"]);
        match new_key() {
            Ok(id) => self.write(control::interrupt(&id)),
            Err(why) => self.console.lines([why]),
        }
    }

    fn write(&self, line: String) {
        if !self.tool.write(line) {
            self.console
                .lines(["the tool does not read what it is told; this was lost"]);
        }
    }

    fn record(&self, record: Option<&str>) {
        if let Some(record) = record {
            self.console.record(record);
        }
    }

    fn tell_usage(&mut self) {
        if self.requests.tells_usage() {
            return;
        }
        if let Some(figures) = self.state.news() {
            self.requests.usage(figures);
        }
    }
}

async fn reached(limit: Option<&mut Pin<Box<Sleep>>>) {
    match limit {
        Some(limit) => limit.await,
        None => std::future::pending().await,
    }
}

/// What the report says that a person is waited for.
fn wait_of(report: &AgentReport) -> Option<Doing> {
    report.seen.iter().find_map(|seen| match seen {
        Seen::Doing(doing @ Doing::Blocked(_)) => Some(doing.clone()),
        _ => None,
    })
}

/// An id that no other message has, in the form of a UUID.
fn message_id() -> Result<String, String> {
    let key = new_key()?;
    let hex = key.rsplit('-').next().unwrap_or_default();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    Ok([part(0, 8), part(8, 12), "4000", "8000", part(12, 24)].join("-"))
}
