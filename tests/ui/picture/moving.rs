//! The moving picture: the first half minute of the same run, one picture per second, with the keys that a person presses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use dbs::domain::{AttemptId, Span};
use dbs::keymap::Chord;
use dbs::read_model::ReadModel;
use dbs::ui::{ScreenId, Screens, UiInput, update};
use ratatui::buffer::Buffer;

use super::agents::{Worktrees, written_by};
use super::{BEGAN, Dashboard, SIZE, svg};
use crate::docs::is_rewrite_wished;

/// Seconds that are shown before the picture starts again.
const LENGTH: u64 = 30;
/// The second that is shown where pictures do not move.
const POSTER: u64 = 12;
/// Keys that the person presses, each at its second.
const KEYS: [(u64, &str); 6] = [
    (14, "Tab"),
    (17, "Esc"),
    (20, "3"),
    (23, "l"),
    (26, "1"),
    (28, "j"),
];
/// Seconds for which a key is shown.
const KEY_SHOWN: u64 = 2;
/// Largest size of the file in bytes.
const LARGEST: usize = 1_000_000;
const ABOUT: &str = "Half a minute of the demo, moving: agents work on the tasks of a handbook, one asks whether it may run a check and counts \
                     down, a person goes there with Tab, then looks at the board and comes back.";

/// Output of agents up to a step and its age, by attempt, that step and whether the attempt is open; with their worktrees.
#[derive(Default)]
struct Written {
    bytes: BTreeMap<(AttemptId, String, bool), Vec<u8>>,
    worktrees: Worktrees,
}

impl Dashboard {
    /// Lets one second pass, then presses the key, if there is one.
    fn pass(&mut self, second: u64, key: Option<&str>, written: &mut Written) {
        self.demo.go_on_until(BEGAN + Span(second * 1000));
        self.model = ReadModel::of(&self.demo.board, self.demo.now);
        for attempt in self.demo.beats.keys() {
            let id = ScreenId::Attempt(*attempt);
            let known = self.demo.board.attempts.get(attempt);
            if known.is_some_and(|attempt| attempt.state.is_open()) && !self.terminals.has(id) {
                self.terminals.put(id, (80, 24), b"");
            }
        }
        self.input(UiInput::Tick);
        if let Some(key) = key {
            self.input(UiInput::Key(key.parse::<Chord>().expect("key").event()));
            self.input(UiInput::Tick);
        }
        self.play_shown(written);
    }

    fn input(&mut self, input: UiInput) {
        let mut state = self.state.clone();
        drop(update(&mut state, &self.scene(), input));
        self.state = state;
    }

    /// Lets those agents write whose terminals are shown.
    fn play_shown(&mut self, written: &mut Written) {
        for pane in self.draw().1.panes {
            let Some(id @ ScreenId::Attempt(number)) = pane.screen else {
                continue;
            };
            let board = &self.demo.board;
            let (Some(attempt), Some(beats)) = (board.attempts.get(&number), self.demo.beats.get(&number))
            else {
                continue;
            };
            let attempt = attempt.as_ref().clone();
            let Some((since, doing)) = beats.iter().rev().find(|(at, _)| *at <= self.demo.now) else {
                continue;
            };
            // A countdown gives another picture each second.
            let age = self.demo.now.since(*since).0 / 1000;
            let key = (number, format!("{doing} {age}"), attempt.state.is_open());
            let size = (pane.area.width, pane.area.height);
            let Written { bytes, worktrees } = written;
            let bytes = bytes
                .entry(key)
                .or_insert_with(|| written_by(&self.demo, &attempt, size, worktrees));
            self.terminals.put(id, size, bytes);
        }
    }
}

/// The run, second by second.
fn seconds() -> Vec<Buffer> {
    let mut dashboard = Dashboard::new(Span(0));
    let mut written = Written::default();
    let key_at = |second: u64| KEYS.iter().find(|(at, _)| *at == second).map(|(_, key)| *key);
    (0..LENGTH)
        .map(|second| {
            dashboard.pass(second, key_at(second), &mut written);
            dashboard.draw().0
        })
        .collect()
}

/// Appends a group that is visible from one second to another in every round.
fn shown((from, to): (u64, u64), content: &str, out: &mut String) {
    let at = |second: u64| format!("0.{:04}", second * 10_000 / LENGTH);
    let (times, values) = match (from == 0, to == LENGTH) {
        (true, true) => return out.push_str(content),
        (true, false) => (format!("0;{}", at(to)), "visible;hidden"),
        (false, true) => (format!("0;{}", at(from)), "hidden;visible"),
        (false, false) => (format!("0;{};{}", at(from), at(to)), "hidden;visible;hidden"),
    };
    let still = if (from..to).contains(&POSTER) {
        "visible"
    } else {
        "hidden"
    };
    write!(
        out,
        "<g visibility=\"{still}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{LENGTH}s\" \
         repeatCount=\"indefinite\" keyTimes=\"{times}\" values=\"{values}\"/>\n{content}</g>\n"
    )
    .expect("text");
}

/// The whole picture; a row that stays the same for some seconds is written once.
fn picture(seconds: &[Buffer]) -> String {
    let mut groups: BTreeMap<(u64, u64), String> = BTreeMap::new();
    for y in 0..SIZE.1 {
        let mut since: Option<(u64, String)> = None;
        for (second, buffer) in (0..).zip(seconds) {
            let mut now = String::new();
            svg::row(buffer, y, &mut now);
            if since.as_ref().is_some_and(|(_, before)| *before == now) {
                continue;
            }
            if let Some((from, before)) = since.replace((second, now)) {
                groups.entry((from, second)).or_default().push_str(&before);
            }
        }
        if let Some((from, last)) = since {
            groups.entry((from, LENGTH)).or_default().push_str(&last);
        }
    }
    let mut out = svg::head(SIZE, ABOUT);
    for (span, content) in &groups {
        shown(*span, content, &mut out);
    }
    for (second, key) in KEYS {
        shown((second, second + KEY_SHOWN), &svg::key_cap(SIZE, key), &mut out);
    }
    out.push_str(svg::FOOT);
    out
}

#[test]
fn the_picture_that_moves_is_fresh_and_small() {
    let seconds = seconds();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/moving.svg");
    let fresh = picture(&seconds);
    if is_rewrite_wished() {
        std::fs::write(&path, &fresh).expect("docs/moving.svg");
    }
    assert!(fresh.len() < LARGEST, "{} bytes", fresh.len());
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == fresh,
        "docs/moving.svg is stale; DBS_UPDATE=1 cargo test --test ui rewrites it. Its last second is now\n{}",
        crate::fixture::text(seconds.last().expect("seconds"))
    );
}
