//! Stories of a list of work: its items become tasks, and are closed in the list once the person asks for that.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;

use crate::driver::{Server, Story, path_behind};
use crate::scenarios::working;

const FIRST: &str =
    "{\"id\":\"app-1\",\"title\":\"One\",\"status\":\"open\", \"issue_type\":\"task\",\"other\":[1,  2]}\n";
const SECOND: &str = "{\"id\":\"app-2\" ,\"title\":\"Two\",\"status\":\"open\",\"issue_type\":\"task\"}\n";

#[test]
fn an_issue_is_closed_in_its_store_once_its_task_is_done_and_the_person_asked_for_that() {
    let story = Story::new(&working(""));
    let file = story.project().join(".beads/issues.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!("{FIRST}{SECOND}");
    fs::write(&file, &text).unwrap();
    story.dbs(&["import", "--yes"]);
    let server = story.server();
    story.dbs(&["task", "release", "app-1"]);
    story.wait_until("the first task is done", || story.count("done") == 1);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        text,
        "nothing is written before the person asks for it"
    );
    story.dbs(&["config", "import.write_back", "true"]);
    story.dbs(&["task", "park", "app-2", "later"]);
    story.wait_until("the first issue is closed", || {
        fs::read_to_string(&file).unwrap() != text
    });
    let written = fs::read_to_string(&file).unwrap();
    let (first, rest) = written.split_once('\n').unwrap();
    assert_eq!(
        rest, SECOND,
        "an issue whose task is not done stays byte for byte"
    );
    let begin = "{\"id\":\"app-1\",\"title\":\"One\",\"status\":\"closed\", \"issue_type\":\"task\",\"other\":[1,  2],\"updated_at\":\"";
    assert!(
        first.starts_with(begin) && first.contains("\"closed_at\":\""),
        "{first}"
    );
    drop(server);
    story.dbs(&["stop", "--all"]);
}

#[test]
fn an_item_that_a_person_opens_again_stays_open_and_one_of_two_alike_is_not_guessed() {
    let story = Story::new(&working(""));
    let file = story.project().join("todo.md");
    fs::write(&file, "- [ ] fix\n- [ ] fix\n- [ ] other\n- [ ] last\n").unwrap();
    let made = story.dbs(&["import", "todo.md", "--yes"]);
    let ids: Vec<&str> = made
        .lines()
        .filter_map(|line| line.strip_prefix("created ")?.split_once(':'))
        .map(|(id, _)| id)
        .collect();
    let [first, second, other, last] = ids[..] else {
        panic!("{made}")
    };
    story.dbs(&["config", "import.write_back", "true"]);
    let _server = story.server();
    let now = || fs::read_to_string(&file).unwrap();
    story.dbs(&["task", "release", other]);
    story.wait_until("the box is ticked", || {
        now() == "- [ ] fix\n- [ ] fix\n- [x] other\n- [ ] last\n"
    });
    story.dbs(&["task", "release", second]);
    story.wait_until("the second of two is ticked", || {
        now() == "- [ ] fix\n- [x] fix\n- [x] other\n- [ ] last\n"
    });
    // The person opens one again, and writes a third item with the same text.
    fs::write(
        &file,
        "- [ ] fix\n- [ ] fix\n- [x] fix\n- [ ] other\n- [ ] last\n",
    )
    .unwrap();
    story.dbs(&["task", "release", first]);
    story.wait_until("the person is told", || {
        story
            .logs()
            .contains("several items have the name of \"fix\", and which of them was imported is not certain")
    });
    story.dbs(&["task", "release", last]);
    story.wait_until("the last is ticked", || {
        now() == "- [ ] fix\n- [ ] fix\n- [x] fix\n- [ ] other\n- [x] last\n"
    });
    story.dbs(&["stop", "--all"]);
}

/// Parts of agents that push nothing, because their git knows no way to the remote.
const LOCAL: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

/// Makes a story whose remote is that of a forge, with a program of the forge that records its calls; returns the story and its `PATH`.
fn on_a_forge(program: &str) -> (Story, OsString) {
    let story = Story::new(LOCAL);
    let (project, origin, bin) = (story.project(), story.origin(), story.root().join("bin"));
    let settings = story.root().join("gitconfig");
    let before = fs::read_to_string(&settings).unwrap();
    let way = format!(
        "[url \"{}\"]\n\tinsteadOf = https://forge.invalid/own/shop\n",
        origin.display()
    );
    fs::write(&settings, before + &way).unwrap();
    story.git(
        &project,
        &["remote", "set-url", "origin", "https://forge.invalid/own/shop"],
    );
    fs::create_dir_all(&bin).unwrap();
    let issues = match program {
        "gh" => {
            r#"[{"number":12,"title":"One","url":"https://forge.invalid/own/shop/issues/12"},{"number":13,"title":"Two","url":"https://forge.invalid/own/shop/issues/13"}]"#
        }
        _ => {
            r#"[{"iid":12,"title":"One","web_url":"https://forge.invalid/own/shop/-/issues/12"},{"iid":13,"title":"Two","web_url":"https://forge.invalid/own/shop/-/issues/13"}]"#
        }
    };
    let script = format!(
        "#!/bin/sh\ncase \"$1 $2\" in\n\"--version \") echo '{program} version 2.46.0' ;;\n\"issue list\") echo '{issues}' ;;\n\
         \"issue close\") git --git-dir='{}' ls-tree -r --name-only work >>\"$0.base\"; echo \"$@\" >>\"$0.closed\" ;;\n*) exit 9 ;;\nesac\n",
        origin.display()
    );
    let file = bin.join(program);
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = path_behind(&bin);
    (story, path)
}

