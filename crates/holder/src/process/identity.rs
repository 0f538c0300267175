//! Identity of a process. Numbers are used again after a while, so a number alone is never trusted.

use serde::{Deserialize, Serialize};

use super::table::{self, ProcessEntry};
use dbs_domain::Tri;

/// Process id with start time and boot id, so that a reused process id is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// Start time, in units of the system (clock ticks after boot, or seconds); only good for comparing.
    pub start: u64,
    pub boot: String,
}

impl ProcessIdentity {
    /// Returns the process that has this number now, unless it is gone or a zombie.
    pub fn of(pid: u32) -> Option<Self> {
        let row = table::process(pid).ok().flatten()?;
        Self::of_row(&row).filter(|_| !row.is_dead)
    }

    /// Returns the process that has this number now, even if it has ended but was not collected yet.
    pub fn of_own_child(pid: u32) -> Option<Self> {
        Self::of_row(&table::process(pid).ok().flatten()?)
    }

    fn of_row(row: &ProcessEntry) -> Option<Self> {
        Some(Self {
            pid: row.pid,
            start: row.start,
            boot: table::boot().ok()?.to_owned(),
        })
    }

    /// Returns the process that started this one, unless it is gone.
    pub fn of_parent() -> Option<Self> {
        let own = table::process(std::process::id()).ok().flatten()?;
        Self::of(own.parent)
    }

    /// Returns true if the machine was restarted since; false while the system does not say which boot this is.
    pub fn is_from_before_restart(&self) -> bool {
        table::boot().is_ok_and(|now| now != self.boot)
    }

    /// Checks whether this very process is alive. A zombie is dead, and so is everything from before a restart of the machine.
    pub fn is_alive(&self) -> Tri {
        match table::boot() {
            Err(error) => {
                return Tri::Unknown(format!("ask whether the machine was started again: {error}").into());
            }
            Ok(now) if now != self.boot => return Tri::No("the machine was started again since".into()),
            Ok(_) => {}
        }
        match table::process(self.pid) {
            Err(error) => Tri::Unknown(format!("look at process {}: {error}", self.pid).into()),
            Ok(None) => Tri::No(format!("process {} is gone", self.pid)),
            Ok(Some(row)) if row.start != self.start => {
                Tri::No(format!("{} is another process now", self.pid))
            }
            Ok(Some(row)) if row.is_dead => Tri::No(format!("process {} has ended", self.pid)),
            Ok(Some(_)) => Tri::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_itself_and_alive() {
        let me = ProcessIdentity::of(std::process::id()).expect("this process exists");
        assert_eq!(me.is_alive(), Tri::Yes);
    }

    #[test]
    fn the_same_number_with_another_start_or_boot_is_somebody_else() {
        let me = ProcessIdentity::of(std::process::id()).expect("this process exists");
        let later = ProcessIdentity {
            start: me.start + 1,
            ..me.clone()
        };
        let before = ProcessIdentity {
            boot: "an earlier boot".into(),
            ..me
        };
        assert!(matches!(later.is_alive(), Tri::No(_)));
        assert!(matches!(before.is_alive(), Tri::No(_)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_may_open_no_more_files_cannot_say_that_a_process_is_gone_or_the_machine_was_started_again() {
        let name = "process::identity::tests::who_may_open_no_more_files_cannot_say_that_a_process_is_gone_or_the_machine_was_started_again";
        super::super::scarcity::with_descriptors(name, 0, |all_held| {
            let mut me = ProcessIdentity {
                pid: std::process::id(),
                start: 0,
                boot: "an earlier boot".into(),
            };
            assert!(matches!(me.is_alive(), Tri::Unknown(_)), "{:?}", me.is_alive());
            assert!(!me.is_from_before_restart());
            drop(all_held);
            assert!(matches!(me.is_alive(), Tri::No(_)), "{:?}", me.is_alive());
            assert!(me.is_from_before_restart());
            me = ProcessIdentity::of(me.pid).expect("this process exists");
            let all_held = super::super::scarcity::hold_all();
            assert!(matches!(me.is_alive(), Tri::Unknown(_)), "{:?}", me.is_alive());
            assert!(!me.is_from_before_restart(), "which boot it is was read before");
            drop(all_held);
            assert_eq!(me.is_alive(), Tri::Yes);
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_zombie_is_dead_but_still_known_to_its_parent() {
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = std::process::Command::new("sh")
            .args(["-c", "exit 3"])
            .spawn()
            .expect("sh starts");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !table::process(child.id())
            .expect("readable")
            .is_some_and(|row| row.is_dead)
        {
            assert!(std::time::Instant::now() < deadline, "the child never ended");
            std::thread::yield_now();
        }
        assert_eq!(ProcessIdentity::of(child.id()), None);
        let known = ProcessIdentity::of_own_child(child.id()).expect("not collected yet");
        assert!(matches!(known.is_alive(), Tri::No(_)));
        assert_eq!(child.wait().expect("collected").code(), Some(3));
        assert!(matches!(known.is_alive(), Tri::No(_)));
    }
}
