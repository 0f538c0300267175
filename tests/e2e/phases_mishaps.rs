//! Mishaps of a phase: something left out, blocked, crashed, too long, a server killed while it checks, a gate that an agent changes.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::driver::{Story, said};
use crate::phases::wait_for_end;
use crate::plans::{hash, story_of, task};

pub(crate) const ROWS: &str =
    "# Invoice export\n\n## Phases\n\n| Phase | Title |\n|---|---|\n| 1 | [One](phase-1.md) |\n";

/// Makes a plan of one phase with this process and this gate.
pub(crate) fn one_phase(workers: &str, process: &str, gate: &str) -> Story {
    let story = story_of(workers);
    let folder = story.project().join("plan");
    let phase = format!(
        "# One\n\n## Process Wrapper\n{process}\n## Gates\n- it: `{gate}`\n\n## Tasks\n- [ ] 1.1: Do\n"
    );
    fs::write(folder.join("MASTER.md"), ROWS).unwrap();
    fs::write(folder.join("phase-1.md"), phase).unwrap();
    story
}

/// Returns a part that claims its task and then takes these steps.
pub(crate) fn part(conditions: &str, steps: &str) -> String {
    format!("[[part]]\n{conditions}\nsteps = [\n  {{ signal = \"claim\" }},\n{steps}\n]\n")
}

