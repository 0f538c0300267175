//! Ends of programs, holders and starters: however one comes about, it is known, and nothing is left.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dbs::adapters::holder::LogReader;
use dbs::adapters::holder::process::{ProcessIdentity, ProcessSelector, members, processes};
use dbs::adapters::holder::protocol::HolderReply;
use dbs::domain::{ProcessExit, Span, Tri};
use dbs::ports::holders::{ExitedBy, HolderId, HolderLiveness, Holders, LaunchSpec, OrphanPolicy};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::bench::{Bench, Dice, Seen, wait_for};

/// Script that ignores every polite signal, and leaves the group, the session, the parents and even the marker.
const HOSTILE: &str = r#"
trap '' HUP TERM INT
(setsid sh -c 'trap "" HUP TERM; (setsid sh -c "trap \"\" HUP TERM; echo deep; sleep 1000; sleep 1000" &) ; sleep 1000; sleep 1000' &)
(env -i PATH="$PATH" setsid sh -c 'trap "" HUP TERM; (sleep 1000 &) ; echo bare; sleep 1000; sleep 1000' &)
(nohup setsid sleep 1000 >/dev/null 2>&1 &)
for i in 1 2 3 4 5; do (while :; do (sleep 0.05 &); sleep 0.05; done) & done
echo all
while :; do sleep 1; done
"#;

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(pid).expect("a pid")), signal).expect("it is ours");
}

#[test]
fn nothing_survives_a_stop_whatever_it_ignores_and_wherever_it_hides() {
    let bench = Bench::new();
    let launched = bench.start("1", HOSTILE);
    for word in ["deep", "bare", "all"] {
        bench.wait_for_output("1", word);
    }
    let mut everything = ProcessSelector::marked(&bench.marker("1")).below(launched.holder_pid);
    wait_for("the whole tree", || {
        members(&mut everything).expect("listed").len() >= 10
    });
    let hidden = members(&mut everything).expect("listed");
    let start = Instant::now();
    let stopped = bench
        .holders
        .stop(&HolderId::new("1"), Span(300))
        .expect("stopped");
    assert!(
        start.elapsed() < Duration::from_secs(8),
        "it took {:?}",
        start.elapsed()
    );
    assert_eq!(stopped.survivors, 0);
    for row in hidden {
        let left = ProcessIdentity::of(row.pid).filter(|now| now.start == row.start);
        assert_eq!(left, None, "{row:?} survived");
    }
    assert_eq!(bench.marked("1"), []);
    let end = bench.end("1");
    assert_eq!((end.exit, end.by), (ProcessExit::Signal(9), ExitedBy::Stop));
}

#[test]
fn a_program_that_obeys_is_not_killed() {
    let bench = Bench::new();
    bench.start(
        "1",
        "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.02; done",
    );
    bench.wait_for_output("1", "ready");
    assert_eq!(
        bench
            .holders
            .stop(&HolderId::new("1"), Span(10_000))
            .expect("stopped")
            .survivors,
        0
    );
    let end = bench.end("1");
    assert_eq!((end.exit, end.by), (ProcessExit::Code(4), ExitedBy::Stop));
    assert_eq!(bench.tail("1", 5), "bye\r\n");
}

#[test]
fn an_end_within_milliseconds_is_never_lost() {
    let bench = Bench::new();
    let scripts = [
        ("exit 0", ProcessExit::Code(0)),
        ("printf hi; exit 3", ProcessExit::Code(3)),
        ("kill -9 $$", ProcessExit::Signal(9)),
    ];
    for round in 0..10 {
        for (number, (script, exit)) in scripts.iter().enumerate() {
            let id = format!("{round}{number}");
            bench.start(&id, script);
            let end = bench.end(&id);
            assert_eq!((&end.exit, end.by), (exit, ExitedBy::Itself));
            assert_eq!(bench.tail(&id, 10), if number == 1 { "hi" } else { "" });
        }
    }
}

#[test]
fn leftovers_are_ended_after_an_attempt_and_left_alone_after_a_shell() {
    let bench = Bench::new();
    // Before the program ends, the process is in a session of its own and ignores hang-ups, so only a sweep ends it.
    let daemon = "mkfifo up; setsid sh -c 'trap \"\" HUP; echo >up; exec sleep 1000' & read x <up; rm up; ";
    bench.start("1", &format!("{daemon} sleep 1000 & echo done"));
    assert_eq!(bench.end("1").exit, ProcessExit::Code(0));
    assert_eq!(bench.marked("1"), []);
    let spec = bench.spec("shell-1", &format!("{daemon} echo done"));
    bench
        .launch(&LaunchSpec {
            orphans: OrphanPolicy::Leave,
            ..spec
        })
        .expect("started");
    assert_eq!(bench.end("shell-1").exit, ProcessExit::Code(0));
    assert_eq!(
        bench
            .holders
            .sweep_orphans(&HolderId::new("shell-1"))
            .expect("nothing to do")
            .survivors,
        0
    );
    assert_eq!(bench.marked("shell-1").len(), 1);
    assert_eq!(
        bench
            .holders
            .stop(&HolderId::new("shell-1"), Span(1000))
            .expect("stopped")
            .survivors,
        0
    );
    assert_eq!(bench.marked("shell-1"), []);
}

