//! Evidence that the engine collects itself. Every answer is Yes, No or Unknown; nothing here relies on the words of an agent.

use std::path::Path;

use super::agents_merge;
use super::base_watch;
use super::context::{EngineContext, base_branch, base_head, branch_of};
use super::gate_runs;
use super::git_changes;
use super::issues::Issues;
use super::job::Job;
use super::leftovers;
use super::phase_notes;
use super::plan_checks;
use super::story_checks;
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Event, Evidence, EvidenceKind, Tri};
use crate::ports::git::{
    BranchName, CommitFile, CommitId, CommitsAhead, Head, PushOutcome, Revision, SafeName, TreeId,
    WorkingTree, WorkspaceTree,
};
use crate::ports::trouble::io_trouble;

/// The heads of a task's branches as read when verification began.
#[derive(Debug, Default)]
pub(super) struct BranchHeads {
    head: Option<CommitId>,
    /// True if the task has no branch, which is not the same as a branch that could not be read.
    has_no_branch: bool,
    base: Option<Head>,
    /// Head of the task's branch on the remote, if the remote was asked.
    remote: Option<Head>,
    /// Result for files that were not committed, where the engine commits them.
    committed: Option<Tri>,
}

impl BranchHeads {
    /// Creates heads of which only the one the evidence is about is known.
    pub(super) fn at(head: &CommitId) -> BranchHeads {
        BranchHeads {
            head: Some(head.clone()),
            ..BranchHeads::default()
        }
    }
}

/// Collects all evidence asked for. Checks may run for minutes, so the heads that were seen before are used up first.
pub(super) fn verify(context: &EngineContext, job: &Job, kinds: &[EvidenceKind]) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    // First, because everything else is about committed files.
    let rest = kinds
        .contains(&EvidenceKind::Committed)
        .then(|| leftovers::take(context, job, attempt));
    let seen = BranchHeads {
        committed: rest,
        ..read_heads(context, job, kinds)
    };
    let proves_merge = kinds.contains(&EvidenceKind::Merged);
    match &seen.base {
        Some(Head::At(base)) => base_watch::look(context, job, base),
        Some(Head::Absent | Head::Unknown(_)) | None if !proves_merge => {
            base_watch::look_behind_agent(context, job);
        }
        Some(Head::Absent | Head::Unknown(_)) | None => {}
    }
    let mut evidence = match refused_objects(context, &seen) {
        None => collect_all(context, job, attempt, kinds, &seen),
        Some(why) => {
            let piece = |kind: &EvidenceKind| Evidence::new(kind.clone(), of_refused(kind, kinds, &why));
            kinds.iter().map(piece).collect()
        }
    };
    let integration = if proves_merge {
        agents_merge::compare_agents_merge(context, job, attempt, &mut evidence)
    } else {
        None
    };
    // Last: gates run code of the agent, too.
    match git_changes::since_start(context, job, attempt) {
        Ok(changes) if changes.is_empty() => {}
        Ok(changes) => {
            let attempt = attempt.id;
            return Some(Event::GitChanged { attempt, changes });
        }
        Err(why) => {
            for piece in &mut evidence {
                piece.outcome = Tri::Unknown(why.clone());
            }
        }
    }
    let head = seen.head.map(|commit| commit.as_str().to_owned());
    Some(Event::Verified {
        attempt: attempt.id,
        evidence,
        head,
        integration: integration.map(Box::new),
    })
}

fn collect_all(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    kinds: &[EvidenceKind],
    seen: &BranchHeads,
) -> Vec<Evidence> {
    let (gates, others): (Vec<_>, Vec<_>) =
        kinds.iter().partition(|kind| matches!(kind, EvidenceKind::Gates));
    let all = others.into_iter().chain(gates);
    all.filter_map(|kind| collect(context, job, attempt, kind, seen))
        .collect()
}

