//! One call of git: realm, fixed overrides, environment, time limit, and what its end means. Must not know what the
//! call is for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::plain;
use super::process::{self, Input, Invocation, Output, RunError};
use super::queue::Turn;
use super::setup::{GitSetup, Limits, is_passed, is_trusted};
use crate::ports::git::GitError;

/// Most bytes of output kept where nothing else is said: lists of files and refs of very large repositories.
const OUTPUT_LIMIT: usize = 64 * 1024 * 1024;

/// Options that keep ssh from asking and from waiting for ever.
const QUIET: &str = "-o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3";

/// Overrides for every call, whatever the configuration says: nothing is executed, asked, packed or rewritten on the
/// side (M11, C5-43, C5-44).
const FIXED: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.pager=cat",
    "core.editor=:",
    "sequence.editor=:",
    "core.askPass=",
    "core.alternateRefsCommand=:",
    "core.safecrlf=false",
    "core.protectNTFS=true",
    "core.protectHFS=true",
    "core.fsync=committed",
    "core.fsyncMethod=batch",
    "core.filesRefLockTimeout=5000",
    "core.packedRefsTimeout=10000",
    "credential.interactive=false",
    "color.ui=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "gpg.program=:",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "push.recurseSubmodules=no",
    "push.followTags=false",
    "fetch.prune=false",
    "fetch.pruneTags=false",
    "fetch.writeCommitGraph=false",
    "fetch.bundleURI=",
    "transfer.bundleURI=false",
    "protocol.version=2",
    "protocol.ext.allow=never",
    "branch.autoSetupMerge=false",
    "worktree.guessRemote=false",
    "worktree.useRelativePaths=false",
    "advice.addEmbeddedRepo=false",
    "merge.verifySignatures=false",
];

/// Whose configuration a call sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Realm {
    /// Ours alone.
    Control,
    /// Ours and the person's own, for the remote.
    Network,
    /// The project's, with programs and protocols switched off.
    Project,
    /// The project's and the person's own, for reading only.
    Preflight,
}

/// The git program with its prepared environments.
pub(super) struct Program {
    name: OsString,
    bare: Vec<(OsString, OsString)>,
    trusted: Vec<(OsString, OsString)>,
    pub(super) limits: Limits,
}

/// One call being put together.
pub(super) struct Call<'a> {
    program: &'a Program,
    realm: Realm,
    what: String,
    overrides: Vec<OsString>,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    input: Input,
    timeout: Duration,
    limit: usize,
}

impl Program {
    pub(super) fn new(setup: &GitSetup) -> Self {
        let chosen = |may: fn(&OsStr) -> bool| -> Vec<(OsString, OsString)> {
            setup
                .environment
                .iter()
                .filter(|(name, _)| may(name))
                .cloned()
                .collect()
        };
        let mut trusted = chosen(is_trusted);
        keep_ssh_quiet(&mut trusted);
        Self {
            name: setup.program.clone(),
            bare: chosen(is_passed),
            trusted,
            limits: setup.limits,
        }
    }

    /// Uses the ssh command the person configured for all repositories, unless the environment names one.
    pub(super) fn use_ssh(&mut self, command: &str) {
        let own = if command.starts_with("ssh ") {
            format!("{command} {QUIET}")
        } else {
            command.to_owned()
        };
        let ours = OsString::from(format!("ssh {QUIET}"));
        for (_, value) in self
            .trusted
            .iter_mut()
            .filter(|(name, value)| name == "GIT_SSH_COMMAND" && *value == ours)
        {
            *value = OsString::from(&own);
        }
    }

    /// A call in a realm; `what` reads after "could not".
    pub(super) fn call(&self, realm: Realm, cwd: &Path, what: impl Into<String>) -> Call<'_> {
        Call {
            program: self,
            realm,
            what: what.into(),
            overrides: Vec::new(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.to_path_buf(),
            input: Input::Nothing,
            timeout: if realm == Realm::Network {
                self.limits.transfer
            } else {
                self.limits.local
            },
            limit: OUTPUT_LIMIT,
        }
    }
}

