//! Files that decide how work is checked, or what git does on its own. A plan has to list them before its agents may change them.

use crate::domain::plan_entry::fits_path;
use crate::domain::task::GateCommand;

/// Patterns of such files in any project, in lower case because some file systems know no other.
const GUARDED: [&str; 35] = [
    // Continuous integration.
    ".github/",
    ".gitlab-ci.yml",
    ".gitlab/",
    ".gitea/",
    ".forgejo/",
    ".circleci/",
    ".buildkite/",
    ".woodpecker/",
    ".woodpecker.y*ml",
    ".ci/",
    ".travis.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "jenkinsfile",
    // Hooks of git.
    ".githooks/",
    ".husky/",
    ".hooks/",
    ".pre-commit-config.yaml",
    ".overcommit.yml",
    "lefthook.y*ml",
    ".lefthook.y*ml",
    ".lefthook/",
    // Settings of git that a clone takes over.
    ".gitattributes",
    "*/.gitattributes",
    ".gitmodules",
    "*/.gitmodules",
    // Settings of this program.
    ".debussy/config.*",
    ".debussy/workflows/",
    ".debussy/roles/",
    ".debussy/prompts/",
    ".debussy/agents/",
];

/// Programs of gates that run what a file without a name in the command says, and the names of that file in lower case.
const RUNNERS: [(&str, &[&str]); 3] = [
    ("make", &["makefile", "gnumakefile"]),
    ("gmake", &["makefile", "gnumakefile"]),
    ("just", &["justfile", ".justfile"]),
];

/// Returns true if the file decides how work is checked: one of continuous integration, a hook or a setting of git, or a file that one of
/// the gates runs.
pub(super) fn is_guarded(path: &str, gates: &[GateCommand]) -> bool {
    let lower = path.to_lowercase();
    GUARDED.iter().any(|pattern| fits_path(pattern, &lower))
        || gates.iter().any(|gate| is_run_by(&gate.command, path, &lower))
}

/// Returns true if a word of the command names the file, from the root of the repository or from a folder below it.
fn is_run_by(command: &str, path: &str, lower: &str) -> bool {
    let is_between = |mark: char| mark.is_whitespace() || "\"'`;&|()<>=".contains(mark);
    let name = lower.rsplit('/').next().unwrap_or(lower);
    let mut words = command.split(is_between).filter(|word| !word.is_empty());
    words.any(|word| {
        let by_runner = |(runner, files): &(&str, &[&str])| word == *runner && files.contains(&name);
        is_named(word.trim_start_matches("./"), path) || RUNNERS.iter().any(by_runner)
    })
}

fn is_named(word: &str, path: &str) -> bool {
    let above = path.strip_suffix(word).filter(|_| !word.is_empty());
    above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_checks_run_and_what_git_obeys_is_guarded_and_lock_files_are_not() {
        let gate = |command: &str| GateCommand {
            name: "g".to_owned(),
            command: command.to_owned(),
        };
        let gates = [
            gate("cd tools && ./lint.sh --all"),
            gate("env A=1 sh \"ci/test.sh\"; make check"),
        ];
        for path in [
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            "Jenkinsfile",
            ".husky/pre-commit",
            ".githooks/commit-msg",
            ".gitattributes",
            "src/.gitattributes",
            ".GitAttributes",
            ".gitmodules",
            ".debussy/config.toml",
            "tools/lint.sh",
            "ci/test.sh",
            "Makefile",
        ] {
            assert!(is_guarded(path, &gates), "{path}");
        }
        for path in [
            "Cargo.lock",
            "package-lock.json",
            "tests/snapshots/a.snap",
            "src/main.rs",
            ".gitignore",
            "tools/xlint.sh",
            "justfile",
        ] {
            assert!(!is_guarded(path, &gates), "{path}");
        }
        assert!(!is_guarded("Makefile", &[]));
    }
}
