//! PRDs from their files to merged and recorded commits: tests first, with real pytest and real cargo.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::driver::{Story, said};

const HEALTH: &str = r#"{
  "type": "feature",
  "name": "Health Check Endpoint",
  "description": "Add a health check endpoint for monitoring",
  "userStories": [
    {
      "id": "US-001",
      "title": "Basic Health Check",
      "description": "GET /health returns 200 OK",
      "acceptanceCriteria": [
        "GET /health returns 200 status code",
        "Response body contains {\"status\": \"healthy\"}",
        "Response time is under 100ms"
      ],
      "priority": 1,
      "complexity": "simple",
      "passes": false
    }
  ]
}
"#;

const PYTHON: &str = r#"
[[part]]
role = "test-author"
steps = [
  { signal = "claim" },
  { write = "tests/test_US_001.py", text = '''
# Creates: app
import json
import threading
import time
import urllib.request

import pytest

from app import make_server


@pytest.fixture
def url():
    server = make_server(0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/health"
    server.shutdown()


def test_health_answers_200(url):
    assert urllib.request.urlopen(url).status == 200


def test_health_says_healthy(url):
    assert json.load(urllib.request.urlopen(url)) == {"status": "healthy"}


def test_health_is_quick(url):
    urllib.request.urlopen(url)
    began = time.monotonic()
    urllib.request.urlopen(url)
    assert time.monotonic() - began < 0.1
''' },
  { signal = "done", text = "Three tests." },
]

[[part]]
role = "implementer"
steps = [
  { signal = "claim" },
  { write = "app.py", text = '''
"""A service that says how it is."""
import http.server
import json


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/health":
            self.send_error(404)
            return
        body = json.dumps({"status": "healthy"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def make_server(port):
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
''' },
  { write = "conftest.py", text = "" },
  { signal = "done", text = "The endpoint is there." },
]
"#;

/// Returns a project with the PRD of a health check, whose agents use pytest; none if pytest is not on this machine.
pub(crate) fn health() -> Option<Story> {
    let story = project(PYTHON, &[("prds/001-FEAT-health.json", HEALTH)]);
    has_pytest(&story).then_some(story)
}

/// Returns a project with these files on its base, whose agents play these parts.
fn project(workers: &str, files: &[(&str, &str)]) -> Story {
    let story = Story::new(workers);
    let folder = story.project();
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    story.git(&folder, &["add", "--all"]);
    story.git(&folder, &["commit", "-qm", "Stories"]);
    story.git(&folder, &["push", "-q", "origin", "main:work", "main"]);
    story
}

fn on_base(story: &Story, path: &str) -> String {
    story.git(&story.origin(), &["show", &format!("work:{path}")])
}

fn files(story: &Story) -> String {
    story.git(&story.origin(), &["ls-tree", "-r", "--name-only", "work"])
}

fn task(story: &Story, id: &str) -> Value {
    let whole: Value = serde_json::from_str(&story.dbs(&["task", "show", id, "--json"])).unwrap();
    whole["task"].clone()
}

/// Returns true if pytest is on this machine; CI must have it.
fn has_pytest(story: &Story) -> bool {
    let has = story
        .shell(&story.root(), "python3 -m pytest --version")
        .status
        .success();
    if !has {
        #[expect(
            clippy::disallowed_methods,
            reason = "a missing tool is a failure in CI alone"
        )]
        let is_ci = std::env::var_os("CI").is_some();
        assert!(!is_ci, "pytest is not installed");
        // Written past the capture of test output, so that people see it.
        drop(std::io::stderr().write_all(b"skipped: pytest is not installed\n"));
    }
    has
}

