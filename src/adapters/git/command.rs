//! Call of git: scope, fixed overrides, environment, time limit, and the meaning of its end. Must not know the purpose of the call.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) use super::call_environment::ConfigScope;
use super::call_environment::{self, SSH_OPTIONS, keep_ssh_quiet, scope_env};
pub(super) use super::command_output::GitOutput;
use super::options::{GitLimits, GitSetup, is_passed, is_trusted};
use super::parse;
use super::process::{self, ProcessError, ProcessSpec, StdinSource};
use super::program_keys;
use super::write_lock::WriteGuard;
use crate::adapters::holder::process::{Keeper, MARKER};
use crate::adapters::program::find_program;
use crate::domain::TroubleKind;
use crate::ports::git::{CommitId, GitError};
use crate::ports::trouble::io_trouble;

/// Maximum number of bytes of output kept if no other limit is set: lists of files and refs of very large repositories.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;

/// Variable that says whether paths are taken literally.
const LITERAL: &str = "GIT_LITERAL_PATHSPECS";

/// Overrides for every call, whatever the configuration says, besides those of `program_keys`: nothing is asked, packed, signed or
/// rewritten on the side.
const OVERRIDES: &str = "
    core.untrackedCache=false core.splitIndex=false core.safecrlf=false core.protectNTFS=true core.protectHFS=true
    core.fsync=committed core.fsyncMethod=batch
    core.filesRefLockTimeout=5000 core.packedRefsTimeout=10000 credential.interactive=false color.ui=false
    commit.gpgSign=false tag.gpgSign=false push.gpgSign=false log.showSignature=false
    gc.auto=0 maintenance.auto=false
    fetch.recurseSubmodules=false submodule.recurse=false push.recurseSubmodules=no push.followTags=false
    fetch.prune=false fetch.pruneTags=false fetch.writeCommitGraph=false fetch.bundleURI= transfer.bundleURI=false
    protocol.version=2 branch.autoSetupMerge=false worktree.guessRemote=false
    worktree.useRelativePaths=false advice.addEmbeddedRepo=false merge.verifySignatures=false
";

/// Path of the git executable, with the prepared environments and limits of its commands.
pub(super) struct GitProgram {
    name: OsString,
    isolated_env: Vec<(OsString, OsString)>,
    trusted_env: Vec<(OsString, OsString)>,
    pub(super) limits: GitLimits,
    /// True if its version runs hooks that a configuration names.
    pub(super) runs_named_hooks: bool,
    keeper: Option<Keeper>,
}

/// Builder for one git command: scope, arguments, environment, input and time limit.
pub(super) struct GitCommand {
    scope: ConfigScope,
    action: String,
    /// Has the options of git itself so far.
    spec: ProcessSpec,
    /// Settings whose keys may hold any character, which `-c` cannot pass.
    settings: Vec<(OsString, OsString)>,
    /// Settings of the repository that such a call does not use, named where the remote wants to know who asks.
    left_out: Vec<String>,
    /// The file of the lock that git holds.
    held: Option<File>,
    /// Name of the command and the words after it: git takes its own options only before the name, in whatever order both are given.
    command_args: Vec<OsString>,
}

impl GitProgram {
    pub(super) fn new(setup: &GitSetup) -> Self {
        let marker = setup.marking.marker.as_ref();
        let marker = marker.map(|marker| (OsString::from(MARKER), OsString::from(marker)));
        let chosen = |may: fn(&OsStr) -> bool| -> Vec<(OsString, OsString)> {
            let given = setup.environment.iter().filter(|(name, _)| may(name));
            given.chain(&marker).cloned().collect()
        };
        let mut trusted_env = chosen(is_trusted);
        keep_ssh_quiet(&mut trusted_env);
        Self {
            name: resolved(setup),
            isolated_env: chosen(is_passed),
            trusted_env,
            limits: setup.limits,
            runs_named_hooks: false,
            keeper: setup.marking.keeper.clone(),
        }
    }

