//! Holders on this machine: starting them, asking them, finding them again. The folder of an attempt is the truth; a process is believed
//! only if number, start and boot agree.

mod launch;
mod sweep;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::connection::HolderConnection;
use super::error::HolderError;
use super::files::{self, EXIT, ExitRecord, HolderMeta, META};
use super::log::LogReader;
use super::process::{ProcessSelector, terminate};
use dbs_domain::{Span, Tri};
use dbs_ports::holders::{
    HolderId, HolderLiveness, HolderPortError, HolderProcess, HolderReport, Holders, LaunchError, LaunchSpec,
    ProgramExit, StopOutcome,
};

/// Time that processes which outlived their holder get to comply.
const SWEEP_GRACE: Duration = Duration::from_secs(1);

/// Implementation of the `Holders` port for holders on this machine.
#[derive(Debug, Clone)]
pub struct LocalHolders {
    /// Program to start as `PROGRAM hold`: this one.
    program: PathBuf,
    attempts: PathBuf,
    /// The private folder of sockets; its path must be short.
    runtime: PathBuf,
}

impl LocalHolders {
    /// Creates the port for holders with their folders in `attempts` and their sockets in `runtime`, started as `program hold`. All three
    /// are absolute paths; the folders are made when the first holder starts.
    pub fn new(program: PathBuf, attempts: PathBuf, runtime: PathBuf) -> Self {
        Self {
            program,
            attempts,
            runtime,
        }
    }

    /// Returns the folder of one id: log, `meta.json`, `exit.json`.
    pub fn folder(&self, id: &HolderId) -> PathBuf {
        self.attempts.join(id.as_str())
    }

    /// Connects to the holder of this id.
    ///
    /// # Errors
    /// When nothing runs there or it does not answer.
    pub fn connect(&self, id: &HolderId) -> Result<HolderConnection, HolderError> {
        let meta = self
            .meta(id)?
            .ok_or_else(|| HolderError::Refused(format!("reach {id}: it was never started")))?;
        HolderConnection::open(&meta.socket)
    }

    fn meta(&self, id: &HolderId) -> Result<Option<HolderMeta>, HolderError> {
        let path = self.folder(id).join(META);
        files::read(&path).map_err(HolderError::io(format!("read {}", path.display())))
    }

    fn exit(&self, id: &HolderId) -> Result<Option<ExitRecord>, HolderError> {
        let path = self.folder(id).join(EXIT);
        files::read(&path).map_err(HolderError::io(format!("read {}", path.display())))
    }

    fn state(&self, id: &HolderId) -> Result<HolderLiveness, HolderError> {
        let Some(meta) = self.meta(id)? else {
            return Ok(HolderLiveness::NotStarted);
        };
        if let Some(end) = self.exit(id)? {
            return Ok(HolderLiveness::Exited(ended(end)));
        }
        Ok(match meta.holder.is_alive() {
            Tri::Yes => HolderLiveness::Running(launched(&meta)),
            Tri::Unknown(why) => HolderLiveness::Unknown(why.text),
            // It may have ended in good order between the two looks.
            Tri::No(_) => match self.exit(id)? {
                Some(end) => HolderLiveness::Exited(ended(end)),
                None if meta.holder.is_from_before_restart() => HolderLiveness::GoneWithMachine,
                None => HolderLiveness::Lost,
            },
        })
    }

    /// Lists all holders that ever ran here: numbers by value, names after them.
    fn ids(&self) -> Result<Vec<HolderId>, HolderPortError> {
        let listing =
            |error: io::Error| HolderPortError(format!("list {}: {error}", self.attempts.display()));
        let mut ids = Vec::new();
        match fs::read_dir(&self.attempts) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(listing(error)),
            Ok(entries) => {
                for entry in entries {
                    let entry = entry.map_err(listing)?;
                    if let (Ok(name), true) = (entry.file_name().into_string(), entry.path().is_dir()) {
                        ids.push(HolderId::new(name));
                    }
                }
            }
        }
        ids.sort_by_key(|id| (id.attempt().is_none(), id.attempt(), id.clone()));
        Ok(ids)
    }

    fn end_marked(&self, id: &HolderId, grace: Duration) -> Result<StopOutcome, HolderPortError> {
        let Some(meta) = self.meta(id).map_err(failure)? else {
            return Ok(StopOutcome { survivors: 0 });
        };
        let survivors = terminate(&mut ProcessSelector::marked(&meta.marker), grace)
            .map_err(|error| HolderPortError(format!("list the processes of {id}: {error}")))?;
        // A socket without a listener is only litter.
        drop(fs::remove_file(&meta.socket));
        Ok(StopOutcome { survivors })
    }
}

