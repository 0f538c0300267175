//! The words that a watched agent has for the board, over time.

mod accuracy;
mod past;
mod properties;
mod replay;
mod screens;
mod troubles;

use super::super::board_word::word;
use super::known_wait::{BEHIND, STANDS};
use super::past::MOST_REPEATED;
use super::telling::{PACE, WORDS_WAIT};
use super::*;
use crate::adapters::agents::claude::title;
use crate::domain::{AskKind, Span};

fn live() -> AgentWatch {
    let mut watch = AgentWatch::new(Timestamp(0));
    watch.end_past(None, Timestamp(0));
    watch
}

fn answered_now(watch: &mut AgentWatch, now: Timestamp) {
    watch.answered(now, now);
}

fn asks(text: &str) -> AgentReport {
    AgentReport::doing(Doing::Blocked(Wait::new(AskKind::Permission, text)))
}

fn working() -> AgentReport {
    AgentReport::doing(Doing::WORKING)
}

#[test]
fn a_wait_whose_answer_was_there_before_it_is_over_once_that_is_reported_again() {
    let mut watch = live();
    let at = Timestamp(500);
    answered_now(&mut watch, at);
    watch.observe(Source::Hook, at, &asks("Bash: make"));
    assert!(watch.wait(at).is_some());
    answered_now(&mut watch, at);
    assert_eq!(watch.wait(at), None);
}

fn permission(text: &str) -> ActivityKind {
    ActivityKind::Permission(text.to_owned())
}

/// Returns the words for the board if each report comes at its time and the board is told whenever something is due.
fn told(
    watch: &mut AgentWatch,
    reports: &[(u64, Source, AgentReport)],
    end: u64,
) -> Vec<(u64, ActivityKind)> {
    let mut told = Vec::new();
    let mut reports = reports.iter().peekable();
    let mut now = 0;
    while now <= end {
        while let Some((_, source, report)) = reports.next_if(|(at, ..)| *at <= now) {
            watch.observe(*source, Timestamp(now), report);
        }
        let due = watch.due(Timestamp(now));
        if due.is_some_and(|due| due <= Timestamp(now)) {
            let words = watch.tell(Timestamp(now)).into_iter();
            told.extend(words.map(|(word, _)| (now, word)));
        }
        // The server looks again when a report comes and when it was told that something is due, at no other time.
        let due = watch.due(Timestamp(now)).map(|due| due.0.max(now + 1));
        let next_report = reports.peek().map(|(at, ..)| *at);
        let Some(next) = due.into_iter().chain(next_report).min() else {
            break;
        };
        now = next;
    }
    told
}

fn words(told: &[(u64, ActivityKind)]) -> Vec<ActivityKind> {
    told.iter().map(|(_, word)| word.clone()).collect()
}

#[test]
fn ten_thousand_titles_that_say_the_same_are_one_word_for_the_board() {
    let spinner = |number: u64| {
        title::read(if number.is_multiple_of(2) {
            "◐ claude"
        } else {
            "◑ claude"
        })
    };
    let reports: Vec<_> = (0..10_000).map(|n| (n / 10, Source::Title, spinner(n))).collect();
    assert_eq!(
        words(&told(&mut live(), &reports, 2_000)),
        [ActivityKind::Working]
    );
}

#[test]
fn ten_thousand_titles_that_alternate_are_five_words_a_second_and_the_last_one_is_told() {
    let flicker = |number: u64| {
        title::read(if number.is_multiple_of(2) {
            "◐ claude"
        } else {
            "✳ claude"
        })
    };
    let reports: Vec<_> = (0..10_000).map(|n| (n / 9, Source::Title, flicker(n))).collect();
    let told = told(&mut live(), &reports, 2_000);
    assert!(told.len() <= 7, "{told:?}");
    assert_eq!(told.last().map(|(_, word)| word), Some(&ActivityKind::Idle));
}

#[test]
fn the_same_ask_once_more_is_told_as_another_however_short_the_work_between_was() {
    let source = Source::StatusRecord;
    let reports = [
        (0, source, asks("touch x")),
        (10, source, working()),
        (20, source, asks("touch x")),
    ];
    let told = told(&mut live(), &reports, 1_000);
    let wanted = [
        permission("touch x"),
        ActivityKind::Working,
        permission("touch x"),
    ];
    assert_eq!(words(&told), wanted);
}

