//! Contents of a task's card, in pieces that list and kanban share (K80): marker, id, title, the agent and its activity, the age, the tasks
//! it waits for.

use crate::display::text::{cut, width};
use crate::domain::task::TaskState;
use crate::domain::{Span, Task, TaskId, WaitReason, Worker};
use crate::read_model::RunningCheck;
use crate::ui::canvas::prelude::*;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::status::{DisplayStatus, StatusLabel, task_status};

/// Minimum columns of a name: a shorter one has no meaning.
const LEAST_NAME: usize = 3;

/// A task with everything its card or row in the board shows.
pub(super) struct TaskCard<'a> {
    pub(super) task: &'a Task,
    pub(super) marker: StatusLabel,
    /// State of the task without details and reasons.
    brief: String,
    pub(super) who: Option<String>,
    /// Names of dependencies that are not done.
    pub(super) unresolved: Vec<String>,
    /// The last line of its agent's terminal, while it works.
    pub(super) last: Option<String>,
    /// Time for which the state has lasted.
    pub(super) age: String,
    /// The check that runs on its work.
    pub(super) check: Option<RunningCheck<'a>>,
    glyphs: Glyphs,
    /// The mark for text that was cut.
    more: &'static str,
}

impl<'a> TaskCard<'a> {
    pub(super) fn for_task(id: &TaskId, scene: &Scene<'a>) -> Option<TaskCard<'a>> {
        let task: &Task = scene.model.tasks.get(id)?;
        let mut marker = task_status(task, scene);
        let mut brief = marker.standing.word.clone();
        if let Some(short) = marker.standing.short {
            let word = format!("{short} {}", marker.standing.reason);
            word.trim_end().clone_into(&mut marker.word);
        }
        let check = task.open_attempt.and_then(|attempt| scene.running_check(attempt));
        if let Some(running) = check {
            marker.word = running.to_string();
        }
        if task.state == TaskState::Released && task.why_not == Some(WaitReason::Paused) {
            // The top row shows it for all of them, at every size.
            marker.word.clear();
        }
        let progress = task
            .open_attempt
            .and_then(|attempt| scene.screens.reported(ScreenId::Attempt(attempt)).progress_word());
        if let Some(progress) = progress.filter(|_| marker.mark == DisplayStatus::Running) {
            marker.word = format!("{} {progress}", marker.word);
            brief = format!("{brief} {progress}");
        }
        let worker = scene.model.open_attempt(task).map(|attempt| &attempt.worker);
        Some(TaskCard {
            task,
            last: task
                .open_attempt
                .and_then(|id| last_line(scene, ScreenId::Attempt(id))),
            who: worker.and_then(|worker| match worker {
                Worker::Agent { name, .. } => Some(name.clone()),
                Worker::Engine(_) => None,
            }),
            unresolved: if task.state.is_terminal() {
                Vec::new()
            } else {
                let open = scene.model.open_dependencies(task);
                open.iter().map(|id| scene.model.name_of(id)).collect()
            },
            age: scene.now.since(marker.since).to_string(),
            marker,
            brief,
            check,
            glyphs: scene.theme.glyphs,
            more: scene.theme.ellipsis(),
        })
    }

    pub(super) fn glyph(&self) -> StyledText {
        piece(self.marker.mark.glyph(self.glyphs), self.marker.role)
    }

    /// Returns the title, with `!` before it when the task carries the `priority` tag.
    pub(super) fn title(&self) -> StyledText {
        let urgent = if self.task.tags.contains("priority") {
            "!"
        } else {
            ""
        };
        let role = if self.is_quiet() {
            StyleRole::Dim
        } else {
            StyleRole::Text
        };
        piece(format!("{urgent}{}", self.task.title), role)
    }

    /// Returns the agent, as far as there is room, and the state in one line of that width. The words for the state and the times of a
    /// check stay; the names are cut (K80).
    pub(super) fn summary(&self, room: usize) -> Vec<StyledText> {
        let mut full = self.full_status();
        let is_at_work = self.marker.mark == DisplayStatus::Running;
        if is_at_work && width(&full.text) + LEAST_NAME + 1 > room {
            full.text.clone_from(&self.brief);
        }
        let beside = room.saturating_sub(width(&full.text) + 1);
        // The dependency it waits for, and the progress of a check, matter more than the agent.
        let matters = matches!(
            self.marker.mark,
            DisplayStatus::NeedsYou | DisplayStatus::Held | DisplayStatus::Gate
        );
        let name = self.name(beside).filter(|name| {
            let is_whole = width(name) <= beside;
            is_whole || (!matters && beside >= LEAST_NAME)
        });
        match name {
            Some(name) => {
                let name = cut(name, beside, self.more);
                vec![dim(format!("{name} ")), full]
            }
            None => vec![self.fitted(room)],
        }
    }

    /// Returns the agent that works on the task: role and name if there is room for both, else the name (K80).
    pub(super) fn name(&self, room: usize) -> Option<&str> {
        let who = self.who.as_deref()?;
        let short = who.rsplit('-').next().unwrap_or(who);
        Some(if width(who) <= room { who } else { short })
    }

    /// Returns the word for the state, or the tasks it waits for, in full.
    pub(super) fn full_status(&self) -> StyledText {
        if self.is_waiting() {
            return self.dependencies(self.unresolved.len());
        }
        piece(&self.marker.word, self.marker.role)
    }

    /// Returns the status in that width: in fewer words if there are such.
    fn fitted(&self, room: usize) -> StyledText {
        let full = self.full_status();
        if width(&full.text) <= room {
            return full;
        }
        if let Some(check) = &self.check {
            return piece(checking(check, room, self.more), full.role);
        }
        if self.is_waiting() {
            let fewer = (1..self.unresolved.len())
                .rev()
                .map(|many| self.dependencies(many));
            let fits = |piece: &StyledText| width(&piece.text) <= room;
            return { fewer }.find(fits).unwrap_or_else(|| self.after_one());
        }
        match self.marker.mark {
            DisplayStatus::Queued | DisplayStatus::Running => piece(&self.brief, full.role),
            _ => full,
        }
    }

    /// Returns true if the task waits for other tasks.
    pub(super) fn is_waiting(&self) -> bool {
        self.marker.mark == DisplayStatus::Waiting && !self.unresolved.is_empty()
    }

    /// Returns the shortest status: the first dependency, and the number of the others.
    fn after_one(&self) -> StyledText {
        let one = self.dependencies(1);
        piece(one.text.replacen("waits for", "after", 1), one.role)
    }

    /// Returns the dependencies it waits for, the first `named` ones by name: `⊘ dbs-3, dbs-4 +2`.
    pub(super) fn dependencies(&self, named: usize) -> StyledText {
        let mark = self.glyphs.pick("⊘", "waits for");
        let first: Vec<&str> = self.unresolved.iter().take(named).map(String::as_str).collect();
        let rest = match self.unresolved.len().saturating_sub(named) {
            0 => String::new(),
            rest => format!(" +{rest}"),
        };
        piece(format!("{mark} {}{rest}", first.join(", ")), StyleRole::Blocked)
    }

    /// Returns true if nothing happens here at the moment.
    pub(super) fn is_quiet(&self) -> bool {
        self.marker.role == StyleRole::Pending
    }
}

/// Returns the last line that a terminal shows while its program runs.
pub(super) fn last_line(scene: &Scene<'_>, id: ScreenId) -> Option<String> {
    let mut last = String::new();
    scene.screens.with(id, &mut |screen| {
        if screen.is_running() {
            last = screen.last_line();
        }
    });
    (!last.is_empty()).then_some(last)
}

/// Returns the source of an agent's state, and its age.
pub(super) fn reported(source: &str, age: Span) -> String {
    match source {
        "report" => format!("reported {age} ago"),
        source => format!("from {source}, {age} ago"),
    }
}

/// Returns a check and its times in that width: its name is cut, then left out, then its usual duration.
fn checking(check: &RunningCheck<'_>, room: usize, more: &str) -> String {
    let times = check.times();
    let left = room.saturating_sub(width(&times) + 1);
    if left >= LEAST_NAME {
        return format!("{} {times}", cut(&check.check.name, left, more));
    }
    if width(&times) <= room {
        times
    } else {
        check.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AttemptId, Timestamp};
    use crate::read_model::{CheckResult, CheckRun};

    #[test]
    fn with_little_room_the_name_of_a_check_is_cut_then_left_out_then_how_long_it_takes() {
        let check = CheckRun {
            attempt: AttemptId(3),
            index: 0,
            task: "dbs-1".into(),
            stage: "review".into(),
            name: "integration".to_owned(),
            command: "make".to_owned(),
            commit: String::new(),
            began: Timestamp(0),
            result: CheckResult::Running,
            tests: None,
            took: None,
            is_cut: false,
            hidden: Vec::new(),
        };
        let running = RunningCheck {
            check: &check,
            so_far: Span::seconds(40),
            usual: Some(Span::seconds(75)),
        };
        let fitted = |room| checking(&running, room, "~");
        assert_eq!(fitted(23), "integration 40s of ~75s");
        assert_eq!(fitted(17), "inte~ 40s of ~75s");
        assert_eq!(fitted(15), "in~ 40s of ~75s");
        assert_eq!(fitted(14), "40s of ~75s");
        assert_eq!(fitted(10), "40s");
    }
}
