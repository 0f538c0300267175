//! Starting the server as a process of its own, out of the life of the terminal it was started from.
#![expect(
    clippy::disallowed_methods,
    reason = "starts this program again, as the server and as the demo"
)]

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::adapters::patience::Patience;
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;

/// How the server ends when another process has the project: the starter waits for that one, or tries again.
pub const TAKEN: u8 = 75;

/// Starts a server unless one runs, and waits until it listens.
///
/// # Errors
/// What the server said, when it ended at once; for people.
pub fn ensure_server(edge: &Edge, place: &Place) -> Result<(), String> {
    if Door::to(place.clone())?.is_live() {
        return Ok(());
    }
    start_server(edge, place)
}

/// Plays the demo in this terminal, and waits for its end.
///
/// # Errors
/// When it could not be started, or failed; for people.
pub fn play_demo(edge: &Edge) -> Result<(), String> {
    let played = Command::new(&edge.program)
        .arg("demo")
        .env_clear()
        .envs(edge.environment.iter().cloned())
        .status()
        .map_err(|error| format!("could not start the demo: {error}"))?;
    if played.success() {
        Ok(())
    } else {
        Err(format!("could not play the demo to its end: {played}"))
    }
}

/// Starts a server and waits until it listens, or until it has said why it cannot. One that is being started by somebody else
/// serves as well.
///
/// # Errors
/// What the server said.
pub fn start_server(edge: &Edge, place: &Place) -> Result<(), String> {
    let patience = Patience::begin();
    loop {
        match try_start(edge, place, &patience)? {
            Started::Listens => return Ok(()),
            Started::Taken(why) if patience.is_over() => return Err(why),
            Started::Taken(_) => patience.wait(),
        }
    }
}

/// What became of a server that was started.
enum Started {
    /// It, or another one, listens.
    Listens,
    /// Another process has the project, and does not listen (yet); what the server said.
    Taken(String),
}

fn try_start(edge: &Edge, place: &Place, patience: &Patience) -> Result<Started, String> {
    let said = place.logs.join("start.log");
    let mut child = spawn(edge, place, &said)?;
    loop {
        let ended = child
            .try_wait()
            .map_err(|error| format!("could not look at the server: {error}"))?;
        // Asked after the look at the child: when that one has ended, another one may have been faster.
        if Door::to(place.clone())?.is_live() {
            return Ok(Started::Listens);
        }
        if let Some(status) = ended {
            let why = last_words(&said, status);
            return match status.code() {
                Some(code) if code == i32::from(TAKEN) => Ok(Started::Taken(why)),
                _ => Err(why),
            };
        }
        if patience.is_over() {
            return Err(format!(
                "could not reach the server that was started; see {}",
                place.logs.display()
            ));
        }
        patience.wait();
    }
}

fn spawn(edge: &Edge, place: &Place, said: &Path) -> Result<Child, String> {
    let file = std::fs::File::create(said)
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
    command
        .spawn()
        .map_err(|error| format!("could not start {}: {error}", edge.program.display()))
}

fn last_words(said: &Path, status: ExitStatus) -> String {
    let text = std::fs::read_to_string(said).unwrap_or_default();
    let text = text.trim();
    if text.is_empty() {
        format!("the server ended at once ({status})")
    } else {
        text.replace("dbs: ", "")
    }
}
