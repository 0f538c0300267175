//! The keeper: a small process between a server and a program that may run code written by agents. It carries a marker and adopts processes
//! that lose their parent, so that everything the program starts stays below the keeper and is known by it, whatever it does to its own
//! process. Only on Linux can processes adopt others; elsewhere programs run without a keeper.

use std::ffi::OsString;
use std::process::Command;

use crate::error::HolderError;
use crate::process::HOLDER_MARKER;
use crate::process::keeper::{APART, LEAVE, STAY, SWEEP};

/// Runs `dbs keep` with the words after it: runs the program, and ends as the program ended.
///
/// # Errors
/// When the program could not be started.
pub fn run_keeper(
    words: impl IntoIterator<Item = OsString>,
) -> Result<std::convert::Infallible, HolderError> {
    let mut words = words.into_iter();
    let (way, program) = (words.next(), words.next());
    let (Some(way), Some(program)) = (way, program) else {
        return Err(HolderError::Refused("keep a program: none was named".to_owned()));
    };
    let mut command = Command::new(&program);
    command.args(words).env_remove(HOLDER_MARKER);
    let kept = match way.to_str() {
        Some(SWEEP) => system::sweep(command),
        Some(LEAVE) => system::leave(&command),
        Some(STAY) => system::stay(command),
        Some(APART) => system::apart(command),
        _ => {
            return Err(HolderError::Refused(
                "keep a program: not a way to do it".to_owned(),
            ));
        }
    };
    kept.map_err(HolderError::io(format!("run {}", program.display())))
}

#[cfg(target_os = "linux")]
mod system {
    use std::convert::Infallible;
    use std::fs::File;
    use std::io::{self, Read as _, Write as _};
    use std::os::unix::process::{CommandExt as _, parent_id};
    use std::process::{Child, Command, Stdio, exit};
    use std::thread;
    use std::time::Duration;

    use nix::errno::Errno;
    use nix::sys::prctl::set_child_subreaper;
    use nix::sys::signal::{SigSet, Signal, raise};
    use nix::sys::stat::umask;
    use nix::sys::wait::{WaitPidFlag, WaitStatus, wait, waitpid};

    use crate::hold::{SignalAction, daemonize, own_program};
    use crate::process::keeper::STAY;
    use crate::process::priority::lower_thread;
    use crate::process::{ProcessSelector, terminate};

    /// Exit code if the end of the program is not known.
    const UNKNOWN_END: i32 = 255;
    /// Pause before processes that could not be listed are listed again.
    const PAUSE: Duration = Duration::from_millis(100);

    /// End of the program.
    #[derive(Debug, Clone, Copy)]
    enum ProgramEnd {
        Code(i32),
        Signal(i32),
    }

    pub(super) fn sweep(mut program: Command) -> io::Result<Infallible> {
        let (signals, mask) = daemonize().map_err(io::Error::other)?;
        umask(mask);
        lower_thread();
        // First: a program that could not be ended is not to be started.
        thread::Builder::new().spawn(|| {
            // The server has ended, or has enough.
            io::copy(&mut io::stdin().lock(), &mut io::sink()).ok();
            end_with_all()
        })?;
        thread::Builder::new().spawn(move || {
            while signals.next() != SignalAction::End {}
            end_with_all()
        })?;
        let child = start(program.stdin(Stdio::null()).process_group(0))?;
        let end = wait_for(child.id());
        end_leftovers();
        end_as(end)
    }

    /// Ends all processes below this one until none is left; it continues to keep those it cannot end, and so marks them as not a person's.
    /// Only the kernel knows that none is left, for it gives this process every child that loses its parent; a list of processes lacks
    /// those that are started while it is made.
    fn end_leftovers() {
        loop {
            let mut below = ProcessSelector::descendants(std::process::id());
            if let Err(error) = terminate(&mut below, Duration::ZERO) {
                writeln!(io::stderr(), "could not look for what was left running: {error}").ok();
                thread::park_timeout(PAUSE);
            }
            if has_no_children() {
                return;
            }
        }
    }

