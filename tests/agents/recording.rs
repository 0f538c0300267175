//! Records sessions of real agents anew, with the states that they are in. The test knows what it and the scripted model do at which time;
//! the rest is read from the screen by words that no reader of this program looks for. The tests of the states of agents replay the
//! recordings.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dbs::adapters::agents::{AgentKind, PermissionPolicy, RoleOptions, hook};
use dbs::domain::AskReply;
use serde_json::{Value, json};

use crate::frames::joined;
use crate::lab::{Lab, wait_for};
use crate::pane::{Pane, PaneEvent};
use crate::polling::holds_within;
use crate::recording_start::{brief, context, hooks};

/// Words on the screen of both tools during a turn.
pub(crate) const BUSY: &str = "esc to interrupt";
/// Longest time from the start of a tool to its first request.
const LONGEST_START: Duration = Duration::from_mins(5);
/// Kinds of lines that are kept of a session's record.
const RECORDED: [&str; 3] = ["\"token_count\"", "\"task_started\"", "\"task_complete\""];

/// A session that is recorded.
pub(crate) struct Recording<'a> {
    lab: &'a Lab,
    name: &'static str,
    pub(crate) pane: Pane,
    /// The time of its start, in milliseconds since 1970.
    began: u64,
    labels: Vec<(u64, String, String)>,
    record: Vec<PaneEvent>,
    seen: BTreeSet<String>,
}

impl<'a> Recording<'a> {
    /// Starts the tool in `lab` with a prompt, as this program starts it.
    pub(crate) fn start(lab: &'a Lab, name: &'static str, kind: &dyn AgentKind, prompt: &str) -> Self {
        Self::start_with(lab, (name, kind), prompt, |_| {})
    }

    /// Starts the tool in a changed environment.
    pub(crate) fn start_with(
        lab: &'a Lab,
        (name, kind): (&'static str, &dyn AgentKind),
        prompt: &str,
        change: impl FnOnce(&mut Vec<(String, String)>),
    ) -> Self {
        let options = RoleOptions {
            permissions: PermissionPolicy::Ask,
            ..RoleOptions::default()
        };
        let launch = kind.launch(&context(lab), &brief(lab), prompt, &options).unwrap();
        let mut argv = lab.argv(&[]);
        argv.extend(launch.argv.into_iter().skip(1));
        let mut env = lab.env();
        env.extend(launch.env);
        change(&mut env);
        Self::of(lab, name, || Pane::start_with(lab, argv, env, launch.files))
    }

    /// Records what runs in the pane that `start` opens.
    pub(crate) fn of(lab: &'a Lab, name: &'static str, start: impl FnOnce() -> Pane) -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        let mut recording = Self {
            lab,
            name,
            pane: start(),
            began: u64::try_from(began).unwrap(),
            labels: Vec::new(),
            record: Vec::new(),
            seen: BTreeSet::new(),
        };
        recording.label_from(0, "starting", "nothing yet");
        recording
    }

    /// Sets the state from now on, and how that is known.
    pub(crate) fn label(&mut self, state: &str, known_by: &str) {
        self.label_from(self.pane.millis(), state, known_by);
    }

    fn label_from(&mut self, millis: u64, state: &str, known_by: &str) {
        self.labels.push((millis, state.to_owned(), known_by.to_owned()));
    }

    /// Sets the state from the moment at which the screen has this text.
    pub(crate) fn label_at(&mut self, text: &str, state: &str) {
        let millis = self.pane.wait_for_screen(text, |screen| {
            screen.to_lowercase().contains(&text.to_lowercase())
        });
        self.label_from(millis, state, &format!("the screen says \"{text}\""));
    }

    /// Sets the state from the moment at which the screen no longer has this text.
    pub(crate) fn label_gone(&mut self, text: &str, state: &str) {
        let millis = self.pane.wait_for_screen(text, |screen| !screen.contains(text));
        self.label_from(millis, state, &format!("the screen no longer says \"{text}\""));
    }

