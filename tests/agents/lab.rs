//! Throw-away world of one agent: home, settings, a project with git, a dummy key, and the scripted model. What it starts carries a marker,
//! and no process with that marker outlives the test.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use dbs::adapters::holder::process::{MARKER, ProcessSelector, members, terminate};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::model_server::{ModelServer, Scripts};
use crate::polling::holds_within;

/// Variable that names the folder with the programs of the agents.
const TOOLS: &str = "DBS_AGENT_TOOLS";
/// A key of no account. Agents ask whether to use a key whose end is not in their settings.
pub(crate) const KEY: &str = "sk-dummy-key-0123456789abcdefghij";
/// Turns off the second compiler in the runtime of Claude Code, which pays off only after longer than a test takes.
pub(crate) const LESS_COMPILING: (&str, &str) = ("BUN_JSC_useDFGJIT", "0");
/// Deadline of a test that waits for an agent.
const PATIENCE: Duration = Duration::from_mins(1);

/// The world of one test.
pub(crate) struct Lab {
    pub(crate) server: ModelServer,
    program: PathBuf,
    folder: TempDir,
    /// Variables for this agent alone.
    pub(crate) more_env: Vec<(String, String)>,
    /// Time that its processes may outlive the world: what Codex has just started ends by itself a moment later.
    grace: Duration,
}

/// A finished run without a terminal.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) lines: Vec<Value>,
    pub(crate) errors: String,
}

/// A run without a terminal.
pub(crate) struct Run<'a> {
    lab: &'a Lab,
    child: Child,
    name: String,
}

impl Lab {
    /// A world for Claude Code whose project is trusted.
    pub(crate) fn claude() -> Self {
        let lab = Self::new(installed("claude"));
        lab.write_claude_settings(true);
        lab
    }

    /// Makes the same world, with a model that also says these scripts.
    pub(crate) fn claude_that_says(script: &str) -> Self {
        let lab = Self::with(installed("claude"), scripts().with("the test", script));
        lab.write_claude_settings(true);
        lab
    }

    /// A world for Claude Code whose project is not trusted yet.
    pub(crate) fn claude_in_strange_folder() -> Self {
        let lab = Self::new(installed("claude"));
        lab.write_claude_settings(false);
        lab
    }

    /// A world for Codex whose project is trusted.
    pub(crate) fn codex() -> Self {
        let lab = Self::new(installed("codex"));
        lab.write_codex_settings(true);
        lab
    }

    /// Makes the same world, with a model that also says these scripts.
    pub(crate) fn codex_that_says(script: &str) -> Self {
        let lab = Self::with(installed("codex"), scripts().with("the test", script));
        lab.write_codex_settings(true);
        lab
    }

    /// A world for Codex whose project is not trusted yet.
    pub(crate) fn codex_in_strange_folder() -> Self {
        let lab = Self::new(installed("codex"));
        lab.write_codex_settings(false);
        lab
    }

    /// A world without an agent.
    pub(crate) fn without_agent() -> Self {
        Self::new("/bin/sh".into())
    }

    fn new(program: PathBuf) -> Self {
        Self::with(program, scripts())
    }

