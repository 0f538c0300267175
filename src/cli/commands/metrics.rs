//! `dbs metrics`: the figures of the metrics view, as text and as JSON (K79).

use crate::adapters::holder::LocalHolders;
use crate::adapters::load::{LoadSampler, SAMPLE_INTERVAL};
use crate::adapters::store::SqliteStore;
use crate::cli::commands::prelude::*;
use crate::cli::commands::report::text_of;
use crate::domain::AttemptId;
use crate::ports::store::StoreError;
use crate::protocol::connection::blocking_runtime;
use crate::protocol::query::{Query, QueryError, Report};
use crate::read_model::{AttemptLoad, Metrics, MetricsReport, ReadModel};

/// Show statistics: throughput, stages, failures, agent usage
///
/// The figures are those of the metrics view, counted from all attempts ever made.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs metrics\ndbs metrics --json"))]
pub struct MetricsArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for MetricsArgs {
    /// Prints the figures: those of the server, or without one those from the store and the agents' processes.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let place = access.paths.clone();
        let measure = |model: &ReadModel| {
            let metrics = count(&place).map_err(QueryError::facts)?;
            let loads = loads(&place, env, model)?;
            Ok(MetricsReport { metrics, loads })
        };
        let query = Query::Report(Report::Metrics, self.json.into());
        for part in text_of(access.query_measured(query, &measure)?)? {
            output::bytes(&part);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn count(paths: &ProjectPaths) -> Result<Metrics, StoreError> {
    let mut metrics = Metrics::default();
    if let Some(reader) = SqliteStore::open_reader(&paths.store)? {
        for attempt in reader.attempts(AttemptId(0))? {
            metrics.record(&attempt);
        }
    }
    Ok(metrics)
}

/// Returns the loads of the agents at work on the machine.
fn loads(paths: &ProjectPaths, env: &ProcessEnv, model: &ReadModel) -> Result<Vec<AttemptLoad>, QueryError> {
    let holders = LocalHolders::new(env.program.clone(), paths.attempts.clone(), paths.runtime.clone());
    let mut sampler = LoadSampler::default();
    let mut sample = || sampler.sample_attempts(&holders, model.agents().map(|row| row.attempt.id));
    if sample().is_empty() {
        return Ok(Vec::new());
    }
    let runtime = blocking_runtime().map_err(QueryError::facts)?;
    runtime.block_on(async { tokio::time::sleep(SAMPLE_INTERVAL).await });
    let loads = sample().into_iter().map(|(attempt, usage)| AttemptLoad {
        attempt,
        cpu: usage.cpu,
        memory: usage.memory,
        processes: usage.processes,
    });
    Ok(loads.collect())
}