    /// Uses the ssh command the person configured for all repositories, unless the environment names one.
    pub(super) fn use_ssh(&mut self, command: &str) {
        let own = if command.starts_with("ssh ") {
            format!("{command} {SSH_OPTIONS}")
        } else {
            command.to_owned()
        };
        let ours = OsString::from(format!("ssh {SSH_OPTIONS}"));
        for (name, value) in &mut self.trusted_env {
            if name == "GIT_SSH_COMMAND" && *value == ours {
                *value = OsString::from(&own);
            }
        }
    }

    /// Returns the files in which the person and the system have their settings, unless the environment names others.
    pub(super) fn personal_files(&self) -> Vec<PathBuf> {
        call_environment::personal_files(&self.trusted_env)
    }

    /// Returns the person's home.
    pub(super) fn home(&self) -> Option<PathBuf> {
        let mut all = self.trusted_env.iter();
        let found = all.find(|(name, value)| name == "HOME" && !value.is_empty());
        found.map(|(_, home)| PathBuf::from(home))
    }

    /// The same call below a keeper: it may start programs that others wrote.
    pub(super) fn kept(&self, mut call: GitCommand) -> GitCommand {
        call.spec.keeper.clone_from(&self.keeper);
        call
    }

    /// A call in a scope; `what` reads after "could not".
    pub(super) fn command(&self, scope: ConfigScope, cwd: &Path, what: impl Into<String>) -> GitCommand {
        let (env, timeout) = match scope {
            ConfigScope::Control | ConfigScope::Project => (&self.isolated_env, self.limits.local),
            ConfigScope::Network => (&self.trusted_env, self.limits.transfer),
            ConfigScope::Files | ConfigScope::Preflight => (&self.trusted_env, self.limits.local),
        };
        let mut spec = ProcessSpec::new(&self.name, cwd, timeout, OUTPUT_LIMIT);
        spec.command.arg("--no-pager");
        spec.command.envs(env.iter().map(|(name, value)| (name, value)));
        spec.command.envs(scope_env(scope));
        // Helpers for credentials and ssh would ask on the terminal of `dbs watch`.
        spec.apart = self.keeper.clone().filter(|_| scope == ConfigScope::Network);
        // As `--literal-pathspecs`, which a call could not take back.
        spec.command.env(LITERAL, "1");
        let call = GitCommand {
            scope,
            action: what.into(),
            spec,
            settings: Vec::new(),
            left_out: Vec::new(),
            held: None,
            command_args: Vec::new(),
        };
        let call = program_keys::overrides().fold(call, GitCommand::config);
        OVERRIDES.split_whitespace().fold(call, GitCommand::config)
    }
}

/// Returns the program with its folder. A name alone would be looked for in the environment of each call, and for that the system has to
/// copy the memory map of the server first. A program that is not found keeps its name, and the first call reports it.
fn resolved(setup: &GitSetup) -> OsString {
    let path = setup.environment.iter().find(|(name, _)| name == "PATH");
    let name = setup.program.to_str();
    name.zip(path.and_then(|(_, path)| path.to_str()))
        .and_then(|(name, path)| find_program(name, &setup.project, path))
        .filter(|program| program.is_absolute())
        .map_or_else(|| setup.program.clone(), PathBuf::into_os_string)
}

