//! The sequence of conclusions of every recording equals the one in `labels.txt`.

use std::fmt::Write as _;

use dbs::agent_state::AgentState;

use crate::recordings::{Recording, all, folder, happen, words};

/// The conclusion after each step, without repetitions.
pub(crate) fn sequence(recording: &Recording) -> Vec<String> {
    let mut state = AgentState::new();
    let mut sequence = Vec::new();
    for (at, happening) in &recording.steps {
        happen(&mut state, *at, happening);
        sequence.push(words(&state.conclude(*at).doing));
    }
    sequence.dedup();
    sequence
}

/// Returns true if the labels are to be rewritten; look at the differences afterwards.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks whether it shall rewrite its file"
)]
fn updates() -> bool {
    std::env::var_os("DBS_UPDATE").is_some()
}

#[test]
fn each_recording_leads_to_the_conclusions_it_is_labelled_with() {
    let mut concluded = String::new();
    for recording in all() {
        let _written = writeln!(
            concluded,
            "{}\n  {}",
            recording.name,
            sequence(&recording).join("\n  ")
        );
    }
    let labels = folder().join("labels.txt");
    if updates() {
        std::fs::write(&labels, &concluded).expect("labels can be written");
    }
    let expected = std::fs::read_to_string(&labels).expect("labels are there");
    for (line, (concluded, expected)) in concluded.lines().zip(expected.lines()).enumerate() {
        assert_eq!(concluded, expected, "line {} of labels.txt", line + 1);
    }
    assert_eq!(concluded.lines().count(), expected.lines().count());
}

#[test]
fn a_subagent_stands_by_its_name_while_it_runs() {
    let recording = crate::recordings::recording("claude-tty/subagent_and_question_osc7501.cast");
    let mut state = AgentState::new();
    let mut names = Vec::new();
    for (at, happening) in &recording.steps {
        happen(&mut state, *at, happening);
        let children = state.children();
        names.push(children.first().map_or("none", |_| "one").to_owned());
        if let [child] = children.as_slice() {
            assert_eq!(child.name, "Explore the repo");
        }
    }
    names.dedup();
    assert_eq!(names, ["none", "one", "none"]);
}
