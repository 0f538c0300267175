//! Laws that hold for any reports in any order.

use proptest::prelude::*;

use crate::agent_state::{AgentState, Doing, Observation, Seen, Source, Wait, Work};
use crate::domain::{AskKind, ProcessExit, Timestamp};

const SOURCES: [Source; 5] = [
    Source::StatusRecord,
    Source::Hook,
    Source::Stream,
    Source::Title,
    Source::Screen,
];

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        Just(Doing::Starting),
        Just(Doing::WORKING),
        Just(Doing::Working(Work::Tool("Bash".to_owned()))),
        Just(Doing::Background("1 shell".to_owned())),
        Just(Doing::Blocked(Wait::new(AskKind::Permission, "touch x"))),
        Just(Doing::Blocked(Wait::new(AskKind::Plan, ""))),
        (0..60_000u64).prop_map(|until| Doing::Limit {
            until: Some(Timestamp(until)),
            text: String::new()
        }),
        Just(Doing::NotLoggedIn { text: String::new() }),
        Just(Doing::Idle),
        Just(Doing::DONE),
    ]
}

fn seen() -> impl Strategy<Value = Seen> {
    prop_oneof![
        8 => doing().prop_map(Seen::Doing),
        1 => "[ab]".prop_map(|id| Seen::Child { id, name: "child".to_owned() }),
        1 => "[ab]".prop_map(|id| Seen::ChildGone { id }),
        1 => Just(Seen::WaitOver { child: None }),
        1 => Just(Seen::Withdrawn),
    ]
}

/// Reports in the order of their times, few enough times for many to be the same.
fn reports() -> impl Strategy<Value = Vec<Observation>> {
    let one = (prop::sample::select(&SOURCES[..]), 0..12u64, seen());
    prop::collection::vec(one, 0..24).prop_map(|all| {
        let made = all.into_iter().map(|(source, second, seen)| Observation {
            source,
            at: Timestamp(second * 1000),
            seen,
        });
        let mut made: Vec<Observation> = made.collect();
        made.sort_by_key(|observation| observation.at);
        made
    })
}

fn state(reports: &[Observation]) -> AgentState {
    let mut state = AgentState::new();
    for report in reports {
        state.observe(report.clone());
    }
    state
}

proptest! {
    #[test]
    fn an_agent_whose_process_ended_does_nothing_any_more(
        reports in reports(), exit in 0..12_000u64, place in 0..25usize, now in 0..90_000u64,
    ) {
        let ended = Observation {
            source: Source::ProcessExit,
            at: Timestamp(exit),
            seen: Seen::Doing(Doing::of_exit(ProcessExit::Code(0))),
        };
        let mut reports = reports;
        reports.insert(place.min(reports.len()), ended);
        let concluded = state(&reports).conclude(Timestamp(now)).doing;
        prop_assert_eq!(concluded, Doing::Exited(ProcessExit::Code(0)));
    }

    #[test]
    fn nothing_seen_before_an_answer_is_a_wait_after_it(
        reports in reports(), place in 0..25usize, later in 0..90_000u64,
    ) {
        let answer = Timestamp(12_000);
        let mut state = AgentState::new();
        for (number, report) in reports.iter().enumerate() {
            if number == place.min(reports.len() - 1) {
                state.answered(answer);
            }
            state.observe(report.clone());
        }
        state.answered(answer);
        let concluded = state.conclude(Timestamp(12_000 + later)).doing;
        prop_assert!(!matches!(concluded, Doing::Blocked(_)), "{concluded:?}");
    }

    #[test]
    fn a_key_ends_the_wait_that_only_a_hook_reported(reports in reports(), later in 0..90_000u64) {
        let hooks: Vec<Observation> =
            reports.into_iter().filter(|report| report.source == Source::Hook).collect();
        let mut state = state(&hooks);
        state.input(Timestamp(12_000));
        let concluded = state.conclude(Timestamp(12_000 + later)).doing;
        prop_assert!(!matches!(concluded, Doing::Blocked(_)), "{concluded:?}");
    }

    #[test]
    fn the_order_of_reports_from_different_sources_does_not_matter(
        reports in reports(), order in prop::sample::subsequence((0..SOURCES.len()).collect::<Vec<_>>(), 0..SOURCES.len()),
        now in 0..90_000u64,
    ) {
        // Those of one source stay in their order; the sources are taken one after the other, some of them first.
        let mut sources: Vec<Source> = order.iter().rev().map(|place| SOURCES[*place]).collect();
        sources.extend(SOURCES.iter().filter(|source| !sources.contains(source)).copied().collect::<Vec<_>>());
        let grouped: Vec<Observation> = sources
            .iter()
            .flat_map(|source| reports.iter().filter(move |report| report.source == *source).cloned())
            .collect();
        let now = Timestamp(now);
        prop_assert_eq!(state(&reports).conclude(now), state(&grouped).conclude(now));
        prop_assert_eq!(state(&reports).explain(now), state(&grouped).explain(now));
    }

    #[test]
    fn without_a_report_nothing_else_is_concluded_before_the_next_change(
        reports in reports(), now in 12_000..30_000u64, typed in prop::option::of(0..12_000u64), share in 0..100u64,
    ) {
        let mut state = state(&reports);
        if let Some(typed) = typed {
            state.input(Timestamp(typed));
        }
        let now = Timestamp(now);
        let end = state.next_change(now).unwrap_or(Timestamp(200_000));
        prop_assert!(end > now);
        let between = now + crate::domain::Span((end.since(now).0 - 1) * share / 100);
        prop_assert_eq!(state.conclude(now).doing, state.conclude(between).doing);
    }

    #[test]
    fn time_alone_only_ever_leads_to_a_lower_source(
        reports in reports(), first in 0..90_000u64, more in 0..90_000u64, typed in prop::option::of(0..12_000u64),
    ) {
        let mut state = state(&reports);
        if let Some(typed) = typed {
            state.input(Timestamp(typed));
        }
        let before = state.conclude(Timestamp(12_000 + first));
        let after = state.conclude(Timestamp(12_000 + first + more));
        prop_assert!(after.source >= before.source, "{before:?} then {after:?}");
    }

    #[test]
    fn exactly_one_source_counts_and_it_is_the_one_concluded_from(reports in reports(), now in 0..90_000u64) {
        let state = state(&reports);
        let now = Timestamp(now);
        let counting: Vec<Source> =
            state.explain(now).iter().filter(|line| line.counts).map(|line| line.source).collect();
        prop_assert_eq!(counting, state.conclude(now).source.into_iter().collect::<Vec<_>>());
    }
}