    /// Makes a world for the program, with a model that says these scripts.
    pub(crate) fn with(program: PathBuf, scripts: Scripts) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let lab = Self {
            server: ModelServer::start(scripts),
            program,
            folder,
            more_env: Vec::new(),
            grace: Duration::from_secs(5),
        };
        for name in ["project", "home", "claude", "codex", "runs"] {
            fs::create_dir(lab.root().join(name)).expect("a folder");
        }
        let made = Command::new("git")
            .args(["init", "-q", "-b", "main"])
            .current_dir(lab.project())
            .env_clear()
            .envs(lab.env())
            .status();
        assert!(made.expect("git starts").success());
        lab
    }

    /// The folder of this world, without links in its path.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists")
    }

    /// Folder in which the agent works.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Returns true if the file is in the project.
    pub(crate) fn has_made(&self, file: &str) -> bool {
        self.project().join(file).exists()
    }

    /// Marker that finds everything that this world started.
    pub(crate) fn marker(&self) -> String {
        format!("agents/{}", self.folder.path().display())
    }

    /// The command line of the agent.
    pub(crate) fn argv(&self, arguments: &[&str]) -> Vec<String> {
        let program = self.program.to_str().expect("a plain path").to_owned();
        let arguments = arguments.iter().map(|&argument| argument.to_owned());
        std::iter::once(program).chain(arguments).collect()
    }

    /// Complete environment of the agent. What it wants from any other host goes to the scripted server as its proxy, which refuses, so
    /// nothing leaves the machine.
    pub(crate) fn env(&self) -> Vec<(String, String)> {
        let in_root = |name: &str| self.root().join(name).display().to_string();
        let url = self.server.url();
        let path = std::env::var("PATH").expect("a path");
        let pairs = [
            ("HOME", in_root("home")),
            ("CLAUDE_CONFIG_DIR", in_root("claude")),
            ("CODEX_HOME", in_root("codex")),
            ("GIT_CONFIG_GLOBAL", in_root("gitconfig")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("PATH", path),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "xterm-256color".into()),
            ("COLORTERM", "truecolor".into()),
            ("SHELL", "/bin/sh".into()),
            ("ANTHROPIC_BASE_URL", url.clone()),
            ("ANTHROPIC_API_KEY", KEY.into()),
            ("SCRIPTED_API_KEY", KEY.into()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
            ("DISABLE_ERROR_REPORTING", "1".into()),
            ("HTTPS_PROXY", url),
            ("NO_PROXY", "127.0.0.1,localhost".into()),
            (LESS_COMPILING.0, LESS_COMPILING.1.into()),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value));
        pairs.into_iter().chain(self.more_env.iter().cloned()).collect()
    }

    /// Starts the agent without a terminal, with files named after `name`.
    pub(crate) fn start(&self, name: &str, arguments: &[&str]) -> Run<'_> {
        let file = |ending: &str| File::create(self.run_file(name, ending)).expect("a file");
        let child = Command::new(&self.program)
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .envs(self.env())
            .env(MARKER, self.marker())
            .stdin(Stdio::null())
            .stdout(file("out"))
            .stderr(file("err"))
            .spawn()
            .expect("the agent starts");
        Run {
            lab: self,
            child,
            name: name.to_owned(),
        }
    }

    /// Runs the agent without a terminal to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        self.start("run", arguments).finish()
    }

    /// Returns what Claude Code has written of a session so far.
    pub(crate) fn claude_transcript(&self, session: &str) -> String {
        let projects = fs::read_dir(self.root().join("claude").join("projects"));
        let folders = projects.into_iter().flatten().flatten().map(|entry| entry.path());
        let files = folders.map(|folder| folder.join(format!("{session}.jsonl")));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// Returns what Codex has written of all its sessions so far.
    pub(crate) fn codex_rollouts(&self) -> String {
        let mut folders = vec![self.root().join("codex").join("sessions")];
        let mut text = String::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    text.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
                }
            }
        }
        text
    }

    /// Returns the requests that went to another host than the scripted server.
    pub(crate) fn wanted_outside(&self) -> Vec<String> {
        let requests = self.server.requests().into_iter();
        let outside = requests.filter(|request| request.method == "CONNECT" || request.path.contains("://"));
        outside.map(|request| request.path).collect()
    }

    fn run_file(&self, name: &str, ending: &str) -> PathBuf {
        self.root().join("runs").join(format!("{name}.{ending}"))
    }

    fn write_claude_settings(&self, is_trusted: bool) {
        let project = self.project().display().to_string();
        let settings = json!({
            "hasCompletedOnboarding": true,
            "customApiKeyResponses": { "approved": [end_of_key()], "rejected": [] },
            "projects": { project: { "hasTrustDialogAccepted": is_trusted } },
        });
        let file = self.root().join("claude").join(".claude.json");
        fs::write(file, settings.to_string()).expect("written");
    }

    fn write_codex_settings(&self, is_trusted: bool) {
        let trust = if is_trusted {
            format!(
                "[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                self.project().display()
            )
        } else {
            String::new()
        };
        let settings = format!(
            "model = \"gpt-6-sol\"\nmodel_provider = \"scripted\"\n\
             [analytics]\nenabled = false\n\
             {trust}\
             [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{}/v1\"\nenv_key = \"SCRIPTED_API_KEY\"\n\
             wire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\n",
            self.server.url()
        );
        fs::write(self.root().join("codex").join("config.toml"), settings).expect("written");
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let mut marked = ProcessSelector::marked(&self.marker());
        let mut left = Vec::new();
        let all_ended = holds_within(self.grace, || {
            left = members(&mut marked).unwrap_or_default();
            left.is_empty()
        });
        if all_ended {
            return;
        }
        let survivors = terminate(&mut marked, Duration::from_secs(5));
        assert!(
            std::thread::panicking(),
            "the test left processes: {left:?}; after their end: {survivors:?}"
        );
    }
}

