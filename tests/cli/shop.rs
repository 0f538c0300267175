//! A separate project for one test, and the program that runs in it.
#![expect(clippy::disallowed_methods, reason = "the tests' door: starts the program")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::git_fixture::GitFixture;
use crate::polling::holds_within;
use crate::waiting::output;

/// Result of one run.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    fn of(output: Output) -> Said {
        Said {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A repository with an origin; all processes started for it end with it.
pub(crate) struct Shop {
    pub(crate) git: GitFixture,
    /// Folder for the sockets of this person's servers.
    sockets: PathBuf,
    /// The person's home.
    home: PathBuf,
    server: Option<Child>,
}

impl Shop {
    pub(crate) fn new() -> Shop {
        let git = GitFixture::new();
        let (sockets, home) = (git.root().join("r"), git.root().join("home"));
        Shop {
            home,
            git,
            sockets,
            server: None,
        }
    }

    /// Sets developers that run silently, and releases `t-1` to one.
    pub(crate) fn give_work_to_silent_agents(&self) {
        self.does(&["config", "base_branch", "main"]);
        self.does(&["config", "disk.min_free", "0"]);
        self.does(&["config", "roles.developer.agent", "custom"]);
        self.does(&["config", "roles.developer.command", "sleep 600"]);
        self.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    }

    /// The socket of the server of this project.
    #[cfg(unix)]
    pub(crate) fn socket(&self) -> PathBuf {
        let mut found = vec![self.sockets.clone()];
        while let Some(path) = found.pop() {
            if path.extension().is_some_and(|ending| ending == "sock") {
                return path;
            }
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            found.extend(entries.map(|entry| entry.path()));
        }
        panic!("no server listens below {}", self.sockets.display());
    }

    /// The person's home.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Another project of the same person.
    #[cfg(unix)]
    pub(crate) fn beside(&self) -> Shop {
        let mut other = Shop::new();
        other.sockets.clone_from(&self.sockets);
        other.home.clone_from(&self.home);
        other
    }

    /// Kills the server, as a crash would.
    pub(crate) fn kill(&mut self) {
        let server = self.server.as_mut().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// A new shop with a server that was paused before it could start anything.
    pub(crate) fn served() -> Shop {
        let mut shop = Shop::new();
        shop.serve();
        shop
    }

    pub(crate) fn serve(&mut self) {
        let mut command = self.command(&self.git.project(), &["server"]);
        self.server = Some(
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        );
        let is_live = || self.json(&["status", "--json"])["live"] == true;
        let listens = holds_within(Duration::from_secs(20), is_live);
        assert!(listens, "the server does not listen");
    }

    pub(crate) fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dbs"));
        std::fs::create_dir_all(&self.sockets).unwrap();
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null());
        command
    }

    /// The whole environment of a person here; the key must never reach an agent.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.git.environment();
        environment.retain(|(name, _)| name != "HOME");
        environment.push(("HOME".into(), self.home.clone().into()));
        environment.push(("XDG_RUNTIME_DIR".into(), self.sockets.clone().into()));
        environment.push(("USER".into(), "ann".into()));
        environment.push(("ANTHROPIC_API_KEY".into(), "secret".into()));
        environment
    }

    /// Runs the program with exactly that environment.
    pub(crate) fn run_with(&self, env: &BTreeMap<String, String>, arguments: &[&str]) -> Said {
        let mut command = self.command(&self.git.project(), arguments);
        Said::of(output(command.env_clear().envs(env)))
    }

    /// Runs a line in a shell with exactly that environment.
    #[cfg(unix)]
    pub(crate) fn shell(&self, env: &BTreeMap<String, String>, line: &str) -> Said {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).current_dir(self.git.project());
        Said::of(output(command.env_clear().envs(env).stdin(Stdio::null())))
    }

    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> Said {
        Said::of(output(&mut self.command(folder, arguments)))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        self.run_in(&self.git.project(), arguments)
    }

    /// Runs with a file as its standard input.
    pub(crate) fn run_from(&self, file: &Path, arguments: &[&str]) -> Said {
        let mut command = self.command(&self.git.project(), arguments);
        Said::of(output(command.stdin(std::fs::File::open(file).unwrap())))
    }

    /// Runs a command that must succeed.
    pub(crate) fn does(&self, arguments: &[&str]) -> String {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
        said.out
    }

    /// Runs a command that must succeed and answer in JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.does(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
    }

    /// The board without the time at which it was read.
    pub(crate) fn board(&self) -> Value {
        let mut board = self.json(&["board", "--json"]);
        board.as_object_mut().unwrap().remove("at");
        board
    }

    /// Runs a command that must be refused with this text, and must change nothing.
    pub(crate) fn refuses(&self, arguments: &[&str], code: i32, because: &str) {
        drop(self.refusal(arguments, code, because));
    }

    /// Does the same and returns the refusal.
    pub(crate) fn refusal(&self, arguments: &[&str], code: i32, because: &str) -> Said {
        let before = self.board();
        let said = self.run(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {said:?}");
        assert!(said.err.contains(because), "{arguments:?}: {said:?}");
        assert!(!said.err.contains("panicked"), "{said:?}");
        assert_eq!(self.board(), before, "{arguments:?} changed the board");
        said
    }

    /// Waits until a condition holds.
    pub(crate) fn wait_for(&self, what: &str, is_so: impl Fn() -> bool) {
        let is_there = holds_within(Duration::from_mins(1), is_so);
        assert!(is_there, "no {what}: {:?}", self.board());
    }

    pub(crate) fn state(&self, id: &str) -> Value {
        self.json(&["task", "show", id, "--json"])["task"]["state"].clone()
    }

    pub(crate) fn attempts(&self) -> PathBuf {
        self.git.state().join("attempts")
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let Some(mut server) = self.server.take() else {
            return;
        };
        drop(self.command(&self.git.project(), &["stop", "--all"]).output());
        if !holds_within(Duration::from_secs(5), || !matches!(server.try_wait(), Ok(None))) {
            drop(server.kill());
            drop(server.wait());
        }
    }
}