    /// Sets the state from the moment at which the screen names the folder of the project.
    pub(crate) fn label_at_folder(&mut self, state: &str) {
        let folder = self.lab.project().display().to_string();
        let millis = self
            .pane
            .wait_for_screen(&folder, |screen| screen.contains(&folder));
        self.label_from(millis, state, "the screen names the folder of the project");
    }

    /// Sets the state from the moment at which the screen has this text and does not name the folder of the project.
    pub(crate) fn label_without_folder(&mut self, text: &str, state: &str) {
        let folder = self.lab.project().display().to_string();
        let millis = self
            .pane
            .wait_for_screen(text, |screen| screen.contains(text) && !screen.contains(&folder));
        self.label_from(
            millis,
            state,
            &format!("\"{text}\" without the folder of the project"),
        );
    }

    /// Sets the state from the moment at which the screen has `text` and no longer has `gone`.
    pub(crate) fn label_without(&mut self, text: &str, gone: &str, state: &str) {
        let millis = self.pane.wait_for_screen(text, |screen| {
            screen.contains(text) && !screen.to_lowercase().contains(gone)
        });
        self.label_from(millis, state, &format!("\"{text}\" without \"{gone}\""));
    }

    /// Sets the state from the moment at which the screen has `text`, and `below` under it.
    pub(crate) fn label_below(&mut self, text: &str, below: &str, state: &str) {
        let millis = self.pane.wait_for_screen(below, |screen| {
            screen
                .rsplit_once(text)
                .is_some_and(|(_, rest)| rest.contains(below))
        });
        self.label_from(millis, state, &format!("\"{below}\" below \"{text}\""));
    }

    /// Types keys with which a state begins.
    pub(crate) fn type_to(&mut self, keys: &str, state: &str, known_by: &str) {
        self.label(state, known_by);
        self.pane.type_keys(keys);
    }

    /// Sets the state from the moment at which an answer of the model waits at this gate.
    pub(crate) fn label_at_gate(&mut self, gate: &str, state: &str) {
        self.lab.server.wait_at_gate(gate);
        self.label(
            state,
            &format!("the answer of the model waits at the gate \"{gate}\""),
        );
    }

    /// Sets the state from the moment of the first request to the model for this script.
    pub(crate) fn label_at_request(&mut self, script: &str, state: &str) {
        self.label_at_requests(script, 1, state);
    }

    /// Sets the state from the moment of the given request for this script. A tool may take long to start.
    pub(crate) fn label_at_requests(&mut self, script: &str, number: usize, state: &str) {
        let is_asked = || self.lab.server.requests_for(script).len() >= number;
        let summary = || self.lab.server.summary();
        assert!(
            holds_within(LONGEST_START, is_asked),
            "the model was not asked: {}",
            summary()
        );
        self.label(state, "the model is asked");
    }

    /// Types a prompt and sends it to a tool that shows when it works.
    pub(crate) fn prompt(&mut self, text: &str) {
        self.send(text);
        self.label_at(BUSY, "working");
    }

    /// Types a prompt and sends it, without a label.
    pub(crate) fn send(&mut self, text: &str) {
        self.pane.type_keys(text);
        self.pane.wait_for_text(text);
        self.hold(1);
        self.pane.type_keys("\r");
    }

    /// Waits for that time, and keeps reading the record.
    pub(crate) fn hold(&mut self, seconds: u64) {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(seconds) {
            let piece = Instant::now();
            wait_for("a second to be over", || {
                piece.elapsed() >= Duration::from_secs(1)
            });
            self.read_record();
        }
    }

    /// Waits for a file in the project.
    pub(crate) fn wait_for_file(&mut self, file: &str) {
        wait_for(file, || self.lab.has_made(file));
    }

    /// Waits until the hook has asked this number of requests.
    pub(crate) fn wait_for_request(&mut self, number: usize) {
        wait_for("a request", || self.requests().len() == number);
    }

    fn requests(&self) -> Vec<Value> {
        let calls = self.calls("call").into_iter().map(|(_, _, text)| text);
        let calls = calls.map(|text| serde_json::from_str::<Value>(&text).unwrap());
        let of_asks = calls.filter(|call| call["hook_event_name"] == "PermissionRequest");
        of_asks.collect()
    }

