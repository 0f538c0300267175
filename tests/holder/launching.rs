//! Starts that work, starts that are refused, and what a program gets.

use std::fs;

use dbs::adapters::holder::HolderMeta;
use dbs::domain::{ProcessExit, TroubleKind};
use dbs::ports::holders::{HolderId, HolderLiveness, Holders, LaunchError, LaunchSpec};

use super::bench::{Bench, wait_for};

#[test]
fn a_program_gets_exactly_the_environment_it_was_given() {
    let bench = Bench::new();
    let mut spec = bench.spec("1", "env; pwd; umask");
    spec.env.push(("SHELL".into(), "/bin/sh".into()));
    spec.env.push(("SECRET".into(), "hunter2".into()));
    bench.launch(&spec).expect("started");
    bench.end("1");
    let text = bench.tail("1", 10_000);
    let mut names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    // The shell itself adds its folder and its level.
    names.retain(|name| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"));
    assert_eq!(names, ["DBS_MARKER", "LC_ALL", "PATH", "SECRET", "SHELL"]);
    assert!(text.contains(&format!("DBS_MARKER={}\r\n", bench.marker("1"))));
    let folder = fs::canonicalize(&spec.cwd).expect("it exists");
    assert!(text.contains(&format!("{}\r\n", folder.display())), "{text}");
    assert!(!text.ends_with("0077\r\n"), "the holder's own mask: {text}");
}

#[cfg(target_os = "linux")]
#[test]
fn secrets_are_in_no_process_list_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::new();
    let mut spec = bench.spec("1", "echo ready; read x");
    spec.env.push(("SECRET".into(), "hunter2".into()));
    let launched = bench.launch(&spec).expect("started");
    bench.wait_for_output("1", "ready");
    for file in ["cmdline", "environ"] {
        let text = fs::read(format!("/proc/{}/{file}", launched.holder_pid)).expect("readable");
        assert!(!String::from_utf8_lossy(&text).contains("hunter2"), "{file}");
    }
    for handle in fs::read_dir(format!("/proc/{}/fd", launched.holder_pid))
        .expect("readable")
        .flatten()
    {
        let target = fs::read_link(handle.path()).unwrap_or_default();
        assert!(
            !target.to_string_lossy().starts_with("pipe:"),
            "the holder keeps {} of its starter",
            target.display()
        );
    }
    let limits = fs::read_to_string(format!("/proc/{}/limits", launched.holder_pid)).expect("readable");
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .expect("a limit");
    assert!(core.contains(" 0 "), "{core}");
    for name in ["meta.json", "tty/000001.log", "tty/index.jsonl", "exit.json.part"] {
        let mode = fs::metadata(bench.attempts.join("1").join(name))
            .expect(name)
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
    let stat = fs::read_to_string(format!("/proc/{}/stat", launched.holder_pid)).expect("readable");
    let after_name = stat.rsplit_once(')').expect("a name").1;
    assert_eq!(
        after_name.split_ascii_whitespace().nth(4),
        Some("0"),
        "the holder has a terminal"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn neither_a_holder_nor_its_program_keeps_a_file_that_its_starter_left_open() {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};

    let bench = Bench::new();
    let secret = bench.attempts.with_file_name("secret");
    let left_open = fs::File::create(&secret).expect("written");
    fcntl(&left_open, FcntlArg::F_SETFD(FdFlag::empty())).expect("handed on");
    let open = "n=; for f in /proc/$$/fd/*; do if [ -e $f ]; then n=\"$n ${f##*/}\"; fi; done; echo \"open:$n.\"; read x";
    let launched = bench.start("1", open);
    bench.wait_for_output("1", "open: 0 1 2.");
    for handle in fs::read_dir(format!("/proc/{}/fd", launched.holder_pid))
        .expect("readable")
        .flatten()
    {
        let target = fs::read_link(handle.path()).unwrap_or_default();
        assert_ne!(target, secret, "the holder keeps it");
    }
}

#[test]
fn launching_again_answers_what_runs_and_never_starts_twice() {
    let bench = Bench::new();
    let spec = bench.spec("1", "echo $$ >> starts; read x");
    let launched: Vec<_> = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..4).map(|_| scope.spawn(|| bench.launch(&spec))).collect();
        tries
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let started: Vec<_> = launched
        .iter()
        .flatten()
        .map(|launched| launched.holder_pid)
        .collect();
    assert!(!started.is_empty(), "{launched:?}");
    assert!(
        started.iter().all(|holder| Some(holder) == started.first()),
        "{launched:?}"
    );
    for failed in launched.iter().filter_map(|launched| launched.as_ref().err()) {
        assert!(matches!(failed, LaunchError::Unclear(_)), "{failed:?}");
    }
    assert_eq!(
        bench.launch(&spec).map(|again| again.holder_pid).ok(),
        started.first().copied()
    );
    bench.holders.send(&spec.id, b"\r").expect("typed");
    bench.end("1");
    assert!(matches!(bench.launch(&spec), Err(LaunchError::AlreadyRan(_))));
    assert_eq!(
        fs::read_to_string(spec.cwd.join("starts"))
            .expect("it ran")
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_program_whose_holder_died_before_it_could_say_so_is_never_started_again() {
    let bench = Bench::new();
    let spec = bench.spec("1", "echo $$ >> starts; kill -9 $PPID; exec sleep 600");
    // It is a race whether the holder answers before it is killed, but its program ran in any case.
    drop(bench.launch(&spec));
    wait_for("it is lost", || bench.state("1") == HolderLiveness::Lost);
    match bench.launch(&spec) {
        Err(LaunchError::AlreadyRan(state)) => assert_eq!(*state, HolderLiveness::Lost),
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.holders.sweep_orphans(&spec.id).expect("swept").survivors, 0);
    let starts = fs::read_to_string(spec.cwd.join("starts")).expect("it ran");
    assert_eq!(starts.lines().count(), 1);
}

#[test]
fn what_cannot_work_is_refused_with_a_reason_and_may_be_mended() {
    let bench = Bench::new();
    let spec = bench.spec("1", "exit 0");
    let wrong: [(LaunchSpec, &str); 6] = [
        (
            LaunchSpec {
                argv: vec!["no-such-program-anywhere".into()],
                ..spec.clone()
            },
            "no-such-program-anywhere",
        ),
        (
            LaunchSpec {
                argv: vec![],
                ..spec.clone()
            },
            "no program",
        ),
        (
            LaunchSpec {
                cwd: "/no/such/folder".into(),
                ..spec.clone()
            },
            "no such folder",
        ),
        (
            LaunchSpec {
                id: HolderId::new("../1"),
                ..spec.clone()
            },
            "plain name",
        ),
        (
            LaunchSpec {
                id: HolderId::new(""),
                ..spec.clone()
            },
            "plain name",
        ),
        (
            LaunchSpec {
                marker: "short".into(),
                ..spec.clone()
            },
            "marker",
        ),
    ];
    for (wrong, reason) in wrong {
        match bench.launch(&wrong) {
            Err(LaunchError::Refused(why)) => {
                assert!(why.text.contains(reason), "{why}");
                let is_about_program = reason == "no-such-program-anywhere";
                assert_eq!(why.kind == TroubleKind::Agent, is_about_program, "{why}");
            }
            other => panic!("{reason}: {other:?}"),
        }
        assert_eq!(bench.state("1"), HolderLiveness::NotStarted);
    }
    bench.launch(&spec).expect("mended");
    assert_eq!(bench.end("1").exit, ProcessExit::Code(0));
}

#[test]
fn a_number_used_again_or_another_boot_is_not_taken_for_the_holder() {
    let bench = Bench::new();
    let launched = bench.start("1", "read x");
    let file = bench.attempts.join("1/meta.json");
    let text = fs::read_to_string(&file).expect("written");
    let meta: HolderMeta = serde_json::from_str(&text).expect("readable");
    assert_eq!((meta.holder.pid, meta.format), (launched.holder_pid, 1));
    let earlier_boot = text.replace(&meta.holder.boot, "an-earlier-boot");
    let other_start = text.replace(&format!("\"start\":{}", meta.holder.start), "\"start\":1");
    for (wrong, state) in [
        (earlier_boot, HolderLiveness::GoneWithMachine),
        (other_start, HolderLiveness::Lost),
    ] {
        assert_ne!(wrong, text);
        fs::write(&file, wrong).expect("ours");
        assert_eq!(bench.state("1"), state);
    }
    fs::write(&file, "{\"torn").expect("ours");
    assert!(matches!(bench.state("1"), HolderLiveness::Unknown(_)));
    assert!(
        bench.holders.sweep_orphans(&HolderId::new("1")).is_err(),
        "unknown is not dead"
    );
    fs::write(&file, text).expect("ours");
    assert!(matches!(bench.state("1"), HolderLiveness::Running(_)));
}

#[test]
fn fifty_holders_at_once_are_all_found_and_all_end_as_they_should() {
    let bench = Bench::new();
    std::thread::scope(|scope| {
        for worker in 0..5 {
            let bench = &bench;
            scope.spawn(move || {
                for number in (worker * 10)..(worker * 10 + 10) {
                    bench.start(
                        &number.to_string(),
                        &format!("echo me {number}; read x; echo got $x; exit {number}"),
                    );
                }
            });
        }
    });
    let held = bench.holders.inventory().expect("listed");
    let ids: Vec<String> = held.iter().map(|held| held.id.to_string()).collect();
    assert_eq!(ids, (0..50).map(|number| number.to_string()).collect::<Vec<_>>());
    assert!(
        held.iter()
            .all(|held| matches!(held.state, HolderLiveness::Running(_)))
    );
    for held in &held {
        bench
            .holders
            .send(&held.id, format!("word {}\r", held.id).as_bytes())
            .expect("typed");
    }
    for (number, id) in (0..).zip(&ids) {
        assert_eq!(bench.end(id).exit, ProcessExit::Code(number));
        assert!(bench.tail(id, 1000).ends_with(&format!("got word {number}\r\n")));
    }
    wait_for("every process to be gone", || {
        ids.iter().all(|id| bench.marked(id).is_empty())
    });
}
