//! Project of the campaign: a repository with an origin, a home, and `dbs` beside it. Its agents record their actions outside of the
//! project, so that the checker need not trust the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::campaign::Random;
use crate::faults::wait_for;
use crate::tricks::{self, AGENT};
use crate::victims::{self, Victim};
use crate::volume::{Disk, Volume};

/// Longest time that a server may take to listen.
const START_LIMIT: Duration = Duration::from_mins(1);
/// Longest time that killed processes may take to be gone.
const GONE_LIMIT: Duration = Duration::from_secs(20);
/// Largest number of bytes of a raw log that a power cut loses if the campaign has no disk of its own.
const LOST_TAIL: u64 = 4096;

/// Numbers of tasks by state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) done: u64,
    pub(crate) open: u64,
}

/// Project with the server that runs for it.
pub(crate) struct Project {
    /// Disk of the campaign; it must be dropped before the folder it is in.
    volume: Option<Volume>,
    folder: Option<TempDir>,
    root: PathBuf,
    program: PathBuf,
    server: Option<Child>,
    tasks: u64,
}

impl Project {
    /// Creates a new project. `keep` leaves its folder behind; the project is on a disk of its own if one is wanted and can be mounted.
    pub(crate) fn new(keep: bool, disk: Disk) -> Result<Project, String> {
        let folder = tempfile::Builder::new()
            .prefix("dbs-chaos-")
            .tempdir()
            .map_err(|error| error.to_string())?;
        let root = folder.path().canonicalize().map_err(|error| error.to_string())?;
        let folder = if keep {
            println!("kept in {}", folder.keep().display());
            None
        } else {
            Some(folder)
        };
        let volume = (disk == Disk::Own)
            .then(|| Volume::new(&root, keep))
            .and_then(|made| {
                made.inspect_err(|why| {
                    println!("no disk of its own, so power cuts and full disks are imitated: {why}");
                })
                .ok()
            });
        let project = Project {
            volume,
            folder,
            program: program()?,
            root,
            server: None,
            tasks: 0,
        };
        project.prepare().map_err(|error| error.to_string())?;
        Ok(project)
    }

