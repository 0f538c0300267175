//! Discovery of the project's repository, its remote, and the settings that shape files on disk. Reads only; the person's own configuration
//! counts here (ownership rules, identity, ssh).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::command::{ConfigScope, GitCommand, GitProgram};
use super::error_text;
use super::filter_settings::FilterSettings;
use super::no_checkout;
use super::options::{GitSetup, RemoteChoice, WorktreeRoots};
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

/// Paths, object format and file settings of the project's git repository.
#[derive(Debug, Clone)]
pub(super) struct ProjectRepo {
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
    /// True if attributes of the person or the system may apply to files.
    pub(super) has_attributes: bool,
    /// Programs that convert files.
    pub(super) filters: FilterSettings,
    /// Folders that contain worktrees of the engine; new ones are made in the first.
    pub(super) worktree_roots: Vec<PathBuf>,
    /// Settings of the repository that name a program for the connection to the remote, and are not used.
    pub(super) left_out: Vec<String>,
}

impl ProjectRepo {
    /// Takes the folders of worktrees from the options; the one in the project is always among them.
    pub(super) fn take_roots(&mut self, roots: &WorktreeRoots) {
        let inside = std::mem::take(&mut self.worktree_roots);
        let given = roots.new.iter().chain(&roots.former).cloned();
        for root in given.chain(inside) {
            if !self.worktree_roots.contains(&root) {
                self.worktree_roots.push(root);
            }
        }
    }

    /// Returns true if one of the settings that shape files has that value, such as `core.autocrlf=true`.
    pub(super) fn has(&self, setting: &str) -> bool {
        self.file_settings.iter().any(|known| known == setting)
    }
}

/// Files that git tracks, each with `true`, or would take up with all that is new, each with `false`, of those that are wanted.
/// Ignored files are not among them. Writes nothing.
///
/// # Errors
/// When git cannot be asked.
pub fn seen_files(
    setup: &GitSetup,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<(String, bool)>, GitError> {
    let program = GitProgram::new(setup);
    let call = program.command(
        ConfigScope::Preflight,
        &setup.project,
        "ask which files are tracked or ignored",
    );
    let call = call.words("ls-files -z -t --cached --others --exclude-standard");
    let output = call.run_ok()?;
    let listed = output.text().into_owned();
    let entries = listed.split('\0').filter_map(|entry| entry.split_once(' '));
    let wanted = entries.filter(|(_, path)| is_wanted(path));
    Ok(wanted
        .map(|(tag, path)| (error_text::one_line(path), tag != "?"))
        .collect())
}

/// Fetch URL of the remote, and its push URL where that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OriginUrls {
    pub(super) url: String,
    pub(super) push_url: Option<String>,
}

impl OriginUrls {
    /// Address of the control repository within itself. One that a person writes is absolute here, so it is never this.
    pub(super) fn of_control() -> OriginUrls {
        OriginUrls {
            url: ".".to_owned(),
            push_url: None,
        }
    }
}

/// Configuration of a person for all repositories.
pub(super) struct PersonalSettings {
    pub(super) excludes_file: Option<PathBuf>,
    pub(super) attributes_file: Option<PathBuf>,
    pub(super) ssh_command: Option<String>,
}

/// The version, if it is new enough.
pub(super) fn version(program: &GitProgram, project: &Path) -> Result<String, PreflightError> {
    let printed = program
        .command(ConfigScope::Preflight, project, "ask git for its version")
        .arg("version")
        .run_line();
    let printed = printed.map_err(|error| PreflightError::NoGit(error.to_string()))?;
    let words = printed.trim_start_matches("git version ").split_whitespace();
    let version = words.take(1).collect::<String>();
    let mut parts = version.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= OLDEST => Ok(version),
        _ => Err(PreflightError::TooOld(error_text::one_line(&printed))),
    }
}

