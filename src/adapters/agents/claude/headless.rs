//! Claude Code without its interface: one process for the whole run, lines of JSON in both directions.

use serde_json::Value;

use super::control::{self, ControlRequest};
use super::printed::StreamTranscript;
use super::stream;
use super::typed_requests::TypedRequests;
use crate::adapters::agents::headless::{EventReply, HeadlessStep, HeadlessTool};
use crate::adapters::agents::hook;
use crate::agent_state::{AgentReport, Doing, Seen, Wait};
use crate::domain::AskReply;

/// The stream of one run of Claude Code.
#[derive(Debug, Default)]
pub struct ClaudeStream {
    transcript: StreamTranscript,
    typed: TypedRequests,
}

impl HeadlessTool for ClaudeStream {
    fn start(&mut self, argv: &[String]) -> Vec<HeadlessStep> {
        let run = HeadlessStep::Run {
            argv: argv.to_vec(),
            takes_lines: true,
        };
        vec![run, HeadlessStep::Write(control::initialize())]
    }

    fn line(&mut self, line: &[u8]) -> Vec<HeadlessStep> {
        let lines = self.transcript.lines(line).into_iter();
        let lines = lines.chain(self.typed.reply(line));
        let mut steps: Vec<HeadlessStep> = lines.map(HeadlessStep::Show).collect();
        let report = stream::read(line);
        let wait = wait_of(&report);
        steps.push(HeadlessStep::Report(report));
        steps.extend(control::request(line).map(|request| step_of(request, wait)));
        steps
    }

    fn message(&mut self, text: &str, id: &str) -> Vec<HeadlessStep> {
        let Some(request) = self.typed.line(text, id) else {
            return vec![HeadlessStep::Write(control::message(text, id))];
        };
        // It waits for no turn.
        let message = id.to_owned();
        vec![HeadlessStep::Begun { message }, HeadlessStep::Write(request)]
    }

    fn interrupt(&mut self, id: &str) -> Vec<HeadlessStep> {
        vec![HeadlessStep::Write(control::interrupt(id))]
    }

    fn event_answer(&mut self, id: &str, reply: &EventReply) -> Vec<HeadlessStep> {
        let printed = match reply {
            EventReply::Nothing => None,
            EventReply::GoOn(why) => Some(hook::go_on(why)),
            EventReply::Context(text) => Some(hook::context(text)),
        };
        vec![HeadlessStep::Write(control::event_answer(id, printed.as_deref()))]
    }

    fn permission_answer(&mut self, id: &str, input: &Value, reply: &AskReply) -> Vec<HeadlessStep> {
        let printed = hook::answer(input, reply);
        vec![HeadlessStep::Write(control::permission_answer(
            id, input, &printed,
        ))]
    }

    fn process_end(&mut self, _is_success: bool) -> Option<Vec<HeadlessStep>> {
        None
    }

    fn has_one_answer(&self, input: &Value) -> bool {
        control::has_one_answer(input)
    }
}

fn step_of(request: ControlRequest, wait: Option<Wait>) -> HeadlessStep {
    match request {
        ControlRequest::Ready => HeadlessStep::Ready,
        ControlRequest::Event { id, input } => HeadlessStep::Event { id, input },
        ControlRequest::Permission { id, input } => HeadlessStep::Permission { id, input, wait },
        ControlRequest::Withdrawn { id } => HeadlessStep::Withdrawn { id },
        ControlRequest::Unknown { id } => HeadlessStep::Write(control::unknown(&id)),
        ControlRequest::Begun { message } => HeadlessStep::Begun { message },
    }
}

/// Returns the wait for a person in the report, if there is one.
fn wait_of(report: &AgentReport) -> Option<Wait> {
    report.seen.iter().find_map(|seen| match seen {
        Seen::Doing(Doing::Blocked(wait)) => Some(wait.clone()),
        _ => None,
    })
}
