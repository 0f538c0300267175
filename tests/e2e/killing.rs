//! Server killed again and again while four agents are at work on the demo and more: only a person who looks at it notices.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use dbs::adapters::rehearsal::{DemoPlan, DemoScript, DemoTask};
use serde_json::Value;

use crate::dice::Dice;
use crate::driver::Story;

const KILLS: u32 = 20;
/// One of so many kills comes before the new server has done anything that can be seen.
const AT_ONCE_EVERY: u32 = 4;
/// Tasks besides the demo's, so that there is always work for four agents: at times the demo's tasks only wait for each other.
const MORE: [&str; 10] = [
    "more-1", "more-2", "more-3", "more-4", "more-5", "more-6", "more-7", "more-8", "more-9", "more-10",
];
/// Parts of these tasks, placed before the demo's parts.
const MORE_PARTS: &str = r#"
[[part]]
role = "developer"
title = "A rope for"
steps = [
  { signal = "claim" },
  { think = "Looking for a rope", seconds = 3 },
  { write = "more/{task}.txt", text = "{title}\n", append = true },
  { commit = "[{task}] Find a rope" },
  { push = "origin" },
  { think = "Coiling it", seconds = 3 },
  { signal = "done", text = "Found." },
]

"#;

/// Makes a project that runs the demo, and more, under a server of its own.
fn demo_project() -> (Story, DemoPlan) {
    let first = DemoScript::Tasks.scenario_text().find("[[part]]").unwrap();
    let (head, parts) = DemoScript::Tasks.scenario_text().split_at(first);
    let story = Story::new(&[head, MORE_PARTS, parts].concat());
    let mut sheet = DemoScript::Tasks.sheet().unwrap();
    sheet.tasks.extend(MORE.map(more));
    let project = story.project();
    let config = format!(
        "base_branch = \"work\"\nmax_total_agents = 4\n\
         [roles.default]\nagent = \"rehearsal\"\n[rehearsal]\nscenario = \"{}\"\nspeed = 4\nanswer_after = 0\n\
         [gates]\ncheck = \"\\\"$DBS_PROGRAM\\\" rehearse --check .\"\n\
         [limits]\nstarts_per_turn = 4\nlinger = 1\ncooldown = 1\ncrash_backoff = 1\ninfra_backoff = 1\n",
        story.root().join("scenario.toml").display()
    );
    story.write_settings(&config);
    for file in &sheet.files {
        let path = project.join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
        story.git(&project, &["add", &file.path]);
    }
    story.git(&project, &["commit", "-q", "-m", "Begin"]);
    story.git(&project, &["branch", "-f", "work"]);
    story.git(&project, &["push", "-q", "origin", "main", "work"]);
    (story, sheet)
}

fn more(id: &str) -> DemoTask {
    DemoTask {
        id: id.to_owned(),
        title: format!("A rope for {id}"),
        body: String::new(),
        deps: Vec::new(),
        tags: Vec::new(),
        stage: None,
    }
}

fn fill(story: &Story, sheet: &DemoPlan) {
    for task in &sheet.tasks {
        let deps = task.deps.join(",");
        let mut words = vec!["task", "create", &task.title, "--id", &task.id];
        if !deps.is_empty() {
            words.extend(["--deps", &deps]);
        }
        for tag in &task.tags {
            words.extend(["--tag", tag]);
        }
        if let Some(stage) = &task.stage {
            words.extend(["--stage", stage]);
        }
        story.dbs(&words);
    }
    let mut words = vec!["task", "release"];
    words.extend(sheet.tasks.iter().map(|task| task.id.as_str()));
    story.dbs(&words);
}

/// Returns how many agents are at work under a server that answers; none while no server answers.
fn agents(story: &Story) -> usize {
    let status: Value = serde_json::from_str(&story.dbs(&["status", "--json"])).unwrap();
    let is_live = status.get("live") == Some(&Value::Bool(true));
    let agents = status.get("agents").and_then(Value::as_array).unwrap();
    if is_live { agents.len() } else { 0 }
}

/// Kills server after server: some as soon as they exist, most at a random moment of their work, with four agents alive.
fn kill_again_and_again(story: &Story, dice: &mut Dice, all: u64) {
    let mut server = story.server();
    let mut seen = Vec::new();
    for kill in 0..KILLS {
        if kill % AT_ONCE_EVERY == AT_ONCE_EVERY - 1 {
            Story::let_pass(dice.below(250));
        } else {
            let mut now = 0;
            story.wait_until("four agents at work, or the end", || {
                now = agents(story);
                now == 4 || story.count("done") + 4 > all
            });
            seen.push(now);
            Story::let_pass(dice.below(400));
        }
        server.kill();
        server = story.server();
    }
    let four = seen.iter().filter(|agents| **agents == 4).count();
    assert_eq!(
        four,
        seen.len(),
        "agents at work when a server was killed: {seen:?}"
    );
    story.wait_until("the last server", || story.is_live());
    // The last server goes on by itself until it is told to stop.
    std::mem::forget(server);
}

