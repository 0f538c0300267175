//! Every command of the board and the session, once through a running server and once without: the same words, the same effect.

use std::cell::RefCell;
use std::sync::LazyLock;

use serde_json::Value;

use crate::shop::{Said, Shop};

/// A shop that records the answers to its commands, for a comparison with another shop.
struct Noted<'a> {
    shop: &'a Shop,
    said: RefCell<Vec<(String, String)>>,
}

impl Noted<'_> {
    fn note(&self, arguments: &[&str], said: &Said) {
        let root = self.shop.git.root().display().to_string();
        let all = format!("{}{}", said.out, said.err).replace(&root, "ROOT");
        let answer = format!("code {}\n{}", said.code, without_moments(&all));
        self.said.borrow_mut().push((arguments.join(" "), answer));
    }

    fn does(&self, arguments: &[&str]) -> String {
        let said = self.shop.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
        self.note(arguments, &said);
        said.out
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.does(arguments)).unwrap()
    }

    fn refuses(&self, arguments: &[&str], code: i32, because: &str) {
        let said = self.shop.refusal(arguments, code, because);
        self.note(arguments, &said);
    }

    fn state(&self, id: &str) -> Value {
        self.shop.state(id)
    }
}

/// Returns a text without the parts that change with time: times, numbers of events, and the moment at which a batch was found stalled (a
/// server finds that after each command; without a server the next command does).
fn without_moments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("batch main stalled"));
    let lines = lines.map(|line| {
        let has_time = line.get(2..3) == Some(":") && line.get(5..6) == Some(":");
        let line = if has_time {
            line.get(8..).unwrap_or_default()
        } else {
            line
        };
        let mut parts = line.split("\"seq\":");
        let mut rest: String = parts.next().unwrap_or_default().to_owned();
        rest.extend(parts.map(|part| part.trim_start_matches(|letter: char| letter.is_ascii_digit())));
        let words = rest.split_inclusive(|letter: char| !letter.is_ascii_digit());
        let is_moment = |word: &&str| word.chars().filter(char::is_ascii_digit).count() >= 13;
        let words = words.map(|word| {
            if is_moment(&word) {
                word.trim_start_matches(|letter: char| letter.is_ascii_digit())
            } else {
                word
            }
        });
        words.collect::<String>() + "\n"
    });
    lines.collect()
}

/// All commands in order, each with its answer in a shop.
fn everything(shop: &Shop) -> Vec<(String, String)> {
    let noted = Noted {
        shop,
        said: RefCell::default(),
    };
    planning(&noted);
    reading(&noted);
    steering(&noted);
    overview(&noted);
    settings(&noted);
    refusals(&noted);
    noted.said.into_inner()
}

/// Answers of every command where no server runs.
static ALONE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| everything(&Shop::new()));

fn planning(shop: &Noted<'_>) {
    shop.does(&["config", "base_branch", "main"]);
    assert!(shop.does(&["pause"]).contains("paused"));
    let make = [
        "task",
        "create",
        "Fix login",
        "--id",
        "t-1",
        "-d",
        "src/login.rs",
        "--tag",
        "urgent",
        "--json",
    ];
    assert!(shop.json(&make)["ok"].as_str().unwrap().contains("t-1"));
    shop.does(&[
        "task",
        "create",
        "Second",
        "--id",
        "t-2",
        "--deps",
        "t-1",
        "--release",
    ]);
    shop.does(&["task", "create", "Third", "--id", "t-3", "--approval"]);
    shop.does(&[
        "task",
        "update",
        "t-1",
        "--title",
        "Fix the login",
        "--priority",
        "0",
    ]);
    shop.does(&["task", "comment", "t-1", "look", "at", "the", "cookie"]);
    shop.does(&["task", "dep", "t-3", "t-1"]);
    shop.does(&["task", "dep", "t-3", "t-1", "--remove"]);
    shop.does(&["task", "release", "t-1"]);
}

