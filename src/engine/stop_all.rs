//! Ends every program in a terminal, side by side: for a server that ends with its agents, and for a project without a server.

use crate::domain::Span;
use crate::ports::holders::{HolderLiveness, HolderPortError, Holders};

/// Time that a program has to end by itself after it was asked to.
const STOP_GRACE: Span = Span(3_000);

/// Ends all programs in terminals and everything they started, also processes that killed holders left behind; returns the number of
/// programs.
///
/// # Errors
/// When they cannot be listed.
pub fn stop_programs(holders: &dyn Holders) -> Result<usize, HolderPortError> {
    let mut found = holders.inventory()?;
    found.retain(|held| {
        matches!(
            held.state,
            HolderLiveness::Running(_) | HolderLiveness::Unknown(_)
        )
    });
    std::thread::scope(|scope| {
        for held in &found {
            scope.spawn(move || {
                if let Err(error) = holders.stop(&held.id, STOP_GRACE) {
                    tracing::warn!(id = %held.id, "could not {error}");
                }
            });
        }
    });
    holders.sweep_killed();
    Ok(found.len())
}
