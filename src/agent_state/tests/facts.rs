//! Single facts about conclusions, each a case that was met.

use crate::agent_state::{AgentState, Doing, Observation, Seen, Source, Wait, Work};
use crate::domain::{AskKind, ProcessExit, Span, Timestamp};

pub(super) fn at(second: u64) -> Timestamp {
    Timestamp(second * 1000)
}

pub(super) fn state(reports: &[(Source, u64, Doing)]) -> AgentState {
    let mut state = AgentState::new();
    for (source, second, doing) in reports {
        state.observe(Observation {
            source: *source,
            at: at(*second),
            seen: Seen::Doing(doing.clone()),
        });
    }
    state
}

pub(super) fn asks(text: &str) -> Doing {
    Doing::Blocked(Wait::new(AskKind::Permission, text))
}

#[test]
fn an_agent_of_which_nothing_is_known_starts() {
    let concluded = AgentState::new().conclude(at(3));
    assert_eq!((concluded.doing, concluded.source), (Doing::Starting, None));
}

#[test]
fn a_process_that_vanished_is_lost() {
    assert_eq!(Doing::of_exit(ProcessExit::Vanished), Doing::Lost);
}

#[test]
fn after_esc_the_stream_contradicts_a_hook_whose_lifetime_is_over() {
    let state = state(&[
        (Source::Hook, 10, Doing::Working(Work::Tool("Bash".to_owned()))),
        (Source::Stream, 12, Doing::Idle),
    ]);
    assert_eq!(
        state.conclude(at(14)).doing.name(),
        "working",
        "the hook still lives"
    );
    let later = state.conclude(at(16));
    assert_eq!((later.doing, later.source), (Doing::Idle, Some(Source::Stream)));
}

#[test]
fn an_agent_starts_until_its_first_turn_begins_although_its_title_is_idle() {
    let mut reports = vec![
        (Source::Hook, 1, Doing::Starting),
        (Source::Title, 2, Doing::Idle),
    ];
    assert_eq!(state(&reports).conclude(at(70)).doing, Doing::Starting);
    reports.push((Source::Title, 80, Doing::WORKING));
    assert_eq!(state(&reports).conclude(at(80)).doing, Doing::WORKING);
    reports.push((Source::Hook, 81, Doing::WORKING));
    reports.push((Source::Title, 90, Doing::Idle));
    assert_eq!(state(&reports).conclude(at(90)).doing, Doing::Idle);
}

#[test]
fn an_old_hook_is_better_than_an_older_stream() {
    let state = state(&[
        (Source::Stream, 1, Doing::Idle),
        (Source::Hook, 10, Doing::WORKING),
    ]);
    let concluded = state.conclude(at(600));
    assert_eq!((concluded.doing, concluded.is_stale), (Doing::WORKING, true));
    assert_eq!(concluded.age, Span::seconds(590));
}

#[test]
fn a_status_record_stays_until_it_is_replaced() {
    let mut state = state(&[
        (Source::StatusRecord, 1, Doing::WORKING),
        (Source::Hook, 50, Doing::DONE),
    ]);
    assert_eq!(state.conclude(at(900)).doing, Doing::WORKING);
    state.observe(Observation {
        source: Source::StatusRecord,
        at: at(901),
        seen: Seen::Doing(Doing::DONE),
    });
    assert_eq!(state.conclude(at(901)).doing, Doing::DONE);
}

#[test]
fn a_key_does_not_end_the_wait_of_a_source_that_reports_its_end() {
    let mut state = state(&[(Source::StatusRecord, 1, asks("touch x"))]);
    state.input(at(2));
    assert_eq!(
        state.conclude(at(3)).doing.name(),
        "blocked",
        "an arrow key decides nothing"
    );
    state.answered(at(4));
    assert_eq!(state.conclude(at(4)).doing, Doing::WORKING);
}

#[test]
fn an_answer_ends_what_was_asked_before_it_and_nothing_that_is_asked_after() {
    let is_blocked = |state: &AgentState| state.conclude(at(9)).doing.name() == "blocked";
    let mut state = state(&[(Source::StatusRecord, 5, asks("first"))]);
    assert!(is_blocked(&state));
    state.answered(at(5));
    assert!(!is_blocked(&state), "given in the same moment");
    state.observe(Observation {
        source: Source::StatusRecord,
        at: at(5),
        seen: Seen::Doing(asks("second")),
    });
    assert!(is_blocked(&state), "asked in the same moment, after it");
    state.answered(at(4));
    assert!(is_blocked(&state), "what is older says nothing of it");
    state.answered(at(5));
    assert!(!is_blocked(&state), "another answer in the same moment");
    state.answered(at(4));
    assert!(!is_blocked(&state), "what is older takes nothing back");
}

