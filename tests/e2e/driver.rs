//! Driver of the stories: a project with a bare origin, the program run beside it, conditions with a deadline. At the end everything is
//! stopped, and a process that is left over fails the story.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the program, reads PATH, waits with deadlines"
)]

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use dbs::adapters::project::{Project, RuntimeDirs};
use dbs::cli::board_access::BoardAccess;
use dbs::config::process_env::ProcessEnv;
use dbs::config::project_paths::ProjectPaths;
use dbs::protocol::query::{Answer, OutputFormat, Query, Report};
use dbs::protocol::wire::ServerCall;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::polling::holds_within;
use crate::publishing::publish;
use crate::work_folder::work_folder;

/// Deadline of conditions, far longer than anything takes on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);
/// Deadline of a command, also of one that waits for the end of a plan.
const LONGEST_COMMAND: Duration = PATIENCE.saturating_mul(2);
/// Deadline for the end of all processes of a story.
const LONGEST_END: Duration = Duration::from_secs(20);
/// Returns the temporary folder if its path is short, otherwise `/tmp`: paths of sockets have a length limit.
fn short_temp_dir() -> PathBuf {
    const LONGEST: usize = 16;
    let own = work_folder();
    if own.as_os_str().len() <= LONGEST {
        own
    } else {
        PathBuf::from("/tmp")
    }
}

/// A home, a runtime folder, a project whose agents play `scenario.toml`, and its bare origin.
pub(crate) struct Story {
    folder: TempDir,
}

impl Story {
    /// Makes a project whose agents play the given parts.
    pub(crate) fn new(scenario: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("dbs-e2e-")
            .tempdir_in(short_temp_dir());
        let story = Self {
            folder: folder.unwrap(),
        };
        for name in ["home", "run", "tmp", "project/.debussy"] {
            fs::create_dir_all(story.root().join(name)).unwrap();
        }
        fs::set_permissions(
            story.root().join("run"),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .unwrap();
        // Otherwise git checks after each commit and push whether to run maintenance, and packing a large file takes seconds.
        let settings = "[maintenance]\n\tauto = false\n[core]\n\tcompression = 0\n";
        fs::write(story.root().join("gitconfig"), settings).unwrap();
        let (scenario_file, project) = (story.root().join("scenario.toml"), story.project());
        fs::write(&scenario_file, scenario).unwrap();
        let config = format!(
            "base_branch = \"work\"\nmax_total_agents = 4\nlayout = \"classic\"\n[roles.default]\nagent = \"rehearsal\"\n[rehearsal]\nscenario = \"{}\"\n\
             [disk]\nmin_free = 0\n[limits]\nstarts_per_turn = 4\nlinger = 1\ncrash_backoff = 1\ninfra_backoff = 1\n",
            scenario_file.display()
        );
        fs::write(project.join(".debussy/config.toml"), config).unwrap();
        fs::write(project.join("README.md"), "hello\n").unwrap();
        story.make_repositories();
        story.trust();
        story
    }

    /// Makes a repository with one commit on two branches, and an origin that has both. Every story needs them, so files are copied instead
    /// of starting a dozen git programs.
    fn make_repositories(&self) {
        let (project, origin) = (self.project(), self.origin());
        let place = origin.to_str().unwrap();
        self.git(
            &self.root(),
            &["init", "-q", "--template=", "--bare", "-b", "main", place],
        );
        self.git(&project, &["init", "-q", "--template=", "-b", "main"]);
        let own = project.join(".git");
        let mut config = fs::OpenOptions::new()
            .append(true)
            .open(own.join("config"))
            .unwrap();
        write!(
            config,
            "[user]\n\tname = Story\n\temail = story@example.org\n\
             [remote \"origin\"]\n\turl = {place}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
        )
        .unwrap();
        self.git(&project, &["add", "README.md"]);
        self.git(&project, &["commit", "-q", "-m", "First"]);
        fs::copy(own.join("refs/heads/main"), own.join("refs/heads/work")).unwrap();
        publish(&own, &origin);
    }

    /// Folder of the whole story.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The main checkout.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Folder of the worktrees of agents.
    pub(crate) fn worktrees(&self) -> PathBuf {
        self.root().join("project.dbs")
    }

    /// The bare repository.
    pub(crate) fn origin(&self) -> PathBuf {
        self.root().join("origin.git")
    }

    /// Adds to the project's settings, and trusts them.
    pub(crate) fn configure(&self, text: &str) {
        let file = self.project().join(".debussy/config.toml");
        let before = fs::read_to_string(&file).unwrap();
        self.write_settings(&(before + text));
    }

    /// Writes the project's settings, and trusts them.
    pub(crate) fn write_settings(&self, text: &str) {
        fs::write(self.project().join(".debussy/config.toml"), text).unwrap();
        self.trust();
    }

    /// Removes the project's settings, as before any were set; returns what they were.
    pub(crate) fn remove_settings(&self) -> String {
        let file = self.project().join(".debussy/config.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::remove_file(&file).unwrap();
        self.dbs(&["trust", "--forget"]);
        text
    }

    /// Trusts what the project's files would start, as a person does: by the hash that the program shows.
    pub(crate) fn trust(&self) {
        self.trust_in(&self.project());
    }

    /// Trusts what the files of a project in that folder would start.
    pub(crate) fn trust_in(&self, folder: &Path) {
        let env = self.env(folder);
        let place = ProjectPaths::find(folder, &env).unwrap();
        place.prepare().unwrap();
        place.trust.trust(&place.trust.look().listing.hash()).unwrap();
        let mut board = BoardAccess::open_project(place).unwrap();
        let call = ServerCall::Reload { by: env.author() };
        board.call(call).unwrap();
    }

    /// Folder of an attempt.
    pub(crate) fn attempt(&self, number: u64) -> PathBuf {
        self.state().join(format!("attempts/{number}"))
    }

    /// The folder of the project's state, as the program finds it.
    pub(crate) fn state(&self) -> PathBuf {
        Project::find(&self.project()).unwrap().dbs()
    }

    /// The program, not yet started.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = self.outside(env!("CARGO_BIN_EXE_dbs"));
        command.args(arguments).current_dir(self.project());
        command
    }

    /// Any other program with the story's environment, not yet started.
    pub(crate) fn outside(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).stdin(Stdio::null());
        command
    }

