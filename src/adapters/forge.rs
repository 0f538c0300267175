//! The person's own program for their forge: `gh` of GitHub, `glab` of GitLab. It has the login; nothing here sees a token. Its time and
//! its output are limited, and it never asks.
#![expect(
    clippy::disallowed_methods,
    reason = "a door: starts the person's program for their forge, and reads the clock for its time limit"
)]

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::child_process::new_process_group;
use super::child_process::output::{CapturedOutput, OutputLimit, RunningProcess};
use crate::domain::Cause;
use crate::term::sanitize;

/// Time of one call.
const LIMIT: Duration = Duration::from_mins(1);
/// Maximum size of a list of issues in bytes.
const MOST_OUTPUT: usize = 16 * 1024 * 1024;
const MOST_ERRORS: usize = 4 * 1024;
/// Exit code of `gh` without a login.
const NO_LOGIN: i32 = 4;

/// Switches of such programs that keep them from asking, from colours, pagers and news about versions.
const QUIET: &[(&str, &str)] = &[
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_PAGER", "cat"),
    ("NO_PROMPT", "1"),
    ("GLAB_CHECK_UPDATE", "false"),
    ("PAGER", "cat"),
    ("NO_COLOR", "1"),
];

/// A forge that has a program of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgeKind {
    Github,
    Gitlab,
}

impl ForgeKind {
    /// Returns the name of its program.
    pub fn program(self) -> &'static str {
        match self {
            ForgeKind::Github => "gh",
            ForgeKind::Gitlab => "glab",
        }
    }

    /// Returns the oldest version of its program that prints issues as JSON, as its first two numbers.
    fn oldest(self) -> (u32, u32) {
        match self {
            ForgeKind::Github => (2, 0),
            ForgeKind::Gitlab => (1, 30),
        }
    }
}

/// Choice among the open issues of a repository.
#[derive(Debug, Clone, Default)]
pub struct IssueQuery {
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub search: Option<String>,
    /// Repository in the words of the program; else the one of the folder's remotes.
    pub repository: Option<String>,
    /// Maximum number of issues.
    pub limit: u32,
}

/// A forge as the person's program reaches it.
pub struct ForgeProgram<'a> {
    pub kind: ForgeKind,
    /// Environment of the person.
    pub environment: &'a [(OsString, OsString)],
    /// Folder whose remotes name the repository.
    pub folder: &'a Path,
    /// Function that returns true once an answer is no longer waited for.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl ForgeProgram<'_> {
    /// Returns the open issues as the program prints them in JSON. Asks the network.
    ///
    /// # Errors
    /// When there is no such program, it is too old, it has no login, or the forge does not answer in time; for people.
    pub fn issues(&self, query: &IssueQuery) -> Result<String, Cause> {
        self.check_version()?;
        self.run(&arguments(self.kind, query))
    }

    /// Closes an issue of a repository, `HOST/OWNER/NAME`, with a comment where the program takes one. Asks the network; an issue that is
    /// closed already stays so.
    ///
    /// # Errors
    /// As for the list of issues.
    pub fn close_issue(&self, repository: &str, number: &str, comment: &str) -> Result<(), Cause> {
        let mut words = vec!["issue".to_owned(), "close".to_owned(), number.to_owned()];
        words.extend(match self.kind {
            ForgeKind::Github => [format!("--repo={repository}"), format!("--comment={comment}")].to_vec(),
            ForgeKind::Gitlab => [format!("--repo=https://{repository}")].to_vec(),
        });
        let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        self.run(&words).map(|_said| ())
    }

    fn check_version(&self) -> Result<(), Cause> {
        let program = self.kind.program();
        let said = self.run(&["--version".into()])?;
        let (major, minor) = self.kind.oldest();
        match version(&said) {
            Some(found) if found >= (major, minor) => Ok(()),
            Some((a, b)) => Err(format!(
                "{program} {a}.{b} is too old: {major}.{minor} is the oldest that prints issues as JSON"
            )
            .into()),
            None => Err(format!("`{program} --version` names no version").into()),
        }
    }

    /// Runs the program to its end, and returns its output.
    fn run(&self, arguments: &[OsString]) -> Result<String, Cause> {
        let program = self.kind.program();
        let mut command = Command::new(program);
        let own = self
            .environment
            .iter()
            .filter(|(name, _)| name != OsStr::new("GH_FORCE_TTY"));
        command
            .args(arguments)
            .env_clear()
            .envs(own.map(|(name, value)| (name, value)))
            .envs(QUIET.iter().copied())
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        new_process_group(&mut command);
        let failed = |why: &dyn std::fmt::Display| Cause::from(format!("{program} could not be run: {why}"));
        let mut process = RunningProcess::start(&mut command).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Cause::from(format!(
                "there is no {program} on PATH: install it, and log in with `{program} auth login`"
            )),
            _ => failed(&error),
        })?;
        let output = process.collect_output(CapturedOutput::new(OutputLimit::First(MOST_OUTPUT)));
        let output = output.map_err(|error| failed(&error))?;
        let errors = process.collect_errors(CapturedOutput::new(OutputLimit::Last(MOST_ERRORS)));
        let errors = errors.map_err(|error| failed(&error))?;
        let deadline = Instant::now() + LIMIT;
        let ended = process.wait_unless(deadline, || (self.is_cancelled)());
        let is_drained =
            ended.is_ok() && process.wait_drained(|| output.has_all() && errors.has_all(), deadline);
        process.kill();
        let status = match ended.map_err(|error| failed(&error))? {
            Some(status) if is_drained => status,
            _ => return Err(format!("{program} did not answer within {} s", LIMIT.as_secs()).into()),
        };
        if !status.success() {
            let said = String::from_utf8_lossy(&errors.kept().bytes).into_owned();
            return Err(refused(program, status.code(), &said));
        }
        let kept = output.kept();
        if kept.truncated {
            return Err(format!(
                "{program} prints more than {} MiB: ask for fewer issues with --limit",
                MOST_OUTPUT >> 20
            )
            .into());
        }
        String::from_utf8(kept.bytes.clone()).map_err(|_error| failed(&"its output is not UTF-8"))
    }
}

