//! Calls to the server: requests to the board, signals of attempts, questions about the session.

use std::sync::Arc;

use crate::domain::signal::LONGEST_REPORT;
use crate::domain::{Accepted, Attempt, Event, Refusal};
use crate::engine::inbox::Closed;
use crate::protocol::snapshot::{Needs, Snapshot};
use crate::protocol::telling::{self, Asked, Form};
use crate::protocol::wire::{Answer, Call, SignalSent, StopAgents, Who};
use crate::server::consenting::consent;
use crate::server::inbox_folder::Intake;
use crate::server::reloading;
use crate::server::session;
use crate::server::session::Session;

/// Longest text of a signal that is kept, in bytes; the rest is cut.
const LONGEST_TEXT: usize = 64 * 1024;

/// What a call led to, besides its answer.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Just the answer.
    Answer(Answer),
    /// A text, piece by piece.
    Text(String),
    /// The answer, and then the end of the server.
    Stop(Answer, StopAgents),
    /// Lines from that position on.
    Follow(u64),
    /// A word whenever the board has changed.
    Watch,
    /// The figures, which take a while to look at.
    Figures(Form),
}

/// Answers a call. Blocks until the board has decided: call from a blocking thread.
pub(super) fn answer(session: &Session, clients: usize, call: Call) -> Outcome {
    match call {
        Call::Ask { by, command } => Outcome::Answer(asked(session::ask(&session.inbox, &by, command))),
        Call::Signal(signal) => Outcome::Answer(asked(take_signal(&session.intake, &signal))),
        Call::Consent { attempt, what, says } => {
            Outcome::Answer(Answer::Asked(consent(session, attempt, (&what, says))))
        }
        Call::Task(id) => Outcome::Answer(Answer::Task(board(session).sheet(&id).map(Box::new))),
        Call::Attempt(name) => Outcome::Answer(Answer::Attempt(
            board(session).attempt(&name).cloned().map(Box::new),
        )),
        Call::Ids => Outcome::Answer(Answer::Ids(board(session).tasks.into_keys().collect())),
        Call::Tell(asked) => tell(session, &asked),
        Call::Figures(form) => Outcome::Figures(form),
        Call::Needs => {
            let picture = Arc::clone(&session.pictures.borrow());
            Outcome::Answer(Answer::Needs(Box::new(Needs::served(&picture))))
        }
        Call::Follow(after) => Outcome::Follow(after),
        Call::Watch => Outcome::Watch,
        Call::Reload => Outcome::Answer(reload(session)),
        Call::Stop(agents) => Outcome::Stop(Answer::Done("the server ends".to_owned()), agents),
        Call::Who => Outcome::Answer(Answer::Who(who(session, clients))),
    }
}

fn board(session: &Session) -> Snapshot {
    // The engine does not wait for who reads a picture.
    let picture = Arc::clone(&session.pictures.borrow());
    Snapshot::served(&picture)
}

fn tell(session: &Session, asked: &Asked) -> Outcome {
    match telling::tell(&board(session), asked) {
        Ok(text) => Outcome::Text(text),
        Err(why) => Outcome::Answer(Answer::Failed(why)),
    }
}

/// The figures as a command prints them, of what agents use since the last look at it. Blocks.
///
/// # Errors
/// When the store cannot be read; for people.
pub(super) fn figures(session: &Session, form: Form) -> Result<String, String> {
    let picture = Arc::clone(&session.pictures.borrow());
    let figures = session
        .tally
        .figures(session, &picture)
        .map_err(|why| format!("could not {why}"))?;
    telling::figures(&Snapshot::served(&picture), &figures, form)
}

