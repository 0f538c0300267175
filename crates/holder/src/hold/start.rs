//! Start of the second of the two processes: session, folder, log, socket, program, and only then the answer.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::Listener;
use parking_lot::Mutex;
use portable_pty::Child;

use super::peer::{self, PeerContext};
use super::platform::{self, SignalAction, SignalWaiter};
use super::pty::PtyProcess;
use super::pump::{InputQueue, pump_output};
use super::shared::SharedState;
use super::shutdown::{self, ExitResources};
use super::{answer, maintenance, thread};
use crate::error::HolderError;
use crate::files::{EXIT, FORMAT, HoldSpec, HolderMeta, LaunchAnswer, META, now, reserve, write_durably};
use crate::log::LogWriter;
use crate::process::{ChildChange, ProcessIdentity, ProcessSelector, terminate};
use crate::socket;
use dbs_ports::holders::ExitedBy;

/// Time that a program gets to comply when the holder itself has to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// A holder whose program was started and whose threads were not yet.
pub(super) struct StartedHolder {
    context: Arc<PeerContext>,
    exit_resources: ExitResources,
    listener: Listener,
    program: Box<dyn Child + Send + Sync>,
    output: Box<dyn io::Read + Send>,
    input: Box<dyn io::Write + Send>,
    watch: SignalWaiter,
    /// Held for life: the process that has it, has the folder.
    _claim: File,
}

/// Starts the program that is to be held and answers the starter.
pub(super) fn start(spec: HoldSpec) -> Result<StartedHolder, HolderError> {
    let (watch, mask) = platform::daemonize()?;
    let claim = claim(&spec.folder)?;
    end_earlier_try(&spec)?;
    let writing = |what: &str| HolderError::io(format!("write {what} in {}", spec.folder.display()));
    let log =
        LogWriter::create(&spec.folder, spec.log_limit, spec.size, now()).map_err(writing("the log"))?;
    let reserved = reserve(&spec.folder.join(EXIT)).map_err(writing(EXIT))?;
    let errors = own_log(&spec.folder).map_err(writing("holder.log"))?;
    let listener = socket::listen(&spec.socket)?;
    // Durable before the program runs: a reader that finds a dead holder must not take its program for one that never ran.
    let begun = meta(&spec, own_identity()?);
    write_durably(&spec.folder.join(META), &begun).map_err(writing(META))?;
    let terminal = PtyProcess::start(&spec, mask).inspect_err(|_| never_ran(&spec))?;
    let PtyProcess {
        program,
        output,
        input: typing,
        pty: screen,
    } = terminal;
    let meta = child_identity(&*program).and_then(|child| {
        let meta = HolderMeta { child, ..begun };
        write_durably(&spec.folder.join(META), &meta).map_err(writing(META))?;
        Ok(meta)
    });
    let meta = meta.inspect_err(|_| drop(end_program(&spec)))?;
    answer(&LaunchAnswer::Holding(Box::new(meta)));
    // Without a null device the streams stay as they are, which only the starter could notice.
    drop(platform::close_standard_streams(&errors));
    let resources = ExitResources {
        reserved,
        leftovers: spec.leftovers,
        socket: spec.socket,
    };
    let context = Arc::new(PeerContext {
        hub: SharedState::new(spec.size),
        log: Mutex::new(log),
        input: Arc::new(InputQueue::default()),
        pty: screen,
        folder: spec.folder,
        marker: spec.marker,
        program: program.process_id(),
        stopping: Mutex::new(()),
    });
    Ok(StartedHolder {
        context,
        exit_resources: resources,
        listener,
        program,
        output,
        input: typing,
        watch,
        _claim: claim,
    })
}

