//! An agent that gives its token away: it prints it, reports it and asks about it. The token can be read only in the agent's own terminal,
//! and is worth nothing afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use crate::driver::Story;

/// Script that says the token in every way there is, and fails.
const AGENT: &str = r#"
printf '%s' "$DBS_TOKEN" >"$OUT/token.part" && mv "$OUT/token.part" "$OUT/token"
"$DBS_PROGRAM" progress "my token is $DBS_TOKEN"
"$DBS_PROGRAM" task comment "$DBS_TASK" "comment $DBS_TOKEN"
"$DBS_PROGRAM" signal question "is $DBS_TOKEN right?"
until [ -e "$OUT/asked" ]; do sleep 0.05; done
echo "{\"token\": \"$DBS_TOKEN\"}" >"$OUT/report"
echo "DBS_TOKEN=$DBS_TOKEN"
"$DBS_PROGRAM" signal block --report "$OUT/report" "printed $DBS_TOKEN"
exit 3
"#;

/// Returns the files below a folder that contain the text.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(&path, text));
        } else if kind.is_file() {
            let bytes = fs::read(&path).unwrap_or_default();
            let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            found.extend(is_there.then_some(path));
        }
    }
    found
}

#[test]
fn a_token_that_an_agent_prints_and_reports_stands_nowhere_but_in_its_terminal() {
    let story = Story::new("");
    let root = story.root();
    let script = root.join("agent.sh");
    fs::write(&script, format!("OUT='{}'\n{AGENT}", root.display())).unwrap();
    story.configure(&format!(
        "[roles.developer]\nagent = \"custom\"\ncommand = \"sh {}\"\n\
         [notify]\npause = 0\ncommand = '''sh -c 'printf \"%s\\n\" \"$0\" >>{}; cat >>{}' '''\n",
        script.display(),
        root.join("calls").display(),
        root.join("calls").display(),
    ));
    let server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    let calls = || fs::read_to_string(root.join("calls")).unwrap_or_default();
    story.wait_until("a notification of the question", || calls().contains("right?"));
    assert!(calls().contains("is [token] right?"), "{}", calls());
    fs::write(root.join("asked"), "").unwrap();
    let shown = || story.dbs(&["task", "show", "t-1"]);
    story.wait_until("the end", || shown().contains("printed [token]"));
    story.dbs(&["stop", "--all"]);
    drop(server);
    let token = fs::read_to_string(root.join("token")).unwrap();
    assert_eq!(token.len(), 64);
    for command in [
        &["task", "show", "t-1"][..],
        &["events"],
        &["events", "--json"],
        &["logs"],
        &["why", "t-1"],
    ] {
        let text = story.dbs(command);
        assert!(!text.contains(&token), "{command:?}: {text}");
    }
    assert!(
        shown().contains("my token is [token]") && shown().contains("comment [token]"),
        "{}",
        shown()
    );
    assert!(!calls().contains(&token), "{}", calls());
    let mut kept = files_with(&story.project().join(".debussy"), &token);
    kept.retain(|path| !path.starts_with(story.attempt(1).join("tty")));
    assert_eq!(kept, Vec::<PathBuf>::new());
    let raw = story.dbs(&["logs", "1", "--raw"]);
    assert!(raw.contains(&token), "its terminal keeps what it printed: {raw}");
    assert!(
        files_with(&root, &token).contains(&root.join("token")),
        "the search finds the token where it is"
    );
}
