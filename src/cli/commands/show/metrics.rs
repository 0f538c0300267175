//! `dbs metrics`: the figures of the metrics view, as text and as JSON (K79).

use std::process::ExitCode;

use crate::adapters::holder::LocalHolders;
use crate::adapters::load::{LoadSampler, SAMPLE_INTERVAL};
use crate::adapters::output;
use crate::adapters::store::SqliteStore;
use crate::cli::args::JsonFlag;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::AttemptId;
use crate::ports::holders::{HolderId, HolderLiveness, Holders as _};
use crate::protocol::reports;
use crate::read_model::{AttemptLoad, Metrics, MetricsReport, ReadModel};

/// Prints the figures: the server's words, or without one what the store and the agents' processes say.
pub(in crate::cli::commands) fn metrics(edge: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let mut door = BoardAccess::open(edge)?;
    let form = json.into();
    let text = if let Some(text) = door.metrics(form)? {
        text
    } else {
        let board = door.snapshot()?;
        let metrics = count(&door.place)?;
        let loads = loads(&door.place, edge, &board.read_model())?;
        vec![reports::metrics(&board, &MetricsReport { metrics, loads }, form)?.into()]
    };
    for part in text {
        output::bytes(&part);
    }
    Ok(ExitCode::SUCCESS)
}

fn count(place: &ProjectPaths) -> Result<Metrics, String> {
    let mut metrics = Metrics::default();
    if place.store.database.exists() {
        let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
        let reader = SqliteStore::open_reader(&place.store).map_err(|error| failed(&error))?;
        for attempt in reader.attempts(AttemptId(0)).map_err(|error| failed(&error))? {
            metrics.record(&attempt);
        }
    }
    Ok(metrics)
}

/// What the agents at work use of the machine.
fn loads(place: &ProjectPaths, edge: &ProcessEnv, model: &ReadModel) -> Result<Vec<AttemptLoad>, String> {
    let holders = LocalHolders::new(
        edge.program.clone(),
        place.attempts.clone(),
        place.runtime.clone(),
    );
    let process = |attempt: AttemptId| match holders.status(&HolderId::from(attempt)).state {
        HolderLiveness::Running(launched) => Some((attempt, launched.child_pid)),
        _ => None,
    };
    let agents: Vec<(AttemptId, u32)> = model.agents().filter_map(|row| process(row.attempt.id)).collect();
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let roots: Vec<u32> = agents.iter().map(|(_, root)| *root).collect();
    let mut watch = LoadSampler::default();
    watch.sample(&roots);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    runtime.block_on(async { tokio::time::sleep(SAMPLE_INTERVAL).await });
    let usages = watch.sample(&roots);
    let loads = agents.iter().zip(usages).filter_map(|((attempt, _), usage)| {
        usage.map(|usage| AttemptLoad {
            attempt: *attempt,
            cpu: usage.cpu,
            memory: usage.memory,
            processes: usage.processes,
        })
    });
    Ok(loads.collect())
}
