//! Kinds of agents that a file describes: how they get their prompt, what they resume, what they are started with, and what their window
//! title says. The tools are scripts, found in `PATH` like any tool.

use std::fs;
use std::process::Stdio;

use crate::driver::{Server, Story, said};
use crate::script::write_script;

/// End of every tool's script: it records its arguments, does what its role asks, and reports.
const WORK: &str = r#"
printf '%s\n' "$@" > "$ROOT/part-$DBS_ATTEMPT"
mv "$ROOT/part-$DBS_ATTEMPT" "$ROOT/arguments-$DBS_ROLE-$DBS_ATTEMPT"
"$DBS_PROGRAM" signal claim
if [ "$DBS_ROLE" = developer ]; then
  echo "$OWN_TOOL_KEY" > made.txt
  git add made.txt
  git commit -qm "[$DBS_TASK] made"
fi
"$DBS_PROGRAM" signal done "made it"
"#;

/// Makes a story whose agents are all of the kind `tool`, described by this text and played by this script.
pub(crate) fn story(kind: &str, script: &str) -> Story {
    let story = Story::new("");
    let file = story.root().join("bin/tool");
    fs::create_dir_all(story.root().join("bin")).unwrap();
    let work = script.replace("$WORK", WORK);
    let text = format!(
        "#!/bin/sh\n{}\n",
        work.replace("$ROOT", &story.root().display().to_string())
    );
    write_script(&file, text);
    let agents = story.project().join(".debussy/agents");
    fs::create_dir_all(&agents).unwrap();
    let head = "title = \"Tool\"\nprogram = \"tool\"\ninstall = \"get tool\"\nvariables = [\"OWN_TOOL_*\"]\n";
    fs::write(agents.join("tool.toml"), format!("{head}{kind}")).unwrap();
    let settings = fs::read_to_string(story.project().join(".debussy/config.toml")).unwrap();
    story.write_settings(&settings.replace("agent = \"rehearsal\"", "agent = \"tool\""));
    story
}

pub(crate) fn server(story: &Story) -> Server {
    let mut command = story.program(&["server"]);
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        story.root().join("bin").display()
    );
    command
        .env("PATH", path)
        .env("OWN_TOOL_KEY", "its key")
        .env("OTHER_KEY", "not for it")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = Server(command.spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    server
}

pub(crate) fn create(story: &Story) {
    story.dbs(&["task", "create", "Make it", "--id", "t-1", "--release"]);
}

/// Returns the arguments of an attempt of the role, one per line.
fn arguments(story: &Story, role: &str, attempt: u64) -> String {
    let file = story.root().join(format!("arguments-{role}-{attempt}"));
    story.wait_until("the agent", || file.exists());
    fs::read_to_string(file).unwrap()
}

#[test]
fn a_kind_of_a_file_does_a_task_with_its_prompt_model_permissions_and_variables_as_arguments() {
    let kind = "start = [\"work\", \"{options}\", \"--prompt={prompt}\", \"{folder}\"]\nmodel = [\"--model\", \"{model}\"]\n\
                [permissions]\nallow = [\"--yes\"]\n";
    let story = story(kind, "$WORK");
    story.configure("[roles.developer]\nmodel = \"big one\"\npermissions = \"allow\"\n");
    let _server = server(&story);
    create(&story);
    let words = arguments(&story, "developer", 1);
    assert!(
        words.starts_with("work\n--yes\n--model\nbig one\n--prompt="),
        "{words}"
    );
    assert!(words.contains("Make it") && words.contains(".dbs/"), "{words}");
    story.wait_until("the merge", || story.count("done") == 1);
    let made = story.git(&story.origin(), &["show", "work:made.txt"]);
    assert_eq!(made, "its key");
}

#[test]
fn a_prompt_is_typed_once_the_screen_says_that_it_is_taken() {
    let script = "printf 'Tool 1.0\\nloading\\n'; read -r early < \"$ROOT/gate\"; printf '> '\nread -r said\n\
                  printf '%s\\n' \"$said\" > \"$ROOT/part\"; mv \"$ROOT/part\" \"$ROOT/said-$DBS_ROLE\"\n$WORK";
    let story = story("start = [\"work\"]\nready = [\">\", \"> *\"]\n", script);
    let gate = story.root().join("gate");
    assert!(story.outside("mkfifo").arg(&gate).status().unwrap().success());
    let _server = server(&story);
    create(&story);
    story.wait_until("its screen", || {
        said(&story.run(&["logs", "1"])).contains("loading")
    });
    let file = story.root().join("said-developer");
    assert!(!story.attempt(1).join("prompt-typed").exists() && !file.exists());
    fs::write(&gate, "go\n").unwrap();
    story.wait_until("the prompt", || file.exists());
    let typed = fs::read_to_string(file).unwrap();
    let file = story.attempt(1).join("prompt.md");
    assert!(typed.contains(&file.display().to_string()), "{typed}");
    story.wait_until("the note of it", || {
        story.attempt(1).join("prompt-typed").exists()
    });
}

