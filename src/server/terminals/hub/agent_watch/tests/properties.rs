//! Any order of events, also with a clock that is set back.

use proptest::prelude::*;

use super::*;

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

/// Returns the words for the board and their times, by a clock that is set back before the event at that place.
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
