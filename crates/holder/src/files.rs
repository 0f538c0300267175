//! The files a holder writes besides the log, and the words it is started with. `meta.json` and `exit.json` are format
//! 1; fields may be added, never changed, because a later version must adopt what an earlier one left.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::process::ProcessIdentity;
use dbs_domain::{Cause, ProcessExit, Timestamp};
use dbs_ports::agents::PrivateFile;
use dbs_ports::holders::{ExitedBy, OrphanPolicy, PaneSize};

/// Name of the file that says what runs.
pub(super) const META: &str = "meta.json";
/// Name of the file that says how the program ended.
pub(super) const EXIT: &str = "exit.json";
pub(super) const FORMAT: u32 = 1;
/// Maximum size of a file that is read, in bytes. Only the command line with its arguments and the folder can be long in one.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Content of `meta.json`: holder, program, socket and marker, written before the launch is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderMeta {
    pub format: u32,
    /// Unique text in the environment of all processes that belong to the holder.
    pub marker: String,
    pub holder: ProcessIdentity,
    pub child: ProcessIdentity,
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    pub socket: PathBuf,
    /// Size of the terminal at the start.
    #[serde(with = "PaneSizeFormat")]
    pub size: PaneSize,
    pub started_at: Timestamp,
}

/// Content of `exit.json`: exit code or signal, time and cause of a program's end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitRecord {
    pub exit: ProcessExit,
    pub ended_at: Timestamp,
    #[serde(with = "ExitedByFormat")]
    pub by: ExitedBy,
    /// Bytes of output in all.
    pub output: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PaneSize")]
pub(super) struct PaneSizeFormat {
    cols: u16,
    rows: u16,
    x_pixels: u16,
    y_pixels: u16,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ExitedBy", rename_all = "snake_case")]
enum ExitedByFormat {
    Itself,
    Stop,
    Shutdown,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "OrphanPolicy", rename_all = "snake_case")]
enum OrphanPolicyFormat {
    Sweep,
    Leave,
}

/// Program, environment, terminal size and folders that a holder reads from its standard input. Never in arguments: every user can see
/// those.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HoldSpec {
    /// Stage of the holder's start that this process has reached.
    pub(super) step: StartStage,
    pub(super) folder: PathBuf,
    pub(super) argv: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) env: Vec<(String, String)>,
    #[serde(with = "PaneSizeFormat")]
    pub(super) size: PaneSize,
    pub(super) marker: String,
    /// Bytes of log kept.
    pub(super) log_limit: u64,
    #[serde(with = "OrphanPolicyFormat")]
    pub(super) leftovers: OrphanPolicy,
    pub(super) socket: PathBuf,
}

/// Process of a holder's start: the one that detaches or the one that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StartStage {
    Leave,
    Hold,
}

/// The line a holder prints when it has started its program or could not.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LaunchAnswer {
    Holding(Box<HolderMeta>),
    Refused(Cause),
    Failed(Cause),
    Taken,
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Reads a JSON file; `None` when there is none. Agents can write into its folder, so a file that blocks or has no end is refused.
pub(super) fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> io::Result<Option<T>> {
    match read_regular(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a regular file for reading; anything else could block the reader or have no end.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    // Opening a pipe must not wait for a process that writes into it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NONBLOCK.bits());
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

/// Writes a JSON file so that after a crash either the old or the new one is there, and after a return the new one.
pub(super) fn write_durably<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let part = part_of(path);
    let file = File::create(&part)?;
    fill(&file, value)?;
    fs::rename(&part, path)?;
    sync_folder(path)
}

/// Writes a file that only the user may read; an existing file of that name is replaced as a whole.
pub(super) fn write_private(folder: &Path, file: &PrivateFile) -> io::Result<()> {
    let path = folder.join(&file.name);
    let part = part_of(&path);
    drop(fs::remove_file(&part));
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&part)?.write_all(file.text.as_bytes())?;
    fs::rename(&part, path)
}

/// Takes room on the disk for a small file that must be writable even when the disk is full by then.
pub(super) fn reserve(path: &Path) -> io::Result<File> {
    let mut file = File::create(part_of(path))?;
    file.write_all(&[b' '; 1024])?;
    file.sync_all()?;
    Ok(file)
}

/// Like [`write_durably`], into the room taken before.
pub(super) fn write_reserved<T: Serialize>(path: &Path, file: &File, value: &T) -> io::Result<()> {
    io::Seek::rewind(&mut &*file)?;
    fill(file, value)?;
    fs::rename(part_of(path), path)?;
    sync_folder(path)
}

fn fill<T: Serialize>(mut file: &File, value: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec(value).map_err(io::Error::other)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

fn part_of(path: &Path) -> PathBuf {
    path.with_extension("json.part")
}

/// Makes a rename survive a power cut; systems that cannot open a folder do so by themselves.
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent().map(File::open) {
        Some(Ok(folder)) => folder.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests;