/// Returns the objection of git's own check to the commits of the task, if it refuses one that the base lacks; unknown: the reason why that
/// could not be checked.
fn refused_objects(context: &EngineContext, seen: &BranchHeads) -> Option<Tri> {
    let base = match &seen.base {
        Some(Head::At(commit)) => Some(commit),
        Some(Head::Absent | Head::Unknown(_)) | None => None,
    };
    match context.git.refused_objects(seen.head.as_ref()?, base) {
        Ok(why) => why.map(Tri::No),
        Err(error) => Some(Tri::Unknown(error.cause().after("could not "))),
    }
}

/// Returns the outcome for a task with refused commits: nothing in them is looked at, but it is still true that there are some.
fn of_refused(kind: &EvidenceKind, kinds: &[EvidenceKind], why: &Tri) -> Tri {
    match (kind, why) {
        (EvidenceKind::CommitsAhead, Tri::No(_)) if kinds.len() > 1 => Tri::Yes,
        _ => why.clone(),
    }
}

/// Collects one piece of evidence; `None` for a kind that the board knows itself.
pub(super) fn collect(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    kind: &EvidenceKind,
    seen: &BranchHeads,
) -> Option<Evidence> {
    let head = seen.head.as_ref();
    let at_head = |check: &dyn Fn(&CommitId) -> Issues| match head.map(check) {
        Some(Ok(issues)) => Evidence::from_issues(kind.clone(), issues),
        Some(Err(outcome)) => Evidence::new(kind.clone(), outcome),
        None => Evidence::new(
            kind.clone(),
            Tri::Unknown("the head of the branch could not be read".into()),
        ),
    };
    let outcome = match kind {
        EvidenceKind::Gates => {
            return Some(gate_runs::on_revision(
                context,
                job,
                attempt,
                &revision(job, head),
            ));
        }
        EvidenceKind::Notes => return Some(at_head(&|head| phase_notes::notes(context, job, head))),
        EvidenceKind::Protected => return Some(at_head(&|head| plan_checks::protected(context, job, head))),
        EvidenceKind::ListedFiles => {
            return Some(at_head(&|head| plan_checks::listed_files(context, job, head)));
        }
        EvidenceKind::GateFails(name) => {
            return Some(at_head(&|head| {
                plan_checks::gate_fails(context, job, attempt, head, name)
            }));
        }
        EvidenceKind::Tests => return Some(at_head(&|head| story_checks::tests(context, job, head))),
        EvidenceKind::Committed => seen
            .committed
            .clone()
            .unwrap_or_else(|| Tri::Unknown("it was not looked at".into())),
        EvidenceKind::CommitsAhead => with_base(job, |base| commits_ahead(context, job, base, seen)),
        EvidenceKind::Pushed => pushed(context, job, seen),
        EvidenceKind::Merged => with_base(job, |base| {
            with_head(job, |head| context.git.is_merged(&head, base))
        }),
        EvidenceKind::WorkspaceUnchanged => unchanged(context, job, attempt),
        EvidenceKind::Commented => commented(job, attempt),
        EvidenceKind::Report(path) => report(context, job, path, head),
        EvidenceKind::Approved | EvidenceKind::AgentsUsed | EvidenceKind::StepsDone => return None,
    };
    Some(Evidence::new(kind.clone(), outcome))
}

/// Reads the head of the task's branch for stages that work on it, and the recorded one for stages that only read it. The heads on the
/// remote come with it if they are wanted: one question to the remote costs more than all others.
fn read_heads(context: &EngineContext, job: &Job, kinds: &[EvidenceKind]) -> BranchHeads {
    if job.workspace() != Workspace::Branch {
        return BranchHeads {
            head: job.recorded_head(),
            ..BranchHeads::default()
        };
    }
    let branch = branch_of(&job.task);
    let mut wanted = vec![Revision::LocalBranch(branch.clone())];
    let is_about_remote =
        |kind: &EvidenceKind| matches!(kind, EvidenceKind::CommitsAhead | EvidenceKind::Pushed);
    if let (true, Ok(base)) = (kinds.iter().any(is_about_remote), base_branch(&job.base)) {
        wanted.extend([Revision::RemoteBranch(base), Revision::RemoteBranch(branch)]);
    }
    let mut heads = context.git.resolve_all(&wanted).into_iter();
    let own = heads.next();
    BranchHeads {
        has_no_branch: own == Some(Head::Absent),
        head: match own {
            Some(Head::At(commit)) => Some(commit),
            Some(Head::Absent | Head::Unknown(_)) | None => None,
        },
        base: heads.next(),
        remote: heads.next(),
        committed: None,
    }
}

