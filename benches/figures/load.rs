//! Agents that work without a viewer: their tools draw spinners, change titles and report the same again and again.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::dbs::Project;
use crate::panes::home;
use crate::processes::ticks;
use crate::table::Table;
use crate::tmux::Tmux;

/// Argument that makes this program play a tool at work.
pub(crate) const PLAY: &str = "--play";
/// Longest time until all agents have started.
const DEADLINE: Duration = Duration::from_mins(2);

/// A tool, a recording of it, and the milliseconds of the recording in which it works and has said so. They end before the status record
/// for the end of the turn, because the board must store an event for each begin and end of a turn.
const TOOLS: [(&str, &str, (u64, u64)); 2] = [
    ("claude", "subagent_and_question_osc7501.cast", (791, 2_260)),
    ("codex", "tui_working.cast", (2_000, 5_000)),
];

/// Twenty hidden agents of each tool: the load of the server and the holders, and the number of stored events.
pub(crate) fn animated(table: &mut Table) {
    let (count, seconds) = (table.sizes.of(20, 5), table.sizes.of(20, 4));
    for (name, cast, span) in TOOLS {
        let folder = tempfile::tempdir().unwrap();
        let command = player(folder.path(), name, cast, span);
        let ours = ours(&command, count, seconds);
        let theirs = table.tmux.as_ref().map(|_| theirs(&command, count, seconds));
        table.row(
            format!("{count} agents that work as {name} was recorded, nobody looks: share of a core, server / all holders; events stored, flushes of files"),
            "both < 5 % together, neither for each report",
            ours,
            theirs.unwrap_or_default(),
        );
    }
}

fn ours(command: &[String], count: u32, seconds: u64) -> String {
    let quoted: Vec<String> = command.iter().map(|word| format!("'{word}'")).collect();
    let project = Project::new(&format!(
        "max_total_agents = {count}\n[limits]\nstarts_per_turn = 20\n[roles.default]\nagent = \"custom\"\ncommand = \"{}\"\n",
        quoted.join(" ")
    ));
    project.server();
    project.tasks(count);
    let wanted = usize::try_from(count).unwrap();
    project.wait_until("all agents", DEADLINE, || project.holders().len() >= wanted);
    std::thread::sleep(Duration::from_secs(3));
    let holders = || project.holders().into_iter().map(ticks).sum::<u64>();
    let events = || {
        String::from_utf8_lossy(&project.run(&["events", "--json"]).stdout)
            .lines()
            .count()
    };
    let server = project.server_pid();
    let stored = events();
    let before = (ticks(server), holders());
    std::thread::sleep(Duration::from_secs(seconds));
    let after = (ticks(server), holders());
    let stored = events() - stored;
    let flushes = flushes(server, seconds);
    let share = |before: u64, after: u64| percent(after.saturating_sub(before), seconds);
    format!(
        "{:.1} % / {:.1} %; {stored}, {flushes} in {seconds} s",
        share(before.0, after.0),
        share(before.1, after.1)
    )
}

/// Number of file flushes of a process in that many seconds. Measured separately, because tracing slows the process.
fn flushes(pid: u32, seconds: u64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls");
    let looker = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-e",
            "trace=fsync,fdatasync,sync,syncfs,msync",
            "-e",
            "signal=none",
            "-o",
        ])
        .arg(&calls)
        .args(["-p", &pid.to_string()])
        .spawn();
    let Ok(mut looker) = looker else {
        return "**strace is not installed**".to_owned();
    };
    std::thread::sleep(Duration::from_secs(seconds));
    let ended = looker.try_wait().unwrap();
    // A tracer that has ended by itself cannot be killed.
    looker.kill().unwrap_or_default();
    looker.wait().unwrap();
    match (ended, fs::read_to_string(&calls)) {
        (None, Ok(text)) => text
            .lines()
            .filter(|line| !line.contains("resumed>"))
            .count()
            .to_string(),
        _ => "**strace could not look**".to_owned(),
    }
}

fn theirs(command: &[String], count: u32, seconds: u64) -> String {
    let folder = home();
    let tmux = Tmux::start(folder.path());
    tmux.outer.first();
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    for _ in 0..count {
        tmux.ask(&[&["new-window"], command.as_slice()].concat());
    }
    // A window with only a shell, so that no other window is on the screen.
    tmux.ask(&["new-window", "/bin/sh"]);
    std::thread::sleep(Duration::from_secs(3));
    let server = tmux.server();
    let before = ticks(server);
    std::thread::sleep(Duration::from_secs(seconds));
    format!("{:.1} %", percent(ticks(server).saturating_sub(before), seconds))
}

/// Ticks of 10 ms as a share of that many seconds.
fn percent(ticks: u64, seconds: u64) -> f64 {
    let ticks = u32::try_from(ticks).unwrap();
    f64::from(ticks) / f64::from(u32::try_from(seconds).unwrap())
}

/// The command line that plays a tool under its own name, because titles are read by the name of a program.
fn player(folder: &Path, name: &str, cast: &str, (from, to): (u64, u64)) -> Vec<String> {
    let program = folder.join(name);
    std::os::unix::fs::symlink(std::env::current_exe().unwrap(), &program).unwrap();
    let cast: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", cast]
        .iter()
        .collect();
    let words = [
        PLAY.to_owned(),
        cast.display().to_string(),
        from.to_string(),
        to.to_string(),
    ];
    [vec![program.display().to_string()], words.to_vec()].concat()
}

/// Writes the part of a recording before the first time once, and then repeats the part between the two times at its recorded speed until
/// the reader is gone.
pub(crate) fn play(arguments: &[String]) {
    let [cast, from, to] = arguments else { return };
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let text = fs::read_to_string(cast).unwrap();
    let events = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let written = events.filter_map(|event| {
        let at = Duration::from_secs_f64(event.get(0)?.as_f64()?);
        let at = u64::try_from(at.as_millis()).ok()?;
        let text = event.get(2)?.as_str()?.to_owned();
        let is_output = event.get(1)?.as_str()? == "o" && at < to;
        is_output.then_some((at, text))
    });
    let (before, again): (Vec<_>, Vec<_>) = written.partition(|(at, _)| *at < from);
    let mut is_read = write_from(0, &before);
    while is_read {
        let begin = Instant::now();
        is_read = write_from(from, &again);
        wait_until(begin, to - from);
    }
}

/// Writes chunks at their times relative to `start`; returns false if the reader is gone.
fn write_from(start: u64, chunks: &[(u64, String)]) -> bool {
    let begin = Instant::now();
    chunks.iter().all(|(at, chunk)| {
        wait_until(begin, at - start);
        let mut out = std::io::stdout().lock();
        out.write_all(chunk.as_bytes()).and_then(|()| out.flush()).is_ok()
    })
}

fn wait_until(begin: Instant, millis: u64) {
    let at = begin + Duration::from_millis(millis);
    std::thread::sleep(at.saturating_duration_since(Instant::now()));
}
