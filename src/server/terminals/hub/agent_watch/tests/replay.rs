//! Recorded sessions, replayed with their times: their output, keys, calls of hooks and lines of their records go the way that they go in
//! a server, and what is known of the agent is looked at again and again.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::adapters::agents::codex::rollout::RecordReader;
use crate::adapters::agents::hook::{ToolEvent, read_event, state_fields};
use crate::adapters::agents::{AgentKind, ClaudeAgent, CodexAgent, DescribedAgent, ReadScreen};
use crate::adapters::agents::{claude, status_record};
use crate::agent_state::{AgentReport, Doing, Seen, Source};
use crate::domain::{ProcessExit, Timestamp};
use crate::formats::agent_kind::AgentKinds;
use crate::server::signals::hooks::asking;
use crate::server::terminals::hub::agent_watch::AgentWatch;
use crate::term::{EmulatorKind, Size, TermEvent, Terminal};

/// Milliseconds between two looks, and between two reads of the record of a session.
pub(super) const STEP: u64 = 10;
const RECORD_EVERY: u64 = 2_000;
/// Beginnings of a terminal's replies to queries; they are no keys.
const REPLIES: [&str; 3] = ["\u{1b}[?", "\u{1b}P", "\u{1b}]"];

/// Event of a session at a time.
struct Happening {
    at: u64,
    /// The kind, as in asciicast 2 (`o`, `i`, `r`), and those of our own: `h` a hook's input, `a` the answer that it printed, `s` a line
    /// of the session's record, `z` whether it is suspended, `x` the end with a code.
    kind: String,
    text: String,
}

/// A session and the emulated world around its agent.
pub(super) struct Replay {
    happenings: std::vec::IntoIter<Happening>,
    kind: Box<dyn AgentKind>,
    terminal: Terminal,
    watch: AgentWatch,
    screen: Option<ReadScreen>,
    record: RecordReader,
    unread: Vec<String>,
}

/// The folder with the data of tests.
pub(super) fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(path)
}

/// Whole milliseconds of a time in seconds.
pub(super) fn milliseconds(seconds: f64) -> u64 {
    u64::try_from(std::time::Duration::from_secs_f64(seconds).as_millis()).unwrap()
}

/// The tool of that name; a run without an interface has it behind `headless_`.
fn kind(tool: &str) -> Box<dyn AgentKind> {
    match tool.trim_start_matches("headless_") {
        "claude" => Box::new(ClaudeAgent),
        "codex" => Box::new(CodexAgent),
        name => Box::new(DescribedAgent(AgentKinds::default().get(name).unwrap().unwrap())),
    }
}

impl Replay {
    /// Opens a recording of that tool.
    pub(super) fn open(file: &Path, tool: &str) -> Self {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let header = lines.next().unwrap();
        let length = |key: &str| u16::try_from(header[key].as_u64().unwrap()).unwrap();
        let size = Size::new(length("width"), length("height"));
        let happenings: Vec<Happening> = lines.map(|event| Happening::read(&event)).collect();
        let kind = kind(tool);
        let mut watch = AgentWatch::new(Timestamp(0));
        watch.end_past(None, Timestamp(0));
        Self {
            happenings: happenings.into_iter(),
            screen: kind.screen_reader(),
            kind,
            terminal: Terminal::new(EmulatorKind::default(), size, 100),
            watch,
            record: RecordReader::default(),
            unread: Vec::new(),
        }
    }

    /// Plays on until `end` and shows what is concluded, and the screen, at each look.
    pub(super) fn play(mut self, end: u64, mut look: impl FnMut(u64, &Doing)) {
        for now in (0..end).step_by(usize::try_from(STEP).unwrap()) {
            while self
                .happenings
                .as_slice()
                .first()
                .is_some_and(|next| next.at <= now)
            {
                let next = self.happenings.next().unwrap();
                self.look_until(next.at);
                self.take(&next);
            }
            self.look_until(now);
            if now % RECORD_EVERY == 0 {
                self.read_record(now);
            }
            look(now, &self.watch.state.conclude(Timestamp(now)).doing);
        }
    }

