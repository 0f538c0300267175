//! Reasons for which a task is held, and their words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cause::Cause;
use super::evidence::Severity;
use super::failure::FailureClass;
use super::usage::Cost;

/// Reason a task is held until a person acts. Ends only by an explicit act with an author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// A person must approve before the stage begins (or is the stage's actor).
    Approval,
    Blocked(String),
    /// Rejected too often (K24).
    RejectLoop(u32),
    /// The task failed as often as the limit of the class allows (K28, K42).
    Exhausted(FailureClass),
    /// Too many attempts of any kind (K43).
    TooManyAttempts(u32),
    /// The batch's acceptance failed (K22).
    AcceptanceFailed(String),
    /// The work could not be verified in many tries; the text says why not.
    Unverified(String),
    /// An outside problem kept this number of attempts in a row from working.
    Trouble {
        tries: u32,
        cause: Cause,
    },
    /// The machine stopped this number of times in a row while an agent worked on the task.
    Interrupted(u32),
    /// A person ended the tool of the task's agent before the agent had reported.
    Left,
    /// The task's agent pushed the base itself; the text says who and what.
    BasePushed(String),
    /// The repository got something that changes what git shows or starts while the task's agent was at work; the text says what, and the
    /// way back.
    GitChanged(String),
    /// The task's agents have used up its budget.
    Budget {
        spent: Cost,
        budget: Cost,
    },
    /// The context of the task's agent was full again, and nothing was done since the last restart.
    TooBig,
    /// Checks found something that has to be fixed, and the task's workflow lets a person decide what follows (P27).
    Findings(String),
    /// An integrator changed more than the conflict it was called for, and the task's workflow has no stage that reviews such changes.
    Unreviewed(String),
    /// Nothing can be merged into the base as things are; the text says why, and the ways out. All tasks that come to a merge into it wait
    /// for this one.
    BaseClosed(String),
    /// The next step was refused for good: by the remote, or because something it needs is missing.
    Refused(String),
}

impl fmt::Display for HoldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HoldReason::Approval => f.write_str("waits for approval"),
            HoldReason::Blocked(why) => write!(f, "blocked: {why}"),
            HoldReason::RejectLoop(times) => write!(f, "rejected {times} times"),
            HoldReason::Exhausted(class) => f.write_str(&exhaustion_text(*class, None, None)),
            HoldReason::Budget { spent, budget } => {
                write!(f, "its agents have used {spent} of a budget of {budget}")
            }
            HoldReason::TooBig => f.write_str(
                "filled the context of its agent again with nothing done since the last restart: split it into smaller tasks",
            ),
            HoldReason::TooManyAttempts(times) => write!(f, "no result after {times} attempts"),
            HoldReason::AcceptanceFailed(why) => write!(f, "acceptance failed: {why}"),
            HoldReason::Unverified(why) => write!(f, "could not be verified: {why}"),
            HoldReason::Trouble { tries, cause } => write!(f, "tried {tries} times: {cause}"),
            HoldReason::Interrupted(times) => write!(
                f,
                "the machine stopped {times} times in a row while an agent worked on it: look whether that agent brings it down"
            ),
            HoldReason::Left => f.write_str("its agent was ended in its terminal before it had reported"),
            HoldReason::Findings(what) => write!(f, "checks found: {what}"),
            HoldReason::Unreviewed(what) => write!(f, "not reviewed: {what}"),
            HoldReason::BasePushed(why)
            | HoldReason::GitChanged(why)
            | HoldReason::BaseClosed(why)
            | HoldReason::Refused(why) => f.write_str(why),
        }
    }
}

/// Describes in words that attempts failed as often as their class allows.
pub(crate) fn exhaustion_text(class: FailureClass, times: Option<u32>, cause: Option<&str>) -> String {
    let often = match times {
        None => "too often".to_owned(),
        Some(1) => "once".to_owned(),
        Some(times) => format!("{times} times"),
    };
    // The first finding, whose severity is for the next agent.
    let cause = cause.and_then(|cause| cause.lines().next());
    match (class, times, cause.map(Severity::strip_word)) {
        (FailureClass::Crash, ..) => format!("exited {often} without reporting"),
        (FailureClass::Timeout, ..) => {
            format!("ran too long {often}: split it into smaller tasks, or raise the limit and retry")
        }
        (FailureClass::Context, ..) => "filled the context of its agent after every restart it may have (context.restarts): split it into smaller tasks".to_owned(),
        (_, Some(times), Some(cause)) => format!("failed {times} of {times} tries: {cause}"),
        (_, Some(times), None) => format!("failed {times} of {times} tries: {class}"),
        (_, None, _) => format!("failed too often: {class}"),
    }
}
