//! Cache entries for views, as a server would have sent them.

use dbs::domain::{AttemptId, Span};
use dbs::read_model::{
    AttemptLoad, CheckResult, CheckRun, DependencyGraph, Diff, MachineLoad, Metrics, MetricsReport,
    ReadModel, SessionRow, SessionState, worst_first,
};
use dbs::ui::{CacheEntry, CacheKey, CheckPhase, DiffBase, RecordedScreen, ViewCache};

use ratatui::style::Style;

use crate::fixture::NOW;

const LOGIN: &str = r#"diff --git a/README.md b/README.md
index 1..2 100644
--- a/README.md
+++ b/README.md
@@ -1,3 +1,4 @@
 # Shop
 
 Sells things.
+The login posts the password once.
diff --git a/src/login.rs b/src/login.rs
index 1..2 100644
--- a/src/login.rs
+++ b/src/login.rs
@@ -12,7 +12,6 @@ impl Form {
     pub fn post(&self, client: &Client) -> Result<Session, Refused> {
-        let url = format!("/login?user={}&password={}", self.user, self.password);
-        client.post(&url).form(&self.fields()).send()
+        client.post("/login").form(&self.fields()).send()
     }
 
     /// The fields as they are sent.
-    fn fields(&self) -> Vec<(&str, &str)> {
+    fn fields(&self) -> [(&str, &str); 2] {
@@ -40,1 +39,5 @@ mod tests {
+    #[test]
+    fn the_password_is_not_in_the_query() {
+        assert_eq!(posted().query(), None);
+    }
 }
diff --git a/src/old/session.rs b/src/session.rs
similarity index 100%
rename from src/old/session.rs
rename to src/session.rs
diff --git a/tests/data/logo.png b/tests/data/logo.png
new file mode 100644
Binary files /dev/null and b/tests/data/logo.png differ
diff --git a/tests/query.txt b/tests/query.txt
deleted file mode 100644
--- a/tests/query.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-user=ann
-password=x
"#;

fn check(
    (attempt, nth): (u64, u16),
    (task, stage): (&str, &str),
    (name, command): (&str, &str),
    (seconds, took): (u64, Option<u64>),
    result: CheckResult,
) -> CheckRun {
    CheckRun {
        attempt: AttemptId(attempt),
        index: nth,
        task: task.into(),
        stage: stage.into(),
        name: name.to_owned(),
        command: command.to_owned(),
        commit: "4f2a9c81d07e55aa".to_owned(),
        began: NOW - Span::seconds(seconds),
        tests: None,
        result,
        took: took.map(Span),
        is_cut: false,
        hidden: Vec::new(),
    }
}

fn checks() -> Vec<CheckRun> {
    let failed = || CheckResult::Failed("ended with code 101".to_owned());
    let test = ("tests", "cargo test --all");
    let lint = ("lint", "cargo clippy --all-targets -- -D warnings");
    let mut checks = vec![
        check(
            (4, 0),
            ("dbs-4", "review"),
            lint,
            (820, Some(9_400)),
            CheckResult::Passed,
        ),
        CheckRun {
            tests: Some(dbs::domain::TestCounts {
                passed: 317,
                failed: 1,
                ..dbs::domain::TestCounts::default()
            }),
            ..check((4, 1), ("dbs-4", "review"), test, (810, Some(74_000)), failed())
        },
        check(
            (15, 0),
            ("dbs-9", "review"),
            lint,
            (60, Some(4_100)),
            CheckResult::Passed,
        ),
        check(
            (15, 1),
            ("dbs-9", "review"),
            test,
            (40, None),
            CheckResult::Running,
        ),
        check(
            (9, 0),
            ("dbs-3", "merging"),
            test,
            (1_600, Some(68_000)),
            CheckResult::Passed,
        ),
        check(
            (8, 0),
            ("dbs-18", "review"),
            test,
            (3_100, Some(600_000)),
            CheckResult::Unknown("the server ended before it did".to_owned()),
        ),
    ];
    worst_first(&mut checks);
    checks
}

fn figures(model: &ReadModel) -> MetricsReport {
    let mut metrics = Metrics::default();
    for attempt in model.attempts.values() {
        metrics.record(attempt);
        // The same attempt again, as if the day before had been alike.
        let mut before = attempt.as_ref().clone();
        before.stage = "merging".into();
        before.task = "dbs-3".into();
        before.ended_at = before.ended_at.map(|at| at - Span::minutes(9));
        metrics.record(&before);
    }
    let load = |attempt, cpu, mib: u64| AttemptLoad {
        attempt: AttemptId(attempt),
        cpu,
        memory: mib * 1024 * 1024,
        processes: 3,
    };
    MetricsReport {
        metrics,
        loads: vec![load(11, 37.4, 412), load(12, 0.0, 1_380), load(13, 141.0, 96)],
    }
}

const OUTPUT: &str = "\
running 318 tests
test limits::a_bucket_refills ... ok
test login::the_form_posts_the_password_once ... FAILED
\tthread 'login' panicked at tests/login.rs:14:5:
assertion `left == right` failed
  left: Some(\"user=ann&password=x\")
 right: None

test result: FAILED. 317 passed; 1 failed; finished in 71.02s";

fn sessions() -> Vec<SessionRow> {
    let session = |name: &str, state, needs, since: Option<u64>| SessionRow {
        name: name.to_owned(),
        root: format!("/home/ann/{name}"),
        state,
        agents: needs * 3,
        needs,
        counts: [("active".to_owned(), 4), ("done".to_owned(), 12)].into(),
        since: since.map(|minutes| NOW - Span::minutes(minutes)),
    };
    vec![
        session("billing", SessionState::Detached, 1, Some(94)),
        session("shop", SessionState::Here, 5, Some(41)),
        session("website", SessionState::Interrupted, 0, None),
    ]
}

/// A cache with all entries that the views of the full board need.
pub(crate) fn cache(model: &ReadModel) -> ViewCache {
    let mut cache = ViewCache::default();
    let login = model
        .changes(&"dbs-4".into(), DiffBase::Base)
        .expect("it has started");
    cache.put(
        CacheKey::Diff(login),
        CacheEntry::Diff(Diff::parse(LOGIN, false).into()),
        NOW,
    );
    let mut cells = Vec::new();
    for (row, line) in (0..).zip(["Bash(npm run migrate)", "", "Do you want to proceed?", "> 1. Yes"]) {
        for (column, letter) in (0..).zip(line.chars()) {
            cells.push((column, row, letter.to_string(), Style::new()));
        }
    }
    let at = NOW - Span::seconds(130);
    let moment = RecordedScreen {
        at,
        range: (at - Span::minutes(5), NOW),
        size: (80, 24),
        cells,
    };
    cache.put(
        CacheKey::Replay(AttemptId(13), at),
        CacheEntry::Replay(moment.into()),
        NOW,
    );
    cache.put(CacheKey::Sessions, CacheEntry::Sessions(sessions().into()), NOW);
    let machine = MachineLoad {
        at: NOW,
        cpu: Some(61.4),
        memory: Some(9_800 << 20),
        disk: Some(38 << 30),
    };
    cache.put(CacheKey::Machine, CacheEntry::Machine(machine), NOW);
    cache.put(CacheKey::Figures, CacheEntry::Figures(figures(model).into()), NOW);
    cache.put(
        CacheKey::Graph,
        CacheEntry::Graph(DependencyGraph::of(model).into()),
        NOW,
    );
    cache.put(CacheKey::Checks(None), CacheEntry::Checks(checks().into()), NOW);
    let lines: Vec<String> = OUTPUT.lines().map(str::to_owned).collect();
    cache.put(
        CacheKey::Output(AttemptId(4), 1, CheckPhase::Over),
        CacheEntry::Text(lines.into()),
        NOW,
    );
    cache
}
