//! Needs of a holder from the system, once for Unix and once for the rest: a session of its own, signals, collecting children.

pub(crate) use system::daemonize;
pub(super) use system::{Mask, SignalWaiter, close_standard_streams, reap_children, resume};

/// Bytes that a program can write to its terminal while it is not read, before the program has to wait. Linux queues this many besides the
/// page that a reader finds; elsewhere it is less, or not known, and a terminal is read at once.
pub(super) const TERMINAL_ROOM: usize = if cfg!(target_os = "linux") { 8 * 1024 } else { 0 };

/// Reaction of a holder to a signal from the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalAction {
    /// End: the machine shuts down, or a person ended the holder.
    End,
    /// Nothing to do: a holder survives a hang-up.
    Ignore,
}

#[cfg(unix)]
mod system {
    use std::fs::File;

    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    use nix::sys::signal::{SigSet, Signal, killpg};
    use nix::sys::stat::{Mode, umask};
    use nix::unistd::Pid;
    use portable_pty::Child;

    use super::SignalAction;
    use crate::error::HolderError;
    use crate::process::{ChildChange, next_change};

    pub(crate) use nix::sys::stat::Mode as Mask;

    /// Set of process signals that a holder waits for on a thread.
    pub(crate) struct SignalWaiter(SigSet);

    /// Detaches this process from its starter: own session, signals waited for, orphans adopted, no core file. Returns the mask for new
    /// files that the program is to have; the holder's own files are private from here on.
    pub(crate) fn daemonize() -> Result<(SignalWaiter, Mask), HolderError> {
        // Files that the starter had open must not stay open for as long as a program runs.
        portable_pty::unix::close_random_fds();
        nix::unistd::setsid()
            .map_err(Into::into)
            .map_err(HolderError::io("begin a session"))?;
        // Worth having, not worth failing: a limit that cannot be set leaves core files, nothing else.
        if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_CORE) {
            setrlimit(Resource::RLIMIT_CORE, 0, hard).ok();
        }
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_child_subreaper(true)
            .map_err(Into::into)
            .map_err(HolderError::io("adopt orphans"))?;
        let mut signals = SigSet::empty();
        for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
            signals.add(signal);
        }
        signals
            .thread_block()
            .map_err(Into::into)
            .map_err(HolderError::io("hold back signals"))?;
        Ok((SignalWaiter(signals), umask(Mode::S_IRWXG | Mode::S_IRWXO)))
    }

    impl SignalWaiter {
        pub(crate) fn next(&self) -> SignalAction {
            match self.0.wait() {
                Ok(Signal::SIGTERM | Signal::SIGINT | Signal::SIGQUIT) => SignalAction::End,
                _ => SignalAction::Ignore,
            }
        }
    }

    /// Closes the starter's streams; later errors are written to `log`.
    pub(in super::super) fn close_standard_streams(log: &File) -> std::io::Result<()> {
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        nix::unistd::dup2_stdin(&nothing)?;
        nix::unistd::dup2_stdout(&nothing)?;
        nix::unistd::dup2_stderr(log)?;
        Ok(())
    }

    /// Collects every child, adopted ones too, until there is none; reports when `program` is suspended, continues or ends.
    pub(in super::super) fn reap_children(program: &mut dyn Child, mut report: impl FnMut(ChildChange)) {
        let pid = program.process_id();
        while let Some((of, change)) = next_change(None) {
            if Some(of) == pid {
                report(change);
            }
        }
    }

    /// Continues a suspended program, which leads a process group, and the other processes of that group.
    pub(in super::super) fn resume(pid: u32) {
        if let Ok(pid) = i32::try_from(pid) {
            // Without such a group nothing is suspended.
            killpg(Pid::from_raw(pid), Signal::SIGCONT).ok();
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;

    use portable_pty::Child;

    use super::SignalAction;
    use crate::error::HolderError;
    use crate::process::ChildChange;
    use dbs_domain::ProcessExit;

    /// Placeholder: new files have no mask here.
    #[derive(Clone, Copy)]
    pub(crate) struct Mask;

    /// Placeholder: there are no signals here.
    pub(crate) struct SignalWaiter;

    /// Does nothing: a process here does not depend on its starter.
    pub(crate) fn daemonize() -> Result<(SignalWaiter, Mask), HolderError> {
        Ok((SignalWaiter, Mask))
    }

    impl SignalWaiter {
        pub(in super::super) fn next(&self) -> SignalAction {
            std::thread::park();
            SignalAction::Ignore
        }
    }

    /// Does nothing: the streams were closed by the starter's end.
    pub(in super::super) fn close_standard_streams(_log: &File) -> std::io::Result<()> {
        Ok(())
    }

    /// Waits for the end of `program`; nothing else is reported here.
    pub(in super::super) fn reap_children(program: &mut dyn Child, mut report: impl FnMut(ChildChange)) {
        let code = program.wait().map(|status| status.exit_code());
        report(ChildChange::Ended(code.map_or(ProcessExit::Vanished, |code| {
            ProcessExit::Code(code.cast_signed())
        })));
    }

    /// Does nothing: no program is suspended here.
    pub(in super::super) fn resume(_pid: u32) {}
}
