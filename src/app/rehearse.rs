//! `dbs rehearse`: a scripted agent, which sends its signals as every agent does.

use crate::adapters::rehearsal::{self, OutgoingSignal, RehearsalContext, SignalSink, SinkError};
use crate::cli::command_error::{CommandError, CommandResult};
use crate::cli::commands::RunCommand;
use crate::cli::commands::rehearse::RehearseArgs;
use crate::cli::commands::signal::{self, SignalRoute};
use crate::config::process_env::ProcessEnv;
use crate::domain::AttemptId;
use crate::protocol::wire::SignalSent;

impl RunCommand for RehearseArgs {
    fn run(self, _env: &ProcessEnv) -> CommandResult {
        Ok(rehearsal::command(&self.arguments, &sink))
    }
}

/// Returns the sink for signals of the scripted agent, which sends them as every agent does.
fn sink(context: &RehearsalContext) -> Box<dyn SignalSink> {
    Box::new(SignalRoute {
        socket: context.socket.clone(),
        inbox: context.inbox.clone(),
    })
}

impl SignalSink for SignalRoute {
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), SinkError> {
        // A scenario that is tried by hand has no receiver.
        if self.socket.is_none() && self.inbox.is_none() {
            return Ok(());
        }
        let attempt = signal
            .attempt
            .parse()
            .map(AttemptId)
            .map_err(|_no_number| CommandError::user(format!("{} is not an attempt", signal.attempt)))?;
        let sent = SignalSent {
            attempt,
            token: signal.token.clone(),
            kind: signal.kind,
            text: signal.text.clone(),
            report: signal.report.as_ref().map(ToString::to_string),
            key: signal.key.clone(),
            is_comment: false,
        };
        // A refusal of the engine is the engine's business; an agent continues with its part.
        drop(signal::send(self, &sent)?);
        Ok(())
    }
}