    /// Answers the last request.
    pub(crate) fn answer(&mut self, reply: &AskReply) {
        let request = self.requests().pop().unwrap();
        let folder = hooks(self.lab);
        fs::write(folder.join("reply.part"), hook::answer(&request, reply)).unwrap();
        self.label("working", "the request is answered");
        fs::rename(folder.join("reply.part"), folder.join("reply")).unwrap();
    }

    /// Leaves all requests to the terminal.
    pub(crate) fn leave_to_terminal(&mut self) {
        fs::write(hooks(self.lab).join("left"), "").unwrap();
    }

    /// Returns the files of calls with this ending: their time, their name and their text.
    fn calls(&self, ending: &str) -> Vec<(u64, String, String)> {
        let mut found = Vec::new();
        // A run without an interface calls no hook.
        for entry in fs::read_dir(hooks(self.lab)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|own| own == ending) {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                let at: u64 = name.split('-').next().unwrap().parse().unwrap();
                let text = fs::read_to_string(&path).unwrap().trim().to_owned();
                found.push((at.saturating_sub(self.began), name, text));
            }
        }
        found.sort();
        found
    }

    /// Keeps new lines of the records of Codex.
    fn read_record(&mut self) {
        let text = self.lab.codex_rollouts();
        for line in text
            .lines()
            .filter(|line| RECORDED.iter().any(|kind| line.contains(kind)))
        {
            if self.seen.insert(line.to_owned()) {
                let millis = self.pane.millis();
                self.record.push(PaneEvent {
                    millis,
                    kind: "s",
                    text: line.to_owned(),
                });
            }
        }
    }

    /// Ends the session and writes it with its labels.
    pub(crate) fn write(mut self) {
        self.read_record();
        let end = self.pane.millis();
        self.label_from(end, "gone", "the recording ends");
        let mut events = self.pane.happened();
        events.append(&mut self.record);
        let call = |(millis, _, text): (u64, String, String)| PaneEvent {
            millis,
            kind: "h",
            text,
        };
        events.extend(self.calls("call").into_iter().map(call));
        for (_, _, text) in self.calls("answered") {
            let at: u64 = text.parse().unwrap();
            let millis = at.saturating_sub(self.began);
            events.push(PaneEvent {
                millis,
                kind: "a",
                text: String::new(),
            });
        }
        events.sort_by_key(|event| event.millis);
        let mut cast = json!({ "version": 2, "width": 110, "height": 32 }).to_string() + "\n";
        for PaneEvent { millis, kind, text } in joined(events) {
            writeln!(cast, "[{}, \"{kind}\", {}]", seconds(millis), json!(text)).unwrap();
        }
        let home = std::env::var("HOME").unwrap();
        assert!(
            !cast.contains(&home),
            "the recording names a folder of this machine: {home}"
        );
        fs::write(folder().join(format!("{}.cast", self.name)), cast).unwrap();
        self.write_labels();
    }

    /// Replaces the labels of this recording in the file of all labels.
    fn write_labels(&self) {
        static FILE: Mutex<()> = Mutex::new(());
        let _guard = FILE.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, name) = (folder().join("states.tsv"), format!("{}.cast", self.name));
        let before = fs::read_to_string(&file).unwrap_or_default();
        let others = before
            .lines()
            .filter(|line| !line.starts_with(&format!("{name}\t")));
        let mut lines: Vec<String> = others.map(str::to_owned).collect();
        for (millis, state, known_by) in &self.labels {
            lines.push(format!("{name}\t{}\t{state}\t{known_by}", seconds(*millis)));
        }
        // Comments come first, and the labels of a recording keep their order.
        lines.sort_by_key(|line| {
            line.split('\t')
                .next()
                .filter(|_| !line.starts_with('#'))
                .map(str::to_owned)
        });
        fs::write(file, lines.join("\n") + "\n").unwrap();
    }
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1_000, millis % 1_000)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/agents/recordings")
}
