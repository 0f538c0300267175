//! The store with real files: turns, recovery, refusals, races, power cuts.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is a failed test")]

#[path = "store/backups.rs"]
mod backups;
#[path = "store/boards.rs"]
mod boards;
#[path = "store/child.rs"]
mod child;
#[path = "store/crashes.rs"]
mod crashes;
#[path = "store/damage.rs"]
mod damage;
#[path = "store/earlier.rs"]
mod earlier;
#[cfg(target_os = "linux")]
#[path = "store/full_disk.rs"]
mod full_disk;
#[path = "store/golden.rs"]
mod golden;
#[path = "store/intents.rs"]
mod intents;
#[path = "store/locking.rs"]
mod locking;
#[path = "store/refusals.rs"]
mod refusals;
#[path = "store/repairing.rs"]
mod repairing;
#[path = "store/replaying.rs"]
mod replaying;
#[cfg(target_os = "linux")]
#[path = "support/small_disk.rs"]
mod small_disk;
#[path = "store/turns.rs"]
mod turns;
#[cfg(unix)]
#[path = "store/vanished.rs"]
mod vanished;
