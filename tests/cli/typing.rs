//! Unusual things that people type and pipe, and the results.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::shop::{Said, Shop};
use crate::waiting::Program;

/// Runs a command with that standard input.
fn fed(shop: &Shop, arguments: &[&str], input: &[u8]) -> (i32, String) {
    let mut command = shop.command(&shop.git.project(), arguments);
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = Program::begin(piped);
    // A command that needs less need not read all of it.
    drop(program.stdin().write_all(input));
    let output = program.output();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn task(shop: &Shop, id: &str) -> Value {
    shop.json(&["task", "show", id, "--json"])["task"].clone()
}

#[test]
fn a_description_or_comment_is_read_from_the_standard_input_where_a_dash_stands() {
    let shop = Shop::new();
    let body = "First line\n\n- point\n".repeat(500);
    assert_eq!(
        fed(
            &shop,
            &["task", "create", "Fix", "--id", "t-1", "-d", "-"],
            body.as_bytes()
        )
        .0,
        0
    );
    assert_eq!(task(&shop, "t-1")["body"], body.trim_end());
    assert_eq!(fed(&shop, &["task", "update", "t-1", "-d", "-"], b"other\n").0, 0);
    assert_eq!(task(&shop, "t-1")["body"], "other");
    assert_eq!(fed(&shop, &["task", "comment", "t-1", "-"], body.as_bytes()).0, 0);
    assert_eq!(task(&shop, "t-1")["comments"][0]["text"], body.trim());
    let before = shop.board();
    let (code, why) = fed(&shop, &["task", "comment", "t-1", "-"], b"\xff\xfe");
    assert!(code == 1 && why.contains("UTF-8"), "{why}");
    let (code, why) = fed(&shop, &["task", "comment", "t-1", "-"], &b"x".repeat(300 * 1024));
    assert!(code == 1 && why.contains("more than 262144 bytes"), "{why}");
    let (code, why) = fed(&shop, &["task", "comment", "t-1", "-"], b" \n");
    assert!(code == 1 && why.contains("empty"), "{why}");
    assert_eq!(shop.board(), before);
}

#[test]
fn what_cannot_be_shown_in_one_line_is_no_title_and_what_can_do_harm_is_made_visible() {
    let shop = Shop::new();
    shop.refuses(&["task", "create", "one\ntwo"], 1, "several lines");
    shop.refuses(&["task", "create", &"x".repeat(501)], 1, "501 characters");
    shop.does(&[
        "task",
        "create",
        "Fix \u{1b}]0;owned\u{7}\u{202e}it",
        "--id",
        "t-1",
    ]);
    shop.does(&["task", "comment", "t-1", &"long ".repeat(2048)]);
    for words in [
        &["task", "list"][..],
        &["board"],
        &["task", "show", "t-1"],
        &["logs"],
        &["why", "t-1"],
    ] {
        let text = shop.does(words);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{words:?}: {text}");
    }
}

#[test]
fn ids_that_differ_only_in_capitals_are_not_taken_for_each_other() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.refuses(&["task", "show", "T-1"], 1, "T-1");
    shop.refuses(
        &["task", "create", "Fix", "--id", "T-1"],
        1,
        "only in capitals from t-1",
    );
}

#[test]
fn tasks_never_wait_for_themselves_over_any_way() {
    let shop = Shop::new();
    for id in ["a", "b", "c"] {
        shop.does(&["task", "create", "Fix", "--id", id]);
    }
    shop.does(&["task", "dep", "b", "a"]);
    shop.does(&["task", "dep", "c", "b"]);
    shop.refuses(&["task", "dep", "a", "c"], 1, "--remove");
    shop.refuses(&["task", "dep", "a", "a"], 1, "itself");
    shop.does(&["task", "create", "Fix", "--id", "d", "--deps", " a, b ,"]);
    assert_eq!(task(&shop, "d")["deps"], serde_json::json!(["a", "b"]));
}

#[test]
fn numbers_and_words_that_are_none_are_wrong_use() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.refuses(
        &["task", "update", "t-1", "--priority", "-1"],
        2,
        "-1 is not in 0..=4",
    );
    shop.refuses(&["task", "create", "x", "--priority", "high"], 2, "high");
    shop.refuses(&["task", "list", "--state", "finished"], 2, "done");
    shop.refuses(&["task", "list", "--stage", "nowhere"], 1, "development");
    shop.refuses(&["logs", "--raw"], 2, "ATTEMPT");
    shop.refuses(&["task", "create", "x", "--id", ""], 2, "--id");
    shop.does(&["task", "list", "--stage", "security-review"]);
}

#[cfg(unix)]
#[test]
fn words_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let shop = Shop::new();
    let mut command = shop.command(&shop.git.project(), &["task", "create"]);
    let output = command
        .arg(std::ffi::OsStr::from_bytes(b"\xff\xfe"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("UTF-8"),
        "{output:?}"
    );
    assert_eq!(shop.json(&["task", "list", "--json"]), serde_json::json!([]));
}

#[test]
fn a_program_learns_the_id_of_the_task_it_made() {
    let shop = Shop::new();
    let made = shop.json(&["task", "create", "Fix", "--json"]);
    let id = made["task"].as_str().unwrap();
    assert_eq!(task(&shop, id)["title"], "Fix");
    let released = shop.json(&["task", "create", "Fix", "--release", "--json"]);
    assert_eq!(shop.state(released["task"].as_str().unwrap()), "released");
}

