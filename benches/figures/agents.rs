//! Twenty agents at once: memory, idleness, attaching; starting; a server that is killed.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use crate::dbs::Project;
use crate::outer::Outer;
use crate::panes::{home, log_text};
use crate::processes::{private, resident, ticks, wakeups};
use crate::table::{Table, mebibytes, median, millis};
use crate::tmux::Tmux;

/// Beginning of a frame for a terminal whose content is unknown.
const ANEW: &[u8] = b"\x1b[?25l\x1b[0m\x1b[2J";
/// Chooses a tab at once; a digit alone might be the beginning of a count.
const FIRST_TAB: &[u8] = b"\x021";
const AGENTS_TAB: &[u8] = b"\x022";
/// Longest time for any step here.
const DEADLINE: Duration = Duration::from_mins(2);

/// Time from the start of the command to the first frame, with a server that must be started and with one that runs.
pub(crate) fn starts(table: &mut Table) {
    let times = table.sizes.of(9, 3);
    let (mut new, mut again) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let project = Project::new("");
        new.push(project.client().first());
        project.dbs(&["stop"]);
        project.wait_until("the end of the server", DEADLINE, || project.server_pid() == 0);
        again.push(project.client().first());
    }
    let (new, again) = (median(new), median(again));
    let project = Project::new("");
    project.server();
    let warm = median((0..times).map(|_| project.client().first()).collect());
    let theirs = table.tmux.as_ref().map(|_| {
        let cold = (0..times).map(|_| {
            let folder = home();
            Tmux::start(folder.path()).outer.first()
        });
        let cold = median(cold.collect());
        let folder = home();
        let tmux = Tmux::start(folder.path());
        tmux.outer.first();
        let warm = (0..times).map(|_| tmux.attach(folder.path()).first());
        (
            format!("{} ms", millis(cold)),
            format!("{} ms", millis(median(warm.collect()))),
        )
    });
    let (theirs_cold, theirs_warm) = theirs.unwrap_or_default();
    table.row(
        "first frame, a new project: server, store and control repository included",
        "< 100 ms",
        format!("{} ms", millis(new)),
        theirs_cold.clone(),
    );
    table.row(
        "first frame, server included",
        "< 100 ms",
        format!("{} ms", millis(again)),
        theirs_cold,
    );
    table.row(
        "first frame, server running",
        "< 100 ms",
        format!("{} ms", millis(warm)),
        theirs_warm,
    );
}

/// A project with that many agents that have written 10,000 lines and wait.
fn with_agents(count: u32, lines: &str) -> Project {
    let project = Project::new(&format!(
        "max_total_agents = {count}\n[limits]\nstarts_per_turn = 20\n[roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        lines.replace('"', "\\\"")
    ));
    project.server();
    project.tasks(count);
    project
}