impl Call<'_> {
    pub(super) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub(super) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// One more `-c` setting.
    pub(super) fn set(mut self, setting: impl AsRef<OsStr>) -> Self {
        self.overrides.push(OsString::from("-c"));
        self.overrides.push(setting.as_ref().to_owned());
        self
    }

    /// An option of git itself, before the command, such as `--git-dir=...`.
    pub(super) fn place(mut self, option: &str, path: &Path) -> Self {
        let mut text = OsString::from(option);
        text.push(path);
        self.overrides.push(text);
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((OsString::from(name), value.as_ref().to_owned()));
        self
    }

    pub(super) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Input::Bytes(bytes);
        self
    }

    /// Lets git hold the lock of a turn for as long as it lives.
    pub(super) fn hold(mut self, turn: &Turn<'_>) -> Result<Self, GitError> {
        self.input = Input::Held(turn.share()?);
        Ok(self)
    }

    pub(super) fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(super) fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Runs; any exit code is an answer, no exit is an error.
    pub(super) fn run(self) -> Result<Output, GitError> {
        let (what, invocation) = self.prepare();
        match process::run(invocation) {
            Ok(output) => Ok(output),
            Err(RunError::NotStarted(error)) => Err(GitError::Unreachable {
                what,
                why: format!("git did not start: {error}"),
            }),
            Err(RunError::TimedOut(limit)) => Err(GitError::Unreachable {
                what,
                why: format!("git took longer than {} s", limit.as_secs_f32()),
            }),
        }
    }

    /// Runs; anything but code 0 is an error: in the network realm one of the remote, elsewhere one of git.
    pub(super) fn ok(self) -> Result<Output, GitError> {
        let (what, realm) = (self.what.clone(), self.realm);
        accept(what, realm, self.run()?)
    }

    /// As [`Call::ok`], in a turn: the names of locks git takes are noted for as long as it has not ended by itself.
    pub(super) fn ok_in(self, turn: &mut Turn<'_>, locks: &[String]) -> Result<Output, GitError> {
        let (what, realm) = (self.what.clone(), self.realm);
        turn.note(locks)?;
        let output = self.hold(turn)?.run()?;
        if output.code.is_some() {
            turn.forget()?;
        }
        accept(what, realm, output)
    }

    /// Runs; the trimmed output as text.
    pub(super) fn line(self) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.ok()?.stdout).trim().to_owned())
    }

    /// Runs a question: code 0 is true, code 1 is false, anything else an error.
    pub(super) fn yes(self) -> Result<bool, GitError> {
        let (what, realm) = (self.what.clone(), self.realm);
        let output = self.run()?;
        match output.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failure(what, realm, &output)),
        }
    }

    fn prepare(self) -> (String, Invocation) {
        let mut args: Vec<OsString> = vec!["--no-pager".into(), "--literal-pathspecs".into()];
        for setting in FIXED {
            args.push("-c".into());
            args.push((*setting).into());
        }
        args.extend(self.overrides);
        args.extend(self.args);
        let mut env = match self.realm {
            Realm::Control | Realm::Project => self.program.bare.clone(),
            Realm::Network | Realm::Preflight => self.program.trusted.clone(),
        };
        env.extend(standing(self.realm));
        env.extend(self.env);
        let invocation = Invocation {
            program: self.program.name.clone(),
            args,
            env,
            cwd: self.cwd,
            input: self.input,
            timeout: self.timeout,
            limit: self.limit,
        };
        (self.what, invocation)
    }
}

fn accept(what: String, realm: Realm, output: Output) -> Result<Output, GitError> {
    if output.code == Some(0) || output.truncated {
        Ok(output)
    } else {
        Err(failure(what, realm, &output))
    }
}

/// An exit that is not the expected one, as an error.
pub(super) fn failure(what: String, realm: Realm, output: &Output) -> GitError {
    let why = plain::reason(output);
    if realm == Realm::Network || output.code.is_none() {
        GitError::Unreachable { what, why }
    } else {
        GitError::Failed { what, why }
    }
}

fn standing(realm: Realm) -> Vec<(OsString, OsString)> {
    let mut fixed = vec![
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_ASKPASS", ""),
        ("SSH_ASKPASS_REQUIRE", "never"),
        ("GCM_INTERACTIVE", "never"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_ADVICE", "0"),
        ("GIT_PAGER", "cat"),
        ("GIT_EDITOR", ":"),
    ];
    match realm {
        Realm::Control => fixed.extend([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
        ]),
        Realm::Project => fixed.extend([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_ALLOW_PROTOCOL", "file"),
        ]),
        Realm::Network | Realm::Preflight => {}
    }
    fixed
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// Ssh asks on the terminal unless told not to, and waits for ever on a dead line. A command the person chose is kept
/// as it is.
fn keep_ssh_quiet(env: &mut Vec<(OsString, OsString)>) {
    let chosen = |name: &OsStr| name == "GIT_SSH_COMMAND" || name == "GIT_SSH";
    if !env.iter().any(|(name, _)| chosen(name)) {
        env.push(("GIT_SSH_COMMAND".into(), format!("ssh {QUIET}").into()));
    }
}
