//! The run of one tool without an interface, from its prompt to its end: its output, the typed text and the answers of the server meet
//! here, one after another.

use std::collections::BTreeMap;
use std::process::ExitStatus;

use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use super::super::hook::HookCaller;
use super::super::signal::new_key;
use super::console::TranscriptConsole;
use super::process::{ProcessEvent, ToolRun};
use super::requests::{Answered, RequestAnswer, Requests};
use super::state::HeadlessState;
use super::typed::{Typed, TypedMessage};
use crate::adapters::agents::headless::{HeadlessStep, HeadlessTool};
use crate::adapters::agents::{plain_line, sent_message};
use crate::adapters::tool_process::ToolOutput;
use crate::agent_state::{AgentReport, Wait};
use crate::cli::command_error::{CommandError, CommandResult, failed};

/// Maximum number of lines in a row that are not messages of the tool, before they are only counted.
const MOST_STRAY: usize = 20;
/// Maximum number of messages of a person that wait for their turn.
const MOST_QUEUED: usize = 100;

/// A tool and everything that belongs to its run.
pub(super) struct Runner {
    requests: Requests,
    tool: Box<dyn HeadlessTool>,
    process: ToolRun,
    console: TranscriptConsole,
    state: HeadlessState,
    typed: TypedMessage,
    /// Prompt to send when the tool is ready.
    prompt: Option<String>,
    /// Messages that a person typed before the tool was ready; they follow the prompt.
    early: Vec<String>,
    queued: BTreeMap<String, String>,
    stray: usize,
    /// Set when Ctrl-C was typed, and the next one ends the tool.
    is_warned: bool,
    /// Set when the run is over as soon as no process is left.
    is_ending: bool,
    /// Reason why the run cannot continue.
    failure: Option<CommandError>,
}

impl Runner {
    pub(super) fn new(
        caller: Option<HookCaller>,
        tool: Box<dyn HeadlessTool>,
        console: TranscriptConsole,
        prompt: &str,
    ) -> Runner {
        Runner {
            requests: Requests::of(caller),
            tool,
            process: ToolRun::default(),
            console,
            state: HeadlessState::new(),
            typed: TypedMessage::default(),
            prompt: Some(prompt.to_owned()),
            early: Vec::new(),
            queued: BTreeMap::new(),
            stray: 0,
            is_warned: false,
            is_ending: false,
            failure: None,
        }
    }

    /// Runs until the tool has ended and all its output was read. Returns no status where a person ended it and no process of the tool
    /// failed.
    pub(super) async fn run(
        mut self,
        argv: &[String],
        mut keys: Receiver<Vec<u8>>,
    ) -> CommandResult<Option<ExitStatus>> {
        let steps = self.tool.start(argv);
        self.perform(steps);
        loop {
            if let Some(why) = self.failure.take() {
                return Err(why);
            }
            if self.is_ending && !self.process.is_running() {
                return Ok(None);
            }
            tokio::select! {
                event = self.process.next() => match event {
                    ProcessEvent::Output(output) => self.take(output),
                    ProcessEvent::Suspended => self.suspend(),
                    ProcessEvent::Ended(status) => {
                        let status = status
                            .map_err(failed("could not learn how the tool ended"))?;
                        if self.is_over(status) {
                            // It may end well while it is asked to end.
                            return Ok(Some(status).filter(|status| !(self.is_ending && status.success())));
                        }
                    }
                },
                Some(bytes) = keys.recv() => self.keys(&bytes),
                answered = self.requests.next() => self.answered(answered),
            }
            self.tell_usage();
        }
    }

    /// Takes in the end of a process; returns true if it is that of the run.
    fn is_over(&mut self, status: ExitStatus) -> bool {
        self.show_stray();
        let next = self.tool.process_end(status.success());
        if let Some(steps) = next.filter(|_| !self.is_ending) {
            self.perform(steps);
            return false;
        }
        if !status.success() {
            self.console.lines([format!("the tool ended: {status}")]);
        }
        true
    }

    fn take(&mut self, output: ToolOutput) {
        match output {
            ToolOutput::Line(line) => self.line(&line),
            ToolOutput::TooLong(length) => {
                let text = format!("~ a line of {length} bytes is too long and was left out");
                self.console.lines([text]);
            }
            ToolOutput::Error(line) => self.stray_line(&line),
            // The process knows of these already.
            ToolOutput::OutputOver | ToolOutput::Suspended(_) | ToolOutput::Ended(_) => {}
        }
    }

    /// Suspends this run with its tool, as a shell's job is suspended: the holder sees it, and continues this process, which continues the
    /// tool.
    fn suspend(&self) {
        self.console
            .lines(["~ the tool is suspended, and this run with it until it is continued"]);
        self.process.share_suspension();
        self.console.lines(["~ continued"]);
    }

    fn line(&mut self, line: &[u8]) {
        if line.first() != Some(&b'{') {
            self.stray_line(line);
            return;
        }
        self.show_stray();
        let steps = self.tool.line(line);
        self.perform(steps);
    }

