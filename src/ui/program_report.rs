//! Reports of a program in a terminal beside its screen: calls, progress and folder. Pure. The words come from the program: they are
//! cleaned and bounded here, and are never shown without the name of the pane they came from.

use crate::domain::cut::cut_chars;
use std::path::PathBuf;

use crate::display::text::clean;
use crate::domain::{Span, Timestamp};
use crate::term::{DesktopNotification, ProgressReport};

/// Maximum length of the words of a call, in characters.
const LONGEST_CALL: usize = 120;
/// Minimum time between two calls of one terminal that are passed on; calls in between are marked at its pane.
const CALL_PACE: Span = Span::seconds(1);
/// Time that a text for the clipboard waits for a person who has the terminal in focus.
const OFFER_LIFE: Span = Span::seconds(3);
/// Minimum time between two redraws for the reports of one terminal.
const SHOW_PACE: Span = Span(200);

/// Reports of a program in a terminal that still hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramReport {
    /// Call of the program that was not seen yet.
    pub call: Option<ProgramCall>,
    /// Progress of the program.
    pub progress: ProgressReport,
    /// The folder of its shell on this machine.
    pub folder: Option<PathBuf>,
}

/// A call of a program for the person: its bell, or words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramCall {
    Bell,
    /// Clean text in one line.
    Words(String),
}

impl ProgramReport {
    /// Returns the progress in a word; `None` if nothing is under way.
    pub fn progress_word(&self) -> Option<String> {
        Some(match self.progress {
            ProgressReport::None => return None,
            ProgressReport::Percent(percent) => format!("{percent} %"),
            ProgressReport::Error(0) => "error".to_owned(),
            ProgressReport::Error(percent) => format!("error at {percent} %"),
            ProgressReport::Indeterminate => "busy".to_owned(),
            ProgressReport::Paused(0) => "paused".to_owned(),
            ProgressReport::Paused(percent) => format!("paused at {percent} %"),
        })
    }
}

impl ProgramCall {
    /// Returns the words of a notification, cleaned and cut; `None` if nothing is left of them.
    pub fn of(notification: &DesktopNotification) -> Option<ProgramCall> {
        let parts = [&notification.title, &notification.body];
        let parts: Vec<&str> = parts
            .map(|part| part.trim())
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let line: String = parts.join(": ").split_whitespace().collect::<Vec<_>>().join(" ");
        let words = cut_chars(&clean(&line), LONGEST_CALL).to_owned();
        (!words.is_empty()).then_some(ProgramCall::Words(words))
    }

    /// Returns the text of the call, to follow the name of the pane.
    pub fn text(&self) -> String {
        match self {
            ProgramCall::Bell => "rang the bell".to_owned(),
            ProgramCall::Words(words) => format!("says: {words}"),
        }
    }
}

/// Keeper of the reports of one terminal, which limits how often they are passed on.
#[derive(Debug, Clone, Default)]
pub struct ProgramReports {
    report: ProgramReport,
    /// Time of the last call that was passed on.
    called_at: Option<Timestamp>,
    /// Time of the last redraw for a report.
    shown_at: Option<Timestamp>,
    /// A text for the clipboard, and the time it came.
    offer: Option<(String, Timestamp)>,
}

impl ProgramReports {
    /// Returns the reports that hold.
    pub fn report(&self) -> &ProgramReport {
        &self.report
    }

    /// Takes a call; returns true if it is passed on. A bell does not replace words that were not read.
    pub fn call(&mut self, call: ProgramCall, now: Timestamp) -> bool {
        if !matches!(
            (&call, &self.report.call),
            (ProgramCall::Bell, Some(ProgramCall::Words(_)))
        ) {
            self.report.call = Some(call);
        }
        take_turn(&mut self.called_at, CALL_PACE, now)
    }

    /// Notes that a person looks at the terminal; returns true if anything was marked.
    pub fn attend(&mut self) -> bool {
        self.report.call.take().is_some()
    }

    /// Takes the progress of the program; returns true if it has to be shown at once.
    pub fn progress(&mut self, progress: ProgressReport, now: Timestamp) -> bool {
        let is_new = self.report.progress != progress;
        self.report.progress = progress;
        is_new && take_turn(&mut self.shown_at, SHOW_PACE, now)
    }

