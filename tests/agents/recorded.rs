//! Recorded sessions of real agents, played through our terminal emulation: the states that the agents report against
//! labels, which say what a person would have read from the screen and the keys. Needs no agent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use dbs::term::{EmulatorKind, ReportedState, Size, TermEvent, Terminal};
use serde_json::Value;

use crate::claude_headless::missing_fields;
use crate::lab::json_lines;

/// What the agent is in, as the labels call it, or nothing before its first report.
type Label = String;
/// States with the millisecond from which they hold.
type Course = Vec<(u32, Label)>;

/// The word for the time in which an agent has reported nothing yet.
const STARTING: &str = "starting";
/// Sessions whose agent reports no states: Gemini never does, and Claude Code does not where the terminal answers no query.
const SILENT: [&str; 2] = ["no_query_replies_title_only.cast", "tui_action_required.cast"];
/// The states that last long enough in the recordings for a bound; the others are printed only.
const BOUND: [&str; 4] = ["working", "done", "blocked (permission)", "blocked (question)"];
/// The least share of the time in which a report must be right, and in which a state must be reported. What is missing are
/// moments: a dialog is reported up to half a second before it stands on the screen.
const LEAST_SHARE: f64 = 0.7;

#[test]
fn reported_states_follow_each_other_as_a_person_would_read_them() {
    for (name, labels) in labels() {
        let (course, _) = play(&name);
        let reported = words(&course);
        if SILENT.contains(&name.as_str()) {
            assert_eq!(reported, [STARTING], "{name}");
        } else {
            assert_eq!(reported, words(&labels), "{name}");
        }
    }
}

#[test]
fn reported_states_are_right_and_complete_nearly_all_the_time() {
    let mut shares: BTreeMap<Label, Times> = BTreeMap::new();
    for (name, labels) in labels() {
        if !SILENT.contains(&name.as_str()) {
            let (reported, end) = play(&name);
            compare(&labels, &reported, end, &mut shares);
        }
    }
    let mut table = "state precision recall seconds\n".to_owned();
    for (state, times) in &shares {
        let (precision, recall) = (times.precision(), times.recall());
        let seconds = f64::from(times.labelled) / 1000.0;
        writeln!(table, "{state} {precision:.3} {recall:.3} {seconds:.1}").expect("written");
    }
    println!("{table}");
    for state in BOUND {
        let times = &shares[state];
        assert!(
            times.precision().min(times.recall()) > LEAST_SHARE,
            "{state}\n{table}"
        );
    }
}

#[test]
fn recorded_calls_of_hooks_carry_the_fields_that_live_ones_must_have() {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "agents", "hooks"]
        .iter()
        .collect();
    let mut calls = 0;
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("listed").path();
        for line in json_lines(&fs::read_to_string(&path).expect("readable")) {
            calls += 1;
            assert_eq!(line["event"], line["in"]["hook_event_name"], "{}", path.display());
            assert_eq!(missing_fields(&line["in"]), [""; 0], "{}: {line}", path.display());
        }
    }
    assert_eq!(calls, 56);
}

/// Milliseconds of one state over all sessions.
#[derive(Default)]
struct Times {
    labelled: u32,
    reported: u32,
    both: u32,
}

impl Times {
    /// The share of the reported time in which the report was right.
    fn precision(&self) -> f64 {
        share(self.both, self.reported)
    }

    /// The share of the labelled time in which it was reported.
    fn recall(&self) -> f64 {
        share(self.both, self.labelled)
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 {
        0.0
    } else {
        f64::from(part) / f64::from(whole)
    }
}

fn compare(labels: &Course, reported: &Course, end: u32, shares: &mut BTreeMap<Label, Times>) {
    for at in 0..end {
        let (is, said) = (state_at(labels, at), state_at(reported, at));
        shares.entry(is.to_owned()).or_default().labelled += 1;
        shares.entry(said.to_owned()).or_default().reported += 1;
        if is == said {
            shares.entry(is.to_owned()).or_default().both += 1;
        }
    }
}

fn state_at(course: &Course, at: u32) -> &str {
    let holds = course.iter().rev().find(|(from, _)| *from <= at);
    holds.map_or(STARTING, |(_, label)| label)
}

/// The labels of all sessions, by the name of the recording.
fn labels() -> BTreeMap<String, Course> {
    let path: PathBuf = [
        env!("CARGO_MANIFEST_DIR"),
        "tests",
        "data",
        "agents",
        "states.tsv",
    ]
    .iter()
    .collect();
    let text = fs::read_to_string(path).expect("readable");
    let mut all: BTreeMap<String, Course> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, from, state, _] = fields[..] else {
            panic!("not four fields: {line}")
        };
        let from: f64 = from.parse().expect("seconds");
        all.entry(name.to_owned())
            .or_default()
            .push((milliseconds(from), state.to_owned()));
    }
    all
}

/// The states in their order.
fn words(course: &Course) -> Vec<&str> {
    let mut words: Vec<&str> = course.iter().map(|(_, label)| label.as_str()).collect();
    words.dedup();
    words
}

/// Plays a recording in asciicast 2: the states that the program itself reported, and when the recording ends.
fn play(name: &str) -> (Course, u32) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
        .iter()
        .collect();
    let text = fs::read_to_string(path).expect("readable");
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let header = lines.next().expect("a header");
    let side = |key: &str| u16::try_from(header[key].as_u64().expect("a number")).expect("small");
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(side("width"), side("height")), 100);
    let mut course = vec![(0, STARTING.to_owned())];
    let mut now = 0;
    for event in lines.filter(|event| event[1] == "o") {
        now = milliseconds(event[0].as_f64().expect("seconds"));
        let bytes = event[2].as_str().expect("a text").as_bytes();
        for event in terminal.feed(now.into(), bytes) {
            if let TermEvent::AgentState(report) = event
                && report.id.is_none()
            {
                course.push((now, label(report.state, report.kind.as_deref())));
            }
        }
    }
    (course, now)
}

fn label(state: ReportedState, kind: Option<&str>) -> Label {
    let word = match state {
        ReportedState::Idle => "idle",
        ReportedState::Working => "working",
        ReportedState::Done => "done",
        ReportedState::Blocked => "blocked",
        ReportedState::Error => "error",
        ReportedState::Clear => "gone",
    };
    kind.map_or_else(|| word.to_owned(), |kind| format!("{word} ({kind})"))
}

/// Whole milliseconds of a time in seconds.
fn milliseconds(seconds: f64) -> u32 {
    std::time::Duration::from_secs_f64(seconds)
        .as_millis()
        .try_into()
        .expect("short")
}
