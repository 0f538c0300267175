//! Stories of plans that do not run through at once: a server that is killed again and again, an agent whose context is full, a person
//! who is asked between phases.

use std::fs;

use crate::driver::{Story, said};
use crate::phases_mishaps::{ROWS, one_phase, part};
use crate::plans::{hash, story_of, task};
use crate::script::write_script;

/// Returns the part of an agent that writes a file named after the task, with another content at each attempt.
fn worker() -> String {
    part(
        "",
        "  { write = \"{task}\", text = \"{n}\\n\" },\n  { signal = \"done\", text = \"Worked.\" },",
    )
}

#[test]
fn a_server_killed_in_the_middle_of_the_commit_the_check_and_the_merge_of_a_phase_merges_it_once() {
    let story = one_phase(&worker(), "", "true");
    let root = story.root().display().to_string();
    let stop =
        |name: &str| format!("touch {root}/at-{name}; while ! test -e {root}/go-{name}; do sleep 0.05; done");
    // The remote has taken a push but does not say so yet: first that of the branch, at the end that of the base.
    let hook = format!(
        "#!/bin/sh\nread old new ref\nif test $ref = refs/heads/work; then {}\nelse {}\nfi\n",
        stop("merge"),
        stop("commit")
    );
    write_script(&story.origin().join("hooks/post-receive"), &hook);
    let gate = format!(
        "test -e invoice-1 || exit 1; test $DBS_STAGE = merging || exit 0; {}",
        stop("check")
    );
    let phase = story.project().join("plan/phase-1.md");
    let text = fs::read_to_string(&phase)
        .unwrap()
        .replace("`true`", &format!("`{gate}`"));
    fs::write(&phase, text).unwrap();
    let hash = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &hash]);
    let mut server = story.server();
    for moment in ["commit", "check", "merge"] {
        let at = story.root().join(format!("at-{moment}"));
        story.wait_until(moment, || at.exists());
        server.kill();
        fs::write(story.root().join(format!("go-{moment}")), "").unwrap();
        server = story.server();
        story.wait_until("the next server", || story.is_live());
    }
    story.wait_until("the end of the plan", || story.count("done") == 1);
    assert_eq!(
        task(&story, "invoice-1")["tries"]["work"],
        1,
        "the work was not done again"
    );
    let log = |options: &[&str]| {
        let words = [&["log", "--format=%s", "work"], options].concat();
        story.git(&story.origin(), &words)
    };
    assert_eq!(log(&["--merges"]).lines().count(), 1, "merged once: {}", log(&[]));
    assert_eq!(
        log(&["--", "invoice-1"]).lines().count(),
        1,
        "committed once: {}",
        log(&[])
    );
    // These are the beginning, the work and the merge; there is no further commit without changes.
    assert_eq!(log(&[]).lines().count(), 3, "{}", log(&[]));
    assert!(
        story
            .dbs(&["status", "--run", "invoice-export"])
            .contains("all done")
    );
    story.dbs(&["stop", "--all"]);
}

/// Agent that reports a full context and is told to stop; the next session finds what the first left.
const FORGETFUL: &str = r#"#!/bin/sh
if [ -e half ]; then
  echo whole > whole
  exec "$DBS_PROGRAM" signal done "Both halves."
fi
"$DBS_PROGRAM" signal claim
echo half > half
used='"current_usage":{"input_tokens":90000,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}'
echo "{\"context_window\":{\"context_window_size\":100000,$used}}" | "$DBS_PROGRAM" statusline
read heard
"$DBS_PROGRAM" signal progress "one half is there"
"#;

#[test]
fn an_agent_of_a_phase_whose_context_is_full_is_followed_by_a_fresh_session_and_the_plan_ends() {
    let story = one_phase("", "", "test -e half && test -e whole");
    let agent = story.root().join("forgetful");
    write_script(&agent, FORGETFUL);
    let command = agent.display().to_string();
    story.configure(&format!(
        "[context]\nthreshold = 95\n[roles.phase-worker]\ncommand = {command:?}\n"
    ));
    let hash = hash(&story);
    // The settings would let it go on, but the choice made for the plan counts.
    story.dbs(&[
        "run",
        "plan/MASTER.md",
        "--trust",
        &hash,
        "--context-threshold",
        "85",
        "--max-restarts",
        "1",
    ]);
    let _server = story.server();
    story.wait_until("the end of the plan", || story.count("done") == 1);
    let shown = story.dbs(&["task", "show", "invoice-1"]);
    assert!(
        shown.contains("is asked to stop on invoice-1: its context is 90 % full")
            && shown.contains("session 2 after 1"),
        "{shown}"
    );
    let told = fs::read_to_string(story.attempt(2).join("prompt.md")).unwrap();
    for wanted in ["Session reset", "restart 1 of 1", "one half is there", "half"] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    let failures = task(&story, "invoice-1")["failures"].to_string();
    assert!(
        ["null", "{}"].contains(&failures.as_str()),
        "no failed try: {failures}"
    );
    let files = story.git(&story.origin(), &["ls-tree", "--name-only", "work"]);
    assert!(files.contains("half") && files.contains("whole"), "{files}");
    story.dbs(&["stop", "--all"]);
}

