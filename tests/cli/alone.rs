//! Without a server, without a project, without a terminal, without a reader.
#![expect(clippy::disallowed_methods, reason = "measures how long a person waits")]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use dbs::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use dbs::domain::{Board, Task, Timestamp};
use dbs::domain::{Command, Event, RequestId, TaskDraft};
use dbs::ports::store::{Store as _, Turn};

use crate::git_fixture::GitFixture;
use crate::shop::Shop;
use crate::waiting::Program;

#[test]
fn nothing_starts_without_a_server() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.does(&["task", "comment", "t-1", "another turn"]);
    assert_eq!(shop.state("t-1"), "released");
    let board = shop.board();
    assert_eq!(board["attempts"], serde_json::json!({}), "{board}");
    assert!(shop.does(&["why", "t-1"]).contains("no server runs"));
    assert!(!shop.attempts().join("1").exists());
}

#[test]
fn new_tasks_begin_with_the_prefix_that_is_set_and_a_board_may_begin_paused() {
    let mut shop = Shop::new();
    shop.does(&["config", "prefix", "till"]);
    assert!(shop.does(&["task", "create", "Fix"]).contains("till-"));
    let said = shop.run(&["config", "use_tmux_windows", "true"]);
    assert!(said.code == 0 && said.err.contains("real terminal"), "{said:?}");
    shop.does(&["config", "merge", "agent"]);
    assert!(shop.does(&["workflow", "show", "kanban"]).contains("integrator"));
    shop.does(&["config", "paused", "true"]);
    assert_eq!(shop.board()["pause"], serde_json::Value::Null);
    shop.serve();
    shop.wait_for("pause", || {
        shop.board()["pause"].to_string().contains("the setting `paused`")
    });
}

#[test]
fn the_keys_in_force_are_checked_and_counted() {
    let said = Shop::new().does(&["keys", "--check"]);
    let (number, rest) = said.split_once(' ').unwrap();
    assert!(number.parse::<usize>().unwrap() > 100, "{said}");
    assert_eq!(rest, "keys, no contradiction, every mode has a way out\n");
}

#[test]
fn a_pause_is_told_without_a_server_as_it_is_with_one() {
    let mut shop = Shop::new();
    shop.does(&["pause"]);
    let told = |shop: &Shop| {
        let status = shop.does(&["status"]);
        let of_it = status.lines().find(|line| line.starts_with("paused"));
        (of_it.map(str::to_owned), status.contains("no server runs"))
    };
    let paused = Some("paused by ann; `dbs resume` continues".to_owned());
    assert_eq!(told(&shop), (paused.clone(), true));
    shop.serve();
    assert_eq!(told(&shop), (paused, false));
    shop.does(&["resume"]);
    shop.does(&["stop"]);
    assert_eq!(told(&shop), (None, true));
}

/// Kinds of the events in the store, in order.
fn written(shop: &Shop) -> Vec<String> {
    let files = StoreFiles::new(&shop.git.state(), &shop.git.state().join("backups"));
    let stored = SqliteStore::open_reader(&files)
        .unwrap()
        .unwrap()
        .events(0, 100, None)
        .unwrap();
    let kind = |event: &Event| match event {
        Event::WorkflowsLoaded(_) => "workflows".to_owned(),
        Event::Configured(settings) => format!("configured {}", settings.max_agents),
        _ => "asked".to_owned(),
    };
    stored.iter().map(|stored| kind(&stored.event)).collect()
}

#[test]
fn settings_and_workflows_are_written_down_only_when_they_are_others() {
    let shop = Shop::new();
    for id in ["t-1", "t-2", "t-3"] {
        shop.does(&["task", "create", "Fix", "--id", id]);
    }
    // The settings of a board without a project deliver nothing, so the first real settings differ.
    assert_eq!(
        written(&shop),
        ["workflows", "configured 8", "asked", "asked", "asked"]
    );
    shop.does(&["config", "max_total_agents", "3"]);
    shop.does(&["task", "comment", "t-1", "one"]);
    shop.does(&["task", "comment", "t-1", "two"]);
    assert_eq!(
        written(&shop).get(5..).unwrap(),
        ["configured 3", "asked", "asked"]
    );
}

