//! Scope and environment of every call: the limits on git's questions, output and reading in a scope, and the way ssh is kept from waiting.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::domain::TroubleKind;

/// Scope of the git configuration, protocols and credentials that a git command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigScope {
    /// Ours alone.
    Control,
    /// Ours and the person's own, for the remote.
    Network,
    /// Ours and the person's own, for files on the disk.
    Files,
    /// The project's, with programs and protocols switched off.
    Project,
    /// The project's and the person's own, for reading only.
    Preflight,
}

impl ConfigScope {
    /// The kind of trouble when a git in that scope brings nothing and does not say why.
    pub(super) fn trouble(self) -> TroubleKind {
        match self {
            ConfigScope::Network => TroubleKind::Network,
            ConfigScope::Control | ConfigScope::Files | ConfigScope::Project | ConfigScope::Preflight => {
                TroubleKind::Other
            }
        }
    }
}

/// Options that keep ssh from asking and from waiting for ever.
pub(super) const SSH_OPTIONS: &str =
    "-o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3";

/// Returns the files in which the person and the system have their settings, unless the environment names others.
pub(super) fn personal_files(environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let of = |wanted: &str| {
        let mut given = environment.iter();
        let found = given.find(|(name, value)| name == wanted && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value))
    };
    let home = of("HOME");
    let own = of("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let system = of("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let beside = [
        own.map(|own| own.join("git").join("config")),
        home.map(|home| home.join(".gitconfig")),
    ];
    let files = [of("GIT_CONFIG_GLOBAL"), Some(system)].into_iter().chain(beside);
    files.flatten().collect()
}

/// Variables of a scope, and those of all.
pub(super) fn scope_env(scope: ConfigScope) -> impl Iterator<Item = (&'static str, &'static str)> {
    let isolated: &[(&'static str, &'static str)] = match scope {
        ConfigScope::Control | ConfigScope::Project => &[
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
        ],
        ConfigScope::Network | ConfigScope::Files | ConfigScope::Preflight => &[],
    };
    let protocols = (scope == ConfigScope::Project).then_some(("GIT_ALLOW_PROTOCOL", "file"));
    let fixed = [
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
    fixed.into_iter().chain(isolated.iter().copied()).chain(protocols)
}

/// Ssh asks on the terminal unless its options forbid it, and waits for ever on a dead line. A command the person chose is kept
/// as it is.
pub(super) fn keep_ssh_quiet(env: &mut Vec<(OsString, OsString)>) {
    let chosen = |name: &OsStr| name == "GIT_SSH_COMMAND" || name == "GIT_SSH";
    if !env.iter().any(|(name, _)| chosen(name)) {
        env.push(("GIT_SSH_COMMAND".into(), format!("ssh {SSH_OPTIONS}").into()));
    }
}
