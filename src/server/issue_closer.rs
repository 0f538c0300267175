//! Keeper of issues: whenever there is news of tasks, issues of a forge are closed whose tasks are done and whose merges are on the
//! forge's own remote, if the settings ask for it. The forge is asked on a thread of its own, never in a turn of the engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::adapters::clock;
use crate::adapters::forge::{ForgeKind, ForgeProgram};
use crate::config::project_paths::ProjectPaths;
use crate::config::{channels, schema};
use crate::domain::{Cause, NoticeLevel, Tri, WorkSource};
use crate::plans::closed_items::ClosedItems;
use crate::plans::forge_issues::{DoneIssue, done_issues};
use crate::ports::git::{BranchName, CommitId, Git};
use crate::read_model::{ReadModel, general_notice};
use crate::server::engine_handle::EngineHandle;

/// Closer of the issues that a project's tasks were imported from.
pub(super) struct IssueCloser {
    paths: ProjectPaths,
    engine: EngineHandle,
    git: Arc<dyn Git>,
    /// Problems that people were told.
    told: BTreeSet<String>,
}

impl IssueCloser {
    /// Creates the closer.
    pub(super) fn new(paths: ProjectPaths, engine: EngineHandle, git: Arc<dyn Git>) -> IssueCloser {
        IssueCloser {
            paths,
            engine,
            git,
            told: BTreeSet::new(),
        }
    }

    /// Closes issues until the server is stopped.
    pub(super) async fn run(mut self, stop: &CancellationToken) {
        let mut models = self.engine.read_models.clone();
        let mut looked_at: Vec<DoneIssue> = Vec::new();
        loop {
            let model = self.engine.read_model();
            let done = done_issues(&model.tasks);
            // Issues that could not be closed are tried again with the next task that is done.
            if done != looked_at {
                self.close(model, done.clone(), stop).await;
                looked_at = done;
            }
            let changed = stop.run_until_cancelled(models.changed()).await;
            if !matches!(changed, Some(Ok(()))) {
                return;
            }
        }
    }

    async fn close(&mut self, model: Arc<ReadModel>, issues: Vec<DoneIssue>, stop: &CancellationToken) {
        let (paths, git, stop) = (self.paths.clone(), Arc::clone(&self.git), stop.clone());
        let closing = tokio::task::spawn_blocking(move || {
            close_all(&paths, git.as_ref(), &model, &issues, &|| stop.is_cancelled())
        });
        match closing.await {
            Ok(problems) => {
                for problem in problems {
                    self.tell(problem.to_string());
                }
            }
            Err(error) => tracing::error!("could not close issues: {error}"),
        }
    }

    /// Tells people of a problem, each once.
    fn tell(&mut self, problem: String) {
        tracing::warn!("{problem}");
        if self.told.insert(problem.clone()) {
            let notice = general_notice(NoticeLevel::Warning, "issues", problem);
            self.engine.journal.add(clock::now(), notice);
        }
    }
}

/// Closes issues that were not closed before, one after another; returns the reasons why some were not.
fn close_all(
    paths: &ProjectPaths,
    git: &dyn Git,
    model: &ReadModel,
    issues: &[DoneIssue],
    is_cancelled: &dyn Fn() -> bool,
) -> Vec<Cause> {
    if !paths.read_config().value(&schema::IMPORT_WRITE_BACK) {
        return Vec::new();
    }
    let mut closed = match ClosedItems::of_forges(&paths.state) {
        Ok(closed) => closed,
        Err(why) => return vec![why],
    };
    let open: Vec<&DoneIssue> = issues
        .iter()
        .filter(|issue| !closed.has(&issue.list, &issue.number))
        .collect();
    if open.is_empty() {
        return Vec::new();
    }
    let remote = git.preflight().ok().and_then(|found| found.origin);
    let environment = channels::environment(paths);
    let mut problems = Vec::new();
    for issue in open {
        if is_cancelled() {
            break;
        }
        let batch = model.batches.get(&issue.batch);
        let base = batch
            .and_then(|batch| batch.base.as_deref())
            .or(model.base.as_deref());
        let forge = ForgeProgram {
            kind: match issue.source {
                WorkSource::Gitlab => ForgeKind::Gitlab,
                _ => ForgeKind::Github,
            },
            environment: &environment,
            folder: &paths.root,
            is_cancelled,
        };
        let is_merged = |commit: &CommitId, base: &BranchName| git.is_merged(commit, base);
        let close = |repository: &str| {
            forge.close_issue(repository, &issue.number, &format!("Done by {}.", issue.commit))
        };
        let result = may_close(issue, remote.as_deref(), base, &is_merged)
            .and_then(|repository| close_once(&mut closed, issue, || close(&repository)));
        problems.extend(result.err().map(|why| {
            Cause::from(format!(
                "could not close issue {} of {}: {why}",
                issue.number, issue.list
            ))
        }));
    }
    problems
}

