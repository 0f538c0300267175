//! Project with its bare origin in a temporary folder, and an environment of their own. Any integration test that needs git includes it:
//! `#[path = "support/git_fixture.rs"] mod git_fixture;`.
#![expect(
    clippy::disallowed_methods,
    reason = "the fixture's door: starts git and reads PATH"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be made is a failed test"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dbs::adapters::project::Project;
use tempfile::TempDir;

#[path = "publishing.rs"]
mod publishing;
#[path = "work_folder.rs"]
mod work_folder;

use publishing::publish;
use work_folder::work_folder;

/// Folder with `project/` (branch `main`, one commit, pushed to `origin.git/`) and an empty `home/`.
pub(crate) struct GitFixture {
    folder: TempDir,
}

impl GitFixture {
    /// Creates a project with one file, `README.md`, on `main`, pushed.
    pub(crate) fn new() -> Self {
        let fixture = Self::unborn();
        fixture.commit(&fixture.project(), "README.md", "hello\n", "First");
        publish(&fixture.project().join(".git"), &fixture.origin());
        fixture
    }

    /// Creates a project without any commit.
    pub(crate) fn unborn() -> Self {
        Self::unborn_with(&[])
    }

    /// Creates a project without any commit, made with those options of `git init`.
    pub(crate) fn unborn_with(options: &[&str]) -> Self {
        let fixture = Self {
            folder: tempfile::tempdir_in(work_folder()).unwrap(),
        };
        for name in ["project", "home"] {
            fs::create_dir(fixture.root().join(name)).unwrap();
        }
        fs::write(fixture.personal_config(), "").unwrap();
        // The sample hooks are left out, because no test reads them.
        let init = [&["init", "-q", "--template=", "-b", "main"], options].concat();
        let bare = [&init[..], &["--bare", "origin.git"]].concat();
        fixture.git(&fixture.root(), &bare);
        fixture.git(&fixture.project(), &init);
        let info = fixture.project().join(".git/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("exclude"), "").unwrap();
        let config = fixture.project().join(".git/config");
        let before = fs::read_to_string(&config).unwrap();
        let origin = fixture.origin();
        let own = format!(
            "[user]\n\tname = Fixture\n\temail = fixture@example.org\n\
             [remote \"origin\"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            origin.display().to_string().replace('\\', "/")
        );
        fs::write(config, before + &own).unwrap();
        fixture
    }

    /// Returns the canonical path of the whole folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Returns the working copy.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Returns the folder of the project's state, as the program finds it.
    pub(crate) fn state(&self) -> PathBuf {
        Project::find(&self.project()).unwrap().dbs()
    }

    /// Returns the bare repository behind the remote `origin`.
    pub(crate) fn origin(&self) -> PathBuf {
        self.root().join("origin.git")
    }

    /// Returns the path of the person's own configuration, which is empty.
    pub(crate) fn personal_config(&self) -> PathBuf {
        self.root().join("gitconfig")
    }

    /// Returns the whole environment in which git runs here.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let fixed = [("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")];
        let mut env: Vec<(OsString, OsString)> = fixed.iter().map(|(n, v)| (n.into(), v.into())).collect();
        env.push(("HOME".into(), self.root().join("home").into()));
        env.push(("GIT_CONFIG_GLOBAL".into(), self.personal_config().into()));
        env.push(("PATH".into(), std::env::var_os("PATH").unwrap()));
        env.push(("GIT_AUTHOR_DATE".into(), "@1700000000 +0000".into()));
        env.push(("GIT_COMMITTER_DATE".into(), "@1700000000 +0000".into()));
        env
    }

    /// Runs git in a folder; the exit code may be anything.
    pub(crate) fn try_git(&self, folder: &Path, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(folder)
            .env_clear()
            .envs(self.environment());
        command.output().unwrap()
    }

    /// Runs git in a folder and asserts that it works; returns its trimmed output.
    pub(crate) fn git(&self, folder: &Path, args: &[&str]) -> String {
        let output = self.try_git(folder, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "git {args:?} in {}: {said}",
            folder.display()
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Writes one file and commits everything; returns the commit id.
    pub(crate) fn commit(&self, folder: &Path, file: &str, text: &str, subject: &str) -> String {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.git(folder, &["add", "-A"]);
        self.git(
            folder,
            &[
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@example.org",
                "commit",
                "-q",
                "-m",
                subject,
            ],
        );
        self.git(folder, &["rev-parse", "HEAD"])
    }

    /// Commits on a branch of the origin, as another person would; returns the commit id.
    pub(crate) fn commit_on_origin(&self, branch: &str, file: &str, text: &str) -> String {
        let elsewhere = tempfile::tempdir_in(self.root()).unwrap();
        let folder = elsewhere.path();
        self.git(
            &self.root(),
            &[
                "clone",
                "-q",
                self.origin().to_str().unwrap(),
                folder.to_str().unwrap(),
            ],
        );
        let start = format!("origin/{branch}");
        self.git(folder, &["checkout", "-q", "--no-track", "-B", branch, &start]);
        let commit = self.commit(folder, file, text, "Elsewhere");
        self.git(
            folder,
            &["push", "-q", "origin", &format!("HEAD:refs/heads/{branch}")],
        );
        commit
    }
}
