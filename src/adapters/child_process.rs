//! Child processes of git, gates and the person's notification program: a group of their own, so that a program and all it
//! starts end together, and their output read on threads. Knows nothing of what a process is for.

pub(crate) mod children;
pub(super) mod memory;
pub(super) mod output;

pub(super) use group::{
    interrupt, kill, kill_group, leads_group, new_process_group, resume_group, suspend_self, terminate,
    terminate_group,
};

/// A command line that runs this program with these words, in the shell of the platform.
pub(crate) fn own_program(words: &str) -> String {
    let program = if cfg!(windows) {
        "\"%DBS_PROGRAM%\""
    } else {
        "\"$DBS_PROGRAM\""
    };
    format!("{program} {words}")
}

#[cfg(unix)]
mod group {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    use nix::sys::signal::{self, Signal, killpg};
    use nix::unistd::Pid;

    /// Makes the command the leader of its own group.
    pub(in super::super) fn new_process_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(in super::super) fn terminate(child: &mut Child) {
        terminate_group(child.id());
    }

    /// Asks the group of that leader to end.
    pub(in super::super) fn terminate_group(leader: u32) {
        to_group(leader, Signal::SIGTERM);
    }

    pub(in super::super) fn kill(child: &mut Child) {
        kill_group(child.id());
    }

    /// Interrupts that process alone.
    pub(in super::super) fn interrupt(leader: u32) {
        if let Ok(id) = i32::try_from(leader) {
            // The only failure is that it has ended.
            signal::kill(Pid::from_raw(id), Signal::SIGINT).ok();
        }
    }

    /// Kills the group of that leader, also when the leader itself has ended.
    pub(in super::super) fn kill_group(leader: u32) {
        to_group(leader, Signal::SIGKILL);
    }

    /// Continues the group of that leader, if it is suspended.
    pub(in super::super) fn resume_group(leader: u32) {
        to_group(leader, Signal::SIGCONT);
    }

    /// Suspends this process until another one continues it.
    pub(in super::super) fn suspend_self() {
        // No process may be refused this signal to itself.
        signal::raise(Signal::SIGSTOP).ok();
    }

    /// Returns whether that process is the leader of its group.
    pub(in super::super) fn leads_group(pid: u32) -> bool {
        let id = i32::try_from(pid).map(Pid::from_raw);
        id.is_ok_and(|id| nix::unistd::getpgid(Some(id)) == Ok(id))
    }

    fn to_group(leader: u32, signal: Signal) {
        if let Ok(id) = i32::try_from(leader) {
            // The only failure is that no process is left.
            killpg(Pid::from_raw(id), signal).ok();
        }
    }
}

#[cfg(not(unix))]
mod group {
    //! Platforms without groups: only the process itself is ended, its children notice their closed pipes.

    use std::process::{Child, Command};

    pub(in super::super) fn new_process_group(_command: &mut Command) {}

    pub(in super::super) fn terminate(child: &mut Child) {
        kill(child);
    }

    pub(in super::super) fn kill(child: &mut Child) {
        drop(child.kill());
    }

    pub(in super::super) fn terminate_group(_leader: u32) {}

    pub(in super::super) fn interrupt(_leader: u32) {}

    pub(in super::super) fn kill_group(_leader: u32) {}

    pub(in super::super) fn resume_group(_leader: u32) {}

    pub(in super::super) fn suspend_self() {}

    pub(in super::super) fn leads_group(_pid: u32) -> bool {
        true
    }
}
