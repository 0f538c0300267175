//! Context of a rehearsal: its attempt, read from the environment once, then passed on as plain values.

use std::ops::RangeBounds;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::error::RehearsalError;
use crate::formats::scenario::AttemptContext;

/// The attempt a rehearsal plays, as its environment variables describe it. Everything has a default, so that a scenario can be
/// tried by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsalContext {
    /// `DBS_ATTEMPT`: id of the attempt.
    pub attempt: String,
    /// `DBS_TOKEN`: its secret.
    pub token: String,
    /// `DBS_TASK`: id of the task.
    pub task: String,
    /// `DBS_TITLE`: title of the task.
    pub title: String,
    /// `DBS_TAGS`: tags of the task, separated by commas.
    pub tags: Vec<String>,
    /// `DBS_STAGE`: stage of the task.
    pub stage: String,
    /// `DBS_ROLE`: role played.
    pub role: String,
    /// `DBS_MODE`: `fresh`, `remediate` or `fallback`.
    pub mode: String,
    /// `DBS_ATTEMPT_NUMBER`: attempts so far, this one included.
    pub number: u32,
    /// `DBS_BRANCH`: the task's branch.
    pub branch: String,
    /// `DBS_BASE`: the branch it will be merged into.
    pub base: String,
    /// `DBS_SOCKET`: where the server listens, for the sink.
    pub socket: Option<PathBuf>,
    /// `DBS_INBOX`: folder for signals when no server listens, for the sink.
    pub inbox: Option<PathBuf>,
    /// `DBS_REHEARSAL_PERSON`: a file that is there once a person uses the program; questions no longer answer themselves then.
    pub person_file: Option<PathBuf>,
    /// `DBS_WORKTREE`: where the work is done; the current folder by default.
    pub worktree: PathBuf,
}

impl RehearsalContext {
    /// Reads the context. `lookup` gives the value of an environment variable.
    ///
    /// # Errors
    /// When `DBS_ATTEMPT_NUMBER` is not a number from 1.
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, RehearsalError> {
        let or = |name: &str, default: &str| lookup(name).unwrap_or_else(|| default.to_owned());
        let path = |name: &str| lookup(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let number = value(lookup, "DBS_ATTEMPT_NUMBER", 1.., "a whole number from 1")?;
        Ok(Self {
            attempt: or("DBS_ATTEMPT", "0"),
            token: or("DBS_TOKEN", ""),
            task: or("DBS_TASK", "task-1"),
            title: or("DBS_TITLE", "An untitled task"),
            tags: or("DBS_TAGS", "")
                .split(',')
                .map(str::trim)
                .filter(|tag| !tag.is_empty())
                .map(Into::into)
                .collect(),
            stage: or("DBS_STAGE", "development"),
            role: or("DBS_ROLE", "developer"),
            mode: or("DBS_MODE", "fresh"),
            number: number.unwrap_or(1),
            branch: or("DBS_BRANCH", ""),
            base: or("DBS_BASE", "main"),
            socket: path("DBS_SOCKET"),
            inbox: path("DBS_INBOX"),
            person_file: path("DBS_REHEARSAL_PERSON"),
            worktree: path("DBS_WORKTREE").unwrap_or_else(|| PathBuf::from(".")),
        })
    }

    /// Returns the circumstances that a part of a scenario may ask for.
    pub fn circumstances(&self) -> AttemptContext<'_> {
        AttemptContext {
            stage: &self.stage,
            role: &self.role,
            task: &self.task,
            title: &self.title,
            tags: &self.tags,
            number: self.number,
            mode: &self.mode,
        }
    }
}

/// Speed of a rehearsal, and the time after which its questions answer themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RehearsalSpeed {
    /// `DBS_REHEARSAL_SPEED`: every wait is divided by it; 1 by default.
    pub speed: f64,
    /// `DBS_REHEARSAL_ANSWER_AFTER`: questions answer themselves after this time (not divided); overrides the scenario.
    pub answer_after: Option<Duration>,
}

impl Default for RehearsalSpeed {
    fn default() -> Self {
        Self {
            speed: 1.0,
            answer_after: None,
        }
    }
}

impl RehearsalSpeed {
    /// Reads the pace. `lookup` gives the value of an environment variable.
    ///
    /// # Errors
    /// When a value is not a number of the right size.
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, RehearsalError> {
        let right = "a number from 0.01 to 100000";
        let speed = value(lookup, "DBS_REHEARSAL_SPEED", 0.01..=100_000.0, right)?;
        let right = "seconds from 0 to 86400";
        let answer = value(lookup, "DBS_REHEARSAL_ANSWER_AFTER", 0.0..=86_400.0, right)?;
        Ok(Self {
            speed: speed.unwrap_or(1.0),
            answer_after: answer.map(Duration::from_secs_f64),
        })
    }

    /// Returns the real length of a wait of `time`.
    pub fn scaled(&self, time: Duration) -> Duration {
        time.div_f64(self.speed)
    }
}

/// The value of a variable; `None` if it is not set or empty.
fn value<T: FromStr + PartialOrd>(
    lookup: &dyn Fn(&str) -> Option<String>,
    name: &'static str,
    range: impl RangeBounds<T>,
    right: &'static str,
) -> Result<Option<T>, RehearsalError> {
    let Some(value) = lookup(name).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let parsed = value.parse().ok().filter(|value| range.contains(value)).map(Some);
    parsed.ok_or(RehearsalError::Environment { name, value, right })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_describes_the_attempt() {
        let lookup = |name: &str| match name {
            "DBS_TASK" => Some("a-1".to_owned()),
            "DBS_TAGS" => Some("security, frontend,".to_owned()),
            "DBS_ATTEMPT_NUMBER" => Some("3".to_owned()),
            "DBS_REHEARSAL_SPEED" => Some("4".to_owned()),
            _ => None,
        };
        let context = RehearsalContext::read(&lookup).unwrap();
        assert_eq!((context.task.as_str(), context.number), ("a-1", 3));
        assert_eq!(context.tags, ["security", "frontend"]);
        assert_eq!(
            (context.role.as_str(), context.worktree.to_str()),
            ("developer", Some("."))
        );
        let pace = RehearsalSpeed::read(&lookup).unwrap();
        assert_eq!(pace.scaled(Duration::from_secs(2)), Duration::from_millis(500));
    }

    #[test]
    fn values_nobody_can_use_are_refused_with_the_way_out() {
        for (name, value) in [
            ("DBS_REHEARSAL_SPEED", "0"),
            ("DBS_REHEARSAL_SPEED", "fast"),
            ("DBS_REHEARSAL_ANSWER_AFTER", "-1"),
        ] {
            let error = RehearsalSpeed::read(&|asked| (asked == name).then(|| value.to_owned())).unwrap_err();
            assert!(
                error.to_string().contains(name) && error.to_string().contains("must be"),
                "{error}"
            );
        }
        assert!(
            RehearsalContext::read(&|asked| (asked == "DBS_ATTEMPT_NUMBER").then(|| "0".to_owned())).is_err()
        );
    }
}
