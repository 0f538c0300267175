//! The end of a server: the session first, then, if so wished, the agents.

use std::sync::Arc;

use crate::domain::Span;
use crate::ports::holders::{HolderId, HolderLiveness, Holders};
use crate::protocol::wire::StopAgents;
use crate::server::engine_thread::EngineThread;
use crate::server::hub::TerminalHub;
use crate::server::shells::Shells;

/// How long a program has to end by itself after it was asked to.
const STOP_GRACE: Span = Span(3_000);

/// Ends a session that serves nobody any more: what is under way is finished, then the engine ends, then, if so wished, every
/// agent and shell there is, also one that was just being started.
pub(super) async fn end(
    engine: &EngineThread,
    (hub, holders, shells): (&TerminalHub, Arc<dyn Holders>, &Shells),
    agents: StopAgents,
) -> Result<(), String> {
    shells.close().await;
    let ended = engine.end().await.map_err(|error| format!("could not {error}"));
    hub.close();
    if agents == StopAgents::No {
        return ended;
    }
    let stopping = tokio::task::spawn_blocking(move || {
        let found = holders
            .inventory()
            .map_err(|error| format!("could not {error}"))?;
        let running = found.into_iter().filter(|held| {
            matches!(
                held.state,
                HolderLiveness::Running(_) | HolderLiveness::Unknown(_)
            )
        });
        let ids: Vec<HolderId> = running.map(|held| held.id).collect();
        stop_all(holders.as_ref(), &ids);
        Ok(())
    });
    let stopped = stopping
        .await
        .unwrap_or_else(|error| Err(format!("could not stop the agents: {error}")));
    ended.and(stopped)
}

/// Ends programs and all they started, side by side.
fn stop_all(holders: &dyn Holders, ids: &[HolderId]) {
    std::thread::scope(|scope| {
        for id in ids {
            scope.spawn(move || {
                if let Err(error) = holders.stop(id, STOP_GRACE) {
                    tracing::warn!(%id, "could not {error}");
                }
            });
        }
    });
}