    /// Collects the children that have ended; returns true if there are no others.
    fn has_no_children() -> bool {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Err(Errno::ECHILD) => return true,
                Ok(WaitStatus::StillAlive) => return false,
                _ => {}
            }
        }
    }

    fn end_with_all() -> ! {
        end_leftovers();
        exit(UNKNOWN_END);
    }

    /// Becomes the program, without the terminal of its starter.
    pub(super) fn apart(mut program: Command) -> io::Result<Infallible> {
        nix::unistd::setsid()?;
        Err(program.exec())
    }

    pub(super) fn leave(program: &Command) -> io::Result<Infallible> {
        block_signals()?;
        // Nothing below asks on the terminal of the starter. The leader of a group keeps it.
        nix::unistd::setsid().ok();
        let mut second = Command::new(own_program().map_err(io::Error::other)?);
        second
            .args(["keep", STAY])
            .arg(program.get_program())
            .args(program.get_args())
            .stdout(Stdio::piped());
        let mut second = second.spawn()?;
        let mut line = String::new();
        if let Some(mut output) = second.stdout.take() {
            output.read_to_string(&mut line)?;
        }
        let end = line.split_once(' ').and_then(|(kind, number)| {
            let number = number.trim().parse().ok()?;
            match kind {
                "code" => Some(ProgramEnd::Code(number)),
                "signal" => Some(ProgramEnd::Signal(number)),
                _ => None,
            }
        });
        end_as(end)
    }

    /// Runs the program with the streams of the first process, to which this process's own standard output leads, and reports the program's
    /// end to the first process. It holds none of the streams itself, for one of them may be a lock.
    pub(super) fn stay(mut program: Command) -> io::Result<Infallible> {
        let output = File::options()
            .write(true)
            .open(format!("/proc/{}/fd/1", parent_id()))?;
        set_child_subreaper(true)?;
        block_signals()?;
        let child = start(program.stdout(output))?;
        // The file of the output is closed with the command.
        drop(program);
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        nix::unistd::dup2_stdin(&nothing)?;
        nix::unistd::dup2_stderr(&nothing)?;
        // The group is ended as a whole when the program takes too long; its leftovers must not lose their keeper by that.
        nix::unistd::setsid()?;
        let line = match wait_for(child.id()) {
            Some(ProgramEnd::Code(code)) => format!("code {code}\n"),
            Some(ProgramEnd::Signal(signal)) => format!("signal {signal}\n"),
            None => String::new(),
        };
        // The first process may have been ended.
        let mut first = io::stdout();
        first.write_all(line.as_bytes()).and_then(|()| first.flush()).ok();
        nix::unistd::dup2_stdout(&nothing)?;
        while wait() != Err(Errno::ECHILD) {}
        exit(0)
    }

    /// Returns the signals that would end this process before its program.
    fn ending_signals() -> SigSet {
        let mut signals = SigSet::empty();
        for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
            signals.add(signal);
        }
        signals
    }

    fn block_signals() -> io::Result<()> {
        Ok(ending_signals().thread_block()?)
    }

    /// Starts a program that holds back no signal: it inherits the mask of its starter.
    fn start(program: &mut Command) -> io::Result<Child> {
        ending_signals().thread_unblock()?;
        let child = program.spawn();
        block_signals()?;
        child
    }

    /// Collects children, adopted ones too, until that one has ended; `None` when there are none any more.
    fn wait_for(pid: u32) -> Option<ProgramEnd> {
        loop {
            match wait() {
                Ok(WaitStatus::Exited(ended, code)) if u32::try_from(ended.as_raw()) == Ok(pid) => {
                    return Some(ProgramEnd::Code(code));
                }
                Ok(WaitStatus::Signaled(ended, signal, _)) if u32::try_from(ended.as_raw()) == Ok(pid) => {
                    return Some(ProgramEnd::Signal(signal as i32));
                }
                Err(Errno::ECHILD) => return None,
                _ => {}
            }
        }
    }

    fn end_as(end: Option<ProgramEnd>) -> ! {
        match end {
            Some(ProgramEnd::Code(code)) => exit(code),
            Some(ProgramEnd::Signal(number)) => {
                let signal = Signal::try_from(number).unwrap_or(Signal::SIGKILL);
                SigSet::from(signal).thread_unblock().ok();
                raise(signal).ok();
                // This process ignores that one.
                raise(Signal::SIGKILL).ok();
                exit(UNKNOWN_END)
            }
            None => exit(UNKNOWN_END),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::convert::Infallible;
    use std::io;
    use std::process::Command;

    fn unsupported() -> io::Result<Infallible> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn sweep(_program: Command) -> io::Result<Infallible> {
        unsupported()
    }

    pub(super) fn leave(_program: &Command) -> io::Result<Infallible> {
        unsupported()
    }

    pub(super) fn stay(_program: Command) -> io::Result<Infallible> {
        unsupported()
    }

    pub(super) fn apart(_program: Command) -> io::Result<Infallible> {
        unsupported()
    }
}
