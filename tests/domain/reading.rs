//! Workflow files: the built-in ones are sound, and every finding names its line.

use std::path::Path;

use dbs::formats::workflow::{builtin, describe, read};

const KANBAN: &str = include_str!("../../assets/workflows/kanban.toml");

/// Replaces one line of the kanban file and returns the findings as `line: text`.
fn broken(from: &str, to: &str) -> Vec<String> {
    assert!(KANBAN.contains(from), "{from}");
    let text = KANBAN.replacen(from, to, 1);
    let (flow, found) = read(Path::new("w.toml"), &text);
    assert!(flow.is_none() || found.is_empty());
    found
        .iter()
        .map(|finding| format!("{}: {}", finding.line, finding.text))
        .collect()
}

/// Returns the number of the line of the kanban file that holds `text`, counted from 1.
fn line(text: &str) -> usize {
    KANBAN.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[track_caller]
fn one(from: &str, to: &str, at: usize, part: &str) {
    let found = broken(from, to);
    assert!(
        found.len() == 1 && found[0].starts_with(&format!("{at}: ")) && found[0].contains(part),
        "line {at}, `{part}`: {found:?}"
    );
}

#[test]
fn the_builtin_workflows_have_no_findings() {
    for (name, text) in builtin() {
        let (flow, found) = read(Path::new(name), text);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(flow.unwrap().id.as_str(), name);
    }
}

#[test]
fn broken_toml_is_found_with_its_line() {
    let found = broken("entry = \"development\"", "entry = ");
    assert!(
        found[0].starts_with(&format!("{}: ", line("entry = "))),
        "{found:?}"
    );
}

#[test]
fn unknown_keys_are_errors_everywhere() {
    one(
        "title = ",
        "titel = ",
        line("title = "),
        "a workflow has no `titel`",
    );
    one(
        "crash = 3",
        "crush = 3",
        line("crash = 3"),
        "`limits` has no `crush`",
    );
    one(
        "short = \"dev\"",
        "color = \"dev\"",
        line("short = \"dev\""),
        "a stage has no `color`",
    );
    one(
        "{ when = \"security\",",
        "{ if = \"security\",",
        line("when = \"security\""),
        "an edge has no `if`",
    );
}

#[test]
fn stages_that_do_not_exist_are_found_where_they_are_named() {
    one(
        "entry = \"development\"",
        "entry = \"coding\"",
        line("entry = "),
        "coding is not a stage",
    );
    let found = broken(
        "success = [{ to = \"reviewing\" }]",
        "success = [{ to = \"testing\" }]",
    );
    let at = line("success = [{ to = \"reviewing\" }]");
    assert!(
        found
            .iter()
            .any(|text| text.starts_with(&format!("{at}: success leads to testing"))),
        "{found:?}"
    );
    let at = KANBAN
        .lines()
        .position(|line| line == "reject = \"development\"")
        .unwrap()
        + 1;
    one(
        "reject = \"development\"",
        "reject = \"dev\"",
        at,
        "a rejection leads to dev",
    );
}

#[test]
fn a_stage_nothing_leads_to_is_found() {
    let at = KANBAN
        .lines()
        .position(|line| line == "id = \"acceptance\"")
        .unwrap();
    one(
        "other_entries = [\"acceptance\"]",
        "other_entries = []",
        at,
        "nothing leads to acceptance",
    );
}

#[test]
fn an_edge_without_a_target_is_found() {
    let at = line("success = [{ to = \"reviewing\" }]");
    let found = broken(
        "success = [{ to = \"reviewing\" }]",
        "success = [{ when = \"x\" }]",
    );
    assert!(
        found[0].starts_with(&format!("{at}: an edge needs `to`")),
        "{found:?}"
    );
}

#[test]
fn an_edge_that_is_never_taken_is_found() {
    one(
        "[{ when = \"security\", to = \"security_review\" }, { to = \"merging\" }]",
        "[{ to = \"security_review\" }, { to = \"merging\" }]",
        line("when = \"security\""),
        "never taken",
    );
}

#[test]
fn signals_are_judged() {
    let at = line("signals = [\"done\", \"block\", \"fail\"]");
    let from = "signals = [\"done\", \"block\", \"fail\"]";
    one(from, "signals = [\"done\", \"ready\"]", at, "no signal ready");
    one(from, "signals = [\"block\"]", at, "no signal done is allowed");
    one(
        from,
        "signals = [\"done\", \"reject\"]",
        at,
        "`reject` says where to",
    );
}

#[test]
fn a_rejection_nobody_may_signal_is_found() {
    let at = KANBAN
        .lines()
        .position(|line| line == "reject = \"development\"")
        .unwrap()
        + 1;
    one(
        "signals = [\"done\", \"reject\", \"block\"]",
        "signals = [\"done\", \"block\"]",
        at,
        "the signal reject is not allowed",
    );
}

#[test]
fn every_stage_has_its_turn_in_the_scan_exactly_once() {
    let at = KANBAN
        .lines()
        .position(|line| line == "id = \"reviewing\"")
        .unwrap()
        + 1;
    one(
        "\"reviewing\", \"development\"]",
        "\"development\"]",
        at,
        "reviewing is missing in `scan`",
    );
    let scan = line("scan = ");
    one(
        "\"development\"]",
        "\"development\", \"merging\"]",
        scan,
        "`scan` names merging twice",
    );
    one(
        "\"development\"]",
        "\"development\", \"deploy\"]",
        scan,
        "deploy, which is not a stage",
    );
}

#[test]
fn a_stage_without_evidence_is_found() {
    let at = line("evidence = [\"merged\"]");
    let found = broken("evidence = [\"merged\"]", "evidence = []");
    assert!(
        found
            .iter()
            .any(|text| text.starts_with(&format!("{at}: merging has no evidence"))),
        "{found:?}"
    );
    one(
        "evidence = [\"commits_ahead\", \"pushed\", \"gates\"]",
        "evidence = [\"commits_ahead\", \"luck\", \"gates\"]",
        line("evidence = [\"commits_ahead\""),
        "there is no evidence \"luck\"",
    );
}

#[test]
fn gates_that_prove_nothing_and_proofs_nobody_runs_are_found() {
    one(
        "evidence = [\"commits_ahead\", \"pushed\", \"gates\"]",
        "evidence = [\"commits_ahead\", \"pushed\"]",
        line("gates = \"if_any\""),
        "gates are run, but prove nothing",
    );
    one(
        "gates = \"all\"\n",
        "gates = \"none\"\n",
        line("\"workspace_unchanged\", \"gates\""),
        "no gates are run",
    );
    let reads = "evidence = [\"workspace_unchanged\"]";
    let at = line(reads) + 1;
    one(
        reads,
        "evidence = [\"workspace_unchanged\"]\ngates_before = true",
        at,
        "gates before the work need `gates` and an agent with the workspace \"branch\"",
    );
    one(
        reads,
        "evidence = [\"workspace_unchanged\"]\ngate_at = \"worktree\"",
        at,
        "gates in the worktree need `gates` and an agent with the workspace \"branch\"",
    );
    let merged = "evidence = [\"merged\"]";
    for (setting, text) in [
        ("gates_before = true", "gates before the work need"),
        ("gate_at = \"worktree\"", "gates in the worktree need"),
    ] {
        one(merged, &format!("{merged}\n{setting}"), line(merged) + 1, text);
    }
    one(
        reads,
        "evidence = [\"workspace_unchanged\", \"notes\"]",
        line(reads),
        "notes are looked at where an agent commits them or where they are merged",
    );
}

#[test]
fn what_the_engine_would_refuse_or_pass_over_at_work_is_found_in_the_file() {
    let merging = "action = \"merge\"";
    let at = format!(
        "{}: the engine does not commit in a stage of its own",
        line(merging)
    );
    let found = broken(merging, "action = \"commit\"");
    assert!(found.iter().any(|text| text.starts_with(&at)), "{found:?}");
    one(
        "evidence = [\"merged\"]",
        "evidence = [\"merged\", \"commented\"]",
        line("evidence = [\"merged\"]"),
        "the engine acts here",
    );
    one(
        "evidence = [\"commits_ahead\", \"pushed\", \"gates\"]",
        "evidence = [\"commits_ahead\", \"pushed\", \"gates\", \"approved\"]",
        line("\"commits_ahead\""),
        "not every task is shown to a person",
    );
    let head = "id = \"x\"\ntitle = \"X\"\nentry = \"a\"\nscan = [\"a\"]\n[limits]\nspawns = 20\n[[stage]]\nid = \"a\"\n";
    for (stage, at, part) in [
        (
            "human = true\nevidence = [\"gates\"]\ngates = \"all\"\n",
            10,
            "the only evidence of a person's stage",
        ),
        ("human = true\ntimeout = \"1h\"\n", 10, "limits agents"),
        (
            "action = \"verify\"\nworkspace = \"branch\"\nevidence = [\"gates\", \"pushed\"]\ngates = \"all\"\n",
            11,
            "looks at nothing else",
        ),
    ] {
        let (flow, found) = read(Path::new("x.toml"), &format!("{head}{stage}"));
        assert!(flow.is_none());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].line == at && found[0].text.contains(part), "{found:?}");
    }
}

