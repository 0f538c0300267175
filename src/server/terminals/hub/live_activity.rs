//! The known state of an agent, as people read it: plain words, every source with its age, and the reason why it counts or does not.

use crate::agent_state::{AgentState, Conclusion, Doing, Explained, Source, Work};
use crate::domain::Timestamp;
use crate::read_model::{LiveActivity, RunningChild, SourceReport, doing_words};

/// Returns the present activity of an agent, for people.
pub(super) fn live_activity(state: &AgentState, now: Timestamp) -> LiveActivity {
    let concluded = state.conclude(now);
    let children = state.children().into_iter().map(|child| RunningChild {
        age: now.since(child.since),
        name: child.name,
    });
    LiveActivity {
        words: match &concluded.doing {
            Doing::Done {
                problem: Some(problem),
            } if is_error(&concluded) => with("error", problem),
            // Many tools never report anything.
            Doing::Starting if concluded.source.is_none() => "nothing reported yet".to_owned(),
            doing => words(doing, now),
        },
        source: concluded.source.map(|source| source.to_string()),
        since: concluded.since,
        age: concluded.age,
        // Such a state has no age.
        is_stale: concluded.is_stale && concluded.doing != Doing::Starting,
        is_waiting: matches!(concluded.doing, Doing::Blocked(_) | Doing::Suspended) || is_error(&concluded),
        children: children.filter(|child| !child.name.is_empty()).collect(),
        sources: state
            .explain(now)
            .into_iter()
            .map(|explained| source_report(explained, now))
            .collect(),
    }
}

/// Returns true if its tool reported an error as its present state.
fn is_error(concluded: &Conclusion) -> bool {
    concluded.source == Some(Source::StatusRecord)
        && matches!(concluded.doing, Doing::Done { problem: Some(_) })
}

fn source_report(explained: Explained, now: Timestamp) -> SourceReport {
    let says = explained.says.as_ref().map(|doing| words(doing, now));
    SourceReport {
        source: explained.source.to_string(),
        says: says.unwrap_or_else(|| "nothing".to_owned()),
        age: explained.age,
        counts: explained.counts,
        why: explained.why,
    }
}

/// Returns the activity of an agent, in the words that the board has for it, and more where more is known.
fn words(doing: &Doing, now: Timestamp) -> String {
    let known = match doing {
        Doing::Working(work) => return work_words(work),
        other => other.activity(),
    };
    let (word, detail) = doing_words(&known, now);
    with(word, &detail)
}

fn work_words(work: &Work) -> String {
    match work {
        Work::Unspecified => "working".to_owned(),
        Work::Thinking => "working: waits for the model".to_owned(),
        Work::Tool(name) => with("working", name),
        Work::Compacting => "working: shortens its conversation".to_owned(),
        Work::Retry { attempt: 0, why, .. } => with("retry", why),
        Work::Retry {
            attempt,
            most: 0,
            why,
        } => with(&format!("retry {attempt}"), why),
        Work::Retry { attempt, most, why } => with(&format!("retry {attempt}/{most}"), why),
    }
}

/// Returns a word with the first line of its detail, if there is one.
fn with(word: &str, detail: &str) -> String {
    match detail.lines().next().unwrap_or_default() {
        "" => word.to_owned(),
        first => format!("{word}: {first}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_state::{Observation, Seen, Wait};
    use crate::domain::AskKind;

    #[test]
    fn each_state_has_plain_words() {
        let limit = |until| Doing::Limit {
            until,
            text: "5-hour limit".to_owned(),
        };
        let failed = Doing::Done {
            problem: Some("API Error: 529".to_owned()),
        };
        let retry = |most| {
            let why = "529".to_owned();
            Doing::Working(Work::Retry {
                attempt: 3,
                most,
                why,
            })
        };
        let bash = Wait::new(AskKind::Permission, "Bash: make\nall");
        for (doing, wanted) in [
            (Doing::WORKING, "working"),
            (Doing::Working(Work::Tool("Bash".to_owned())), "working: Bash"),
            (retry(10), "retry 3/10: 529"),
            (retry(0), "retry 3: 529"),
            (Doing::Blocked(bash), "asks: Bash: make"),
            (
                Doing::Background("1 shell".to_owned()),
                "working in the background: 1 shell",
            ),
            (limit(None), "usage limit: 5-hour limit"),
            (
                limit(Some(Timestamp(721_000))),
                "usage limit: 12m left: 5-hour limit",
            ),
            (Doing::Starting, "starting"),
            (Doing::DONE, "idle"),
            (Doing::Idle, "idle"),
            (failed, "turn failed: API Error: 529"),
        ] {
            assert_eq!(words(&doing, Timestamp(1_000)), wanted);
        }
    }

    #[test]
    fn an_agent_of_which_no_source_has_reported_anything_does_not_start_for_ever() {
        let live = live_activity(&AgentState::new(), Timestamp(600_000));
        assert_eq!(live.summary(), "nothing reported yet");
    }

    #[test]
    fn only_what_is_known_can_be_an_old_report() {
        let summary = |doing: Doing| {
            let mut state = AgentState::new();
            state.observe(Observation {
                source: Source::Title,
                at: Timestamp(1),
                seen: Seen::Doing(doing),
            });
            live_activity(&state, Timestamp(10_000_000)).summary()
        };
        assert_eq!(summary(Doing::Starting), "starting");
        assert_eq!(summary(Doing::WORKING), "working (an old report)");
    }

    #[test]
    fn every_source_is_listed_with_its_age_and_one_of_them_counts() {
        let mut state = AgentState::new();
        for (source, at, seen) in [
            (Source::Title, 2_000, Seen::Doing(Doing::Idle)),
            (Source::StatusRecord, 1_000, Seen::Doing(Doing::WORKING)),
            (
                Source::StatusRecord,
                1_000,
                Seen::Child {
                    id: "a".to_owned(),
                    name: "make".to_owned(),
                },
            ),
        ] {
            let at = Timestamp(at);
            state.observe(Observation { source, at, seen });
        }
        let live = live_activity(&state, Timestamp(4_000));
        assert_eq!(
            (live.words.as_str(), live.source.as_deref()),
            ("working", Some("status record"))
        );
        assert_eq!(live.summary(), "working; runs make");
        let lines: Vec<String> = live.sources.iter().map(SourceReport::line).collect();
        let wanted = [
            "status record: working, 3s ago; counts: no more reliable source has a report that still holds",
            "title: idle, 2s ago; does not count: the status record is more reliable or reported later",
        ];
        assert_eq!(lines, wanted);
    }
}
