//! Version probe of programs: each runs in an empty home of its own, with nothing of the person's environment but `PATH`, is asked to leave
//! the network alone, and has limits for its time and its output. Its output is read for a number and shown in no other form.
#![expect(
    clippy::disallowed_methods,
    reason = "a door: starts the programs of agents to learn their version, and reads the clock for their time limit"
)]

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::child_process::new_process_group;
use super::child_process::output::{CapturedOutput, OutputCollector, OutputLimit, RunningProcess};
use crate::domain::Cause;

/// Time that all programs together have.
const LIMIT: Duration = Duration::from_secs(8);
/// Bytes of output that are read.
const MOST_OUTPUT: usize = 4 * 1024;
/// Maximum length of a version.
const LONGEST: usize = 40;

/// Variables that keep such programs from the network, as far as they respect them: a proxy that does not exist, and their own switches.
const QUIET: &[(&str, &str)] = &[
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("http_proxy", "http://127.0.0.1:9"),
    ("https_proxy", "http://127.0.0.1:9"),
    ("ALL_PROXY", "http://127.0.0.1:9"),
    ("CI", "1"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("LC_ALL", "C"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
];

/// A program that was asked and has not answered yet.
struct Asked {
    process: RunningProcess,
    output: OutputCollector<CapturedOutput>,
    /// Removed with everything the program wrote.
    _home: TempDir,
}

/// The versions of these programs, in their order, or why one is not known. All are asked at the same time.
pub fn versions(programs: &[PathBuf], path: &str) -> Vec<Result<String, Cause>> {
    versions_within(programs, path, LIMIT)
}

fn versions_within(programs: &[PathBuf], path: &str, limit: Duration) -> Vec<Result<String, Cause>> {
    let asked: Vec<_> = programs.iter().map(|program| ask(program, path)).collect();
    let deadline = Instant::now() + limit;
    let answers = asked.into_iter().map(|asked| {
        let asked = asked.map_err(|why| Cause::from(format!("it could not be started: {why}")))?;
        asked.answer(deadline)
    });
    answers.collect()
}

fn ask(program: &Path, path: &str) -> io::Result<Asked> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command
        .arg("--version")
        .env_clear()
        .env("PATH", path)
        .envs(QUIET.iter().copied())
        .envs(["HOME", "USERPROFILE", "TMPDIR", "APPDATA", "LOCALAPPDATA"].map(|name| (name, home.path())))
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    new_process_group(&mut command);
    let mut process = RunningProcess::start(&mut command)?;
    let output = process.collect_output(CapturedOutput::new(OutputLimit::First(MOST_OUTPUT)))?;
    Ok(Asked {
        process,
        output,
        _home: home,
    })
}

impl Asked {
    fn answer(mut self, deadline: Instant) -> Result<String, Cause> {
        let ended = self.process.wait(deadline);
        let is_drained = ended.is_ok() && self.process.wait_drained(|| self.output.has_all(), deadline);
        // Also for processes that it started and left behind.
        self.process.kill();
        match ended {
            Ok(Some(_)) if is_drained => {
                let text = String::from_utf8_lossy(&self.output.kept().bytes).into_owned();
                number(&text)
                    .ok_or_else(|| Cause::from("it does not say its version in words that are known"))
            }
            Ok(_) => Err("it did not say its version in time".into()),
            Err(why) => Err(format!("it could not be waited for: {why}").into()),
        }
    }
}

/// The first word that looks like a version.
fn number(text: &str) -> Option<String> {
    let words = text
        .split_whitespace()
        .map(|word| word.strip_prefix('v').unwrap_or(word));
    let mut fitting = words.filter(|word| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.contains('.')
            && word.len() <= LONGEST
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
    });
    fitting.next().map(str::to_owned)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    const PATH: &str = "/usr/bin:/bin";

    fn program(folder: &Path, script: &str) -> PathBuf {
        let (text, file) = (folder.join("text"), folder.join("agent"));
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&text, fs::Permissions::from_mode(0o755)).unwrap();
        // Copied by another process: no program that a test beside this one starts at this moment has the copy open for writing.
        let copied = Command::new("cp").args([&text, &file]).status().unwrap();
        assert!(copied.success());
        file
    }

    fn said(script: &str, limit: Duration) -> Result<String, Cause> {
        let folder = tempfile::tempdir().unwrap();
        versions_within(&[program(folder.path(), script)], PATH, limit).remove(0)
    }

    #[test]
    fn a_version_is_a_number_in_what_a_program_prints() {
        for (printed, expected) in [
            ("2.1.330 (Claude Code)", "2.1.330"),
            ("codex-cli 0.169.0", "0.169.0"),
            ("aider v0.86.2-beta+1", "0.86.2-beta+1"),
        ] {
            let version = said(&format!("echo '{printed}'"), LIMIT);
            assert_eq!(version.as_deref(), Ok(expected), "{printed}");
        }
    }

    #[test]
    fn nothing_a_program_prints_reaches_a_terminal_but_a_version() {
        for script in [
            r"printf '\033]0;owned\007\n'",
            r"printf '\033[2J2.1\033[0m\n'",
            "echo no number",
            "true",
            "exit 3",
        ] {
            let why = said(script, LIMIT).unwrap_err();
            assert!(why.text.contains("words that are known"), "{script}: {why}");
        }
        let version = said(r"printf '\033]0;owned\007 1.2.3 \033[2J'", LIMIT);
        assert_eq!(version.as_deref(), Ok("1.2.3"));
    }

    #[test]
    fn a_program_that_hangs_or_floods_ends_within_the_limit() {
        let hangs = said("sleep 600 & sleep 600", Duration::from_millis(300));
        assert!(hangs.unwrap_err().text.contains("in time"));
        let floods = said(
            "while :; do echo 9999999999999999999999999999999999999999999; done",
            LIMIT,
        );
        assert!(floods.is_err(), "{floods:?}");
        let leaves = said("echo 1.2.3; sleep 600 &", LIMIT);
        assert_eq!(
            leaves.as_deref(),
            Ok("1.2.3"),
            "what it left behind is not waited for"
        );
    }

    #[test]
    fn a_program_sees_an_empty_home_and_nothing_of_the_persons() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("told");
        let script = format!(
            "{{ ls -A \"$HOME\"; echo \"$HOME $PWD\"; env; }} >{}; touch \"$HOME/x\"; echo 1.0",
            told.display()
        );
        let version = versions_within(&[program(folder.path(), &script)], PATH, LIMIT).remove(0);
        assert_eq!(version.as_deref(), Ok("1.0"));
        let told = fs::read_to_string(told).unwrap();
        let first = told.lines().next().unwrap();
        let (home, folder) = first.split_once(' ').unwrap();
        assert_eq!(home, folder, "it begins in its home, which is empty");
        assert!(!Path::new(home).exists(), "what it wrote is gone");
        assert!(!told.contains("CARGO"), "{told}");
        let missing = versions(&[PathBuf::from("/nowhere/agent")], PATH).remove(0);
        assert!(missing.unwrap_err().text.contains("could not be started"));
    }
}