fn reading(shop: &Noted<'_>) {
    let shown = shop.does(&["task", "show", "t-1"]);
    assert!(
        shown.contains("Fix the login") && shown.contains("look at the cookie"),
        "{shown}"
    );
    assert_eq!(
        shop.json(&["task", "list", "--json"]).as_array().unwrap().len(),
        3
    );
    assert_eq!(
        shop.json(&["task", "list", "--state", "backlog", "--json"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(shop.json(&["task", "ready", "--json"])[0]["id"], "t-1");
    let is_served = shop.shop.json(&["status", "--json"])["live"] == true;
    let why = if is_served {
        "t-2: waits for t-1"
    } else {
        "t-2: released: no server runs; `dbs` starts one"
    };
    assert_eq!(shop.does(&["task", "why", "t-2"]).trim(), why);
    assert_eq!(shop.json(&["why", "t-2", "--json"])["text"], why);
}

fn steering(shop: &Noted<'_>) {
    shop.does(&["task", "park", "t-1", "later"]);
    assert_eq!(shop.state("t-1")["parked"], "later");
    shop.does(&["task", "retry", "t-1", "--note", "now"]);
    assert_eq!(shop.state("t-1"), "released");
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["retry", "t-1"]);
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["task", "close", "t-3", "not wanted"]);
    assert_eq!(shop.state("t-3"), "cancelled");
    shop.does(&["skip", "t-2"]);
}

fn overview(shop: &Noted<'_>) {
    let board = shop.does(&["board"]);
    assert!(board.contains("Fix the login"), "{board}");
    assert!(shop.does(&["status"]).contains("base branch"));
    let log = shop.does(&["logs"]);
    assert!(log.contains("t-1 created"), "{log}");
    assert!(
        shop.does(&["logs", "--json"])
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
}

fn settings(shop: &Noted<'_>) {
    shop.does(&["resume"]);
    shop.does(&["pause", "--json"]);
    shop.does(&["config", "max_total_agents", "3"]);
    assert_eq!(shop.does(&["config", "max_total_agents"]).trim(), "3");
    let taken_out = shop.does(&["config", "max_total_agents", "--unset"]);
    assert!(taken_out.contains("not set any more"), "{taken_out}");
    assert_eq!(shop.does(&["config", "max_total_agents"]).trim(), "8");
    shop.refuses(
        &["config", "max_total_agents", "3", "--unset"],
        2,
        "cannot be used with '--unset'",
    );
    shop.json(&["config", "--json"]);
    shop.json(&["sessions", "--json"]);
    shop.json(&["workflow", "list", "--json"]);
    assert!(shop.does(&["workflow", "show"]).contains("development"));
    shop.does(&["workflow", "check"]);
    shop.does(&["init"]);
    assert!(shop.does(&["completions", "bash"]).contains("_dbs"));
}

fn refusals(shop: &Noted<'_>) {
    for verb in ["approve", "skip", "retry"] {
        shop.refuses(&[verb, "nope"], 1, "nope");
    }
    shop.refuses(&["reject", "t-1", "why"], 1, "t-1 has no work to reject");
    shop.refuses(&["answer", "t-1", "why"], 1, "leave a comment");
    for verb in ["show", "why", "retry", "release"] {
        shop.refuses(&["task", verb, "nope"], 1, "nope");
    }
    for verb in ["comment", "park", "close", "dep"] {
        shop.refuses(&["task", verb, "nope", "t-1"], 1, "nope");
    }
    shop.refuses(&["task", "update", "nope", "--title", "x"], 1, "nope");
    shop.refuses(&["task", "update", "t-1"], 1, "--title");
    shop.refuses(&["task", "update", "t-1", "--priority", "9"], 2, "0..=4");
    shop.refuses(&["task", "update", "t-1", "--stage", "nowhere"], 1, "nowhere");
    shop.refuses(&["task", "create", "Again", "--id", "t-1"], 1, "t-1");
    shop.refuses(&["task", "create", "x", "--type", "wish"], 2, "wish");
    shop.refuses(&["task", "create", "x", "--workflow", "none"], 1, "none");
    shop.refuses(&["task", "create", "  "], 1, "title is empty");
    shop.refuses(&["task", "dep", "t-1", "t-1"], 1, "t-1 cannot wait for itself");
    shop.refuses(&["approve", "t-1"], 1, "t-1");
    shop.refuses(&["task", "release", "t-3"], 1, "t-3");
    assert_eq!(shop.does(&["pause"]), "work is paused already\n");
    shop.refuses(&["kill-agent", "nobody"], 1, "nobody");
    shop.refuses(&["logs", "nobody"], 1, "nobody");
    shop.refuses(&["logs", "999"], 1, "999");
    shop.refuses(&["config", "nope", "1"], 1, "nope");
    shop.refuses(&["config", "max_total_agents", "many"], 1, "max_total_agents");
    shop.refuses(&["workflow", "show", "nope"], 1, "nope");
    shop.refuses(&["workflow", "check", "nope.toml"], 1, "nope.toml");
    shop.refuses(&["attach", "nope"], 1, "nope");
    shop.refuses(&["signal", "claim"], 1, "DBS_ATTEMPT");
    shop.refuses(&["done"], 1, "DBS_ATTEMPT");
    shop.refuses(&["progress", "x"], 1, "DBS_ATTEMPT");
    shop.refuses(&["task", "create"], 2, "TITLE");
    shop.refuses(&["nope"], 2, "nope");
    shop.refuses(&["signal", "maybe"], 2, "maybe");
    shop.refuses(&["start"], 1, "terminal");
}

#[test]
fn every_command_works_through_a_server() {
    let shop = Shop::served();
    let served = everything(&shop);
    assert_eq!(served.len(), ALONE.len());
    let mut others = Vec::new();
    for ((command, served), (same, alone)) in served.iter().zip(ALONE.iter()) {
        assert_eq!(command, same);
        if served != alone {
            let is_of_server = alone.contains("no server runs") || command == "sessions --json";
            assert!(
                is_of_server,
                "{command}\nthrough a server: {served}\nwithout one: {alone}"
            );
            others.push(command.as_str());
        }
    }
    let speak_of_it = [
        "task show t-1",
        "task list --json",
        "task ready --json",
        "task why t-2",
        "why t-2 --json",
        "board",
        "status",
        "sessions --json",
        "answer t-1 why",
    ];
    assert_eq!(others, speak_of_it);
    assert!(shop.does(&["sessions"]).contains("project"));
    assert!(shop.does(&["stop", "--all"]).contains("ends"));
    assert!(shop.does(&["stop"]).contains("no server runs"));
}

#[test]
fn every_command_works_without_a_server() {
    assert!(ALONE.len() > 60, "{}", ALONE.len());
    let shop = Shop::new();
    assert!(shop.does(&["stop"]).contains("no server runs"));
    shop.refuses(&["logs", "--follow"], 1, "no server runs");
    shop.refuses(&["attach"], 1, "no server runs");
}

#[test]
fn what_was_planned_without_a_server_is_there_when_one_starts() {
    let mut shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.serve();
    assert_eq!(shop.state("t-1"), "backlog");
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["stop"]);
    assert_eq!(shop.state("t-1")["parked"], "later");
}

#[test]
fn json_that_is_printed_acts_on_no_terminal() {
    let mut shop = Shop::new();
    let hidden = ['\u{9b}', '\u{7f}', '\u{202e}', '\u{e0041}'];
    let text: String = hidden.iter().collect();
    shop.does(&["task", "create", "Fix", "--id", "t-1", "-d", &text]);
    for served in [false, true] {
        if served {
            shop.serve();
        }
        let shown = shop.does(&["task", "show", "t-1", "--json"]);
        assert!(!shown.contains(hidden), "served: {served}: {shown:?}");
        assert!(
            shop.json(&["task", "show", "t-1", "--json"])["task"]["body"] == *text,
            "{shown}"
        );
    }
}

/// More connections than a server takes: half of them have said hello, and none sends a request.
#[cfg(unix)]
#[test]
fn connections_that_are_only_held_open_lock_nobody_out() {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    use dbs::protocol::wire::{FromClient, Hello, PROTOCOL, encode_message};

    let shop = Shop::served();
    let hello = encode_message(&FromClient::Hello(Hello {
        protocol: PROTOCOL,
        program: "held open".to_owned(),
    }));
    let hello = hello.unwrap();
    let length = u32::try_from(hello.len()).unwrap().to_be_bytes();
    let socket = shop.socket();
    let held: Vec<UnixStream> = (0..400)
        .map(|number| {
            let mut stream = UnixStream::connect(&socket).unwrap();
            if number % 2 == 0 {
                // A connection that had to make room is closed already.
                drop(stream.write_all(&[&length[..], &hello].concat()));
            }
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(shop.json(&["status", "--json"])["live"], true);
    }
    assert_eq!(held.len(), 400);
}

#[test]
fn a_server_copies_the_board_after_a_task_has_moved() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    let copies = shop.git.state().join("backups");
    shop.wait_for("a copy", || {
        let entries = std::fs::read_dir(&copies).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("store-") && name.contains(".db")
        })
    });
}

