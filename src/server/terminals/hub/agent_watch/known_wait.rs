//! The wait of an agent that the board knows of, or is about to.

use std::collections::BTreeSet;

use super::super::board_word::{is_awaited, word_of};
use super::AgentWatch;
use crate::agent_state::{Doing, Source};
use crate::domain::attempt::ActivityKind;
use crate::domain::{Span, Timestamp};

/// Maximum delay of a source that reports that the agent continues, and has never reported its wait, behind the source that has: a terminal
/// that is not looked at is read about every fifth of a second.
pub(super) const BEHIND: Span = Span(500);
/// Maximum delay of the dialog that a busy tool draws for a request which was answered meanwhile. On a machine with thirty times as much
/// work as processors it was 46 seconds.
const DRAWN_LATE: Span = Span::seconds(60);
/// Time for which such a dialog may stand until the tool takes the answer. Until then it is no new ask: a no could be followed by a yes to
/// the same.
pub(super) const STANDS: Span = Span::seconds(30);

/// Change of a wait since it was reported to the board, as far as the agent waits for the same now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SinceTold {
    /// The wait is unchanged.
    Waits,
    /// The agent continued.
    WentOn,
    /// The agent continued and waits again, which is another wait.
    WaitsAgain,
}

/// A wait of an agent for an answer.
#[derive(Debug, Default)]
pub(super) struct KnownWait {
    pub(super) word: Option<ActivityKind>,
    /// Time at which it was first named.
    pub(super) since: Timestamp,
    /// Sources that reported it. A source that is behind another reports the state before the wait, and then the wait: that is not another
    /// one.
    pub(super) sources: BTreeSet<Source>,
    /// Time at which it was answered here, or a person typed a key.
    pub(super) answered_at: Option<Timestamp>,
    /// Time until which a source that names it only after that may be behind.
    pub(super) doubted_until: Option<Timestamp>,
}

impl KnownWait {
    pub(super) fn of(word: ActivityKind, source: Source, since: Timestamp) -> KnownWait {
        KnownWait {
            word: Some(word),
            since,
            sources: BTreeSet::from([source]),
            answered_at: None,
            doubted_until: None,
        }
    }

    /// Returns true if a word names the subject of this wait: in other words, too, if a tool puts some of its own before it.
    pub(super) fn names(&self, word: &ActivityKind) -> bool {
        match (&self.word, word) {
            (Some(ActivityKind::Permission(known)), ActivityKind::Permission(text)) => {
                known == text || !known.is_empty() && text.ends_with(known.as_str())
            }
            (known, word) => known.as_ref() == Some(word),
        }
    }
}

impl AgentWatch {
    /// Notes the source that reports a wait of the agent, and whether it reports it once more.
    pub(super) fn note_wait(&mut self, source: Source, doing: &Doing, at: Timestamp) {
        let Some(word) = word_of(source, doing, at).filter(is_awaited) else {
            // The source is not behind any more: what it names next is new.
            if !source.is_sticky() && self.wait.sources.contains(&source) {
                self.wait.doubted_until = None;
            }
            return;
        };
        if !self.wait.names(&word) {
            self.wait = KnownWait::of(word, source, at);
            return;
        }
        let is_new = self.wait.sources.insert(source);
        let answered = self.wait.answered_at;
        if is_new && answered.is_some_and(|answered| at.since(answered) <= DRAWN_LATE) {
            self.wait.doubted_until = Some(at + STANDS);
        }
        if self.since_told == SinceTold::WentOn && (!is_new || answered.is_some()) {
            self.since_told = SinceTold::WaitsAgain;
        }
    }
}