    fn prepare(&self) -> std::io::Result<()> {
        for name in ["home", "tmp", "project"] {
            fs::create_dir_all(self.disk().join(name))?;
        }
        for name in ["run", "notes/tricks", "notes/taken"] {
            fs::create_dir_all(self.root.join(name))?;
        }
        fs::set_permissions(
            self.root.join("run"),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )?;
        let notes = self.notes().display().to_string();
        let agent = self.root.join("agent.sh");
        fs::write(&agent, AGENT.replace("NOTES", &notes))?;
        fs::write(self.checkout().join("README.md"), "hello\n")?;
        let origin = self.origin().display().to_string();
        self.git(&self.root, &["init", "-q", "--bare", "-b", "main", &origin]);
        for step in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Chaos"],
            &["config", "user.email", "chaos@example.org"],
            &["remote", "add", "origin", &origin],
            &["add", "README.md"],
            &["commit", "-q", "-m", "First"],
            &["push", "-q", "origin", "main"],
        ] {
            self.git(&self.checkout(), step);
        }
        self.dbs(&["init"]);
        for (key, value) in [
            ("base_branch", "main"),
            ("roles.default.agent", "custom"),
            ("roles.default.command", &format!("sh {}", agent.display())),
            // The campaign's disk is small.
            ("disk.min_free", "1GiB"),
            ("limits.linger", "1"),
            ("limits.crash_backoff", "1"),
            ("limits.infra_backoff", "1"),
        ] {
            self.dbs(&["config", key, value]);
        }
        // The repository is older than any power cut, so it is synced.
        nix::unistd::sync();
        Ok(())
    }

    /// Returns the root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that loses data in a power cut. The origin and the agents' records are elsewhere, as on another machine.
    pub(crate) fn disk(&self) -> PathBuf {
        self.root.join("disk")
    }

    /// Returns the campaign's own disk.
    pub(crate) fn volume(&self) -> Option<&Volume> {
        self.volume.as_ref()
    }

    pub(crate) fn checkout(&self) -> PathBuf {
        self.disk().join("project")
    }

    pub(crate) fn origin(&self) -> PathBuf {
        self.root.join("origin.git")
    }

    /// Returns the folder of the agents' records.
    pub(crate) fn notes(&self) -> PathBuf {
        self.root.join("notes")
    }

    /// Returns the number of tasks made so far.
    pub(crate) fn tasks(&self) -> u64 {
        self.tasks
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.disk().join("home"))
            .env("XDG_RUNTIME_DIR", self.root.join("run"))
            .env("TMPDIR", self.disk().join("tmp"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// Runs git in that folder; returns its output, or an empty string if it failed.
    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self
            .command(Path::new("git"))
            .args(arguments)
            .current_dir(folder)
            .output();
        let good = output.ok().filter(|output| output.status.success());
        good.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default()
    }

    /// Runs git in that folder; returns whether it worked, and all its output.
    pub(crate) fn try_git(&self, folder: &Path, arguments: &[&str]) -> (bool, String) {
        match self
            .command(Path::new("git"))
            .args(arguments)
            .current_dir(folder)
            .output()
        {
            Ok(output) => (output.status.success(), printed(&output)),
            Err(error) => (false, error.to_string()),
        }
    }

    /// Runs a command of the program; returns whether it worked, and its output.
    pub(crate) fn dbs(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = self.command(&self.program);
        match command.args(arguments).current_dir(self.checkout()).output() {
            Ok(output) => (
                output.status.success(),
                String::from_utf8_lossy(&output.stdout).into_owned(),
            ),
            Err(error) => (false, error.to_string()),
        }
    }

    /// Starts a server unless one is running.
    pub(crate) fn start_server(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + START_LIMIT;
        loop {
            let ended = self
                .server
                .as_mut()
                .is_none_or(|server| !matches!(server.try_wait(), Ok(None)));
            if ended {
                let mut command = self.command(&self.program);
                command.arg("server").current_dir(self.checkout());
                let said =
                    fs::File::create(self.root.join("server.log")).map_err(|error| error.to_string())?;
                command.stdout(Stdio::null()).stderr(said);
                self.server = Some(command.spawn().map_err(|error| error.to_string())?);
            }
            if self.status().get("live") == Some(&Value::Bool(true)) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("no server listens\n{}", self.logs()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills everything and loses all unsynced data, including what a start of the machine always clears.
    pub(crate) fn cut_power(&mut self, random: &mut Random) -> Result<(), String> {
        let all_gone = wait_for(GONE_LIMIT, || victims::kill(self, Victim::All, random) == 0);
        if !all_gone {
            return Err("could not cut the power: processes that were killed live on".to_owned());
        }
        if let Some(mut server) = self.server.take() {
            drop(server.wait());
        }
        match &self.volume {
            Some(volume) => volume.cut_power()?,
            None => cut_tails(&self.checkout().join(".git/dbs/attempts"), random),
        }
        for entry in fs::read_dir(self.root.join("run"))
            .into_iter()
            .flatten()
            .flatten()
        {
            // The entry is a folder or a socket; if it cannot be removed, it stays as if it had been made again.
            drop(fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path())));
        }
        Ok(())
    }

    fn status(&self) -> Value {
        serde_json::from_str(&self.dbs(&["status", "--json"]).1).unwrap_or_default()
    }

    pub(crate) fn counts(&self) -> Counts {
        let status = self.status();
        let counts = status
            .get("counts")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let mut sum = Counts::default();
        for (state, count) in counts {
            let count = count.as_u64().unwrap_or_default();
            if state == "done" {
                sum.done += count;
            } else {
                sum.open += count;
            }
        }
        sum
    }

    /// Creates tasks until that many are open, and retries held tasks.
    pub(crate) fn keep_work(&mut self, open: u64) -> Result<(), String> {
        if self.counts().open >= open / 2 {
            return Ok(());
        }
        self.retry_held();
        for _ in 0..open / 2 {
            let id = format!("t-{}", self.tasks + 1);
            let title = format!("Task {id}");
            let words = ["task", "create", &title, "--id", &id, "--release"];
            // If the command was killed before it answered, the task may exist anyway.
            let made = self.dbs(&words).0 || self.dbs(&["task", "show", &id]).0 || self.dbs(&words).0;
            if !made {
                return Err(format!("could not make {id}\n{}", self.logs()));
            }
            self.tasks += 1;
        }
        Ok(())
    }

    /// Retries every task that waits for a person, after cleaning up what a person would clean up.
    pub(crate) fn retry_held(&self) {
        tricks::put_away(self);
        let tasks: Value = serde_json::from_str(&self.dbs(&["task", "list", "--json"]).1).unwrap_or_default();
        for task in tasks.as_array().into_iter().flatten() {
            let state = task.get("state").map(Value::to_string).unwrap_or_default();
            let id = task.get("id").and_then(Value::as_str).unwrap_or_default();
            // Some states are words, and some are objects that hold the reason.
            if state.contains("held") || state.contains("failed") {
                self.dbs(&["retry", id]);
            }
        }
    }

    /// Stops server and agents.
    pub(crate) fn stop(&mut self) -> (bool, String) {
        let stopped = self.dbs(&["stop", "--all"]);
        if let Some(mut server) = self.server.take() {
            drop(server.wait());
        }
        stopped
    }

    /// Returns the end of the servers' logs, for a report.
    pub(crate) fn logs(&self) -> String {
        let (_, log) = self.dbs(&["logs"]);
        let said = fs::read_to_string(self.root.join("server.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let end = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
        format!(
            "{}\n{said}\n{}{}",
            end.join("\n"),
            self.dbs(&["status"]).1,
            self.unfinished()
        )
    }
}

impl Project {
    /// Returns the details of a few unfinished tasks.
    fn unfinished(&self) -> String {
        let tasks = (1..=self.tasks).map(|number| self.dbs(&["task", "show", &format!("t-{number}")]).1);
        let open = tasks.filter(|shown| !shown.lines().take(3).any(|line| line.contains("done")));
        let ends = open.take(4).map(|shown| {
            let lines: Vec<&str> = shown.lines().collect();
            let end = lines.get(lines.len().saturating_sub(20)..).unwrap_or_default();
            format!("\n{}\n{}\n", lines.first().unwrap_or(&""), end.join("\n"))
        });
        ends.collect()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if self.folder.is_some() {
            self.stop();
            // A disk in use cannot be unmounted.
            wait_for(GONE_LIMIT, || {
                victims::kill(self, Victim::All, &mut Random::new(1)) == 0
            });
        }
    }
}

/// Cuts the end off every raw log, because raw logs are not synced at once.
fn cut_tails(attempts: &Path, random: &mut Random) {
    for attempt in fs::read_dir(attempts).into_iter().flatten().flatten() {
        for file in fs::read_dir(attempt.path().join("tty"))
            .into_iter()
            .flatten()
            .flatten()
        {
            if file.path().extension().is_some_and(|ending| ending == "log") {
                let length = file.metadata().map_or(0, |facts| facts.len());
                let rest = length.saturating_sub(random.below(LOST_TAIL));
                let opened = fs::OpenOptions::new().write(true).open(file.path());
                // The log may have been packed and removed meanwhile.
                drop(opened.and_then(|raw| raw.set_len(rest)));
            }
        }
    }
}

/// Returns the program built beside this example.
fn program() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let found = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("dbs"))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        format!(
            "there is no dbs near {}: build it in the same profile first",
            own.display()
        )
    })
}

fn printed(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}
