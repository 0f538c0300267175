//! Accuracy and delay of conclusions, compared with the real actions of the agents (`truth.txt`): precision, recall and delay for each
//! state and each way in which a tool reports.

use std::collections::BTreeMap;

use dbs::agent_state::{AgentState, Doing};
use dbs::domain::Timestamp;

use crate::recordings::{Happening, Reader, Recording, folder, happen, recording};

/// Milliseconds between two looks at a recording.
const STEP: u64 = 5;

/// The distinguished states, and the ways of reporting with the readers of each.
const STATES: [&str; 3] = ["working", "blocked", "ready"];
const WAYS: [(&str, &str, &[Reader]); 6] = [
    ("claude status record", "claude-tty/", &[Reader::Record]),
    ("claude title", "claude-tty/", &[Reader::ClaudeTitle]),
    (
        "claude both",
        "claude-tty/",
        &[Reader::Record, Reader::ClaudeTitle],
    ),
    ("claude stream", "claude-control/", &[Reader::Stream]),
    ("codex both", "codex/tui", &[Reader::Record, Reader::CodexTitle]),
    ("gemini title", "gemini/", &[Reader::GeminiTitle]),
];

/// Figures of a state as reported in one way, in looks and milliseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Accuracy {
    concluded: u64,
    real: u64,
    right: u64,
    delays: u64,
    changes: u64,
    missed: u64,
}

impl Accuracy {
    /// Precision and recall in percent.
    fn percent(self) -> (u64, u64) {
        let share = |of: u64| (self.right * 100).checked_div(of).unwrap_or(100);
        (share(self.concluded), share(self.real))
    }

    fn delay(self) -> u64 {
        self.delays / (self.changes - self.missed).max(1)
    }
}

fn state_of(doing: &Doing) -> &'static str {
    match doing {
        Doing::Working(_) | Doing::Background(_) => "working",
        Doing::Blocked(_) => "blocked",
        _ => "ready",
    }
}

/// Real states in each recording, each with its start.
fn truth() -> BTreeMap<String, Vec<(u64, &'static str)>> {
    let text = std::fs::read_to_string(folder().join("truth.txt")).expect("the truth is there");
    let mut truth: BTreeMap<String, Vec<(u64, &'static str)>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let [name, second, state] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("not a line of truth: {line}");
        };
        let millis = second
            .replace('.', "")
            .parse()
            .expect("seconds with three digits after the point");
        let state = STATES
            .into_iter()
            .find(|known| *known == state)
            .expect("a known state");
        truth.entry(name.to_owned()).or_default().push((millis, state));
    }
    truth
}

/// Conclusion from a recording at each look, from those readers alone.
fn looks(recording: &Recording, readers: &[Reader], from: u64) -> Vec<(u64, &'static str)> {
    let mut state = AgentState::new();
    let mut steps = recording.steps.iter().peekable();
    // The last state lasts for a moment longer.
    let end = recording.steps.last().map_or(0, |(at, _)| at.0) + 500;
    let mut looks = Vec::new();
    for now in (from..end).step_by(usize::try_from(STEP).expect("small")) {
        while let Some((at, happening)) = steps.next_if(|(at, _)| at.0 <= now) {
            match happening {
                Happening::Bytes { reader, .. } if !readers.contains(reader) => {}
                happening => happen(&mut state, *at, happening),
            }
        }
        looks.push((now, state_of(&state.conclude(Timestamp(now)).doing)));
    }
    looks
}

fn measure(
    measured: &mut BTreeMap<&'static str, Accuracy>,
    looks: &[(u64, &'static str)],
    real: &[(u64, &'static str)],
) {
    for (now, concluded) in looks {
        let (_, is) = real
            .iter()
            .rfind(|(from, _)| from <= now)
            .expect("looks begin with the truth");
        measured.entry(concluded).or_default().concluded += 1;
        measured.entry(is).or_default().real += 1;
        measured.entry(is).or_default().right += u64::from(concluded == is);
    }
    for (number, (from, state)) in real.iter().enumerate() {
        let end = real.get(number + 1).map_or(u64::MAX, |(next, _)| *next);
        let mut during = looks.iter().filter(|(now, _)| (*from..end).contains(now));
        let accuracy = measured.entry(state).or_default();
        accuracy.changes += 1;
        match during.find(|(_, concluded)| concluded == state) {
            Some((now, _)) => accuracy.delays += now - from,
            None => accuracy.missed += 1,
        }
    }
}

fn accuracy(folder: &str, readers: &[Reader]) -> BTreeMap<&'static str, Accuracy> {
    let mut measured = BTreeMap::new();
    for (name, real) in truth() {
        // Only a recording without status records measures titles alone.
        let is_without = name.contains("title_only");
        let suits = match readers {
            [Reader::Record] | [Reader::Record, _] => !is_without,
            [Reader::ClaudeTitle] => is_without,
            _ => true,
        };
        if name.starts_with(folder) && suits {
            measure(
                &mut measured,
                &looks(&recording(&name), readers, real[0].0),
                &real,
            );
        }
    }
    measured
}

#[test]
fn conclusions_are_right_and_soon_in_every_way_a_tool_reports() {
    for (way, folder, readers) in WAYS {
        for (state, measured) in accuracy(folder, readers) {
            let (precision, recall) = measured.percent();
            let delay = measured.delay();
            println!(
                "{way:22} {state:8} precision {precision:3} % recall {recall:3} % delay {delay:4} ms missed {} of {}",
                measured.missed, measured.changes
            );
            // The title of Claude is the same for an idle agent and one that waits for an answer.
            if way != "claude title" && way != "gemini title" && way != "claude status record" {
                assert!(
                    precision >= 85 && recall >= 85 && delay <= 120,
                    "{way} {state}: {measured:?}"
                );
            }
        }
    }
}
