//! tmux with the same work: a separate socket, no configuration, killed at the end.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "starts tmux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::outer::Outer;
use crate::panes::Multiplexer;

/// Installed version of tmux.
pub(crate) fn version() -> Option<String> {
    let said = Command::new("tmux").arg("-V").output().ok()?;
    let text = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A server of tmux with one client.
pub(crate) struct Tmux {
    socket: PathBuf,
    /// Client of the server.
    pub(crate) outer: Outer,
}

impl Tmux {
    /// Starts tmux with one pane that runs a plain shell.
    pub(crate) fn start(folder: &Path) -> Self {
        let socket = folder.join("tmux.sock");
        let text = socket.to_str().unwrap().to_owned();
        let argv = [
            "tmux",
            "-S",
            &text,
            "-f",
            "/dev/null",
            "set",
            "-g",
            "history-limit",
            "10000",
            ";",
            "new",
            "-s",
            "bench",
            "/bin/sh",
        ];
        let outer = Outer::start(&argv, folder, &environment(folder), b"[bench]");
        Self { socket, outer }
    }

    /// A second client.
    pub(crate) fn attach(&self, folder: &Path) -> Outer {
        let argv = ["tmux", "-S", self.socket.to_str().unwrap(), "attach"];
        Outer::start(&argv, folder, &environment(folder), b"[bench]")
    }

    /// Runs a command of tmux on the server, and returns its output.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        let said = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(words)
            .output()
            .unwrap();
        String::from_utf8_lossy(&said.stdout).trim().to_owned()
    }

    /// Types a key binding. Keys that follow others too closely are taken for a paste and have no effect.
    fn prefixed(&self, keys: &[u8]) {
        std::thread::sleep(Duration::from_millis(100));
        self.outer.type_in(keys);
        std::thread::sleep(Duration::from_millis(100));
    }

    /// The process id of the server.
    pub(crate) fn server(&self) -> u32 {
        self.ask(&["display", "-p", "#{pid}"]).parse().unwrap_or(0)
    }
}

impl Multiplexer for Tmux {
    fn outer(&self) -> &Outer {
        &self.outer
    }

    fn open_shell(&mut self) {
        self.prefixed(b"\x02c");
    }

    fn open_beside(&mut self) {
        self.prefixed(b"\x02%");
    }

    fn other_beside(&mut self) {
        self.prefixed(b"\x02o");
    }

    fn wake(&mut self) {
        self.outer.type_in(b"\x15");
    }

    fn server_pid(&self) -> u32 {
        self.server()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
        // The last output of the client.
        self.outer.look_for(b"exited]");
        self.outer.arrival(Duration::from_secs(2));
    }
}

/// The same environment as for our own client.
pub(crate) fn environment(folder: &Path) -> Vec<(String, String)> {
    crate::dbs::environment(folder)
}
