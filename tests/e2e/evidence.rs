//! Reports that come as files count if the socket could not be reached, and the attempt says so. Settings that an edited file changes while
//! a server runs are in the log and on the tasks that are judged since.

use std::collections::BTreeMap;
use std::fs;

use crate::driver::Story;
use crate::scenarios::working;
use crate::script::write_script;

/// Script of an agent that claims its task over the socket, and goes on when the file `go` is there.
const CLAIMING: &str = r#"
"$DBS_PROGRAM" signal claim
env >"$OUT/env.part" && mv "$OUT/env.part" "$OUT/env"
until [ -e "$OUT/go" ]; do sleep 0.05; done
"$DBS_PROGRAM" signal block "went on" >"$OUT/said" 2>&1
touch "$OUT/spoke"
sleep 600
"#;

/// Makes a story whose developer runs that script.
fn claimed() -> Story {
    let story = Story::new("");
    let script = story.root().join("agent.sh");
    write_script(
        &script,
        format!("#!/bin/sh\nOUT='{}'\n{CLAIMING}", story.root().display()),
    );
    story.configure(&format!(
        "[roles.developer]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        script.display()
    ));
    story
}

/// Returns the environment of the agent, once it has claimed.
fn environment(story: &Story) -> BTreeMap<String, String> {
    let file = story.root().join("env");
    story.wait_until("the claim", || file.exists());
    let text = fs::read_to_string(file).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn a_report_in_the_inbox_with_a_token_that_was_found_does_not_count() {
    let story = claimed();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    let agent = environment(&story);
    let shown = || story.dbs(&["task", "show", "t-1"]);
    story.wait_until("the claim on the board", || shown().contains("working"));
    // The grace period for agents that met a server just before it listened passes.
    Story::let_pass(2_500);
    let signal = serde_json::json!({
        "attempt": 1, "token": agent["DBS_TOKEN"], "kind": "done", "text": "forged", "report": null, "key": "k-1",
    });
    let inbox = std::path::Path::new(&agent["DBS_INBOX"]);
    fs::write(inbox.join(".part"), signal.to_string()).unwrap();
    fs::rename(inbox.join(".part"), inbox.join("0-forged.json")).unwrap();
    story.wait_until("the refusal", || {
        shown().contains("lay in the inbox although the server was listening; it does not count")
    });
    assert!(inbox.join("refused/0-forged.json").exists());
    // Over the socket it does not count either: the token is right, but the process is not below the holder.
    let mut stolen = story.program(&["done", "forged"]);
    for name in ["DBS_ATTEMPT", "DBS_TOKEN", "DBS_SOCKET"] {
        stolen.env(name, &agent[name]);
    }
    let refused = crate::driver::said(&stolen.output().unwrap());
    assert!(refused.contains("the signal is not from attempt 1"), "{refused}");
    assert!(!story.dbs(&["events"]).contains("forged"));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_report_that_came_as_a_file_while_no_server_ran_counts_and_its_attempt_says_so() {
    let story = claimed();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    environment(&story);
    story.dbs(&["stop"]);
    server.0.wait().unwrap();
    fs::write(story.root().join("go"), "").unwrap();
    story.wait_until("its report", || story.root().join("spoke").exists());
    let said = fs::read_to_string(story.root().join("said")).unwrap();
    assert!(said.contains("kept as a file"), "{said}");
    let _server = story.server();
    let shown = || story.dbs(&["task", "show", "t-1"]);
    story.wait_until("the report on the board", || {
        shown().contains("reported block by a file, not over the socket")
    });
    let why = story.dbs(&["why", "t-1"]);
    assert!(why.contains("attempt 1 reported block by a file"), "{why}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn settings_that_an_edited_file_changes_are_in_the_log_and_on_each_task_judged_since() {
    let story = Story::new(&working(""));
    let own = story.root().join("home/.config/dbs/config.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "[gates]\ncheck = \"false\"\n").unwrap();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    fs::write(&own, "[gates]\ncheck = \"true\"\n").unwrap();
    let line = "settings reloaded: gates.check (a file was edited)";
    story.wait_until("the change", || story.dbs(&["logs"]).contains(line));
    story.dbs(&["stop"]);
    server.0.wait().unwrap();
    assert!(story.dbs(&["events"]).contains(line), "the change is durable");
    let _server = story.server();
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    let shown = story.dbs(&["task", "show", "t-1"]);
    let judged =
        "judged by settings that an edited file brought into force while the server ran: gates.check";
    assert_eq!(shown.matches(judged).count(), 1, "{shown}");
    // A command of the person accepts the settings.
    story.dbs(&["config", "gates.check", "true -v"]);
    story.dbs(&["task", "create", "Two", "--id", "t-2", "--release"]);
    story.wait_until("the second task's end", || story.count("done") == 2);
    assert!(!story.dbs(&["task", "show", "t-2"]).contains("judged by settings"));
    story.dbs(&["stop", "--all"]);
}
