//! The inventory after a start, as one event. It looks and reports; what follows is decided like everything else.

use crate::domain::{Board, Event, Exit, Inventory, Span};
use crate::ports::holders::{Held, HeldState, HolderFailure, Holders};
use crate::ports::terminals::Terminals;

/// How long an agent nobody waits for has to end by itself.
const GRACE: Span = Span(2_000);

/// Looks at every holder there is. Processes that a dead holder left behind are ended on the way; what lives, or may live, is
/// followed from now on.
///
/// # Errors
/// When the folder of attempts cannot be listed: then nothing is known, and nothing may be concluded.
pub fn take_inventory(
    board: &Board,
    holders: &dyn Holders,
    terminals: &dyn Terminals,
) -> Result<Event, HolderFailure> {
    let mut found = Inventory::default();
    for held in holders.inventory()? {
        let Some(attempt) = held.id.attempt() else {
            continue;
        };
        if !board
            .attempts
            .get(&attempt)
            .is_some_and(|attempt| attempt.state.is_open())
        {
            stop_if_alive(holders, &held);
            continue;
        }
        match held.state {
            HeldState::Running(_) => {
                found.running.insert(attempt);
                terminals.follow(&held.id);
            }
            HeldState::Exited(ended) => {
                found
                    .ended
                    .insert(attempt, (ended.exit, terminals.last_lines(&held.id)));
            }
            HeldState::Lost => match holders.sweep(&held.id) {
                Ok(_) => {
                    found
                        .ended
                        .insert(attempt, (Exit::Vanished, terminals.last_lines(&held.id)));
                }
                Err(_) => {
                    found.unknown.insert(attempt);
                }
            },
            HeldState::NotStarted => {}
            HeldState::Unknown(_) => {
                found.unknown.insert(attempt);
                terminals.follow(&held.id);
            }
        }
    }
    Ok(Event::Woke(found))
}

/// Nobody waits for this agent any more, so it would work in vain (K34).
fn stop_if_alive(holders: &dyn Holders, held: &Held) {
    if !matches!(held.state, HeldState::Running(_)) {
        return;
    }
    match holders.stop(&held.id, GRACE) {
        Ok(_) => tracing::info!(id = %held.id, "stopped an agent nobody waits for"),
        Err(error) => tracing::warn!(id = %held.id, "could not {error}"),
    }
}
