//! Commands for gates that name a known tool and no command: found in the files of the project, and proposed to a person (P17). Nothing here
//! makes a proposal a command.

use std::collections::BTreeMap;

use serde_json::Value;

use super::model::{Plan, PlanGate};

/// Files of a project that name its tools.
const MANIFESTS: [&str; 6] = [
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements.txt",
    "setup.cfg",
    "package.json",
    "Cargo.toml",
];

/// Lock files, each with the words before a command of the tools that it locks.
const RUNNERS: [(&str, &str); 7] = [
    ("uv.lock", "uv run "),
    ("poetry.lock", "poetry run "),
    ("pdm.lock", "pdm run "),
    ("Pipfile.lock", "pipenv run "),
    ("pnpm-lock.yaml", "pnpm exec "),
    ("yarn.lock", "yarn exec "),
    ("bun.lock", "bunx "),
];

/// Language whose files name a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    Node,
    Rust,
}

/// Tool with the names of gates that mean it.
struct Tool {
    language: Language,
    /// Name of its package; empty where it comes with the language.
    package: &'static str,
    gates: &'static [&'static str],
    command: &'static str,
}

const fn tool(
    language: Language,
    package: &'static str,
    gates: &'static [&'static str],
    command: &'static str,
) -> Tool {
    Tool {
        language,
        package,
        gates,
        command,
    }
}

use Language::{Node, Python, Rust};

/// Known tools; of two for the same gate the first is proposed. `{percent}` is the least coverage that the gate names.
const TOOLS: [Tool; 17] = [
    tool(Python, "ruff", &["ruff", "lint"], "ruff check ."),
    tool(Python, "bandit", &["bandit", "security"], "bandit -r . -ll"),
    tool(Python, "ty", &["ty"], "ty check"),
    tool(Python, "pyright", &["pyright", "types"], "pyright"),
    tool(Python, "mypy", &["mypy", "types"], "mypy ."),
    tool(Python, "black", &["black", "format", "fmt"], "black --check ."),
    tool(
        Python,
        "pytest-cov",
        &["coverage", "pytest-cov"],
        "pytest --cov --cov-fail-under={percent}",
    ),
    tool(Python, "pytest", &["pytest", "tests", "test"], "pytest"),
    tool(Node, "eslint", &["eslint", "lint"], "eslint ."),
    tool(
        Node,
        "prettier",
        &["prettier", "format", "fmt"],
        "prettier --check .",
    ),
    tool(
        Node,
        "typescript",
        &["tsc", "typescript", "types"],
        "tsc --noEmit",
    ),
    tool(Node, "vitest", &["vitest", "tests", "test"], "vitest run"),
    tool(Node, "jest", &["jest", "tests", "test"], "jest"),
    tool(Node, "@biomejs/biome", &["biome", "lint"], "biome check"),
    tool(
        Rust,
        "",
        &["clippy", "lint"],
        "cargo clippy --all-targets -- -D warnings",
    ),
    tool(Rust, "", &["rustfmt", "format", "fmt"], "cargo fmt --all --check"),
    tool(Rust, "", &["tests", "test"], "cargo test"),
];

impl Language {
    fn manifests(self) -> &'static [&'static str] {
        let (python, others) = MANIFESTS.split_at(4);
        let (node, rust) = others.split_at(1);
        match self {
            Python => python,
            Node => node,
            Rust => rust,
        }
    }

    fn runners(self) -> &'static [(&'static str, &'static str)] {
        let (python, node) = RUNNERS.split_at(4);
        match self {
            Python => python,
            Node => node,
            Rust => &[],
        }
    }
}

/// Files of a project by which its tools are known.
#[derive(Debug, Default)]
pub struct ToolFiles {
    texts: BTreeMap<&'static str, String>,
    runners: BTreeMap<&'static str, &'static str>,
}

/// Command that a person may accept for a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Proposal {
    command: String,
    /// File that names the tool.
    file: &'static str,
}