    /// Takes all looks at the screen that are due.
    fn look_until(&mut self, now: u64) {
        while let Some(at) = self.watch.look_due().filter(|at| at.0 <= now) {
            let screen = self.screen_text();
            let by_rule = self.kind.read_screen(&screen);
            self.watch.looked(&screen, by_rule, at);
        }
    }

    fn screen_text(&mut self) -> String {
        let last = self.terminal.size().rows - 1;
        self.terminal.text(0, last, 0)
    }

    fn take(&mut self, happening: &Happening) {
        let (at, text) = (Timestamp(happening.at), happening.text.as_str());
        match happening.kind.as_str() {
            "o" => self.output(at, text),
            "i" if REPLIES.iter().any(|begin| text.starts_with(begin)) => {}
            "i" => self.watch.input(at),
            "r" => self.resize(text),
            "h" => self.call_of_hook(at, text),
            "a" => self.watch.answered(at, at),
            "s" => self.unread.push(text.to_owned()),
            "z" => self.watch.suspended(text == "1", at),
            "x" => self.observe(Source::ProcessExit, at, &exit(text)),
            _ => {}
        }
    }

    fn observe(&mut self, source: Source, at: Timestamp, report: &AgentReport) {
        self.watch.observe(source, at, report);
    }

    fn output(&mut self, at: Timestamp, text: &str) {
        for event in self.terminal.feed(at.0, text.as_bytes()) {
            match event {
                TermEvent::AgentState(record) => {
                    self.observe(Source::StatusRecord, at, &status_record::read(&record));
                }
                TermEvent::Title(title) => {
                    let report = self.kind.read_title(&title);
                    self.observe(Source::Title, at, &report);
                }
                _ => {}
            }
        }
        if let Some(read) = self.screen {
            if self.watch.state.is_unheard() {
                let report = read(&self.screen_text());
                self.observe(Source::Screen, at, &report);
            } else {
                self.screen = None;
            }
        }
        self.watch.screen_changed(at);
    }

    fn resize(&mut self, text: &str) {
        let (cols, rows) = text.split_once('x').unwrap();
        let size = Size::new(cols.parse().unwrap(), rows.parse().unwrap());
        drop(self.terminal.resize(size));
    }

    /// Takes what a hook got as `dbs hook` hands it on; a turn may end without a report.
    fn call_of_hook(&mut self, at: Timestamp, text: &str) {
        let input: Value = serde_json::from_str(text).unwrap();
        let report = claude::hooks::read(state_fields(&input).as_bytes());
        match read_event(&input, "ask") {
            ToolEvent::Ask(ask) => self.observe(Source::Hook, at, &asking(report, &ask.bounded())),
            ToolEvent::TurnOver { .. } => {
                self.read_record(at.0);
                self.observe(Source::Hook, at, &report);
            }
            ToolEvent::Report => self.observe(Source::Hook, at, &report),
            ToolEvent::Other => {}
        }
    }

    /// Reads the new lines of the session's record; of the state only the last counts.
    fn read_record(&mut self, now: u64) {
        let mut state = None;
        for line in std::mem::take(&mut self.unread) {
            let (report, at) = self.record.read(line.as_bytes());
            state = at.map(|_| report).or(state);
        }
        if let Some(report) = state {
            self.observe(Source::Stream, Timestamp(now), &report);
        }
    }
}

impl Happening {
    fn read(event: &Value) -> Self {
        let text = |at: usize| event[at].as_str().unwrap().to_owned();
        Self {
            at: milliseconds(event[0].as_f64().unwrap()),
            kind: text(1),
            text: text(2),
        }
    }
}

fn exit(code: &str) -> AgentReport {
    AgentReport::of(Seen::Doing(Doing::of_exit(ProcessExit::Code(
        code.parse().unwrap(),
    ))))
}
