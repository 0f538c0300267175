//! The first of the two processes: it starts the second and ends. The second then has no parent that waits for it: a server may die without
//! the second noticing, and a server that lives has nothing to collect later.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::HolderError;
use crate::files::{HoldSpec, StartStage};
use crate::process::HOLDER_MARKER;

/// Creation flags: without the starter's console, and out of its group.
#[cfg(windows)]
const DETACHED: u32 = 0x0000_0008 | 0x0000_0200;

/// Starts the second process, hands it the specification, and does not wait for it. Its answer goes to our standard output.
pub(super) fn start_second(spec: HoldSpec) -> Result<(), HolderError> {
    let id = spec.folder.file_name().unwrap_or_default().to_owned();
    let spec = HoldSpec {
        step: StartStage::Hold,
        ..spec
    };
    let what = || HolderError::io("start the holder");
    // The environment is already the sparse one the starter chose. The held program cannot take this marker from the holder, and gets none
    // of it: a process below this one that calls the server is known by it, whatever it did to its own environment.
    let mut command = Command::new(own_program()?);
    command
        .arg("hold")
        .arg(id)
        .env(HOLDER_MARKER, &spec.marker)
        .stdin(Stdio::piped());
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED);
    let mut second = command.spawn().map_err(what())?;
    let text = serde_json::to_vec(&spec).map_err(|error| HolderError::Refused(error.to_string()))?;
    match second.stdin.take() {
        Some(mut input) => std::io::Write::write_all(&mut input, &text).map_err(what()),
        None => Ok(()),
    }
}

/// Returns the path of this very program; on Linux one that works also after an upgrade has replaced its file.
pub(crate) fn own_program() -> Result<PathBuf, HolderError> {
    let named = std::env::current_exe().map_err(HolderError::io("find the program of the holder"))?;
    if cfg!(target_os = "linux") && !named.exists() {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    Ok(named)
}
