//! Settings that are written while a client is attached: valid settings hold at once, invalid ones change nothing.

use std::fs;
use std::process::Stdio;

use dbs::term::MouseMode;

use crate::driver::{Server, Story};
use crate::script::write_script;

#[test]
fn what_is_written_into_the_settings_holds_at_once_and_a_slip_is_told_with_its_line() {
    let story = Story::new("");
    let file = story.project().join(".debussy/config.toml");
    let first = fs::read_to_string(&file).unwrap();
    let tty = story.tty(&[], (160, 40));
    tty.see("? help");
    assert!(!tty.look().text().is_ascii());

    // Line characters, the mouse, keys and a limit, in one write.
    assert_ne!(tty.look().modes.mouse, MouseMode::Off);
    let good = format!(
        "glyphs = \"ascii\"\nmouse = \"off\"\n{first}\n[keys.nav]\nhelp = \"Z\"\n[max_role_agents]\ntester = 3\n"
    );
    fs::write(&file, &good).unwrap();
    tty.see("settings reloaded:");
    let screen = tty.wait("lines of letters", |screen| screen.text().is_ascii());
    assert!(screen.has("Z help"), "{}", screen.text());
    assert_eq!(screen.modes.mouse, MouseMode::Off);
    tty.press("Z");
    tty.see("Esc close");
    tty.press("Esc");
    tty.miss("Esc close");

    // A mistake changes nothing, and its line is named.
    fs::write(
        &file,
        good.replace("glyphs = \"ascii\"", "max_total_agents = many"),
    )
    .unwrap();
    tty.see("config.toml:1:");
    story.wait_until("a line in the log", || {
        story.logs().contains("the old settings stay in force")
    });
    assert!(tty.look().text().is_ascii(), "the old settings hold");
    fs::write(&file, good.replace("help = \"Z\"", "help = \"q\"")).unwrap();
    tty.see("bind `q` twice in nav");
    tty.press("Z");
    tty.see("Esc close");
    tty.press("Esc");

    // The mistake is mended; one of the settings has to wait.
    fs::write(&file, format!("{first}\n[terminal]\nengine = \"vt100\"\n")).unwrap();
    tty.see("at the next start of the server");
    tty.wait("lines, and the mouse", |screen| {
        !screen.text().is_ascii() && screen.modes.mouse != MouseMode::Off
    });

    // A switch that is edited in the file does what the command does.
    fs::write(&file, format!("paused = true\n{first}")).unwrap();
    story.wait_until("a pause", || story.dbs(&["status"]).contains("paused by"));
    fs::write(&file, &first).unwrap();
    story.wait_until("work", || !story.dbs(&["status"]).contains("paused by"));
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn the_log_says_who_has_changed_the_settings() {
    let story = Story::new("");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let says = |line: &str| story.wait_until(line, || story.logs().contains(line));
    story.dbs(&["config", "max_total_agents", "3"]);
    says("settings reloaded: max_total_agents (by story)");
    let file = story.project().join(".debussy/config.toml");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(file, before + "[session]\nname = \"other\"\n").unwrap();
    says("settings reloaded: session.name (a file was edited)");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn what_is_edited_while_a_server_starts_is_noticed() {
    let story = Story::new("");
    let in_root = |name: &str| story.root().join(name);
    let (bin, waits, gate) = (in_root("bin"), in_root("waits"), in_root("gate"));
    fs::create_dir_all(&bin).unwrap();
    assert!(story.outside("mkfifo").arg(&gate).status().unwrap().success());
    // A server asks git for the author before it begins to work, and after it has read its settings.
    let path = "/usr/local/bin:/usr/bin:/bin";
    let git = format!(
        "#!/bin/sh\nPATH='{path}'\ncase \"$*\" in *GIT_AUTHOR_IDENT*) : > '{}'; read -r _ < '{}' ;; esac\nexec git \"$@\"\n",
        waits.display(),
        gate.display()
    );
    write_script(&bin.join("git"), git);
    let mut starts = story.program(&["server"]);
    starts.env("PATH", format!("{}:{path}", bin.display()));
    let _server = Server(
        starts
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    story.wait_until("it to ask", || waits.exists());
    let file = story.project().join(".debussy/config.toml");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(
        file,
        before.replace("max_total_agents = 4", "max_total_agents = 3"),
    )
    .unwrap();
    fs::write(gate, "story\n").unwrap();
    story.wait_until("the edit to be noticed", || {
        story
            .logs()
            .contains("settings reloaded: max_total_agents (a file was edited)")
    });
    assert!(story.dbs(&["status"]).contains("agents: 0/3"));
    story.dbs(&["stop", "--all"]);
}

/// Returns why a task waits, as `dbs why` says it.
fn why(story: &Story, id: &str) -> String {
    story.dbs(&["why", id])
}

#[test]
fn a_task_waits_for_a_base_branch_that_is_not_there_and_goes_on_by_itself_when_it_is() {
    let story = Story::new("");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let said = story.run(&["config", "base_branch", "mian"]);
    let fault = "there is no branch mian, neither here nor on origin; did you mean `main`? dbs config base_branch main";
    assert!(String::from_utf8_lossy(&said.stderr).contains(fault), "{said:?}");
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    story.wait_until("the reason", || why(&story, "t-1").contains(fault));
    assert!(
        story.dbs(&["status"]).contains("mian"),
        "{}",
        story.dbs(&["status"])
    );
    let task: serde_json::Value =
        serde_json::from_str(&story.dbs(&["task", "show", "t-1", "--json"])).unwrap();
    let has_no_failure = task["task"]["failures"]
        .as_object()
        .is_none_or(serde_json::Map::is_empty);
    assert!(has_no_failure && task["task"]["spawns"] == 0, "{task}");
    // The person makes the branch; no file of settings changes.
    story.git(&story.project(), &["push", "-q", "origin", "main:mian"]);
    story.wait_until("its start", || !why(&story, "t-1").contains("there is no branch"));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_file_of_settings_that_cannot_be_read_makes_tasks_wait_until_it_is_repaired() {
    let story = Story::new("");
    let file = story.project().join(".debussy/config.toml");
    let good = fs::read_to_string(&file).unwrap();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    fs::write(&file, format!("{good}\nbase_branch = \"main\n")).unwrap();
    let line = good.lines().count() + 2;
    let place = format!("config.toml:{line}: nothing in this file is used");
    story.wait_until("the fault", || story.logs().contains(&place));
    let log = story.logs();
    assert!(
        !log.contains("changed; what you trusted"),
        "no setting changed: {log}"
    );
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    story.wait_until("the reason", || why(&story, "t-1").contains(&place));
    fs::write(&file, &good).unwrap();
    story.wait_until("its start", || {
        !why(&story, "t-1").contains("nothing in this file")
    });
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_server_starts_with_settings_that_cannot_be_used_and_lets_wait_what_depends_on_them() {
    let story = Story::new("");
    let file = story.project().join(".debussy/config.toml");
    let good = fs::read_to_string(&file).unwrap();
    let faults = [
        ("[roles.developer]\nagent = \"cluade\"\n", "did you mean `claude`"),
        ("[roles.developer]\nagent = \"custom\"\n", "it has no command yet"),
        (
            "[roles.developer]\ncommand = \"nosuchprogram x\"\n",
            "nosuchprogram is in none of the folders of PATH",
        ),
        (
            "[roles.develper]\nagent = \"claude\"\n",
            "no workflow has a role develper, did you mean `developer`",
        ),
        (
            "[stages.reviewin]\nagent = \"claude\"\n",
            "no workflow has a stage reviewin, did you mean `reviewing`",
        ),
        (
            "[max_role_agents]\ndeveloper = \"many\"\n",
            "max_role_agents.developer, at ",
        ),
        ("base_branch = 5\n", "there is no branch 5"),
    ];
    for (number, (wrong, reason)) in faults.into_iter().enumerate() {
        fs::write(&file, format!("{wrong}\n")).unwrap();
        if wrong.starts_with('[') {
            fs::write(&file, format!("{good}\n{wrong}")).unwrap();
        }
        story.trust_in(&story.project());
        let mut server = story.server();
        story.wait_until("the server", || story.is_live());
        let id = format!("t-{number}");
        story.dbs(&["task", "create", "Work", "--id", &id, "--release"]);
        story.wait_until(reason, || why(&story, &id).contains(reason));
        fs::write(&file, &good).unwrap();
        story.trust_in(&story.project());
        story.wait_until("its start", || !why(&story, &id).contains(reason));
        story.dbs(&["task", "close", &id, "enough"]);
        story.dbs(&["stop", "--all"]);
        server.kill();
    }
}
