//! Issues of a forge whose tasks are done: they may be closed once the merge is on that forge's own remote.

use super::reconcile::PlanTasks;
use crate::domain::{BatchId, TaskId, TaskState, WorkSource};

/// Issue whose task is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneIssue {
    pub task: TaskId,
    pub source: WorkSource,
    /// Address of the list it was imported from: `https://github.com/OWNER/NAME/issues`.
    pub list: String,
    /// Digits of its number.
    pub number: String,
    /// Commit of its merge.
    pub commit: String,
    pub batch: BatchId,
}

impl DoneIssue {
    /// Returns the repository of the issue as `HOST/OWNER/NAME`; `None` if the list has no such address.
    pub fn repository(&self) -> Option<String> {
        let path = self
            .list
            .strip_suffix("/-/issues")
            .or_else(|| self.list.strip_suffix("/issues"))?;
        repository_of(path)
    }

    /// Returns true if the address of a remote is the repository of the issue.
    pub fn is_of(&self, remote: &str) -> bool {
        let own = self.repository();
        own.is_some() && own == repository_of(remote)
    }
}

/// Returns the issues whose tasks were merged.
pub fn done_issues(tasks: &PlanTasks) -> Vec<DoneIssue> {
    let done = tasks.values().filter(|task| task.state == TaskState::Done);
    let issues = done.filter_map(|task| {
        let origin = &task.plan.as_ref()?.source;
        let issue = DoneIssue {
            task: task.id.clone(),
            source: origin.imported.filter(|source| source.is_forge())?,
            list: origin.plan.clone(),
            number: origin.item.clone(),
            commit: task.merged.clone()?,
            batch: task.batch.clone(),
        };
        let is_number = !issue.number.is_empty() && issue.number.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then_some(issue)
    });
    issues.collect()
}

/// Returns a repository as `host/owner/name` in small letters, from the forms in which addresses of remotes are written: with a scheme, a
/// user and a port, or as `user@host:path`.
fn repository_of(address: &str) -> Option<String> {
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => address.split_once(':')?,
    };
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "._-/".contains(sign);
    let is_plain = |text: &str| !text.is_empty() && !text.starts_with('-') && text.chars().all(is_sign);
    (is_plain(host) && is_plain(path) && path.contains('/')).then(|| format!("{host}/{path}").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_belongs_to_the_remote_of_its_own_repository_alone() {
        let issue = |list: &str| DoneIssue {
            task: "t-1".into(),
            source: WorkSource::Github,
            list: list.to_owned(),
            number: "12".to_owned(),
            commit: "c".to_owned(),
            batch: "main".into(),
        };
        let github = issue("https://github.com/Own/shop/issues");
        for remote in [
            "git@github.com:own/shop.git",
            "https://user:word@github.com/own/shop",
            "ssh://git@github.com:22/own/shop.git",
        ] {
            assert!(github.is_of(remote), "{remote}");
        }
        for remote in [
            "git@github.com:own/shop2.git",
            "https://gitlab.com/own/shop",
            "/srv/own/shop.git",
            "",
        ] {
            assert!(!github.is_of(remote), "{remote}");
        }
        let gitlab = issue("https://gitlab.com/a/b/c/-/issues");
        assert!(gitlab.is_of("git@gitlab.com:a/b/c.git"));
        assert_eq!(issue("https://x/issues").repository(), None);
        assert_eq!(issue("-x").repository(), None);
    }
}
