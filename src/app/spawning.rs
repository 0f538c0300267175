//! Starting the server as a process of its own, out of the life of the terminal it was started from.
#![expect(
    clippy::disallowed_methods,
    reason = "starts this program again as the server"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::door::Door;
use super::edge::Edge;
use super::place::Place;

/// How long a server may take until it listens.
const PATIENCE: Duration = Duration::from_secs(15);

/// Starts a server unless one runs, and waits until it listens.
///
/// # Errors
/// What the server said, when it ended at once; for people.
pub fn ensure_server(edge: &Edge, place: &Place) -> Result<(), String> {
    if Door::to(place.clone())?.is_live() {
        return Ok(());
    }
    start_server(edge, place)?;
    Ok(())
}

/// Starts a server and waits until it listens, or until it has said why it cannot.
///
/// # Errors
/// What the server said.
pub fn start_server(edge: &Edge, place: &Place) -> Result<(), String> {
    let said = place.logs.join("start.log");
    let file = std::fs::File::create(&said)
        .map_err(|error| format!("could not write {}: {error}", said.display()))?;
    let mut command = Command::new(&edge.program);
    command
        .arg("server")
        .current_dir(&place.root)
        .env_clear()
        .envs(edge.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .map_err(|error| format!("could not start {}: {error}", edge.program.display()))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if Door::to(place.clone())?.is_live() {
            return Ok(());
        }
        let ended = child
            .try_wait()
            .map_err(|error| format!("could not look at the server: {error}"))?;
        if let Some(status) = ended {
            // Another one may have been faster.
            if Door::to(place.clone())?.is_live() {
                return Ok(());
            }
            let text = std::fs::read_to_string(&said).unwrap_or_default();
            let text = text.trim();
            return Err(if text.is_empty() {
                format!("the server ended at once ({status})")
            } else {
                text.replace("dbs: ", "")
            });
        }
        if Instant::now() >= deadline {
            return Err(format!(
                "could not reach the server that was started; see {}",
                place.logs.display()
            ));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until no server listens any more.
///
/// # Errors
/// When it does not end.
pub fn wait_until_gone(place: &Place) -> Result<(), String> {
    let deadline = Instant::now() + PATIENCE;
    while Door::to(place.clone()).is_ok_and(|door| door.is_live()) {
        if Instant::now() >= deadline {
            return Err("could not end the server: it still answers".to_owned());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
