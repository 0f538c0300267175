//! Submodules that the person's own git fills, with the places that may have their commits: the person's repositories of them, and their
//! addresses. Reads configurations only.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::cli::GitCli;
use super::command::ConfigScope;
use super::config_entries;
use super::discovery::{is_address, is_on_this_machine};
use super::error_text::one_line;
use super::links::{self, CommittedLink, NamedSubmodule};
use super::nested_search;
use crate::ports::git::{CommitId, GitError};

/// The person's own repository of a project or of a submodule.
pub(super) struct PersonRepo {
    /// Folders in which git keeps the repositories of its submodules.
    git_dirs: Vec<PathBuf>,
    /// The same of worktrees, in which agents may have made commits.
    worktrees: Vec<PathBuf>,
    /// Checkout of the repository, if there is one.
    root: Option<PathBuf>,
    /// Folders in which the worktrees of agents are.
    worktree_roots: Vec<PathBuf>,
    settings: BTreeMap<String, String>,
    /// Address from which relative ones are meant.
    origin: String,
}

/// Submodule that the person's git fills.
pub(super) struct ActiveSubmodule {
    pub(super) link: CommittedLink,
    pub(super) name: String,
    /// Address in the person's configuration, else the one in `.gitmodules`.
    pub(super) url: Option<String>,
    /// Repositories of the person that may have its commits.
    pub(super) repositories: Vec<PathBuf>,
    /// The same of agents.
    pub(super) of_agents: Vec<PathBuf>,
}

impl GitCli {
    /// Returns the submodules of a commit that the person's git fills.
    pub(super) fn active_submodules(
        &self,
        commit: &CommitId,
        person: &PersonRepo,
    ) -> Result<Vec<ActiveSubmodule>, GitError> {
        let named = self.submodules_named_in(commit.as_str())?;
        let active = |submodule: &NamedSubmodule| is_plain(&submodule.name) && person.fills(submodule);
        if !named.values().any(active) {
            return Ok(Vec::new());
        }
        let links = self.links_of(commit)?.into_iter();
        Ok(links
            .filter_map(|link| {
                let submodule = named.get(&link.path).filter(|submodule| active(submodule))?;
                Some(ActiveSubmodule {
                    url: person.address(submodule),
                    repositories: person.repositories(submodule),
                    of_agents: existing(modules(&person.worktrees, &submodule.name)),
                    name: submodule.name.clone(),
                    link,
                })
            })
            .collect())
    }

    /// Returns the person's repository of the project.
    pub(super) fn person_repo(&self) -> Result<PersonRepo, GitError> {
        let project = &self.project;
        let entries = self.config_entries()?;
        let origin = self.control.origin().url;
        let origin = if origin == "." {
            project.root.to_string_lossy().into_owned()
        } else {
            origin
        };
        Ok(PersonRepo {
            git_dirs: vec![project.git_dir.clone(), project.common.clone()],
            worktrees: fs::read_dir(project.common.join("worktrees"))
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path())
                .collect(),
            root: Some(project.root.clone()),
            worktree_roots: project.worktree_roots.clone(),
            settings: entries
                .into_iter()
                .map(|entry| (entry.key, entry.value))
                .collect(),
            origin,
        })
    }

    /// The person's repository of a submodule; one that does not exist fills nothing.
    pub(super) fn repo_of(
        &self,
        submodule: &ActiveSubmodule,
        above: &PersonRepo,
    ) -> Result<PersonRepo, GitError> {
        let mut settings = BTreeMap::new();
        if let Some(repository) = submodule.repositories.first() {
            let call = self.program.command(
                ConfigScope::Control,
                repository,
                "read the configuration of a submodule",
            );
            let output = call
                .words("config --no-includes --file config -z --list")
                .run_ok()?;
            settings.extend(config_entries::listed(&output));
        }
        let origin = settings.get("remote.origin.url").or(submodule.url.as_ref());
        Ok(PersonRepo {
            git_dirs: submodule.repositories.clone(),
            worktrees: submodule.of_agents.clone(),
            worktree_roots: above.worktree_roots.clone(),
            root: above.root.as_ref().map(|root| root.join(&submodule.link.path)),
            origin: origin.cloned().unwrap_or_default(),
            settings,
        })
    }

    /// Returns the sentence about submodules that the person's git does not fill, if there are some.
    pub fn submodules_note(&self) -> Option<String> {
        let root = &self.project.root;
        let call = self
            .program
            .command(ConfigScope::Control, root, "read .gitmodules");
        let call = call.words("config --no-includes --file .gitmodules -z --list");
        let named = links::named_submodules(&call.run().ok()?);
        let person = self.person_repo().ok()?;
        let empty = named.values().filter(|submodule| !person.fills(submodule));
        let empty: Vec<String> = empty.map(|submodule| one_line(&submodule.path)).collect();
        (!empty.is_empty()).then(|| {
            format!(
                "the submodules {} are not filled in your checkout, so they are empty for agents and gates, too: `git submodule update --init` \
                 fills them for all",
                empty.join(", ")
            )
        })
    }
}

impl PersonRepo {
    /// Returns true if git would fill a submodule here.
    fn fills(&self, submodule: &NamedSubmodule) -> bool {
        let of_it = |key: &str| self.settings.get(&format!("submodule.{}.{key}", submodule.name));
        if of_it("update")
            .or(submodule.update.as_ref())
            .is_some_and(|update| update == "none")
        {
            return false;
        }
        if let Some(active) = of_it("active") {
            return matches!(&*active.to_ascii_lowercase(), "true" | "yes" | "on" | "1" | "");
        }
        match self.settings.get("submodule.active") {
            Some(active) => active == "." || Path::new(&submodule.path).starts_with(active),
            None => of_it("url").is_some(),
        }
    }

    /// Returns the address from which the person's git would fetch a submodule. The text of `.gitmodules` names none on this machine, and no
    /// program.
    fn address(&self, submodule: &NamedSubmodule) -> Option<String> {
        let own = self.settings.get(&format!("submodule.{}.url", submodule.name));
        let is_usable = |url: &String| is_address(url) && !is_on_this_machine(url) && !url.contains("::");
        let written = || {
            submodule
                .url
                .as_ref()
                .map(|url| links::resolved(url, &self.origin))
                .filter(is_usable)
        };
        own.filter(|url| is_address(url)).cloned().or_else(written)
    }

    fn repositories(&self, submodule: &NamedSubmodule) -> Vec<PathBuf> {
        let root = self.root.as_ref();
        let in_place = root.and_then(|root| nested_search::git_dir_of(&root.join(&submodule.path)));
        // An agent may name the folder of a repository of its own.
        let in_place = in_place.filter(|dir| !self.worktree_roots.iter().any(|root| dir.starts_with(root)));
        existing(modules(&self.git_dirs, &submodule.name).chain(in_place))
    }
}

/// Places of the repositories of a submodule in git folders.
fn modules<'a>(git_dirs: &'a [PathBuf], name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    git_dirs
        .iter()
        .map(move |git_dir| git_dir.join("modules").join(name))
}

fn existing(places: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for path in places {
        if path.join("HEAD").exists() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Returns true if git accepts a name of a submodule, which becomes a path.
fn is_plain(name: &str) -> bool {
    let parts = Path::new(name).components();
    !name.is_empty() && parts.into_iter().all(|part| matches!(part, Component::Normal(_)))
}
