//! Replay of a terminal's past: reports, keys and answers that come meanwhile.

use super::*;

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
