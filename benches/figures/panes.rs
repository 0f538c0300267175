//! Throughput and response time of panes: whole files through a pane, and keys echoed beside floods.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::dbs::Dbs;
use crate::outer::Outer;
use crate::processes;
use crate::table::{Table, median, percentiles, rate};
use crate::tmux::Tmux;

/// Longest time for any step here.
const DEADLINE: Duration = Duration::from_mins(5);
/// Letters that occur neither in the floods nor in escape codes.
const LETTERS: &[u8] = b"QVWYZ";

/// Actions that both programs can do.
pub(crate) trait Multiplexer {
    /// The client's terminal.
    fn outer(&self) -> &Outer;
    /// Opens a shell that covers all others.
    fn open_shell(&mut self);
    /// Opens a shell beside this one.
    fn open_beside(&mut self);
    /// Gives the focus to the other of two shells.
    fn other_beside(&mut self);
    /// Makes sure that keys go to the shell on the screen.
    fn wake(&mut self);
    /// The process id of the server.
    fn server_pid(&self) -> u32;

    /// Types a line into the shell on the screen once it listens, and waits until all of its output is on the screen.
    fn do_line(&mut self, line: &str) -> Duration {
        let mark = next_mark();
        let text = format!("{line}; printf '{mark}%.0s' 1 2 3 4 5 6 7 8 9 10 11 12\r");
        self.outer().look_for(mark.to_string().repeat(12).as_bytes());
        let began = Instant::now();
        self.outer().type_in(text.as_bytes());
        let arrived = self.outer().awaited(DEADLINE, "the end of a line that was typed");
        arrived - began
    }

    /// Waits until the shell on the screen listens.
    fn settle(&mut self) {
        let mark = next_mark();
        self.outer().look_for(mark.to_string().repeat(12).as_bytes());
        let text = format!("printf '{mark}%.0s' 1 2 3 4 5 6 7 8 9 10 11 12; printf '\\n'\r");
        let listens = (0..40).any(|_| {
            self.wake();
            self.outer().type_in(text.as_bytes());
            self.outer().arrival(Duration::from_millis(500)).is_some()
        });
        assert!(listens, "no shell listens; {}", self.outer().last());
        self.do_line("clear");
    }
}

/// Returns another letter each time, so that it is never on the screen already.
fn next_mark() -> char {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let at = LAST.fetch_add(1, Ordering::Relaxed);
    ['@', '~', '=', '+', '_'].into_iter().cycle().nth(at % 5).unwrap()
}

/// Runs the same measurement with both programs; with tmux only if it is installed.
fn both(table: &Table, measure: impl Fn(&mut dyn Multiplexer) -> String) -> (String, String) {
    let ours = measure(&mut Dbs::start());
    let theirs = table.tmux.as_ref().map(|_| {
        let folder = home();
        measure(&mut Tmux::start(folder.path()))
    });
    (ours, theirs.unwrap_or_default())
}

/// A home for tmux.
pub(crate) fn home() -> TempDir {
    let folder = tempfile::Builder::new()
        .prefix("dbs-figures-")
        .tempdir_in("/tmp")
        .unwrap();
    fs::create_dir_all(folder.path().join("home")).unwrap();
    fs::create_dir_all(folder.path().join("run")).unwrap();
    folder
}

/// The three floods, from typing the line until its end is on the client's screen.
pub(crate) fn throughput(table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let megabytes = table.sizes.of(100, 5);
    let rows = [
        (
            format!("{megabytes} MB of log in a pane, client attached"),
            ">= 60 MB/s",
            log_text(folder.path(), megabytes),
        ),
        (
            format!("{megabytes} MB coloured (about 20 colours)"),
            ">= 50 MB/s",
            coloured(folder.path(), megabytes),
        ),
        (
            format!("{} MB of `y` lines", table.sizes.of(12, 1)),
            ">= 8 MB/s",
            repeated(folder.path(), b"y\n", table.sizes.of(12, 1)),
        ),
    ];
    for (what, target, file) in rows {
        let bytes = fs::metadata(&file).unwrap().len();
        let line = format!("cat {}", file.display());
        let times: u32 = table.sizes.of(3, 1);
        let (ours, theirs) = both(table, |shell| {
            shell.open_shell();
            shell.settle();
            let (pid, sent) = (shell.server_pid(), shell.outer().bytes());
            let used = processes::ticks(pid);
            let taken: Vec<Duration> = (0..times).map(|_| shell.do_line(&line)).collect();
            let (used, sent) = (processes::ticks(pid) - used, shell.outer().bytes() - sent);
            format!(
                "{} (server {:.2} s of CPU, {} kB to the client)",
                rate(bytes, median(taken)),
                f64::from(u32::try_from(used).unwrap()) / 100.0 / f64::from(times),
                sent / 1000 / u64::from(times)
            )
        });
        table.row(what, target, ours, theirs);
    }
}