#[test]
fn the_health_check_is_tested_first_with_pytest_then_built_recorded_and_committed() {
    let Some(story) = health() else { return };
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let shown = story.dbs(&["atdd", "run", "--dry-run"]);
    assert!(
        shown.contains("(3 criteria, tests in tests/test_US_001.py)"),
        "{shown}"
    );
    let made = story.dbs(&["run", "prds"]);
    assert!(made.contains("queue of PRDs: Stories, 1 story"), "{made}");
    story.wait_until("the end of the story", || {
        story.count("done") == 1 || story.count("held") == 1
    });
    let done = task(&story, "US-001");
    assert_eq!(done["state"], "done", "{done}");
    let log = story.git(&story.origin(), &["log", "-1", "--format=%s", "work"]);
    assert_eq!(log.trim(), "feat: basic Health Check (US-001)");
    let files = files(&story);
    for file in [
        "tests/test_US_001.py",
        "app.py",
        "state.json",
        "history.md",
        "prds/archive/001-FEAT-health.json",
    ] {
        assert!(files.lines().any(|line| line == file), "{file}: {files}");
    }
    assert!(
        !files.lines().any(|line| line == "prds/001-FEAT-health.json"),
        "{files}"
    );
    let history = on_base(&story, "history.md");
    for line in ["- **Tests:** 3/3 passed", "- [x] Response time is under 100ms"] {
        assert!(history.contains(line), "{line}: {history}");
    }
    let state: Value = serde_json::from_str(&on_base(&story, "state.json")).unwrap();
    assert_eq!(
        (&state["current_prd"], &state["session_count"]),
        (&Value::Null, &2.into()),
        "{state}"
    );
    story.dbs(&["stop", "--all"]);
}

const CARGO: &str = r#"
[[part]]
role = "test-author"
steps = [
  { signal = "claim" },
  { write = "tests/test_US_001.rs", text = '''
// Creates: shop::health
use shop::health;

#[test]
fn health_is_healthy() {
    assert_eq!(health(), "healthy");
}
''' },
  { signal = "done", text = "A test." },
]

[[part]]
role = "implementer"
steps = [
  { signal = "claim" },
  { write = "src/lib.rs", text = '''
/// How the service is.
pub fn health() -> &'static str {
    "healthy"
}
''' },
  { signal = "done", text = "It says how it is." },
]
"#;

#[test]
fn a_story_of_a_rust_project_is_tested_first_with_cargo() {
    let prd = r#"{"userStories":[{"id":"US-001","title":"Health check","description":"The service says how it is.","acceptanceCriteria":["health() is healthy"]}]}"#;
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    let cargo = Path::new(env!("CARGO"));
    let rustc = cargo.with_file_name("rustc");
    let own = format!("[build]\nrustc = {:?}\n", rustc.display().to_string());
    let story = project(
        CARGO,
        &[
            ("prds/001-FEAT-health.json", prd),
            ("Cargo.toml", manifest),
            ("src/lib.rs", ""),
            (".cargo/config.toml", &own),
            (".gitignore", "target\nCargo.lock\n"),
        ],
    );
    let command = cargo.display();
    story.configure(&format!(
        "[atdd]\ntest_cmd = \"{command} test --offline --test {{name}}\"\ntest_path = \"tests/{{name}}.rs\"\nsuite_cmd = \"{command} test --offline --tests\"\n"
    ));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    story.wait_until("the end of the story", || {
        story.count("done") == 1 || story.count("held") == 1
    });
    let done = task(&story, "US-001");
    assert_eq!(done["state"], "done", "{done}");
    let history = on_base(&story, "history.md");
    assert!(history.contains("- **Tests:** 1/1 passed"), "{history}");
    story.dbs(&["stop", "--all"]);
}