fn server_with(story: &Story, path: &OsStr) -> Server {
    let mut command = story.program(&["server"]);
    command
        .env("PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Server(command.spawn().unwrap())
}

/// Merges the branch of a task that was handed over, in another clone and without a push; returns the clone.
fn merged_by_hand(story: &Story, id: &str) -> PathBuf {
    let branch = story.dbs(&["task", "show", id, "--json"]);
    let branch: serde_json::Value = serde_json::from_str(&branch).unwrap();
    let branch = branch["task"]["handover"]["branch"].as_str().unwrap().to_owned();
    let other = story.root().join("other");
    let origin = story.origin();
    story.git(
        &story.root(),
        &[
            "clone",
            "-qb",
            "work",
            origin.to_str().unwrap(),
            other.to_str().unwrap(),
        ],
    );
    let merge = format!("origin/{branch}");
    story.git(
        &other,
        &[
            "-c",
            "user.name=O",
            "-c",
            "user.email=o@example.org",
            "merge",
            "-q",
            "--no-ff",
            "-m",
            "Merge",
            &merge,
        ],
    );
    other
}

/// Plays the story of two issues, and returns the calls that closed one.
fn issues_are_closed(program: &str, source: &str, prefix: &str) -> String {
    let (story, path) = on_a_forge(program);
    let noted = |name: &str| {
        fs::read_to_string(story.root().join("bin").join(format!("{program}.{name}"))).unwrap_or_default()
    };
    let mut import = story.program(&["import", source, "--yes"]);
    assert!(import.env("PATH", &path).status().unwrap().success());
    let (first, second) = (format!("{prefix}-12"), format!("{prefix}-13"));
    let mut server = server_with(&story, &path);
    story.dbs(&["task", "release", &first]);
    story.wait_until("the first task is done", || story.count("done") == 1);
    assert_eq!(
        noted("closed"),
        "",
        "nothing is closed before the person asks for it"
    );
    story.dbs(&["config", "import.write_back", "true"]);
    // Work that is left on its branch is done, but reaches the base only later.
    story.dbs(&["config", "merge.via", "branch"]);
    server.kill();
    let mut server = server_with(&story, &path);
    story.wait_until("the first issue is closed", || {
        noted("closed").lines().count() == 1
    });
    assert!(
        noted("base").contains(&format!("work/{first}.txt")),
        "its work was on the base when the issue was closed"
    );
    story.dbs(&["task", "release", &second]);
    story.wait_until("the second task is handed over", || story.count("done") == 2);
    let other = merged_by_hand(&story, &second);
    assert_eq!(
        noted("closed").lines().count(),
        1,
        "its branch is on the remote, but not merged there"
    );
    story.git(&other, &["push", "-q", "origin", "HEAD:work"]);
    story.dbs(&["task", "merged", &second]);
    story.wait_until("the second issue is closed", || {
        noted("closed").lines().count() == 2
    });
    server.kill();
    let server = server_with(&story, &path);
    story.wait_until("the server", || story.is_live());
    story.dbs(&["stop", "--all"]);
    drop(server);
    noted("closed")
}

#[test]
fn an_issue_of_github_is_closed_once_when_its_merge_is_on_the_forges_own_remote() {
    let calls = issues_are_closed("gh", "github", "gh");
    let [first, second] = calls.lines().collect::<Vec<_>>()[..] else {
        panic!("{calls}")
    };
    assert!(
        first.starts_with("issue close 12 --repo=forge.invalid/own/shop --comment=Done by "),
        "{first}"
    );
    assert!(
        second.starts_with("issue close 13 --repo=forge.invalid/own/shop --comment=Done by "),
        "{second}"
    );
}

#[test]
fn an_issue_of_gitlab_is_closed_once_when_its_merge_is_on_the_forges_own_remote() {
    let calls = issues_are_closed("glab", "gitlab", "gl");
    assert_eq!(
        calls,
        "issue close 12 --repo=https://forge.invalid/own/shop\nissue close 13 --repo=https://forge.invalid/own/shop\n"
    );
}
