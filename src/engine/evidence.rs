//! Evidence: what the engine looks at itself. Every answer is Yes, No or Unknown; nothing here believes an agent.

use std::path::Path;

use super::gating;
use super::job::Job;
use super::world::{World, base_branch, branch_of};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Event, Evidence, EvidenceKind, Tri, Worker};
use crate::ports::git::{
    Ahead, BranchName, CommitId, Head, Place, Push, Revision, SafeName, TreeId, WorkspaceState,
};

/// Collects all evidence asked for.
pub(super) fn verify(world: &World, job: &Job, kinds: &[EvidenceKind]) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    let head = recorded_head(world, job);
    let evidence = kinds
        .iter()
        .map(|kind| Evidence {
            kind: kind.clone(),
            outcome: look(world, job, attempt, kind, head.as_ref().ok()),
        })
        .collect();
    let head = head.ok().map(|commit| commit.as_str().to_owned());
    Some(Event::Verified {
        attempt: attempt.id,
        evidence,
        head,
    })
}

/// One look.
pub(super) fn look(
    world: &World,
    job: &Job,
    attempt: &Attempt,
    kind: &EvidenceKind,
    head: Option<&CommitId>,
) -> Tri {
    match kind {
        EvidenceKind::CommitsAhead => with_base(job, |base| commits_ahead(world, job, base)),
        EvidenceKind::Pushed => pushed(world, job, head),
        EvidenceKind::Merged => with_base(job, |base| merged(world, job, base)),
        EvidenceKind::WorkspaceUnchanged => unchanged(world, job, attempt),
        EvidenceKind::Commented => commented(job, attempt),
        EvidenceKind::Report(path) => {
            report(&world.facts.root, &path.replace("{task}", job.task.id.as_str()))
        }
        EvidenceKind::Gates => gating::on_revision(world, job, attempt, &revision(job, head)),
        EvidenceKind::Approved if job.task.approved.as_ref() == Some(&attempt.stage) => Tri::Yes,
        EvidenceKind::Approved => Tri::No("nobody has approved it".to_owned()),
    }
}

/// The head of the task's branch for those who work on it; what was recorded before for those who only read it.
fn recorded_head(world: &World, job: &Job) -> Result<CommitId, String> {
    match job.workspace() {
        Workspace::Branch => match world.git.resolve(&Revision::Project(branch_of(&job.task))) {
            Head::At(commit) => Ok(commit),
            Head::Absent => Err("the branch does not exist".to_owned()),
            Head::Unknown(why) => Err(why),
        },
        Workspace::Head | Workspace::Base | Workspace::Main | Workspace::None => {
            let recorded = job
                .task
                .head
                .as_deref()
                .ok_or_else(|| "no head was recorded".to_owned())?;
            CommitId::new(recorded).map_err(|error| error.to_string())
        }
    }
}

fn revision(job: &Job, head: Option<&CommitId>) -> Revision {
    match (job.workspace(), head, base_branch(&job.base)) {
        (Workspace::Branch | Workspace::Head, Some(head), _) => Revision::Commit(head.clone()),
        (_, _, Ok(base)) => Revision::Origin(base),
        (_, _, Err(_)) => Revision::Place(Place::Project),
    }
}

fn with_base(job: &Job, check: impl FnOnce(&BranchName) -> Tri) -> Tri {
    match base_branch(&job.base) {
        Ok(base) => check(&base),
        Err(error) => Tri::Unknown(format!("could not {error}")),
    }
}

fn commits_ahead(world: &World, job: &Job, base: &BranchName) -> Tri {
    let head = Revision::Project(branch_of(&job.task));
    match world.git.commits_ahead(&head, &Revision::Origin(base.clone())) {
        Ahead::Commits { n_commits: 0, .. } => {
            Tri::No(format!("nothing was committed on {}", branch_of(&job.task)))
        }
        Ahead::Commits { .. } => Tri::Yes,
        Ahead::Absent(what) => Tri::No(what),
        Ahead::Unknown(why) => Tri::Unknown(why),
    }
}

fn pushed(world: &World, job: &Job, head: Option<&CommitId>) -> Tri {
    let Some(head) = head else {
        return Tri::Unknown("the head of the branch could not be read".to_owned());
    };
    let before = job.task.head.as_deref().and_then(|text| CommitId::new(text).ok());
    match world.git.push_branch(&branch_of(&job.task), before.as_ref()) {
        Push::Pushed(there) | Push::AlreadyThere(there) if there == *head => Tri::Yes,
        Push::Pushed(there) | Push::AlreadyThere(there) => {
            Tri::Unknown(format!("the branch moved to {there} while it was looked at"))
        }
        Push::NoBranch => Tri::No("the branch does not exist".to_owned()),
        Push::Diverged { remote, .. } => Tri::No(format!(
            "the remote branch holds {remote}, which the local one lacks"
        )),
        Push::Refused(why) => Tri::No(format!("the remote refused the branch: {why}")),
        Push::Unknown(why) => Tri::Unknown(why),
    }
}

fn merged(world: &World, job: &Job, base: &BranchName) -> Tri {
    match job.task.head.as_deref().map(CommitId::new) {
        Some(Ok(head)) => world.git.is_merged(&head, base),
        Some(Err(error)) => Tri::Unknown(format!("could not {error}")),
        None => Tri::No("the task has no recorded head".to_owned()),
    }
}

fn unchanged(world: &World, job: &Job, attempt: &Attempt) -> Tri {
    let Some(start) = start_state(attempt) else {
        // It is recorded before an agent starts; what was not will never be known.
        return Tri::No("what the workspace looked like at the start was not recorded".to_owned());
    };
    let place = match (job.workspace(), job.folder()) {
        (Workspace::Main | Workspace::None, _) | (_, None) => Place::Project,
        (_, Some(folder)) => Place::Worktree(SafeName::derive(&folder)),
    };
    world.git.workspace_unchanged(&place, &start)
}

fn start_state(attempt: &Attempt) -> Option<WorkspaceState> {
    let workplace = attempt.workplace.as_ref()?;
    let tree = TreeId::new(workplace.start_tree.as_deref()?).ok()?;
    let head = workplace
        .start
        .as_deref()
        .and_then(|text| CommitId::new(text).ok());
    Some(WorkspaceState { head, tree })
}

fn commented(job: &Job, attempt: &Attempt) -> Tri {
    let name = match &attempt.worker {
        Worker::Agent { name, .. } => name.as_str(),
        Worker::Engine(_) => return Tri::No("the engine writes no findings".to_owned()),
    };
    let wrote =
        |comment: &crate::domain::task::Comment| comment.author == name && comment.at >= attempt.created_at;
    if job.task.comments.iter().any(wrote) {
        Tri::Yes
    } else {
        Tri::No(format!("{name} left no comment with its findings"))
    }
}

fn report(root: &Path, path: &str) -> Tri {
    match std::fs::metadata(root.join(path)) {
        Ok(facts) if facts.is_file() && facts.len() > 0 => Tri::Yes,
        Ok(_) => Tri::No(format!("{path} is empty or not a file")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Tri::No(format!("{path} does not exist"))
        }
        Err(error) => Tri::Unknown(format!("could not look at {path}: {error}")),
    }
}
