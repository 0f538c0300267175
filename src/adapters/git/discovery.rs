//! What there is to work with: the project's repository, its origin, and the settings that shape files on disk.
//! Reads only; the person's own configuration counts here (ownership rules, identity, ssh).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::call::{Call, Program, Realm};
use super::plain;
use super::setup::GitSetup;
use crate::ports::git::{GitError, PreflightError};

/// Oldest git that can merge without a working tree.
const OLDEST: (u32, u32) = (2, 38);

/// Settings of the project that decide how file content and names map to disk. Only their plain words are taken over,
/// so that a snapshot reads files the way the project's own git wrote them.
const FILE_SETTINGS: &[(&str, &[&str])] = &[
    ("core.autocrlf", &["true", "false", "input"]),
    ("core.eol", &["lf", "crlf", "native"]),
    ("core.filemode", &["true", "false"]),
    ("core.symlinks", &["true", "false"]),
    ("core.ignorecase", &["true", "false"]),
    ("core.precomposeunicode", &["true", "false"]),
    ("core.longpaths", &["true", "false"]),
];

/// The project's repository as found at opening.
#[derive(Debug, Clone)]
pub(super) struct Project {
    /// Canonical root of the main checkout.
    pub(super) root: PathBuf,
    /// Canonical folder that holds refs and objects.
    pub(super) common: PathBuf,
    /// Canonical git folder of the main checkout.
    pub(super) git_dir: PathBuf,
    /// `sha1` or `sha256`.
    pub(super) object_format: String,
    /// `-c` settings for calls that read or write files.
    pub(super) file_settings: Vec<String>,
    /// The person's own list of ignored files, if any.
    pub(super) excludes_file: Option<PathBuf>,
}

/// Address to fetch from and, if another, to push to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) url: String,
    pub(super) push_url: Option<String>,
}

/// The version, if it is new enough.
pub(super) fn version(program: &Program, project: &Path) -> Result<String, PreflightError> {
    let said = program
        .call(Realm::Preflight, project, "ask git for its version")
        .arg("version")
        .line();
    let said = said.map_err(|error| PreflightError::NoGit(error.to_string()))?;
    let version = said
        .trim_start_matches("git version ")
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut parts = version.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => Ok(version),
        _ => Err(PreflightError::TooOld(plain::one_line(&said))),
    }
}

/// Finds the repository around a folder.
pub(super) fn find(program: &Program, project: &Path) -> Result<Project, PreflightError> {
    let ask = |what: &str| program.call(Realm::Preflight, project, what.to_owned());
    let inside = ask("find the repository")
        .args(["rev-parse", "--is-inside-work-tree"])
        .run()?;
    if String::from_utf8_lossy(&inside.stdout).trim() != "true" {
        let why = plain::reason(&inside);
        if inside.code == Some(0) || why.contains("not a git repository") {
            return Err(PreflightError::NotARepository(project.to_path_buf()));
        }
        return Err(PreflightError::Unknown(why));
    }
    let folders = ask("find the repository's folders").args([
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--git-common-dir",
        "--absolute-git-dir",
        "--show-object-format",
    ]);
    let said = folders.line()?;
    let mut lines = said.lines();
    let mut line = || {
        let missing = || PreflightError::Unknown(format!("find the repository's folders: git said {said}"));
        lines.next().ok_or_else(missing)
    };
    let path = |text: &str| {
        Path::new(text)
            .canonicalize()
            .map_err(|error| PreflightError::Unknown(format!("find {text}: {error}")))
    };
    Ok(Project {
        root: path(line()?)?,
        common: path(line()?)?,
        git_dir: path(line()?)?,
        object_format: line()?.to_owned(),
        file_settings: file_settings(&ask),
        excludes_file: personal(&ask, "core.excludesFile").map(PathBuf::from),
    })
}

/// The ssh command the person configured for all repositories.
pub(super) fn personal_ssh(program: &Program, project: &Path) -> Option<String> {
    personal(
        &|what: &str| program.call(Realm::Preflight, project, what.to_owned()),
        "core.sshCommand",
    )
}

