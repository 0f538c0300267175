//! Recorded sessions of real agents: their screens while they waited for a person, on the alternate screen, and at the end.

use std::path::PathBuf;

use crate::screen::text;
use dbs::term::{EmulatorKind, ReportedState, Size, TermEvent, TermMode, Terminal};

/// Plays a recording in asciicast 2 and returns the last screen and the reports.
fn play(kind: EmulatorKind, name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
        .iter()
        .collect();
    let content = std::fs::read_to_string(path).unwrap();
    let mut lines = content
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let header = lines.next().unwrap();
    let side = |key: &str| u16::try_from(header[key].as_u64().unwrap()).unwrap();
    let mut terminal = Terminal::new(kind, Size::new(side("width"), side("height")), 1000);
    let mut report = Vec::new();
    let mut waiting = false;
    for event in lines {
        let now = (event[0].as_f64().unwrap() * 1000.0) as u64;
        let content = event[2].as_str().unwrap();
        let before = text(&mut terminal);
        let was_full = terminal.modes().has(TermMode::AlternateScreen);
        let events = match event[1].as_str().unwrap() {
            "o" => terminal.feed(now, content.as_bytes()),
            "r" => {
                let (cols, rows) = content.split_once('x').unwrap();
                terminal.resize(Size::new(cols.parse().unwrap(), rows.parse().unwrap()))
            }
            _ => Vec::new(),
        };
        let states = || {
            events.iter().filter_map(|event| {
                if let TermEvent::AgentState(state) = event {
                    Some(state.state)
                } else {
                    None
                }
            })
        };
        if waiting && states().next().is_some() {
            report.push(format!("waited on this screen:\n{before}"));
        }
        waiting = states()
            .next_back()
            .map_or(waiting, |state| state == ReportedState::Blocked);
        if was_full && !terminal.modes().has(TermMode::AlternateScreen) {
            report.push(format!("left this screen:\n{before}"));
        }
        report.extend(
            events
                .iter()
                .filter(|event| !matches!(event, TermEvent::Reply(_)))
                .map(|event| format!("{event:?}")),
        );
    }
    let cursor = terminal.cursor();
    format!(
        "{}\n--- ended on this screen, {cursor:?}:\n{}",
        report.join("\n--- "),
        text(&mut terminal)
    )
}

fn recordings() -> Vec<String> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts"]
        .iter()
        .collect();
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn recorded_agents_show_the_screens_they_had() {
    let names = recordings();
    assert!(names.len() >= 7);
    for name in names {
        insta::with_settings!({ snapshot_path => "../data/term/snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.trim_end_matches(".cast"), play(EmulatorKind::Rio, &name));
        });
    }
}

#[test]
fn recorded_agents_look_the_same_on_both_emulators() {
    for name in recordings() {
        assert_eq!(
            play(EmulatorKind::Vt100, &name),
            play(EmulatorKind::Rio, &name),
            "{name}"
        );
    }
}
