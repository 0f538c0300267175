//! Start of a holder that outlives its starter, and its answer whether its program runs.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{LocalHolders, launched};
use crate::error::HolderError;
use crate::files::{HoldSpec, LaunchAnswer, StartStage, write_private};
use crate::socket;
use dbs_domain::TroubleKind;
use dbs_ports::holders::{HolderId, HolderLiveness, HolderProcess, Holders, LaunchError, LaunchSpec};
use dbs_ports::trouble::io_trouble;

/// Bytes of log kept when the launch does not say.
const LOG_LIMIT: u64 = 64 * 1024 * 1024;
/// Prefix of the names of holders' sockets.
pub(super) const SOCKET_PREFIX: &str = "h";
/// Time that a holder may take to report that its program runs.
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(20);

impl LocalHolders {
    pub(super) fn launch_once(&self, spec: &LaunchSpec) -> Result<HolderProcess, LaunchError> {
        check(spec)?;
        if let Some(known) = self.known(&spec.id)? {
            return Ok(known);
        }
        let spec = self.prepare(spec).map_err(|error| refused_or_failed(&error))?;
        match self.start(&spec)? {
            LaunchAnswer::Holding(meta) => Ok(launched(&meta)),
            LaunchAnswer::Refused(why) => Err(LaunchError::Refused(why)),
            LaunchAnswer::Failed(why) => Err(LaunchError::Failed(why)),
            LaunchAnswer::Taken => {
                let unclear =
                    || LaunchError::Unclear("start it: another holder is just starting there".into());
                let id = HolderId::new(spec.folder.file_name().unwrap_or_default().to_string_lossy());
                self.known(&id)?.ok_or_else(unclear)
            }
        }
    }

    /// Returns the holder that runs there already; an error when it ran and has ended, or that cannot be known.
    fn known(&self, id: &HolderId) -> Result<Option<HolderProcess>, LaunchError> {
        match self.status(id).state {
            HolderLiveness::NotStarted => Ok(None),
            HolderLiveness::Running(known) => Ok(Some(known)),
            HolderLiveness::Unknown(why) => Err(LaunchError::Unclear(why.into())),
            state @ (HolderLiveness::Exited(_) | HolderLiveness::Lost | HolderLiveness::GoneWithMachine) => {
                Err(LaunchError::AlreadyRan(Box::new(state)))
            }
        }
    }

    fn prepare(&self, spec: &LaunchSpec) -> Result<HoldSpec, HolderError> {
        socket::prepare_folder(&self.runtime)?;
        let folder = self.folder(&spec.id);
        socket::make_private(&folder)
            .map_err(HolderError::io(format!("make the folder {}", folder.display())))?;
        for file in &spec.files {
            let what = format!("write {}", folder.join(&file.name).display());
            write_private(&folder, file).map_err(HolderError::io(what))?;
        }
        let socket = self.runtime.join(socket_name(&folder));
        Ok(HoldSpec {
            step: StartStage::Leave,
            folder,
            argv: spec.argv.clone(),
            cwd: spec.cwd.clone(),
            env: spec.env.clone(),
            size: spec.size,
            marker: spec.marker.clone(),
            log_limit: spec.log_limit.unwrap_or(LOG_LIMIT),
            leftovers: spec.orphans,
            socket,
        })
    }

    fn start(&self, spec: &HoldSpec) -> Result<LaunchAnswer, LaunchError> {
        let failed = |kind: TroubleKind, error: &dyn std::fmt::Display| {
            LaunchError::Failed(kind.cause(format!("start the holder {}: {error}", self.program.display())))
        };
        let text =
            serde_json::to_vec(spec).map_err(|error| LaunchError::Refused(error.to_string().into()))?;
        let spawned = self.command().spawn();
        let mut first = spawned.map_err(|error| failed(io_trouble(error.kind()), &error))?;
        let started = exchange(&mut first, &text);
        if started.is_err() {
            // Only the first of the two can still be ended; if the second lives, the next look finds it.
            drop(first.kill());
        }
        // The process ends as soon as the second has been started; waiting leaves no zombie.
        drop(first.wait());
        started.map_err(|why| match why {
            NoAnswer::TimedOut => LaunchError::Unclear("start it: the holder gave no answer in time".into()),
            NoAnswer::Ended => failed(TroubleKind::Other, &"it ended without a word"),
        })
    }

    /// Builds the command of a holder. The holder gets nothing of our environment, above all not the marker we may carry ourselves.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("hold")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(windows)]
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command.current_dir(self.attempts.ancestors().last().unwrap_or(&self.attempts));
        command
    }
}

/// Returns the name of the socket of the holder with that folder: a path of any length is too long for one.
pub(super) fn socket_name(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let number = hex::encode(digest.get(..8).unwrap_or(&digest));
    format!("{SOCKET_PREFIX}{number}")
}

enum NoAnswer {
    TimedOut,
    Ended,
}

fn exchange(first: &mut Child, text: &[u8]) -> Result<LaunchAnswer, NoAnswer> {
    let (Some(mut input), Some(output)) = (first.stdin.take(), first.stdout.take()) else {
        return Err(NoAnswer::Ended);
    };
    // A holder that does not even read ends on its own; its answer is what counts.
    drop(input.write_all(text));
    drop(input);
    let (say, heard) = sync_channel(1);
    let listen = move || {
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        let started = read.ok().and_then(|_| serde_json::from_str(&line).ok());
        // The receiver is gone if the answer took too long.
        drop(say.send(started));
    };
    if std::thread::Builder::new()
        .name("launch".into())
        .spawn(listen)
        .is_err()
    {
        return Err(NoAnswer::TimedOut);
    }
    match heard.recv_timeout(LAUNCH_TIMEOUT) {
        Ok(started) => started.ok_or(NoAnswer::Ended),
        Err(RecvTimeoutError::Timeout) => Err(NoAnswer::TimedOut),
        Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Ended),
    }
}

/// Returns true if a text is the name of a file and nothing else.
fn is_plain(name: &str) -> bool {
    let mut signs = name.chars();
    let is_allowed = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && signs.all(is_allowed)
}

fn check(spec: &LaunchSpec) -> Result<(), LaunchError> {
    let refused = |why: String| Err(LaunchError::Refused(why.into()));
    let id = spec.id.as_str();
    if !is_plain(id) {
        return refused(format!(
            "start {id:?}: not a plain name of letters, digits, '-', '_' and '.'"
        ));
    }
    if spec.argv.first().is_none_or(String::is_empty) {
        return refused(format!("start {id}: no program was named"));
    }
    if spec.marker.len() < 8 || spec.marker.contains('\0') {
        return refused(format!(
            "start {id}: its marker must be unique text of eight characters or more"
        ));
    }
    if let Some(file) = spec.files.iter().find(|file| !is_plain(&file.name)) {
        return refused(format!("start {id}: {:?} is not a plain file name", file.name));
    }
    if !spec.cwd.is_dir() {
        return refused(format!(
            "start {id} in {}: there is no such folder",
            spec.cwd.display()
        ));
    }
    Ok(())
}

fn refused_or_failed(error: &HolderError) -> LaunchError {
    match error {
        HolderError::Refused(_) => LaunchError::Refused(error.cause()),
        HolderError::Io { .. }
        | HolderError::Program { .. }
        | HolderError::Taken(_)
        | HolderError::Protocol(_) => LaunchError::Failed(error.cause()),
    }
}