#[test]
fn a_session_goes_on_by_the_id_that_was_chosen_and_the_window_says_what_the_agent_does() {
    let kind = "start = [\"--id\", \"{session}\", \"{file}\"]\nresume = [\"--go-on\", \"{session}\", \"{file}\"]\nsession = \"chosen\"\n\
                [[window]]\ntitle = \"busy*\"\nstate = \"working\"\n[[window]]\ntitle = \"asks*\"\nstate = \"permission\"\n";
    let script = "printf '%s\\n' \"$@\" > \"$ROOT/part\"; mv \"$ROOT/part\" \"$ROOT/arguments-$DBS_ROLE-$DBS_ATTEMPT\"\n\
                  printf %s $$ > \"$ROOT/pid\"\nif [ \"$1\" = --id ]; then \"$DBS_PROGRAM\" signal claim; echo begun > begun.txt; printf '\\033]0;busy 1\\007'; \
                  read -r _ < \"$ROOT/gate\"; printf '\\033]0;asks you\\007'; read -r _; fi\n$WORK";
    let story = story(kind, script);
    let gate = story.root().join("gate");
    assert!(story.outside("mkfifo").arg(&gate).status().unwrap().success());
    let _server = server(&story);
    create(&story);
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its title", || why("title: working"));
    fs::write(&gate, "go\n").unwrap();
    story.wait_until("its ask", || {
        story.dbs(&["status"]).contains("asks for a permission")
    });
    let first = arguments(&story, "developer", 1);
    let pid = fs::read_to_string(story.root().join("pid")).unwrap();
    let killed = story
        .outside("sh")
        .args(["-c", &format!("kill -9 {pid}")])
        .status();
    assert!(killed.unwrap().success());
    let second = arguments(&story, "developer", 2);
    let id = |text: &str| text.lines().nth(1).unwrap().to_owned();
    assert!(
        first.starts_with("--id\n") && second.starts_with("--go-on\n"),
        "{first}{second}"
    );
    assert_eq!(id(&first), id(&second));
}

#[test]
fn a_kind_of_a_strangers_project_starts_nothing_before_it_is_trusted_and_a_broken_one_says_where() {
    let story = story("start = [\"{prompt}\"]\n", "$WORK");
    let file = story.project().join(".debussy/agents/tool.toml");
    let sound = fs::read_to_string(&file).unwrap();
    fs::write(&file, sound.replace("{prompt}", "--evil {prompt}")).unwrap();
    let shown = said(&story.run(&["trust", "diff"]));
    assert!(
        shown.contains("agents/tool.toml") && shown.contains("--evil"),
        "{shown}"
    );
    let doctor = said(&story.run(&["doctor"]));
    assert!(doctor.contains("not trusted"), "{doctor}");
    fs::write(&file, sound.replace("{prompt}", "{promt}")).unwrap();
    story.trust();
    let doctor = said(&story.run(&["doctor"]));
    assert!(
        doctor.contains("tool.toml:5: error: there is no `{promt}`"),
        "{doctor}"
    );
}

#[test]
fn the_end_of_a_tool_that_cannot_report_is_its_report_and_its_work_is_committed_and_merged() {
    let script = "if [ \"$DBS_ROLE\" = developer ]; then echo made > made.txt; echo 'Tokens: 2.9k sent, 12 received.'; exit 0; fi\n$WORK";
    let story = story(
        "start = [\"--message\", \"{prompt}\"]\nend_is_report = true\n",
        script,
    );
    let _server = server(&story);
    create(&story);
    story.wait_until("the merge", || story.count("done") == 1);
    assert_eq!(story.git(&story.origin(), &["show", "work:made.txt"]), "made");
}

#[test]
fn a_tool_that_hides_the_settings_of_git_commits_as_the_person() {
    let script = "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null\n$WORK";
    let story = story("start = [\"{prompt}\"]\n", script);
    let _server = server(&story);
    create(&story);
    story.wait_until("the merge", || story.count("done") == 1);
    let person = story.git(&story.project(), &["log", "-1", "--format=%an <%ae> %cn"]);
    let made = ["log", "-1", "--format=%an <%ae> %cn", "work", "--", "made.txt"];
    assert_eq!(story.git(&story.origin(), &made), person);
}
