//! Evidence: what the engine looks at itself. Every answer is Yes, No or Unknown; nothing here believes an agent.

use std::path::Path;

use super::gating;
use super::job::Job;
use super::world::{World, base_branch, branch_of, signature};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Event, Evidence, EvidenceKind, SignalKind, Tri, Worker};
use crate::ports::git::{
    Ahead, BranchName, CommitId, Head, Place, Push, Rest, RestRequest, Revision, SafeName, Signature, TreeId,
    WorkspaceState,
};

/// What was seen of the task's branches when a look began.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The head the evidence is about.
    head: Option<CommitId>,
    /// Where the remote's base stands, if that was asked.
    base: Option<Head>,
    /// Where the remote's branch of the task stands, if that was asked.
    there: Option<Head>,
    /// What became of files that were not committed, where the engine commits them.
    rest: Option<Tri>,
}

impl Seen {
    /// Nothing but what the evidence is about.
    pub(super) fn at(head: &CommitId) -> Seen {
        Seen {
            head: Some(head.clone()),
            ..Seen::default()
        }
    }
}

/// Collects all evidence asked for. Checks may run for minutes, so what was seen before they began is used up before.
pub(super) fn verify(world: &World, job: &Job, kinds: &[EvidenceKind]) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    // First, for everything else is about what is committed.
    let rest = kinds
        .contains(&EvidenceKind::Committed)
        .then(|| committed(world, job, attempt));
    let seen = Seen {
        rest,
        ..look_around(world, job, kinds)
    };
    let (gates, others): (Vec<_>, Vec<_>) =
        kinds.iter().partition(|kind| matches!(kind, EvidenceKind::Gates));
    let evidence = others
        .into_iter()
        .chain(gates)
        .map(|kind| Evidence {
            kind: kind.clone(),
            outcome: look(world, job, attempt, kind, &seen),
        })
        .collect();
    let head = seen.head.map(|commit| commit.as_str().to_owned());
    Some(Event::Verified {
        attempt: attempt.id,
        evidence,
        head,
    })
}