impl Holders for LocalHolders {
    fn launch(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError> {
        self.launch_once(spec)
    }

    fn stop(&self, id: &HolderId, grace: Span) -> Result<StopOutcome, HolderPortError> {
        match self.status(id).state {
            HolderLiveness::NotStarted => Ok(StopOutcome { survivors: 0 }),
            HolderLiveness::Unknown(why) => Err(HolderPortError(why)),
            HolderLiveness::Exited(_) | HolderLiveness::Lost | HolderLiveness::GoneWithMachine => {
                self.end_marked(id, Duration::from_millis(grace.0))
            }
            HolderLiveness::Running(_) => {
                let asked = self.connect(id).and_then(|mut connection| connection.stop(grace));
                match (asked, self.status(id).state) {
                    (Ok(survivors), _) => Ok(StopOutcome { survivors }),
                    // The holder ended while being asked; its leftovers, if any, are ended from here.
                    (Err(_), HolderLiveness::Exited(_) | HolderLiveness::Lost) => {
                        self.end_marked(id, Duration::from_millis(grace.0))
                    }
                    (Err(error), _) => Err(failure(error)),
                }
            }
        }
    }

    fn send(&self, id: &HolderId, bytes: &[u8]) -> Result<(), HolderPortError> {
        let dropped = self
            .connect(id)
            .and_then(|mut connection| connection.type_and_wait(bytes))
            .map_err(failure)?;
        if dropped == 0 {
            return Ok(());
        }
        Err(HolderPortError(format!(
            "type {dropped} bytes into {id}: its program does not read; try again later"
        )))
    }

    fn status(&self, id: &HolderId) -> HolderReport {
        let state = self
            .state(id)
            .unwrap_or_else(|error| HolderLiveness::Unknown(error.to_string()));
        HolderReport {
            id: id.clone(),
            state,
        }
    }

    fn inventory(&self) -> Result<Vec<HolderReport>, HolderPortError> {
        Ok(self.ids()?.iter().map(|id| self.status(id)).collect())
    }

    fn sweep_killed(&self) {
        sweep::sweep_killed(self);
    }

    fn sweep_orphans(&self, id: &HolderId) -> Result<StopOutcome, HolderPortError> {
        match self.status(id).state {
            HolderLiveness::Unknown(why) => Err(HolderPortError(why)),
            // An end in good order may have left a person's background jobs alone on purpose.
            HolderLiveness::Running(_) | HolderLiveness::NotStarted | HolderLiveness::Exited(_) => {
                Ok(StopOutcome { survivors: 0 })
            }
            HolderLiveness::Lost | HolderLiveness::GoneWithMachine => self.end_marked(id, SWEEP_GRACE),
        }
    }

    fn tail(&self, id: &HolderId, bytes: u64) -> Vec<u8> {
        let log = LogReader::open(&self.folder(id)).and_then(|mut log| log.tail(bytes));
        log.map(|tail| tail.bytes).unwrap_or_default()
    }
}

fn launched(meta: &HolderMeta) -> HolderProcess {
    HolderProcess {
        holder_pid: meta.holder.pid,
        child_pid: meta.child.pid,
        started_at: meta.started_at,
        socket: meta.socket.clone(),
    }
}

fn ended(end: ExitRecord) -> ProgramExit {
    ProgramExit {
        exit: end.exit,
        ended_at: end.ended_at,
        by: end.by,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn failure(error: HolderError) -> HolderPortError {
    HolderPortError(error.to_string())
}