fn revision(job: &Job, head: Option<&CommitId>) -> Revision {
    match (job.workspace(), head, base_branch(&job.base)) {
        (Workspace::Branch | Workspace::Head, Some(head), _) => Revision::Commit(head.clone()),
        (_, _, Ok(base)) => Revision::RemoteBranch(base),
        (_, _, Err(_)) => Revision::WorkingTree(WorkingTree::Main),
    }
}

/// Collects the evidence for `action = "verify"`, on the recorded head of the task: the engine's own checks come between the work and the
/// merge, so the base would be the wrong commit, unless the work is in it.
pub(super) fn checks(context: &EngineContext, job: &Job, attempt: &Attempt) -> Vec<Evidence> {
    let kinds = &job.stage.evidence;
    let is_about_base = match job.workspace() {
        Workspace::Base | Workspace::Main => true,
        Workspace::None => job.task.merged.is_some() || job.task.head.is_none(),
        Workspace::Branch | Workspace::Head => false,
    };
    let found = match job.recorded_head() {
        _ if is_about_base => base_head(context, job),
        Some(head) => Ok(head),
        None => Err(Tri::No("the task has no recorded head to check".to_owned())),
    };
    match found {
        Ok(head) => {
            let seen = BranchHeads::at(&head);
            let at_head = |kind: &EvidenceKind| match kind {
                EvidenceKind::Gates => {
                    let head = Revision::Commit(head.clone());
                    Some(gate_runs::on_revision(context, job, attempt, &head))
                }
                kind => collect(context, job, attempt, kind, &seen),
            };
            kinds.iter().filter_map(at_head).collect()
        }
        Err(why) => {
            let piece = |kind: &EvidenceKind| Evidence::new(kind.clone(), why.clone());
            kinds.iter().map(piece).collect()
        }
    }
}

fn with_base(job: &Job, check: impl FnOnce(&BranchName) -> Tri) -> Tri {
    match base_branch(&job.base) {
        Ok(base) => check(&base),
        Err(error) => Tri::Unknown(format!("could not {error}").into()),
    }
}

fn with_head(job: &Job, check: impl FnOnce(CommitId) -> Tri) -> Tri {
    match job.task.head.as_deref().map(CommitId::new) {
        Some(Ok(head)) => check(head),
        Some(Err(error)) => Tri::Unknown(format!("could not {error}").into()),
        None => Tri::No("the task has no recorded head to check".to_owned()),
    }
}

fn commits_ahead(context: &EngineContext, job: &Job, base: &BranchName, seen: &BranchHeads) -> Tri {
    let head = seen.head.clone().map(Revision::Commit);
    let head = head.unwrap_or_else(|| Revision::LocalBranch(branch_of(&job.task)));
    let base = match &seen.base {
        Some(Head::At(commit)) => Revision::Commit(commit.clone()),
        Some(Head::Unknown(why)) => return Tri::Unknown(why.clone()),
        Some(Head::Absent) | None => Revision::RemoteBranch(base.clone()),
    };
    match context.git.commits_ahead(&head, &base) {
        CommitsAhead::Commits { n_commits: 0, .. } => {
            let (branch, hooks) = (branch_of(&job.task), context.git.commit_hooks());
            let hooks = hooks.map_or_else(String::new, |hooks| {
                format!("; a hook may have refused it: {hooks}")
            });
            Tri::No(format!("nothing was committed on {branch}{hooks}"))
        }
        CommitsAhead::Commits { .. } => Tri::Yes,
        CommitsAhead::Absent(what) => Tri::No(what),
        CommitsAhead::Unknown(why) => Tri::Unknown(why),
    }
}

