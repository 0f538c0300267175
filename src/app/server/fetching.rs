//! Fetches what views want and the board does not hold: differences from git, records of checks from their folders. Each on a
//! blocking thread beside the drawing; what cannot be had becomes a sentence.

use crate::domain::{Task, TaskId};
use crate::engine::world::{World, branch_of};
use crate::ports::git::{BranchName, CommitId, GitError, Place, Range, Revision, SafeName};
use crate::read_model::{Diff, ReadModel};
use crate::ui::{Against, Paper, Sheet};

use super::session::Session;

/// Most bytes of differences that are read.
const MOST_DIFF: usize = 2 * 1024 * 1024;

/// Fetches one paper. Blocks.
pub(super) fn fetch(session: &Session, paper: &Paper) -> Sheet {
    let model = session.pictures.borrow().clone();
    let fetched = match paper {
        Paper::Diff(task, against) => diff(&session.world, &model, task, *against),
    };
    fetched.unwrap_or_else(Sheet::Failed)
}

fn diff(world: &World, model: &ReadModel, task: &TaskId, against: Against) -> Result<Sheet, String> {
    let gone = || format!("find {task}: it does not exist (any more)");
    let known = model.tasks.get(task).ok_or_else(gone)?;
    let range = match against {
        Against::Base => since_base(model, known)?,
        Against::Review => since_review(model, known)?,
    };
    let said = |error: GitError| error.to_string();
    let text = world.git.diff_text(&range, MOST_DIFF).map_err(said)?;
    Ok(Sheet::Diff(Diff::parse(&text.text, text.truncated).into()))
}

/// All of a task's work: what a merge brought, what lies in its worktree, or what its branch holds.
fn since_base(model: &ReadModel, task: &Task) -> Result<Range, String> {
    if let Some(merged) = &task.merged {
        return Ok(Range::Made {
            commit: commit(merged)?,
        });
    }
    let base = model
        .base_of(&task.id)
        .ok_or_else(|| format!("compare {}: no base branch is set", task.id))?;
    let base = Revision::Origin(BranchName::new(base).map_err(|error| error.to_string())?);
    Ok(match worktree(model, task) {
        Some(place) => Range::Work { base, place },
        None => Range::SinceFork {
            base,
            head: head(task)?,
        },
    })
}

fn since_review(model: &ReadModel, task: &Task) -> Result<Range, String> {
    let review = model
        .last_review(task)
        .and_then(|attempt| attempt.workplace.as_ref());
    let seen = review
        .and_then(|place| place.start.as_deref())
        .ok_or_else(|| format!("compare {}: no review has looked at it", task.id))?;
    Ok(Range::Between {
        from: Revision::Commit(commit(seen)?),
        to: worktree(model, task).map_or_else(|| head(task), |place| Ok(Revision::Place(place)))?,
    })
}

fn worktree(model: &ReadModel, task: &Task) -> Option<Place> {
    let path = &model.workplace(task)?.path;
    let folder = std::path::Path::new(path).file_name()?.to_str()?;
    Some(Place::Worktree(SafeName::derive(folder)))
}

fn head(task: &Task) -> Result<Revision, String> {
    match &task.head {
        Some(head) => Ok(Revision::Commit(commit(head)?)),
        None => Ok(Revision::Project(branch_of(task))),
    }
}

fn commit(id: &str) -> Result<CommitId, String> {
    CommitId::new(id).map_err(|error| error.to_string())
}
