//! Session that an attempt continues: the agent that had it must be gone with everything it started, because no tool refuses two processes
//! with one session.

use std::path::Path;

use super::context::{EngineContext, STOP_GRACE};
use super::job::Job;
use crate::domain::{Attempt, Workplace};
use crate::ports::holders::HolderId;

/// Obstacle that keeps an attempt from continuing a session, for now or for good.
pub(super) enum SessionObstacle {
    /// Uncertainty whether all processes of the agent before have ended; checked again later.
    Unknown(String),
    /// Loss of the session to continue.
    Lost(String),
}

/// Returns the name of the session that an attempt continues; `None` if it begins one. Processes that are left of the agent that had it
/// are ended first, also those that continued without its holder.
pub(super) fn find(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
) -> Result<Option<String>, SessionObstacle> {
    let Some(after) = attempt.session.follows() else {
        return Ok(None);
    };
    match context.holders.stop(&HolderId::from(after), STOP_GRACE) {
        Ok(ended) if ended.survivors == 0 => {}
        Ok(ended) => {
            let count = ended.survivors;
            return Err(SessionObstacle::Unknown(format!(
                "could not end {count} processes of attempt {after}, whose session it continues"
            )));
        }
        Err(error) => {
            return Err(SessionObstacle::Unknown(format!(
                "could not make sure that attempt {after} has ended, whose session it continues: could not {error}"
            )));
        }
    }
    let Some(continued) = attempt.session.continuation() else {
        return Ok(None);
    };
    let lost = |why: &str| SessionObstacle::Lost(why.to_owned());
    let of = attempt
        .role_choice()
        .ok_or_else(|| lost("the engine has no session"))?;
    let place = place_before(job, attempt).ok_or_else(|| lost("its folder is not known"))?;
    let found = context
        .agents
        .session(of, &continued.origin, Path::new(&place.path));
    found.map(Some).map_err(|why| SessionObstacle::Lost(why.text))
}

/// Returns the workplace of the session; the attempt's own workplace once it has one, since that is the same.
fn place_before<'a>(job: &'a Job, attempt: &'a Attempt) -> Option<&'a Workplace> {
    let before = job.before.as_deref().and_then(|before| before.workplace.as_ref());
    attempt.workplace.as_ref().or(before)
}

/// Returns a workplace with the commit and the files from which its work began. The work of an interrupted agent on its branch is part of
/// the work of the agent that continues.
pub(super) fn with_its_start(job: &Job, attempt: &Attempt, made: Workplace) -> Workplace {
    let continued = attempt.session.follows().and_then(|_| place_before(job, attempt));
    match continued {
        Some(before) if made.branch.is_some() && before.path == made.path => before.clone(),
        Some(before) => Workplace {
            git_overrides: before.git_overrides.clone(),
            ..made
        },
        None => made,
    }
}
