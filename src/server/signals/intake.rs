//! Takes signals of attempts in: checks the token, then hands them to the engine.

use crate::domain::cut::cut_bytes;
use std::path::PathBuf;
use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::project::ProjectSecret;
use crate::domain::signal::LONGEST_REPORT;
use crate::domain::{Accepted, Command, Event, Refusal, RequestId};
use crate::engine::inbox::InboxClosed;
use crate::formats::completion_report;
use crate::protocol::wire::SignalSent;
use crate::server::engine_handle::EngineHandle;
use crate::server::figures::session_figures::SessionFigures;
use crate::server::figures::usage::UsageMeters;
use crate::server::signals::comment_limit::flood_refusal;
use crate::server::signals::socket_reach::SocketReach;
use crate::server::signals::waiting_hooks::WaitingHooks;

/// Way on which a signal came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum SignalWay {
    Socket,
    File,
}

/// Maximum bytes of a signal's text that are kept; the rest is cut.
const LONGEST_TEXT: usize = 64 * 1024;

/// Checks signals and hands them to the engine.
#[derive(Debug, Clone)]
pub(in crate::server) struct SignalIntake {
    pub(in crate::server) folder: PathBuf,
    /// Times at which the socket could be reached.
    pub(in crate::server) reach: SocketReach,
    pub(in crate::server) secret: ProjectSecret,
    /// Source of attempts and receiver of signals.
    pub(in crate::server) engine: EngineHandle,
    /// Meters of the agents' usage, until it is reported to the engine.
    pub(in crate::server) usage: Arc<UsageMeters>,
    /// Positions up to which the records of their sessions were read for that.
    pub(in crate::server) records: Arc<SessionFigures>,
    /// Hooks that wait for the reply to an ask.
    pub(in crate::server) hooks: WaitingHooks,
}

impl SignalIntake {
    /// Creates an intake that has counted nothing yet.
    pub(in crate::server) fn new(
        folder: PathBuf,
        secret: ProjectSecret,
        engine: EngineHandle,
    ) -> SignalIntake {
        SignalIntake {
            folder,
            reach: SocketReach::default(),
            secret,
            engine,
            usage: Arc::default(),
            records: Arc::default(),
            hooks: WaitingHooks::new(clock::uptime()),
        }
    }
}

/// Checks the token, then hands the signal to the engine; returns when it is durable.
pub(in crate::server) fn take_signal(
    intake: &SignalIntake,
    signal: &SignalSent,
) -> Result<Result<Accepted, Refusal>, InboxClosed> {
    match verified(intake, signal, SignalWay::Socket) {
        Ok(event) => intake.engine.inbox.call(event),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Returns the signal as an event, when its token is that of its attempt.
pub(in crate::server) fn verified(
    intake: &SignalIntake,
    signal: &SignalSent,
    way: SignalWay,
) -> Result<Event, Refusal> {
    let model = intake.engine.read_model();
    let attempt = model
        .attempts
        .get(&signal.attempt)
        .ok_or_else(|| Refusal::new(format!("attempt {} is not known here", signal.attempt)))?;
    if !intake
        .secret
        .proves(&signal.token, signal.attempt, attempt.created_at)
    {
        return Err(Refusal::new(format!(
            "the token does not belong to attempt {}",
            signal.attempt
        )));
    }
    if signal.is_comment {
        if let Some(why) = flood_refusal(&model, attempt) {
            return Err(Refusal::new(why));
        }
        let text = cut_bytes(&signal.text, LONGEST_TEXT).replace('\0', "");
        return Ok(Event::Asked {
            request: RequestId(0),
            by: attempt.worker.name().to_owned(),
            command: Command::Comment(attempt.task.clone(), text),
        });
    }
    if let Some(report) = signal
        .report
        .as_ref()
        .filter(|report| report.len() > LONGEST_REPORT)
    {
        return Err(Refusal::new(format!(
            "its report has {} bytes: {LONGEST_REPORT} are the most, keep the rest in a file and name that",
            report.len()
        )));
    }
    let key = cut_bytes(&signal.key, LONGEST_TEXT).replace('\0', "");
    // Refused here, late signals and a flood make no events, so that the store does not grow.
    if let Some(refusal) = attempt.signal_refusal(signal.kind, &key) {
        return Err(refusal);
    }
    Ok(Event::Signalled {
        attempt: signal.attempt,
        kind: signal.kind,
        text: cut_bytes(&signal.text, LONGEST_TEXT).replace('\0', ""),
        report: signal.report.clone(),
        claims: signal
            .report
            .as_deref()
            .map(completion_report::read)
            .unwrap_or_default(),
        key,
        by_file: way == SignalWay::File,
    })
}

#[cfg(test)]
pub(in crate::server) mod tests;
