//! Our own program at work in its own project: home, runtime folder, repository, bare origin. Everything is stopped at the end.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(
    clippy::disallowed_methods,
    reason = "starts the program, reads PATH, waits with deadlines"
)]

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::outer::Outer;
use crate::panes::Multiplexer;
use crate::processes;

/// The program: the present build, or another build for a comparison.
pub(crate) fn program() -> String {
    std::env::var("DBS_BENCH_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_dbs").to_owned())
}

/// The end of a frame.
pub(crate) const FRAME: &[u8] = b"\x1b[?2026l";

/// A project with a bare origin.
pub(crate) struct Project {
    folder: TempDir,
    servers: RefCell<Vec<Child>>,
}

impl Project {
    /// A project with that configuration.
    pub(crate) fn new(config: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("dbs-figures-")
            .tempdir_in("/tmp")
            .unwrap();
        let project = Self {
            folder,
            servers: RefCell::default(),
        };
        for name in ["home", "run", "project/.debussy"] {
            fs::create_dir_all(project.root().join(name)).unwrap();
        }
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(project.root().join("run"), private).unwrap();
        let text = format!("base_branch = \"work\"\n{config}");
        fs::write(project.path().join(".debussy/config.toml"), text).unwrap();
        fs::write(project.path().join("README.md"), "hello\n").unwrap();
        let origin = project.root().join("origin.git");
        let origin = origin.to_str().unwrap();
        project.git(&["init", "-q", "--bare", "-b", "main", origin]);
        let steps: [&[&str]; 8] = [
            &["init", "-q", "-b", "main"],
            &["config", "user.name", "Figures"],
            &["config", "user.email", "figures@example.org"],
            &["remote", "add", "origin", origin],
            &["add", "README.md"],
            &["commit", "-q", "-m", "First"],
            &["branch", "work"],
            &["push", "-q", "origin", "main", "work"],
        ];
        for step in steps {
            project.git(step);
        }
        project.trust();
        project
    }

    /// Trusts the configuration, as the person who wrote it does.
    fn trust(&self) {
        let shown = self.json(&["trust", "show", "--json"]);
        if let Some(hash) = shown.pointer("/hash").and_then(Value::as_str) {
            self.dbs(&["trust", "--hash", hash]);
        }
    }

    /// Folder of the whole project, with its home and its origin.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The main checkout.
    pub(crate) fn path(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Commits files of the main checkout, and pushes them to both branches.
    pub(crate) fn publish(&self, paths: &[&str]) {
        self.git(&[&["add", "--"], paths].concat());
        self.git(&["commit", "-q", "-m", "More"]);
        self.git(&["branch", "-q", "-f", "work"]);
        self.git(&["push", "-q", "origin", "main", "work"]);
    }

    /// Runs a command line in the main checkout, which must succeed.
    pub(crate) fn sh(&self, line: &str) {
        let output = self.outside("sh").args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", said(&output));
    }

    /// Runs git in the main checkout; it must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = self.outside("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
    }

    fn outside(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(environment(&self.root()))
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command of the program to its end, with any exit code.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.outside(&program()).args(arguments).output().unwrap()
    }

    /// Runs a command of the program, which must succeed, and returns its output.
    pub(crate) fn dbs(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "dbs {arguments:?}: {}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// JSON output of a command.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.run(arguments).stdout).unwrap_or_default()
    }

    /// A client in a separate terminal; it starts a server if there is none.
    pub(crate) fn client(&self) -> Outer {
        Outer::start(&[&program()], &self.path(), &environment(&self.root()), FRAME)
    }

