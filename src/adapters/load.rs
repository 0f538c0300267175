//! Load of programs on the machine, each with everything it started, and the capacity that the machine as a whole has left. Reads only;
//! never touches a process.

use std::collections::BTreeMap;
use std::time::Duration;

use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::domain::AttemptId;
use crate::ports::holders::{HolderId, HolderLiveness, Holders};

mod disk;
mod machine;

pub use disk::{shown_size, size_of};
pub use machine::{MachineSampler, MachineUsage, agents_that_fit, room};

/// Between two looks for who wants to know at once: the shares of the processor are those of this time.
pub const SAMPLE_INTERVAL: Duration = Duration::from_millis(250);

/// Samples CPU and memory use of processes with all their descendants.
pub struct LoadSampler(Option<System>);

/// CPU share, memory and number of processes of one program with all its descendants.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProcessUsage {
    /// Share of one core, in percent.
    pub cpu: f32,
    /// Memory, in bytes.
    pub memory: u64,
    pub processes: usize,
}

impl Default for LoadSampler {
    fn default() -> LoadSampler {
        LoadSampler(System::new().ok())
    }
}

impl LoadSampler {
    /// Measures the usage of the programs of these attempts and their descendants, as far as they run.
    pub fn sample_attempts(
        &mut self,
        holders: &dyn Holders,
        attempts: impl Iterator<Item = AttemptId>,
    ) -> Vec<(AttemptId, ProcessUsage)> {
        let running = |attempt| match holders.status(&HolderId::from(attempt)).state {
            HolderLiveness::Running(launched) => Some((attempt, launched.child_pid)),
            _ => None,
        };
        let (attempts, roots): (Vec<AttemptId>, Vec<u32>) = attempts.filter_map(running).unzip();
        let usages = self.sample(&roots);
        let known = attempts.into_iter().zip(usages);
        known
            .filter_map(|(attempt, usage)| Some((attempt, usage?)))
            .collect()
    }

    /// Measures the usage of each of these processes with its descendants, in the same order; `None` for one that is gone.
    pub fn sample(&mut self, roots: &[u32]) -> Vec<Option<ProcessUsage>> {
        let Some(system) = &mut self.0 else {
            return vec![None; roots.len()];
        };
        let what = ProcessRefreshKind::nothing().with_cpu().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
        let mut children: BTreeMap<Pid, Vec<Pid>> = BTreeMap::new();
        let real = |process: &&Process| process.thread_kind().is_none();
        for process in system.processes().values().filter(real) {
            if let Some(parent) = process.parent() {
                children.entry(parent).or_default().push(process.pid());
            }
        }
        roots
            .iter()
            .map(|root| usage(system, &children, Pid::from_u32(*root)))
            .collect()
    }
}

fn usage(system: &System, children: &BTreeMap<Pid, Vec<Pid>>, root: Pid) -> Option<ProcessUsage> {
    system.process(root)?;
    let mut usage = ProcessUsage::default();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        if let Some(process) = system.process(pid) {
            usage.cpu += process.cpu_usage();
            usage.memory += process.memory();
            usage.processes += 1;
        }
        // A process has one parent, so that none is met twice.
        open.extend(children.get(&pid).into_iter().flatten());
    }
    Some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory_and_one_that_is_gone_is_not_known() {
        let mut watch = LoadSampler::default();
        let found = watch.sample(&[std::process::id(), u32::MAX - 7]);
        let [Some(own), None] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(own.memory > 0 && own.processes >= 1, "{own:?}");
    }
}