impl ToolFiles {
    /// Reads the files of a project: `text` gives that of a manifest, and `exists` tells whether a lock file is there.
    pub fn read(text: impl Fn(&str) -> Option<String>, exists: impl Fn(&str) -> bool) -> ToolFiles {
        let texts = MANIFESTS.iter().filter_map(|name| Some((*name, text(name)?)));
        let locks = RUNNERS.iter().filter(|(lock, _)| exists(lock));
        ToolFiles {
            texts: texts.collect(),
            runners: locks.copied().collect(),
        }
    }

    /// Returns the command of the tool that a gate names, if the project has the tool.
    fn propose(&self, gate: &PlanGate) -> Option<Proposal> {
        let name = gate.name.to_lowercase();
        let words: Vec<&str> = name
            .split(['/', ' ', ','])
            .filter(|word| !word.is_empty())
            .collect();
        let script = words.iter().find_map(|word| self.script(word));
        let tools = || {
            let mut named = words
                .iter()
                .flat_map(|word| TOOLS.iter().filter(|tool| tool.gates.contains(word)));
            named.find_map(|tool| self.command(tool, gate))
        };
        script.or_else(tools)
    }

    fn command(&self, tool: &Tool, gate: &PlanGate) -> Option<Proposal> {
        let has = |file: &&&'static str| {
            let text = self.texts.get(**file);
            text.is_some_and(|text| tool.package.is_empty() || names(text, tool.package))
        };
        let file = tool.language.manifests().iter().find(has)?;
        let command = match tool.command.split_once("{percent}") {
            Some((before, after)) => format!("{before}{}{after}", percent(&gate.requirement)?),
            None => tool.command.to_owned(),
        };
        let runner = tool
            .language
            .runners()
            .iter()
            .find_map(|(lock, _)| self.runners.get(lock));
        let runner = match (tool.language, runner) {
            (_, Some(runner)) => runner,
            (Node, None) => "npx ",
            (Python | Rust, None) => "",
        };
        Some(Proposal {
            command: format!("{runner}{command}"),
            file,
        })
    }

    /// Returns the command of a script of `package.json` that has the name of the gate.
    fn script(&self, name: &str) -> Option<Proposal> {
        let file = "package.json";
        let package: Value = serde_json::from_str(self.texts.get(file)?).ok()?;
        package.get("scripts")?.get(name)?.as_str()?;
        let runner = [
            ("pnpm-lock.yaml", "pnpm"),
            ("yarn.lock", "yarn"),
            ("bun.lock", "bun"),
        ];
        let runner = runner.iter().find(|(lock, _)| self.runners.contains_key(lock));
        let runner = runner.map_or("npm", |(_, runner)| runner);
        Some(Proposal {
            command: format!("{runner} run {name}"),
            file,
        })
    }
}

/// Adds to each finding about a gate without a command the line that accepts a command of the project's own tool for it.
pub fn propose_commands(plan: &mut Plan, files: &ToolFiles) {
    for item in &plan.items {
        let file = item.file.as_deref();
        for gate in item.gates.iter().filter(|gate| gate.command.is_none()) {
            let Some(found) = files.propose(gate).filter(|_| is_key(&gate.name)) else {
                continue;
            };
            let mut findings = plan.findings.iter_mut().filter(|finding| {
                finding.code == "MISSING_GATE_COMMAND"
                    && finding.line == gate.line
                    && Some(finding.file.as_path()) == file
            });
            if let Some(finding) = findings.next() {
                let Proposal { command, file } = found;
                finding.text = format!(
                    "gate {0} has no command, so it cannot be checked; the project's tool for it is known from {file}, and this accepts a command: dbs config gates.{0} '{command}'",
                    gate.name
                );
            }
        }
    }
}

/// Returns true if a name can stand unquoted in a shell as part of a key, so that a line with it can be pasted.
pub(super) fn is_key(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "-_/".contains(sign))
}