#[test]
fn settings_that_cannot_be_read_let_no_kept_work_go() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "attic.days", "0"]);
    shop.does(&["pause"]);
    shop.does(&["task", "create", "Over", "--id", "t-1"]);
    shop.does(&["task", "create", "Fix", "--id", "t-2"]);
    shop.does(&["task", "close", "t-1", "enough"]);
    let state = shop.git.state();
    let raw = rusqlite::Connection::open(state.join("store.db")).unwrap();
    let long_ago =
        "UPDATE tasks SET since = 1, doc = json_set(doc, '$.since', 1), sum = NULL WHERE id = 't-1';
        UPDATE about SET summed_from = (SELECT max(seq) FROM events) + 1;";
    raw.execute_batch(long_ago).unwrap();
    raw.close().unwrap();
    shop.serve();

    // Work that was kept long ago, and the log of an attempt that follows the settings in force.
    let kept = state.join("control.git");
    let work = shop.git.git(&kept, &["hash-object", "-w", "/dev/null"]);
    let name = "refs/dbs/attic/t-1/1";
    shop.git
        .git(&kept, &["update-ref", "--create-reflog", name, &work]);
    let log = shop.attempts().join("77/00000.log");
    std::fs::create_dir_all(log.parent().unwrap()).unwrap();
    std::fs::write(&log, "x").unwrap();
    for path in [
        kept.join("logs").join(name),
        log.clone(),
        shop.attempts().join("77"),
    ] {
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
        std::fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    }

    let settings = shop.git.project().join(".debussy/config.toml");
    std::fs::write(settings, "[attic\n").unwrap();
    shop.does(&["task", "release", "t-2"]);
    shop.wait_for("old logs to go with a copy", || !log.exists());
    shop.does(&["stop"]);
    assert_eq!(shop.git.git(&kept, &["rev-parse", name]), work);
}