#[test]
fn a_reader_must_be_proved_to_have_only_read() {
    let at = KANBAN
        .lines()
        .position(|line| line == "evidence = [\"workspace_unchanged\"]")
        .unwrap()
        + 1;
    one(
        "evidence = [\"workspace_unchanged\"]",
        "evidence = [\"commented\"]",
        at,
        "nothing proves that the agent only read",
    );
}

#[test]
fn merging_is_done_one_at_a_time() {
    let at = KANBAN
        .lines()
        .position(|line| line == "id = \"merging\"")
        .unwrap();
    one("singleton = true", "singleton = false", at, "one at a time");
}

#[test]
fn nobody_or_two_acting_in_a_stage_is_found() {
    let at = KANBAN
        .lines()
        .position(|line| line == "id = \"development\"")
        .unwrap();
    let found = broken("role = \"developer\"\n", "");
    assert!(
        found
            .iter()
            .any(|text| text.starts_with(&format!("{at}: no one acts"))),
        "{found:?}"
    );
    let found = broken("role = \"developer\"\n", "role = \"developer\"\nhuman = true\n");
    assert!(
        found.iter().any(|text| text.contains("only one may act")),
        "{found:?}"
    );
}

#[test]
fn an_agent_never_writes_in_the_main_checkout() {
    let at = line("workspace = \"branch\"");
    let found = broken("workspace = \"branch\"", "workspace = \"main\"");
    assert!(
        found
            .iter()
            .any(|text| text.starts_with(&format!("{at}: an agent never writes"))),
        "{found:?}"
    );
}

