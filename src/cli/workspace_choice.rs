//! Proposal of the settings that prepare worktrees, from what lies in the project.

use crate::adapters::git::GitCli;
use crate::adapters::output;
use crate::cli::asking;
use crate::cli::command_error::{CommandResult, could_not};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::set;
use crate::ports::git::Git as _;

/// Lock files, strongest first within a language: the file, the command that installs what it names, and the files that decide whether that
/// has to be done again.
const TOOLS: [(&str, &str, &[&str]); 16] = [
    ("package-lock.json", "npm ci", &["package-lock.json"]),
    ("npm-shrinkwrap.json", "npm ci", &["npm-shrinkwrap.json"]),
    (
        "pnpm-lock.yaml",
        "pnpm install --frozen-lockfile",
        &["pnpm-lock.yaml"],
    ),
    ("yarn.lock", "yarn install --immutable", &["yarn.lock"]),
    ("bun.lock", "bun install --frozen-lockfile", &["bun.lock"]),
    ("uv.lock", "uv sync --frozen", &["uv.lock", "pyproject.toml"]),
    (
        "poetry.lock",
        "poetry install --no-interaction",
        &["poetry.lock", "pyproject.toml"],
    ),
    ("requirements.txt", PIP, &["requirements.txt"]),
    ("Cargo.lock", "cargo fetch --locked", &["Cargo.lock"]),
    ("go.sum", "go mod download", &["go.sum"]),
    ("Gemfile.lock", "bundle install", &["Gemfile.lock"]),
    (
        "composer.lock",
        "composer install --no-interaction",
        &["composer.lock"],
    ),
    (
        "gradlew",
        GRADLE,
        &["build.gradle", "build.gradle.kts", "gradle.lockfile"],
    ),
    (
        "build.gradle",
        "gradle --quiet testClasses",
        &["build.gradle", "gradle.lockfile"],
    ),
    ("mvnw", MAVEN, &["pom.xml"]),
    ("pom.xml", "mvn --quiet dependency:go-offline", &["pom.xml"]),
];

#[cfg(unix)]
const PIP: &str = "python3 -m venv .venv && .venv/bin/python -m pip install --quiet -r requirements.txt";
#[cfg(not(unix))]
const PIP: &str = "python -m venv .venv && .venv\\Scripts\\python -m pip install --quiet -r requirements.txt";
#[cfg(unix)]
const GRADLE: &str = "./gradlew --quiet testClasses";
#[cfg(not(unix))]
const GRADLE: &str = "gradlew --quiet testClasses";
#[cfg(unix)]
const MAVEN: &str = "./mvnw --quiet dependency:go-offline";
#[cfg(not(unix))]
const MAVEN: &str = "mvnw --quiet dependency:go-offline";

/// Groups of lock files of which a project uses one: the first that is there.
const ONE_OF: [&[&str]; 3] = [
    &[
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
    ],
    &["uv.lock", "poetry.lock", "requirements.txt"],
    &["gradlew", "build.gradle", "mvnw", "pom.xml"],
];

/// Settings that would prepare the worktrees of a project.
#[derive(Debug, Default, PartialEq, Eq)]
struct Proposal {
    setup: Vec<String>,
    key: Vec<String>,
    copy: Vec<String>,
}

/// Proposes settings that prepare worktrees, if none is set, and makes them where a person at the terminal agrees. `takes` is a yes that was
/// given before.
///
/// # Errors
/// When the project cannot be looked at, or a setting cannot be made.
pub(super) fn settle(env: &ProcessEnv, paths: &ProjectPaths, takes: bool) -> CommandResult<()> {
    if env.is_agent() || is_set(paths) {
        return Ok(());
    }
    let proposal = Proposal::for_project(env, paths)?;
    let settings = proposal.settings();
    if settings.is_empty() {
        return Ok(());
    }
    if !takes {
        output::line("each agent and gate has a folder with the files of a commit only; to prepare it:");
        for (key, value) in &settings {
            output::line(&format!("  dbs config {key} {}", shell_words::quote(value)));
        }
        if !asking::can_ask() {
            return Ok(());
        }
        let answer = asking::answer_to("Set that now? [Y/n]")?;
        let answer = answer.map(|answer| answer.to_lowercase());
        if !matches!(answer.as_deref(), Some("" | "y" | "yes")) {
            return Ok(());
        }
    }
    for (key, value) in &settings {
        let write = || set(&paths.sources.files, key, value);
        let (written, trusted) = paths.trust.by_own_hand(key, Some(value), write);
        written?;
        trusted?;
    }
    output::line("new workspaces are prepared; `dbs doctor --try` prepares one and runs the gates in it");
    Ok(())
}

