//! Starting an agent: workspace first, then the process. No workspace, no process (LK-17).

use std::path::{Path, PathBuf};

use super::anew;
use super::base_watch;
use super::cleanup;
use super::context::{EngineContext, STOP_GRACE, base_branch, branch_of};
use super::gate_folder;
use super::gate_runs;
use super::git_changes;
use super::job::Job;
use super::plan_checks;
use super::preparation;
use super::prompt_place;
use super::session_before::{self, SessionObstacle};
use crate::domain::workflow::Workspace;
use crate::domain::{
    Attempt, AttemptMode, Cause, Event, GateBaseline, PromptFacts, Tri, TroubleKind, Worker, Workplace,
};
use crate::ports::agents::{Brief, LaunchCommand};
use crate::ports::git::{CommitId, GitError, Revision, SafeName, Worktree, WorktreeKind, WorktreeSpec};
use crate::ports::holders::{HolderId, HolderLiveness, LaunchError, LaunchSpec, OrphanPolicy};
use crate::ports::workspaces::PrepareError;

/// Reason why an agent's process was not started, or may not have been.
enum StartError {
    Failed(Cause),
    /// Start with an unknown result: the process may run. The text is the answer when the start is asked for again.
    Unknown(String),
}

/// Makes the workspace and starts the agent; safe to repeat for the same attempt: a workspace or process that was started before is left
/// alone and only reported. If that is not known, the start is requested again later.
pub(super) fn start(context: &EngineContext, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    let id = HolderId::from(attempt.id);
    let why = match (context.holders.status(&id).state, &attempt.workplace) {
        (HolderLiveness::NotStarted, _) => return make_and_launch(context, job, attempt),
        (HolderLiveness::Unknown(why), _) => return Some(unknown(attempt, &why)),
        (
            HolderLiveness::Running(_)
            | HolderLiveness::Exited(_)
            | HolderLiveness::Lost
            | HolderLiveness::GoneWithMachine,
            Some(made),
        ) => {
            return Some(started(attempt, made.clone()));
        }
        (HolderLiveness::Running(_), None) => match context.holders.stop(&id, STOP_GRACE) {
            Ok(_) => "an agent of that number ran already and was stopped".to_owned(),
            Err(error) => return Some(unknown(attempt, &error.to_string())),
        },
        (HolderLiveness::Exited(_) | HolderLiveness::Lost | HolderLiveness::GoneWithMachine, None) => {
            "an agent of that number ran before; the next attempt has another".to_owned()
        }
    };
    Some(not_started(attempt, why.into()))
}

fn make_and_launch(context: &EngineContext, job: &Job, attempt: &Attempt) -> Option<Event> {
    let session = match session_before::find(context, job, attempt) {
        Ok(session) => session,
        Err(SessionObstacle::Unknown(why)) => return Some(unknown(attempt, &why)),
        Err(SessionObstacle::Lost(why)) => {
            let attempt = attempt.id;
            return Some(Event::SessionLost { attempt, why });
        }
    };
    let kept = check_disk(context).and_then(|()| anew::put_aside(context, job, attempt));
    let kept = kept.and_then(|kept| match session {
        // Its files stay as the session knows them.
        Some(_) => Ok(kept),
        None => plan_checks::restore_protected(context, job, attempt).map(|()| kept),
    });
    let made = kept.and_then(|kept| Ok((make_workplace(context, job, attempt)?, kept)));
    let (MadeWorkplace { made, base, setup }, kept) = match made {
        Ok(made) => made,
        Err(why) => return Some(not_started(attempt, why)),
    };
    let mut gates_before = gate_runs::before_work(context, job, attempt, made.start.as_deref());
    gates_before.extend(setup);
    // Durable before the process runs: an end whose start was never heard of is judged by it, and a process that runs is
    // never given another workspace.
    let known = context.inbox.ask(Event::WorkplaceMade {
        attempt: attempt.id,
        workplace: made.clone(),
        kept,
        gates_before: gates_before.clone(),
    });
    match known.ok()?.recv().ok()? {
        Ok(_) => {}
        Err(refusal) => {
            tracing::info!(attempt = %attempt.id, "it is not started: {}", refusal.why);
            cleanup::discard(context, job);
            return None;
        }
    }
    match launch(context, job, attempt, &made, base, session, gates_before) {
        Ok(()) => Some(started(attempt, made)),
        Err(StartError::Failed(why)) => Some(not_started(attempt, why)),
        Err(StartError::Unknown(why)) => Some(unknown(attempt, &why)),
    }
}

fn started(attempt: &Attempt, workplace: Workplace) -> Event {
    Event::AttemptStarted {
        attempt: attempt.id,
        workplace,
    }
}

fn not_started(attempt: &Attempt, why: Cause) -> Event {
    Event::AttemptNotStarted {
        attempt: attempt.id,
        why,
    }
}

fn unknown(attempt: &Attempt, why: &str) -> Event {
    tracing::warn!(attempt = %attempt.id, "could not tell whether it runs: {why}; asked again later");
    Event::AttemptUnknown {
        attempt: attempt.id,
        why: why.into(),
    }
}

