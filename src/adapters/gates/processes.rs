//! Killing everything a gate started: its process group, its descendants, and processes with its mark.

use std::time::Duration;

use crate::adapters::child_process::kill_group;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// Name of the variable that marks all processes of one gate run.
pub(super) const MARK: &str = "DBS_GATE_MARK";
/// How often the process table is searched for survivors; each round kills what the last one missed.
const N_ROUNDS: usize = 5;
/// Between two rounds.
const PAUSE: Duration = Duration::from_millis(20);

/// All processes of one gate run: its process group, its descendants and every process with its mark.
pub(super) struct GateProcesses<'a> {
    pub(super) leader: u32,
    /// Whether the leader is still running: a number that was given back must not be followed.
    pub(super) is_leader_alive: bool,
    pub(super) mark: &'a str,
}

impl GateProcesses<'_> {
    /// Kills all of it; `wait` is called between rounds with how long to wait.
    pub(super) fn kill(&self, wait: impl Fn(Duration)) {
        let mut root = self.is_leader_alive.then(|| Pid::from_u32(self.leader));
        for _ in 0..N_ROUNDS {
            let Ok(mut system) = System::new() else {
                return kill_group(self.leader);
            };
            let details = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
            system.refresh_processes_specifics(ProcessesToUpdate::All, true, details);
            let found = members(&system, root.take(), self.mark);
            kill_group(self.leader);
            if found.is_empty() {
                return;
            }
            for process in found.iter().filter_map(|pid| system.process(*pid)) {
                process.kill();
            }
            wait(PAUSE);
        }
    }
}

/// Living processes that are the root, descend from a member, or have the mark.
fn members(system: &System, root: Option<Pid>, mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let mut found: Vec<Pid> = Vec::new();
    loop {
        let before = found.len();
        for (pid, process) in system.processes() {
            let is_child =
                root == Some(*pid) || process.parent().is_some_and(|parent| found.contains(&parent));
            let is_marked = process
                .environ()
                .iter()
                .any(|entry| entry.to_str() == Some(&wanted));
            let is_dead = matches!(
                process.status(),
                sysinfo::ProcessStatus::Zombie | sysinfo::ProcessStatus::Dead
            );
            if (is_child || is_marked) && !is_dead && process.thread_kind().is_none() && !found.contains(pid)
            {
                found.push(*pid);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
