//! Inventory after a start. It looks and reports; the consequences are decided like everything else.

use crate::domain::event::EndCause;
use crate::domain::{Attempt, AttemptState, Board, Inventory, ProcessExit, Span};
use crate::ports::holders::{ExitedBy, HolderLiveness, HolderPortError, HolderReport, Holders, ProgramExit};
use crate::ports::terminals::Terminals;

/// Time that an orphaned agent has to end by itself.
const ORPHAN_GRACE: Span = Span(2_000);

/// Looks at every holder. Processes that a holder left behind when it ended are ended on the way; living ones, and those that may live, are
/// followed from now on.
///
/// # Errors
/// When the folder of attempts cannot be listed: then nothing is known, and nothing may be concluded.
pub fn take_inventory(
    board: &Board,
    holders: &dyn Holders,
    terminals: &dyn Terminals,
    named: &dyn Fn(&Attempt, &str) -> Option<EndCause>,
) -> Result<Inventory, HolderPortError> {
    let mut found = Inventory::default();
    for held in holders.inventory()? {
        let Some(id) = held.id.attempt() else {
            continue;
        };
        let open = board.attempts.get(&id).filter(|attempt| attempt.state.is_open());
        let Some(attempt) = open else {
            stop_orphan(holders, &held);
            continue;
        };
        let exit = match held.state {
            HolderLiveness::Running(_) => {
                found.running.insert(attempt.id);
                terminals.follow(&held.id);
                continue;
            }
            HolderLiveness::Exited(ended) => exit_of(attempt, ended),
            HolderLiveness::GoneWithMachine => ProcessExit::MachineStopped,
            HolderLiveness::Lost if holders.sweep_orphans(&held.id).is_ok() => ProcessExit::Vanished,
            HolderLiveness::Lost => {
                found.unknown.insert(attempt.id);
                continue;
            }
            HolderLiveness::NotStarted => continue,
            HolderLiveness::Unknown(_) => {
                found.unknown.insert(attempt.id);
                terminals.follow(&held.id);
                continue;
            }
        };
        let tail = terminals.last_lines(&held.id);
        if let Some(cause) = named(attempt, &tail) {
            found.causes.insert(attempt.id, cause);
        }
        found.ended.insert(attempt.id, (exit, tail));
    }
    Ok(found)
}

/// Returns the exit of a program. A program that the board had not asked to stop was stopped with the whole session.
fn exit_of(attempt: &Attempt, ended: ProgramExit) -> ProcessExit {
    match (ended.by, &attempt.state) {
        (ExitedBy::Stop, AttemptState::Starting | AttemptState::Running) => ProcessExit::SessionStopped,
        (ExitedBy::Stop | ExitedBy::Itself, _) => ended.exit,
        (ExitedBy::Shutdown, _) => ProcessExit::MachineStopped,
    }
}

/// Stops an agent that is not waited for any more and would work in vain (K34).
fn stop_orphan(holders: &dyn Holders, held: &HolderReport) {
    if !matches!(held.state, HolderLiveness::Running(_)) {
        return;
    }
    match holders.stop(&held.id, ORPHAN_GRACE) {
        Ok(_) => tracing::info!(id = %held.id, "stopped an agent that no attempt needs"),
        Err(error) => tracing::warn!(id = %held.id, "could not {error}"),
    }
}