    /// Complete environment of the processes that a story starts.
    fn environment(&self) -> [(&'static str, OsString); 9] {
        let in_root = |name: &str| self.root().join(name).into_os_string();
        [
            ("PATH", std::env::var_os("PATH").unwrap()),
            ("HOME", in_root("home")),
            ("XDG_RUNTIME_DIR", in_root("run")),
            ("TMPDIR", in_root("tmp")),
            ("GIT_CONFIG_GLOBAL", in_root("gitconfig")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("LANG", "C.UTF-8".into()),
            ("USER", "story".into()),
            ("SHELL", "/bin/sh".into()),
        ]
    }

    /// Environment that the program would find, for work that is done without starting it.
    fn env(&self, folder: &Path) -> ProcessEnv {
        let environment = self.environment().map(|(name, value)| (name.into(), value));
        ProcessEnv {
            program: env!("CARGO_BIN_EXE_dbs").into(),
            folder: folder.to_owned(),
            environment: environment.to_vec(),
            given_path: None,
            theme: None,
            runtime: RuntimeDirs {
                runtime: Some(self.root().join("run")),
                temporary: self.root().join("tmp"),
                user: nix::unistd::getuid().as_raw(),
            },
        }
    }

    /// Runs a command of the program to its end, whatever its exit code. A command that never ends fails the story.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.program(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.unwrap();
        let process = Pid::from_raw(i32::try_from(child.id()).unwrap());
        std::thread::scope(|scope| {
            let (ended, end) = sync_channel(1);
            let waiting = scope.spawn(move || {
                let output = child.wait_with_output().unwrap();
                drop(ended);
                output
            });
            let is_late = end.recv_timeout(LONGEST_COMMAND) == Err::<(), _>(RecvTimeoutError::Timeout);
            if is_late {
                kill(process, Signal::SIGKILL).ok();
            }
            let output = waiting.join().unwrap();
            assert!(
                !is_late,
                "dbs {arguments:?} did not end: {}\n{}",
                said(&output),
                self.log_ends()
            );
            output
        })
    }

    /// Runs a command of the program, which must succeed; returns what it printed.
    pub(crate) fn dbs(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(
            output.status.success(),
            "dbs {arguments:?}: {}\n{}",
            said(&output),
            self.logs()
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts a server that dies with the test at the latest.
    pub(crate) fn server(&self) -> Server {
        let said = fs::File::create(self.root().join("server.log")).unwrap();
        let mut command = self.program(&["server"]);
        Server(command.stdout(Stdio::null()).stderr(said).spawn().unwrap())
    }

    /// Starts a server for the project in the given folder.
    pub(crate) fn server_in(&self, folder: &Path) -> Server {
        let mut command = self.program(&["server"]);
        command
            .env("PATH", with_program())
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Server(command.spawn().unwrap())
    }

    /// Runs a script in a shell in the given folder, like a user who has the program on the path.
    pub(crate) fn shell(&self, folder: &Path, script: &str) -> Output {
        let mut shell = self.outside("sh");
        shell.env("PATH", with_program()).current_dir(folder);
        shell.args(["-e", "-c", script]).output().unwrap()
    }

    /// Runs git in a folder, which must succeed; returns its trimmed output.
    pub(crate) fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self
            .outside("git")
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Waits until a condition holds; fails with the end of the logs.
    pub(crate) fn wait_until(&self, what: &str, condition: impl FnMut() -> bool) {
        assert!(
            holds_within(PATIENCE, condition),
            "{what} did not happen; the logs end\n{}",
            self.logs()
        );
    }

    /// Sleeps: for random delays of a story, never in place of a condition.
    pub(crate) fn let_pass(milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }

    /// Returns true if a server answers.
    pub(crate) fn is_live(&self) -> bool {
        self.status().pointer("/live") == Some(&serde_json::Value::Bool(true))
    }

    /// Returns how many tasks are in the given state.
    pub(crate) fn count(&self, state: &str) -> u64 {
        let status = self.status();
        let count = status.pointer(&format!("/counts/{state}"));
        count.and_then(serde_json::Value::as_u64).unwrap_or(0)
    }

    /// Returns what `dbs status --json` prints, without branches, or null if the board cannot be reached. Stories that wait ask for it all
    /// the time, so no program is started for it. A server that never answers fails the story.
    fn status(&self) -> serde_json::Value {
        let edge = self.env(&self.project());
        let query = Query::Report(Report::Status(Ok(Vec::new())), OutputFormat::Json);
        let (answer, answered) = sync_channel(1);
        std::thread::spawn(move || {
            drop(answer.send(BoardAccess::open(&edge).and_then(|mut board| board.query(query))));
        });
        let known = answered.recv_timeout(LONGEST_COMMAND);
        match known.unwrap_or_else(|error| panic!("no answer of the board: {error}\n{}", self.log_ends())) {
            Ok(Answer::Text(pieces)) => serde_json::from_slice(&pieces.concat()).unwrap_or_default(),
            _ => serde_json::Value::Null,
        }
    }

    /// Returns the ends of all logs, the state, and what the newest agent printed, for a story that fails.
    pub(crate) fn logs(&self) -> String {
        let said = |arguments: &[&str]| String::from_utf8_lossy(&self.run(arguments).stdout).into_owned();
        let attempts = (1..).take_while(|number| self.attempt(*number).exists());
        let newest = attempts.last().unwrap_or_default().to_string();
        let printed = said(&["logs", &newest]);
        let mut last: Vec<&str> = printed.lines().rev().take(40).collect();
        last.reverse();
        let (files, status) = (self.log_ends(), said(&["status"]));
        format!(
            "{files}{status}--- attempt {newest} printed at last\n{}",
            last.join("\n")
        )
    }

    /// The ends of all log files.
    fn log_ends(&self) -> String {
        let mut files = vec![self.root().join("server.log")];
        let logs = fs::read_dir(self.project().join(".debussy/logs"));
        files.extend(logs.into_iter().flatten().flatten().map(|entry| entry.path()));
        let ends = files.into_iter().map(|file| {
            let text = fs::read(&file).unwrap_or_default();
            let end = text.get(text.len().saturating_sub(4000)..).unwrap_or_default();
            format!("--- {}\n{}\n", file.display(), String::from_utf8_lossy(end))
        });
        ends.collect()
    }

    /// Processes that belong to this story: its folder is in their environment.
    pub(crate) fn processes(&self) -> Vec<String> {
        let folder = self.root().to_string_lossy().into_owned();
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse::<u32>().ok()?;
            let environment = fs::read(entry.path().join("environ")).ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let belongs = String::from_utf8_lossy(&environment).contains(&folder) && !line.is_empty();
            belongs.then(|| format!("{number} {}", String::from_utf8_lossy(&line).replace('\0', " ")))
        })
        .collect()
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        // Only a server finds the agents, so one is started if none is left to take the request.
        if !self.processes().is_empty() && !self.is_live() {
            drop(self.run(&["stop", "--all"]));
        }
        let mut server = (!self.processes().is_empty() && !self.is_live()).then(|| self.server());
        if server.is_some() {
            holds_within(LONGEST_END, || self.is_live());
        }
        drop(self.run(&["stop", "--all"]));
        if let Some(server) = &mut server {
            drop(server.0.wait());
        }
        holds_within(LONGEST_END, || self.processes().is_empty());
        let left = self.processes();
        if !std::thread::panicking() {
            assert!(left.is_empty(), "processes are left: {left:#?}");
        }
    }
}

/// Returns `PATH` with the program's folder first.
fn with_program() -> OsString {
    path_behind(Path::new(env!("CARGO_BIN_EXE_dbs")).parent().unwrap())
}

/// Returns `PATH` with the given folder first.
pub(crate) fn path_behind(folder: &Path) -> OsString {
    let own = std::env::var_os("PATH").unwrap();
    let folders = std::iter::once(folder.to_owned());
    std::env::join_paths(folders.chain(std::env::split_paths(&own))).unwrap()
}

/// A server that was started by the story. Killed when dropped.
pub(crate) struct Server(pub(crate) Child);

impl Server {
    /// Kills the server with SIGKILL, and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Formats what a command printed, for a failure message.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