    /// Starts a server in the background, and waits until it answers.
    pub(crate) fn server(&self) {
        let server = self
            .outside(&program())
            .arg("server")
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.root().join("server.log")).unwrap())
            .spawn();
        self.servers.borrow_mut().push(server.unwrap());
        self.wait_until("a server", Duration::from_secs(20), || {
            self.json(&["status", "--json"]).pointer("/live") == Some(&Value::Bool(true))
        });
    }

    /// The process id of the server; 0 if there is none.
    pub(crate) fn server_pid(&self) -> u32 {
        processes::found(&self.root().to_string_lossy(), "server")
            .first()
            .copied()
            .unwrap_or(0)
    }

    /// The process ids of the running holders.
    pub(crate) fn holders(&self) -> Vec<u32> {
        let attempts = fs::read_dir(self.path().join(".git/dbs/attempts"));
        let folders = attempts.into_iter().flatten().flatten().map(|entry| entry.path());
        let running = folders.filter(|folder| !folder.join("exit.json").exists());
        let meta = running.filter_map(|folder| fs::read(folder.join("meta.json")).ok());
        meta.filter_map(|text| {
            let meta: Value = serde_json::from_slice(&text).ok()?;
            let pid = meta.pointer("/holder/pid")?.as_u64()?;
            u32::try_from(pid).ok()
        })
        .collect()
    }

    /// Number of tasks in that state.
    pub(crate) fn count(&self, state: &str) -> u64 {
        let status = self.json(&["status", "--json"]);
        status
            .pointer(&format!("/counts/{state}"))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    /// Creates released tasks `t-1`, `t-2`, …
    pub(crate) fn tasks(&self, count: u32) {
        for number in 1..=count {
            let (title, id) = (format!("Task {number}"), format!("t-{number}"));
            self.dbs(&["task", "create", &title, "--id", &id, "--release"]);
        }
    }

    /// Waits until a condition holds; fails if it does not hold in time.
    pub(crate) fn wait_until(&self, what: &str, within: Duration, mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + within;
        while !condition() {
            assert!(
                Instant::now() < deadline,
                "{what} did not happen in time\n{}\n{}{}",
                fs::read_to_string(self.root().join("server.log")).unwrap_or_default(),
                String::from_utf8_lossy(&self.run(&["status"]).stdout),
                String::from_utf8_lossy(&self.run(&["why", "t-1"]).stdout)
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let folder = self.root().to_string_lossy().into_owned();
        let servers = || processes::found(&folder, "server").len();
        if !self.holders().is_empty() && servers() == 0 {
            self.server();
        }
        drop(self.run(&["stop", "--all"]));
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.holders().len() + servers() > 0 && Instant::now() < deadline {
            for server in self.servers.borrow_mut().iter_mut() {
                // Collects a server that has ended, so that it no longer counts as running.
                drop(server.try_wait());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Output of a command, for the message of a failure.
fn said(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Variables for access to registries, and for the place of the Rust toolchain.
const REACH: [&str; 12] = [
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "CARGO_HOME",
    "RUSTUP_HOME",
];

/// The environment of every started program: nothing of the person's own except the access to registries.
pub(crate) fn environment(folder: &Path) -> Vec<(String, String)> {
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    [
        ("PATH", path),
        ("HOME", text(folder.join("home"))),
        ("XDG_RUNTIME_DIR", text(folder.join("run"))),
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
        ("USER", "figures".to_owned()),
        ("SHELL", "/bin/sh".to_owned()),
    ]
    .into_iter()
    .chain(
        REACH
            .into_iter()
            .filter_map(|name| Some((name, std::env::var(name).ok()?))),
    )
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

/// Our own program with one client.
pub(crate) struct Dbs {
    // Dropped first, because a client brings back a server that vanishes.
    outer: Outer,
    project: Project,
}

impl Dbs {
    /// Starts a project and its client.
    pub(crate) fn start() -> Self {
        // Without an agent the questions of a first start would take the keys.
        Self::of(Project::new("[roles.default]\ncommand = \"true\"\n"))
    }

    /// Starts with that many agents at work that run a script.
    pub(crate) fn with_agents(count: u32, script: &Path) -> Self {
        let dbs = Self::of(Project::new(&format!(
            "max_total_agents = {count}\n[limits]\nstarts_per_turn = {count}\n[disk]\nmin_free = 0\n\
             [roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
            script.display()
        )));
        dbs.project.tasks(count);
        let wanted = usize::try_from(count).unwrap();
        let started = || dbs.project.holders().len() >= wanted;
        dbs.project
            .wait_until("all agents", Duration::from_mins(2), started);
        dbs
    }

    fn of(project: Project) -> Self {
        let outer = project.client();
        outer.look_for(b"\x1b[?2026l");
        assert!(
            outer.arrival(Duration::from_secs(30)).is_some(),
            "the first frame"
        );
        Self { outer, project }
    }
}

impl Dbs {
    /// Types keys and waits for the prompt of a new shell: before the prompt, further keys would mean something else.
    fn prompted(&self, keys: &[u8]) {
        let prompt: &[u8] = if nix::unistd::geteuid().is_root() {
            b"#"
        } else {
            b"$"
        };
        self.outer.look_for(prompt);
        self.outer.type_in(keys);
        assert!(
            self.outer.arrival(Duration::from_secs(10)).is_some(),
            "a shell opens"
        );
    }
}

impl Multiplexer for Dbs {
    fn outer(&self) -> &Outer {
        &self.outer
    }

    fn open_shell(&mut self) {
        self.prompted(b"\x02c");
    }

    fn open_beside(&mut self) {
        self.prompted(b"\x02%\r");
    }

    fn other_beside(&mut self) {
        self.outer.type_in(b"\x02o");
    }

    fn wake(&mut self) {
        self.outer.type_in(b"\x02i\x15");
    }

    fn server_pid(&self) -> u32 {
        self.project.server_pid()
    }
}