#[test]
fn outside_a_repository_every_command_says_so_in_one_sentence() {
    let shop = Shop::new();
    let outside = shop.git.root().join("home");
    for arguments in [
        &["status"][..],
        &["board"],
        &["task", "list"],
        &["task", "create", "x"],
        &["pause"],
        &["init"],
        &["doctor"],
        &["logs"],
        &["config"],
        &["stop"],
        &["watch"],
    ] {
        let said = shop.run_in(&outside, arguments);
        assert_eq!(said.code, 1, "{arguments:?}: {said:?}");
        let text = format!("{}{}", said.err, said.out);
        assert!(
            text.contains("git repository") && text.lines().count() == 1,
            "{said:?}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&outside).unwrap().count(),
        0,
        "nothing was created"
    );
    assert_eq!(shop.run_in(&outside, &["workflow", "list"]).code, 0);
}

#[test]
fn without_an_origin_a_server_refuses_and_doctor_says_how_to_mend_it() {
    let shop = Shop::new();
    shop.git.git(&shop.git.project(), &["remote", "remove", "origin"]);
    let said = shop.run(&["watch"]);
    assert!(said.code == 1 && said.err.contains("origin"), "{said:?}");
    let said = shop.run(&["doctor"]);
    assert!(said.code == 1 && said.out.contains("origin"), "{said:?}");
    shop.does(&["task", "create", "can still be planned"]);
}

#[test]
fn without_a_base_branch_doctor_names_the_setting() {
    let shop = Shop::new();
    let said = shop.run(&["doctor"]);
    assert!(
        said.code == 1 && said.out.contains("dbs config base_branch"),
        "{said:?}"
    );
    let said = shop.does(&["init"]);
    assert!(
        said.contains("most likely main (checked out here): `dbs config base_branch main`"),
        "{said}"
    );
    shop.does(&["config", "base_branch", "main"]);
    assert!(!shop.does(&["init"]).contains("most likely"));
    let said = shop.run(&["doctor"]);
    assert!(
        said.code == 1 && said.out.contains("dbs config roles.default.command"),
        "{said:?}"
    );
    assert!(shop.does(&["init"]).contains("still missing"));
    let said = shop.run(&["config", "roles.default.agent", "gemin"]);
    assert!(said.err.contains("did you mean `gemini`"), "{said:?}");
    let said = shop.run(&["config", "roles.default.agent", "custom"]);
    assert!(said.err.contains("it has no command yet"), "{said:?}");
    shop.does(&["config", "roles.default.command", "sleep 1"]);
    shop.json(&["doctor", "--json"]);
    assert!(shop.does(&["init"]).contains("is ready"));
    let said = shop.run(&["config", "roles.default.mode", "headless"]);
    for part in [
        "mode headless for role default, at ",
        "config.toml:",
        "its agent sleep runs only with its own interface here",
        "dbs config roles.default.mode visible",
        "or let claude, codex, opencode or gemini play this role",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    shop.does(&["config", "roles.default.mode", "visible"]);
    shop.git.git(&shop.git.project(), &["branch", "elsewhere"]);
    shop.does(&["config", "base_branch", "elsewhere"]);
    let said = shop.run(&["doctor"]);
    assert!(said.out.contains("git push origin elsewhere"), "{said:?}");
}

#[test]
fn a_stage_that_there_is_not_and_an_agent_that_there_is_not_are_refused_with_file_and_line() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.default.command", "sleep 1"]);
    let said = shop.run(&["config", "stages.reviewing.agent", "codx"]);
    for part in [
        "agent codx for stage reviewing, at ",
        "config.toml:",
        "no kind of agent",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let said = shop.run(&["config", "stages.reviewing.agent", "custom"]);
    assert!(said.err.contains("belongs to a role"), "{said:?}");
    shop.does(&["config", "stages.reviewing.agent", "rehearsal"]);
    assert!(shop.does(&["agents"]).contains("plays stage reviewing"));
    shop.json(&["doctor", "--json"]);
    let said = shop.run(&["config", "stages.reviewin.agent", "codex"]);
    for part in [
        "config.toml:",
        "no workflow has a stage reviewin, did you mean `reviewing`",
    ] {
        assert!(said.err.contains(part), "{part}: {said:?}");
    }
    let said = shop.run(&["doctor"]);
    assert!(
        said.code == 1 && said.out.contains("stages.reviewin.agent"),
        "{said:?}"
    );
    shop.does(&["config", "stages.reviewin.agent", "--unset"]);
    shop.json(&["doctor", "--json"]);
}

#[test]
fn without_a_terminal_there_is_help_instead_of_a_screen_and_no_server() {
    let shop = Shop::new();
    let said = shop.run(&[]);
    assert!(
        said.code == 1 && said.out.contains("Examples:") && said.err.contains("terminal"),
        "{said:?}"
    );
    let said = shop.run(&["start", "A wish"]);
    assert!(said.code == 1 && said.err.contains("terminal"), "{said:?}");
    assert_eq!(shop.json(&["sessions", "--json"]), serde_json::json!([]));
    assert_eq!(shop.json(&["task", "list", "--json"]), serde_json::json!([]));
    assert!(shop.does(&["--version"]).starts_with("dbs "));
    assert!(shop.does(&["task", "create", "--help"]).contains("Examples:"));
}

/// Puts many tasks into the store as the engine would, each in one turn, but without the program around it.
fn many(git: &GitFixture, count: usize) {
    let files = StoreFiles::new(&git.state(), &git.state().join("backups"));
    let owner = LockOwner {
        process: 1,
        socket: String::new(),
    };
    let mut store = SqliteStore::open(&files, &owner, Timestamp(1)).unwrap();
    let mut board = Board::default();
    board.sleep();
    let flows = dbs::formats::workflow::builtin().into_iter();
    let flows = flows.filter_map(|(name, text)| dbs::formats::workflow::read(name.as_ref(), text).0);
    board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
    let event = |id: &str| {
        let draft = serde_json::json!({
            "id": id, "batch": "main", "workflow": "kanban", "stage": null, "title": "A task", "body": "", "kind": "task",
            "tags": [], "priority": 2, "deps": [], "gates": [], "needs_approval": false,
        });
        let draft: TaskDraft = serde_json::from_value(draft).unwrap();
        let (request, by) = (RequestId(0), "ann".to_owned());
        Event::Asked {
            request,
            by,
            command: Command::Create(draft),
        }
    };
    board.apply(Timestamp(2), &event("t-0"));
    let first = board.tasks.values().next().unwrap().as_ref().clone();
    for n in 1..count {
        let task = Task {
            id: format!("t-{n}").as_str().into(),
            ..first.clone()
        };
        board.tasks.insert(task.id.clone(), task.into());
    }
    let mut touched = board.take_changed_rows();
    touched.tasks = board.tasks.keys().cloned().collect();
    let event = event("t-0");
    let turn = Turn {
        at: Timestamp(2),
        event: &event,
        board: &board,
        changed: &touched,
        effects: &[],
    };
    store.commit(&turn).unwrap();
}

#[test]
fn ten_thousand_tasks_are_listed_quickly_and_a_reader_that_leaves_is_no_error() {
    let shop = Shop::new();
    shop.does(&["init"]);
    many(&shop.git, 10_000);
    for arguments in [&["task", "list"][..], &["board"], &["status"]] {
        let before = Instant::now();
        shop.does(arguments);
        let took = before.elapsed();
        assert!(
            took < Duration::from_secs(8),
            "{arguments:?} took {took:?} even for a debug build"
        );
    }
    let mut command = shop.command(&shop.git.project(), &["task", "list"]);
    let program = Program::begin(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut line = String::new();
    BufReader::new(program.stdout()).read_line(&mut line).unwrap();
    let output = program.output();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(line.contains("t-0"), "{line}");
}

#[test]
fn a_workflow_is_drawn_with_the_lines_that_are_set() {
    let shop = Shop::new();
    shop.does(&["config", "glyphs", "ascii"]);
    let drawn = shop.does(&["workflow", "show", "kanban"]);
    assert!(drawn.is_ascii() && drawn.contains("-+ reviewer "), "{drawn}");
    shop.does(&["config", "glyphs", "unicode"]);
    let drawn = shop.does(&["workflow", "show", "kanban"]);
    assert!(drawn.contains("─┤ reviewer "), "{drawn}");
    assert!(drawn.contains("proof      workspace unchanged"), "{drawn}");
}

#[test]
fn the_agent_of_a_task_is_set_part_by_part_and_taken_back() {
    let shop = Shop::new();
    shop.does(&[
        "task", "create", "Fix", "--id", "t-1", "--agent", "codex", "--model", "small",
    ]);
    let agent = || shop.json(&["task", "show", "t-1", "--json"])["task"]["agent"].clone();
    assert_eq!(agent(), serde_json::json!({ "agent": "codex", "model": "small" }));
    shop.does(&["task", "update", "t-1", "--effort", "high", "--model", "default"]);
    assert_eq!(agent(), serde_json::json!({ "agent": "codex", "effort": "high" }));
    shop.refuses(
        &["task", "update", "t-1", "--permissions", "everything"],
        1,
        "permissions",
    );
    shop.refuses(
        &["task", "update", "t-1", "--model=--yolo"],
        1,
        "is not a name of a model",
    );
    shop.does(&[
        "task", "update", "t-1", "--agent", "default", "--effort", "default",
    ]);
    assert_eq!(agent(), serde_json::Value::Null);
}

/// Gates, time limit, workflow, stage and approval of the task `t-1`.
fn chosen_for_task(shop: &Shop) -> String {
    let task = shop.json(&["task", "show", "t-1", "--json"])["task"].clone();
    let gates = task["gates"].as_array().unwrap().iter();
    let gates: Vec<String> = gates.map(|gate| gate["command"].to_string()).collect();
    let of = |name: &str| task[name].to_string();
    [
        gates.join(" "),
        of("timeout"),
        of("workflow"),
        of("stage"),
        of("needs_approval"),
    ]
    .join(", ")
}

/// Asserts that a printed list of tasks can be imported with all settings of each task.
fn what_is_listed_is_read_again(shop: &Shop) {
    let listed = shop.git.root().join("tasks.json");
    std::fs::write(&listed, shop.does(&["task", "list", "--json"])).unwrap();
    let other = Shop::new();
    other.does(&["task", "import", listed.to_str().unwrap()]);
    let task = other.json(&["task", "show", "t-1", "--json"])["task"].clone();
    assert_eq!(
        (&task["timeout"], &task["gates"][1]["name"]),
        (&1_800_000.into(), &"unit".into())
    );
}

#[test]
fn checks_limit_workflow_and_approval_of_a_task_are_chosen_when_it_is_made_and_later() {
    let shop = Shop::new();
    shop.does(&[
        "task",
        "create",
        "Fix",
        "--id",
        "t-1",
        "--gate",
        "test=make test",
        "--timeout",
        "90m",
        "--workflow",
        "phased",
    ]);
    let said = || chosen_for_task(&shop);
    assert_eq!(said(), r#""make test", 5400000, "phased", "work", false"#);
    shop.does(&[
        "task",
        "update",
        "t-1",
        "--gate",
        "lint=make lint",
        "--gate",
        "unit=make unit",
        "--timeout",
        "30m",
        "--approval",
        "yes",
    ]);
    assert_eq!(
        said(),
        r#""make lint" "make unit", 1800000, "phased", "work", true"#
    );
    what_is_listed_is_read_again(&shop);
    shop.does(&[
        "task",
        "update",
        "t-1",
        "--no-gates",
        "--timeout",
        "default",
        "--workflow",
        "kanban",
        "--stage",
        "merging",
        "--approval",
        "no",
    ]);
    assert_eq!(said(), r#", null, "kanban", "merging", false"#);
    shop.refuses(
        &["task", "update", "t-1", "--timeout", "soon"],
        2,
        "write a time such as 90s",
    );
    shop.refuses(
        &["task", "create", "x", "--timeout", "0"],
        2,
        "write a time such as 90s",
    );
}