#[test]
fn a_killed_holder_is_lost_within_a_second_and_its_tree_is_gone_after_a_sweep() {
    let bench = Bench::new();
    // Without its holder, a process that has no marker either cannot be found, and would outlive the test.
    let marked = HOSTILE.lines().filter(|line| !line.contains("env -i"));
    let launched = bench.start("1", &marked.collect::<Vec<_>>().join("\n"));
    for word in ["deep", "all"] {
        bench.wait_for_output("1", word);
    }
    let mut connection = bench.connect("1");
    connection.requests.attach(0).expect("attached");
    signal(launched.holder_pid, Signal::SIGKILL);
    let start = Instant::now();
    while let Some(reply) = connection.replies.next_reply().expect("readable") {
        assert!(!matches!(reply, HolderReply::Exited(_)));
    }
    wait_for("the loss", || bench.state("1") == HolderLiveness::Lost);
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "it took {:?}",
        start.elapsed()
    );
    assert!(bench.tail("1", 1000).contains("all"));
    assert!(!bench.marked("1").is_empty(), "this program survives hang-ups");
    assert_eq!(
        bench
            .holders
            .sweep_orphans(&HolderId::new("1"))
            .expect("swept")
            .survivors,
        0
    );
    assert_eq!(bench.marked("1"), []);
    assert_eq!(bench.state("1"), HolderLiveness::Lost);
    assert!(!launched.socket.exists());
}

/// Number of processes that watch others.
const WATCHERS: usize = 250;

/// Sweeps processes that watch others, and returns what they did when those had died.
fn done_during_a_sweep(bench: &Bench, id: &str) -> Option<String> {
    // The oldest and the youngest process keep a pipe open each. A process that watches one of them reads its end as soon as that one has
    // died, and then does its work. When the oldest dies, which leads the session, the system continues the halted processes.
    let script = format!(
        "trap '' HUP TERM INT; mkdir {id}; cd {id}; mkfifo pipe0 pipe1
        for i in $(seq {WATCHERS}); do
          (exec 4<pipe$((i % 2)); echo up; read x <&4; echo $i >>done) &
        done
        (exec 3>pipe1; echo up; exec sleep 1000) &
        exec 3>pipe0; wait"
    );
    let launched = bench.start(id, &script);
    wait_for("all of them", || {
        bench.tail(id, 64 * 1024).matches("up").count() == WATCHERS + 1
    });
    signal(launched.holder_pid, Signal::SIGKILL);
    wait_for("the loss", || bench.state(id) == HolderLiveness::Lost);
    assert!(bench.marked(id).len() >= WATCHERS + 2, "they survive hang-ups");
    let swept = bench.holders.sweep_orphans(&HolderId::new(id)).expect("swept");
    assert_eq!(swept.survivors, 0);
    assert_eq!(bench.marked(id), []);
    std::fs::read_to_string(bench.spec(id, "").cwd.join(id).join("done")).ok()
}

#[test]
fn none_of_the_processes_that_are_ended_lives_to_do_anything_after_another_has_died() {
    let bench = Bench::new();
    // On a busy machine, by chance none of them may run.
    for round in ["1", "2", "3"] {
        let done = done_during_a_sweep(&bench, round);
        assert_eq!(done, None, "these lived on, round {round}");
    }
}

#[test]
fn a_holder_killed_anywhere_leaves_a_log_that_is_the_beginning_of_the_output() {
    let bench = Bench::new();
    let expected: String = (100_000..400_000)
        .flat_map(|number: u32| [number.to_string(), "\r\n".into()])
        .collect();
    let mut dice = Dice(7);
    for round in 0..12 {
        let id = format!("{round}");
        let spec = bench.spec(&id, "seq 100000 399999; sleep 1000");
        let launched = bench
            .launch(&LaunchSpec {
                log_limit: Some(8 * 1024 * 1024),
                ..spec
            })
            .expect("started");
        let enough = dice.below(expected.len()) as u64;
        let mut log = LogReader::open(&bench.attempts.join(&id)).expect("readable");
        wait_for("some output", || log.end().expect("readable") >= enough);
        signal(launched.holder_pid, Signal::SIGKILL);
        wait_for("the loss", || bench.state(&id) == HolderLiveness::Lost);
        assert_eq!(
            bench
                .holders
                .sweep_orphans(&HolderId::new(&*id))
                .expect("swept")
                .survivors,
            0
        );
        let tail = log.tail(u64::MAX).expect("readable");
        assert!(
            tail.offset == 0 && tail.bytes.len() as u64 >= enough,
            "{} of {enough}",
            tail.bytes.len()
        );
        assert!(expected.as_bytes().starts_with(&tail.bytes), "round {round}");
    }
}

