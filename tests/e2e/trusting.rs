//! Repositories of strangers: what their files would start waits until the person who cloned them has looked at it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::driver::{Server, Story, said};
use crate::scenarios::working;

/// Makes a repository whose settings start a program that leaves a mark; returns the story, the person's clone, and the mark.
fn cloned() -> (Story, PathBuf, PathBuf) {
    let story = Story::new("");
    let (made, clone) = (story.root().join("made"), story.root().join("clone"));
    let mark = story.root().join("mark");
    let origin = story.origin();
    let origin = origin.to_str().unwrap();
    story.git(&story.root(), &["clone", "-q", origin, made.to_str().unwrap()]);
    fs::create_dir_all(made.join(".debussy/workflows")).unwrap();
    let settings = format!(
        "base_branch = \"work\"\n[roles.default]\ncommand = \"touch {}\"\n[limits]\ninfra_backoff = 1\n",
        mark.display()
    );
    fs::write(made.join(".debussy/config.toml"), settings).unwrap();
    push(&story, &made);
    story.git(&story.root(), &["clone", "-q", origin, clone.to_str().unwrap()]);
    identify(&story, &clone);
    (story, clone, mark)
}

fn identify(story: &Story, folder: &Path) {
    for (name, value) in [("user.name", "Story"), ("user.email", "story@example.org")] {
        story.git(folder, &["config", name, value]);
    }
}

/// Commits everything below `.debussy`, although it is ignored, and pushes it.
fn push(story: &Story, folder: &Path) {
    identify(story, folder);
    story.git(folder, &["add", "-f", ".debussy"]);
    story.git(folder, &["commit", "-q", "-m", "Settings"]);
    story.git(folder, &["push", "-q", "origin", "HEAD:main"]);
}

/// Returns what a command prints in a folder, whatever its exit code.
fn told(story: &Story, folder: &Path, arguments: &[&str]) -> String {
    said(&story.program(arguments).current_dir(folder).output().unwrap())
}

/// Starts `dbs watch` without a terminal, with its lines in a file.
fn watch(story: &Story, folder: &Path) -> (Server, PathBuf) {
    let lines = story.root().join("watch.log");
    let mut command = story.program(&["watch"]);
    command
        .current_dir(folder)
        .stdout(fs::File::create(&lines).unwrap());
    (Server(command.stderr(Stdio::null()).spawn().unwrap()), lines)
}

#[test]
fn what_a_cloned_repository_would_start_waits_until_its_hash_is_trusted() {
    let (story, clone, mark) = cloned();
    let (_server, lines) = watch(&story, &clone);
    let text = || fs::read_to_string(&lines).unwrap_or_default();
    story.wait_until("a word about trust", || text().contains("dbs trust show"));
    told(
        &story,
        &clone,
        &["task", "create", "Mend", "--id", "t-1", "--release"],
    );
    story.wait_until("the reason", || {
        told(&story, &clone, &["why", "t-1"]).contains("are not trusted")
    });
    assert!(!mark.exists(), "a stranger's program ran");
    let shown = told(&story, &clone, &["trust", "show"]);
    assert!(shown.contains("roles.default.command"), "{shown}");
    assert!(shown.contains(".debussy/config.toml:3"), "{shown}");
    let wrong = told(&story, &clone, &["trust", "--hash", "0000"]);
    assert!(wrong.contains("dbs trust show") && !mark.exists(), "{wrong}");
    story.trust_in(&clone);
    story.wait_until("the program", || mark.exists());
    told(&story, &clone, &["stop", "--all"]);
}

/// Asserts that a server refuses to start in the folder, with these words; returns what doctor prints about it.
fn refuses(story: &Story, folder: &Path, words: &str) -> String {
    let server = told(story, folder, &["watch"]);
    assert!(
        server.contains("exit status: 1") && server.contains(words),
        "{server}"
    );
    let doctor = told(story, folder, &["doctor"]);
    assert!(doctor.contains("MISSING ") && doctor.contains(words), "{doctor}");
    doctor
}