/// Keys echoed by a raw `cat`: alone, beside a flood in the background, beside a flood on the screen.
pub(crate) fn echo(table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let file = log_text(folder.path(), 2);
    let flood = format!("while :; do cat {}; done\r", file.display());
    let keys = table.sizes.of(300, 40);
    let raw = b"stty raw -echo; printf ready; exec cat\r";
    let (ours, theirs) = both(table, |shell| {
        shell.open_shell();
        shell.settle();
        listen(shell, raw);
        echoes(shell.outer(), keys)
    });
    table.row("echo, idle, p50 / p99", "0.6 / 2 ms", ours, theirs);
    let (ours, theirs) = both(table, |shell| {
        shell.open_shell();
        shell.settle();
        shell.outer().type_in(flood.as_bytes());
        shell.open_shell();
        shell.settle();
        listen(shell, raw);
        echoes(shell.outer(), keys)
    });
    table.row("echo beside a hidden flood, p50 / p99", "1 / 8 ms", ours, theirs);
    let (ours, theirs) = both(table, |shell| {
        beside_visible_flood(shell, &flood);
        listen(shell, raw);
        echoes(shell.outer(), keys)
    });
    table.row(
        "echo beside a visible flood, p50 / p99",
        "3 / 17 ms",
        ours,
        theirs,
    );
    let seconds = table.sizes.of(10, 2);
    let (ours, theirs) = both(table, |shell| {
        beside_visible_flood(shell, &flood);
        let (before, began) = (shell.outer().bytes(), Instant::now());
        std::thread::sleep(Duration::from_secs(seconds));
        rate(shell.outer().bytes() - before, began.elapsed())
    });
    table.row(
        "bytes to the client under a visible flood",
        "<= 1 MB/s",
        ours,
        theirs,
    );
}

/// Keys echoed by a raw `cat` beside eight programs that use all processors and are not on the screen: agents of ours, windows of tmux.
pub(crate) fn beside_agents(table: &mut Table) {
    let folder = tempfile::tempdir().unwrap();
    let file = log_text(folder.path(), 2);
    let script = folder.path().join("flood.sh");
    fs::write(&script, format!("while :; do cat '{}'; done\n", file.display())).unwrap();
    let keys = table.sizes.of(300, 40);
    let measure = |shell: &mut dyn Multiplexer| {
        shell.open_shell();
        shell.settle();
        listen(shell, b"stty raw -echo; printf ready; exec cat\r");
        echoes(shell.outer(), keys)
    };
    let ours = measure(&mut Dbs::with_agents(8, &script));
    let theirs = table.tmux.as_ref().map(|_| {
        let home = home();
        let mut tmux = Tmux::start(home.path());
        for _ in 0..8 {
            tmux.ask(&["new-window", "-d", "sh", script.to_str().unwrap()]);
        }
        measure(&mut tmux)
    });
    table.row(
        "echo beside eight flooding agents that nobody looks at, p50 / p99",
        "at most tmux",
        ours,
        theirs.unwrap_or_default(),
    );
}

fn beside_visible_flood(shell: &mut dyn Multiplexer, flood: &str) {
    shell.open_shell();
    shell.settle();
    shell.open_beside();
    shell.settle();
    shell.outer().type_in(flood.as_bytes());
    std::thread::sleep(Duration::from_millis(300));
    shell.other_beside();
    shell.wake();
}

/// Starts the program that echoes.
fn listen(shell: &mut dyn Multiplexer, line: &[u8]) {
    shell.outer().look_for(b"ready");
    shell.outer().type_in(line);
    // Beside a flood the word may be split over two frames; then the timeout ends the wait.
    shell.outer().arrival(Duration::from_secs(1));
    std::thread::sleep(Duration::from_millis(500));
}

fn echoes(outer: &Outer, keys: usize) -> String {
    let (mut times, mut lost) = (Vec::new(), 0);
    for letter in LETTERS.iter().cycle().take(keys) {
        outer.look_for(&[*letter]);
        let typed = Instant::now();
        outer.type_in(&[*letter]);
        match outer.arrival(Duration::from_secs(2)) {
            Some(arrived) => times.push(arrived - typed),
            None => lost += 1,
        }
        // No person types faster, and the pace of frames must have settled.
        std::thread::sleep(Duration::from_millis(40 + u64::from(*letter) % 7));
    }
    percentiles(times, lost)
}

/// Lines of about 120 letters, without any of [`LETTERS`].
pub(crate) fn log_text(folder: &Path, megabytes: usize) -> PathBuf {
    let mut text = String::new();
    for line in 0..4000 {
        writeln!(
            text,
            "2026-01-01 12:00:00.{line:06} info worker-{} compiled module {line} of 4000: no warnings, 0 errors, cache hit, 12 ms elapsed",
            line % 7
        )
        .unwrap();
    }
    repeated(folder, text.as_bytes(), megabytes)
}

/// One of twenty colours for every word.
fn coloured(folder: &Path, megabytes: usize) -> PathBuf {
    let mut text = String::new();
    for (word, token) in (0..20_000u32).zip(["fn", "value", "return", "self"].into_iter().cycle()) {
        let shade = word % 20 * 12;
        write!(text, "\x1b[38;2;{shade};{};90m{token}\x1b[0m ", 255 - shade).unwrap();
        if word % 12 == 11 {
            text.push('\n');
        }
    }
    text.push('\n');
    repeated(folder, text.as_bytes(), megabytes)
}

fn repeated(folder: &Path, part: &[u8], megabytes: usize) -> PathBuf {
    let path = folder.join(format!("{}-{megabytes}", part.len()));
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    for _ in 0..(megabytes * 1_000_000).div_ceil(part.len()) {
        file.write_all(part).unwrap();
    }
    file.flush().unwrap();
    path
}