#[test]
fn a_gate_that_takes_longer_than_the_settings_allow_fails() {
    let work = part(
        "",
        "  { write = \"{task}\", text = \"{n}\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let story = one_phase(&work, "", "sleep 60");
    story.dbs(&["config", "limits.gate_timeout", "1"]);
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("longer than 1 s"), "{text}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn what_a_phase_left_out_is_asked_for_and_a_claim_nobody_saw_is_a_warning() {
    let left_out = part(
        "attempt = 1",
        "  { write = \"it\", text = \"it\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let claimed = part(
        "attempt = 2",
        "  { write = \"notes/n.md\", text = \"# Summary\\nDone.\\n# Key Decisions\\nNone.\\n# Files Modified\\nOne.\\n\" },\n  \
         { signal = \"done\", text = \"Worked.\", report = { agents_used = [\"doc-sync-manager\"], steps_completed = [\"doc_sync_manager\", \"pre_validation\"] } },",
    );
    let process = "- [ ] **AGENT:doc-sync-manager** - documents\n- [ ] Pre-validation until clean\n- [ ] Write notes to: `notes/n.md`\n";
    let story = one_phase(&format!("{left_out}{claimed}"), process, "test -e it");
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(0), "{text}");
    let told = fs::read_to_string(story.attempt(2).join("prompt.md")).unwrap();
    for wanted in [
        "the notes notes/n.md are not in the commit",
        "critical: the subagent doc-sync-manager",
        "the step pre_validation was not reported",
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    assert!(
        text.contains("passed with warnings") && text.contains("doc-sync-manager"),
        "{text}"
    );
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_phase_that_is_blocked_ends_the_wait_with_its_reason_and_the_way_on() {
    let story = one_phase(
        &part("", "  { signal = \"block\", text = \"The key is missing.\" },"),
        "",
        "test -e it",
    );
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(5), "{text}");
    // The last lines say it again, whatever was printed on the way.
    let says = |line: &str| {
        line.contains("The key is missing.") && line.contains("`dbs retry invoice-1 --note 'ANSWER'`")
    };
    assert!(text.lines().any(says), "{text}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_phase_that_crashed_is_tried_again_and_one_that_takes_too_long_twice_fails() {
    let crash = part("attempt = 1", "  { crash = \"kill\" },");
    let story = one_phase(
        &format!("{crash}{}", part("", "  { hang = true },")),
        "",
        "test -e it",
    );
    story.configure("");
    let file = story.project().join(".debussy/config.toml");
    let settings = fs::read_to_string(file).unwrap();
    story.write_settings(&format!("agent_timeout = \"3s\"\n{settings}"));
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("crashed (SIGKILL)"), "{text}");
    assert!(text.contains("invoice-1: failed: ran too long"), "{text}");
    assert_eq!(task(&story, "invoice-1")["tries"]["work"], 3);
    story.dbs(&["stop", "--all"]);
}

#[test]
fn phases_that_do_not_wait_for_each_other_are_worked_on_at_the_same_time() {
    let work = part(
        "",
        "  { sleep = 2 },\n  { write = \"{task}\", text = \"it\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let story = one_phase(&work, "", "true");
    let folder = story.project().join("plan");
    fs::copy(folder.join("phase-1.md"), folder.join("phase-2.md")).unwrap();
    fs::write(
        folder.join("MASTER.md"),
        format!("{ROWS}| 2 | [Two](phase-2.md) |\n"),
    )
    .unwrap();
    let (text, code) = wait_for_end(&story, &["--parallel"]);
    assert_eq!(code, Some(0), "{text}");
    let run: Value =
        serde_json::from_str(&story.dbs(&["status", "--run", "invoice-export", "--json"])).unwrap();
    let times = |task: usize| {
        let first = &run["tasks"][task]["attempts"][0];
        (
            first["started"].as_u64().unwrap(),
            first["ended"].as_u64().unwrap(),
        )
    };
    let (one, two) = (times(0), times(1));
    assert!(one.0 < two.1 && two.0 < one.1, "{run}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_server_killed_while_it_checks_a_phase_is_started_again_by_who_waits() {
    let work = part(
        "",
        "  { write = \"it\", text = \"it\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let story = one_phase(&work, "", "true");
    let (begun, go) = (story.root().join("begun"), story.root().join("go"));
    // Before the work, the gate fails at once.
    let gate = format!(
        "test -e it || exit 1; touch {}; while ! test -e {}; do sleep 0.1; done",
        begun.display(),
        go.display()
    );
    let phase = story.project().join("plan/phase-1.md");
    let text = fs::read_to_string(&phase)
        .unwrap()
        .replace("`true`", &format!("`{gate}`"));
    fs::write(&phase, text).unwrap();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    let hash = hash(&story);
    let mut waiting = story.program(&["run", "plan/MASTER.md", "--headless", "--trust", &hash]);
    let waiting = waiting
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    story.wait_until("the check", || begun.exists());
    server.kill();
    fs::write(&go, "").unwrap();
    let output = waiting.wait_with_output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("the server is gone; agents keep running; starting it again"),
        "{text}"
    );
    assert_eq!(
        task(&story, "invoice-1")["tries"]["work"],
        1,
        "the work was not done again: {text}"
    );
    let log = story.git(&story.origin(), &["log", "--format=%s", "work", "--", "it"]);
    assert_eq!(log.lines().count(), 1, "it was committed once: {log}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_gate_that_an_agent_changes_in_the_files_of_the_plan_stays_what_a_person_agreed_to() {
    let cheat = part(
        "",
        "  { write = \"plan/phase-1.md\", text = \"# One\\n\\n## Gates\\n- it: `true`\\n{n}\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let story = one_phase(&cheat, "", "test -e it");
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("gate it failed"), "{text}");
    assert_eq!(task(&story, "invoice-1")["gates"][0]["command"], "test -e it");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn who_waits_without_a_screen_is_told_at_once_that_nobody_has_trusted_the_project() {
    let story = one_phase("", "", "true");
    let hash = hash(&story);
    fs::write(story.project().join("ideas.md"), "Make one.\n").unwrap();
    story.dbs(&["trust", "--forget"]);
    for words in [
        &["run", "plan/MASTER.md", "--headless", "--trust", &hash][..],
        &["convert", "ideas.md"],
    ] {
        let output = story.run(words);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(text.contains("dbs trust show"), "{text}");
    }
    assert_eq!(
        story.dbs(&["task", "list", "--json"]).trim(),
        "[]",
        "nothing was begun"
    );
}

#[test]
fn who_waits_without_a_screen_is_told_that_the_board_is_paused() {
    let story = one_phase("", "", "true");
    fs::write(story.project().join("ideas.md"), "Make one.\n").unwrap();
    story.dbs(&["pause"]);
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(5), "{text}");
    assert!(
        text.contains("the board was paused by ") && text.contains("`dbs resume` continues"),
        "{text}"
    );
    let converted = story.run(&["convert", "ideas.md"]);
    assert_eq!(converted.status.code(), Some(5), "{}", said(&converted));
    story.dbs(&["stop", "--all"]);
}