impl Run<'_> {
    /// Kills the agent, as if the machine had lost it.
    pub(crate) fn kill(mut self) -> Finished {
        self.child.kill().expect("it runs");
        self.finish()
    }

    /// Waits for the end of the agent.
    pub(crate) fn finish(mut self) -> Finished {
        let mut status = None;
        let name = self.name.clone();
        wait_for(
            &format!("the end of `{name}`; {}", self.lab.server.summary()),
            || {
                status = self.child.try_wait().expect("it is our child");
                status.is_some()
            },
        );
        let read = |ending: &str| fs::read_to_string(self.lab.run_file(&name, ending)).expect("readable");
        Finished {
            status: status.expect("just seen"),
            lines: json_lines(&read("out")),
            errors: read("err"),
        }
    }
}

impl Finished {
    /// Returns the last line whose field has this value.
    pub(crate) fn line(&self, field: &str, value: &str) -> &Value {
        let found = self.lines.iter().rev().find(|line| line[field] == value);
        found.unwrap_or_else(|| panic!("no line with {field} = {value}: {self:#?}"))
    }
}

/// Returns the lines of a text that are JSON. A killed program may leave half a line.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Waits for a condition, at most a minute.
pub(crate) fn wait_for(what: &str, condition: impl FnMut() -> bool) {
    assert!(holds_within(PATIENCE, condition), "waited in vain for: {what}");
}

/// Returns the part of the key by which Claude Code knows that it may use the key.
pub(crate) fn end_of_key() -> &'static str {
    KEY.get(KEY.len() - 20..).expect("it is long")
}

/// Returns what the model says in these tests.
pub(crate) fn scripts() -> Scripts {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "agents", "scripts"]
        .iter()
        .collect();
    Scripts::read(&folder)
}

/// Returns the program of this name. A test that needs it is ignored in a build that does not find it.
pub(crate) fn installed(tool: &str) -> PathBuf {
    let folder = std::env::var_os(TOOLS).unwrap_or_default();
    let program = Path::new(&folder).join(tool);
    assert!(
        program.is_file(),
        "there is no {tool} in the folder that {TOOLS} names; docs/agents.md says how to get it"
    );
    program
}

#[test]
fn ci_on_linux_has_the_agents_and_ignores_no_test_of_them() {
    let is_needed = cfg!(target_os = "linux") && std::env::var("CI").is_ok_and(|text| text == "true");
    let has_all = cfg!(has_claude) && cfg!(has_codex) && cfg!(has_opencode);
    assert!(
        has_all || !is_needed,
        "CI must run the agents: install them and name their folder in {TOOLS} before the build"
    );
}

#[test]
#[should_panic(expected = "the test left processes")]
fn a_test_that_leaves_a_process_fails() {
    let mut lab = Lab::without_agent();
    lab.grace = Duration::ZERO;
    let run = lab.start("left", &["-c", "echo 1; exec sleep 1000"]);
    wait_for("the first line", || {
        fs::read_to_string(lab.run_file("left", "out")).is_ok_and(|text| text == "1\n")
    });
    drop(run);
}