/// Attaches to the started agent; called after its start has been reported, so that its end cannot be reported first.
pub(super) fn follow(context: &EngineContext, job: &Job) {
    if let Some(attempt) = job.attempt.as_deref() {
        context.terminals.follow(&HolderId::from(attempt.id));
    }
}

/// A checkout and a log that fill the disk would stop everything else on it, too.
fn check_disk(context: &EngineContext) -> Result<(), Cause> {
    let config = &context.config;
    for path in [&config.root, &config.attempts] {
        let free = (config.free_disk)(path);
        if let Some(free) = free.filter(|free| *free < config.min_free_disk) {
            return Err(TroubleKind::Disk.cause(format!(
                "the disk of {} has {} MiB free, and no agent is started below {} MiB (disk.min_free); `dbs clean --builds` frees \
                 what can be built again, and starts follow by themselves once there is room",
                path.display(),
                free >> 20,
                config.min_free_disk >> 20
            )));
        }
    }
    Ok(())
}

/// Workspace of an attempt.
struct MadeWorkplace {
    made: Workplace,
    /// Head of the base branch on the remote, if it was asked for it.
    base: Option<CommitId>,
    /// Failed setup of earlier work, which the agent is to know.
    setup: Option<GateBaseline>,
}

fn make_workplace(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<MadeWorkplace, Cause> {
    let branch = branch_of(&job.task);
    let base = || base_branch(&job.base).map_err(|error| unmade(&error.into()));
    let head = job.recorded_head();
    let kind = match job.workspace() {
        Workspace::Branch => WorktreeKind::Branch {
            branch: branch.clone(),
            base: base()?,
            resume: head.filter(|_| !job.task.begins_anew),
        },
        Workspace::Head => WorktreeKind::Detached(
            head.map_or_else(|| Revision::RemoteBranch(branch.clone()), Revision::Commit),
        ),
        Workspace::Base => WorktreeKind::Detached(Revision::RemoteBranch(base()?)),
        Workspace::Main | Workspace::None => WorktreeKind::MainCheckout,
    };
    let on_branch = matches!(kind, WorktreeKind::Branch { .. });
    let spec = WorktreeSpec {
        folder: SafeName::derive(&job.folder().unwrap_or_default()),
        kind,
        ended_folders: cleanup::ended_folders(context, job),
        attic_owner: context.attic_owner(&job.task, attempt.created_at),
    };
    let worktree = match context.git.ensure_worktree(&spec) {
        Err(GitError::Missing { .. }) if begin_base(context, job)? => context.git.ensure_worktree(&spec),
        tried => tried,
    };
    let worktree = worktree.map_err(|error| unmade(&error))?;
    if let Some(base) = &worktree.base {
        base_watch::look(context, job, base);
    }
    let mut setup = None;
    if on_branch || matches!(spec.kind, WorktreeKind::Detached(_)) {
        let prepared = preparation::of_worktree(context, job, attempt, &spec.folder, &worktree);
        if let Err(why) = prepared {
            let failed = after_own_work(context, job, attempt, &worktree, why);
            setup = Some(failed.map_err(|why| {
                cleanup::discard(context, job);
                why.after("could not prepare the worktree: ")
            })?);
        }
    }
    let made = Workplace {
        path: worktree.path.to_string_lossy().into_owned(),
        branch: on_branch.then(|| branch.as_str().to_owned()),
        start: worktree.start.head.map(|commit| commit.as_str().to_owned()),
        start_tree: Some(worktree.start.tree.as_str().to_owned()),
        git_overrides: Some(git_changes::now(context, job)?),
    };
    Ok(MadeWorkplace {
        made: session_before::with_its_start(job, attempt, made),
        base: worktree.base,
        setup,
    })
}

/// Returns the setup that failed as a finding of the agent that starts, if it fails because of earlier work on the task: only an agent can
/// mend that.
///
/// # Errors
/// The reason why no agent starts.
fn after_own_work(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    worktree: &Worktree,
    why: PrepareError,
) -> Result<GateBaseline, Cause> {
    match (why, &worktree.start.head) {
        (PrepareError::Failed(why), Some(commit))
            if gate_folder::works_on_base(context, job, attempt, commit) =>
        {
            Ok(GateBaseline {
                name: "setup".to_owned(),
                outcome: Tri::No(why.text),
            })
        }
        (why, _) => Err(why.cause()),
    }
}

/// Makes the base branch of the task's batch on the remote, if it has none yet (K61). Answers whether it did.
fn begin_base(context: &EngineContext, job: &Job) -> Result<bool, Cause> {
    let Some(from) = &job.base_origin else {
        return Ok(false);
    };
    let name = |text: &str| base_branch(text).map_err(|error| unmade(&error.into()));
    let (branch, from) = (name(&job.base)?, name(from)?);
    let begun = context.git.begin_branch(&branch, &from);
    begun.map_err(|error| unmade(&error))
}

/// Returns the reason why there is no workspace. Asking again does not help where something that was asked for certainly does not exist.
fn unmade(error: &GitError) -> Cause {
    let cause = error.cause().after("could not ");
    match error {
        GitError::Missing { .. } | GitError::Name(_) => TroubleKind::Refusal.cause(cause.text),
        GitError::Busy { .. }
        | GitError::NotOurs { .. }
        | GitError::Submodule { .. }
        | GitError::Unreachable { .. }
        | GitError::Failed { .. } => cause,
    }
}

fn launch(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    made: &Workplace,
    base: Option<CommitId>,
    session: Option<String>,
    gates_before: Vec<GateBaseline>,
) -> Result<(), StartError> {
    let facts = prompt_place::facts(context, job, made, base);
    let mut brief = brief(job, attempt, made, facts).map_err(StartError::Failed)?;
    let remote = context.git.agents_remote();
    brief.git_settings = remote.settings;
    let difference = prompt_place::difference(context, &brief.facts);
    if is_judge(&brief) {
        brief.difference = difference.map_err(StartError::Failed)?;
        let settings = context.git.reader_settings();
        let settings = settings.map_err(|error| error.cause().after("could not "));
        brief.git_settings.extend(settings.map_err(StartError::Failed)?);
    } else {
        brief.difference = difference.unwrap_or_default();
    }
    brief.facts.agent.goes_on = session.is_some();
    brief.facts.gates_before = gates_before;
    brief.session = session;
    let mut line = context
        .agents
        .launch_command(&brief)
        .map_err(StartError::Failed)?;
    let ports = context.workspaces.ports(&job.task.id);
    line.env.extend(ports.map_err(StartError::Failed)?);
    add_identity(remote.person, &mut line.env);
    let spec = spec(context, attempt, Path::new(&made.path), line);
    let Err(error) = context.holders.launch(&spec) else {
        return Ok(());
    };
    let why = format!("could not {error}");
    match (error, context.holders.status(&spec.id).state) {
        (
            _,
            HolderLiveness::Running(_)
            | HolderLiveness::Exited(_)
            | HolderLiveness::Lost
            | HolderLiveness::GoneWithMachine,
        ) => Ok(()),
        (LaunchError::Unclear(_), _) | (_, HolderLiveness::Unknown(_)) => Err(StartError::Unknown(why)),
        (LaunchError::Refused(cause) | LaunchError::Failed(cause), _) => {
            Err(StartError::Failed(cause.kind.cause(why)))
        }
        (LaunchError::AlreadyRan(_), _) => Err(StartError::Failed(why.into())),
    }
}

/// Gives an agent the identity of the person: some tools hide the person's settings of git from the commands they run.
fn add_identity(person: Option<(String, String)>, env: &mut Vec<(String, String)>) {
    let Some((name, address)) = person else { return };
    for (variable, value) in [
        ("GIT_AUTHOR_NAME", &name),
        ("GIT_AUTHOR_EMAIL", &address),
        ("GIT_COMMITTER_NAME", &name),
        ("GIT_COMMITTER_EMAIL", &address),
    ] {
        if !env.iter().any(|(known, _)| known == variable) {
            env.push((variable.to_owned(), value.clone()));
        }
    }
}

/// Returns whether an agent judges or merges the work of others: reviewers, testers and integrators.
fn is_judge(brief: &Brief) -> bool {
    let stage = &brief.facts.stage;
    let is_apart = matches!(stage.workspace, Some(Workspace::Head | Workspace::Base));
    !stage.may_write || is_apart || brief.mode == AttemptMode::Fallback
}

fn spec(context: &EngineContext, attempt: &Attempt, folder: &Path, line: LaunchCommand) -> LaunchSpec {
    LaunchSpec {
        id: HolderId::from(attempt.id),
        argv: line.argv,
        cwd: folder.to_path_buf(),
        env: line.env,
        size: context.terminals.first_size(),
        marker: format!("{}-{}", context.config.marker, attempt.id),
        log_limit: context.config.log_limit,
        orphans: OrphanPolicy::Sweep,
        files: line.files,
    }
}

fn brief(job: &Job, attempt: &Attempt, made: &Workplace, facts: PromptFacts) -> Result<Brief, Cause> {
    let Worker::Agent { role, name } = &attempt.worker else {
        return Err("could not start an agent for an engine action".into());
    };
    Ok(Brief {
        attempt: attempt.id,
        created_at: attempt.created_at,
        task: job.task.id.clone(),
        title: job.task.title.clone(),
        body: job.task.body.clone(),
        tags: job.task.tags.clone(),
        stage: attempt.stage.clone(),
        role: role.clone(),
        name: name.clone(),
        mode: attempt.mode,
        n: attempt.n,
        folder: PathBuf::from(&made.path),
        branch: branch_of(&job.task).as_str().to_owned(),
        base: job.base.clone(),
        finding: job.task.finding.clone(),
        session: None,
        choice: attempt.choice.clone(),
        facts,
        difference: None,
        git_settings: Vec::new(),
    })
}