#[test]
fn the_same_title_at_the_same_moment_makes_as_many_tasks() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    let one = || {
        let mut command = shop.command(&shop.git.project(), &["task", "create", "Fix"]);
        Program::begin(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    };
    let programs: Vec<_> = (0..8).map(|_| one()).collect();
    for program in programs {
        let output = program.output();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(
        shop.json(&["task", "list", "--json"]).as_array().unwrap().len(),
        8
    );
}

#[test]
fn a_theme_that_does_not_exist_is_told_with_the_place_where_it_is_set() {
    let shop = Shop::new();
    let said: Said = shop.run(&["config", "theme", "drak"]);
    assert!(
        said.code == 1 && said.err.contains("find the theme `drak`: there are auto"),
        "{said:?}"
    );
    shop.does(&["config", "theme", "dark"]);
    assert_eq!(shop.run(&["config"]).err, "");
    let file = shop.git.project().join(".debussy/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("prefix = \"a\"\n{}", text.replace("dark", "drak"))).unwrap();
    let line = 2 + text.lines().position(|line| line.contains("dark")).unwrap();
    let place = format!("config.toml:{line}: warning: could not find the theme `drak`");
    for words in [
        &["config"][..],
        &["config", "theme"],
        &["config", "theme", "--explain"],
    ] {
        let said = shop.run(words);
        assert!(said.code == 0 && said.err.contains(&place), "{words:?}: {said:?}");
    }
    let themes = file.with_file_name("themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("drak.toml"), "").unwrap();
    assert_eq!(shop.run(&["config", "theme"]).err, "", "the person's own theme");
}

#[test]
fn the_ways_to_be_called_are_tried_by_hand_and_looked_at_by_doctor() {
    let shop = Shop::new();
    let said = shop.run(&["notify", "--test"]);
    assert!(
        said.code == 1 && said.err.contains("set notify.command or notify.url"),
        "{said:?}"
    );
    let said = shop.run(&["doctor"]);
    assert!(
        said.out.contains("notify       attached terminals only"),
        "{said:?}"
    );
    shop.does(&["config", "notify.command", "sh -c 'printf %s \"$0\" >called'"]);
    assert_eq!(shop.does(&["notify"]), "command  sh\n");
    assert_eq!(shop.does(&["notify", "--test"]), "command  sh: sent\n");
    let called = std::fs::read_to_string(shop.git.project().join("called")).unwrap();
    assert!(
        called.ends_with(": a test: you can be reached by this"),
        "{called}"
    );
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    shop.does(&["config", "notify.url", &format!("http://{free}/private/path")]);
    let said = shop.run(&["notify", "--test", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let tried: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&tried[0]["sent"], &tried[1]["sent"]),
        (&true.into(), &false.into()),
        "{tried}"
    );
    assert!(!said.out.contains("private"), "{said:?}");
    let said = shop.run(&["doctor"]);
    let line = format!("ok      notify       by sh and http://{free}; `dbs notify --test` tries it");
    assert!(said.out.contains(&line), "{said:?}");
    shop.does(&["config", "notify.command", "dbs-no-such-program"]);
    let said = shop.run(&["doctor"]);
    assert!(
        said.out
            .contains("MISSING notify       could not find dbs-no-such-program"),
        "{said:?}"
    );
    let said = shop.run(&["config", "notify.url", "https://me:pw@example.org"]);
    assert!(
        said.code == 1 && said.err.contains("an address like") && !said.err.contains("pw"),
        "{said:?}"
    );
}

#[test]
fn a_secret_is_kept_and_never_shown() {
    let shop = Shop::new();
    shop.does(&["config", "notify.secret", "sesame"]);
    shop.does(&["config", "notify.token", "tk_sesame"]);
    let file = shop.git.project().join(".debussy/config.toml");
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("secret = \"sesame\"")
    );
    for arguments in [
        &["config"][..],
        &["config", "notify.secret"],
        &["config", "--explain"],
        &["config", "--json"],
        &["config", "notify.token", "--explain"],
        &["doctor"],
        &["notify", "--json"],
    ] {
        let said = shop.run(arguments);
        assert!(!format!("{said:?}").contains("sesame"), "{arguments:?}: {said:?}");
    }
    let explained = shop.does(&["config", "--explain"]);
    assert!(
        explained.contains("(docs/stories.md)") && !explained.contains("]("),
        "{explained}"
    );
    assert_eq!(shop.does(&["config", "notify.secret"]), "(set, not shown)\n");
    std::fs::write(&file, "[notify]\nsecret = [\"sesame\"]\n").unwrap();
    let said = shop.run(&["config"]);
    assert!(
        said.err.contains("not a list") && !said.err.contains("sesame"),
        "{said:?}"
    );
}

#[test]
fn what_is_not_understood_in_the_settings_is_told_by_doctor() {
    let shop = Shop::new();
    shop.does(&["config", "prefix", "a"]);
    let file = shop.git.project().join(".debussy/config.toml");
    std::fs::write(&file, "prefx = \"a\"\n").unwrap();
    let said = shop.run(&["doctor"]);
    assert!(
        said.out
            .contains("config.toml:1: warning: there is no setting `prefx`"),
        "{said:?}"
    );
    std::fs::write(&file, "prefix = \n").unwrap();
    let said = shop.run(&["doctor"]);
    assert!(
        said.out.contains("MISSING settings") && said.out.contains("config.toml:1"),
        "{said:?}"
    );
}