/// The address of `origin` as the project's configuration has it now; a relative path is made absolute.
pub(super) fn origin(program: &Program, project: &Project) -> Result<Origin, PreflightError> {
    let get = |name: &str| -> Result<Option<String>, PreflightError> {
        let call = program.call(Realm::Project, &project.root, "read the address of origin");
        let call = call
            .place("--git-dir=", &project.git_dir)
            .args(["config", "--get", name]);
        let output = call.run()?;
        let text = String::from_utf8_lossy(&output.stdout)
            .trim_end_matches('\n')
            .to_owned();
        match output.code {
            Some(0) if is_address(&text) => Ok(Some(absolute(&text, &project.root))),
            Some(0) => Err(PreflightError::Unknown(format!(
                "{} is no usable address",
                plain::one_line(&text)
            ))),
            Some(1) => Ok(None),
            _ => Err(PreflightError::Unknown(plain::reason(&output))),
        }
    };
    let url = get("remote.origin.url")?.ok_or(PreflightError::NoOrigin)?;
    Ok(Origin {
        url,
        push_url: get("remote.origin.pushurl")?,
    })
}

/// Names of the local branches of tasks, `feature/…`, for people. One call that writes nothing, so that a command may ask
/// while a server works.
///
/// # Errors
/// When git cannot be asked.
pub fn task_branches(setup: &GitSetup) -> Result<Vec<String>, GitError> {
    let program = Program::new(setup);
    let call = program.call(Realm::Preflight, &setup.project, "list the branches of tasks");
    let output = call
        .args([
            "for-each-ref",
            "--format=%(refname:lstrip=2)",
            "--",
            "refs/heads/feature/",
        ])
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().map(str::to_owned).collect())
}

/// The identity the person's commits carry.
pub(super) fn identity(program: &Program, project: &Project) -> Result<String, PreflightError> {
    let call = program.call(Realm::Preflight, &project.root, "ask for the identity");
    let call = call
        .set("user.useConfigOnly=true")
        .place("--git-dir=", &project.git_dir);
    let output = call.args(["var", "GIT_AUTHOR_IDENT"]).run()?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.rsplit_once('>') {
        Some((who, _)) if output.code == Some(0) => Ok(plain::one_line(&format!("{who}>"))),
        _ => Err(PreflightError::NoIdentity),
    }
}

fn personal<'a>(ask: &impl Fn(&str) -> Call<'a>, name: &str) -> Option<String> {
    let call =
        ask("read the personal configuration").args(["config", "--global", "--type=path", "--get", name]);
    call.line().ok().filter(|value| !value.is_empty())
}

/// One question for all of them: each costs a process, and they are asked at every start.
fn file_settings<'a>(ask: &impl Fn(&str) -> Call<'a>) -> Vec<String> {
    let call = ask("read how files are written").args(["config", "-z", "--get-regexp", r"^core\.[a-z]+$"]);
    let said = call.run().map(|output| output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    // The last of several values counts, as for git itself.
    let known: BTreeMap<&str, &str> = said
        .split('\0')
        .filter_map(|entry| entry.split_once('\n'))
        .collect();
    let settings = FILE_SETTINGS.iter().filter_map(|(name, words)| {
        let value = known.get(name)?.to_ascii_lowercase();
        words.contains(&value.as_str()).then(|| format!("{name}={value}"))
    });
    settings.collect()
}

fn is_address(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_control)
}

fn absolute(url: &str, root: &Path) -> String {
    let slash = url.find('/').unwrap_or(url.len());
    let is_remote = url.find(':').is_some_and(|colon| colon < slash);
    if is_remote || Path::new(url).is_absolute() || url.starts_with('~') {
        url.to_owned()
    } else {
        root.join(url).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_paths_are_made_absolute() {
        let root = Path::new("/srv/project");
        assert_eq!(absolute("../origin.git", root), "/srv/project/../origin.git");
        for address in [
            "git@host:team/x.git",
            "https://host/x",
            "ssh://host/x",
            "/srv/x.git",
            "file:///srv/x.git",
        ] {
            assert_eq!(absolute(address, root), address);
        }
    }

    #[test]
    fn an_address_that_looks_like_an_option_is_refused() {
        assert!(!is_address("--upload-pack=evil"));
        assert!(!is_address("https://host/\u{1b}[0m"));
        assert!(is_address("https://host/x.git"));
    }
}
