//! Words of a remote that refused a push: its own sentence first, what it is about, and the commit that holds a refused secret.

use super::cli::GitCli;
use super::error_text::one_line;
use super::process::ProcessOutput;
use crate::domain::cut::cut_chars;
use crate::domain::is_token;
use crate::ports::git::{CommitId, GitError};

/// Maximum number of lines of the remote that are kept.
const MOST_LINES: usize = 4;
/// Maximum size of the changes that are searched for a secret, in bytes.
const MOST_CHANGES: usize = 4 * 1024 * 1024;

/// Words, in lower case, of remotes that look for secrets in what is pushed.
const OF_SECRETS: [&str; 9] = [
    "secret",
    "token",
    "credential",
    "password",
    "private key",
    "api key",
    "push protection",
    "gitleaks",
    "trufflehog",
];
/// Words, in lower case, of remotes that refuse every push of this kind to a branch.
const OF_BASES: [&str; 13] = [
    "gh006",
    "gh013",
    "protected branch",
    "protected ref",
    "pull request",
    "merge request",
    "not allowed to push",
    "push to this branch",
    "checked out branch",
    "rule violations",
    "verified signature",
    "linear history",
    "merge commits",
];
/// Returns the sentence of the remote for a push that it refused; `line` is git's own line about the branch.
pub(super) fn sentence(line: &str, output: &ProcessOutput) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    let said = printed.lines().filter_map(|line| line.strip_prefix("remote:"));
    let said = said.map(|line| line.trim().trim_start_matches("error:").trim());
    let said = said.filter(|line| !line.is_empty()).take(MOST_LINES);
    let verdict = line.rsplit('\t').next().unwrap_or(line);
    let lines: Vec<&str> = said.chain([verdict]).collect();
    one_line(&lines.join("; "))
}

/// Returns true if a remote refused a push because of a secret in it.
pub(super) fn is_of_secret(said: &str) -> bool {
    has(said, &OF_SECRETS)
}

/// Returns true if a remote refused a push because of the branch, so that it refuses every such push to it.
pub(super) fn is_of_base(said: &str) -> bool {
    !is_of_secret(said) && has(said, &OF_BASES)
}

/// Returns the setting that a base's rule asks for, if one is known.
pub(super) fn setting_for(said: &str) -> Option<&'static str> {
    if has(said, &["linear history", "merge commits"]) {
        return Some("`dbs config merge.style squash` makes no merge commits");
    }
    has(said, &["signature"])
        .then_some("commits are signed where `git config --global commit.gpgSign` is true")
}

fn has(said: &str, words: &[&str]) -> bool {
    let said = said.to_lowercase();
    words.iter().any(|word| said.contains(word))
}

impl GitCli {
    /// Returns what a remote said, and where it refused a secret the commit that has it, as far as it can be found.
    pub(super) fn with_secret_named(&self, said: String, head: &CommitId) -> String {
        if !is_of_secret(&said) {
            return said;
        }
        let found = self.commit_with_secret(&said, head).ok().flatten();
        let (which, before) = found.map_or_else(
            || ("one of them".to_owned(), "the commit before it".to_owned()),
            |(commit, subject)| {
                let id = cut_chars(commit.as_str(), 10).to_owned();
                (format!("commit {id} ({subject})"), format!("{id}^"))
            },
        );
        format!(
            "{said}; the remote looks at every new commit, older ones too, and refuses {which}: a new commit on top does not help. Rewrite \
             the history of the branch without it: `git reset --soft {before}`, take the secret out, and commit again"
        )
    }

    /// Finds the oldest new commit that the remote named, or that adds what looks like a token.
    fn commit_with_secret(
        &self,
        said: &str,
        head: &CommitId,
    ) -> Result<Option<(CommitId, String)>, GitError> {
        let call = self.in_control(format!("look through the new commits of {head}"))?;
        let call = call.words("log --reverse --patch --unified=0 --no-color --no-ext-diff --no-textconv");
        let call = call.args(["--format=%x00%H%x01%s", head.as_str()]);
        let call = call.words("--not --glob=refs/dbs/remote").limit(MOST_CHANGES);
        let output = call.run_ok()?;
        let text = output.text();
        let commits = text.split('\0').filter_map(|entry| {
            let (id, rest) = entry.split_once('\u{1}')?;
            let (subject, patch) = rest.split_once('\n').unwrap_or((rest, ""));
            Some((id, subject, patch))
        });
        let is_named = |id: &str| {
            let mut words = said.split(|c: char| !c.is_ascii_hexdigit());
            words.any(|word| word.len() >= 7 && id.starts_with(word))
        };
        let mut commits = commits.filter(|(id, _, patch)| is_named(id) || adds_token(patch));
        commits
            .next()
            .map(|(id, subject, _)| Ok((CommitId::new(id)?, one_line(subject))))
            .transpose()
    }
}

fn adds_token(patch: &str) -> bool {
    let added = patch
        .lines()
        .filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    added.into_iter().any(|line| {
        let is_key = line.contains("-----BEGIN") && line.contains("PRIVATE KEY");
        is_key
            || line
                .split(|c: char| !c.is_ascii_alphanumeric() && !"_-".contains(c))
                .any(is_token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_a_branch_are_told_from_what_a_commit_holds() {
        for base in [
            "GH006: Protected branch update failed for refs/heads/main.",
            "main takes pull requests only; [remote rejected] (hook declined)",
            "GitLab: You are not allowed to push code to protected branches on this project.",
            "[remote rejected] (refusing to update checked out branch: refs/heads/main)",
            "This branch must not contain merge commits",
            "Commits must have verified signatures",
        ] {
            assert!(is_of_base(base) && !is_of_secret(base), "{base}");
        }
        for secret in [
            "GH013: Repository rule violations found; Push cannot contain secrets",
            "a token in an added line of the pushed commits",
        ] {
            assert!(is_of_secret(secret) && !is_of_base(secret), "{secret}");
        }
        assert!(!is_of_base("commit message lacks a ticket"));
        assert!(setting_for("must have a linear history").is_some_and(|way| way.contains("squash")));
    }

    #[test]
    fn the_remotes_sentence_comes_first_without_ids_and_tabs() {
        let output = ProcessOutput {
            code: Some(1),
            stdout: Vec::new(),
            truncated: false,
            stderr: b"remote: \nremote: error: main takes pull requests only        \nerror: failed to push some refs to 'x'\n"
                .to_vec(),
        };
        let line = "1234567890:refs/heads/main\t[remote rejected] (hook declined)";
        assert_eq!(
            sentence(line, &output),
            "main takes pull requests only; [remote rejected] (hook declined)"
        );
    }

    #[test]
    fn tokens_are_found_in_added_lines_alone() {
        let token = format!("ghp_{}", "A1b2".repeat(9));
        assert!(adds_token(&format!("+++ b/x\n+key = \"{token}\"\n")));
        assert!(!adds_token(&format!("--- a/x\n-{token}\n")));
        assert!(adds_token("+-----BEGIN OPENSSH PRIVATE KEY-----\n"));
        assert!(!adds_token("+task-based sk-short\n"));
    }
}
