//! Agents that do not want to end, agents that never stop printing, and tasks with malicious names.

use std::fs;

use crate::attached::type_in_shell;
use crate::driver::{Story, said};
use crate::scenarios::working;
use crate::terminal::{Screen, Tty};

/// Ignores the polite signal, leaves a process behind in a session of its own, and hangs; the second attempt is a good one.
const STUBBORN: &str = r#"
[[part]]
role = "developer"
attempt = 1
steps = [
  { signal = "claim" },
  { ignore_term = true },
  { fork_daemon = 600, pid_file = "daemon.pid" },
  { print = "now I hang" },
  { hang = true },
]
"#;

/// Returns the processes that have this line in their environment.
fn with_environment(text: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter(|entry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|line| line == text.as_bytes())
    })
    .map(|entry| entry.file_name().to_string_lossy().into_owned())
    .collect()
}

#[test]
fn an_agent_that_will_not_end_is_ended_with_all_it_started() {
    let story = Story::new(&format!("{STUBBORN}{}", working("")));
    let tty = story.tty(&[], (120, 40));
    tty.see("No agent is running.");
    story.dbs(&["task", "create", "Stubborn", "--id", "t-1", "--release"]);
    tty.press("2");
    tty.see("now I hang");
    let meta = fs::read_to_string(story.attempt(1).join("meta.json")).unwrap();
    let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
    let marker = format!("DBS_MARKER={}", meta["marker"].as_str().unwrap());
    let found = with_environment(&marker);
    assert!(found.len() >= 2, "the agent and its daemon: {found:?}");
    let worktrees = fs::read_dir(story.worktrees()).unwrap();
    let mut files = worktrees.flatten().map(|folder| folder.path().join("daemon.pid"));
    let daemon = files.find_map(|file| fs::read_to_string(file).ok()).unwrap();
    assert!(
        found.contains(&daemon.trim().to_owned()),
        "{daemon} is not in {found:?}"
    );
    let text = story.dbs(&["kill-agent", "developer-debussy"]);
    assert!(!text.is_empty());
    story.wait_until("the end of everything with its marker", || {
        with_environment(&marker).is_empty()
    });
    // The task is taken up again and done by a better agent.
    story.wait_until("the end of the task", || story.count("done") == 1);
    let again = story.run(&["kill-agent", "developer-debussy"]);
    assert_eq!(again.status.code(), Some(1), "{}", said(&again));
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

/// Prints far more than its log keeps, and then waits for an answer.
const FLOOD: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { flood = 200, width = 100 },
  { print = "the end of the flood" },
  { ask = "Enough?" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

/// Returns the size of an attempt's log on disk, in bytes.
fn log_on_disk(story: &Story) -> u64 {
    let files = fs::read_dir(story.attempt(1).join("tty"))
        .into_iter()
        .flatten()
        .flatten();
    files.filter_map(|file| Some(file.metadata().ok()?.len())).sum()
}

/// Waits until more of the flood has come, or its end; how long all of it takes depends on the machine.
fn wait_for_more(tty: &Tty<'_>) -> Screen {
    let line = |screen: &Screen| {
        let line = |row: &&String| row.contains("flood 0");
        screen.rows.iter().find(line).cloned()
    };
    let before = line(&tty.look());
    tty.wait("the flood to go on", |screen| {
        screen.has("the end of the flood") || line(screen) != before
    })
}

#[test]
fn a_flood_drowns_neither_the_screen_nor_the_disk() {
    const LIMIT: u64 = 10 * 1024 * 1024;
    let story = Story::new(FLOOD);
    story.configure("[terminal]\nlog_limit_mib = 10\n");
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    story.dbs(&["task", "create", "Flood", "--id", "t-1", "--release"]);
    tty.press("C-b 2");
    tty.see("flood 0");
    // During the flood, again and again: a tab is changed, a shell answers, a command is answered.
    let mut times = 0;
    while !tty.look().has("the end of the flood") && times < 5 {
        times += 1;
        type_in_shell(&tty);
        tty.type_text(&format!("echo hey-$((40+{times}))\n"));
        tty.wait("the shell", |screen| {
            screen.pane_has("Shell", &format!("hey-{}", 40 + times))
        });
        tty.press("C-b 2");
        tty.wait("the flood again", |screen| screen.has("[2 Agents]"));
        assert_eq!(story.count("active"), 1);
        let size = log_on_disk(&story);
        assert!(size <= LIMIT, "{size} bytes");
    }
    assert!(times >= 3, "the flood was over before anything could be tried");
    while !wait_for_more(&tty).has("the end of the flood") {}
    tty.see("NEEDS YOU 1");
    let size = log_on_disk(&story);
    assert!(size <= LIMIT, "{size} bytes");
    let raw = story.run(&["logs", "1", "--raw"]);
    let note = String::from_utf8_lossy(&raw.stderr).into_owned();
    // A flood of similar lines may be kept whole once it is packed; if it is not, that is reported. Behind it comes the question, drawn
    // anew every second.
    let (kept, end) = (raw.stdout.len(), &raw.stdout[raw.stdout.len() - 256 * 1024..]);
    let is_whole = kept > 200 * 1024 * 1024;
    assert_ne!(
        is_whole,
        note.contains("bytes of attempt 1 are gone"),
        "{kept} {note}"
    );
    assert!(String::from_utf8_lossy(end).contains("the end of the flood"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

/// Ids and titles that would do harm if a shell, git or the file system interpreted them.
const NAMES: &[(&str, &str)] = &[
    ("HEAD", "\"; touch ../../owned; #"),
    ("a..b", "$(touch ../../owned) `touch ../../owned`"),
    ("x.lock", "' && touch ../../owned; echo '"),
    ("con", "--upload-pack=touch owned"),
    ("dot.", "\u{1b}]0;owned\u{7}\u{202e}{task} %n $DBS_TOKEN"),
];

#[test]
fn tasks_with_hostile_names_are_worked_through_and_their_names_are_only_text() {
    let story = Story::new("");
    let agent = story.root().join("agent");
    fs::write(
        &agent,
        "set -e\n\"$DBS_PROGRAM\" signal claim\nif [ \"$DBS_ROLE\" = developer ]; then\n\
         printf '%s\\n' \"$DBS_TITLE\" >\"of-$DBS_TASK.txt\"\ngit add .\n\
         git commit -qm \"[$DBS_TASK] $DBS_TITLE\"\ngit push -q origin HEAD\nfi\n\
         \"$DBS_PROGRAM\" signal done -- \"$DBS_TITLE\"\n",
    )
    .unwrap();
    story.configure(&format!(
        "[roles.developer]\nagent = \"custom\"\ncommand = \"sh {0}\"\n[roles.reviewer]\nagent = \"custom\"\ncommand = \"sh {0}\"\n\
         [roles.security-reviewer]\nagent = \"custom\"\ncommand = \"sh {0}\"\n\
         [gates]\nthere = \"test -n \\\"$DBS_TASK\\\"\"\n",
        agent.display()
    ));
    let _server = story.server();
    story.wait_until("a server", || story.is_live());
    for (id, title) in NAMES {
        story.dbs(&["task", "create", "--id", id, "--release", "--", title]);
    }
    let all = u64::try_from(NAMES.len()).unwrap();
    story.wait_until("the end of all tasks", || story.count("done") == all);
    for (id, title) in NAMES {
        let file = format!("work:of-{id}.txt");
        assert_eq!(story.git(&story.origin(), &["show", &file]), *title, "{id}");
    }
    let found = story.shell(&story.root(), "find . -name 'owned*' -not -path './home/*'");
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
}