impl StartedHolder {
    /// Holds until the program has ended and the end is announced.
    pub(super) fn run(self) {
        let StartedHolder {
            context,
            exit_resources: resources,
            listener,
            mut program,
            output,
            input: typing,
            watch,
            _claim,
        } = self;
        let threads = [
            thread("output", {
                let context = Arc::clone(&context);
                move || pump_output(output, &context.log, &context.hub)
            }),
            thread("children", {
                let context = Arc::clone(&context);
                move || {
                    platform::reap_children(&mut *program, |change| match change {
                        ChildChange::Suspended(is_suspended) => context.hub.suspended(is_suspended),
                        ChildChange::Ended(exit) => context.hub.program_ended(exit, now()),
                    });
                }
            }),
            thread("input", {
                let input = Arc::clone(&context.input);
                // Never dropped: that would type an end of file into a terminal others may still use.
                move || std::mem::forget(input.pump(typing))
            }),
            thread("listen", {
                let context = Arc::clone(&context);
                move || peer::listen(&listener, &context)
            }),
            thread("signals", {
                let context = Arc::clone(&context);
                move || handle_signals(&watch, &context)
            }),
        ];
        if threads.iter().any(Result::is_err) {
            // Half a holder is useless: the program ends, and the end is recorded if its collector runs.
            context.stop(ExitedBy::Shutdown, Duration::ZERO);
        }
        let (exit, at) = maintenance::run_until_exit(&context.log, &context.hub);
        shutdown::finish(&context, &resources, exit, at);
    }
}

fn handle_signals(watch: &SignalWaiter, context: &PeerContext) {
    loop {
        if watch.next() == SignalAction::End {
            context.stop(ExitedBy::Shutdown, SHUTDOWN_GRACE);
        }
    }
}

/// Takes the folder, or fails if another holder has it or had it. A held lock is not waited for.
fn claim(folder: &Path) -> Result<File, HolderError> {
    let path = folder.join("holder.lock");
    let what = || HolderError::io(format!("lock {}", path.display()));
    let taken = || HolderError::Taken(folder.display().to_string());
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(what())?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(taken()),
        Err(TryLockError::Error(error)) => return Err(what()(error)),
    }
    if folder.join(META).exists() || folder.join(EXIT).exists() {
        return Err(taken());
    }
    Ok(file)
}

/// Ends the remains of a holder that died between starting its program and saying so.
fn end_earlier_try(spec: &HoldSpec) -> Result<(), HolderError> {
    end_program(spec).map_err(HolderError::io("list processes"))?;
    match fs::remove_dir_all(spec.folder.join("tty")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(HolderError::io("remove an earlier log")(error))
        }
        _ => Ok(()),
    }
}

fn end_program(spec: &HoldSpec) -> io::Result<u32> {
    terminate(&mut ProcessSelector::marked(&spec.marker), Duration::ZERO)
}

/// Removes the record of a program that was not started, so that it may be tried again under the same number.
fn never_ran(spec: &HoldSpec) {
    // A file that cannot be removed is taken for lost, which only costs its number.
    drop(fs::remove_file(spec.folder.join(META)));
}

fn unrecognised() -> HolderError {
    HolderError::io("recognise the program")(io::ErrorKind::NotFound.into())
}

fn own_identity() -> Result<ProcessIdentity, HolderError> {
    ProcessIdentity::of(std::process::id()).ok_or_else(unrecognised)
}

fn child_identity(program: &dyn Child) -> Result<ProcessIdentity, HolderError> {
    let own = program.process_id().and_then(ProcessIdentity::of_own_child);
    own.ok_or_else(unrecognised)
}

/// Builds the record of a holder whose program is about to start; until the program's identity is known, the holder's is in its place.
fn meta(spec: &HoldSpec, holder: ProcessIdentity) -> HolderMeta {
    HolderMeta {
        format: FORMAT,
        marker: spec.marker.clone(),
        child: holder.clone(),
        holder,
        argv: spec.argv.clone(),
        cwd: spec.cwd.clone(),
        socket: spec.socket.clone(),
        size: spec.size,
        started_at: now(),
    }
}

/// Opens the file for panics of the holder itself.
fn own_log(folder: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("holder.log"))
}