/// Finds the repository around a folder, and the address of its remote.
pub(super) fn find(
    program: &GitProgram,
    project: &Path,
    remote: &RemoteChoice,
) -> Result<(ProjectRepo, Result<OriginUrls, PreflightError>), PreflightError> {
    let ask = |what: &str| program.command(ConfigScope::Preflight, project, what.to_owned());
    let folders = ask("find the repository").words(
        "rev-parse --is-inside-work-tree --path-format=absolute --show-toplevel --git-common-dir --absolute-git-dir \
         --show-object-format",
    );
    let output = folders.run()?;
    let printed = output.text().into_owned();
    let mut lines = printed.lines();
    let (is_inside, why) = (lines.next() == Some("true"), error_text::reason(&output));
    if printed.starts_with("false") {
        return Err(no_checkout::reason(&ask, project)?);
    }
    if !is_inside && why.contains("not a git repository") {
        return Err(PreflightError::NotARepository(project.to_path_buf()));
    }
    if !is_inside || output.code != Some(0) {
        return Err(PreflightError::Unknown(why));
    }
    let mut line = || {
        let missing =
            || PreflightError::Unknown(format!("find the repository's folders: git printed {printed}"));
        lines.next().ok_or_else(missing)
    };
    let path = |text: &str| {
        let found = Path::new(text).canonicalize();
        found.map_err(|error| PreflightError::Unknown(format!("find {text}: {error}")))
    };
    let (root, common, git_dir) = (path(line()?)?, path(line()?)?, path(line()?)?);
    let settings = settings(ask("read the configuration"));
    let found = ProjectRepo {
        common,
        git_dir,
        object_format: line()?.to_owned(),
        file_settings: file_settings(settings.as_deref().unwrap_or_default()),
        filters: FilterSettings::among(settings.as_deref().unwrap_or_default()),
        left_out: left_out(settings.as_deref().unwrap_or_default()),
        excludes_file: None,
        has_attributes: true,
        worktree_roots: vec![root.join(".debussy-worktrees")],
        root,
    };
    let origin = settings.and_then(|settings| origin_among(&settings, &found.root, remote));
    Ok((found, origin))
}

/// Reads the configuration of the person for all repositories, as paths: the list of ignored files, the one of attributes, and the ssh
/// command.
pub(super) fn personal(program: &GitProgram, project: &Path) -> PersonalSettings {
    let ask = || {
        let call = program.command(ConfigScope::Preflight, project, "read the personal configuration");
        call.words("config --global --type=path")
    };
    let names = ["core.excludesfile", "core.attributesfile", "core.sshcommand"];
    let all = ask()
        .args([
            "-z",
            "--get-regexp",
            r"^core\.(excludesfile|attributesfile|sshcommand)$",
        ])
        .run();
    let [excludes, attributes, ssh] = match all {
        Ok(output) if output.code == Some(0) => {
            let listed = output.text();
            let known = listed.split('\0').filter_map(|entry| entry.split_once('\n'));
            let known: BTreeMap<&str, &str> = known.collect();
            names.map(|name| known.get(name).map(|value| (*value).to_owned()))
        }
        Ok(output) if output.code == Some(1) => [None, None, None],
        // A value that is not a path must not take the others with it.
        Ok(_) | Err(_) => names.map(|name| ask().args(["--get", name]).run_line().ok()),
    };
    let printed = |value: Option<String>| value.filter(|value| !value.is_empty());
    PersonalSettings {
        excludes_file: printed(excludes).map(PathBuf::from),
        attributes_file: printed(attributes).map(PathBuf::from),
        ssh_command: printed(ssh),
    }
}

/// The filters as the configuration has them now.
pub(super) fn filters(program: &GitProgram, project: &ProjectRepo) -> Result<FilterSettings, PreflightError> {
    let call = program.command(ConfigScope::Preflight, &project.root, "read the filters");
    let settings = settings(call.git_option("--git-dir=", &project.git_dir))?;
    Ok(FilterSettings::among(&settings))
}

/// The address of the remote as the project's configuration has it now; a relative path is made absolute.
pub(super) fn origin(
    program: &GitProgram,
    project: &ProjectRepo,
    remote: &RemoteChoice,
) -> Result<OriginUrls, PreflightError> {
    let what = "read the address of the remote";
    let call = program.command(ConfigScope::Preflight, &project.root, what);
    let settings = settings(call.git_option("--git-dir=", &project.git_dir))?;
    origin_among(&settings, &project.root, remote)
}

/// Entry of the git configuration: scope, name and value.
type GitSetting = (String, String, String);

/// Reads the settings for writing files, and the addresses of the remotes, in one call, because each costs a process and all are read at every
/// start.
fn settings(call: GitCommand) -> Result<Vec<GitSetting>, PreflightError> {
    let wanted = r"^(core\.[a-z]+|remote\..*\.(push)?url|lfs\.storage|filter\..*\.(clean|smudge|process|required)|credential\.(.*\.)?helper)$";
    let call = call.words("config -z --show-scope --get-regexp");
    let output = call.arg(wanted).run()?;
    if !matches!(output.code, Some(0 | 1)) {
        return Err(PreflightError::Unknown(error_text::reason(&output)));
    }
    let printed = output.text();
    let mut parts = printed.split('\0');
    let mut settings = Vec::new();
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (name, value) = entry.split_once('\n').unwrap_or((entry, ""));
        settings.push((scope.to_owned(), name.to_owned(), value.to_owned()));
    }
    Ok(settings)
}