#[test]
fn success_that_only_leads_in_a_circle_is_found() {
    let text = KANBAN.replace(
        "success = []\nreject = \"development\"",
        "success = [{ to = \"development\" }]\nreject = \"development\"",
    );
    let (flow, found) = read(Path::new("w.toml"), &text);
    assert!(flow.is_none());
    assert!(
        found.iter().any(|finding| finding.text.contains("circle")),
        "{found:?}"
    );
}

#[test]
fn lengths_of_time_are_read_in_words_and_numbers() {
    for (word, milliseconds) in [
        ("\"90s\"", 90_000),
        ("\"10m\"", 600_000),
        ("\"2h\"", 7_200_000),
        ("45", 45_000),
    ] {
        let text = KANBAN.replace("cooldown = \"60s\"", &format!("cooldown = {word}"));
        let flow = read(Path::new("w.toml"), &text).0.unwrap();
        assert_eq!(flow.limits.cooldown.0, milliseconds);
    }
    one(
        "cooldown = \"60s\"",
        "cooldown = \"soon\"",
        line("cooldown"),
        "must be a length of time",
    );
}

#[test]
fn reading_any_cut_off_file_never_fails_otherwise_than_by_findings() {
    for end in (0..KANBAN.len())
        .filter(|end| KANBAN.is_char_boundary(*end))
        .step_by(7)
    {
        let (flow, found) = read(Path::new("w.toml"), KANBAN.get(..end).unwrap());
        assert!(flow.is_some() == found.is_empty(), "{end}");
    }
}

#[test]
fn the_stages_of_a_workflow_are_told_for_people() {
    let (flow, _) = read(Path::new("kanban"), KANBAN);
    insta::assert_snapshot!(describe(&flow.unwrap()));
}