fn is_set(paths: &ProjectPaths) -> bool {
    let rules = paths.workspace_rules();
    !(rules.setup.is_empty() && rules.copy.is_empty() && rules.clone.is_empty() && rules.link.is_empty())
}

impl Proposal {
    fn for_project(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<Proposal> {
        let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
        let ignored = git.ignored_files(None).map_err(could_not)?;
        let names = ignored.iter().filter_map(|path| path.file_name()?.to_str());
        let has_env = names.into_iter().any(|name| name.starts_with(".env"));
        Ok(Proposal::of(&|name| paths.root.join(name).is_file(), has_env))
    }

    /// Proposal for a project by the files at its root; `has_env`: it has ignored `.env` files.
    fn of(has: &dyn Fn(&str) -> bool, has_env: bool) -> Proposal {
        let is_chosen = |file: &str| {
            let group = ONE_OF.iter().find(|group| group.contains(&file));
            let first = group.and_then(|group| group.iter().find(|file| has(file)));
            first.is_none_or(|first| *first == file)
        };
        let mut proposal = Proposal::default();
        for (file, command, keys) in TOOLS {
            if has(file) && is_chosen(file) {
                // The first yarn knows no `--immutable`.
                let is_old_yarn = file == "yarn.lock" && !has(".yarnrc.yml");
                let command = if is_old_yarn {
                    "yarn install --frozen-lockfile"
                } else {
                    command
                };
                proposal.setup.push(command.to_owned());
                proposal
                    .key
                    .extend(keys.iter().filter(|key| has(key)).map(|key| (*key).to_owned()));
            }
        }
        if has_env {
            proposal.copy.push(".env*".to_owned());
        }
        proposal
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("workspace.copy", self.copy.join(", ")),
            ("workspace.setup", self.setup.join("\n")),
            ("workspace.key", self.key.join(", ")),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_is_found_by_its_lock_file_and_one_for_each_language_is_chosen() {
        for (files, setup, key) in [
            (
                &["package.json", "package-lock.json"][..],
                "npm ci",
                "package-lock.json",
            ),
            (
                &["pnpm-lock.yaml", "yarn.lock"],
                "pnpm install --frozen-lockfile",
                "pnpm-lock.yaml",
            ),
            (&["yarn.lock"], "yarn install --frozen-lockfile", "yarn.lock"),
            (
                &["yarn.lock", ".yarnrc.yml"],
                "yarn install --immutable",
                "yarn.lock",
            ),
            (&["uv.lock", "requirements.txt"], "uv sync --frozen", "uv.lock"),
            (
                &["poetry.lock", "pyproject.toml"],
                "poetry install --no-interaction",
                "poetry.lock, pyproject.toml",
            ),
            (&["requirements.txt"], PIP, "requirements.txt"),
            (
                &["Cargo.toml", "Cargo.lock"],
                "cargo fetch --locked",
                "Cargo.lock",
            ),
            (&["go.mod", "go.sum"], "go mod download", "go.sum"),
            (&["Gemfile", "Gemfile.lock"], "bundle install", "Gemfile.lock"),
            (
                &["composer.lock"],
                "composer install --no-interaction",
                "composer.lock",
            ),
            (&["gradlew", "build.gradle"], GRADLE, "build.gradle"),
            (&["pom.xml"], "mvn --quiet dependency:go-offline", "pom.xml"),
            (
                &["Cargo.lock", "package-lock.json"],
                "npm ci\ncargo fetch --locked",
                "package-lock.json, Cargo.lock",
            ),
        ] {
            let found = Proposal::of(&|name| files.contains(&name), false);
            let settings = found.settings();
            assert_eq!(
                settings,
                [
                    ("workspace.setup", setup.to_owned()),
                    ("workspace.key", key.to_owned())
                ]
            );
        }
        assert_eq!(
            Proposal::of(&|_| false, true).settings(),
            [("workspace.copy", ".env*".to_owned())]
        );
        assert_eq!(Proposal::of(&|_| false, false).settings(), []);
    }
}