/// Returns true if a text names a package: the name stands there whole, as `ruff` does in `ruff>=0.5` and not in `ruff-lsp`.
fn names(text: &str, package: &str) -> bool {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
    text.match_indices(package).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + package.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns the first number of percent in a text: 60 in `No decrease from current (~60%)`.
fn percent(text: &str) -> Option<u8> {
    let before = text.split_once('%')?.0.trim_end();
    let rest = before.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let number = before.get(rest.len()..)?.parse().ok();
    number.filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(files: &[(&str, &str)], gate: &str, requirement: &str) -> Option<String> {
        let text = |name: &str| {
            let found = files.iter().find(|(file, _)| *file == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        let gate = PlanGate {
            name: gate.to_owned(),
            command: None,
            requirement: requirement.to_owned(),
            is_blocking: true,
            line: 1,
        };
        let files = ToolFiles::read(text, |name| text(name).is_some());
        files.propose(&gate).map(|found| found.command)
    }

    const PYTHON: &str = "[dependency-groups]\ndev = [\"ruff>=0.5\", \"pyright\", \"pytest>=8\", \"pytest-cov\"]\n[tool.bandit]\n";

    #[test]
    fn a_gate_named_after_a_tool_of_the_project_is_proposed_a_command() {
        let files = [("pyproject.toml", PYTHON), ("uv.lock", "")];
        let cases = [
            ("ruff", "0 errors", Some("uv run ruff check .")),
            ("bandit", "0 HIGH/MEDIUM findings", Some("uv run bandit -r . -ll")),
            ("ty/pyright", "0 errors", Some("uv run pyright")),
            ("Tests", "ALL tests pass", Some("uv run pytest")),
            (
                "coverage",
                "No decrease from current (~60%)",
                Some("uv run pytest --cov --cov-fail-under=60"),
            ),
            (
                "coverage",
                ">= 70 %",
                Some("uv run pytest --cov --cov-fail-under=70"),
            ),
            ("coverage", "no decrease", None),
            ("mypy", "0 errors", None),
            ("eslint", "0 errors", None),
        ];
        for (gate, requirement, wanted) in cases {
            assert_eq!(proposed(&files, gate, requirement).as_deref(), wanted, "{gate}");
        }
        assert_eq!(proposed(&files[..1], "ruff", "").as_deref(), Some("ruff check ."));
        assert_eq!(proposed(&[], "ruff", ""), None);
    }

    #[test]
    fn scripts_come_before_tools_and_the_lock_file_decides_who_runs_them() {
        let package =
            r#"{"scripts": {"lint": "eslint src"}, "devDependencies": {"eslint": "9", "vitest": "3"}}"#;
        let npm = [("package.json", package)];
        let pnpm = [npm[0], ("pnpm-lock.yaml", "")];
        let cases = [
            (&npm[..], "lint", Some("npm run lint")),
            (&pnpm, "lint", Some("pnpm run lint")),
            (&npm, "tests", Some("npx vitest run")),
            (&pnpm, "eslint", Some("pnpm exec eslint .")),
            (&npm, "tsc", None),
        ];
        for (files, gate, wanted) in cases {
            assert_eq!(proposed(files, gate, "").as_deref(), wanted, "{gate}");
        }
        let cargo = [("Cargo.toml", "[package]\n")];
        assert_eq!(proposed(&cargo, "tests", "").as_deref(), Some("cargo test"));
    }

    #[test]
    fn a_package_is_named_by_its_whole_name() {
        assert!(names("[tool.ruff]", "ruff") && names("\"ruff>=1\"", "ruff") && names("ruff", "ruff"));
        assert!(!names("ruff-lsp", "ruff") && !names("my_ruff", "ruff") && !names("pytest-cov", "pytest"));
    }

    #[test]
    fn a_name_that_a_shell_would_read_is_no_key() {
        assert!(is_key("ty/pyright") && is_key("no-warnings"));
        for name in ["", "a b", "$(reboot)", "a;b", "a'b", "größe"] {
            assert!(!is_key(name), "{name}");
        }
    }
}
