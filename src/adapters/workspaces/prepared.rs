//! Preparation itself: from a template where one fits, else by copies and commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::copying::{TreeCopy, make_link};
use super::locks::WorkspaceLocks;
use super::ports;
use super::rules::WorkspaceRules;
use super::template::{self, Template, TemplateFacts, templates_in};
use crate::domain::{Cause, TaskId, Tri, telling_line};
use crate::ports::gates::{GateReport, GateRun, Gates};
use crate::ports::git::Git;
use crate::ports::trouble::io_trouble;
use crate::ports::workspaces::{PrepareError, PreparedBy, WorkspaceRequest, WorkspaceUser, Workspaces};

/// Maximum size of the output that is kept of one command, in bytes.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Implementation of the `Workspaces` port for one project.
pub struct PreparedWorkspaces {
    pub git: Arc<dyn Git>,
    /// Runs the commands of the setup.
    pub gates: Arc<dyn Gates>,
    /// Returns the rules in force.
    pub rules: Box<dyn Fn() -> WorkspaceRules + Send + Sync>,
    /// The person's checkout.
    pub root: PathBuf,
    /// Folder of worktrees, in which templates and shared folders are kept.
    pub place: PathBuf,
    /// File of the ports that were given to tasks.
    pub given_ports: PathBuf,
    pub locks: WorkspaceLocks,
}

impl Workspaces for PreparedWorkspaces {
    fn prepare(&self, request: &WorkspaceRequest<'_>) -> Result<PreparedBy, PrepareError> {
        let rules = (self.rules)();
        if rules.is_empty() {
            return Ok(PreparedBy::Copies);
        }
        let copied = self.files_to_copy(&rules)?;
        let name = template::name_for(&*self.git, &rules, request.commit, &self.root, &copied)?;
        if let Some(name) = name
            && self.take_template(&rules, &name, &copied, request)?
        {
            self.link(&rules, request)?;
            return Ok(PreparedBy::Copies);
        }
        self.fill(&rules, &copied, request)?;
        self.set_up(&rules, request)
    }

    fn ports(&self, task: &TaskId) -> Result<Vec<(String, String)>, Cause> {
        let count = (self.rules)().n_ports;
        if count == 0 {
            return Ok(Vec::new());
        }
        let _turn = self.locks.ports.lock();
        let first = ports::of_task(&self.given_ports, task, count).map_err(|error| {
            let why = format!("could not give ports to {task} (workspace.ports): {error}");
            io_trouble(error.kind()).cause(why)
        })?;
        let variable = |nth: u16| (format!("DBS_PORT_{}", nth + 1), (first + nth).to_string());
        Ok((0..count).map(variable).collect())
    }
}

impl PreparedWorkspaces {
    fn files_to_copy(&self, rules: &WorkspaceRules) -> Result<Vec<PathBuf>, Cause> {
        if rules.copy.is_empty() {
            return Ok(Vec::new());
        }
        let ignored = self.git.ignored_files(None);
        let ignored = ignored.map_err(|error| error.cause().after("could not "))?;
        rules.files_to_copy(&self.root, &ignored)
    }

    /// Copies from the template of that name, which is made first if the commit is one that templates are made from. Returns false if there is
    /// none that can be used.
    fn take_template(
        &self,
        rules: &WorkspaceRules,
        name: &str,
        copied: &[PathBuf],
        request: &WorkspaceRequest<'_>,
    ) -> Result<bool, PrepareError> {
        let template = Template::named(&templates_in(&self.place), name);
        let lock = self.locks.of_template(name);
        {
            let _copying = lock.read();
            if let Some(facts) = template.finished() {
                return Ok(self.copy_template(&template, &facts, request)?);
            }
        }
        if !request.is_base {
            return Ok(false);
        }
        {
            let _making = lock.write();
            if template.finished().is_none() {
                self.make_template(rules, &template, copied, request)?;
            }
        }
        let _copying = lock.read();
        let facts = template.finished();
        let copied = facts.map(|facts| self.copy_template(&template, &facts, request));
        Ok(copied.transpose()?.unwrap_or(false))
    }

    fn make_template(
        &self,
        rules: &WorkspaceRules,
        template: &Template,
        copied: &[PathBuf],
        request: &WorkspaceRequest<'_>,
    ) -> Result<(), PrepareError> {
        let git = |error: crate::ports::git::GitError| error.cause().after("could not ");
        let made = self
            .git
            .checkout_clean(request.commit, &template.files())
            .map_err(git)?;
        let own = WorkspaceRequest {
            folder: &made.path,
            // It is copied to agents and gates alike.
            user: WorkspaceUser::Gate,
            logs: template.logs(),
            ..request.clone()
        };
        self.fill(rules, copied, &own)?;
        self.set_up(rules, &own)?;
        let mut paths = self
            .git
            .ignored_files(Some((request.commit, &made.path)))
            .map_err(git)?;
        paths.retain(|path| !rules.link.iter().any(|link| path.starts_with(link)));
        let facts = template.finish(paths)?;
        if let Some(file) = facts.bound {
            tracing::info!(
                "{} names its own place, so the setup runs in each workspace (workspace.key)",
                file.display()
            );
        }
        template::remove_old(&*self.git, &templates_in(&self.place), &self.locks);
        Ok(())
    }