impl GitCommand {
    /// The name of the command, or the next of its arguments.
    pub(super) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command_args.push(arg.as_ref().to_owned());
        self
    }

    /// The fixed part of a call as it is typed at a prompt: words with a space between.
    pub(super) fn words(self, words: &str) -> Self {
        self.args(words.split(' '))
    }

    pub(super) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.command_args.extend(args);
        self
    }

    /// Adds a `-c` setting.
    pub(super) fn config(mut self, setting: impl AsRef<OsStr>) -> Self {
        self.spec.command.arg("-c").arg(setting);
        self
    }

    /// Adds a `-c` setting whose value is a path; `name` ends with `=`.
    pub(super) fn config_path(self, name: &str, path: &Path) -> Self {
        self.config(joined(name, path))
    }

    /// Adds a setting whose key may hold any characters.
    pub(super) fn setting(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.settings.push((key.into(), value.into()));
        self
    }

    /// An option of git itself, such as `--git-dir=...`.
    pub(super) fn git_option(mut self, option: &str, path: &Path) -> Self {
        self.spec.command.arg(joined(option, path));
        self
    }

    /// Notes settings of the repository that this call does not use.
    pub(super) fn without(mut self, left_out: &[String]) -> Self {
        self.left_out = left_out.to_vec();
        self
    }

    /// A variable of the environment of this call.
    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.spec.command.env(name, value);
        self
    }

    /// Lets git read paths as patterns, for commands that refuse to take them literally.
    pub(super) fn with_patterns(self) -> Self {
        self.env(LITERAL, "0")
    }

    pub(super) fn input(mut self, bytes: &[u8]) -> Self {
        self.spec.input = StdinSource::Bytes(bytes.to_owned());
        self
    }

    /// Lets git hold the lock of a turn for as long as it lives. It holds it as its standard input, so it can be given no other.
    pub(super) fn with_lock(mut self, turn: &WriteGuard<'_>) -> Result<Self, GitError> {
        self.held = Some(turn.lock_file()?);
        Ok(self)
    }

    pub(super) fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = timeout;
        self
    }

    /// Maximum number of bytes of memory for git and all it starts.
    pub(super) fn memory(mut self, limit: u64) -> Self {
        self.spec.memory = Some(limit);
        self
    }

    pub(super) fn limit(mut self, limit: usize) -> Self {
        self.spec.limit = limit;
        self
    }

    /// Runs; any exit code is an answer, no exit is an error.
    pub(super) fn run(self) -> Result<GitOutput, GitError> {
        let (scope, action) = (self.scope, self.action.clone());
        let ended = self.end()?;
        ended.map_err(|error| no_answer(scope, action, error))
    }

    /// Runs; `None` if it took longer than its time limit.
    pub(super) fn run_in_time(self) -> Result<Option<GitOutput>, GitError> {
        let (scope, action) = (self.scope, self.action.clone());
        match self.end()? {
            Ok(output) => Ok(Some(output)),
            Err(ProcessError::TimedOut(_)) => Ok(None),
            Err(error) => Err(no_answer(scope, action, error)),
        }
    }

    /// Runs, and returns the reason apart if it has no exit code.
    fn end(self) -> Result<Result<GitOutput, ProcessError>, GitError> {
        let Self {
            scope,
            action,
            mut spec,
            settings,
            left_out,
            held,
            command_args,
        } = self;
        spec.command.args(command_args);
        pass(&mut spec, settings);
        if let Some(file) = held {
            if matches!(spec.input, StdinSource::Bytes(_)) {
                // Git would read the lock instead and succeed, having done nothing.
                return Err(GitError::Failed {
                    kind: TroubleKind::Other,
                    what: action,
                    why: "git was given an input beside the lock that it is to hold".to_owned(),
                });
            }
            spec.input = StdinSource::Held(file);
        }
        Ok(process::run(spec).map(|process| GitOutput {
            action,
            scope,
            left_out,
            process,
        }))
    }

    /// Runs; anything but code 0 is an error.
    pub(super) fn run_ok(self) -> Result<GitOutput, GitError> {
        self.run()?.ok()
    }

    /// Runs a listing that must be complete.
    pub(super) fn run_whole(self) -> Result<GitOutput, GitError> {
        let output = self.run_ok()?;
        if output.truncated {
            return Err(GitError::Unreachable {
                kind: output.scope.trouble(),
                what: output.action.clone(),
                why: format!("there were more than {} bytes of it", output.stdout.len()),
            });
        }
        Ok(output)
    }

    /// Runs the call as [`GitCommand::run_ok`], in a turn: the names of locks git takes are noted for as long as it has not ended by
    /// itself.
    pub(super) fn run_locked(
        self,
        turn: &mut WriteGuard<'_>,
        locks: &[String],
    ) -> Result<GitOutput, GitError> {
        turn.note(locks)?;
        let output = self.with_lock(turn)?.run()?;
        if output.code.is_some() {
            turn.forget()?;
        }
        output.ok()
    }

    /// Runs; the trimmed output as text.
    pub(super) fn run_line(self) -> Result<String, GitError> {
        Ok(self.run_ok()?.text().trim().to_owned())
    }

    /// Runs a listing of the refs below a name, or of that one: commit and name of each.
    pub(super) fn list_refs(self, name: &str) -> Result<Vec<(CommitId, String)>, GitError> {
        let call = self
            .words("for-each-ref --format=%(objectname)%09%(refname) --")
            .arg(name);
        Ok(parse::refs(&call.run_ok()?.stdout))
    }

    /// Returns true if a ref whose name begins with `begin` reaches a commit.
    pub(super) fn reaches(self, commit: &CommitId, begin: &str) -> Result<bool, GitError> {
        let call = self.words("for-each-ref --count=1 --contains");
        Ok(!call.arg(commit.as_str()).arg(begin).run_line()?.is_empty())
    }

    /// Runs a question: code 0 is true, code 1 is false, anything else an error.
    pub(super) fn run_bool(self) -> Result<bool, GitError> {
        let output = self.run()?;
        match output.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(output.failure()),
        }
    }
}

