//! The words for the board: which, when they are due, and how often.

use super::super::board_word::{is_awaited, word};
use super::AgentWatch;
use super::known_wait::{BEHIND, KnownWait, SinceTold};
use crate::agent_state::{Conclusion, Doing, Source};
use crate::domain::attempt::ActivityKind;
use crate::domain::{Span, Timestamp};

/// Minimum time between two words for the board. A state that changes more often is reported as it is at the end of that time.
pub(super) const PACE: Span = Span(200);
/// Minimum time after two words at once, and so the maximum of both.
const PACE_AFTER_TWO: Span = Span(400);
/// Time to wait for the cause of an error that came without words; session files are read about once a second.
pub(super) const WORDS_WAIT: Span = Span::seconds(3);

/// Maximum wait for the text of an ask that a title has announced; a screen that changes is looked at each half second.
const TEXT_WAIT: Span = Span(1_500);

impl AgentWatch {
    /// Returns the time at which there is something to report to the board, or at which there may be without another report.
    pub(in crate::server::terminals::hub) fn due(&self, now: Timestamp) -> Option<Timestamp> {
        if !self.untold.is_empty() || self.has_menu_to_tell() {
            return Some(now);
        }
        if self.is_past {
            return None;
        }
        let concluded = self.state.conclude(now);
        if !self.is_news(&concluded) {
            return self.state.next_change(now);
        }
        let held_back = [
            Some(self.not_before),
            words_expected(&concluded),
            self.other_source_expected(&concluded),
            screen_expected(&concluded),
        ];
        held_back.into_iter().flatten().chain([now]).max()
    }

    /// Returns the time until which the source of this is waited for, as it may be behind: its report may be from before a wait that
    /// another has reported, or it may name a wait that was answered already.
    fn other_source_expected(&self, concluded: &Conclusion) -> Option<Timestamp> {
        let word = word(concluded).map(|(word, _)| word);
        if word.as_ref().is_some_and(|word| self.wait.names(word)) {
            return self.wait.doubted_until;
        }
        let is_by_another = concluded
            .source
            .is_some_and(|source| !self.wait.sources.contains(&source));
        let is_end_of_wait =
            self.since_told == SinceTold::WentOn && !word.is_some_and(|word| is_awaited(&word));
        let may_be_behind = is_end_of_wait && is_by_another && self.wait.answered_at.is_none();
        may_be_behind.then_some(concluded.since + BEHIND)
    }

    /// Returns the words to report to the board now, in this order, with their source.
    pub(in crate::server::terminals::hub) fn tell(
        &mut self,
        now: Timestamp,
    ) -> Vec<(ActivityKind, &'static str)> {
        let concluded = self.state.conclude(now);
        if !self.is_news(&concluded) || self.due(now).is_none_or(|due| due > now) {
            return Vec::new();
        }
        let Some((word, source)) = word(&concluded) else {
            return Vec::new();
        };
        let mut told = Vec::new();
        if self.told.as_ref() == Some(&word) {
            // The same ask once more is another ask, and the board can tell only by the word between.
            told.push((ActivityKind::Working, source));
        }
        told.push((word.clone(), source));
        if is_awaited(&word) {
            (self.wait.answered_at, self.wait.doubted_until) = (None, None);
        } else if self.wait.answered_at.is_none() {
            self.wait = KnownWait::default();
        }
        self.told = Some(word);
        self.told_menu.clear();
        self.since_told = SinceTold::Waits;
        self.not_before = now + if told.len() > 1 { PACE_AFTER_TWO } else { PACE };
        told
    }

    fn is_news(&self, concluded: &Conclusion) -> bool {
        !self.is_past
            && word(concluded).is_some_and(|(word, _)| {
                self.told.as_ref() != Some(&word)
                    || (self.since_told == SinceTold::WaitsAgain && is_awaited(&word))
            })
    }

    /// Notes the end of a wait that the board knows of, however soon the agent waits again.
    pub(super) fn look(&mut self, now: Timestamp) {
        let word = word(&self.state.conclude(now));
        let goes_on = word.is_some_and(|(word, _)| !is_awaited(&word));
        let was_told = self.told.as_ref().is_some_and(is_awaited);
        if goes_on && was_told && self.since_told == SinceTold::Waits {
            self.since_told = SinceTold::WentOn;
        }
    }
}

/// Returns the time until which the text of an ask is waited for that a title has announced: it is on the screen.
fn screen_expected(concluded: &Conclusion) -> Option<Timestamp> {
    let is_unnamed = concluded.source == Some(Source::Title)
        && matches!(&concluded.doing, Doing::Blocked(wait) if wait.text.is_empty());
    is_unnamed.then_some(concluded.since + TEXT_WAIT)
}

/// Returns the time until which the words of an error that came without any are waited for: the tool's session file names the cause a
/// moment later, and a usage limit is not a failed turn.
fn words_expected(concluded: &Conclusion) -> Option<Timestamp> {
    let is_wordless = concluded.source == Some(Source::StatusRecord)
        && matches!(&concluded.doing, Doing::Done { problem: Some(text) } if text.trim().is_empty());
    is_wordless.then_some(concluded.since + WORDS_WAIT)
}
