//! Folder in which gates run: a clean checkout of an exact commit, never a folder an agent can write to, unless the stage wants them
//! in the worktree of its agent. There they run only while it holds that commit and nothing else except files that git ignores.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::context::{EngineContext, base_head};
use super::job::{Job, JobKind};
use super::leftovers::named_files;
use super::preparation;
use crate::domain::task::GateCommand;
use crate::domain::workflow::GatePlace;
use crate::domain::{Attempt, AttemptId, Cause, Tri};
use crate::ports::gates::{GateExit, GateReport, GateRun};
use crate::ports::git::{CommitId, DiffRange, GitError, Revision, SafeName, WorkingTree};
use crate::ports::trouble::io_trouble;
use crate::ports::workspaces::PrepareError;

/// Maximum number of bytes of output kept per gate.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Tree in which gates run, and the folder for their output.
pub(super) struct GateFolder<'a> {
    place: GateTree<'a>,
    outputs: PathBuf,
    commit: &'a CommitId,
    /// True once a gate has run there.
    is_used: Cell<bool>,
}

/// The files that gates see.
enum GateTree<'a> {
    /// Clean checkout, and the closed folder that contains it.
    Checkout { path: PathBuf, closed: &'a Path },
    /// The worktree of the agent.
    Worktree { path: PathBuf, name: &'a SafeName },
}

impl GateFolder<'_> {
    /// Runs one gate there; its number names its output. Changes that the gates before it made to the files are taken back.
    pub(super) fn run(&self, context: &EngineContext, job: &Job, n: usize, gate: &GateCommand) -> GateReport {
        let is_first = !self.is_used.replace(true);
        match &self.place {
            GateTree::Checkout { closed, .. } if job.fresh_gates.contains(&gate.name) => {
                let own = in_fresh_checkout(context, closed, self.commit, |path| {
                    self.prepare(context, job, path)
                        .map(|()| self.run_in(context, job, n, gate, path))
                });
                own.unwrap_or_else(|why| unrun(Tri::Unknown(why.cause())))
            }
            GateTree::Checkout { path, .. } => {
                let restored = if is_first {
                    Ok(())
                } else {
                    self.restore(context, job, path)
                };
                match restored {
                    Ok(()) => self.run_in(context, job, n, gate, path),
                    Err(why) => unrun(Tri::Unknown(why.cause())),
                }
            }
            GateTree::Worktree { path, name } => {
                let differing = if is_first {
                    Ok(None)
                } else {
                    differing_files(context, name, self.commit)
                };
                match differing {
                    Ok(None) => self.run_in(context, job, n, gate, path),
                    Ok(Some(files)) => unrun(Tri::No(changed_by_gates(self.commit, &files))),
                    Err(why) => unrun(why),
                }
            }
        }
    }

    /// Takes back what a gate changed, except for files that git ignores.
    fn restore(&self, context: &EngineContext, job: &Job, path: &Path) -> Result<(), PrepareError> {
        let restored = context.git.restore_checkout(self.commit, path);
        if restored.map_err(|error| error.cause().after("could not "))? {
            return Ok(());
        }
        self.prepare(context, job, path)
    }

    fn prepare(&self, context: &EngineContext, job: &Job, path: &Path) -> Result<(), PrepareError> {
        let logs = self.outputs.join("setup");
        let prepared = preparation::of_checkout(context, job, self.commit, path, logs);
        prepared.map_err(|why| why.after("could not prepare the checkout: "))
    }

    fn run_in(
        &self,
        context: &EngineContext,
        job: &Job,
        n: usize,
        gate: &GateCommand,
        folder: &Path,
    ) -> GateReport {
        let env = match preparation::environment(context, job, self.commit) {
            Ok(env) => env,
            Err(why) => return unrun(Tri::Unknown(why)),
        };
        context.gates.run(&GateRun {
            name: gate.name.clone(),
            command: gate.command.clone(),
            commit: self.commit.as_str().to_owned(),
            began: context.clock.now(),
            cwd: folder.to_owned(),
            env,
            timeout: context.config.gate_timeout,
            output: self.outputs.join(format!("{n:02}.log")),
            output_limit: OUTPUT_LIMIT,
        })
    }
}

