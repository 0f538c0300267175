//! Repositories that a commit holds as links (submodules): a link to a commit that cannot be fetched breaks every later clone, so it is
//! found out before a merge. The text of `.gitmodules` is written by agents: it is data, and only git's own protocols are spoken with the
//! addresses in it.

use std::collections::BTreeMap;
use std::path::Path;

use super::cli::GitCli;
use super::command::{ConfigScope, GitCommand, GitOutput};
use super::config_entries;
use super::discovery::{is_address, is_on_this_machine};
use super::error_text::{one_line, redact};
use crate::ports::git::{CommitId, GitError, TreeId};

/// A fetch of one commit without its history, into a repository that goes at once.
const FETCH_ONE: &str = "fetch --quiet --no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance \
                         --depth=1 --upload-pack=git-upload-pack --end-of-options";
/// The same of everything, where the other side gives no single commits.
const FETCH_ALL: &str = "fetch --quiet --tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance \
                         --upload-pack=git-upload-pack --end-of-options";

/// A link in a tree.
pub(super) struct CommittedLink {
    pub(super) path: String,
    pub(super) commit: CommitId,
}

/// Submodule as a `.gitmodules` names it.
pub(super) struct NamedSubmodule {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) url: Option<String>,
    pub(super) update: Option<String>,
}

impl GitCli {
    /// Returns the reason why a tree may not follow a base, if there is one: it links to a commit that the address of its submodule does
    /// not have, or it gives no address. Errors: an address did not answer, so that this is not known.
    pub(super) fn broken_link(&self, base: &CommitId, tree: &TreeId) -> Result<Option<String>, GitError> {
        let links = self.new_links(base, tree)?;
        if links.is_empty() {
            return Ok(None);
        }
        let named = self.submodules_named_in(tree.as_str())?;
        for link in links {
            let address = named.get(&link.path).and_then(|submodule| submodule.url.as_ref());
            if let Some(why) = self.link_fault(&link, address)? {
                let (path, commit) = (one_line(&link.path), &link.commit);
                return Ok(Some(format!("{path} links to commit {commit}, {why}")));
            }
        }
        Ok(None)
    }

    /// Links in a tree that are not in a commit, or point to another commit there.
    pub(super) fn new_links(&self, base: &CommitId, tree: &TreeId) -> Result<Vec<CommittedLink>, GitError> {
        let call = self.in_control("look for links to other repositories")?;
        let call = call.words("diff-tree -r -z --raw --no-renames --no-abbrev --end-of-options");
        let output = call.args([base.as_str(), tree.as_str()]).run_ok()?;
        let text = output.text();
        let mut fields = text.split('\0');
        let mut links = Vec::new();
        while let (Some(header), Some(path)) = (fields.next(), fields.next()) {
            if let [_, "160000", _, commit, _] = header.split(' ').collect::<Vec<_>>().as_slice() {
                links.push(CommittedLink {
                    path: path.to_owned(),
                    commit: CommitId::new(commit)?,
                });
            }
        }
        Ok(links)
    }

    /// Links of a commit.
    pub(super) fn links_of(&self, commit: &CommitId) -> Result<Vec<CommittedLink>, GitError> {
        let call = self.in_control("look for links to other repositories")?;
        let call = call.words("ls-tree -r -z --full-tree --end-of-options");
        let output = call.arg(commit.as_str()).run_whole()?;
        let text = output.text();
        let entries = text.split('\0').filter_map(|entry| entry.split_once('\t'));
        let mut links = Vec::new();
        for (entry, path) in entries {
            if let Some(id) = entry.strip_prefix("160000 commit ") {
                links.push(CommittedLink {
                    path: path.to_owned(),
                    commit: CommitId::new(id)?,
                });
            }
        }
        Ok(links)
    }

    /// Submodules by path, as the own `.gitmodules` of a commit or tree names them; empty if it cannot be read.
    pub(super) fn submodules_named_in(&self, of: &str) -> Result<BTreeMap<String, NamedSubmodule>, GitError> {
        let call = self.in_control("read .gitmodules")?.words("config --blob");
        let output = call.arg(format!("{of}:.gitmodules")).words("-z --list").run()?;
        match output.code {
            Some(0) => Ok(named_submodules(&output)),
            Some(_) => Ok(BTreeMap::new()),
            // It was ended, so its answer is not known.
            None => Err(output.failure()),
        }
    }

