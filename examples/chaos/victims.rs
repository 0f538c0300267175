//! Victims of kills, found by the project's folder in their environment or among their open files.

use std::fs;
use std::path::Path;

use nix::sys::signal::{Signal, kill as send};
use nix::unistd::Pid;

use crate::campaign::Random;
use crate::project::Project;

/// Kind of process of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Victim {
    Server,
    Holder,
    Agent,
    Git,
    /// All processes at once, as when the machine stops.
    All,
}

impl Victim {
    /// Returns the name that the report uses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Victim::Server => "server",
            Victim::Holder => "holder",
            Victim::Agent => "agent",
            Victim::Git => "git",
            Victim::All => "everything",
        }
    }

    fn is(self, process: &Process) -> bool {
        let words: Vec<&str> = process.command.split('\0').collect();
        let program = words
            .first()
            .and_then(|path| path.rsplit('/').next())
            .unwrap_or_default();
        let verb = words.get(1).copied().unwrap_or_default();
        match self {
            Victim::Server => program == "dbs" && verb == "server",
            Victim::Holder => program == "dbs" && verb == "hold",
            Victim::Agent => program == "sh" && process.command.contains("agent.sh"),
            Victim::Git => program.starts_with("git"),
            Victim::All => true,
        }
    }
}

/// Process of the project.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    /// Command-line words, each followed by a zero byte.
    pub(crate) command: String,
}

/// Returns true if a process has a file below that folder open: a holder's environment does not name the folder.
fn has_open(process: &Path, folder: &str) -> bool {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| target.starts_with(folder))
}

/// Returns every living process that belongs to the project.
pub(crate) fn processes(project: &Project) -> Vec<Process> {
    let folder = project.root().to_string_lossy().into_owned();
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let found = all.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let command = fs::read(entry.path().join("cmdline")).ok()?;
        let is_ours =
            || String::from_utf8_lossy(&environment).contains(&folder) || has_open(&entry.path(), &folder);
        // A zombie has no command line any more.
        let belongs = !command.is_empty() && is_ours();
        belongs.then(|| Process {
            pid,
            command: String::from_utf8_lossy(&command).into_owned(),
        })
    });
    found.collect()
}

/// Returns every living process of that kind.
pub(crate) fn find(project: &Project, victim: Victim) -> Vec<Process> {
    let mut found = processes(project);
    found.retain(|process| victim.is(process));
    found
}

/// Kills one process of that kind, or everything; returns how many were killed.
pub(crate) fn kill(project: &Project, victim: Victim, random: &mut Random) -> usize {
    let mut found = find(project, victim);
    if victim != Victim::All {
        let count = u64::try_from(found.len()).unwrap_or_default();
        let chosen = usize::try_from(random.below(count)).unwrap_or_default();
        found = found.get(chosen).cloned().into_iter().collect();
    }
    let killed = found
        .iter()
        .filter(|process| send(Pid::from_raw(process.pid), Signal::SIGKILL).is_ok());
    killed.count()
}
