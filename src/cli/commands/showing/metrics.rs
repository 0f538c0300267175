//! `dbs metrics`: the figures of the metrics view, as text and as JSON (K79).

use std::process::ExitCode;

use crate::adapters::holder::LocalHolders;
use crate::adapters::load::{LOOKED_FOR, LoadWatch};
use crate::adapters::out;
use crate::adapters::store::SqliteStore;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::domain::AttemptId;
use crate::ports::holders::{HeldState, HolderId, Holders as _};
use crate::protocol::telling;
use crate::read_model::{Figures, Load, Metrics, ReadModel};

/// Prints the figures: the server's words, or without one what the store and the agents' processes say.
pub(in crate::cli::commands) fn metrics(edge: &Edge, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let form = json.into();
    let text = if let Some(text) = door.figures(form)? {
        text
    } else {
        let board = door.snapshot()?;
        let metrics = count(&door.place)?;
        let loads = loads(&door.place, edge, &board.read_model())?;
        vec![telling::figures(&board, &Figures { metrics, loads }, form)?.into()]
    };
    for part in text {
        out::bytes(&part);
    }
    Ok(ExitCode::SUCCESS)
}

fn count(place: &Place) -> Result<Metrics, String> {
    let mut metrics = Metrics::default();
    if place.store.database.exists() {
        let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
        let reader = SqliteStore::open_reader(&place.store).map_err(|error| failed(&error))?;
        for attempt in reader.attempts(AttemptId(0)).map_err(|error| failed(&error))? {
            metrics.take(&attempt);
        }
    }
    Ok(metrics)
}

/// What the agents at work use of the machine.
fn loads(place: &Place, edge: &Edge, model: &ReadModel) -> Result<Vec<Load>, String> {
    let holders = LocalHolders::new(
        edge.program.clone(),
        place.attempts.clone(),
        place.runtime.clone(),
    );
    let process = |attempt: AttemptId| match holders.look(&HolderId::from(attempt)).state {
        HeldState::Running(launched) => Some((attempt, launched.child)),
        _ => None,
    };
    let agents: Vec<(AttemptId, u32)> = model.agents().filter_map(|row| process(row.attempt.id)).collect();
    if agents.is_empty() {
        return Ok(Vec::new());
    }
    let roots: Vec<u32> = agents.iter().map(|(_, root)| *root).collect();
    let mut watch = LoadWatch::default();
    watch.look(&roots);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| format!("could not start: {error}"))?;
    runtime.block_on(async { tokio::time::sleep(LOOKED_FOR).await });
    let usages = watch.look(&roots);
    let loads = agents.iter().zip(usages).filter_map(|((attempt, _), usage)| {
        usage.map(|usage| Load {
            attempt: *attempt,
            cpu: usage.cpu,
            memory: usage.memory,
            processes: usage.processes,
        })
    });
    Ok(loads.collect())
}