/// Returns the refusal of a program for people: its first line, and the way out if there is no login.
fn refused(program: &str, code: Option<i32>, said: &str) -> Cause {
    let first = said
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("it says no reason");
    let first = sanitize(first);
    let way = if code == Some(NO_LOGIN) || said.contains("auth login") {
        format!("; log in with `{program} auth login`")
    } else {
        String::new()
    };
    format!("{program} refused: {first}{way}").into()
}

/// Builds the command line. Each value is one word with its option, so that none is taken for another option.
fn arguments(kind: ForgeKind, query: &IssueQuery) -> Vec<OsString> {
    let limit = query.limit;
    let mut words = match kind {
        ForgeKind::Github => vec![
            "issue".to_owned(),
            "list".to_owned(),
            "--state=open".to_owned(),
            format!("--limit={limit}"),
            "--json=number,title,body,labels,state,url".to_owned(),
        ],
        ForgeKind::Gitlab => vec![
            "issue".to_owned(),
            "list".to_owned(),
            format!("--per-page={limit}"),
            "--output=json".to_owned(),
        ],
    };
    words.extend(query.labels.iter().map(|label| format!("--label={label}")));
    let single = [
        ("milestone", &query.milestone),
        ("search", &query.search),
        ("repo", &query.repository),
    ];
    for (name, value) in single {
        words.extend(value.iter().map(|value| format!("--{name}={value}")));
    }
    words.into_iter().map(OsString::from).collect()
}

/// Returns the first two numbers of a version: `gh version 2.46.0 (2024-03-20)`.
fn version(text: &str) -> Option<(u32, u32)> {
    text.split_whitespace().take(8).find_map(|word| {
        let mut numbers = word.trim_start_matches('v').split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_its_first_two_numbers() {
        let cases = [
            ("gh version 2.46.0 (2024-03-20)\nhttps://x\n", Some((2, 46))),
            ("Current glab version: 1.53.0 (abc)", Some((1, 53))),
            ("glab v1.36.0", Some((1, 36))),
            ("nothing", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(version(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_value_that_looks_like_an_option_stays_the_value_of_its_own() {
        let query = IssueQuery {
            labels: vec!["--web".to_owned()],
            search: Some("-x".to_owned()),
            limit: 5,
            ..IssueQuery::default()
        };
        let words = arguments(ForgeKind::Github, &query);
        assert_eq!(words[5..], ["--label=--web", "--search=-x"].map(OsString::from));
    }

    #[test]
    fn a_missing_login_names_the_way_out() {
        let said = "\nTo get started with GitHub CLI, please run:  gh auth login\n";
        let text = refused("gh", Some(4), said).to_string();
        assert!(text.ends_with("; log in with `gh auth login`"), "{text}");
        assert_eq!(
            refused("gh", Some(1), "no\x1b[31m way").to_string(),
            "gh refused: no\\x1b[31m way"
        );
    }

    /// A program called `gh` that writes its words down and ends as told.
    #[cfg(unix)]
    fn stand_in(folder: &Path, end: &str) -> Vec<(OsString, OsString)> {
        use std::os::unix::fs::PermissionsExt as _;
        let (text, file) = (folder.join("text"), folder.join("gh"));
        std::fs::write(
            &text,
            format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$0.args\"\n{end}\n"),
        )
        .unwrap();
        std::fs::set_permissions(&text, std::fs::Permissions::from_mode(0o755)).unwrap();
        // Copied by another process: no program that a test beside this one starts at this moment has the copy open for writing.
        assert!(
            Command::new("cp")
                .args([&text, &file])
                .status()
                .unwrap()
                .success()
        );
        let path = format!("{}:/usr/bin:/bin", folder.display());
        vec![("PATH".into(), path.into())]
    }

    #[test]
    #[cfg(unix)]
    fn an_issue_is_closed_in_its_repository_and_a_program_that_is_no_longer_waited_for_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let close = |end: &str, is_cancelled: bool| {
            let environment = stand_in(folder.path(), end);
            let forge = ForgeProgram {
                kind: ForgeKind::Github,
                environment: &environment,
                folder: folder.path(),
                is_cancelled: &|| is_cancelled,
            };
            forge
                .close_issue("github.com/own/shop", "12", "Done.")
                .map_err(|why| why.to_string())
        };
        assert_eq!(close("exit 0", false), Ok(()));
        let words = std::fs::read_to_string(folder.path().join("gh.args")).unwrap();
        assert_eq!(
            words,
            "issue\nclose\n12\n--repo=github.com/own/shop\n--comment=Done.\n"
        );
        assert_eq!(
            close("echo no way >&2; exit 1", false),
            Err("gh refused: no way".to_owned())
        );
        assert!(close("sleep 600", true).unwrap_err().contains("did not answer"));
    }
}
