//! The pseudo-terminal and the program in it.

use std::io::{self, Read, Write};

use parking_lot::Mutex;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::platform::Mask;
use crate::error::HolderError;
use crate::files::HoldSpec;
use crate::process::{MARKER, priority};
use dbs_ports::holders::PaneSize;

/// A pseudo-terminal with the program started in it.
pub(super) struct PtyProcess {
    pub(super) program: Box<dyn Child + Send + Sync>,
    /// Output of the program; it ends when no process has the other side open any more.
    pub(super) output: Box<dyn Read + Send>,
    /// Input of the program. Dropping it types an end of file.
    pub(super) input: Box<dyn Write + Send>,
    pub(super) pty: PtyMaster,
}

/// Master side of the pseudo-terminal, used to change its size.
pub(super) struct PtyMaster(Mutex<Box<dyn MasterPty + Send>>);

impl PtyProcess {
    /// Opens a terminal and starts the program in it. Must happen before there are threads; one that it needs itself ends with it.
    pub(super) fn start(spec: &HoldSpec, mask: Mask) -> Result<Self, HolderError> {
        // The builder would quietly start in the home folder instead.
        if !spec.cwd.is_dir() {
            return Err(HolderError::Refused(format!(
                "start in {}: there is no such folder",
                spec.cwd.display()
            )));
        }
        let pair = native_pty_system().openpty(size_of(spec.size)).map_err(opening)?;
        #[cfg(unix)]
        if let Some(device) = pair.master.tty_name() {
            // Without it only an erase key is worse: it would take one byte of a letter.
            expect_utf8(&device).ok();
        }
        let output = pair.master.try_clone_reader().map_err(opening)?;
        let input = pair.master.take_writer().map_err(opening)?;
        let (slave, command) = (pair.slave, command(spec, mask));
        // Only the program may hold this side, or its end would never be seen.
        let start = move || slave.spawn_command(command);
        let started = if spec.leftovers.is_of_attempt() {
            priority::lowered(start).map_err(HolderError::io("start a thread"))?
        } else {
            start()
        };
        let program = started.map_err(|error| starting(spec, &error))?;
        if let Some(pid) = program.process_id().filter(|_| spec.leftovers.is_of_attempt()) {
            priority::lower_started(pid);
        }
        Ok(Self {
            program,
            output,
            input,
            pty: PtyMaster(Mutex::new(pair.master)),
        })
    }
}

impl PtyMaster {
    /// Changes the size; the system informs the program.
    pub(super) fn resize(&self, size: PaneSize) {
        // Only a terminal that is closed already refuses.
        drop(self.0.lock().resize(size_of(size)));
    }
}

fn command(spec: &HoldSpec, mask: Mask) -> CommandBuilder {
    let mut command = CommandBuilder::from_argv(spec.argv.iter().map(Into::into).collect());
    command.cwd(&spec.cwd);
    command.env_clear();
    for (name, value) in &spec.env {
        command.env(name, value);
    }
    command.env(MARKER, &spec.marker);
    #[cfg(unix)]
    command.umask(Some(mask.bits()));
    #[cfg(not(unix))]
    let Mask = mask;
    command
}

/// Tells the terminal's line editor that letters may have several bytes (`IUTF8`).
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn expect_utf8(device: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;

    use nix::fcntl::OFlag;
    use nix::sys::termios::{InputFlags, SetArg, tcgetattr, tcsetattr};

    // Opened by name, and without becoming this process's own terminal.
    let terminal = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOCTTY.bits())
        .open(device)?;
    let mut modes = tcgetattr(&terminal)?;
    modes.input_flags.insert(InputFlags::IUTF8);
    Ok(tcsetattr(&terminal, SetArg::TCSANOW, &modes)?)
}

/// Does nothing: other systems have no such mode.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
fn expect_utf8(_device: &std::path::Path) -> io::Result<()> {
    Ok(())
}

fn size_of(size: PaneSize) -> PtySize {
    PtySize {
        rows: size.rows,
        cols: size.cols,
        pixel_width: size.x_pixels,
        pixel_height: size.y_pixels,
    }
}

fn opening(error: impl std::fmt::Display) -> HolderError {
    HolderError::io("open a terminal")(io::Error::other(error.to_string()))
}

/// Builds the error of a program that did not start: a fault of the program itself is refused for good; after a present lack of the machine
/// it may be tried again.
fn starting<E>(spec: &HoldSpec, error: &E) -> HolderError
where
    E: AsRef<dyn std::error::Error + Send + Sync> + std::fmt::Display,
{
    let program = spec.argv.first().cloned().unwrap_or_default();
    match error.as_ref().downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(kind @ (io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock)) => {
            HolderError::io(format!("start {program:?}"))(kind.into())
        }
        _ => HolderError::Program {
            program,
            why: error.to_string(),
        },
    }
}
