//! Readers accept any bytes: cut, doubled, from another tool, or random.

use dbs::agent_state::{AgentReport, AgentState, AskReport, Doing, Meter, Seen};
use dbs::domain::Timestamp;
use proptest::prelude::*;

use crate::recordings::{Happening, READERS, all, happen};

/// Longest text that a report may contain, in bytes: 2000 characters, each shown as an escape sequence at most.
const LONGEST: usize = 2000 * 12;

fn is_bounded(report: &AgentReport) -> bool {
    let seen = report.seen.iter().all(|seen| match seen {
        Seen::Doing(Doing::Blocked(wait)) => wait.text.len() <= 21 * LONGEST,
        Seen::Doing(Doing::Limit { text, .. } | Doing::Done { problem: Some(text) }) => text.len() <= LONGEST,
        Seen::Doing(Doing::Background(text)) => text.len() <= 21 * LONGEST,
        Seen::Children(children) => children.len() <= 256,
        _ => true,
    });
    let asks = report.asks.iter().all(|ask| match ask {
        AskReport::Raised { options, .. } => options.len() <= 20,
        AskReport::Settled { id } => id.len() <= LONGEST,
    });
    seen && asks
}

#[test]
fn lines_cut_anywhere_and_lines_of_another_tool_are_borne() {
    for recording in all() {
        for (_, happening) in &recording.steps {
            let Happening::Bytes { bytes, .. } = happening else {
                continue;
            };
            let step = (bytes.len() / 16).max(1);
            for reader in READERS {
                assert!(is_bounded(&reader.read(bytes)), "{} {reader:?}", recording.name);
                for end in (0..bytes.len()).step_by(step) {
                    let (before, after) = bytes.split_at(end);
                    assert!(is_bounded(&reader.read(before)) && is_bounded(&reader.read(after)));
                }
            }
        }
    }
}

#[test]
fn a_message_that_was_cut_says_nothing() {
    for recording in all().iter().filter(|recording| !recording.name.contains(".cast")) {
        for (_, happening) in &recording.steps {
            if let Happening::Bytes { reader, bytes } = happening {
                let cut = &bytes[..bytes.len() - 1];
                assert_eq!(reader.read(cut), AgentReport::default(), "{}", recording.name);
            }
        }
    }
}

#[test]
fn lines_that_come_twice_change_neither_conclusions_nor_figures() {
    for recording in all() {
        let (mut once, mut twice) = (AgentState::new(), AgentState::new());
        let (mut meter, mut doubled) = (Meter::default(), Meter::default());
        for (at, happening) in &recording.steps {
            happen(&mut once, *at, happening);
            happen(&mut twice, *at, happening);
            happen(&mut twice, *at, happening);
            if let Happening::Bytes { reader, bytes } = happening {
                for figures in reader.read(bytes).figures {
                    meter.count(&figures);
                    doubled.count(&figures);
                    doubled.count(&figures);
                }
            }
            assert_eq!(once.conclude(*at), twice.conclude(*at), "{}", recording.name);
        }
        assert_eq!(
            (meter.usage(), meter.context()),
            (doubled.usage(), doubled.context()),
            "{}",
            recording.name
        );
    }
}

#[test]
fn a_very_long_line_is_read_and_its_texts_are_cut() {
    let long = "x".repeat(4 * 1024 * 1024);
    let line = format!(
        r#"{{"type":"control_request","request_id":"r","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{{"command":"{long}"}}}}}}"#
    );
    let report = dbs::adapters::agents::claude::stream::read(line.as_bytes());
    let [Seen::Doing(Doing::Blocked(wait))] = report.seen.as_slice() else {
        panic!("{report:?}");
    };
    assert!(wait.text.starts_with("Bash: xxx") && wait.text.len() < 2100);
}

#[test]
fn what_acts_on_terminals_is_taken_out_of_texts() {
    let line = br#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"a\u001b]0;x\u0007b"}}"#;
    let report = dbs::adapters::agents::claude::hooks::read(line);
    assert!(!format!("{report:?}").contains('\u{1b}') && !format!("{report:?}").contains("\\u{1b}"));
}

/// JSON in which the words that readers look for are in arbitrary places.
fn odd_json() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "type",
        "subtype",
        "system",
        "assistant",
        "message",
        "content",
        "usage",
        "result",
        "method",
        "params",
        "turn",
        "status",
        "item",
        "hook_event_name",
        "Stop",
        "background_tasks",
        "modelUsage",
        "resetsAt",
        "error",
    ]);
    let leaf = prop_oneof![
        words.clone().prop_map(|word| format!("\"{word}\"")),
        any::<u64>().prop_map(|number| number.to_string()),
        Just("null".to_owned()),
        Just("-1e308".to_owned()),
        Just("true".to_owned()),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        let pair = (words.clone(), inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(pair, 0..6).prop_map(|pairs| format!("{{{}}}", pairs.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_borne(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for reader in READERS {
            prop_assert!(is_bounded(&reader.read(&bytes)));
        }
    }

    #[test]
    fn any_json_is_borne(json in odd_json()) {
        let (mut state, mut meter) = (AgentState::new(), Meter::default());
        for reader in READERS {
            let report = reader.read(json.as_bytes());
            prop_assert!(is_bounded(&report));
            for observation in report.observations(reader.source(), Timestamp(1)) {
                state.observe(observation);
            }
            report.figures.iter().for_each(|figures| meter.count(figures));
        }
        let _concluded = (state.conclude(Timestamp(2)), state.explain(Timestamp(2)), meter.usage(), meter.context());
    }
}
