//! Takes signals of attempts in: checks who speaks, then hands them to the engine.

use std::path::PathBuf;
use std::sync::Arc;

use crate::adapters::project::Secret;
use crate::domain::signal::LONGEST_REPORT;
use crate::domain::{Accepted, Attempt, Event, Refusal};
use crate::engine::inbox::Closed;
use crate::protocol::wire::SignalSent;
use crate::server::engine_handle::EngineHandle;

/// Longest text of a signal that is kept, in bytes; the rest is cut.
const LONGEST_TEXT: usize = 64 * 1024;

/// What is needed to take signals in.
#[derive(Debug, Clone)]
pub(super) struct Intake {
    /// Where files with signals lie.
    pub(super) folder: PathBuf,
    /// Proves who speaks.
    pub(super) secret: Secret,
    /// Where attempts are looked up and signals go.
    pub(super) engine: EngineHandle,
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
        .engine
        .read_model()
        .attempts
        .get(&signal.attempt)
        .is_some_and(known)
    {
        return Ok(Ok(Accepted("this was heard before".to_owned())));
    }
    intake.engine.inbox.answer(event)
}

/// The signal as an event, when its token is that of its attempt.
///
/// # Errors
/// Who it is not from.
pub(super) fn verified(intake: &Intake, signal: &SignalSent) -> Result<Event, Refusal> {
    let created_at = intake
        .engine
        .read_model()
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