/// Closes an issue by `close`, and notes it before and after. One whose closing was cut off before is not tried again: it may be closed.
fn close_once(
    closed: &mut ClosedItems,
    issue: &DoneIssue,
    close: impl FnOnce() -> Result<(), Cause>,
) -> Result<(), Cause> {
    let (list, number) = (&issue.list, issue.number.as_str());
    if closed.was_begun(list, number) {
        closed.note(list, [number])?;
        return Err(
            "the server was killed while it did that before: look there, and close it by hand if it is open"
                .into(),
        );
    }
    closed.begin(list, number)?;
    match close() {
        Ok(()) => closed.note(list, [number]),
        Err(why) => closed.give_up(list, number).and(Err(why)),
    }
}

/// Returns the repository of an issue if its merge is on the remote that is that repository.
fn may_close(
    issue: &DoneIssue,
    remote: Option<&str>,
    base: Option<&str>,
    is_merged: &dyn Fn(&CommitId, &BranchName) -> Tri,
) -> Result<String, Cause> {
    let repository = issue
        .repository()
        .filter(|_| remote.is_some_and(|remote| issue.is_of(remote)));
    let repository = repository.ok_or("the remote of this project is another repository")?;
    let base = base.ok_or("no base branch is set")?;
    let wrap = |error: &dyn std::fmt::Display| Cause::from(format!("could not {error}"));
    let base = BranchName::new(base).map_err(|error| wrap(&error))?;
    let commit = CommitId::new(&issue.commit).map_err(|error| wrap(&error))?;
    match is_merged(&commit, &base) {
        Tri::Yes => Ok(repository),
        Tri::No(why) => Err(format!("its merge is not on the remote: {why}").into()),
        Tri::Unknown(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_closed_once_and_not_on_a_guess_after_a_server_was_killed() {
        let state = tempfile::tempdir().unwrap();
        let issue = DoneIssue {
            task: "gh-12".into(),
            source: WorkSource::Github,
            list: "https://github.com/own/shop/issues".to_owned(),
            number: "12".to_owned(),
            commit: "0123".to_owned(),
            batch: "main".into(),
        };
        let record = || ClosedItems::of_forges(state.path()).unwrap();
        let failed = close_once(&mut record(), &issue, || Err("no answer".into()));
        assert_eq!(failed.unwrap_err().to_string(), "no answer");
        assert!(!record().was_begun(&issue.list, "12") && !record().has(&issue.list, "12"));
        // Killed while the forge is asked: the record is as it was written before.
        record().begin(&issue.list, "12").unwrap();
        let again = close_once(&mut record(), &issue, || panic!("it may be closed already"));
        assert!(again.unwrap_err().to_string().contains("close it by hand"));
        assert!(record().has(&issue.list, "12"), "people are told once");
        let other = DoneIssue {
            number: "13".to_owned(),
            ..issue
        };
        close_once(&mut record(), &other, || Ok(())).unwrap();
        assert!(record().has(&other.list, "13"));
    }

    #[test]
    fn an_issue_is_closed_only_where_its_merge_is_on_its_own_remote() {
        let issue = DoneIssue {
            task: "gh-12".into(),
            source: WorkSource::Github,
            list: "https://github.com/own/shop/issues".to_owned(),
            number: "12".to_owned(),
            commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
            batch: "main".into(),
        };
        let asked = |remote: Option<&str>, base: Option<&str>, answer: Tri| {
            may_close(&issue, remote, base, &|_, _| answer.clone()).map_err(|why| why.to_string())
        };
        let own = Some("git@github.com:own/shop.git");
        assert_eq!(
            asked(own, Some("main"), Tri::Yes).as_deref(),
            Ok("github.com/own/shop")
        );
        for (remote, base, answer, because) in [
            (
                Some("/srv/shop.git"),
                Some("main"),
                Tri::Yes,
                "another repository",
            ),
            (None, Some("main"), Tri::Yes, "another repository"),
            (own, None, Tri::Yes, "no base branch"),
            (
                own,
                Some("main"),
                Tri::No("it is not there".to_owned()),
                "not on the remote: it is not there",
            ),
            (own, Some("main"), Tri::Unknown("no answer".into()), "no answer"),
        ] {
            let why = asked(remote, base, answer).unwrap_err();
            assert!(why.contains(because), "{why}");
        }
    }
}
