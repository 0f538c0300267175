//! The words by which the board decides the state of an agent, derived from its known state. Pure.

use crate::agent_state::{Conclusion, Doing, Source};
use crate::domain::attempt::ActivityKind;
use crate::domain::{Span, Timestamp};

/// Returns true if an agent with this state waits for a person, so that the same once more is another wait.
pub(super) fn is_awaited(word: &ActivityKind) -> bool {
    word.needs_person() || matches!(word, ActivityKind::Failed(_))
}

/// Beginning of the text of an ask that is only known from words in a terminal.
pub(super) const SAYS_NO_LOGIN: &str = "what runs in its terminal says that a login is missing";

/// Returns the board's word for the report of one source.
pub(super) fn word_of(source: Source, doing: &Doing, at: Timestamp) -> Option<ActivityKind> {
    let said = Conclusion {
        doing: doing.clone(),
        since: at,
        source: Some(source),
        age: Span(0),
        is_stale: false,
        is_presumed: false,
        confirmed_by: None,
    };
    word(&said).map(|(word, _)| word)
}

/// Returns the board's word for the state of an agent, and the name of its source. `None` for a state that the board learns by other events,
/// and for one that is only presumed: an ask is not over because a key was typed or an answer was sent.
pub(super) fn word(concluded: &Conclusion) -> Option<(ActivityKind, &'static str)> {
    let source = source_name(concluded.source?);
    if concluded.is_presumed {
        return None;
    }
    let word = match &concluded.doing {
        Doing::Starting | Doing::Exited(_) | Doing::Lost => return None,
        Doing::NotLoggedIn { text } if concluded.confirmed_by.is_some() => {
            ActivityKind::NotLoggedIn(first_of(text, "not logged in"))
        }
        // Any text that is printed there can contain such a record, so it stops nothing.
        Doing::NotLoggedIn { text } => {
            let text = first_of(text, "nothing more");
            ActivityKind::Dialog(format!("{SAYS_NO_LOGIN}: {text}"))
        }
        // Such a record holds until the tool reports something else. A hook only knows that a turn failed.
        Doing::Done { problem: Some(text) } if concluded.source == Some(Source::StatusRecord) => {
            ActivityKind::Error(first_of(text, "it does not say which"))
        }
        // A limit whose time is over does not count any more.
        Doing::Limit { until, text } if !concluded.is_stale => ActivityKind::Limit {
            until: *until,
            why: first_of(text, "usage limit"),
        },
        Doing::Done { problem: Some(text) } => {
            ActivityKind::Failed(first_of(text, "its tool does not say why"))
        }
        Doing::Limit { .. } => ActivityKind::Idle,
        other => other.activity(),
    };
    Some((word, source))
}

/// Returns the first line of a tool's text, or its meaning if it has none.
fn first_of(text: &str, meaning: &str) -> String {
    let first = text.lines().next().unwrap_or_default().trim();
    if first.is_empty() { meaning } else { first }.to_owned()
}

/// Returns the name of a source in events, as they have been stored from the first.
fn source_name(source: Source) -> &'static str {
    match source {
        Source::ProcessExit => "exit",
        Source::StatusRecord => "osc 7501",
        Source::Hook => "hook",
        Source::Stream => "stream",
        Source::Title => "title",
        Source::Screen => "screen",
    }
}
