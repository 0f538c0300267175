//! Signals that arrived as files: written by agents while no server listened, taken in when one does. A file that cannot be
//! read is set aside, never deleted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::calls::take_signal;
use super::session::Session;
use crate::app::wire::SignalSent;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// Takes in all files that lie there, oldest name first. A signal is removed only when the engine has made it durable or it can
/// never be valid; then it is set aside under `refused`.
pub(super) fn take_all(session: &Session) {
    let files = match listed(&session.place.inbox) {
        Ok(files) => files,
        Err(error) => {
            tracing::warn!("could not list {}: {error}", session.place.inbox.display());
            return;
        }
    };
    for file in files {
        match read(&file) {
            Ok(signal) => match take_signal(session, &signal) {
                Ok(Ok(_)) => remove(&file),
                Ok(Err(refusal)) => set_aside(&file, &refusal.0),
                Err(_closed) => return,
            },
            Err(why) => set_aside(&file, &why),
        }
    }
}

/// Signal files, in the order of their names; names with a dot in front are still being written.
fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".json") && !name.starts_with('.') {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<SignalSent, String> {
    let facts = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() || facts.len() > LARGEST {
        return Err("it is not a plain file of at most 1 MiB".to_owned());
    }
    let text = fs::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!("could not remove {}: {error}", path.display());
    }
}

fn set_aside(path: &Path, why: &str) {
    tracing::warn!("a signal was refused: {}: {why}", path.display());
    let folder = path.parent().unwrap_or(Path::new(".")).join("refused");
    let moved = fs::create_dir_all(&folder)
        .and_then(|()| fs::rename(path, folder.join(path.file_name().unwrap_or_default())));
    if let Err(error) = moved {
        tracing::warn!("could not set {} aside: {error}", path.display());
    }
}