    fn copy_template(
        &self,
        template: &Template,
        facts: &TemplateFacts,
        request: &WorkspaceRequest<'_>,
    ) -> Result<bool, Cause> {
        if facts.bound.is_some() {
            return Ok(false);
        }
        let copy = TreeCopy {
            from: &template.files(),
            to: request.folder,
            leaves_out_links: false,
            refuses_bound: false,
        };
        self.bring(&copy, &facts.paths, request).map(|()| true)
    }

    /// Copies from the person's checkout, and makes links to shared folders.
    fn fill(
        &self,
        rules: &WorkspaceRules,
        copied: &[PathBuf],
        request: &WorkspaceRequest<'_>,
    ) -> Result<(), Cause> {
        let copy = TreeCopy {
            from: &self.root,
            to: request.folder,
            leaves_out_links: true,
            refuses_bound: true,
        };
        self.bring(&copy, copied, request)?;
        let clone = TreeCopy {
            leaves_out_links: false,
            ..copy
        };
        self.bring(&clone, &rules.clone, request)?;
        self.link(rules, request)
    }

    /// Copies those of the paths that git ignores in the workspace.
    fn bring(
        &self,
        copy: &TreeCopy<'_>,
        paths: &[PathBuf],
        request: &WorkspaceRequest<'_>,
    ) -> Result<(), Cause> {
        let is_there = |path: &&PathBuf| copy.from.join(path).symlink_metadata().is_ok();
        // A rule with a slash at its end means a folder, which git does not see yet: it is asked about a file in it.
        let asked = |path: &PathBuf| {
            if copy.from.join(path).is_dir() {
                path.join(".dbs")
            } else {
                path.clone()
            }
        };
        let wanted: Vec<&PathBuf> = paths.iter().filter(is_there).collect();
        let asked_of: Vec<PathBuf> = wanted.iter().map(|path| asked(path)).collect();
        let ignored = self.git.only_ignored(request.commit, request.folder, asked_of);
        let ignored = ignored.map_err(|error| error.cause().after("could not "))?;
        for path in wanted {
            if !ignored.contains(&asked(path)) {
                tracing::info!("{} is not copied: git does not ignore it there", path.display());
                continue;
            }
            copy.bring(path).map_err(|error| {
                let why = format!("could not copy {} to a new workspace: {error}", path.display());
                io_trouble(error.kind()).cause(why)
            })?;
        }
        Ok(())
    }

    /// Makes links to the folders that workspaces share.
    fn link(&self, rules: &WorkspaceRules, request: &WorkspaceRequest<'_>) -> Result<(), Cause> {
        let shared = self.place.join(".shared").join(match request.user {
            WorkspaceUser::Agent => "agents",
            WorkspaceUser::Gate => "gates",
        });
        let ignored = self
            .git
            .only_ignored(request.commit, request.folder, rules.link.clone());
        let ignored = ignored.map_err(|error| error.cause().after("could not "))?;
        for path in &rules.link {
            if !ignored.contains(path) {
                return Err(format!(
                    "could not link {0} (workspace.link): git does not ignore a link of that name; write `{0}` without a slash at its end into `.gitignore`",
                    path.display()
                )
                .into());
            }
            link_to(&shared.join(path), &request.folder.join(path)).map_err(|error| {
                let why = format!("could not link {} (workspace.link): {error}", path.display());
                io_trouble(error.kind()).cause(why)
            })?;
        }
        Ok(())
    }

    /// Runs the commands of the setup, in order; the first that fails ends it.
    fn set_up(
        &self,
        rules: &WorkspaceRules,
        request: &WorkspaceRequest<'_>,
    ) -> Result<PreparedBy, PrepareError> {
        if rules.setup.is_empty() {
            return Ok(PreparedBy::Copies);
        }
        let logs = &request.logs;
        fs::create_dir_all(logs).map_err(|error| {
            io_trouble(error.kind()).cause(format!("could not make {}: {error}", logs.display()))
        })?;
        for (nth, command) in rules.setup.iter().enumerate() {
            let output = logs.join(format!("{nth:02}.log"));
            let report = self.gates.run(&GateRun {
                name: "setup".to_owned(),
                command: command.clone(),
                commit: request.commit.as_str().to_owned(),
                began: request.now,
                cwd: request.folder.to_owned(),
                env: request.env.clone(),
                timeout: rules.setup_timeout,
                output: output.clone(),
                output_limit: OUTPUT_LIMIT,
            });
            succeeded(command, &output, report)?;
        }
        Ok(PreparedBy::Commands)
    }
}

/// Returns the reason why a command of the setup did not do its work, with the last lines of its output.
fn succeeded(command: &str, output: &Path, report: GateReport) -> Result<(), PrepareError> {
    match report.outcome {
        Tri::Yes => Ok(()),
        Tri::No(why) => {
            let line = telling_line(&report.tail).map_or_else(String::new, |line| format!(": {line}"));
            let text = format!(
                "setup `{command}` {why}{line}; its output is in {}\n{}",
                output.display(),
                report.tail
            );
            Err(PrepareError::Failed(text.into()))
        }
        Tri::Unknown(why) => Err(why.after(&format!("setup `{command}`: ")).into()),
    }
}

/// Makes a link to a folder, which is made where it is missing. The link of an earlier call stays.
fn link_to(shared: &Path, link: &Path) -> std::io::Result<()> {
    fs::create_dir_all(shared)?;
    if let Some(above) = link.parent() {
        fs::create_dir_all(above)?;
    }
    match make_link(shared, link, true) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && link.is_symlink() => Ok(()),
        made => made,
    }
}
