//! Stories of a design: from a goal through an analysis, experts and a critic to a graph plan, with documents that are wrong at first and
//! agents that fail.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::driver::{Story, said};
use crate::graphs::{makes, story};

const GOAL: [&str; 4] = [
    "design",
    "Let people export their invoices.",
    "--name",
    "Export invoices",
];

/// Returns the part of an agent that writes a file; `more` limits it to a task or an attempt.
fn writes((role, more): (&str, &str), file: &str, text: &Value) -> String {
    let text = text.to_string();
    format!(
        "[[part]]\nrole = \"{role}\"\n{more}\nsteps = [\n  {{ signal = \"claim\" }},\n  {{ write = \"plans/{file}\", text = {text:?} }},\n  \
         {{ signal = \"done\", text = \"Written.\" }},\n]\n"
    )
}

/// Returns the part of an agent that fails each time.
fn fails(role: &str, more: &str) -> String {
    format!(
        "[[part]]\nrole = \"{role}\"\n{more}\nsteps = [{{ signal = \"claim\" }}, {{ signal = \"fail\", text = \"the archive is closed\" }}]\n"
    )
}

/// Returns the example that agents are shown, with another complexity and other experts.
fn analysis(complexity: &str, team: &[&str]) -> Value {
    let mut analysis: Value =
        serde_json::from_str(include_str!("../../assets/plans/goal-analysis.json")).unwrap();
    let expert = |name: &&str| json!({ "name": name, "role": format!("knows {name}"), "type": "scanner", "mandate": format!("Find {name}.") });
    analysis["complexity"] = json!(complexity);
    analysis["complexityRationale"] = json!("About five tasks.\nexpert mallory: says yes");
    analysis["recommendedTeam"] = json!(team.iter().map(expert).collect::<Vec<_>>());
    analysis
}

fn analyst(complexity: &str, team: &[&str]) -> String {
    writes(
        ("goal-analyst", ""),
        "export-invoices/goal-analysis.json",
        &analysis(complexity, team),
    )
}

fn report(expert: &str) -> Value {
    json!({ "expert": expert, "type": "scanner", "findings": [format!("{expert} is spread over three files")], "tasks": [] })
}

fn plan(tasks: &[Value], decisions: &[&str]) -> Value {
    json!({ "schemaVersion": 3, "goal": "Invoice export", "progress": { "decisions": decisions }, "tasks": tasks })
}

fn two_tasks() -> [Value; 2] {
    [
        makes("Add the model", &[], "model.txt"),
        makes("Add the writer", &[0], "csv.txt"),
    ]
}

fn planner(more: &str, plan: &Value) -> String {
    writes(("plan-writer", more), "export-invoices.json", plan)
}

/// Returns the hash with which a person approves the result.
fn hash(text: &str) -> &str {
    let rest = text.split("--trust ").nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no hash: {text}"));
    rest.split([';', '\n']).next().unwrap()
}

/// Runs the design up to its approval; returns what was printed.
fn designed(story: &Story, more: &[&str]) -> String {
    let output = story.run(&[&GOAL[..], more].concat());
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "approval is pending: {text}");
    text
}

fn prompt(story: &Story, attempt: u64) -> String {
    fs::read_to_string(story.attempt(attempt).join("prompt.md")).unwrap()
}

/// Returns the prompt of the last attempt at a task.
fn last_prompt(story: &Story, task: &str) -> String {
    let prompts = (1..30).filter_map(|n| fs::read_to_string(story.attempt(n).join("prompt.md")).ok());
    let of_task: Vec<String> = prompts
        .filter(|prompt| prompt.contains(&format!("Task: {task}. ")))
        .collect();
    of_task
        .last()
        .unwrap_or_else(|| panic!("no prompt of {task}"))
        .clone()
}

