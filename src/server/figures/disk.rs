//! Room on the disk, for the screens that show it. Every folder is read for it, so it is measured seldom, once for all clients, and only
//! when one of them asks.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::adapters::clock;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{DiskUse, Span, Timestamp};
use crate::ports::git::Git;
use crate::server::fetch_error::FetchError;

/// Age up to which a measurement is returned again.
const CACHE_TIME: Span = Span::minutes(5);
/// Maximum wait for a measurement that another client has asked for.
const MEASURE_TIMEOUT: Duration = Duration::from_mins(1);

/// Use of the disk, measured on demand and shared by all clients.
pub(in crate::server) struct DiskMonitor {
    paths: ProjectPaths,
    git: Arc<dyn Git>,
    measured: Mutex<Option<(Timestamp, DiskUse)>>,
}

impl DiskMonitor {
    pub(in crate::server) fn new(paths: ProjectPaths, git: Arc<dyn Git>) -> DiskMonitor {
        DiskMonitor {
            paths,
            git,
            measured: Mutex::default(),
        }
    }

    /// Returns the use of the disk. Blocks for as long as the folders are large.
    ///
    /// # Errors
    /// When the worktrees cannot be listed, or a measurement that was begun before has not ended.
    pub(in crate::server) fn measure(&self) -> Result<DiskUse, FetchError> {
        let Some(mut measured) = self.measured.try_lock_for(MEASURE_TIMEOUT) else {
            return Err(FetchError::Machine);
        };
        let now = clock::now();
        if let Some((_, known)) = measured.as_ref().filter(|(at, _)| now.apart(*at) < CACHE_TIME) {
            return Ok(known.clone());
        }
        let found = self.paths.disk_use(self.git.as_ref())?;
        *measured = Some((clock::now(), found.clone()));
        Ok(found)
    }
}
