//! Stories of work that is handed over: reports that become comments of the task, and merges that an agent makes.

use serde_json::Value;

use crate::driver::Story;

fn task(story: &Story) -> Value {
    serde_json::from_str(&story.dbs(&["task", "show", "t-1", "--json"])).unwrap()
}

fn comments(story: &Story) -> Vec<(String, String)> {
    let task = task(story);
    let comments = task.pointer("/task/comments").and_then(Value::as_array).unwrap();
    let text = |comment: &Value, name: &str| comment[name].as_str().unwrap().to_owned();
    comments
        .iter()
        .map(|comment| (text(comment, "author"), text(comment, "text")))
        .collect()
}

const REPORTING: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work.txt", text = "done\n" },
  { commit = "Work" },
  { push = "origin" },
  { signal = "done", text = "Worked.", report = { task = "{task}", files = ["work.txt"], tests = 12 } },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good.", report = { seen = ["work.txt"] } }]
"#;

#[test]
fn a_report_an_agent_hands_over_stands_on_its_task_as_its_comment() {
    let story = Story::new(REPORTING);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    let comments = comments(&story);
    let of = |role: &str| -> Vec<&str> {
        let own = comments.iter().filter(|(author, _)| author.starts_with(role));
        own.map(|(_, text)| text.as_str()).collect()
    };
    let report = "reports with done:\n{\"task\":\"t-1\",\"files\":[\"work.txt\"],\"tests\":12}";
    assert_eq!(
        of("developer-").iter().filter(|text| **text == report).count(),
        1,
        "{comments:#?}"
    );
    let review = "reports with done:\n{\"seen\":[\"work.txt\"]}";
    assert_eq!(
        of("reviewer-").iter().filter(|text| **text == review).count(),
        1,
        "{comments:#?}"
    );
    assert!(story.dbs(&["task", "show", "t-1"]).contains("\"tests\":12"));
    story.dbs(&["stop", "--all"]);
}

/// Parts in which the first integrator only says that it has merged, and the second one merges.
const MERGING: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work.txt", text = "ours\n" },
  { commit = "Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
role = "integrator"
attempt = 1
steps = [{ signal = "claim" }, { signal = "done", text = "Merged and pushed, believe me." }]

[[part]]
role = "integrator"
steps = [
  { signal = "claim" },
  { merge = "origin/{branch}", fetch = "origin", text = "Merge {branch}" },
  { push = "origin", to = "{base}" },
  { signal = "done", text = "Merged and pushed." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

#[test]
fn where_agents_merge_the_engine_looks_at_the_remote_and_believes_nobody() {
    let story = Story::new(MERGING);
    let config = story.project().join(".debussy/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    // There is no check that could fail for another reason: only the look at the remote tells the integrators apart.
    story.write_settings(&format!("merge = \"agent\"\n{text}"));
    let before = story.git(&story.origin(), &["rev-parse", "work"]);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    let log: Vec<Value> = story
        .dbs(&["logs", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<String> = log
        .iter()
        .filter_map(|line| {
            line.pointer("/notice/text")
                .and_then(Value::as_str)
                .map(str::to_owned)
        })
        .collect();
    let all = told.join("\n");
    // The first integrator was not believed: nothing had been merged, and a second one was called.
    let integrators = log
        .iter()
        .filter(|line| {
            let of = |name: &str| {
                line.pointer(&format!("/notice/{name}"))
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            of("kind") == "claim" && of("text").contains("integrator-")
        })
        .count();
    assert_eq!(integrators, 2, "{all}");
    let merge = story.git(
        &story.origin(),
        &["log", "--merges", "--format=%an %s", &format!("{before}..work")],
    );
    assert_eq!(merge, "Rehearsal Merge feature/t-1", "{all}");
    assert_eq!(story.git(&story.origin(), &["show", "work:work.txt"]), "ours");
    let shown = task(&story);
    let merged = story.git(&story.origin(), &["rev-parse", "work"]);
    assert_eq!(shown.pointer("/task/state").and_then(Value::as_str), Some("done"));
    let head = shown
        .pointer("/task/head")
        .and_then(Value::as_str)
        .unwrap()
        .to_owned();
    story.git(&story.origin(), &["merge-base", "--is-ancestor", &head, &merged]);
    story.dbs(&["stop", "--all"]);
}