    /// Handles a line of the tool that is not a message. Of many in a row the rest is only counted.
    fn stray_line(&mut self, line: &[u8]) {
        if line.is_empty() || self.tool.is_noise(line) {
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

    fn perform(&mut self, steps: Vec<HeadlessStep>) {
        for step in steps {
            if self.failure.is_none() {
                self.step(step);
            }
        }
    }

    fn step(&mut self, step: HeadlessStep) {
        match step {
            HeadlessStep::Run { argv, takes_lines } => {
                self.failure = self.process.start(&argv, takes_lines).err();
            }
            HeadlessStep::Write(line) => self.write(line),
            HeadlessStep::Interrupt => self.process.interrupt(),
            HeadlessStep::Ready => {
                let early = std::mem::take(&mut self.early);
                for text in self.prompt.take().into_iter().chain(early) {
                    self.send(&text);
                }
            }
            HeadlessStep::Begun { message } => {
                let text = self.queued.remove(&message);
                self.console
                    .lines(text.iter().flat_map(|text| sent_message(text)));
            }
            HeadlessStep::Show(line) => self.console.lines([line]),
            HeadlessStep::Report(report) => self.report(report),
            HeadlessStep::Event { id, input } => {
                let answer = self.requests.event(id, input);
                self.tell(answer.as_ref());
            }
            HeadlessStep::Permission { id, input, wait } => self.permission(&id, &input, wait),
            HeadlessStep::Withdrawn { id } => {
                self.requests.withdraw(&id);
                let record = self.state.settled(&id);
                self.record(record.as_deref());
            }
        }
    }

    fn report(&mut self, report: AgentReport) {
        for record in self.state.take(report) {
            self.console.record(&record);
        }
    }

    fn permission(&mut self, id: &str, input: &Value, wait: Option<Wait>) {
        let has_one_answer = self.tool.has_one_answer(input);
        let answer = self.requests.permission(id, input, has_one_answer);
        if let (None, Some(wait)) = (&answer, wait) {
            self.console
                .lines([format!("? {}", plain_line(wait.text.as_bytes()))]);
            self.state.waits(id, wait);
        }
        self.tell(answer.as_ref());
    }

    /// Sends the answer to the tool.
    fn tell(&mut self, answer: Option<&RequestAnswer>) {
        let steps = match answer {
            Some(RequestAnswer::Event { id, reply }) => self.tool.event_answer(id, reply),
            Some(RequestAnswer::Permission { id, input, reply }) => {
                self.tool.permission_answer(id, input, reply)
            }
            Some(RequestAnswer::Usage) | None => return,
        };
        self.perform(steps);
    }

    fn answered(&mut self, answered: Answered) {
        let words = answered.words.map(|words| format!("! {words}"));
        self.console.lines(words);
        let permission = match &answered.answer {
            RequestAnswer::Permission { id, .. } => Some(id.clone()),
            RequestAnswer::Event { .. } | RequestAnswer::Usage => None,
        };
        self.tell(Some(&answered.answer));
        if let Some(id) = permission {
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
                    self.is_ending = true;
                    self.process.terminate();
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

    /// Handles a message of a person. While the tool is busy it waits, and is shown as waiting.
    fn message(&mut self, text: &str) {
        self.console.show_typed(String::new());
        let begin = if self.state.is_busy() { "queued > " } else { "> " };
        let shown = plain_line(text.replace('\n', " ").as_bytes());
        self.console.lines([format!("{begin}{shown}")]);
        self.send(text);
    }

    fn send(&mut self, text: &str) {
        if self.prompt.is_some() {
            self.send_later(text);
            return;
        }
        let Ok(id) = message_id() else {
            self.console
                .lines(["the message was not sent: no random number could be had"]);
            return;
        };
        if self.state.is_busy() && self.queued.len() < MOST_QUEUED {
            self.queued.insert(id.clone(), text.to_owned());
        }
        let steps = self.tool.message(text, &id);
        self.perform(steps);
    }

    /// Keeps a message until the tool has received its prompt.
    fn send_later(&mut self, text: &str) {
        if self.early.len() < MOST_QUEUED {
            self.early.push(text.to_owned());
        } else {
            let words = format!("! this message was not taken: {MOST_QUEUED} wait already");
            self.console.lines([words]);
        }
    }

    fn interrupt(&mut self) {
        self.console.lines(["interrupting"]);
        match new_key() {
            Ok(id) => {
                let steps = self.tool.interrupt(&id);
                self.perform(steps);
            }
            Err(why) => self.console.lines([why.to_string()]),
        }
    }

    fn write(&self, line: String) {
        if !self.process.write(line) {
            self.console
                .lines(["the tool does not read its input; this was lost"]);
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

/// Returns an id that no other message has, in the form of a UUID.
fn message_id() -> CommandResult<String> {
    let key = new_key()?;
    let hex = key.rsplit('-').next().unwrap_or_default();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    Ok([part(0, 8), part(8, 12), "4000", "8000", part(12, 24)].join("-"))
}