#[test]
fn a_wait_that_another_source_tells_later_with_what_was_before_it_is_the_same_wait() {
    let mut watch = live();
    watch.observe(Source::Hook, Timestamp(0), &asks("a"));
    assert_eq!(watch.tell(Timestamp(0)).len(), 1);
    watch.observe(Source::Hook, Timestamp(50), &asks("a"));
    assert_eq!(watch.due(Timestamp(1_000)), None, "it only says it again");
    // Its terminal is read later than its hook is heard.
    for (at, report) in [(150, working()), (150, asks("a"))] {
        watch.observe(Source::StatusRecord, Timestamp(at), &report);
    }
    assert_eq!(watch.due(Timestamp(1_000)), None);
    assert_eq!(watch.tell(Timestamp(1_000)), []);
    for (at, report) in [(2_000, working()), (2_001, asks("a"))] {
        watch.observe(Source::StatusRecord, Timestamp(at), &report);
    }
    let told = watch.tell(Timestamp(2_002)).into_iter().map(|(word, _)| word);
    assert_eq!(
        told.collect::<Vec<_>>(),
        [ActivityKind::Working, permission("a")],
        "it has said that before"
    );
}

#[test]
fn a_source_that_may_be_behind_ends_a_wait_only_when_it_has_had_the_time_to_tell_it() {
    let at_wait = || {
        let mut watch = live();
        watch.observe(Source::Hook, Timestamp(0), &asks("a"));
        assert_eq!(watch.tell(Timestamp(0)).len(), 1);
        watch.observe(Source::StatusRecord, Timestamp(50), &working());
        watch
    };
    let mut behind = at_wait();
    assert_eq!(behind.tell(Timestamp(300)), []);
    behind.observe(Source::StatusRecord, Timestamp(320), &asks("a"));
    assert_eq!(behind.due(Timestamp(5_000)), None);
    let mut ended = at_wait();
    let end = Timestamp(50) + BEHIND;
    assert_eq!(ended.due(Timestamp(60)), Some(end));
    assert_eq!(ended.tell(end)[0].0, ActivityKind::Working);
    let mut told_both = live();
    for source in [Source::Hook, Source::StatusRecord] {
        told_both.observe(source, Timestamp(0), &asks("a"));
    }
    assert_eq!(told_both.tell(Timestamp(0)).len(), 1);
    told_both.observe(Source::StatusRecord, Timestamp(1_000), &working());
    assert_eq!(told_both.tell(Timestamp(1_000))[0].0, ActivityKind::Working);
    let mut answered = live();
    answered.observe(Source::Hook, Timestamp(0), &asks("a"));
    assert_eq!(answered.tell(Timestamp(0)).len(), 1);
    answered.answered(Timestamp(900), Timestamp(900));
    answered.observe(Source::StatusRecord, Timestamp(1_000), &working());
    assert_eq!(answered.tell(Timestamp(1_000))[0].0, ActivityKind::Working);
}

#[test]
fn a_wait_that_a_source_names_only_after_the_answer_is_told_when_it_has_had_the_time_to_go_on() {
    let after_answer = |told: &[ActivityKind]| {
        let mut watch = live();
        watch.observe(Source::Hook, Timestamp(0), &asks("a"));
        if !told.is_empty() {
            assert_eq!(watch.tell(Timestamp(0)).len(), 1);
        }
        watch.answered(Timestamp(50), Timestamp(50));
        watch.observe(Source::StatusRecord, Timestamp(300), &working());
        watch.tell(Timestamp(300));
        watch.observe(Source::StatusRecord, Timestamp(400), &asks("a"));
        watch
    };
    for told in [&[][..], &[permission("a")][..]] {
        let mut behind = after_answer(told);
        assert_eq!(behind.tell(Timestamp(600)), []);
        behind.observe(Source::StatusRecord, Timestamp(610), &working());
        assert_eq!(behind.tell(Timestamp(5_000)), []);
        let mut waits = after_answer(told);
        let end = Timestamp(400) + STANDS;
        assert_eq!(waits.due(Timestamp(600)), Some(end));
        assert_eq!(waits.tell(end).pop().map(|(word, _)| word), Some(permission("a")));
        let mut later = after_answer(told);
        later.observe(Source::StatusRecord, Timestamp(610), &working());
        later.observe(Source::StatusRecord, Timestamp(2_000), &asks("a"));
        let told = later.tell(Timestamp(2_000)).pop().map(|(word, _)| word);
        assert_eq!(told, Some(permission("a")), "it has said that before");
    }
}

