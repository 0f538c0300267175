//! Table in `docs/agents.md` of what works with which agent. It is made from `tests/data/agents/behaviours.tsv`: a cell says `works` only
//! if tests are named that run the real program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The columns: an agent's name in the file, its title, and the condition of a test that runs the real program.
const AGENTS: [(&str, &str, Option<&str>); 9] = [
    ("claude", "Claude Code", Some("has_claude")),
    ("claude-headless", "Claude Code, headless", Some("has_claude")),
    ("codex", "Codex", Some("has_codex")),
    ("codex-headless", "Codex, headless", Some("has_codex")),
    ("opencode", "opencode", Some("has_opencode")),
    ("opencode-headless", "opencode, headless", Some("has_opencode")),
    ("gemini", "Gemini CLI", None),
    ("gemini-headless", "Gemini CLI, headless", None),
    ("aider", "aider", None),
];
const WORKS: &str = "works";
const NOT_TRIED: &str = "not tried";
const BEGIN: &str = "<!-- behaviours -->\n";
const END: &str = "<!-- end of behaviours -->";

/// A line of the file.
struct Claim {
    behaviour: String,
    agents: Vec<usize>,
    verdict: String,
    /// Names of tests that show it, or the reason why no test does.
    evidence: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("could not read {}: {error}", path.display()))
}

fn claims() -> Vec<Claim> {
    let text = read(&root().join("tests/data/agents/behaviours.tsv"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(claim).collect()
}

fn claim(line: &str) -> Claim {
    let [behaviour, agents, verdict, evidence] = line.split('\t').collect::<Vec<_>>()[..] else {
        panic!("not four fields: {line}")
    };
    let column = |name: &str| {
        let place = AGENTS.iter().position(|(known, ..)| *known == name);
        place.unwrap_or_else(|| panic!("{name} is no agent: {line}"))
    };
    let is_known = [WORKS, "partly", "not by this tool"].contains(&verdict);
    assert!(is_known && !evidence.is_empty(), "{line}");
    Claim {
        behaviour: behaviour.to_owned(),
        agents: agents.split(' ').map(column).collect(),
        verdict: verdict.to_owned(),
        evidence: evidence.to_owned(),
    }
}

/// Returns the text of all Rust files below the folder.
pub(crate) fn sources(folder: &str) -> String {
    let (mut folders, mut text): (Vec<PathBuf>, _) = (vec![root().join(folder)], String::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&read(&path));
            }
        }
    }
    text
}

/// Returns the text between the mark of a test and its body, by the name of the test.
fn tests(sources: &str) -> BTreeMap<&str, &str> {
    let heads = sources
        .split("#[test]")
        .skip(1)
        .filter_map(|text| text.split('{').next());
    let named = heads.filter_map(|head| Some((head.split("fn ").nth(1)?.split('(').next()?, head)));
    named.collect()
}

/// The rows of the table, and the reasons that its cells refer to by number.
#[derive(Default)]
struct Matrix {
    rows: Vec<(String, [Option<String>; AGENTS.len()])>,
    reasons: Vec<String>,
}

impl Matrix {
    fn of(claims: &[Claim]) -> Self {
        let mut matrix = Self::default();
        for claim in claims {
            let cell = matrix.cell(claim);
            if matrix
                .rows
                .last()
                .is_none_or(|(last, _)| *last != claim.behaviour)
            {
                let is_new = matrix.rows.iter().all(|(known, _)| *known != claim.behaviour);
                assert!(is_new, "`{}` stands in two places", claim.behaviour);
                matrix.rows.push((claim.behaviour.clone(), Default::default()));
            }
            let (_, cells) = matrix.rows.last_mut().expect("just added");
            for agent in &claim.agents {
                let before = cells[*agent].replace(cell.clone());
                assert_eq!(before, None, "{}, {}: twice", claim.behaviour, AGENTS[*agent].0);
            }
        }
        matrix
    }

    /// Returns the text of a cell: the verdict, with the number of its reason.
    fn cell(&mut self, claim: &Claim) -> String {
        if claim.verdict == WORKS {
            return WORKS.to_owned();
        }
        let known = self.reasons.iter().position(|reason| *reason == claim.evidence);
        let place = known.unwrap_or_else(|| {
            self.reasons.push(claim.evidence.clone());
            self.reasons.len() - 1
        });
        format!("{} ({})", claim.verdict, place + 1)
    }
}

/// Returns the text of the section in the document.
fn section(claims: &[Claim]) -> String {
    let (matrix, mut text) = (Matrix::of(claims), String::new());
    let titles: Vec<&str> = AGENTS.iter().map(|(_, title, _)| *title).collect();
    let line = "|---".repeat(AGENTS.len() + 1);
    writeln!(text, "\n| | {} |\n{line}|", titles.join(" | ")).expect("written");
    for (behaviour, cells) in &matrix.rows {
        let cells = cells.each_ref().map(|cell| cell.as_deref().unwrap_or(NOT_TRIED));
        writeln!(text, "| {behaviour} | {} |", cells.join(" | ")).expect("written");
    }
    text.push('\n');
    for (place, reason) in matrix.reasons.iter().enumerate() {
        writeln!(text, "{}. {reason}", place + 1).expect("written");
    }
    text.push_str("\nThe tests behind each `works`:\n\n| what | agents | test |\n|---|---|---|\n");
    for claim in claims.iter().filter(|claim| claim.verdict == WORKS) {
        let agents: Vec<&str> = claim.agents.iter().map(|agent| AGENTS[*agent].1).collect();
        let names = claim.evidence.replace(' ', "`, `");
        writeln!(
            text,
            "| {} | {} | `{names}` |",
            claim.behaviour,
            agents.join("; ")
        )
        .expect("written");
    }
    text.push('\n');
    text
}

#[test]
fn what_is_said_to_work_is_shown_by_tests_that_run_the_real_program() {
    let sources = sources("tests/agents");
    let tests = tests(&sources);
    for claim in claims().iter().filter(|claim| claim.verdict == WORKS) {
        for (agent, name) in claim.agents.iter().flat_map(|agent| {
            let names = claim.evidence.split(' ');
            names.map(move |name| (AGENTS[*agent], name))
        }) {
            let head = tests.get(name);
            let head = head.unwrap_or_else(|| panic!("there is no test {name} in tests/agents"));
            let runs_it = agent.2.is_some_and(|condition| head.contains(condition));
            assert!(runs_it, "{name} does not run the real {}", agent.1);
        }
    }
}

#[test]
fn tests_that_reasons_name_are_there() {
    let sources = sources("tests") + &sources("src");
    let tests = tests(&sources);
    for claim in claims().iter().filter(|claim| claim.verdict != WORKS) {
        let quoted = claim.evidence.split('`').skip(1).step_by(2);
        for name in quoted.filter(|text| !text.contains(' ') && text.contains('_')) {
            assert!(tests.contains_key(name), "there is no test {name}");
        }
    }
}

#[test]
fn the_table_of_what_works_with_which_agent_is_fresh() {
    let path = root().join("docs/agents.md");
    let text = read(&path);
    let (before, rest) = text.split_once(BEGIN).expect("the start of the table");
    let (written, after) = rest.split_once(END).expect("the end of the table");
    let section = section(&claims());
    if std::env::var_os("DBS_UPDATE").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{section}{END}{after}")).expect("written");
        return;
    }
    assert!(
        written == section,
        "docs/agents.md is stale; DBS_UPDATE=1 cargo test --test agents behaviours rewrites it"
    );
}
