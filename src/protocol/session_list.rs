//! The sessions of this person: their servers, asked over their sockets, and those that left a record and do not answer: cut off.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::adapters::clock;
use crate::adapters::text_file;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::{ProjectPaths, sockets};
use crate::config::themes::read_small;
use crate::protocol::connection;
use crate::protocol::connection::ProtocolError;
use crate::protocol::wire::{CallReply, ServerCall, ServerStatus};
use crate::read_model::{SessionRow, SessionState};

/// Time that a server may take to answer.
const REPLY_TIMEOUT: Duration = Duration::from_millis(1_500);

/// File beside a server's socket that names its session, so that it is found after the server was killed. The time when it was written or
/// [touched](mark_used) is the last time a person was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub name: String,
    pub root: String,
}

/// A session found on this machine: one whose server answers or one that was cut off.
#[derive(Debug)]
pub enum FoundSession {
    Running(ServerStatus),
    /// Session whose server was cut off; its agents may continue.
    CutOff(SessionRecord),
}

impl FoundSession {
    /// Name of the session.
    pub fn name(&self) -> &str {
        match self {
            FoundSession::Running(who) => &who.name,
            FoundSession::CutOff(record) => &record.name,
        }
    }

    /// Root of the project.
    pub fn root(&self) -> &str {
        match self {
            FoundSession::Running(who) => &who.root,
            FoundSession::CutOff(record) => &record.root,
        }
    }

    /// Returns the session as a row of the list; `place` is the session that asks.
    fn row(self, paths: &ProjectPaths) -> SessionRow {
        match self {
            FoundSession::Running(who) => SessionRow {
                state: match who.clients {
                    _ if Path::new(&who.root) == paths.root => SessionState::Here,
                    0 => SessionState::Detached,
                    _ => SessionState::Running,
                },
                name: who.name,
                root: who.root,
                agents: who.agents,
                needs: who.needs,
                counts: who.counts,
                since: Some(who.since),
            },
            FoundSession::CutOff(record) => SessionRow {
                name: record.name,
                root: record.root,
                state: SessionState::Interrupted,
                agents: 0,
                needs: 0,
                counts: BTreeMap::new(),
                since: None,
            },
        }
    }
}

fn record_path(socket: &Path) -> PathBuf {
    socket.with_extension("json")
}

fn read_record(socket: &Path) -> Option<SessionRecord> {
    serde_json::from_str(&read_small(&record_path(socket)).ok()?).ok()
}

/// Writes the record of a server that starts or has another name now.
pub fn write_record(paths: &ProjectPaths, name: &str) {
    let record = SessionRecord {
        name: name.to_owned(),
        root: paths.root.to_string_lossy().into_owned(),
    };
    let file = record_path(&paths.socket);
    let text = serde_json::to_vec(&record).unwrap_or_default();
    if let Err(error) = text_file::replace(&file, &text) {
        tracing::warn!("could not write {}: {error}", file.display());
    }
}

/// Returns whether a server at that socket left its record: one runs, or one did not end as it should.
pub fn has_record(socket: &Path) -> bool {
    record_path(socket).exists()
}

/// Removes the record of a server that ends as it should.
pub fn remove_record(socket: &Path) {
    drop(fs::remove_file(record_path(socket)));
}

/// Marks the session as the one that was used last; [`last_used`] finds it again.
pub fn mark_used(paths: &ProjectPaths) {
    let now = UNIX_EPOCH + Duration::from_millis(clock::now().0);
    let record = File::options().append(true).open(record_path(&paths.socket));
    // A session that cannot be marked is still there by its name.
    drop(record.and_then(|record| record.set_modified(now)));
}

/// All sessions as rows for a screen of the project at `place`, by name. Blocks: call it from a blocking thread of a runtime.
pub fn rows(paths: &ProjectPaths) -> Vec<SessionRow> {
    let folder = paths.socket.parent().unwrap_or(&paths.root);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let records = entries.map(|entry| entry.path());
    let records = records.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let sockets: Vec<PathBuf> = records.map(|record| record.with_extension("sock")).collect();
    let runtime = tokio::runtime::Handle::current();
    let found = at(&sockets, |socket| runtime.block_on(server_status(socket)));
    found.into_iter().map(|one| one.row(paths)).collect()
}

/// All sessions of this machine, by name.
pub fn all(env: &ProcessEnv) -> Result<Vec<FoundSession>, ProtocolError> {
    let runtime = connection::blocking_runtime()?;
    Ok(at(&sockets(&env.runtime), |socket| {
        runtime.block_on(server_status(socket))
    }))
}

fn at(sockets: &[PathBuf], ask: impl Fn(&Path) -> Option<ServerStatus>) -> Vec<FoundSession> {
    let cut_off = |socket: &Path| {
        let record = read_record(socket).filter(|record| Path::new(&record.root).is_dir());
        record.map(FoundSession::CutOff)
    };
    let mut found: Vec<FoundSession> = sockets
        .iter()
        .filter_map(|socket| ask(socket).map(FoundSession::Running).or_else(|| cut_off(socket)))
        .collect();
    found.sort_by(|a, b| (a.name(), a.root()).cmp(&(b.name(), b.root())));
    found
}

/// Error of a name that is not that of one session.
#[derive(Debug, thiserror::Error)]
pub enum SessionNameError {
    #[error("could not find a session called {0}; `dbs sessions` lists all")]
    Unknown(String),
    #[error("could not choose: {} sessions are called {name}; name the folder instead: {}", roots.len(), roots.join(", "))]
    Several { name: String, roots: Vec<String> },
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}

/// The root of the only session with that name or that root.
pub fn find_named(env: &ProcessEnv, name: &str) -> Result<PathBuf, SessionNameError> {
    let mut found = all(env)?;
    found.retain(|one| one.name() == name || one.root() == name);
    match found.as_slice() {
        [] => Err(SessionNameError::Unknown(name.to_owned())),
        [only] => Ok(PathBuf::from(only.root())),
        several => {
            let roots = several.iter().map(|one| one.root().to_owned());
            Err(SessionNameError::Several {
                name: name.to_owned(),
                roots: roots.collect(),
            })
        }
    }
}

/// Returns true if the project's server left its record behind, so that it was cut off.
pub fn is_cut_off(paths: &ProjectPaths) -> bool {
    read_record(&paths.socket).is_some()
}

/// The root of the session that was used last, by the records: no server is asked.
pub fn last_used(env: &ProcessEnv) -> Option<PathBuf> {
    let sockets = sockets(&env.runtime).into_iter();
    let known = sockets.filter_map(|socket| {
        let record = read_record(&socket).filter(|record| Path::new(&record.root).is_dir())?;
        let at: SystemTime = fs::metadata(record_path(&socket)).ok()?.modified().ok()?;
        Some((at, PathBuf::from(record.root)))
    });
    known.max().map(|(_, root)| root)
}

/// Names of the servers at these sockets, by their records: no server is asked.
pub fn names(sockets: &[PathBuf]) -> Vec<String> {
    let records = sockets.iter().filter_map(|socket| read_record(socket));
    let mut names: Vec<String> = records.map(|record| record.name).collect();
    names.sort();
    names.dedup();
    names
}

async fn server_status(socket: &Path) -> Option<ServerStatus> {
    let call = connection::call_once(socket, ServerCall::Who);
    match tokio::time::timeout(REPLY_TIMEOUT, call).await {
        Ok(Ok(CallReply::Who(status))) => Some(status),
        _ => None,
    }
}