/// Reads the address of the remote. Only the project's own configuration counts, not the person's for all repositories.
fn origin_among(
    settings: &[GitSetting],
    root: &Path,
    remote: &RemoteChoice,
) -> Result<OriginUrls, PreflightError> {
    let RemoteChoice::Named(remote) = remote else {
        return Ok(OriginUrls::of_control());
    };
    let get = |key: &str| -> Result<Option<String>, PreflightError> {
        let wanted = format!("remote.{remote}.{key}");
        let own =
            |(scope, name, _): &&GitSetting| *name == wanted && matches!(&**scope, "local" | "worktree");
        match settings.iter().rfind(own) {
            Some((_, _, text)) if is_address(text) => Ok(Some(absolute(text, root))),
            Some((_, _, text)) => Err(PreflightError::Unknown(format!(
                "{} is not a usable address",
                error_text::one_line(text)
            ))),
            None => Ok(None),
        }
    };
    let url = get("url")?.ok_or_else(|| PreflightError::NoRemote(remote.clone()))?;
    Ok(OriginUrls {
        url,
        push_url: get("pushurl")?,
    })
}

/// Names of the local branches of tasks, `feature/…`, for people. One call that writes nothing, so that a command may ask
/// while a server works.
///
/// # Errors
/// When git cannot be asked.
pub fn task_branches(setup: &GitSetup) -> Result<Vec<String>, GitError> {
    let program = GitProgram::new(setup);
    let call = program.command(
        ConfigScope::Preflight,
        &setup.project,
        "list the branches of tasks",
    );
    let output = call
        .words("for-each-ref --format=%(refname:lstrip=2) -- refs/heads/feature/")
        .run_ok()?;
    let text = output.text().into_owned();
    Ok(text.lines().map(str::to_owned).collect())
}

/// Returns the settings of the repository that name a program which the person's own git would ask for credentials, or connect with.
fn left_out(settings: &[GitSetting]) -> Vec<String> {
    let is_left_out = |(scope, name, value): &&GitSetting| {
        let is_repositorys = matches!(&**scope, "local" | "worktree");
        let is_helper = name.starts_with("credential.") && name.ends_with("helper");
        is_repositorys && !value.is_empty() && (is_helper || name == "core.sshcommand")
    };
    let names = settings
        .iter()
        .filter(is_left_out)
        .map(|(_, name, _)| error_text::one_line(name));
    let names: std::collections::BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

pub(super) fn identity(program: &GitProgram, project: &ProjectRepo) -> Result<String, PreflightError> {
    let call = program.command(ConfigScope::Preflight, &project.root, "ask for the identity");
    let call = call
        .config("user.useConfigOnly=true")
        .git_option("--git-dir=", &project.git_dir);
    let output = call.words("var GIT_AUTHOR_IDENT").run()?;
    let printed = output.text();
    match printed.rsplit_once('>') {
        Some((who, _)) if output.code == Some(0) => Ok(error_text::one_line(&format!("{who}>"))),
        _ => Err(PreflightError::NoIdentity),
    }
}

/// Returns the settings that shape files; the last of several values counts, as for git itself.
fn file_settings(settings: &[GitSetting]) -> Vec<String> {
    let known = settings.iter().map(|(_, name, value)| (&**name, &**value));
    let known: BTreeMap<&str, &str> = known.collect();
    let settings = FILE_SETTINGS.iter().filter_map(|(name, words)| {
        let value = known.get(name)?.to_ascii_lowercase();
        words.contains(&value.as_str()).then(|| format!("{name}={value}"))
    });
    settings.collect()
}

/// Returns true if a text may be given to git as an address.
pub(super) fn is_address(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_control)
}

/// Returns true if an address is a folder on this machine and not a host.
pub(super) fn is_on_this_machine(url: &str) -> bool {
    let slash = url.find('/').unwrap_or(url.len());
    url.starts_with("file://") || url.find(':').is_none_or(|colon| colon > slash)
}

fn absolute(url: &str, root: &Path) -> String {
    let is_remote = !is_on_this_machine(url) || url.starts_with("file://");
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