/// Returns the error for a git that has no exit code.
fn no_answer(scope: ConfigScope, what: String, error: ProcessError) -> GitError {
    let (kind, why) = match error {
        ProcessError::NotStarted(error) => (io_trouble(error.kind()), format!("git did not start: {error}")),
        ProcessError::TooLarge(limit) => {
            let why = format!("git took more than {} MiB of memory", limit >> 20);
            (scope.trouble(), why)
        }
        ProcessError::TimedOut(limit) => {
            let why = format!("git took longer than {} s", limit.as_secs_f32());
            (scope.trouble(), why)
        }
    };
    GitError::Unreachable { kind, what, why }
}

/// Hands settings over in the environment of a call.
fn pass(spec: &mut ProcessSpec, settings: Vec<(OsString, OsString)>) {
    spec.command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (number, (key, value)) in settings.into_iter().enumerate() {
        spec.command.env(format!("GIT_CONFIG_KEY_{number}"), key);
        spec.command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut text = OsString::from(option);
    text.push(path);
    text
}

#[cfg(test)]
mod tests {
    use super::super::write_lock::RepoLock;
    use super::*;

    #[test]
    fn options_of_git_reach_it_before_the_command_whenever_they_are_given() {
        let git = GitProgram::new(&GitSetup {
            program: "/bin/echo".into(),
            ..GitSetup::new("/", [])
        });
        let folder = Path::new("/");
        let call = git.command(ConfigScope::Control, folder, "say it");
        let call = call.words("status --short").config("a.b=c");
        let call = call.arg("file").config_path("d.e=", folder);
        let Ok(said) = call.git_option("--git-dir=", folder).run_line() else {
            panic!("it did not run");
        };
        assert!(
            said.ends_with(" -c a.b=c -c d.e=/ --git-dir=/ status --short file"),
            "{said}"
        );
    }

    #[test]
    fn a_git_that_holds_a_lock_is_not_run_with_an_input_that_it_would_not_get() {
        let folder = tempfile::tempdir().unwrap();
        let git = GitProgram::new(&GitSetup {
            program: "/bin/echo".into(),
            ..GitSetup::new("/", [])
        });
        let lock = RepoLock::new(folder.path().join("lock"), "a repository");
        let turn = lock.acquire(Duration::ZERO, |_| String::new()).unwrap();
        let call = || git.command(ConfigScope::Control, folder.path(), "write");
        let held = |call: GitCommand| call.with_lock(&turn).unwrap();
        assert!(held(call()).run().is_ok());
        for both in [held(call().input(b"x")), held(call()).input(b"x")] {
            assert!(matches!(both.run(), Err(GitError::Failed { .. })));
        }
    }
}
