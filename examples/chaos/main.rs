//! Kills processes of a project at random, again and again, and then checks that nothing was lost, done twice or left behind: `cargo run
//! --release --example chaos -- --seed 1 --kills 1000`. It uses the built `dbs` beside it, and it kills only processes that it started
//! itself, in a folder of its own. Prints the figures of `docs/reliability.md`.
#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::disallowed_methods,
        reason = "prints for a person, starts and kills programs, waits"
    )
)]

#[cfg(target_os = "linux")]
#[path = "campaign.rs"]
mod campaign;
#[cfg(target_os = "linux")]
#[path = "checker.rs"]
mod checker;
#[cfg(target_os = "linux")]
#[path = "faults.rs"]
mod faults;
#[cfg(target_os = "linux")]
#[path = "limits.rs"]
mod limits;
#[cfg(target_os = "linux")]
#[path = "memory.rs"]
mod memory;
#[cfg(target_os = "linux")]
#[path = "project.rs"]
mod project;
#[cfg(target_os = "linux")]
#[path = "tricks.rs"]
mod tricks;
#[cfg(target_os = "linux")]
#[path = "victims.rs"]
mod victims;
#[cfg(target_os = "linux")]
#[path = "volume.rs"]
mod volume;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    campaign::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