/// Test runner that passes for a story whose file exists, and prints like pytest.
const RUNNER: &str = "for file in $1; do
  name=$(basename $file .py); name=${name#test_}
  if [ -e done/$name.txt ]; then echo '=== 1 passed in 0.01s ==='; else echo 'FAILED t::a - assert 1 == 2'; echo '=== 1 failed in 0.01s ==='; exit 1; fi
done
";

fn prd(stories: &[&str]) -> String {
    let stories: Vec<String> = stories
        .iter()
        .map(|id| format!("{{\"id\":\"{id}\",\"title\":\"Story {id}\",\"description\":\"Something that can be done.\",\"acceptanceCriteria\":[\"It works\"],\"passes\":false}}"))
        .collect();
    format!(
        "{{\"type\":\"feature\",\"name\":\"Shop\",\"description\":\"A shop.\",\"userStories\":[{}]}}\n",
        stories.join(",")
    )
}

/// Returns parts for each of the stories; the agent of a blocked story reports a block instead of building.
fn parts(stories: &[&str], blocked: &[&str]) -> String {
    let part = |role: &str, id: &str, steps: &str| {
        format!(
            "[[part]]\nrole = \"{role}\"\ntask = \"{id}\"\nsteps = [ {{ signal = \"claim\" }}, {steps} ]\n"
        )
    };
    let of_story = |id: &&str| {
        let key = id.replace('-', "_");
        let tests = format!(
            r#"{{ write = "tests/test_{key}.py", text = "def test_it():\n    assert it() == 1\n" }}, {{ signal = "done", text = "A test." }}"#
        );
        let work = if blocked.contains(id) {
            r#"{ signal = "block", text = "no database" }"#.to_owned()
        } else {
            format!(r#"{{ write = "done/{key}.txt", text = "x\n" }}, {{ signal = "done", text = "Built." }}"#)
        };
        part("test-author", id, &tests) + &part("implementer", id, &work)
    };
    stories.iter().map(of_story).collect()
}

/// Returns a project of two PRDs with three stories, and a test runner without dependencies.
fn queue(blocked: &[&str], settings: &str) -> Story {
    let story = project(
        &parts(&["US-001", "US-002", "US-003"], blocked),
        &[
            ("prds/001-FEAT-shop.json", &prd(&["US-001", "US-002"])),
            ("prds/002-FEAT-more.json", &prd(&["US-003"])),
            ("pytest", RUNNER),
        ],
    );
    story.configure(&format!(
        "[atdd]\ntest_cmd = \"sh ./pytest {{file}}\"\nsuite_cmd = \"\"\n{settings}"
    ));
    story
}

#[test]
fn three_stories_of_two_prds_are_done_in_order_and_each_prd_is_archived_when_all_of_it_passes() {
    let story = queue(&[], "");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    story.wait_until("the end of the queue", || {
        story.count("done") == 3 || story.count("held") > 0
    });
    assert_eq!(story.count("done"), 3, "{}", story.dbs(&["task", "list"]));
    let subjects = story.git(
        &story.origin(),
        &["log", "--first-parent", "-3", "--reverse", "--format=%H", "work"],
    );
    let commits: Vec<&str> = subjects.lines().collect();
    let at = |commit: &str, path: &str| story.git(&story.origin(), &["show", &format!("{commit}:{path}")]);
    let state: Value = serde_json::from_str(&at(commits[0], "state.json")).unwrap();
    assert_eq!(
        (&state["current_prd"], &state["current_story"]),
        (&"001-FEAT-shop.json".into(), &"US-002".into()),
        "{state}"
    );
    assert!(at(commits[0], "prds/001-FEAT-shop.json").contains("\"passes\":true"));
    let state: Value = serde_json::from_str(&at(commits[1], "state.json")).unwrap();
    assert_eq!(
        (&state["current_prd"], &state["current_story"]),
        (&"002-FEAT-more.json".into(), &"US-003".into()),
        "{state}"
    );
    let after_two = story.git(&story.origin(), &["ls-tree", "-r", "--name-only", commits[1]]);
    assert!(
        after_two.contains("prds/archive/001-FEAT-shop.json")
            && after_two.contains("prds/002-FEAT-more.json"),
        "{after_two}"
    );
    let history = on_base(&story, "history.md");
    assert_eq!(history.matches(" Complete").count(), 3, "{history}");
    // The next pull brings the record, and then the same command says that nothing is left.
    story.git(&story.project(), &["pull", "-q", "origin", "work"]);
    let over = said(&story.run(&["run", "prds"]));
    assert!(over.contains("queue empty"), "{over}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_blocked_story_stops_the_queue_unless_it_is_to_go_on() {
    let story = queue(&["US-001"], "");
    let ended = story.run(&["run", "prds", "--headless"]);
    assert_eq!(ended.status.code(), Some(5), "{}", said(&ended));
    assert!(said(&ended).contains("no database"), "{}", said(&ended));
    story.dbs(&["stop", "--all"]);
    for (settings, done) in [("", 0), ("on_failure = \"continue\"\n", 2)] {
        let story = queue(&["US-001"], settings);
        let _server = story.server();
        story.wait_until("the server", || story.is_live());
        story.dbs(&["run", "prds"]);
        story.wait_until("the block", || story.count("held") == 1);
        story.wait_until("the others", || story.count("done") == done);
        let held = task(&story, "US-001");
        assert!(held["state"].to_string().contains("no database"), "{held}");
        if done == 0 {
            let why = story.dbs(&["why", "US-002"]);
            assert!(why.contains("US-001"), "{why}");
        }
        story.dbs(&["stop", "--all"]);
    }
}

#[test]
fn a_story_goes_on_where_it_was_when_the_server_is_killed_while_it_merges() {
    let story = queue(&[], "");
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    for done in 1..=3 {
        story.wait_until("a merge", || {
            let shown = story.run(&["task", "list", "--json"]);
            let text = String::from_utf8_lossy(&shown.stdout).into_owned();
            text.contains("merging") || story.count("done") >= done
        });
        server.kill();
        server = story.server();
        story.wait_until("the server", || story.is_live());
        story.wait_until("the story", || {
            story.count("done") >= done || story.count("held") > 0
        });
    }
    assert_eq!(story.count("done"), 3, "{}", story.dbs(&["task", "list"]));
    let history = on_base(&story, "history.md");
    assert_eq!(history.matches(" Complete").count(), 3, "each once: {history}");
    story.dbs(&["stop", "--all"]);
    drop(server);
}

#[test]
fn a_prd_with_an_error_is_shown_with_its_place_and_nothing_is_begun() {
    for (text, wanted) in [
        (
            prd(&["US-001"]).replace("\"title\":\"Story US-001\",", ""),
            "$.userStories[0].title",
        ),
        ("{\"userStories\":[]}".to_owned(), "$.userStories"),
        ("{\"userStories\":[{]}".to_owned(), "as JSON"),
    ] {
        let story = Story::new(&parts(&["US-001"], &[]));
        fs::create_dir_all(story.project().join("prds")).unwrap();
        fs::write(story.project().join("prds/001-FEAT-shop.json"), text).unwrap();
        let refused = said(&story.run(&["run", "prds"]));
        assert!(
            refused.contains(wanted) && refused.contains("001-FEAT-shop.json:"),
            "{refused}"
        );
        assert_eq!(story.dbs(&["task", "list", "--json"]).trim(), "[]");
    }
}

/// Commits a PRD in a checkout, and pushes it.
fn add_prd(story: &Story, checkout: &Path, name: &str, stories: &[&str]) {
    fs::write(checkout.join(format!("prds/{name}.json")), prd(stories)).unwrap();
    story.git(checkout, &["add", "prds"]);
    story.git(checkout, &["commit", "-qm", name]);
    story.git(
        checkout,
        &["pull", "-q", "--no-rebase", "--no-edit", "origin", "work"],
    );
    story.git(checkout, &["push", "-q", "origin", "HEAD:work"]);
}

/// Takes the last PRD back, and approves what waits for a yes.
fn agree_to_the_queue(story: &Story) {
    let project = story.project();
    story.git(&project, &["rm", "-q", "prds/004-FEAT-again.json"]);
    story.git(&project, &["commit", "-qm", "Take it back"]);
    story.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    let asked = said(&story.run(&["run", "prds"]));
    let hash = asked.split("--trust ").nth(1).unwrap_or_default().trim();
    story.dbs(&["run", "prds", "--trust", hash]);
}

/// Returns parts of three stories, of which the first asks and waits for the answer.
fn asking_parts() -> String {
    let asks = r#"[[part]]
role = "test-author"
task = "US-001"
attempt = 1
steps = [ { signal = "claim" }, { ask = "Which?" }, { write = "tests/test_US_001.py", text = "def test_it():\n    assert it() == 1\n" }, { signal = "done", text = "A test." } ]
"#;
    asks.to_owned() + &parts(&["US-001", "US-004", "US-005"], &[])
}

#[test]
fn a_prd_that_a_person_adds_joins_the_run_and_one_of_another_hand_waits_for_a_yes() {
    let story = project(
        &asking_parts(),
        &[("prds/001-FEAT-shop.json", &prd(&["US-001"])), ("pytest", RUNNER)],
    );
    story.configure("[atdd]\ntest_cmd = \"sh ./pytest {file}\"\nsuite_cmd = \"\"\n");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    let log = || story.logs();
    // A commit of another author, such as a merged commit of an agent, which the person pulls.
    let other = story.root().join("other");
    let origin = story.origin();
    story.git(
        &story.root(),
        &[
            "clone",
            "-qb",
            "work",
            origin.to_str().unwrap(),
            other.to_str().unwrap(),
        ],
    );
    story.git(&other, &["config", "user.name", "Other"]);
    story.git(&other, &["config", "user.email", "other@example.com"]);
    add_prd(&story, &other, "002-FEAT-foreign", &["US-005"]);
    story.git(
        &story.project(),
        &["pull", "-q", "--no-rebase", "--no-edit", "origin", "work"],
    );
    add_prd(&story, &story.project(), "003-FEAT-late", &["US-004"]);
    story.wait_until("the added story", || {
        story.run(&["task", "show", "US-004"]).status.success()
    });
    let added = task(&story, "US-004");
    assert_eq!(
        (&added["batch"], &added["deps"]),
        (&"stories".into(), &serde_json::json!(["US-001"])),
        "{added}"
    );
    let told = log();
    assert!(
        told.contains("prds/003-FEAT-late.json joins the run: US-004"),
        "{told}"
    );
    assert!(
        told.contains("prds/002-FEAT-foreign.json was not committed in this checkout"),
        "{told}"
    );
    // An id that is already taken renames another story.
    add_prd(&story, &story.project(), "004-FEAT-again", &["US-001"]);
    story.wait_until("the question", || {
        log().contains("prds/004-FEAT-again.json waits: it changes other stories of this run")
    });
    let ids = story.dbs(&["task", "list", "--json"]);
    assert!(!ids.contains("again") && !ids.contains("US-005"), "{ids}");
    agree_to_the_queue(&story);
    let joined = task(&story, "US-005");
    assert_eq!(joined["deps"], serde_json::json!(["US-001"]), "{joined}");
    assert_eq!(task(&story, "US-004")["deps"], serde_json::json!(["US-005"]));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_prd_of_an_agent_waits_for_a_yes_though_the_log_of_the_checkout_names_the_person() {
    let own = prd(&["US-005"]);
    let agent = format!(
        "[[part]]\nrole = \"developer\"\nsteps = [ {{ signal = \"claim\" }}, {{ write = \"prds/005-FEAT-agent.json\", text = '{}' }}, \
         {{ commit = \"Plan\" }}, {{ signal = \"done\", text = \"Planned.\" }} ]\n\
         [[part]]\nrole = \"reviewer\"\nsteps = [ {{ signal = \"claim\" }}, {{ signal = \"done\", text = \"Good.\" }} ]\n",
        own.trim_end()
    );
    let story = project(
        &(asking_parts() + &agent),
        &[("prds/001-FEAT-shop.json", &prd(&["US-001"])), ("pytest", RUNNER)],
    );
    story.configure("[atdd]\ntest_cmd = \"sh ./pytest {file}\"\nsuite_cmd = \"\"\n");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    story.dbs(&["task", "create", "Plan", "--id", "plan-1", "--release"]);
    story.wait_until("the agent's PRD is merged", || {
        files(&story).contains("005-FEAT-agent.json")
    });
    let checkout = story.project();
    story.git(
        &checkout,
        &["pull", "-q", "--no-rebase", "--no-edit", "origin", "work"],
    );
    let last = ["log", "-1", "--format=%H", "--", "prds/005-FEAT-agent.json"];
    let commit = story.git(&checkout, &last);
    let mut log = fs::OpenOptions::new()
        .append(true)
        .open(checkout.join(".git/logs/HEAD"))
        .unwrap();
    // The time is long after the run began.
    writeln!(
        log,
        "{commit} {commit} Story <story@example.org> 4000000000 +0000\tcommit: Mine"
    )
    .unwrap();
    story.wait_until("the person is told", || {
        story
            .logs()
            .contains("prds/005-FEAT-agent.json may have come with the work of an agent and waits for you")
    });
    let ids = story.dbs(&["task", "list", "--json"]);
    assert!(!ids.contains("US-005"), "{ids}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_prd_that_is_not_committed_is_not_begun() {
    let story = queue(&[], "");
    fs::write(story.project().join("prds/003-FEAT-late.json"), prd(&["US-004"])).unwrap();
    let refused = said(&story.run(&["atdd", "run"]));
    assert!(
        refused.contains("these PRDs are not committed") && refused.contains("prds/003-FEAT-late.json"),
        "{refused}"
    );
    assert_eq!(story.dbs(&["task", "list", "--json"]).trim(), "[]");
    story.git(&story.project(), &["add", "prds"]);
    story.git(&story.project(), &["commit", "-qm", "One more"]);
    let made = story.dbs(&["atdd", "run"]);
    assert!(made.contains("4 stories") && made.contains("US-004"), "{made}");
}

#[test]
fn a_prompt_of_a_story_shows_what_its_agent_is_given_to_read_and_within_which_limit() {
    let story = queue(&[], "context_tokens = 300\n");
    story.dbs(&["run", "prds"]);
    let author = story.dbs(&["prompt", "US-001"]);
    for part in ["## To read", "# prds/001-FEAT-shop.json", " of 300 tokens"] {
        assert!(author.contains(part), "{part}: {author}");
    }
    assert!(!author.contains("# pytest"), "{author}");
}

#[test]
fn the_standing_of_the_queue_is_shown_from_the_base_and_the_board_and_what_was_done_from_the_history() {
    let story = queue(&["US-002"], "");
    let before = story.dbs(&["atdd", "status"]);
    assert!(
        before.contains("no story is done yet") && before.contains("not on the board"),
        "{before}"
    );
    assert!(
        story
            .dbs(&["atdd", "history"])
            .contains("has no story in history.md yet")
    );
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    story.wait_until("the block", || story.count("held") == 1);
    let shown = story.dbs(&["atdd", "status"]);
    let line = |id: &str| {
        shown
            .lines()
            .find(|line| line.contains(id) && line.starts_with("  "))
            .unwrap()
    };
    assert!(
        shown.starts_with("work: US-002 of 001-FEAT-shop.json is next; 4 sessions"),
        "{shown}"
    );
    assert!(line("US-001").ends_with("passes"), "{shown}");
    assert!(
        line("US-002").contains("held: ") && line("US-002").contains("no database"),
        "{shown}"
    );
    assert!(line("US-003").ends_with("released"), "{shown}");
    let json: Value = serde_json::from_str(&story.dbs(&["atdd", "status", "--json"])).unwrap();
    assert_eq!(json["prds"][0]["stories"][1]["state"], "held", "{json}");
    let history = story.dbs(&["atdd", "history", "--limit", "1"]);
    assert!(
        history.starts_with("## ")
            && history.contains("BLOCKED")
            && history.contains("**Reason:** no database"),
        "{history}"
    );
    story.dbs(&["stop", "--all"]);
}

#[test]
fn state_and_history_in_the_checkout_tell_of_a_story_while_it_is_worked_on_and_of_its_block() {
    let story = queue(&["US-002"], "");
    let own = |name: &str| fs::read_to_string(story.project().join(name)).unwrap_or_default();
    let state = |name: &str| -> Value {
        serde_json::from_str::<Value>(&own("state.json")).unwrap_or_default()[name].take()
    };
    let server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["run", "prds"]);
    story.wait_until("the first session", || state("session_count") == 1);
    assert_eq!(
        (
            state("current_prd"),
            state("current_story"),
            state("remaining_stories")
        ),
        (
            "001-FEAT-shop.json".into(),
            "US-001".into(),
            serde_json::json!(["US-002"])
        )
    );
    story.wait_until("the block", || own("history.md").contains("Story US-002 BLOCKED"));
    story.wait_until("the last session", || state("session_count") == 4);
    let history = own("history.md");
    assert!(
        history.contains("Story US-001 Complete") && history.contains("- **Reason:** no database"),
        "{history}"
    );
    assert_eq!(state("completed_stories"), serde_json::json!(["US-001"]));
    let shown = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(shown, "", "git ignores both: {shown}");
    // Text that a person adds stays, and a new server adds nothing twice.
    fs::write(
        story.project().join("history.md"),
        format!("{history}\n## Note\n\nAsk Ada.\n"),
    )
    .unwrap();
    drop(server);
    story.dbs(&["stop", "--all"]);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "park", "US-003", "later"]);
    story.wait_until("the board", || {
        task(&story, "US-003")["state"].to_string().contains("later")
    });
    let after = own("history.md");
    assert!(after.ends_with("Ask Ada.\n"), "{after}");
    assert_eq!(after.matches(" BLOCKED").count(), 1, "{after}");
    story.dbs(&["stop", "--all"]);
}

/// Base with a test that asserts nothing, and a runner that always reports one passed test.
#[test]
fn a_stub_that_is_in_the_base_and_a_runner_that_passes_it_complete_no_story() {
    let story = project(
        &parts(&["US-001"], &[]),
        &[
            ("prds/001-FEAT-shop.json", &prd(&["US-001"])),
            ("pytest", "echo '=== 1 passed in 0.01s ==='\n"),
            ("tests/test_US_001.py", "def test_a(): pass\n"),
        ],
    );
    story.configure("[atdd]\ntest_cmd = \"sh ./pytest {file}\"\nsuite_cmd = \"\"\n");
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let shown = story.dbs(&["run", "prds"]);
    story.wait_until("the look at the tests", || story.count("held") == 1);
    let held = task(&story, "US-001");
    assert_eq!(held["stage"], "given", "{shown} {held}");
    let why = story.dbs(&["why", "US-001"]);
    assert!(
        why.contains("the test test_a in line 1 of tests/test_US_001.py asserts nothing"),
        "{why}"
    );
    assert!(
        files(&story).contains("prds/001-FEAT-shop.json"),
        "nothing is archived"
    );
    let prd = on_base(&story, "prds/001-FEAT-shop.json");
    assert!(prd.contains("\"passes\":false"), "{prd}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn tests_in_a_persons_folder_that_are_not_on_the_base_are_written_by_an_agent() {
    let story = queue(&[], "");
    fs::create_dir_all(story.project().join("tests")).unwrap();
    fs::write(
        story.project().join("tests/test_US_001.py"),
        "def test_a(): pass\n",
    )
    .unwrap();
    story.dbs(&["run", "prds"]);
    assert_eq!(task(&story, "US-001")["stage"], "tests");
}

/// Parts that write a PRD without a title first, and a complete one on the second attempt.
const PRD_WRITERS: &str = r#"
[[part]]
role = "plan-writer"
attempt = 1
steps = [
  { signal = "claim" },
  { write = "prds/export.json", text = '{"userStories":[{"id":"US-009","description":"Users download an invoice.","acceptanceCriteria":["It is there"]}]}' },
  { signal = "done", text = "Written." },
]

[[part]]
role = "plan-writer"
steps = [
  { signal = "claim" },
  { write = "prds/export.json", text = '{"userStories":[{"id":"US-009","title":"Export one","description":"Users download an invoice.","acceptanceCriteria":["It is there"]}]}' },
  { signal = "done", text = "Mended." },
]
"#;

#[test]
fn a_text_becomes_a_prd_that_is_checked_shown_and_only_then_put_into_the_queue() {
    let story = project(PRD_WRITERS, &[("prds/007-FEAT-shop.json", &prd(&["US-001"]))]);
    fs::write(story.project().join("ideas.md"), "Let people export. Ids: any.\n").unwrap();
    let nameless = said(&story.run(&["atdd", "new", "-"]));
    assert!(nameless.contains("give one with --name"), "{nameless}");
    let shown = said(&story.run(&["atdd", "new", "ideas.md", "--name", "export"]));
    for part in [
        "gate plan failed",
        "--- prds/008-export.json",
        "Export one",
        "add --trust ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(
        fs::read_dir(story.project().join("prds")).unwrap().count(),
        1,
        "no PRD is placed without approval"
    );
    let told = fs::read_to_string(story.attempt(1).join("prompt.md")).unwrap();
    for part in [
        "These ids of stories are taken: US-001.",
        "Let people export.",
        "| `acceptanceCriteria` |",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let again = fs::read_to_string(story.attempt(2).join("prompt.md")).unwrap();
    assert!(
        again.contains("$.userStories[0].title"),
        "the error is fed back: {again}"
    );
    let hash = shown
        .split("--trust ")
        .nth(1)
        .unwrap()
        .split([';', '\n'])
        .next()
        .unwrap();
    let written = story.dbs(&["atdd", "new", "ideas.md", "--name", "export", "--trust", hash]);
    assert!(
        written.contains("written; next: dbs atdd check prds/008-export.json"),
        "{written}"
    );
    assert_eq!(story.run(&["atdd", "check"]).status.code(), Some(0));
    assert_eq!(task(&story, "prd-export")["state"], "done");
    assert!(!files(&story).contains("export"), "nothing is merged");
    let refused = said(&story.run(&["atdd", "new", "ideas.md", "--name", "export"]));
    assert!(refused.contains("008-export.json is there already"), "{refused}");
    story.dbs(&["stop", "--all"]);
}