#[test]
fn status_names_base_agents_counts_and_branches_and_stands_below_the_board() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "max_total_agents", "3"]);
    shop.git.git(&shop.git.project(), &["branch", "feature/t-1"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    let status = shop.does(&["status"]);
    for line in [
        "paused by ann",
        "base branch: main",
        "agents: 0/3",
        "tasks: 1 backlog",
        "branches: feature/t-1",
    ] {
        assert!(status.contains(line), "{line}: {status}");
    }
    assert_eq!(shop.json(&["status", "--json"])["branches"][0], "feature/t-1");
    let board = shop.does(&["board"]);
    let (columns, below) = board.split_once("\n\n").unwrap();
    assert!(columns.contains("Backlog (1)"), "{board}");
    assert_eq!(below.trim(), status.trim());
}

#[test]
fn an_agent_at_work_stands_in_the_status_with_role_task_and_time() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", "sleep 600"]);
    shop.serve();
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.wait_for("agent", || shop.does(&["status"]).contains("agents: 1/8"));
    let status = shop.does(&["status"]);
    let line = status.lines().find(|line| line.contains("developer-")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[1], "t-1", "{line}");
    assert!(words[2].ends_with('s'), "{line}");
    let board = shop.does(&["board"]);
    assert!(board.contains(&format!("[{}: ", words[0])), "{line}\n{board}");
}

#[test]
fn an_agent_configured_while_the_server_works_plays_its_role_from_then_on() {
    let shop = Shop::served();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "limits.infra_backoff", "1"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    let why = || shop.does(&["task", "show", "t-1"]);
    shop.wait_for("word of it", || why().contains("no agent is configured for it"));
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", "sleep 600"]);
    let running = || shop.json(&["status", "--json"])["agents"][0]["state"] == "running";
    shop.wait_for("agent at work", running);
}

#[test]
fn debug_counts_tasks_by_state_and_stage_and_lists_the_state_folder() {
    let shop = Shop::new();
    for n in 1..=4 {
        let id = format!("t-{n}");
        shop.does(&["task", "create", "Fix", "--id", &id]);
    }
    shop.does(&["task", "create", "Accept", "--id", "a-1", "--stage", "acceptance"]);
    shop.does(&["task", "park", "t-4", "later"]);
    let text = shop.does(&["debug"]);
    let words = |start: &str| -> Vec<&str> {
        let line = text.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("no {start}: {text}"))
            .split_whitespace()
            .skip(2)
            .collect()
    };
    assert_eq!(words("state backlog"), ["4", "a-1,", "t-1,", "t-2,", "…"]);
    assert_eq!(words("state parked"), ["1", "t-4"]);
    assert_eq!(words("stage development"), ["4", "t-1,", "t-2,", "t-3,", "…"]);
    assert_eq!(words("stage acceptance"), ["1", "a-1"]);
    assert!(
        text.contains(".git/dbs\n") && text.contains("  attempts "),
        "{text}"
    );
    let data = shop.json(&["debug", "--json"]);
    assert_eq!(data["stages"]["development"]["count"], 4);
    assert!(
        data["entries"]
            .as_array()
            .unwrap()
            .iter()
            .any(|entry| entry["name"] == "attempts")
    );
}