#[test]
fn a_holder_that_is_told_to_end_ends_in_good_order_and_ignores_a_hang_up() {
    let bench = Bench::new();
    let launched = bench.start("1", "trap '' HUP; echo ready; while :; do sleep 0.02; done");
    bench.wait_for_output("1", "ready");
    signal(launched.holder_pid, Signal::SIGHUP);
    bench
        .holders
        .send(&HolderId::new("1"), b"still there\r")
        .expect("typed");
    bench.wait_for_output("1", "still there");
    signal(launched.holder_pid, Signal::SIGTERM);
    let end = bench.end("1");
    assert_eq!((end.exit, end.by), (ProcessExit::Signal(15), ExitedBy::Shutdown));
}

#[test]
fn the_end_is_told_to_who_listens_and_the_holder_then_goes() {
    let bench = Bench::new();
    let launched = bench.start("1", "read x; echo $x; exit 9");
    let holder = ProcessIdentity::of(launched.holder_pid).expect("it lives");
    let mut connection = bench.connect("1");
    connection.requests.attach(0).expect("attached");
    connection.requests.input(b"x\r").expect("typed");
    let mut seen = Seen::default();
    while !seen.take(connection.replies.next_reply().expect("readable").expect("open")) {}
    assert_eq!(bench.end("1").exit, ProcessExit::Code(9));
    // A peer that comes a little later is told as well.
    let mut late = bench.connect("1");
    late.requests.attach(0).expect("attached");
    let mut again = Seen::default();
    while !again.take(late.replies.next_reply().expect("readable").expect("open")) {}
    assert_eq!(again.bytes, seen.bytes);
    assert_eq!(holder.is_alive(), Tri::Yes);
    drop((connection, late));
    wait_for("the holder to go", || holder.is_alive() != Tri::Yes);
    assert!(!launched.socket.exists());
    assert!(bench.attempts.join("1/tty/000001.log.zst").exists());
    assert_eq!(bench.tail("1", 3), "x\r\n");
}

#[test]
fn a_starter_may_be_killed_at_once_and_leaves_no_zombie_while_it_lives() {
    let bench = Bench::new();
    let mut starter = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "ending::the_starter", "--ignored", "--nocapture"])
        .env("HOLDER_TEST_HOME", bench.attempts.parent().expect("a home"))
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("started");
    wait_for("the attempt to run", || {
        matches!(bench.state("1"), HolderLiveness::Running(_))
    });
    let HolderLiveness::Running(launched) = bench.state("1") else {
        panic!("it ran a moment ago")
    };
    bench.wait_for_output("1", "ready");
    let by_starter = || {
        processes()
            .expect("listed")
            .into_iter()
            .filter(|row| row.parent == starter.id())
            .count()
    };
    wait_for("the starter to have no child", || by_starter() == 0);
    killpg(
        Pid::from_raw(i32::try_from(starter.id()).expect("a pid")),
        Signal::SIGKILL,
    )
    .expect("ours");
    starter.wait().expect("collected");
    let row = processes()
        .expect("listed")
        .into_iter()
        .find(|row| row.pid == launched.holder_pid)
        .expect("it lives");
    assert_eq!(row.session, row.pid, "a session of its own");
    bench.holders.send(&HolderId::new("1"), b"go\r").expect("typed");
    assert_eq!(bench.end("1").exit, ProcessExit::Code(6));
    assert_eq!(bench.tail("1", 8), "got go\r\n");
}

/// Process that the test above kills, not a test.
#[test]
#[ignore = "started by another test"]
fn the_starter() {
    let Ok(home) = std::env::var("HOLDER_TEST_HOME") else {
        return;
    };
    let home = std::path::PathBuf::from(home);
    let holders = dbs::adapters::holder::LocalHolders::new(
        env!("CARGO_BIN_EXE_dbs").into(),
        home.join("attempts"),
        home.join("run"),
    );
    let spec = Bench::new().spec("1", "echo ready; read x; echo got $x; exit 6");
    let marker = format!("{}/1", home.display());
    holders
        .launch(&LaunchSpec {
            marker,
            cwd: home,
            ..spec
        })
        .expect("started");
    loop {
        std::thread::park();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_flood_of_processes_is_ended_with_its_attempt_to_the_last_one() {
    let bench = Bench::new();
    let flood = "i=0; while [ $i -lt 400 ]; do (trap '' HUP TERM; exec sleep 1000) & i=$((i+1)); done; echo all; wait";
    bench.start("1", flood);
    bench.wait_for_output("1", "all");
    wait_for("the flood", || bench.marked("1").len() > 400);
    bench
        .holders
        .stop(&HolderId::new("1"), Span(100))
        .expect("stopped");
    assert_eq!(bench.marked("1"), []);
}