/// Checks who speaks, then hands the signal to the engine; answers when it is durable.
///
/// # Errors
/// When the engine has stopped.
pub(super) fn take_signal(intake: &Intake, signal: &SignalSent) -> Result<Result<Accepted, Refusal>, Closed> {
    let event = match verified(intake, signal) {
        Ok(event) => event,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let known = |attempt: &Arc<Attempt>| attempt.signals.iter().any(|heard| heard.key == signal.key);
    if intake
        .pictures
        .borrow()
        .attempts
        .get(&signal.attempt)
        .is_some_and(known)
    {
        return Ok(Ok(Accepted("this was heard before".to_owned())));
    }
    intake.inbox.answer(event)
}

/// The signal as an event, when its token is that of its attempt.
///
/// # Errors
/// Who it is not from.
pub(super) fn verified(intake: &Intake, signal: &SignalSent) -> Result<Event, Refusal> {
    let created_at = intake
        .pictures
        .borrow()
        .attempts
        .get(&signal.attempt)
        .map(|attempt| attempt.created_at)
        .ok_or_else(|| Refusal(format!("attempt {} is not known here", signal.attempt)))?;
    if !intake.secret.proves(&signal.token, signal.attempt, created_at) {
        return Err(Refusal(format!(
            "the token is not that of attempt {}",
            signal.attempt
        )));
    }
    if let Some(report) = signal
        .report
        .as_ref()
        .filter(|report| report.len() > LONGEST_REPORT)
    {
        return Err(Refusal(format!(
            "its report has {} bytes: {LONGEST_REPORT} are the most, keep the rest in a file and name that",
            report.len()
        )));
    }
    Ok(Event::Signalled {
        attempt: signal.attempt,
        kind: signal.kind,
        text: cut(&signal.text),
        report: signal.report.clone(),
        key: cut(&signal.key),
    })
}

fn cut(text: &str) -> String {
    let mut end = LONGEST_TEXT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().replace('\0', "")
}

fn asked(answer: Result<Result<Accepted, Refusal>, Closed>) -> Answer {
    match answer {
        Ok(answer) => Answer::Asked(answer),
        Err(closed) => Answer::Failed(format!("could not {closed}")),
    }
}

fn reload(session: &Session) -> Answer {
    match reloading::reload(session) {
        Ok(()) => Answer::Done("settings and workflows were read again".to_owned()),
        Err(why) => Answer::Failed(format!("{why}\nthe old settings stay in force")),
    }
}

fn who(session: &Session, clients: usize) -> Who {
    Who {
        name: session.name(),
        root: session.place.root.to_string_lossy().into_owned(),
        pid: std::process::id(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        since: session.since,
        clients,
        agents: session.pictures.borrow().agents().count(),
        counts: {
            let counts = session.pictures.borrow().counts();
            counts
                .into_iter()
                .map(|(word, many)| (word.to_owned(), many))
                .collect()
        },
        needs: session.pictures.borrow().attention.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::inbox_folder::tests::{FIRST, intake, signal};
    use super::*;

    /// Text and key are that; what they are instead would be too long to show.
    fn kept((text, key): &(String, String), expected: &str) {
        assert!(text == expected, "{} bytes of text", text.len());
        assert!(key == expected, "{} bytes of key", key.len());
    }

    #[test]
    fn of_a_text_that_is_too_long_a_signal_keeps_the_beginning_in_whole_characters() {
        let home = tempfile::tempdir().unwrap();
        let (intake, _outlet) = intake(home.path());
        let said = |text: &str| {
            let mut sent = signal(&intake.secret, FIRST, FIRST);
            sent.text = text.to_owned();
            sent.key = text.to_owned();
            match verified(&intake, &sent) {
                Ok(Event::Signalled { text, key, .. }) => (text, key),
                other => panic!("no signal: {other:?}"),
            }
        };
        let whole = "x".repeat(64 * 1024);
        kept(&said(&whole), &whole);
        kept(&said(&format!("{whole}y")), &whole);
        // The last character that begins within the limit would end beyond it.
        let begun = "x".repeat(64 * 1024 - 1);
        let wide = format!("{begun}\u{e9}{}", "z".repeat(1024 * 1024));
        kept(&said(&wide), &begun);
        kept(&said("a\0b"), "ab");
    }
}