    fn link_fault(&self, link: &CommittedLink, address: Option<&String>) -> Result<Option<String>, GitError> {
        let Some(address) = address else {
            let way_out = "add it with `git submodule add`, or commit its files instead";
            return Ok(Some(format!(
                "and .gitmodules gives no address for it; {way_out}"
            )));
        };
        let origin = self.control.origin().url;
        let url = resolved(address, &origin);
        let shown = one_line(&redact(&url));
        if !is_address(&url) || is_on_this_machine(&url) && !is_on_this_machine(&origin) {
            return Ok(Some(format!(
                "and others cannot use its address {shown} in .gitmodules; set a usable one"
            )));
        }
        let is_there = self.has_commit(&url, &link.commit)?;
        let why = format!("which {shown} does not have; push it there first");
        Ok((!is_there).then_some(why))
    }

    /// Returns true if a repository gives a commit, asked directly; nothing of it is kept.
    fn has_commit(&self, url: &str, commit: &CommitId) -> Result<bool, GitError> {
        let folder = self.control.scratch_folder()?;
        // It borrows nothing: objects that are here already prove nothing about the other side.
        self.borrowing_repository(folder.path(), None, "ref: refs/heads/none")?;
        let call = || self.in_passing(folder.path(), &format!("ask {} for commit {commit}", redact(url)));
        let one = call().words(FETCH_ONE).args([url, commit.as_str()]).run()?;
        if one.code == Some(0) {
            return Ok(true);
        }
        if super::fetch::is_denial(&one) {
            return Ok(false);
        }
        if !super::error_text::reason(&one).contains("unadvertised object") {
            return Err(one.failure());
        }
        let all = call().words(FETCH_ALL).args([url, "+refs/heads/*:refs/heads/*"]);
        all.run_ok()?;
        let look = call().words("cat-file -e").arg(format!("{commit}^{{commit}}"));
        Ok(look.run()?.code == Some(0))
    }

    fn in_passing(&self, git_dir: &Path, what: &str) -> GitCommand {
        let call = self.program.command(ConfigScope::Network, git_dir, what);
        call.git_option("--git-dir=", git_dir)
    }
}

/// Submodules by path in the entries of a `.gitmodules`.
pub(super) fn named_submodules(output: &GitOutput) -> BTreeMap<String, NamedSubmodule> {
    let entries: BTreeMap<String, String> = config_entries::listed(output).into_iter().collect();
    let of = |name: &str, key: &str| entries.get(&format!("submodule.{name}.{key}")).cloned();
    let named = |(key, path): (&String, &String)| {
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        let submodule = NamedSubmodule {
            name: name.to_owned(),
            path: path.clone(),
            url: of(name, "url"),
            update: of(name, "update"),
        };
        Some((path.clone(), submodule))
    };
    entries.iter().filter_map(named).collect()
}

/// An address as git resolves it: one that begins with a dot is meant from where `origin` is.
pub(super) fn resolved(address: &str, origin: &str) -> String {
    let (mut rest, mut from) = (address, origin.trim_end_matches('/'));
    if !rest.starts_with("./") && !rest.starts_with("../") {
        return address.to_owned();
    }
    let mut separator = '/';
    loop {
        if let Some(after) = rest.strip_prefix("../") {
            let Some((parent, last)) = from.rfind(['/', ':']).and_then(|at| from.split_at_checked(at)) else {
                break;
            };
            separator = if last.starts_with(':') { ':' } else { '/' };
            (rest, from) = (after, parent);
        } else if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else {
            break;
        }
    }
    format!("{from}{separator}{}", rest.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::resolved;

    #[test]
    fn an_address_that_begins_with_a_dot_is_meant_from_origin() {
        for (address, origin, expected) in [
            ("../lib.git", "/srv/app.git", "/srv/lib.git"),
            ("../../x/lib", "https://host/team/app.git/", "https://host/x/lib"),
            ("./sub", "https://host/app", "https://host/app/sub"),
            ("../lib", "git@host:app", "git@host:lib"),
            ("https://other/lib", "https://host/app", "https://other/lib"),
        ] {
            assert_eq!(resolved(address, origin), expected);
        }
    }
}