#[test]
fn a_hook_says_which_tool_works_and_what_is_asked_where_the_record_does_not() {
    let working = state(&[
        (Source::Hook, 10, Doing::Working(Work::Tool("Bash".to_owned()))),
        (Source::StatusRecord, 11, Doing::WORKING),
    ]);
    assert_eq!(
        working.conclude(at(60)).doing,
        Doing::Working(Work::Tool("Bash".to_owned()))
    );
    let plan = Doing::Blocked(Wait::new(AskKind::Plan, "the plan"));
    let blocked = state(&[
        (Source::Hook, 10, plan.clone()),
        (Source::StatusRecord, 10, asks("")),
    ]);
    assert_eq!(blocked.conclude(at(60)).doing, plan);
}

#[test]
fn a_limit_completes_the_end_of_a_turn_and_an_old_one_does_not() {
    let limit = Doing::Limit {
        until: None,
        text: "limit".to_owned(),
    };
    let reports = |second| {
        state(&[
            (Source::Hook, second, limit.clone()),
            (Source::StatusRecord, 50, Doing::DONE),
        ])
    };
    assert_eq!(reports(49).conclude(at(50)).doing, limit);
    assert_eq!(reports(20).conclude(at(50)).doing, Doing::DONE);
}

#[test]
fn a_limit_is_stale_after_its_reset() {
    let limit = Doing::Limit {
        until: Some(at(100)),
        text: String::new(),
    };
    let state = state(&[(Source::Hook, 10, limit)]);
    assert!(!state.conclude(at(99)).is_stale);
    assert!(state.conclude(at(101)).is_stale);
}

#[test]
fn an_agent_whose_subagent_runs_has_background_work_left() {
    let mut state = state(&[(Source::Stream, 5, Doing::DONE)]);
    let mut tell = |second, seen| {
        state.observe(Observation {
            source: Source::Stream,
            at: at(second),
            seen,
        });
        state.conclude(at(second)).doing
    };
    let (id, name) = ("a1".to_owned(), "Explore".to_owned());
    let running = Seen::Child { id: id.clone(), name };
    assert_eq!(tell(6, running), Doing::Background("Explore".to_owned()));
    assert_eq!(tell(7, Seen::ChildGone { id }), Doing::DONE);
}

#[test]
fn a_subagent_that_goes_on_ends_its_own_wait_only() {
    let wait = Wait {
        child: Some("a1".to_owned()),
        ..Wait::new(AskKind::Permission, "ls")
    };
    let mut state = state(&[(Source::Hook, 5, Doing::Blocked(wait))]);
    let mut over = |child: Option<&str>| {
        state.observe(Observation {
            source: Source::Hook,
            at: at(6),
            seen: Seen::WaitOver {
                child: child.map(str::to_owned),
            },
        });
        state.conclude(at(6)).doing.name()
    };
    assert_eq!(over(None), "blocked");
    assert_eq!(over(Some("a2")), "blocked");
    assert_eq!(over(Some("a1")), "working");
}

#[test]
fn a_wait_mentioned_again_keeps_its_words_and_its_beginning() {
    let state = state(&[(Source::Hook, 5, asks("touch x")), (Source::Hook, 11, asks(""))]);
    let concluded = state.conclude(at(12));
    assert_eq!((concluded.doing, concluded.since), (asks("touch x"), at(5)));
}

#[test]
fn work_that_goes_on_keeps_its_beginning_and_a_late_report_changes_nothing() {
    let state = state(&[
        (Source::Title, 5, Doing::WORKING),
        (Source::Title, 6, Doing::WORKING),
        (Source::Title, 1, Doing::Idle),
    ]);
    let concluded = state.conclude(at(7));
    assert_eq!((concluded.since, concluded.age), (at(5), Span::seconds(1)));
    assert_eq!(concluded.doing, Doing::WORKING);
}

#[test]
fn the_explanation_says_of_each_source_why_it_counts_or_not() {
    let state = state(&[
        (Source::Hook, 10, Doing::WORKING),
        (Source::Stream, 12, Doing::Idle),
        (Source::Title, 12, Doing::Idle),
    ]);
    let lines = state.explain(at(20));
    let why: Vec<(bool, &str)> = lines
        .iter()
        .map(|line| (line.counts, line.why.as_str()))
        .collect();
    assert_eq!(
        why,
        [
            (false, "it is old, and the stream reported later"),
            (true, "no more reliable source has a report that still holds"),
            (false, "the stream is more reliable or reported later"),
        ]
    );
}