fn pushed(context: &EngineContext, job: &Job, seen: &BranchHeads) -> Tri {
    if seen.has_no_branch {
        return Tri::No(format!("the branch {} does not exist", branch_of(&job.task)));
    }
    let Some(head) = &seen.head else {
        return Tri::Unknown("the head of the branch could not be read".into());
    };
    match &seen.remote {
        Some(Head::At(there)) if there == head => return Tri::Yes,
        Some(Head::Unknown(why)) => return Tri::Unknown(why.clone()),
        Some(Head::At(_) | Head::Absent) | None => {}
    }
    match context
        .git
        .push_branch(&branch_of(&job.task), job.recorded_head().as_ref())
    {
        PushOutcome::Pushed(there) if there == *head => Tri::Yes,
        PushOutcome::Pushed(there) => {
            Tri::Unknown(format!("the branch moved to {there} while it was looked at").into())
        }
        PushOutcome::NoBranch => Tri::No("the branch does not exist".to_owned()),
        PushOutcome::Diverged { remote, .. } => Tri::No(format!(
            "the remote branch holds {remote}, which the local one lacks: someone else, perhaps another board, uses a branch of this name"
        )),
        PushOutcome::Refused(why) => Tri::No(format!("the remote refused the branch: {why}")),
        PushOutcome::Unknown(why) => Tri::Unknown(why),
    }
}

fn unchanged(context: &EngineContext, job: &Job, attempt: &Attempt) -> Tri {
    let Some(start) = start_state(attempt) else {
        // It is recorded before an agent starts; a state that was not recorded will never be known.
        return Tri::No("the state of the workspace at the start was not recorded".to_owned());
    };
    let place = match (job.workspace(), job.folder()) {
        (Workspace::Main | Workspace::None, _) | (_, None) => WorkingTree::Main,
        (_, Some(folder)) => WorkingTree::Worktree(SafeName::derive(&folder)),
    };
    context.git.workspace_unchanged(&place, &start)
}

fn start_state(attempt: &Attempt) -> Option<WorkspaceTree> {
    let workplace = attempt.workplace.as_ref()?;
    let tree = TreeId::new(workplace.start_tree.as_deref()?).ok()?;
    let head = workplace.start.as_deref();
    let head = head.and_then(|text| CommitId::new(text).ok());
    Some(WorkspaceTree { head, tree })
}

fn commented(job: &Job, attempt: &Attempt) -> Tri {
    let Some(origin) = attempt.session_origin() else {
        return Tri::No("the engine writes no findings".to_owned());
    };
    // An agent that continues a session need not repeat what it said before the interruption.
    let name = attempt.worker.name();
    let wrote =
        |comment: &crate::domain::task::Comment| comment.author == name || comment.author == origin.name;
    if job.task.comments_after(origin.comments_before).iter().any(wrote) {
        Tri::Yes
    } else {
        Tri::No(format!("{name} left no comment with its findings"))
    }
}

/// A report is looked at where the work is: in the commit, or in the main checkout for those who work there (K103).
fn report(context: &EngineContext, job: &Job, path: &str, head: Option<&CommitId>) -> Tri {
    let path = path.replace("{task}", job.task.id.as_str());
    let in_commit = job.workspace() != Workspace::Main;
    let Some(head) = head.filter(|_| in_commit) else {
        return report_file(&context.config.root, &path);
    };
    match context.git.file_at(head, &path, 1) {
        Ok(CommitFile::Text(text)) if !text.text.is_empty() => Tri::Yes,
        Ok(CommitFile::Text(_) | CommitFile::NoFile) => Tri::No(format!("{path} is empty or not a file")),
        Ok(CommitFile::Absent) => Tri::No(format!("{path} is not in the commit")),
        Err(error) => Tri::Unknown(error.cause().after("could not ")),
    }
}

fn report_file(root: &Path, path: &str) -> Tri {
    match std::fs::metadata(root.join(path)) {
        Ok(facts) if facts.is_file() && facts.len() > 0 => Tri::Yes,
        Ok(_) => Tri::No(format!("{path} is empty or not a file")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Tri::No(format!("{path} does not exist"))
        }
        Err(error) => {
            let why = format!("could not look at {path}: {error}");
            Tri::Unknown(io_trouble(error.kind()).cause(why))
        }
    }
}
