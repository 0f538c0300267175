//! Work lists of other tools: shown before they become tasks, imported once, and named correctly by the commands that do not take them.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this file: reads PATH, and serves `gh` in a thread"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;

use serde_json::json;

use crate::shop::Shop;

const ISSUES: &str = "{\"id\":\"app-1\",\"title\":\"Login form\",\"description\":\"Two fields.\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"feature\",\"labels\":[\"ui\"],\
    \"dependencies\":[{\"depends_on_id\":\"app-2\",\"type\":\"blocks\"},{\"depends_on_id\":\"app-3\",\"type\":\"blocks\"}]}\n\
    {\"id\":\"app-2\",\"title\":\"User table\",\"status\":\"in_progress\",\"priority\":2,\"issue_type\":\"task\"}\n\
    {\"id\":\"app-3\",\"title\":\"Story\",\"status\":\"closed\",\"priority\":2,\"issue_type\":\"task\"}\n";

/// A shop with that file in its project.
fn with(name: &str, text: &str) -> Shop {
    let shop = Shop::new();
    let file = shop.git.project().join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
    shop
}

#[test]
fn a_list_is_shown_and_nothing_is_made_without_a_yes() {
    let shop = with(".beads/issues.jsonl", ISSUES);
    let said = shop.run(&["import"]);
    assert_eq!(said.code, 1, "{said:?}");
    let wanted = "beads store: .beads/issues.jsonl, 2 tasks to be created, 1 done\n\
        app-2        User table  (.beads/issues.jsonl:2)\n\
        app-1        Login form  (.beads/issues.jsonl:1, waits for app-2)\n";
    assert_eq!(said.out, wanted);
    assert!(said.err.contains("add --yes"), "{said:?}");
    assert_eq!(shop.json(&["task", "list", "--json"]), json!([]));
}

#[test]
fn an_issue_becomes_one_task_however_often_its_list_is_imported() {
    let shop = with(".beads/issues.jsonl", ISSUES);
    shop.does(&["import", ".beads/issues.jsonl", "--yes"]);
    let task = shop.json(&["task", "show", "app-1", "--json"])["task"].clone();
    assert_eq!(
        (&task["deps"], &task["tags"], &task["kind"]),
        (&json!(["app-2"]), &json!(["ui"]), &json!("feature"))
    );
    assert_eq!(
        (&task["state"], &task["body"]),
        (&json!("backlog"), &json!("Two fields."))
    );
    assert_eq!(task["plan"]["source"]["imported"], "beads");
    let again = shop.does(&["import", "--yes"]);
    assert_eq!(
        again,
        "beads store: .beads/issues.jsonl, 0 tasks to be created, 1 done, 2 on the board already\n"
    );
}

#[test]
fn tasks_written_for_the_board_are_imported_by_the_same_verb() {
    let shop = with(
        "tasks.jsonl",
        "{\"title\": \"One\", \"id\": \"t-1\"}\n{\"title\": \"Two\", \"deps\": [\"t-1\"]}\n",
    );
    let said = shop.does(&["import", "tasks.jsonl", "--yes", "--release"]);
    assert!(
        said.starts_with("list of tasks: tasks.jsonl, 2 to be created\nOne  (tasks.jsonl:1)\n"),
        "{said}"
    );
    assert!(said.contains("released t-1: One\n"), "{said}");
}

#[test]
fn each_command_names_what_a_file_is_and_the_command_for_it() {
    let shop = with("issues.jsonl", &ISSUES.repeat(20));
    let project = shop.git.project();
    let files = [
        (
            "tasks.json",
            "{\"master\":{\"tasks\":[{\"id\":1,\"title\":\"T\",\"status\":\"pending\"}]}}",
        ),
        ("empty.jsonl", ""),
        ("list.json", "[{\"id\":\"D-1\",\"title\":\"T\",\"passes\":false}]"),
        ("todo.md", "# To do\n- [ ] one\n"),
        ("plan.md", "# P\n\n## Phase 1: Model\n- [ ] one\n"),
        ("prd.json", "{\"userStories\":[]}"),
        ("text.md", "just text\n"),
    ];
    for (name, text) in files {
        fs::write(project.join(name), text).unwrap();
    }
    let cases: &[(&[&str], &str)] = &[
        (
            &["task", "import", "issues.jsonl"],
            "it is a beads store; `dbs import issues.jsonl` shows what becomes of it",
        ),
        (
            &["task", "import", "tasks.json"],
            "it is a task-master file; `dbs import tasks.json`",
        ),
        (&["task", "import", "empty.jsonl"], "it is empty"),
        (
            &["audit", "list.json"],
            "it is a list of stories; `dbs import list.json` makes tasks of it",
        ),
        (
            &["audit", "issues.jsonl"],
            "it is a beads store; `dbs import issues.jsonl`",
        ),
        (
            &["run", "todo.md"],
            "it is a checklist; `dbs import todo.md` makes tasks of it, `dbs convert todo.md`",
        ),
        (
            &["import", "plan.md"],
            "it is a phased plan; `dbs run plan.md` carries it out",
        ),
        (&["import", "prd.json"], "it is a PRD; `dbs atdd run prd.json`"),
        (
            &["import", "text.md"],
            "`dbs convert text.md` has an agent make a plan of it",
        ),
        (&["import", "empty.jsonl"], "it is a file that is empty"),
        (
            &["import", "todo.md", "--label", "x"],
            "--label, --milestone, --search and --repo are for `github` and `gitlab`",
        ),
    ];
    for (arguments, because) in cases {
        let said = shop.refusal(arguments, 1, because);
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    }
}