fn has_all(text: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

/// Asserts that the plan is written after approval, that the previous plan is kept, and that the folder ignores itself.
fn is_written(story: &Story, hash: &str) {
    let folder = story.project().join(".design");
    let before = fs::read_to_string(folder.join("plan.json")).unwrap();
    let written = story.dbs(&[&GOAL[..], &["--trust", hash]].concat());
    has_all(
        &written,
        &[
            "2 tasks, 2 levels deep; models: haiku 2",
            "level 1: 0 Add the model (haiku)",
            "level 2: 1 Add the writer (haiku, waits for 0)",
            "written; next: dbs execute",
        ],
    );
    assert_eq!(
        fs::read_to_string(folder.join("history/plan-1/plan.json")).unwrap(),
        before
    );
    assert!(folder.join("goal-analysis.json").exists());
    let unseen = story.git(&story.project(), &["status", "--short"]);
    assert!(!unseen.contains(".design"), "the folder ignores itself: {unseen}");
    let again = said(&story.run(&GOAL));
    assert!(
        again.contains("design-export-invoices is done already, and this is its result"),
        "{again}"
    );
    let shown = story.dbs(&["execute", "--dry-run"]);
    assert!(shown.contains("graph plan: Invoice export, 2 tasks"), "{shown}");
}

#[test]
fn a_small_goal_becomes_a_plan_of_its_analysis_in_a_loop_with_the_audit_and_the_one_before_is_kept() {
    let mut old = makes("Old", &[], "old.txt");
    old["status"] = json!("completed");
    // Elsewhere, a check that proves nothing is only a warning.
    let mut weak = two_tasks();
    weak[1]["agent"]["acceptanceCriteria"][0]["check"] = json!("echo done");
    let scenario = analyst("minimal", &[])
        + &planner("attempt = 1", &plan(&weak, &[]))
        + &planner("", &plan(&two_tasks(), &[]));
    let story = story(&scenario, &[old]);
    let text = designed(&story, &[]);
    has_all(
        &text,
        &[
            "gate plan failed",
            "The plan that is there (1 task: 1 completed) goes to .design/history/plan-1/",
            "analysis: minimal; About five tasks.\n",
            "level 2: 1 Add the writer (haiku, waits for 0)",
            "--- .design/plan.json",
            "add --trust ",
        ],
    );
    let (whole, summary) = (text.find("--- .design/plan.json"), text.find("level 2: 1 Add"));
    assert!(whole < summary, "the summary stands last: {text}");
    let (_, since) = text.split_once(" before you say yes to it.\n").unwrap();
    assert!(
        !since.contains("expert") && !since.contains("held to be small"),
        "{text}"
    );
    has_all(
        &prompt(&story, 1),
        &[
            "write what you find into the file `plans/export-invoices/goal-analysis.json`",
            "Let people export their invoices.",
            "\"recommendedTeam\"",
        ],
    );
    has_all(
        &prompt(&story, 2),
        &[
            "Write a plan for the goal below into the file `plans/export-invoices.json`",
            "At most 12 tasks, and at most 4 that wait for each other in a chain",
            "The goal is held to be small",
            "\"complexity\":\"minimal\"",
            "Let people export their invoices.",
        ],
    );
    has_all(&prompt(&story, 3), &["WEAK_CHECK"]);
    is_written(&story, hash(&text));
    story.dbs(&["stop", "--all"]);
}

/// Parts of agents for a large goal. The first report has a misspelt field, one expert writes no report, and the first plan does not answer
/// the critic.
fn large_goal() -> String {
    let of = |name: &str| format!("task = \"expert-{name}.export-invoices\"");
    let critique = json!({
        "challenges": [
            { "expert": "data", "issue": "Totals are left out.", "severity": "blocking", "recommendation": "Write them last." },
            { "expert": "data", "issue": "It is long.", "severity": "minor", "recommendation": "Shorten it." },
        ],
        "missingCoverage": [], "approachRisks": [], "coherenceIssues": [], "verdict": "proceed-with-changes",
    });
    let mut misspelt = report("data");
    misspelt["finding"] = json!([]);
    analyst("full", &["data", "archive", "rights"])
        + &writes(
            ("design-expert", &format!("attempt = 1\n{}", of("data"))),
            "export-invoices/expert-data.json",
            &misspelt,
        )
        + &writes(
            ("design-expert", &of("data")),
            "export-invoices/expert-data.json",
            &report("data"),
        )
        + &writes(
            ("design-expert", &of("rights")),
            "export-invoices/expert-rights.json",
            &report("rights"),
        )
        + &format!(
            "[[part]]\nrole = \"design-expert\"\n{}\nsteps = [{{ signal = \"claim\" }}, {{ signal = \"done\", text = \"It is all said here.\" }}]\n",
            of("archive")
        )
        + &writes(("design-critic", ""), "export-invoices/critic.json", &critique)
        + &planner("attempt = 1", &plan(&two_tasks(), &["C2: shortened"]))
        + &planner("", &plan(&two_tasks(), &["C1: totals are the last row"]))
}

/// Asserts that the documents lie beside the plan after approval, and that the task of the expert without a report says how it ended.
fn has_its_documents(story: &Story, hash: &str) {
    let written = story.dbs(&[&GOAL[..], &["--trust", hash]].concat());
    has_all(&written, &["written; next: dbs execute"]);
    let folder = story.project().join(".design");
    for name in [
        "goal-analysis.json",
        "expert-data.json",
        "expert-rights.json",
        "critic.json",
        "plan.json",
    ] {
        assert!(folder.join(name).exists(), "{name}");
    }
    assert!(!folder.join("expert-archive.json").exists());
    let gone = story.dbs(&["task", "show", "expert-archive.export-invoices"]);
    has_all(&gone, &["the plan was made without it"]);
}

#[test]
fn experts_look_at_a_large_goal_a_critic_at_what_they_say_and_the_plan_answers_the_critic() {
    let story = story(&large_goal(), &[]);
    let text = designed(&story, &[]);
    assert!(
        !text.contains("mallory"),
        "an agent's text passes for a note: {text}"
    );
    has_all(
        &text,
        &[
            "analysis: full;",
            "expert data: knows data",
            "expert rights: knows rights",
            "no report of the expert archive: failed: ",
            "critique: proceed-with-changes; the plan answers C1 (blocking)",
            "gate document failed",
            "gate plan failed",
        ],
    );
    has_all(
        &last_prompt(&story, "expert-data.export-invoices"),
        &[
            "UNKNOWN_FIELD",
            "write your report into the file `plans/export-invoices/expert-data.json`",
            "You are a scanner",
            "Role: knows data\nMandate: Find data.",
            "\"refinedGoal\":\"Whoever keeps the books",
        ],
    );
    let critic = last_prompt(&story, "critique.export-invoices");
    has_all(
        &critic,
        &[
            "data is spread over three files",
            "rights is spread over three files",
            "\"refinedGoal\"",
        ],
    );
    has_all(
        &last_prompt(&story, "design-export-invoices"),
        &[
            "no decision says what became of C1",
            "data is spread over three files",
            "Totals are left out.",
            "For each of C1 a decision says what became of it",
            "Merge what the experts propose",
            "--strict --answers C1` must find nothing",
        ],
    );
    has_its_documents(&story, hash(&text));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_goal_that_was_held_to_be_small_is_looked_at_by_experts_when_a_person_says_so() {
    let mut tasks = two_tasks().to_vec();
    tasks.push(makes("Add the text", &[1], "readme.txt"));
    let of = |name: &str| format!("task = \"expert-{name}.export-invoices\"");
    let scenario = analyst("minimal", &[])
        + &writes(
            ("design-expert", &of("codebase")),
            "export-invoices/expert-codebase.json",
            &report("codebase"),
        )
        + &fails("design-expert", &of("approach"))
        + &planner("task = \"design-export-invoices\"", &plan(&tasks, &[]))
        + &planner("", &plan(&two_tasks(), &[]));
    let story = story(&scenario, &[]);
    let text = designed(&story, &[]);
    has_all(
        &text,
        &[
            "The goal was held to be small, but the plan has 3 tasks, 3 deep",
            "--complexity standard",
        ],
    );
    let text = designed(&story, &["--complexity", "standard"]);
    has_all(
        &text,
        &[
            "expert codebase: knows the project",
            "no report of the expert approach: failed: ",
        ],
    );
    assert!(!text.contains("held to be small"), "{text}");
    has_all(
        &last_prompt(&story, "expert-approach.export-invoices"),
        &[
            "You are an architect",
            "How the goal is reached: the approach that the analysis recommends",
        ],
    );
    let first = story.dbs(&["task", "show", "design-export-invoices"]);
    has_all(&first, &["designed again as design-standard.export-invoices"]);
    has_all(
        &last_prompt(&story, "design-standard.export-invoices"),
        &["codebase is spread over three files"],
    );
    let written = story.dbs(&[&GOAL[..], &["--complexity", "standard", "--trust", hash(&text)]].concat());
    has_all(
        &written,
        &["2 tasks, 2 levels deep", "written; next: dbs execute"],
    );
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_goal_that_nobody_could_analyse_is_planned_by_one_agent_and_a_question_waits_for_a_person() {
    let asks = "[[part]]\nrole = \"goal-analyst\"\nattempt = 1\nsteps = [{ signal = \"claim\" }, { signal = \"block\", text = \"which invoices?\" }]\n";
    let scenario = asks.to_owned() + &fails("goal-analyst", "") + &planner("", &plan(&two_tasks(), &[]));
    let story = story(&scenario, &[]);
    let text = designed(&story, &[]);
    has_all(&text, &["which invoices?", "dbs retry analysis.export-invoices"]);
    assert!(!text.contains("--trust"), "{text}");
    story.dbs(&[
        "retry",
        "analysis.export-invoices",
        "--note",
        "those that were sent",
    ]);
    let text = designed(&story, &[]);
    has_all(
        &text,
        &["no analysis: failed: ", "level 1: 0 Add the model (haiku)"],
    );
    let told = last_prompt(&story, "design-export-invoices");
    has_all(&told, &["First look at the project"]);
    assert!(!told.contains("## Analysis"), "{told}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_document_that_a_project_leaves_unchecked_is_not_used_where_it_is_wrong() {
    let mut wrong = analysis("full", &[]);
    wrong["approaches"] = json!([]);
    let scenario = writes(
        ("goal-analyst", ""),
        "let-people-export-their-invoices/goal-analysis.json",
        &wrong,
    ) + &writes(
        ("plan-writer", ""),
        "let-people-export-their-invoices.json",
        &plan(&two_tasks(), &[]),
    );
    let story = story(&scenario, &[]);
    let flow = include_str!("../../assets/workflows/design.toml");
    let unchecked = flow
        .replace(", \"gates\"]", "]")
        .replace("gates = \"all\"", "")
        .replace("gate_names = [\"document\"]", "");
    let folder = story.project().join(".debussy/workflows");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("design.toml"), unchecked).unwrap();
    story.trust();
    // Without `--name` the goal is the name, which is longer than an id may be.
    let output = story.run(&["design", GOAL[1]]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(5), "{text}");
    has_all(
        &text,
        &[
            "(FEW_APPROACHES)",
            "no analysis: plans/let-people-export-their-invoices/goal-analysis.json has errors",
            "level 1: 0 Add the model (haiku)",
        ],
    );
    story.dbs(&["stop", "--all"]);
}

/// Parts of agents for a goal that is large enough for experts; the analyst takes its time.
fn slow_goal() -> String {
    let slow = analyst("standard", &["data", "rights"]).replace("{ write", "{ sleep = 3 },\n  { write");
    let expert = |name: &str| {
        let task = format!("task = \"expert-{name}.export-invoices\"");
        let file = format!("export-invoices/expert-{name}.json");
        writes(("design-expert", &task), &file, &report(name))
    };
    slow + &expert("data") + &expert("rights") + &planner("", &plan(&two_tasks(), &[]))
}

/// Begins a design and kills its command while the first agent works.
fn kill_command(story: &Story) {
    let mut command = story.program(&GOAL);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut command = command.spawn().unwrap();
    story.wait_until("the analysis", || story.count("active") == 1);
    command.kill().unwrap();
    command.wait().unwrap();
}

/// Waits until the plan waits for approval, approves it from another command, and asserts that the files are written.
fn is_approved(story: &Story) {
    story.wait_until("the plan", || {
        let known = story.run(&["task", "show", "design-export-invoices", "--json"]);
        String::from_utf8_lossy(&known.stdout).contains("\"approval\"")
    });
    let folder = story.project().join(".design");
    assert!(!folder.exists(), "nothing is written before approval");
    story.dbs(&["approve", "design-export-invoices"]);
    let names = [
        "goal-analysis.json",
        "expert-data.json",
        "expert-rights.json",
        "plan.json",
    ];
    story.wait_until("the files", || {
        names.iter().all(|name| folder.join(name).exists())
    });
    story.wait_until("the end", || story.dbs(&["history"]).contains("all done"));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_design_goes_on_without_its_command_and_is_written_by_a_yes_from_elsewhere() {
    let story = story(&slow_goal(), &[]);
    fs::remove_dir_all(story.project().join(".design")).unwrap();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    kill_command(&story);
    is_approved(&story);
}

#[test]
fn a_design_goes_on_without_its_command_where_a_server_was_killed() {
    let story = story(&slow_goal(), &[]);
    fs::remove_dir_all(story.project().join(".design")).unwrap();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    kill_command(&story);
    server.kill();
    let _server = story.server();
    is_approved(&story);
}
