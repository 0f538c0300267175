//! Environment of agents and gates: they get the variables of the shell that started the server, but no secrets, and settings change that
//! while the server runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::driver::{Server, Story, said};
use crate::script::write_script;

/// Script of an agent of every role: it records its environment, and a developer also commits a file.
const AGENT: &str = r#"
set -e
"$DBS_PROGRAM" signal claim
env >"$OUT/env.part" && mv "$OUT/env.part" "$OUT/env-$DBS_ATTEMPT"
if [ "$DBS_ROLE" = developer ]; then
  echo "$DBS_ATTEMPT" >>work.txt
  git add work.txt
  git commit -q -m "[$DBS_TASK] Work"
fi
"$DBS_PROGRAM" done "Worked."
"#;

const SECRET: &str = "hush-0123456789";

/// Returns a gate that needs a variable, and reports its lack as programs do.
fn needs(name: &str) -> String {
    format!("test -n \"${name}\" || {{ echo \"{name} is not set\" >&2; exit 1; }}")
}

/// Makes a story whose agents run that script, with these gates.
fn story(gates: &[(&str, String)]) -> Story {
    let story = Story::new("");
    let script = story.root().join("agent.sh");
    write_script(
        &script,
        format!("#!/bin/sh\nOUT='{}'\n{AGENT}", story.root().display()),
    );
    let settings = fs::read_to_string(story.project().join(".debussy/config.toml")).unwrap();
    let command = format!("agent = \"custom\"\ncommand = \"sh {}\"\n", script.display());
    let gates = gates
        .iter()
        .map(|(name, command)| format!("{name} = '''{command}'''\n"));
    let gates = gates.collect::<Vec<String>>().concat();
    let settings = settings.replace("agent = \"rehearsal\"\n", &command);
    story.write_settings(&format!("{settings}[gates]\n{gates}"));
    story
}

/// Starts a server from a shell that has more variables than those of the story.
fn server(story: &Story) -> Server {
    let mut command = story.program(&["server"]);
    command
        .env("JAVA_HOME", "/opt/java")
        .env("DATABASE_URL", "postgres://localhost/x")
        .env("SSH_AUTH_SOCK", story.root().join("agent.sock"))
        .env("CLAUDECODE", "1")
        .env("SHOP_TOKEN", SECRET)
        .env("PYTHONPATH", story.project().join("src"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Server(command.spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    server
}

fn environment(story: &Story, attempt: u64) -> BTreeMap<String, String> {
    let text = fs::read_to_string(story.root().join(format!("env-{attempt}"))).unwrap();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Returns true if a file below the folder contains the text.
fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            return holds(&entry.path(), text);
        }
        let bytes = if kind.is_file() {
            fs::read(entry.path()).unwrap_or_default()
        } else {
            Vec::new()
        };
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn agents_and_gates_get_the_shells_variables_without_its_secrets_and_no_value_is_written_down() {
    let story = story(&[
        ("java", needs("JAVA_HOME")),
        ("hidden", "test -z \"$SHOP_TOKEN\"".to_owned()),
    ]);
    let _server = server(&story);
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    let agent = environment(&story, 1);
    assert_eq!(agent["JAVA_HOME"], "/opt/java");
    assert_eq!(agent["DATABASE_URL"], "postgres://localhost/x");
    for name in ["SHOP_TOKEN", "SSH_AUTH_SOCK", "CLAUDECODE", "PYTHONPATH"] {
        assert!(!agent.contains_key(name), "{name}");
    }
    let doctor = said(&story.run(&["doctor"]));
    let wanted =
        "the server was started with other variables: it has JAVA_HOME, DATABASE_URL, which this shell lacks";
    let sorted =
        "the server was started with other variables: it has DATABASE_URL, JAVA_HOME, which this shell lacks";
    assert!(doctor.contains(wanted) || doctor.contains(sorted), "{doctor}");
    story.dbs(&["stop", "--all"]);
    assert!(!holds(&story.state(), SECRET) && !holds(&story.project(), SECRET));
}

#[test]
fn a_gate_that_lacks_a_hidden_variable_says_so_first_and_gets_it_once_a_person_passes_it() {
    let story = story(&[("login", needs("SHOP_TOKEN"))]);
    let _server = server(&story);
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the last try", || story.count("held") == 1);
    let shown = story.dbs(&["task", "show", "t-1"]);
    let first = "gate login failed: its output names SHOP_TOKEN, which your shell has and it does not get";
    assert!(shown.contains(first), "{shown}");
    story.dbs(&["config", "environment.pass", "SHOP_TOKEN"]);
    story.dbs(&["retry", "t-1"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    story.dbs(&["stop", "--all"]);
    assert!(!holds(&story.state(), SECRET) && !holds(&story.project(), SECRET));
}
