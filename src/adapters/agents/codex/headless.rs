//! Codex without its interface: `codex exec --json`, one process for each turn. The first one is started as configured, each later one
//! continues the session that the first one named. Text that is typed during a turn waits for its end. Nothing is asked over this protocol;
//! hooks of the invocation report events to the server, as those of the visible tool do.

use std::collections::VecDeque;

use serde_json::Value;

use super::{exec, printed};
use crate::adapters::agents::headless::{EventReply, HeadlessStep, HeadlessTool};
use crate::agent_state::{AgentReport, Doing, Seen};
use crate::domain::AskReply;

/// Word before the session.
const RESUME: &str = "resume";
/// Line that it writes to its errors at each start without a terminal, though its input is empty.
const NOISE: &[u8] = b"Reading additional input from stdin...";

/// The turns of one session.
#[derive(Debug, Default)]
pub struct CodexTurns {
    /// The command line without session and prompt.
    argv: Vec<String>,
    session: Option<String>,
    /// Messages that wait for their turn, with their ids.
    waiting: VecDeque<(String, String)>,
    turn: Turn,
}

/// Progress of the turn.
#[derive(Debug, Default, PartialEq, Eq)]
enum Turn {
    #[default]
    None,
    /// Turn whose process runs.
    Running,
    /// Turn whose process runs, and has reported the end of the turn, good or bad.
    Over,
    /// Turn whose process was asked to end by a person.
    Interrupted,
}

impl HeadlessTool for CodexTurns {
    fn start(&mut self, argv: &[String]) -> Vec<HeadlessStep> {
        self.argv = argv.to_vec();
        if let [before @ .., word, session] = argv
            && word == RESUME
        {
            self.session = Some(session.clone());
            self.argv = before.to_vec();
        }
        vec![HeadlessStep::Ready]
    }

    fn line(&mut self, line: &[u8]) -> Vec<HeadlessStep> {
        let report = exec::read(line);
        if report.session.is_some() {
            self.session.clone_from(&report.session);
        }
        if self.turn == Turn::Running && is_over(&report) {
            self.turn = Turn::Over;
        }
        let shown = printed::lines(line).into_iter().map(HeadlessStep::Show);
        shown.chain([HeadlessStep::Report(report)]).collect()
    }

    fn message(&mut self, text: &str, id: &str) -> Vec<HeadlessStep> {
        self.waiting.push_back((id.to_owned(), text.to_owned()));
        self.next_turn()
    }

    fn interrupt(&mut self, _id: &str) -> Vec<HeadlessStep> {
        if self.turn != Turn::Running {
            return Vec::new();
        }
        self.turn = Turn::Interrupted;
        vec![HeadlessStep::Interrupt]
    }

    fn event_answer(&mut self, _id: &str, _reply: &EventReply) -> Vec<HeadlessStep> {
        Vec::new()
    }

    fn permission_answer(&mut self, _id: &str, _input: &Value, _reply: &AskReply) -> Vec<HeadlessStep> {
        Vec::new()
    }

    fn process_end(&mut self, _is_success: bool) -> Option<Vec<HeadlessStep>> {
        let mut steps = match std::mem::take(&mut self.turn) {
            // It did not end its turn: it was killed, or could not even begin.
            Turn::None | Turn::Running => return None,
            Turn::Over => Vec::new(),
            Turn::Interrupted => vec![
                HeadlessStep::Show("= interrupted".to_owned()),
                HeadlessStep::Report(AgentReport::doing(Doing::Idle)),
            ],
        };
        steps.extend(self.next_turn());
        Some(steps)
    }

    fn is_noise(&self, line: &[u8]) -> bool {
        line.trim_ascii_end() == NOISE
    }
}

impl CodexTurns {
    /// Starts the turn of the message that has waited longest, unless a turn is running.
    fn next_turn(&mut self) -> Vec<HeadlessStep> {
        if self.turn != Turn::None {
            return Vec::new();
        }
        let Some((message, text)) = self.waiting.pop_front() else {
            return Vec::new();
        };
        self.turn = Turn::Running;
        let mut argv = self.argv.clone();
        argv.extend(self.session.iter().map(|_| RESUME.to_owned()));
        argv.push("--".to_owned());
        argv.extend(self.session.clone());
        argv.push(text);
        let run = HeadlessStep::Run {
            argv,
            takes_lines: false,
        };
        // It says nothing of itself before it has read its settings.
        let report = HeadlessStep::Report(AgentReport::doing(Doing::Starting));
        vec![HeadlessStep::Begun { message }, run, report]
    }
}

/// Returns true if a turn is over, well or not.
fn is_over(report: &AgentReport) -> bool {
    report.seen.iter().any(|seen| match seen {
        Seen::Doing(doing) => !matches!(doing, Doing::Working(_) | Doing::Starting),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// The command line that the steps run, if they run one.
    fn run(steps: &[HeadlessStep]) -> Option<Vec<String>> {
        steps.iter().find_map(|step| match step {
            HeadlessStep::Run { argv, .. } => Some(argv.clone()),
            _ => None,
        })
    }

    #[test]
    fn a_message_waits_for_the_end_of_the_turn_and_goes_on_with_its_session() {
        let mut turns = CodexTurns::default();
        assert_eq!(
            turns.start(&argv(&["codex", "exec", "--json"])),
            [HeadlessStep::Ready]
        );
        let first = run(&turns.message("go", "m1"));
        assert_eq!(first, Some(argv(&["codex", "exec", "--json", "--", "go"])));
        turns.line(br#"{"type":"thread.started","thread_id":"t"}"#);
        assert_eq!(turns.message("-next", "m2"), []);
        turns.line(br#"{"type":"turn.completed","usage":{}}"#);
        assert_eq!(turns.message("last", "m3"), [], "the process has not ended yet");
        let next = turns.process_end(true).unwrap();
        assert_eq!(
            run(&next),
            Some(argv(&["codex", "exec", "--json", "resume", "--", "t", "-next"]))
        );
        assert!(next.contains(&HeadlessStep::Begun {
            message: "m2".to_owned()
        }));
    }

    #[test]
    fn an_interrupted_turn_and_a_failed_one_leave_the_run_and_a_killed_process_ends_it() {
        let begun = || {
            let mut turns = CodexTurns::default();
            turns.start(&argv(&["codex", "exec", "resume", "s"]));
            let first = run(&turns.message("go", "m1"));
            assert_eq!(first, Some(argv(&["codex", "exec", "resume", "--", "s", "go"])));
            turns
        };
        let mut turns = begun();
        assert_eq!(turns.interrupt("i"), [HeadlessStep::Interrupt]);
        assert_eq!(turns.interrupt("i"), [], "once is enough");
        assert!(turns.process_end(false).is_some());
        let mut turns = begun();
        turns.line(br#"{"type":"turn.failed","error":{"message":"status 400"}}"#);
        assert!(turns.process_end(false).is_some());
        assert_eq!(begun().process_end(false), None);
    }
}
