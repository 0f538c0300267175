//! Waits whose end is not reported, that are shown in another place, or of which a tool reports nothing.

use super::facts::{asks, at, state};
use crate::agent_state::{AgentState, Doing, Observation, Seen, Source, Wait};
use crate::domain::AskKind;

#[test]
fn a_source_that_takes_its_waits_back_still_waits_when_it_has_not_after_a_typed_answer() {
    for (source, is_asked_again) in [
        (Source::StatusRecord, true),
        (Source::Title, true),
        (Source::Hook, false),
    ] {
        let mut state = state(&[(source, 10, asks("touch x"))]);
        state.answered(at(12));
        state.note_typed();
        let presumed = state.conclude(at(13));
        assert_eq!((presumed.doing, presumed.is_presumed), (Doing::WORKING, true));
        assert!(state.next_change(at(13)) <= Some(at(15)), "{source}");
        let later = state.conclude(at(15));
        assert_eq!(later.doing == asks("touch x"), is_asked_again, "{source}");
    }
}

#[test]
fn a_key_ends_the_wait_of_a_hook_unless_it_reports_the_end_itself() {
    for is_taken_back in [false, true] {
        let wait = Wait {
            is_taken_back,
            ..Wait::new(AskKind::Permission, "touch x")
        };
        let mut state = state(&[(Source::Hook, 10, Doing::Blocked(wait))]);
        state.input(at(12));
        let is_over = |state: &AgentState, second| state.conclude(at(second)).doing == Doing::WORKING;
        assert_eq!(is_over(&state, 13), !is_taken_back);
        state.observe(Observation {
            source: Source::Hook,
            at: at(13),
            seen: Seen::WaitOver { child: None },
        });
        assert!(is_over(&state, 14));
    }
}

#[test]
fn an_agent_that_is_idle_since_its_turn_failed_has_failed() {
    let failed = Doing::Done {
        problem: Some("odd request".to_owned()),
    };
    for (idle_since, has_failed) in [(11, true), (30, false)] {
        let shown = if idle_since == 11 {
            Doing::Idle
        } else {
            Doing::WORKING
        };
        let mut state = state(&[(Source::Hook, 10, failed.clone()), (Source::Screen, 11, shown)]);
        for second in [idle_since, 40] {
            state.observe(Observation {
                source: Source::Screen,
                at: at(second),
                seen: Seen::Doing(Doing::Idle),
            });
        }
        assert_eq!(state.conclude(at(41)).doing == failed, has_failed, "{idle_since}");
    }
}

#[test]
fn what_a_hook_has_asked_is_the_text_of_the_wait_that_its_terminal_then_shows() {
    let mut state = state(&[
        (Source::StatusRecord, 1, Doing::WORKING),
        (Source::Hook, 2, asks("touch x")),
    ]);
    state.input(at(5));
    let mut shows = |second| {
        state.observe(Observation {
            source: Source::StatusRecord,
            at: at(second),
            seen: Seen::Doing(asks("")),
        });
        state.conclude(at(second)).doing
    };
    assert_eq!(shows(60), asks("touch x"));
    state.answered(at(70));
    assert_eq!(state.conclude(at(71)).doing, Doing::WORKING);
    state.observe(Observation {
        source: Source::StatusRecord,
        at: at(80),
        seen: Seen::Doing(asks("")),
    });
    assert_eq!(state.conclude(at(80)).doing, asks(""), "that was answered");
}

#[test]
fn a_dialog_on_the_screen_counts_over_older_work_and_over_no_trouble() {
    let dialog = Doing::Blocked(Wait::new(AskKind::Dialog, "trust this?"));
    let failed = Doing::Done {
        problem: Some("529".to_owned()),
    };
    for (doing, counts) in [
        (Doing::WORKING, true),
        (Doing::Idle, true),
        (Doing::Starting, true),
        (failed, false),
        (asks("touch x"), false),
    ] {
        let older = state(&[
            (Source::StatusRecord, 1, doing.clone()),
            (Source::Screen, 2, dialog.clone()),
        ]);
        assert_ne!(
            older.conclude(at(3)).doing,
            dialog,
            "{doing:?}: it may be drawn over"
        );
        assert_eq!(older.conclude(at(4)).doing == dialog, counts, "{doing:?}");
        let newer = state(&[
            (Source::Screen, 2, dialog.clone()),
            (Source::StatusRecord, 2, doing.clone()),
        ]);
        assert_eq!(newer.conclude(at(6)).doing, doing, "{doing:?}");
    }
}

#[test]
fn what_runs_in_the_background_has_the_names_of_the_hook() {
    let counted = Doing::Background("2 agents still running".to_owned());
    let named = Doing::Background("First part, Second part".to_owned());
    let state = state(&[
        (Source::Hook, 1, named.clone()),
        (Source::StatusRecord, 2, counted),
    ]);
    assert_eq!(state.conclude(at(30)).doing, named);
}

#[test]
fn a_turn_that_left_work_behind_is_over_though_the_work_is_mentioned_again_much_later() {
    let left = Doing::Background("First part".to_owned());
    let turn = [
        (Source::StatusRecord, 1, Doing::WORKING),
        (Source::Hook, 5, left.clone()),
    ];
    for second in [8, 20] {
        let again = (Source::StatusRecord, second, Doing::WORKING);
        let mentioned = state(&[&turn[..], &[again]].concat());
        assert_eq!(mentioned.conclude(at(30)).doing, left);
    }
    let next = [
        (Source::Hook, 8, Doing::WORKING),
        (Source::StatusRecord, 9, Doing::WORKING),
    ];
    let begun = state(&[&turn[..], &next].concat());
    assert_eq!(begun.conclude(at(30)).doing, Doing::WORKING);
}
