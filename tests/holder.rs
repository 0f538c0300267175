//! Holders with real terminals and real programs: nothing is lost and nothing is left, whichever process dies. Conditions have deadlines;
//! there are no sleeps.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "tests start processes and measure time")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "what a test needs and does not find fails it"
)]
#![expect(clippy::indexing_slicing, reason = "so does an index out of bounds")]

#[path = "holder/bench.rs"]
mod bench;
#[path = "holder/disk.rs"]
mod disk;
#[path = "holder/ending.rs"]
mod ending;
#[path = "holder/floods.rs"]
mod floods;
#[cfg(target_os = "linux")]
#[path = "holder/keeping.rs"]
mod keeping;
#[path = "holder/launching.rs"]
mod launching;
#[path = "holder/origins.rs"]
mod origins;
#[path = "holder/output.rs"]
mod output;
#[path = "support/polling.rs"]
mod polling;
#[cfg(target_os = "linux")]
#[path = "support/small_disk.rs"]
mod small_disk;
#[path = "holder/suspending.rs"]
mod suspending;