/// The report of a gate that was not run.
fn unrun(outcome: Tri) -> GateReport {
    let why = match &outcome {
        Tri::Unknown(why) => why.clone(),
        Tri::No(why) => why.as_str().into(),
        Tri::Yes => "it was not run".into(),
    };
    GateReport {
        exit: GateExit::NotRun(why),
        outcome,
        duration_ms: 0,
        tail: String::new(),
        truncated: false,
        tests: None,
    }
}

fn changed_by_gates(commit: &CommitId, files: &str) -> String {
    format!("the gates changed files of the worktree, so they say nothing of the commit {commit}: {files}")
}

/// Runs gates where the stage wants them; if they cannot be run there, they do not pass. Before the work they always have a clean checkout:
/// the worktree was just made.
pub(super) fn in_folder<T>(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Tri> {
    if let Some(why) = context.gates.withheld() {
        return Err(Tri::Unknown(why));
    }
    match (job.stage.gate_at, &job.kind) {
        (GatePlace::Commit, _) | (GatePlace::Worktree, JobKind::Start) => {
            in_checkout(context, job, attempt, commit, run)
        }
        (GatePlace::Worktree, _) => in_worktree(context, job, attempt, commit, run),
    }
}

/// Makes the checkout, and removes it afterwards. No other attempt has one in the same folder. If it cannot be prepared although that of the
/// base can, the commit is the reason, which is no outside trouble.
fn in_checkout<T>(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Tri> {
    let places = GatePlaces {
        closed: closed_folder(&context.config.checkouts, attempt.id).map_err(Tri::Unknown)?,
        outputs: outputs(context, job, attempt).map_err(Tri::Unknown)?,
    };
    let result = in_prepared(context, job, &places, commit, run);
    // One in which something is left is looked at by the next start.
    drop(fs::remove_dir(&places.closed));
    result.map_err(|why| match why {
        PrepareError::Failed(why) if works_on_base(context, job, attempt, commit) => {
            Tri::No(format!("{why}\nThe same works on {}.", job.base))
        }
        why => Tri::Unknown(why.cause()),
    })
}

/// Folders of the gates of an attempt.
struct GatePlaces {
    closed: PathBuf,
    outputs: PathBuf,
}

fn in_prepared<T>(
    context: &EngineContext,
    job: &Job,
    places: &GatePlaces,
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, PrepareError> {
    in_fresh_checkout(context, &places.closed, commit, |path| {
        let folder = GateFolder {
            place: GateTree::Checkout {
                path: path.to_owned(),
                closed: &places.closed,
            },
            outputs: places.outputs.clone(),
            commit,
            is_used: Cell::new(false),
        };
        folder.prepare(context, job, path)?;
        Ok(run(&folder))
    })
}

/// Returns true if the files of the base can be prepared, and the commit is another one.
pub(super) fn works_on_base(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
) -> bool {
    base_head(context, job)
        .is_ok_and(|base| base != *commit && on_base(context, job, attempt, &base, |_| ()).is_ok())
}

/// Runs gates on the head of the base, beside their results on the work.
pub(super) fn on_base<T>(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    base: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Cause> {
    let places = GatePlaces {
        closed: closed_folder(&context.config.checkouts, attempt.id)?,
        outputs: outputs_of(context, job, attempt).join("base"),
    };
    make_empty(&places.outputs)?;
    let result = in_prepared(context, job, &places, base, run);
    drop(fs::remove_dir(&places.closed));
    result.map_err(PrepareError::cause)
}

/// Makes a checkout under a name that cannot be guessed, and removes it afterwards.
fn in_fresh_checkout<T>(
    context: &EngineContext,
    closed: &Path,
    commit: &CommitId,
    run: impl FnOnce(&Path) -> Result<T, PrepareError>,
) -> Result<T, PrepareError> {
    let name = (context.config.unguessable)()
        .ok_or_else(|| Cause::from("could not name a checkout: the system has no random bytes"))?;
    let folder = closed.join(name);
    let checkout = context.git.checkout_clean(commit, &folder);
    let result = match checkout {
        Ok(made) => run(&made.path),
        Err(error) => {
            let why = error.cause().after("could not ");
            Err(match error {
                GitError::Submodule { is_nowhere: true, .. } => PrepareError::Failed(why),
                _ => PrepareError::Trouble(why),
            })
        }
    };
    if let Err(error) = context.git.discard_checkout(&folder) {
        tracing::warn!("could not {error}");
    }
    result
}

/// The folder for the checkouts of an attempt. Its content cannot be listed, so that the gates of other attempts do not find them.
fn closed_folder(checkouts: &Path, attempt: AttemptId) -> Result<PathBuf, Cause> {
    let folder = checkouts.join(format!("attempt-{attempt}"));
    let made = || -> io::Result<()> {
        fs::create_dir_all(checkouts)?;
        match fs::create_dir(&folder) {
            // A link or anything else that an agent may have put there is not ours.
            Err(_there) if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) => {}
            made => made?,
        }
        close(&folder)
    };
    made().map_err(|error| {
        let why = format!("could not make {}: {error}", folder.display());
        io_trouble(error.kind()).cause(why)
    })?;
    Ok(folder)
}

#[cfg(unix)]
fn close(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o300))
}

#[cfg(not(unix))]
fn close(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Runs gates where the agent worked. Their results are about the commit only if nothing else was there, before and afterwards.
fn in_worktree<T>(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Tri> {
    let (Some(name), Some(made)) = (job.folder(), attempt.workplace.as_ref()) else {
        return Err(Tri::No("there is no worktree to run gates in".to_owned()));
    };
    let name = SafeName::derive(&name);
    let differs = || differing_files(context, &name, commit);
    if let Some(files) = differs()? {
        let why = format!("gates run in the worktree, and it differs from the commit {commit}: {files}");
        return Err(Tri::No(why));
    }
    let place = GateFolder {
        place: GateTree::Worktree {
            path: PathBuf::from(&made.path),
            name: &name,
        },
        outputs: outputs(context, job, attempt).map_err(Tri::Unknown)?,
        commit,
        is_used: Cell::new(false),
    };
    let result = run(&place);
    match differs()? {
        None => Ok(result),
        Some(files) => Err(Tri::No(changed_by_gates(commit, &files))),
    }
}

/// Returns the differences between a worktree and the commit, for people; `None` if both are the same.
fn differing_files(
    context: &EngineContext,
    folder: &SafeName,
    commit: &CommitId,
) -> Result<Option<String>, Tri> {
    let place = WorkingTree::Worktree(folder.clone());
    let unknown = |error: GitError| Tri::Unknown(error.cause().after("could not "));
    let head = context.git.workspace_tree(&place).map_err(unknown)?.head;
    if head.as_ref() != Some(commit) {
        let stands = head.map_or_else(|| "no commit".to_owned(), |head| head.to_string());
        return Ok(Some(format!("it stands at {stands}")));
    }
    let range = DiffRange::WorkInProgress {
        base: Revision::Commit(commit.clone()),
        place,
    };
    let files = context.git.changed_paths(&range).map_err(unknown)?;
    Ok((!files.is_empty()).then(|| named_files(&files)))
}

/// Makes an empty folder for the output of gates: the output of an earlier round would be taken for this one's.
fn outputs(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<PathBuf, Cause> {
    let outputs = outputs_of(context, job, attempt);
    make_empty(&outputs)?;
    Ok(outputs)
}

fn outputs_of(context: &EngineContext, job: &Job, attempt: &Attempt) -> PathBuf {
    let outputs = context.config.attempts.join(attempt.id.to_string());
    // Results on the commit before the work are not results of the work.
    let is_before = job.kind == JobKind::Start;
    outputs.join(if is_before { "gates-before" } else { "gates" })
}

fn make_empty(folder: &Path) -> Result<(), Cause> {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder).map_err(|error| {
        let why = format!("could not make {}: {error}", folder.display());
        io_trouble(error.kind()).cause(why)
    })
}