/// Memory, idleness and attaching with twenty agents of 10,000 lines each.
pub(crate) fn twenty(table: &mut Table) {
    let count = table.sizes.of(20, 5);
    let folder = tempfile::tempdir().unwrap();
    let log = log_text(folder.path(), 1);
    let script = folder.path().join("agent.sh");
    let body = format!(
        "head -n 10000 {0}; head -n 2000 {0}; printf 'at rest\\n'; exec sleep 100000\n",
        log.display()
    );
    fs::write(&script, body).unwrap();
    let project = with_agents(count, script.to_str().unwrap());
    let wanted = usize::try_from(count).unwrap();
    project.wait_until("all agents", DEADLINE, || project.holders().len() >= wanted);
    std::thread::sleep(Duration::from_secs(3));
    let client = project.client();
    client.first();
    std::thread::sleep(Duration::from_secs(2));
    let server = project.server_pid();
    let theirs = table.tmux.as_ref().map(|_| tmux_with(count, &script));
    let say = |field: fn(&TmuxFigures) -> String| theirs.as_ref().map(field).unwrap_or_default();
    table.row(
        format!("{count} agents x 10,000 lines, server memory"),
        "<= 150 MiB",
        mebibytes(resident(server)),
        say(|t| mebibytes(t.resident)),
    );
    let holders = project.holders();
    let middle = |measure: fn(u32) -> u64| {
        let mut all: Vec<u64> = holders.iter().map(|pid| measure(*pid)).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    table.row(
        "one holder, resident (of that private)",
        "about 3 MiB",
        format!("{} ({})", mebibytes(middle(resident)), mebibytes(middle(private))),
        "–",
    );
    idle(table, (&project, &client), say(|t| t.idle.clone()));
    attaching(table, &project, say(|t| format!("{} ms", millis(t.attach))));
}

/// Processor time and wake-ups while no work is done.
fn idle(table: &mut Table, (project, client): (&Project, &Outer), theirs: String) {
    let seconds = table.sizes.of(20, 3);
    let all = |measure: fn(u32) -> u64| {
        let holders = project.holders();
        [
            measure(project.server_pid()),
            measure(client.pid()),
            holders.into_iter().map(measure).sum(),
        ]
    };
    let (used, woken) = (all(ticks), all(wakeups));
    std::thread::sleep(Duration::from_secs(seconds));
    let share = |(after, before): (u64, u64)| {
        let hundredths = u32::try_from(after.saturating_sub(before)).unwrap();
        f64::from(hundredths) / f64::from(u32::try_from(seconds).unwrap())
    };
    let parts = |before: [u64; 3], after: [u64; 3]| {
        let mut both = after.into_iter().zip(before).map(share);
        [(); 3].map(|()| both.next().unwrap_or_default())
    };
    let [server, client, holders] = parts(used, all(ticks));
    let [server_woken, client_woken, holders_woken] = parts(woken, all(wakeups));
    table.row(
        "idle with those agents, one client: share of a core (wake-ups a second), server / client / all holders",
        "< 1 %",
        format!(
            "{server:.2} % ({server_woken:.0}) / {client:.2} % ({client_woken:.0}) / {holders:.2} % ({holders_woken:.0})"
        ),
        theirs,
    );
}

/// Attaches a second client while all agents are there.
fn attaching(table: &mut Table, project: &Project, theirs: String) {
    let times = table.sizes.of(9, 3);
    let taken = median((0..times).map(|_| project.client().first()).collect());
    table.row(
        "attach with those agents, from the command to the whole frame",
        "< 150 ms",
        format!("{} ms", millis(taken)),
        theirs,
    );
}

struct TmuxFigures {
    resident: u64,
    idle: String,
    attach: Duration,
}

fn tmux_with(count: u32, script: &std::path::Path) -> TmuxFigures {
    let folder = home();
    let tmux = Tmux::start(folder.path());
    tmux.outer.first();
    for _ in 0..count {
        tmux.ask(&["new-window", "sh", script.to_str().unwrap()]);
    }
    std::thread::sleep(Duration::from_secs(4));
    let server = tmux.server();
    let (used, woken) = (ticks(server), wakeups(server));
    std::thread::sleep(Duration::from_secs(5));
    let used = f64::from(u32::try_from(ticks(server) - used).unwrap()) / 5.0;
    let woken = (wakeups(server) - woken) / 5;
    let attach = median((0..3).map(|_| tmux.attach(folder.path()).first()).collect());
    TmuxFigures {
        resident: resident(server),
        idle: format!("{used:.2} % ({woken})"),
        attach,
    }
}

/// Six agents that keep counting; the server is killed, and the client starts it again. None of their output may be missing.
pub(crate) fn killed(table: &mut Table) {
    let count = 6;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent.sh");
    let lines = table.sizes.of(200_000, 20_000);
    // At full speed for a while, so that some of the output comes while no server reads it; then a word that stays.
    let body = format!("sleep 2; seq 1 {lines}; echo counted-$DBS_TASK-counted; exec sleep 100000\n");
    fs::write(&script, body).unwrap();
    let project = with_agents(count, script.to_str().unwrap());
    let wanted = usize::try_from(count).unwrap();
    project.wait_until("all agents", DEADLINE, || project.holders().len() >= wanted);
    let client = project.client();
    client.first();
    client.look_for(b"counted-t-6-counted");
    client.type_in(AGENTS_TAB);
    let mut taken = Vec::new();
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(400));
        taken.push(kill(&project, &client, ANEW));
    }
    client.look_for(b"counted-t-6-counted");
    client.type_in(FIRST_TAB);
    client.type_in(AGENTS_TAB);
    client.awaited(DEADLINE, "the end of the counting");
    let whole = kill(&project, &client, b"counted-t-6-counted");
    table.row(
        "server killed → its client draws again",
        "<= 1 s",
        format!("{} ms", millis(median(taken))),
        "–",
    );
    table.row(
        "server killed → all 6 panes on the screen again",
        "<= 1 s",
        format!("{} ms", millis(whole)),
        "–",
    );
    let mut expected = String::new();
    for line in 1..=lines {
        write!(expected, "{line}\r\n").unwrap();
    }
    let wrong = (1..=count).filter(|number| {
        let task = format!("t-{number}");
        let log = project.run(&["logs", &task, "--raw"]).stdout;
        memchr::memmem::find(&log, expected.as_bytes()).is_none()
    });
    let wrong = wrong.count();
    let said = if wrong == 0 {
        format!("0 of {} in 6 logs, over 4 kills", expected.len() * 6)
    } else {
        format!("**{wrong} of 6 logs are not whole**")
    };
    table.row("bytes of agents lost by killing servers", "0", said, "–");
}

/// Kills the server once it serves, and returns the time until its client shows that text again. The client continues at its first tab, so
/// the tab of the agents is chosen at the first output.
fn kill(project: &Project, client: &Outer, what: &[u8]) -> Duration {
    project.wait_until("a server", DEADLINE, || {
        project.json(&["status", "--json"]).pointer("/live") == Some(&true.into())
    });
    let server = nix::unistd::Pid::from_raw(i32::try_from(project.server_pid()).unwrap());
    client.look_for(ANEW);
    let killed = Instant::now();
    nix::sys::signal::kill(server, nix::sys::signal::Signal::SIGKILL).unwrap();
    let mut arrived = client.awaited(DEADLINE, "a frame of the next server");
    if what != ANEW {
        client.look_for(what);
        client.type_in(AGENTS_TAB);
        arrived = client.awaited(DEADLINE, "what the panes showed");
    }
    arrived - killed
}