/// One look.
pub(super) fn look(world: &World, job: &Job, attempt: &Attempt, kind: &EvidenceKind, seen: &Seen) -> Tri {
    let head = seen.head.as_ref();
    match kind {
        EvidenceKind::Committed => seen
            .rest
            .clone()
            .unwrap_or_else(|| Tri::Unknown("it was not looked at".to_owned())),
        EvidenceKind::CommitsAhead => with_base(job, |base| commits_ahead(world, job, base, seen)),
        EvidenceKind::Pushed => pushed(world, job, seen),
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

/// The head of the task's branch for those who work on it; what was recorded before for those who only read it. With it comes
/// what the remote holds, where that is wanted: one question to the remote costs more than all others.
fn look_around(world: &World, job: &Job, kinds: &[EvidenceKind]) -> Seen {
    if job.workspace() != Workspace::Branch {
        let recorded = job.task.head.as_deref();
        let head = recorded.and_then(|text| CommitId::new(text).ok());
        return Seen {
            head,
            ..Seen::default()
        };
    }
    let branch = branch_of(&job.task);
    let mut wanted = vec![Revision::Project(branch.clone())];
    let is_about_remote =
        |kind: &EvidenceKind| matches!(kind, EvidenceKind::CommitsAhead | EvidenceKind::Pushed);
    if let (true, Ok(base)) = (kinds.iter().any(is_about_remote), base_branch(&job.base)) {
        wanted.extend([Revision::Origin(base), Revision::Origin(branch)]);
    }
    let mut heads = world.git.resolve_all(&wanted).into_iter();
    Seen {
        head: match heads.next() {
            Some(Head::At(commit)) => Some(commit),
            Some(Head::Absent | Head::Unknown(_)) | None => None,
        },
        base: heads.next(),
        there: heads.next(),
        rest: None,
    }
}

/// Commits what the agent left.
fn committed(world: &World, job: &Job, attempt: &Attempt) -> Tri {
    let Some(folder) = job.folder() else {
        return Tri::No("there is no worktree whose files could be committed".to_owned());
    };
    let request = RestRequest {
        folder: SafeName::derive(&folder),
        branch: branch_of(&job.task),
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        title: job.task.title.clone(),
        text: last_word(attempt),
        signature: Signature {
            seconds: signature(attempt.created_at).seconds,
            ..world.facts.author.clone()
        },
    };
    match world.git.commit_rest(&request) {
        Ok(Rest::Committed(_) | Rest::Nothing(_)) => Tri::Yes,
        Ok(Rest::Refused(why)) => Tri::No(why),
        Err(error) => Tri::Unknown(format!("could not {error}")),
    }
}

/// What the agent said when it was done.
fn last_word(attempt: &Attempt) -> String {
    let done = attempt
        .signals
        .iter()
        .rev()
        .find(|signal| signal.kind == SignalKind::Done);
    done.map(|signal| signal.text.clone()).unwrap_or_default()
}

fn revision(job: &Job, head: Option<&CommitId>) -> Revision {
    match (job.workspace(), head, base_branch(&job.base)) {
        (Workspace::Branch | Workspace::Head, Some(head), _) => Revision::Commit(head.clone()),
        (_, _, Ok(base)) => Revision::Origin(base),
        (_, _, Err(_)) => Revision::Place(Place::Project),
    }
}

/// Runs the gates for `action = "verify"`, on what the task has recorded: the engine's own checks stand between the work and the
/// merge, so the base would be the wrong thing to look at, unless the work is in it.
pub(super) fn check(world: &World, job: &Job, attempt: &Attempt) -> Tri {
    let is_about_base = match job.workspace() {
        Workspace::Base | Workspace::Main => true,
        Workspace::None => job.task.merged.is_some() || job.task.head.is_none(),
        Workspace::Branch | Workspace::Head => false,
    };
    if is_about_base {
        return with_base(job, |base| {
            gating::on_revision(world, job, attempt, &Revision::Origin(base.clone()))
        });
    }
    match job.task.head.as_deref().map(CommitId::new) {
        Some(Ok(head)) => gating::on_revision(world, job, attempt, &Revision::Commit(head)),
        Some(Err(error)) => Tri::Unknown(format!("could not {error}")),
        None => Tri::No("the task has no recorded head to check".to_owned()),
    }
}

fn with_base(job: &Job, check: impl FnOnce(&BranchName) -> Tri) -> Tri {
    match base_branch(&job.base) {
        Ok(base) => check(&base),
        Err(error) => Tri::Unknown(format!("could not {error}")),
    }
}

fn commits_ahead(world: &World, job: &Job, base: &BranchName, seen: &Seen) -> Tri {
    let head = seen.head.clone().map(Revision::Commit);
    let head = head.unwrap_or_else(|| Revision::Project(branch_of(&job.task)));
    let base = match &seen.base {
        Some(Head::At(commit)) => Revision::Commit(commit.clone()),
        Some(Head::Unknown(why)) => return Tri::Unknown(why.clone()),
        Some(Head::Absent) | None => Revision::Origin(base.clone()),
    };
    match world.git.commits_ahead(&head, &base) {
        Ahead::Commits { n_commits: 0, .. } => {
            Tri::No(format!("nothing was committed on {}", branch_of(&job.task)))
        }
        Ahead::Commits { .. } => Tri::Yes,
        Ahead::Absent(what) => Tri::No(what),
        Ahead::Unknown(why) => Tri::Unknown(why),
    }
}

fn pushed(world: &World, job: &Job, seen: &Seen) -> Tri {
    let Some(head) = &seen.head else {
        return Tri::Unknown("the head of the branch could not be read".to_owned());
    };
    match &seen.there {
        Some(Head::At(there)) if there == head => return Tri::Yes,
        Some(Head::Unknown(why)) => return Tri::Unknown(why.clone()),
        Some(Head::At(_) | Head::Absent) | None => {}
    }
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