#[test]
fn a_demo_whose_server_is_killed_twenty_times_ends_as_if_it_had_never_been() {
    let (mut dice, again) = Dice::of_the_story();
    println!("{again}");
    let (story, sheet) = demo_project();
    fill(&story, &sheet);
    let all = u64::try_from(sheet.tasks.len()).unwrap();
    kill_again_and_again(&story, &mut dice, all);
    story.wait_until("the end of all tasks", || story.count("done") == all);
    same_tree(&story);
    each_merged_once(&story, &sheet);
    nobody_lost(&story);
    story.dbs(&["stop", "--all"]);
}

fn same_tree(story: &Story) {
    let origin = story.origin();
    let names = story.git(&origin, &["ls-tree", "-r", "--name-only", "work"]);
    let found: BTreeMap<String, String> = names
        .lines()
        .map(|name| {
            (
                name.to_owned(),
                story.git(&origin, &["show", &format!("work:{name}")]),
            )
        })
        .collect();
    let expected: BTreeMap<String, String> = DemoScript::Tasks
        .expected_tree()
        .unwrap()
        .into_iter()
        .map(|(name, text)| (name, text.trim().to_owned()))
        .chain(MORE.map(|id| (format!("more/{id}.txt"), more(id).title)))
        .collect();
    assert_eq!(found, expected);
}

fn each_merged_once(story: &Story, sheet: &DemoPlan) {
    let trailer = "--format=%(trailers:key=Dbs-Task,valueonly,separator=%x2C)";
    let merged = story.git(&story.origin(), &["log", "--merges", trailer, "work"]);
    let mut merged: Vec<&str> = merged.lines().filter(|task| !task.is_empty()).collect();
    merged.sort_unstable();
    let built = sheet.tasks.iter().filter(|task| task.stage.is_none());
    let mut wanted: Vec<&str> = built.map(|task| task.id.as_str()).collect();
    wanted.sort_unstable();
    assert_eq!(merged, wanted, "each task is merged exactly once");
}

/// Compares what agents did and said with the log of what happened.
fn nobody_lost(story: &Story) {
    let log = story.dbs(&["logs", "--json"]);
    let mut kinds: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut tasks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let of = |name: &str| line.pointer(&format!("/notice/{name}"));
        let kind = of("kind").and_then(Value::as_str).unwrap().to_owned();
        if let Some(task) = of("task").and_then(Value::as_str) {
            tasks.entry(kind.clone()).or_default().push(task.to_owned());
        }
        if let Some(attempt) = of("attempt").and_then(Value::as_u64) {
            kinds.entry(attempt).or_default().push(kind);
        }
    }
    let of = |kind: &str| tasks.get(kind).cloned().unwrap_or_default();
    // What the scenario lets happen once has happened once; a lost agent would be one more crash.
    assert_eq!(of("crash"), ["knot-5"], "{log}");
    assert_eq!(of("empty_branch"), ["knot-6"], "{log}");
    assert_eq!(of("reject"), ["knot-4"], "{log}");
    assert!(of("protocol").is_empty(), "{log}");
    let mut wrong = String::new();
    for attempt in attempts_of_agents(story) {
        let kinds = kinds.get(&attempt).map_or(&[][..], Vec::as_slice);
        let times = |kind: &str| kinds.iter().filter(|other| *other == kind).count();
        let never_ran = times("infra") > 0;
        if times("claim") > 1 || (!never_ran && times("claim") != 1) {
            writeln!(wrong, "attempt {attempt}: {kinds:?}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}{log}");
}

/// Returns the attempts whose agents are known to have run: they started, signalled or ended.
fn attempts_of_agents(story: &Story) -> BTreeSet<u64> {
    let events = story.dbs(&["events", "--json"]);
    let of_agents = |event: &Value| {
        let kind = event["kind"].as_str().unwrap();
        let is_agents = ["attempt_started", "signalled", "attempt_ended"].contains(&kind);
        is_agents.then(|| event["attempt"].as_u64().unwrap())
    };
    let events = events.lines().map(|line| serde_json::from_str(line).unwrap());
    events.filter_map(|event| of_agents(&event)).collect()
}