    /// Takes the folder of the program; returns true if it has to be shown at once.
    pub fn folder(&mut self, folder: PathBuf, now: Timestamp) -> bool {
        let is_new = self.report.folder.as_ref() != Some(&folder);
        self.report.folder = Some(folder);
        is_new && take_turn(&mut self.shown_at, SHOW_PACE, now)
    }

    /// Takes a text that the program wants to put into the clipboard; the last one counts.
    pub fn offer(&mut self, text: String, now: Timestamp) {
        self.offer = Some((text, now));
    }

    /// Returns the text for the clipboard, if it has just come. A person who looks at the terminal later was not there when the program
    /// wanted it.
    pub fn take_offer(&mut self, now: Timestamp) -> Option<String> {
        let (text, came) = self.offer.take()?;
        (now.since(came) <= OFFER_LIFE).then_some(text)
    }

    /// Notes that the program has ended: its progress is over.
    pub fn end(&mut self) {
        self.report.progress = ProgressReport::None;
    }
}

/// Returns true if the pace allows a turn now, and takes it. A clock that was set back must not delay it.
fn take_turn(last: &mut Option<Timestamp>, pace: Span, now: Timestamp) -> bool {
    let waits = last.is_some_and(|last| now.apart(last) < pace);
    if !waits {
        *last = Some(now);
    }
    !waits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(title: &str, body: &str) -> Option<ProgramCall> {
        ProgramCall::of(&DesktopNotification {
            title: title.to_owned(),
            body: body.to_owned(),
        })
    }

    fn said(text: &str) -> ProgramCall {
        ProgramCall::Words(text.to_owned())
    }

    #[test]
    fn the_words_of_a_call_are_one_clean_line_of_a_bounded_length() {
        assert_eq!(words("make", "done\nnow"), Some(said("make: done now")));
        assert_eq!(words("", "  "), None);
        let Some(ProgramCall::Words(text)) = words("", "a\x1b[31m\u{202e}b") else {
            panic!("words are left");
        };
        assert!(
            !text.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "{text:?}"
        );
        let Some(ProgramCall::Words(text)) = words("", &"x".repeat(4096)) else {
            panic!("words are left");
        };
        assert_eq!(text.len(), LONGEST_CALL);
    }

    #[test]
    fn of_many_calls_one_a_second_is_passed_on_and_the_last_words_stay_until_somebody_looks() {
        let mut reports = ProgramReports::default();
        let passed = (0..3_000).filter(|at| reports.call(said(&format!("call {at}")), Timestamp(*at)));
        assert_eq!(passed.count(), 3);
        reports.call(ProgramCall::Bell, Timestamp(9_000));
        assert_eq!(reports.report().call, Some(said("call 2999")));
        assert!(reports.attend());
        assert!(!reports.attend());
        assert!(
            reports.call(ProgramCall::Bell, Timestamp(100)),
            "the clock was set back"
        );
        assert_eq!(reports.report().call, Some(ProgramCall::Bell));
    }

    #[test]
    fn a_text_for_the_clipboard_is_taken_once_and_only_when_it_has_just_come() {
        let mut reports = ProgramReports::default();
        reports.offer("first".to_owned(), Timestamp(10));
        reports.offer("last".to_owned(), Timestamp(20));
        assert_eq!(reports.take_offer(Timestamp(900)).as_deref(), Some("last"));
        assert_eq!(reports.take_offer(Timestamp(900)), None);
        reports.offer("late".to_owned(), Timestamp(1_000));
        assert_eq!(reports.take_offer(Timestamp(4_500)), None);
    }

    #[test]
    fn progress_is_a_word_that_is_shown_a_few_times_a_second_and_ends_with_the_program() {
        let mut reports = ProgramReports::default();
        let shown = (0..1_000u64)
            .filter(|at| reports.progress(ProgressReport::Percent((at % 100) as u8), Timestamp(*at)));
        assert_eq!(shown.count(), 5);
        assert_eq!(reports.report().progress_word(), Some("99 %".to_owned()));
        for (report, word) in [
            (ProgressReport::Indeterminate, "busy"),
            (ProgressReport::Paused(40), "paused at 40 %"),
            (ProgressReport::Error(0), "error"),
            (ProgressReport::Error(7), "error at 7 %"),
        ] {
            reports.progress(report, Timestamp(5_000));
            assert_eq!(reports.report().progress_word().as_deref(), Some(word));
        }
        reports.end();
        assert_eq!(reports.report().progress_word(), None);
    }
}