/// Makes a plan of four phases that depend on each other only by the order of the table, except the last, which names the second.
fn four_phases() -> Story {
    let story = story_of(&worker());
    let folder = story.project().join("plan");
    let rows: Vec<String> = (1..=4)
        .map(|n| format!("| {n} | [Part {n}](phase-{n}.md) |\n"))
        .collect();
    let head = ROWS.split("| 1 |").next().unwrap();
    fs::write(folder.join("MASTER.md"), format!("{head}{}", rows.concat())).unwrap();
    for n in 1..=4 {
        let needs = if n == 4 { "**Depends On:** Phase 2\n\n" } else { "" };
        let text = format!("# Part {n}\n\n{needs}## Gates\n- it: `true`\n\n## Tasks\n- [ ] {n}.1: Do\n");
        fs::write(folder.join(format!("phase-{n}.md")), text).unwrap();
    }
    story
}

fn state(story: &Story, n: u32) -> String {
    task(story, &format!("invoice-{n}"))["state"].to_string()
}

fn question(n: u32) -> String {
    format!("invoice-{n} waits for approval: [a]pprove, [r]etry")
}

/// Approves the first phase, has the second done again and then skips it, and leaves at the third.
fn decided_and_left(story: &Story, words: &[&str]) {
    let tty = story.tty(words, (120, 40));
    let asked = |n: u32, times: usize| {
        story.wait_until(&question(n), || tty.times_received(&question(n)) == times);
    };
    asked(1, 1);
    tty.type_text("x\na\n");
    asked(2, 1);
    assert_eq!(
        tty.times_received(&question(1)),
        2,
        "the question is asked again after an unknown answer"
    );
    assert_eq!(state(story, 1), "\"done\"");
    tty.type_text("r\n");
    asked(2, 2);
    tty.see("add an instruction");
    tty.type_text("r say it better\n");
    asked(2, 3);
    let again = fs::read_to_string(story.attempt(4).join("prompt.md")).unwrap();
    assert!(again.contains("say it better"), "{again}");
    tty.type_text("s\n");
    asked(3, 1);
    assert!(state(story, 2).contains("skipped"), "{}", state(story, 2));
    tty.type_text("q\n");
    let (code, screen) = tty.leave();
    assert_eq!(code, 5, "{}", screen.text());
    assert!(
        screen.has("--interactive --resume` asks again"),
        "{}",
        screen.text()
    );
    assert!(state(story, 3).contains("approval"), "{}", state(story, 3));
    let fourth = task(story, "invoice-4");
    assert_eq!(
        fourth["deps"].to_string(),
        r#"["invoice-2","invoice-3"]"#,
        "the fourth phase names the second"
    );
}

#[test]
fn between_phases_a_person_approves_has_one_done_again_skips_one_quits_and_goes_on_later() {
    let story = four_phases();
    let hash = hash(&story);
    let words = ["run", "plan/MASTER.md", "--interactive", "--trust", &hash];
    let refused = said(&story.run(&words));
    assert!(
        refused.contains("--interactive needs a terminal") && refused.contains("`dbs approve ID`"),
        "{refused}"
    );
    assert_eq!(
        story.dbs(&["task", "list", "--json"]).trim(),
        "[]",
        "nothing was begun"
    );
    decided_and_left(&story, &words);
    let stands = story.dbs(&["run", "plan/MASTER.md"]);
    assert!(
        stands.contains("1 phase stopped; `--resume`") && !stands.contains("differs"),
        "it went on without the second: {stands}"
    );
    // The settings of an earlier program ask for the same (P51).
    let earlier = story.project().join(".debussy/config.yaml");
    fs::write(earlier, "interactive: true\noutput: file\n").unwrap();
    let tty = story.tty(&["run", "plan/MASTER.md", "--resume"], (120, 40));
    tty.see("output to   a log for each attempt");
    for n in [2, 3, 4] {
        story.wait_until(&question(n), || tty.times_received(&question(n)) == 1);
        tty.type_text("a\n");
        story.wait_until("the merge", || state(&story, n) == "\"done\"");
    }
    let (code, screen) = tty.leave();
    assert_eq!(code, 0, "{}", screen.text());
    story.dbs(&["stop", "--all"]);
}