#[test]
fn a_title_from_before_the_program_took_back_its_record_says_nothing() {
    let mut state = state(&[
        (Source::Title, 1, Doing::WORKING),
        (Source::StatusRecord, 2, Doing::DONE),
    ]);
    state.observe(Observation {
        source: Source::StatusRecord,
        at: at(9),
        seen: Seen::Withdrawn,
    });
    let concluded = state.conclude(at(9));
    assert_eq!((concluded.doing, concluded.source), (Doing::Idle, None));
}

#[test]
fn children_kept_of_an_agent_have_a_limit() {
    let mut state = AgentState::new();
    for number in 0..1000 {
        state.observe(Observation {
            source: Source::Hook,
            at: at(number),
            seen: Seen::Child {
                id: number.to_string(),
                name: String::new(),
            },
        });
    }
    assert_eq!(state.children().len(), 256);
}

#[test]
fn a_wait_that_a_hook_tells_of_counts_over_older_work_and_not_over_newer() {
    let asks = Doing::Blocked(Wait::new(AskKind::Permission, "touch x"));
    let at_once = [
        (Source::Hook, 2, asks.clone()),
        (Source::StatusRecord, 2, Doing::WORKING),
    ];
    assert_eq!(state(&at_once).conclude(at(3)).doing, asks);
    let mut state = state(&[
        (Source::StatusRecord, 1, Doing::WORKING),
        (Source::Hook, 2, asks.clone()),
        (Source::StatusRecord, 3, Doing::WORKING),
    ]);
    assert_eq!(
        state.conclude(at(4)).doing,
        asks,
        "it says again what it said before"
    );
    let why: Vec<String> = state.explain(at(4)).into_iter().map(|line| line.why).collect();
    assert_eq!(why[0], "the hook waits for an answer since later");
    for doing in [asks, Doing::WORKING] {
        state.observe(Observation {
            source: Source::StatusRecord,
            at: at(5),
            seen: Seen::Doing(doing),
        });
    }
    assert_eq!(state.conclude(at(6)).doing, Doing::WORKING);
}

#[test]
fn subagents_of_before_the_clock_was_set_back_can_end_after_it() {
    let mut state = AgentState::new();
    let seen = |id: &str| Seen::Child {
        id: id.to_owned(),
        name: "tester".to_owned(),
    };
    let gone = |id: &str| Seen::ChildGone { id: id.to_owned() };
    let mut observe = |at: Timestamp, seen: Seen| {
        state.observe(Observation {
            source: Source::Hook,
            at,
            seen,
        });
        state.children().len()
    };
    assert_eq!((observe(at(500), seen("a")), observe(at(500), seen("b"))), (1, 2));
    assert_eq!(observe(at(400), gone("a")), 2, "it was told before the other");
    let since: Vec<Timestamp> = state.children().iter().map(|child| child.since).collect();
    state.move_times(-400_000);
    let moved: Vec<Timestamp> = state.children().iter().map(|child| child.since).collect();
    assert_eq!(
        moved,
        since
            .iter()
            .map(|since| since.moved(-400_000))
            .collect::<Vec<_>>()
    );
    state.observe(Observation {
        source: Source::Hook,
        at: at(500).moved(-400_000),
        seen: gone("a"),
    });
    assert_eq!(state.children().len(), 1);
}

#[test]
fn a_failure_without_words_has_those_of_a_lower_source() {
    let failed = |words: &str| Doing::Done {
        problem: Some(words.to_owned()),
    };
    let told = failed("unexpected status 404 Not Found");
    let reports = [
        (Source::StatusRecord, 10, failed("")),
        (Source::Stream, 10, told.clone()),
    ];
    let concluded = state(&reports).conclude(at(12));
    assert_eq!(
        (concluded.doing, concluded.source),
        (told, Some(Source::StatusRecord))
    );
    let own = state(&[
        (Source::StatusRecord, 10, failed("529")),
        (Source::Stream, 10, failed("other")),
    ]);
    assert_eq!(own.conclude(at(12)).doing, failed("529"));
}

#[test]
fn a_retry_on_the_screen_says_what_a_tool_that_works_does_and_a_refused_key_counts_over_it() {
    let retry = Doing::Working(Work::Retry {
        attempt: 4,
        most: 10,
        why: "Connection refused".to_owned(),
    });
    let works = (Source::StatusRecord, 1, Doing::WORKING);
    let seen = state(&[works.clone(), (Source::Screen, 10, retry.clone())]);
    assert_eq!(seen.conclude(at(11)).doing, retry);
    let refused = Doing::NotLoggedIn {
        text: "401".to_owned(),
    };
    let seen = state(&[works, (Source::Screen, 10, refused.clone())]);
    assert_eq!(seen.conclude(at(60)).doing, refused);
    let over = state(&[
        (Source::StatusRecord, 11, Doing::DONE),
        (Source::Screen, 10, refused),
    ]);
    assert_eq!(over.conclude(at(12)).doing.name(), "not logged in");
}