#[test]
fn a_state_that_came_with_the_repository_is_not_used_before_a_person_takes_it_over() {
    let (story, clone, mark) = cloned();
    let made = story.root().join("made");
    // The stranger, on a machine of their own, releases a task and puts the state into the repository.
    let stranger = |arguments: &[&str]| {
        let mut command = story.program(arguments);
        command
            .env("HOME", story.root().join("stranger"))
            .current_dir(&made);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    };
    stranger(&["task", "create", "Evil", "--id", "t-1", "--release"]);
    // A clone brings nothing of another git folder, but an archive of a checkout does.
    fs::rename(made.join(".git/dbs"), clone.join(".git/dbs")).unwrap();
    refuses(&story, &clone, "dbs trust --state");
    // Once the state is taken over, its task is released, but what it would start is still not trusted.
    told(&story, &clone, &["trust", "--state"]);
    let (_server, lines) = watch(&story, &clone);
    let text = || fs::read_to_string(&lines).unwrap_or_default();
    story.wait_until("a word about trust", || text().contains("dbs trust show"));
    story.wait_until("the reason", || {
        told(&story, &clone, &["why", "t-1"]).contains("are not trusted")
    });
    assert!(!mark.exists(), "a stranger's program ran");
    story.trust_in(&clone);
    story.wait_until("the program", || mark.exists());
    told(&story, &clone, &["stop", "--all"]);
}

#[test]
fn every_screen_says_that_a_project_is_not_trusted_and_how_to_look_at_it() {
    let story = Story::new("");
    story.dbs(&["trust", "--forget"]);
    let tty = story.tty(&[], (120, 40));
    tty.wait("a word about trust", |screen| {
        screen.has("not trusted") && screen.has("dbs trust show")
    });
    let doctor = told(&story, &story.project(), &["doctor"]);
    assert!(
        doctor.contains("MISSING trust") && doctor.contains("rehearsal.scenario"),
        "{doctor}"
    );
    story.trust();
    tty.miss("not trusted");
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn what_the_list_on_the_screen_shows_is_trusted_by_a_key_and_nothing_that_changed_meanwhile() {
    let story = Story::new("");
    story.dbs(&["trust", "--forget"]);
    let tty = story.tty(&[], (120, 40));
    tty.see("not trusted");
    tty.press("C-b y");
    tty.wait("the list", |screen| {
        screen.has("roles.default.agent") && screen.has(".debussy/config.toml:5") && screen.has("hash ")
    });
    // The files change while the person reads them.
    let file = story.project().join(".debussy/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n[gates]\nmore = \"true\"\n")).unwrap();
    tty.press("t");
    tty.see("look at them");
    assert!(
        !story.run(&["trust"]).status.success(),
        "unseen changes were trusted"
    );
    tty.press("C-b y");
    tty.see("gates.more");
    tty.press("t");
    tty.see("trusted; it is in force now");
    tty.miss("not trusted");
    assert!(story.run(&["trust"]).status.success());
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_gate_that_is_changed_during_a_run_does_not_judge_before_it_is_trusted_and_that_is_said_at_once() {
    let story = Story::new(&working(""));
    let (judged, bribed) = (story.root().join("judged"), story.root().join("bribed"));
    story.configure(&format!("[gates]\ncheck = \"touch {}\"\n", judged.display()));
    let (_server, lines) = watch(&story, &story.project());
    let text = || fs::read_to_string(&lines).unwrap_or_default();
    story.wait_until("the server", || story.is_live());
    let file = story.project().join(".debussy/config.toml");
    let changed = fs::read_to_string(&file).unwrap().replace("judged", "bribed");
    fs::write(&file, changed).unwrap();
    story.wait_until("a word about the change", || {
        text().contains("gates.check changed; what you trusted stays in force")
    });
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    story.wait_until("the gate", || judged.exists());
    story.wait_until("the task's end", || story.count("done") == 1);
    assert!(!bribed.exists(), "the changed gate judged");
    story.trust();
    story.dbs(&["task", "create", "More", "--id", "t-2", "--release"]);
    story.wait_until("the new gate", || bribed.exists());
    story.dbs(&["stop", "--all"]);
}
