//! Explanation of the state shown of an agent: the report of each source, its age, and whether it counts.

use super::conclusion::{Candidate, winner};
use super::doing::Doing;
use super::observation::Source;
use super::state::AgentState;
use crate::domain::{Span, Timestamp};

/// Part of one source in a conclusion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    pub source: Source,
    /// Last report of the source; `None` if the source withdrew it.
    pub says: Option<Doing>,
    pub age: Span,
    /// True if it is the report that counts.
    pub counts: bool,
    /// Reason why it counts, or does not, in words for people.
    pub why: String,
}

impl AgentState {
    /// Returns the report of each source, highest rank first, and the reason why it counts or does not.
    pub fn explain(&self, now: Timestamp) -> Vec<Explained> {
        let candidates = self.candidates(now);
        let winner = winner(&candidates, now);
        let explained = self.latest.iter().map(|(source, latest)| {
            let candidate = candidates.iter().find(|candidate| candidate.source == *source);
            let counts = winner.is_some_and(|winner| winner.source == *source);
            Explained {
                source: *source,
                says: latest.doing.clone(),
                age: now.since(latest.at),
                counts,
                why: match (candidate, winner) {
                    (Some(candidate), Some(winner)) => reason(candidate, winner, now),
                    _ if latest.doing.is_none() => "it withdrew its report".to_owned(),
                    _ => "a more reliable source withdrew its report later, as at the end of a program"
                        .to_owned(),
                },
            }
        });
        explained.collect()
    }
}

fn reason(candidate: &Candidate, winner: &Candidate, now: Timestamp) -> String {
    let ended = match candidate.ended {
        Some(_) => "its wait has ended, so it counts as work; ",
        None => "",
    };
    let expired = candidate.is_expired(now);
    let rest = if candidate.source == winner.source && expired {
        "it is old, but nothing newer says otherwise".to_owned()
    } else if candidate.source < winner.source && winner.interrupts(candidate, now) {
        format!("the {} waits for an answer since later", winner.source)
    } else if candidate.source == winner.source {
        "no more reliable source has a report that still holds".to_owned()
    } else if candidate.source < winner.source {
        format!("it is old, and the {} reported later", winner.source)
    } else {
        format!("the {} is more reliable or reported later", winner.source)
    };
    format!("{ended}{rest}")
}
