//! Recorded sessions of real agents, played through our terminal emulation and our readers: the concluded states are compared with labels,
//! which say what a person would have read from the screen and the keys. Needs no agent.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use dbs::adapters::agents::menu::ScreenMenu;
use dbs::adapters::agents::{AgentKind as _, DescribedAgent, claude, codex, status_record};
use dbs::agent_state::{AgentReport, AgentState, Doing, Source};
use dbs::domain::{AskKind, Timestamp};
use dbs::formats::agent_kind::AgentKinds;
use dbs::term::{EmulatorKind, Size, TermEvent, Terminal};
use serde_json::Value;

use crate::claude_headless::missing_fields;
use crate::lab::json_lines;

/// State of an agent, as the labels call it.
type Label = String;
/// States, each with the millisecond from which it holds.
type Course = Vec<(u32, Label)>;

/// Word for the time in which nothing is known yet.
const STARTING: &str = "starting";
/// Word for the end of a session. A process that ends is known to have ended, so nothing is measured from then on.
const GONE: &str = "gone";
/// Interval at which the concluded state is looked at, in milliseconds.
const STEP: u32 = 10;
/// Time in which a screen is drawn anew, in milliseconds.
const SETTLING: u32 = 300;
/// Sessions of Claude Code in a terminal that does not answer its query: its title alone does not say that it waits.
const TITLE_ALONE: &str = "no_query_replies_title_only.cast";

/// Returns the reader of titles for the tool of a recording.
fn reader_of_titles(recording: &str) -> fn(&str) -> AgentReport {
    match recording {
        "tui_action_required.cast" => gemini_title,
        "tui_approval.cast" => codex::title::read,
        _ => claude::title::read,
    }
}

/// Reads a title by the rules in the file of Gemini CLI.
fn gemini_title(title: &str) -> AgentReport {
    static KIND: LazyLock<DescribedAgent> = LazyLock::new(|| {
        let kind = AgentKinds::default()
            .get("gemini")
            .expect("it comes with the program");
        DescribedAgent(kind.expect("it can be read"))
    });
    KIND.read_title(title)
}

#[test]
fn concluded_states_follow_each_other_as_a_person_would_read_them() {
    for (name, labels) in labels() {
        let concluded = play(&name, end_of(&labels));
        if name == TITLE_ALONE {
            assert!(!words(&concluded).iter().any(|word| word.starts_with("blocked")));
        } else {
            assert_eq!(words(&concluded), words(&labels), "{name}: {concluded:?}");
        }
    }
}

#[test]
fn a_menu_is_seen_whenever_a_person_is_asked_and_at_no_other_time() {
    for (name, labels) in labels() {
        let (end, mut seen) = (end_of(&labels), Vec::new());
        play_screen(&name, end, |now, screen| {
            let state = state_at(&labels, now);
            let is_steady = state == state_at(&labels, now.saturating_sub(SETTLING))
                && state == state_at(&labels, now + SETTLING);
            if is_steady && state != STARTING {
                let menu = ScreenMenu::read(screen);
                assert_eq!(
                    menu.is_some(),
                    state.starts_with("blocked"),
                    "{name} {now} {menu:?}\n{screen}"
                );
                seen.push(menu.is_some());
            }
        });
        assert!(seen.contains(&true), "{name} asks nothing");
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

fn state_at(course: &Course, at: u32) -> &str {
    let holds = course.iter().rev().find(|(from, _)| *from <= at);
    holds.map_or(STARTING, |(_, label)| label)
}

/// Returns when the agent of a session is gone according to its labels, or a second after the last of them if it is not.
fn end_of(labels: &Course) -> u32 {
    let gone = labels.iter().find(|(_, label)| label == GONE).map(|(at, _)| *at);
    let last = labels.last().map_or(0, |(at, _)| at + 1_000);
    gone.unwrap_or(last)
}

/// Returns the labels of all sessions, by the name of the recording.
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

/// Returns the states in their order from the first work on: before that, an agent that has started and one that is idle are the same.
fn words(course: &Course) -> Vec<&str> {
    let labels = course.iter().map(|(_, label)| label.as_str());
    let is_before = |label: &&str| matches!(*label, STARTING | "idle");
    let session = labels.take_while(|label| *label != GONE).skip_while(is_before);
    let mut words: Vec<&str> = session.collect();
    words.dedup();
    words
}

/// Plays a recording in asciicast 2 up to the given time; returns the states that are concluded from status records and titles.
fn play(name: &str, end: u32) -> Course {
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
    let mut output = lines.filter(|event| event[1] == "o").peekable();
    let (mut state, read_title) = (AgentState::new(), reader_of_titles(name));
    let mut course: Course = Vec::new();
    for now in (0..end).step_by(STEP.try_into().expect("small")) {
        while let Some(event) =
            output.next_if(|event| milliseconds(event[0].as_f64().expect("seconds")) <= now)
        {
            let at = milliseconds(event[0].as_f64().expect("seconds")).into();
            for event in terminal.feed(at, event[2].as_str().expect("a text").as_bytes()) {
                let (source, report) = match event {
                    TermEvent::AgentState(record) => (Source::StatusRecord, status_record::read(&record)),
                    TermEvent::Title(title) => (Source::Title, read_title(&title)),
                    _ => continue,
                };
                for observation in report.observations(source, Timestamp(at)) {
                    state.observe(observation);
                }
            }
        }
        let label = label(&state.conclude(Timestamp(now.into())).doing);
        if course.last().is_none_or(|(_, last)| *last != label) {
            course.push((now, label.to_owned()));
        }
    }
    course
}

/// Plays a recording up to the given time, and shows its screen a few times a second.
fn play_screen(name: &str, end: u32, mut look: impl FnMut(u32, &str)) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
        .iter()
        .collect();
    let text = fs::read_to_string(path).expect("readable");
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let header = lines.next().expect("a header");
    let side = |key: &str| u16::try_from(header[key].as_u64().expect("a number")).expect("small");
    let area = Size::new(side("width"), side("height"));
    let mut terminal = Terminal::new(EmulatorKind::Rio, area, 100);
    let mut output = lines.filter(|event| event[1] == "o").peekable();
    for now in (0..end).step_by(200) {
        while let Some(event) =
            output.next_if(|event| milliseconds(event[0].as_f64().expect("seconds")) <= now)
        {
            drop(terminal.feed(now.into(), event[2].as_str().expect("a text").as_bytes()));
        }
        look(now, &terminal.text(0, area.rows - 1, 0));
    }
}

/// Returns the word that people would use. Work that is over and an agent that was never asked look the same.
fn label(doing: &Doing) -> &'static str {
    match doing {
        Doing::Starting => STARTING,
        Doing::Working(_) | Doing::Background(_) => "working",
        Doing::Blocked(wait) => match wait.kind {
            AskKind::Permission | AskKind::Plan => "blocked (permission)",
            AskKind::Question => "blocked (question)",
            AskKind::Dialog => "blocked (dialog)",
        },
        Doing::Idle | Doing::Done { .. } => "idle",
        Doing::Limit { .. } | Doing::NotLoggedIn { .. } => "limit or login",
        Doing::Suspended | Doing::Exited(_) | Doing::Lost => GONE,
    }
}

/// Converts a time in seconds to whole milliseconds.
fn milliseconds(seconds: f64) -> u32 {
    std::time::Duration::from_secs_f64(seconds)
        .as_millis()
        .try_into()
        .expect("short")
}
