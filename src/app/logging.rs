//! The program's own log: files below `.debussy/dbs/logs`, one a day, a week of them. Never the terminal.

use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Begins to write; the log is complete when the answer is dropped. `filter` is as in `DBS_LOG=debug`.
///
/// # Errors
/// When the folder cannot be written.
pub fn to_folder(folder: &Path, filter: Option<&str>) -> Result<WorkerGuard, String> {
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("server")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)
        .map_err(|error| format!("could not write logs in {}: {error}", folder.display()))?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_new(filter.unwrap_or("info")).unwrap_or_else(|_| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .finish();
    // A second server in one process (a test) goes on with the first one's log.
    drop(tracing::subscriber::set_global_default(subscriber));
    Ok(guard)
}
