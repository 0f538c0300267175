//! Starts of this program as a process of its own.
#![expect(
    clippy::disallowed_methods,
    reason = "starts this program again, as the server and as the demo"
)]

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Starts the server of a project, independent of this terminal; what it prints goes to `output`.
pub fn spawn_server<'a>(
    program: &Path,
    root: &Path,
    environment: impl Iterator<Item = (&'a OsString, &'a OsString)>,
    output: File,
) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.arg("server").current_dir(root);
    command.env_clear().envs(environment);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
    command.spawn()
}

/// Plays the demo in this terminal, and waits for its end.
pub fn play_demo(program: &Path, environment: &[(OsString, OsString)]) -> io::Result<ExitStatus> {
    let mut command = Command::new(program);
    command.arg("demo").env_clear().envs(environment.iter().cloned());
    command.status()
}