#[test]
fn the_dialog_that_a_busy_tool_draws_for_an_answered_request_is_no_ask_of_its_own() {
    let mut watch = live();
    watch.observe(Source::Hook, Timestamp(0), &asks("Bash: make"));
    assert_eq!(watch.tell(Timestamp(0)).len(), 1);
    watch.answered(Timestamp(500), Timestamp(500));
    watch.observe(Source::StatusRecord, Timestamp(510), &working());
    assert_eq!(watch.tell(Timestamp(510)).len(), 1);
    watch.observe(
        Source::StatusRecord,
        Timestamp(1_600),
        &asks("approve Bash: make"),
    );
    assert_eq!(watch.tell(Timestamp(2_500)), []);
    watch.observe(Source::StatusRecord, Timestamp(2_700), &working());
    assert_eq!(watch.tell(Timestamp(9_000)), []);
    // It was not taken.
    watch.observe(Source::Hook, Timestamp(10_000), &asks("Bash: test"));
    assert_eq!(watch.tell(Timestamp(10_000)).len(), 1);
    watch.answered(Timestamp(10_100), Timestamp(10_100));
    watch.observe(
        Source::StatusRecord,
        Timestamp(10_200),
        &asks("approve Bash: test"),
    );
    assert_eq!(watch.tell(Timestamp(11_000)), []);
    let told = watch.tell(Timestamp(10_200) + STANDS).pop();
    assert_eq!(told.map(|(word, _)| word), Some(permission("approve Bash: test")));
}

#[test]
fn a_wait_for_the_same_after_an_answer_is_another_whoever_tells_it() {
    for ends in [AgentWatch::input, answered_now] {
        let mut watch = live();
        watch.observe(Source::Hook, Timestamp(0), &asks("a"));
        assert_eq!(watch.tell(Timestamp(0)).len(), 1);
        ends(&mut watch, Timestamp(10));
        watch.observe(Source::StatusRecord, Timestamp(20), &working());
        watch.observe(Source::StatusRecord, Timestamp(30), &asks("a"));
        assert_eq!(watch.tell(Timestamp(30) + STANDS).len(), 2);
    }
}

#[test]
fn what_is_asked_after_an_answer_was_given_is_told_however_late_that_is_noted() {
    let mut watch = live();
    watch.observe(Source::Hook, Timestamp(0), &asks("a"));
    assert_eq!(watch.tell(Timestamp(0)).len(), 1);
    // The key was typed at 10, and the agent is faster than who typed it.
    watch.observe(Source::Hook, Timestamp(12), &working());
    watch.observe(Source::Hook, Timestamp(12), &asks("b"));
    watch.answered(Timestamp(10), Timestamp(13));
    assert_eq!(watch.tell(Timestamp(300))[0].0, permission("b"));
    // Nor is what another source says of it taken for another wait, also where the board knows of it before that is noted.
    watch.answered(Timestamp(10), Timestamp(301));
    for report in [working(), asks("b")] {
        watch.observe(Source::StatusRecord, Timestamp(310), &report);
    }
    assert_eq!(watch.tell(Timestamp(5_000)), []);
}

#[test]
fn neither_a_key_nor_an_answer_tells_the_board_that_an_ask_is_over() {
    let mut watch = live();
    watch.observe(Source::Hook, Timestamp(0), &asks("a"));
    assert_eq!(watch.tell(Timestamp(0)).len(), 1);
    watch.input(Timestamp(10));
    watch.answered(Timestamp(20), Timestamp(20));
    assert_eq!(watch.state.conclude(Timestamp(30)).doing, Doing::WORKING);
    assert_eq!(watch.tell(Timestamp(5_000)), []);
}

#[test]
fn each_subagent_is_told_once_by_its_name_and_not_without_end() {
    let mut watch = AgentWatch::new(Timestamp(0));
    let child = |id: &str, name: &str| {
        let (id, name) = (id.to_owned(), name.to_owned());
        AgentReport::of(Seen::Child { id, name })
    };
    for (id, name) in [("1", "tester"), ("2", "tester"), ("3", ""), ("4", "writer")] {
        watch.observe(Source::Hook, Timestamp(5), &child(id, name));
    }
    assert_eq!(watch.due(Timestamp(5)), Some(Timestamp(5)), "also of the past");
    assert_eq!(watch.take_subagents(), ["tester", "writer"]);
    watch.observe(Source::Hook, Timestamp(6), &child("5", "writer"));
    assert_eq!(watch.take_subagents(), Vec::<String>::new());
    for n in 0..200 {
        watch.observe(Source::Hook, Timestamp(7), &child("6", &n.to_string()));
    }
    assert_eq!(watch.take_subagents().len(), MOST_SUBAGENTS - 2);
    assert_eq!(watch.due(Timestamp(8)), None);
}
