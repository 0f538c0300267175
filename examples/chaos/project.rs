//! A project of its own: a repository with an origin, a home, and `dbs` beside it. Its agents write down what they do outside of
//! the project, so that the checker need not believe the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long a server may take to listen.
const START_LIMIT: Duration = Duration::from_mins(1);

/// What an agent does. It notes each start and each commit before anybody else knows of them.
const AGENT: &str = r#"set -e
echo "$DBS_ATTEMPT $DBS_ROLE $DBS_TASK" >>NOTES/starts
"$DBS_PROGRAM" signal claim
sleep 0.3
if [ "$DBS_ROLE" = developer ]; then
  mkdir -p work
  echo "$DBS_TASK" >"work/$DBS_TASK.txt"
  git add work
  git diff --cached --quiet || git commit -qm "[$DBS_TASK] Work"
  echo "$(git rev-parse HEAD) $DBS_TASK" >>NOTES/commits
  git push -q origin HEAD
  sleep 0.3
fi
"$DBS_PROGRAM" signal done "Finished."
"#;

/// How many tasks are in which state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) done: u64,
    pub(crate) open: u64,
}

/// The project and the server that runs for it.
pub(crate) struct Project {
    folder: Option<TempDir>,
    root: PathBuf,
    program: PathBuf,
    server: Option<Child>,
    tasks: u64,
}

impl Project {
    /// A fresh project; `keep` leaves its folder behind.
    pub(crate) fn new(keep: bool) -> Result<Project, String> {
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
        let project = Project {
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
        for name in ["home", "run", "tmp", "project", "notes"] {
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
            ("limits.linger", "1"),
            ("limits.crash_backoff", "1"),
            ("limits.infra_backoff", "1"),
        ] {
            self.dbs(&["config", key, value]);
        }
        Ok(())
    }

    /// Folder of everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn checkout(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn origin(&self) -> PathBuf {
        self.root.join("origin.git")
    }

    /// What agents wrote down.
    pub(crate) fn notes(&self) -> PathBuf {
        self.root.join("notes")
    }

    /// Tasks made so far.
    pub(crate) fn tasks(&self) -> u64 {
        self.tasks
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.root.join("home"))
            .env("XDG_RUNTIME_DIR", self.root.join("run"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// Runs git there; what it printed, nothing where it failed.
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

    /// Runs git there; whether it worked, and all it printed.
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

    /// Runs a command of the program; what it printed and whether it worked.
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

    /// Starts a server unless one answers.
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

    /// Makes tasks until so many are open, and takes up again what is held.
    pub(crate) fn keep_work(&mut self, open: u64) -> Result<(), String> {
        if self.counts().open >= open / 2 {
            return Ok(());
        }
        self.retry_held();
        for _ in 0..open / 2 {
            let id = format!("t-{}", self.tasks + 1);
            let title = format!("Task {id}");
            let words = ["task", "create", &title, "--id", &id, "--release"];
            // Killed before it answered: it may have been made all the same.
            let made = self.dbs(&words).0 || self.dbs(&["task", "show", &id]).0 || self.dbs(&words).0;
            if !made {
                return Err(format!("could not make {id}\n{}", self.logs()));
            }
            self.tasks += 1;
        }
        Ok(())
    }

    /// Takes up again every task that waits for a person.
    pub(crate) fn retry_held(&self) {
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

    /// The end of what the servers wrote down, for a report.
    pub(crate) fn logs(&self) -> String {
        let (_, log) = self.dbs(&["logs"]);
        let said = fs::read_to_string(self.root.join("server.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let end = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
        format!("{}\n{said}\n{}", end.join("\n"), self.dbs(&["status"]).1)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if self.folder.is_some() {
            self.stop();
        }
    }
}

/// The program built beside this example.
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