/// Returns an environment in which the first `gh` in the `PATH` answers as that script does.
fn with_gh(shop: &Shop, script: &str) -> std::collections::BTreeMap<String, String> {
    let folder = shop.git.root().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("gh");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo \"gh version 2.46.0 (2024-03-20)\"; exit; }}\nprintf '%s\\n' \"$@\" >\"$0.args\"\n{script}\n"
    );
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let own = shop.environment().into_iter();
    let own = own.map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()));
    own.chain([("PATH".to_owned(), path)]).collect()
}

#[test]
fn issues_of_a_forge_come_through_the_persons_own_program() {
    let shop = Shop::new();
    let issues = json!([
        { "number": 12, "title": "Crash \u{1b}[31mred", "body": "$(touch owned)", "labels": [{ "name": "bug" }], "state": "OPEN",
          "url": "https://github.com/o/r/issues/12" },
    ]);
    let env = with_gh(&shop, &format!("cat <<'END'\n{issues}\nEND"));
    let said = shop.run_with(
        &env,
        &["import", "github", "--label=--web", "--search", "a b", "--yes"],
    );
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.out
            .contains("gh-12        Crash [31mred  (https://github.com/o/r/issues/12)"),
        "{said:?}"
    );
    let words = fs::read_to_string(shop.git.root().join("bin/gh.args")).unwrap();
    assert!(words.contains("\n--label=--web\n--search=a b\n"), "{words}");
    let task = shop.json(&["task", "show", "gh-12", "--json"])["task"].clone();
    assert_eq!(task["plan"]["source"]["plan"], "https://github.com/o/r/issues");
    let none = with_gh(&shop, "echo '[]'");
    assert!(
        shop.run_with(&none, &["import", "github"])
            .err
            .contains("no open issue fits")
    );
}

#[test]
fn a_forge_that_cannot_be_asked_says_why_and_makes_nothing() {
    let shop = Shop::new();
    let refused = with_gh(
        &shop,
        "echo 'To get started, please run:  gh auth login' >&2; exit 4",
    );
    let said = shop.run_with(&refused, &["import", "github", "--yes"]);
    assert!(
        said.code == 1 && said.err.contains("log in with `gh auth login`"),
        "{said:?}"
    );
    let broken = with_gh(&shop, "echo '[{\"number\":1,\"url\":\"https://x/issues/1\"}]'");
    let said = shop.run_with(&broken, &["import", "github", "--yes"]);
    assert!(
        said.code == 1 && said.err.contains("this issue has no number or no title"),
        "{said:?}"
    );
    assert_eq!(shop.json(&["task", "list", "--json"]), json!([]));
}

/// Answers one call of `gh` as GitHub would, with one issue. Returns the request.
fn answer_one(listener: &UnixListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut asked = vec![0; length];
    reader.read_exact(&mut asked).unwrap();
    let issue = json!({
        "number": 7, "title": "Export", "body": "As CSV.", "state": "OPEN", "url": "https://github.com/own/shop/issues/7",
        "labels": { "nodes": [{ "id": "L", "name": "bug", "description": "", "color": "ff0000" }], "totalCount": 1 },
    });
    let page = json!({ "hasNextPage": false, "endCursor": "" });
    let found = json!({ "data": {
        "repository": { "hasIssuesEnabled": true, "issues": { "totalCount": 1, "nodes": [issue], "pageInfo": page } },
        "search": { "issueCount": 1, "nodes": [issue], "pageInfo": page },
    } });
    let body = found.to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    String::from_utf8(asked).unwrap()
}

/// The `gh` of the distribution, where it is installed: it reaches a server of this test over a socket.
#[test]
fn the_real_gh_gives_the_issues_of_a_server_that_speaks_as_github_does() {
    let shop = Shop::new();
    let folder = shop.git.root().join("gh");
    fs::create_dir_all(&folder).unwrap();
    let socket = shop.home().with_file_name("g.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    fs::write(
        folder.join("config.yml"),
        format!("http_unix_socket: {}\n", socket.display()),
    )
    .unwrap();
    let own = shop.environment().into_iter();
    let own = own.map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()));
    let more = [("GH_CONFIG_DIR", folder.to_str().unwrap()), ("GH_TOKEN", "none")];
    let more = more.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let env = own.chain(more).collect();
    let serving = std::thread::spawn(move || answer_one(&listener));
    let said = shop.run_with(
        &env,
        &[
            "import",
            "github",
            "--repo",
            "own/shop",
            "--label",
            "ready now",
            "--yes",
        ],
    );
    if said.err.contains("there is no gh on PATH") {
        eprintln!("not tested: gh is not installed");
        return;
    }
    assert_eq!(said.code, 0, "{said:?}");
    assert!(serving.join().unwrap().contains("ready now"));
    let task = shop.json(&["task", "show", "gh-7", "--json"])["task"].clone();
    assert_eq!((&task["title"], &task["kind"]), (&json!("Export"), &json!("bug")));
}
