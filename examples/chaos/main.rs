//! Kills what a project consists of, at random, again and again, and then looks whether anything was lost, done twice or left
//! behind: `cargo run --release --example chaos -- --seed 1 --kills 1000`. It uses the built `dbs` beside it; every process it
//! kills was started by itself, in a folder of its own. Prints the figures of `docs/reliability.md`.
#![cfg_attr(
    unix,
    expect(
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::disallowed_methods,
        reason = "prints for a person, starts and kills programs, waits"
    )
)]

#[cfg(unix)]
#[path = "campaign.rs"]
mod campaign;
#[cfg(unix)]
#[path = "checker.rs"]
mod checker;
#[cfg(unix)]
#[path = "faults.rs"]
mod faults;
#[cfg(unix)]
#[path = "limits.rs"]
mod limits;
#[cfg(unix)]
#[path = "memory.rs"]
mod memory;
#[cfg(unix)]
#[path = "project.rs"]
mod project;
#[cfg(unix)]
#[path = "tricks.rs"]
mod tricks;
#[cfg(unix)]
#[path = "victims.rs"]
mod victims;
#[cfg(unix)]
#[path = "volume.rs"]
mod volume;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    campaign::main()
}

#[cfg(not(unix))]
fn main() {}
