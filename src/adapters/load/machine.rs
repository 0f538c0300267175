//! Usage and free capacity of the machine as a whole. Figures that cannot be measured are left out, never guessed.

use std::path::Path;

use sysinfo::{MemoryRefreshKind, System};

use crate::domain::{Span, Timestamp};

/// Samples CPU, memory and free disk space of the whole machine.
#[derive(Default)]
pub struct MachineSampler {
    /// Made at the first look; not there where the system measures nothing.
    system: Option<System>,
    before: Option<Timestamp>,
}

/// CPU share, memory in use and free disk space of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MachineUsage {
    /// Share of all processors, in percent, from 0 to 100. Nothing at the first look, and after a long time without one.
    pub cpu: Option<f32>,
    /// Memory in use, in bytes.
    pub memory: Option<u64>,
    /// Room in bytes that is left to this user on the file system asked about.
    pub room: Option<u64>,
}

/// Spans over which a share is known: from a fraction of a second, which the system counts in steps, to the age at which a share is no
/// longer of the present.
const SPANS: (Span, Span) = (Span(250), Span::seconds(15));

impl std::fmt::Debug for MachineSampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachineSampler").finish_non_exhaustive()
    }
}

impl MachineSampler {
    /// Measures the usage of the machine now, and the room on the file system this path is on.
    pub fn sample(&mut self, now: Timestamp, path: &Path) -> MachineUsage {
        let room = room(path);
        if self.system.is_none() {
            self.system = System::new().ok();
        }
        let Some(system) = &mut self.system else {
            return MachineUsage {
                room,
                ..MachineUsage::default()
            };
        };
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        system.refresh_cpu_usage();
        let since = self.before.replace(now).map(|before| now.since(before));
        let is_known =
            since.is_some_and(|since| SPANS.0 <= since && since < SPANS.1) && !system.cpus().is_empty();
        let (used, all) = (system.used_memory(), system.total_memory());
        MachineUsage {
            cpu: is_known.then(|| system.global_cpu_usage().clamp(0.0, 100.0)),
            memory: (all > 0).then_some(used),
            room,
        }
    }
}

/// Memory that an agent and the programs it starts are reckoned to need, in bytes.
const MEMORY_OF_AGENT: u64 = 2 << 30;

/// Returns the number of agents that this machine can carry: one for each processor, as far as there is memory for them.
pub fn agents_that_fit() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = System::new().ok().and_then(|mut system| {
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let limit = system.cgroup_limits().map(|limits| limits.total_memory);
        [Some(system.total_memory()), limit]
            .into_iter()
            .flatten()
            .filter(|bytes| *bytes > 0)
            .min()
    });
    fitting(processors, memory)
}

fn fitting(processors: usize, memory: Option<u64>) -> u32 {
    let processors = u32::try_from(processors).unwrap_or(u32::MAX);
    let by_memory = memory.and_then(|bytes| u32::try_from(bytes / MEMORY_OF_AGENT).ok());
    processors.min(by_memory.unwrap_or(u32::MAX)).max(1)
}

/// Returns the bytes that this user may still write on the file system of a path, where the system reports them.
#[cfg(unix)]
pub fn room(path: &Path) -> Option<u64> {
    let found = nix::sys::statvfs::statvfs(path).ok()?;
    // How wide these numbers are differs from system to system.
    let bytes = u128::from(found.blocks_available()) * u128::from(found.fragment_size());
    u64::try_from(bytes).ok()
}

/// Returns nothing, because this system does not report the room.
#[cfg(not(unix))]
pub fn room(_path: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_agents_fit_as_there_are_processors_and_memory_for_and_always_one() {
        let gib = 1 << 30;
        assert_eq!(fitting(8, Some(32 * gib)), 8);
        assert_eq!(fitting(8, Some(7 * gib)), 3);
        assert_eq!(fitting(2, Some(gib)), 1);
        assert_eq!(fitting(4, None), 4);
        assert!(agents_that_fit() >= 1);
    }

    #[test]
    fn a_share_is_known_from_the_second_look_on_and_not_after_a_long_pause() {
        let mut watch = MachineSampler::default();
        let here = std::env::temp_dir();
        let mut cpu = |at| watch.sample(Timestamp(at), &here).cpu;
        assert_eq!(cpu(1_000), None, "there is nothing to compare with");
        let share = cpu(2_000).expect("a share");
        assert!((0.0..=100.0).contains(&share), "{share}");
        assert_eq!(cpu(2_100), None, "too soon to say");
        assert!(cpu(4_000).is_some());
        assert_eq!(cpu(60_000), None, "that would be the past");
        assert!(cpu(65_000).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn memory_and_room_are_known_and_room_only_where_there_is_a_file_system() {
        let mut watch = MachineSampler::default();
        let found = watch.sample(Timestamp(1), &std::env::temp_dir());
        assert!(found.memory.is_some_and(|memory| memory > 0), "{found:?}");
        assert!(found.room.is_some(), "{found:?}");
        let nowhere = watch.sample(Timestamp(2), Path::new("/there/is/no/such/folder"));
        assert_eq!(nowhere.room, None);
    }
}
