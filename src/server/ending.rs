//! The end of a server: the time it waits for work under way, the list of that work, and the way it is aborted.

use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapters::child_process::children::{EndForce, end_all};
use crate::domain::{AttemptState, EngineAction, Worker};
use crate::protocol::session_list;
use crate::protocol::wire::StopAgents;
use crate::read_model::ReadModel;
use crate::server::poison::PoisonFlag;

/// Time in which checks, pushes and copies of work that are under way may end by themselves.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two attempts to end aborted work: the first asks, the others kill.
const PAUSE: Duration = Duration::from_secs(1);
/// Number of such attempts. Work that starts one program after another has begun the next one meanwhile.
const N_ROUNDS: u32 = 5;

/// Order to end the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopOrder {
    pub(super) agents: StopAgents,
    pub(super) patience: Duration,
}

impl Default for StopOrder {
    fn default() -> StopOrder {
        StopOrder {
            agents: StopAgents::No,
            patience: PATIENCE,
        }
    }
}

impl StopOrder {
    /// Creates an order that waits for nothing.
    pub(super) fn at_once(agents: StopAgents) -> StopOrder {
        StopOrder {
            agents,
            patience: Duration::ZERO,
        }
    }

    /// Returns the answer to the caller who gave the order.
    pub(super) fn reply(self, model: &ReadModel) -> String {
        let works = under_way(model);
        if works.is_empty() || self.patience.is_zero() {
            return "the server ends".to_owned();
        }
        format!(
            "the server ends; it waits up to {} s for {}, and the rest is repeated at the next start",
            self.patience.as_secs(),
            works.join(", ")
        )
    }
}

/// Waits for the stop, and removes the record of the server at that socket at once: without it no client that loses the server takes it for
/// one that was cut off, and starts it again. A server that broke keeps its record, because it has to be started again.
pub(super) async fn remove_record(stop: &CancellationToken, poison: &PoisonFlag, socket: &Path) {
    stop.cancelled().await;
    if !poison.is_poisoned() {
        session_list::remove_record(socket);
    }
}

/// Returns the work of the engine itself that is under way, task by task.
fn under_way(model: &ReadModel) -> Vec<String> {
    let open = model.attempts.values().filter(|attempt| attempt.state.is_open());
    let works = open.filter_map(|attempt| match (&attempt.state, &attempt.worker) {
        (AttemptState::Verifying, _) | (_, Worker::Engine(EngineAction::Verify)) => {
            Some(format!("the checks of {}", attempt.task))
        }
        (_, Worker::Engine(EngineAction::Merge)) => Some(format!("the merge of {}", attempt.task)),
        (_, Worker::Engine(EngineAction::Commit)) => Some(format!("the commit of {}", attempt.task)),
        (_, Worker::Agent { .. }) => None,
    });
    works.collect()
}

/// Waits for effects that are under way for that time, and aborts the rest. Each may be repeated, and its report would not be taken any
/// more.
pub(super) async fn finish(effects: &TaskTracker, patience: Duration) {
    if tokio::time::timeout(patience, effects.wait()).await.is_ok() {
        return;
    }
    tracing::warn!(
        "broke off {} effects that were not over; they are repeated at the next start",
        effects.len()
    );
    for round in 0..N_ROUNDS {
        let force = if round == 0 { EndForce::Ask } else { EndForce::Kill };
        // A part that fails here only leaves a process to end by itself.
        drop(tokio::task::spawn_blocking(move || end_all(force)).await);
        if tokio::time::timeout(PAUSE, effects.wait()).await.is_ok() {
            return;
        }
    }
    tracing::warn!("{} effects go on until this process has ended", effects.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_is_stopped_leaves_no_record_and_one_that_broke_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("1.sock");
        let record = folder.path().join("1.json");
        for broke in [true, false] {
            std::fs::write(&record, "{}").unwrap();
            let (stop, poison) = (CancellationToken::new(), PoisonFlag::default());
            if broke {
                poison.guard("a part", || panic!("on purpose"));
            }
            stop.cancel();
            remove_record(&stop, &poison, &socket).await;
            assert_eq!(record.exists(), broke);
        }
    }
}
