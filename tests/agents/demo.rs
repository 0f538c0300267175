//! `dbs demo` with the real Claude Code of a person: their login, two small tasks, and nothing left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::driver::{Server, Story, said};
use crate::lab::{KEY, LESS_COMPILING, end_of_key, installed};
use crate::model_server::{ModelServer, Scripts};
use crate::pipeline::path_with;

/// Work of each role: a developer writes its page, all others agree.
const WORK: &str = r#"case "$DBS_ROLE" in
developer)
  mkdir -p pages
  case "$DBS_TASK" in
  knot-3) printf '# Bowline\n\n## Use\n\n## Tie\n' > pages/bowline.md ;;
  knot-7) printf '# Clove hitch\n\n## Use\n\n## Tie\n' > pages/clove-hitch.md ;;
  *) echo "$DBS_TITLE" > hello.txt ;;
  esac
  git add -A && git commit -qm "Write it" && dbs done "It is written." ;;
*) dbs done "It is good." ;;
esac"#;

/// Starts a scripted model that does that in every session.
fn model(story: &Story) -> ModelServer {
    let folder = story.root().join("scripts");
    fs::create_dir(&folder).unwrap();
    // The work is in a file of its own, because reviewers are denied commands that commit, wherever in a line these are.
    let work = story.root().join("work.sh");
    fs::write(&work, WORK).unwrap();
    let command = format!("sh {}", work.display());
    let call = json!({ "tool": "Bash", "input": { "command": command, "description": "Do it" } });
    let replies = json!([{ "text": "I do it.", "calls": [call] }, { "text": "Done." }]);
    let scripts = json!({ "default": { "replies": replies } });
    fs::write(folder.join("demo.json"), scripts.to_string()).unwrap();
    ModelServer::start(Scripts::read(&folder))
}

/// Writes the settings of a person who has used Claude Code before and trusts that folder; returns their folder.
fn person(story: &Story, trusted: Option<&Path>) -> PathBuf {
    let folder = story.root().join("claude");
    fs::create_dir(&folder).unwrap();
    let trusted = trusted.map(|path| {
        (
            path.display().to_string(),
            json!({ "hasTrustDialogAccepted": true }),
        )
    });
    let settings = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": { "approved": [end_of_key()], "rejected": [] },
        "projects": trusted.into_iter().collect::<BTreeMap<_, _>>(),
    });
    fs::write(folder.join(".claude.json"), settings.to_string()).unwrap();
    folder
}

/// Returns variables by which Claude Code finds that model and nothing else.
fn environment(model: &ModelServer, folder: &Path) -> [(&'static str, String); 7] {
    [
        ("CLAUDE_CONFIG_DIR", folder.display().to_string()),
        ("ANTHROPIC_BASE_URL", model.url()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("HTTPS_PROXY", model.url()),
        ("NO_PROXY", "127.0.0.1,localhost".to_owned()),
        (LESS_COMPILING.0, LESS_COMPILING.1.to_owned()),
    ]
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn the_demo_is_played_by_the_persons_own_claude_once_they_agreed_and_had_logged_in() {
    let claude = installed("claude");
    let story = Story::new("");
    let model = model(&story);
    let folder = person(&story, None);
    let play = |arguments: &[&str], key: Option<&str>| {
        let mut demo = story.program(&["demo", "--agent", "claude", "--headless"]);
        demo.args(arguments)
            .envs(environment(&model, &folder))
            .env("PATH", path_with(&claude));
        if let Some(key) = key {
            demo.env("ANTHROPIC_API_KEY", key);
        }
        demo.output().unwrap()
    };
    let without = said(&play(&["--yes"], None));
    assert!(without.contains("could not find a login of claude"), "{without}");
    let unasked = said(&play(&[], Some(KEY)));
    assert!(
        unasked.contains("at most about 1.00 dollars") && unasked.contains("say yes with --yes"),
        "{unasked}"
    );
    let output = play(&["--yes", "--json"], Some(KEY));
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    let last = String::from_utf8(output.stdout).unwrap();
    let summary: Value = serde_json::from_str(last.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&summary["done"], &summary["tasks"]),
        (&json!(2), &json!(2)),
        "{text}"
    );
    let files = summary["files"].to_string();
    assert!(
        files.contains("pages/bowline.md") && files.contains("pages/clove-hitch.md"),
        "{files}"
    );
    let left: Vec<_> = fs::read_dir(story.root().join("tmp"))
        .unwrap()
        .flatten()
        .collect();
    let is_demo = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("dbs-demo-");
    assert!(!left.iter().any(is_demo), "{left:?}");
}

/// Makes a repository with an origin, like that of a person who has never heard of this program; returns both.
fn newcomers_repository(story: &Story) -> (PathBuf, PathBuf) {
    let [shop, origin] = ["home/shop", "home/shop.git"].map(|name| story.root().join(name));
    fs::create_dir_all(&shop).unwrap();
    let steps: [&[&str]; 7] = [
        &["init", "-q", "-b", "main"],
        &["config", "user.name", "Newcomer"],
        &["config", "user.email", "newcomer@example.org"],
        &["commit", "-q", "--allow-empty", "-m", "First"],
        &["init", "-q", "--bare", "-b", "main", origin.to_str().unwrap()],
        &["remote", "add", "origin", "../shop.git"],
        &["push", "-q", "origin", "main"],
    ];
    for step in steps {
        story.git(&shop, step);
    }
    (shop, origin)
}

/// Returns the commands of the README for one's own Claude Code, except the one that takes the terminal.
fn commands_of_the_readme() -> String {
    let readme = include_str!("../../README.md").split("```sh\n").skip(1);
    let mut blocks = readme.map(|part| part.split("```").next().unwrap_or_default());
    let block = blocks
        .find(|block| block.contains("roles.default.agent claude"))
        .unwrap();
    let lines = block.lines().filter(|line| !line.starts_with("dbs start"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn what_the_readme_says_of_ones_own_claude_gets_the_first_task_done() {
    let claude = installed("claude");
    let story = Story::new("");
    let (model, (shop, origin)) = (model(&story), newcomers_repository(&story));
    let folder = person(&story, Some(&shop));
    let shell = |script: &str| {
        let mut shell = story.outside("sh");
        let program = Path::new(env!("CARGO_BIN_EXE_dbs"))
            .parent()
            .unwrap()
            .display()
            .to_string();
        let path = format!("{program}:{}", path_with(&claude).to_string_lossy());
        shell
            .args(["-e", "-c", script])
            .current_dir(&shop)
            .envs(environment(&model, &folder))
            .envs([("PATH", path.as_str()), ("ANTHROPIC_API_KEY", KEY)]);
        shell
    };
    let ran = shell(&commands_of_the_readme()).output().unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(
        text.contains("login found: ANTHROPIC_API_KEY") && !text.contains("MISSING"),
        "{text}"
    );
    let mut command = shell("exec dbs server");
    let _server = Server(
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    story.wait_until("the first task's end", || {
        story
            .git(&origin, &["ls-tree", "--name-only", "main"])
            .contains("hello.txt")
    });
    let ended = shell("dbs stop --all").output().unwrap();
    assert!(ended.status.success(), "{}", said(&ended));
}
