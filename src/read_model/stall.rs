//! Stall of a run that does not continue by itself although nothing asks a person: its cause, and the act that ends it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::batch::RunState;
use crate::domain::{BatchId, Task, TaskId, TaskState, WaitReason, pluralized};
use crate::read_model::ReadModel;

/// Cause that keeps a run from continuing, and the act that ends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    pub batch: BatchId,
    /// The task that the act is for; `None` if it is for a setting.
    pub task: Option<TaskId>,
    /// The cause, such as `t-3 is in the backlog`.
    pub text: String,
    pub act: StallAct,
}

/// Act of a person that lets a run continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StallAct {
    /// Hand the task over.
    Release,
    /// Say yes to it.
    Approve,
    /// Take the task up again.
    Retry,
    /// Name a base branch.
    SetBase,
    /// Look for the reason: the fault is in the task or in its workflow.
    Look,
}

impl Stall {
    /// The command of the act.
    pub fn command(&self) -> String {
        let task = self.task.as_ref().map(TaskId::as_str).unwrap_or_default();
        match self.act {
            StallAct::Release => format!("dbs task release {task}"),
            StallAct::Approve => format!("dbs approve {task}"),
            StallAct::Retry => format!("dbs retry {task}"),
            StallAct::SetBase => "dbs config base_branch NAME".to_owned(),
            StallAct::Look => format!("dbs why {task}"),
        }
    }
}

impl ReadModel {
    /// The first run that is stalled, if one is.
    pub fn stall(&self) -> Option<Stall> {
        let mut batches = self.batches.values();
        let batch = batches.find(|batch| batch.run == RunState::Stalled)?;
        let of_it = || self.tasks.values().filter(|task| task.batch == batch.id);
        let is_stuck = |task: &&std::sync::Arc<Task>| {
            let waits = task.state == TaskState::Released && task.why_not.is_some();
            waits || matches!(task.state, TaskState::Parked(_))
        };
        let found = of_it()
            .find(is_stuck)
            .and_then(|task| self.cause(task, &mut BTreeSet::new()));
        let (task, text, act) = found.or_else(|| {
            let waiting: Vec<_> = of_it().filter(|task| task.state == TaskState::Backlog).collect();
            let text = format!(
                "{} in the backlog not handed over",
                pluralized(waiting.len(), "task")
            );
            Some((waiting.first()?.id.clone(), text, StallAct::Release))
        })?;
        Some(Stall {
            batch: batch.id.clone(),
            task: (act != StallAct::SetBase).then_some(task),
            text,
            act,
        })
    }

    /// Returns the task at the end of the chain that this one waits for, the reason why it does not move, and the act that ends that.
    fn cause(&self, task: &Task, seen: &mut BTreeSet<TaskId>) -> Option<(TaskId, String, StallAct)> {
        if !seen.insert(task.id.clone()) {
            return None;
        }
        let name = self.name_of(&task.id);
        let (text, act) = match (&task.state, &task.why_not) {
            (TaskState::Backlog, _) => (format!("{name} is in the backlog"), StallAct::Release),
            (TaskState::Parked(why), _) => (format!("{name} is parked: {why}"), StallAct::Retry),
            (state, _) if state.awaits_approval() => {
                (format!("{name} waits for approval"), StallAct::Approve)
            }
            (TaskState::Skipped(_), _) => (
                format!("{name} was skipped, and others wait for it"),
                StallAct::Retry,
            ),
            (TaskState::Failed(_) | TaskState::Held(_), _) => {
                (format!("{name} is {}", task.state.word()), StallAct::Retry)
            }
            (_, Some(WaitReason::Dependencies(on) | WaitReason::DependencyNotMerged(on))) => {
                let mut deeper = on.iter().filter_map(|id| self.tasks.get(id));
                return deeper
                    .find_map(|task| self.cause(task, seen))
                    .or_else(|| Some((task.id.clone(), self.why_not(task)?, StallAct::Look)));
            }
            (_, Some(WaitReason::BaseClosed { task, .. })) => return self.cause(self.tasks.get(task)?, seen),
            (_, Some(WaitReason::Batches(on))) => {
                let mut of_them = self.tasks.values().filter(|task| on.contains(&task.batch));
                return of_them
                    .find_map(|task| self.cause(task, seen))
                    .or_else(|| Some((task.id.clone(), self.why_not(task)?, StallAct::Look)));
            }
            (_, Some(WaitReason::NoGoAhead)) => (self.why_not(task)?, StallAct::Release),
            (_, Some(WaitReason::NoBase)) => ("no base branch is set".to_owned(), StallAct::SetBase),
            (_, Some(_)) => (self.why_not(task)?, StallAct::Look),
            _ => return None,
        };
        Some((task.id.clone(), text, act))
    }

    fn why_not(&self, task: &Task) -> Option<String> {
        let why = self.wait_text(task.why_not.as_ref()?);
        Some(format!("{}: {why}", self.name_of(&task.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Board, BoardSettings, Command, Event, RequestId, TaskDraft, Timestamp};

    fn draft(id: &str, deps: &[&str]) -> Command {
        Command::Create(TaskDraft {
            deps: deps.iter().map(|id| TaskId::from(*id)).collect(),
            ..TaskDraft::new(id, id)
        })
    }

    /// The board after these commands of a person.
    fn after(base: Option<&str>, commands: Vec<Command>) -> ReadModel {
        let mut board = Board::default();
        let flows = crate::formats::workflow::builtin().into_iter();
        let flows = flows.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
        let settings = BoardSettings {
            base: base.map(str::to_owned),
            ..BoardSettings::default()
        };
        board.apply(Timestamp(1), &Event::configured(settings));
        for command in commands {
            let (request, by) = (RequestId(0), "ann".to_owned());
            board.apply(Timestamp(2), &Event::Asked { request, by, command });
        }
        ReadModel::of(&board, Timestamp(3))
    }

    #[test]
    fn a_run_that_goes_on_by_itself_is_not_stalled() {
        let release = Command::Release(vec!["t-1".into(), "t-2".into()]);
        let at_work = after(
            Some("main"),
            vec![draft("t-1", &[]), draft("t-2", &["t-1"]), release],
        );
        assert_eq!(at_work.stall(), None);
        assert_eq!(
            after(Some("main"), vec![draft("t-1", &[])]).stall(),
            None,
            "only planned"
        );
        assert_eq!(ReadModel::default().stall(), None);
    }

    #[test]
    fn the_task_at_the_end_of_what_is_waited_for_is_the_cause() {
        let deps = vec![
            draft("t-1", &[]),
            draft("t-2", &["t-1"]),
            draft("t-3", &["t-2"]),
            Command::Release(vec!["t-2".into(), "t-3".into()]),
        ];
        let stall = after(Some("main"), deps).stall().unwrap();
        assert_eq!(
            (stall.text.as_str(), stall.act, stall.command()),
            (
                "t-1 is in the backlog",
                StallAct::Release,
                "dbs task release t-1".to_owned()
            )
        );
    }

    #[test]
    fn without_a_base_branch_the_setting_is_the_cause() {
        let stall = after(
            None,
            vec![draft("t-1", &[]), Command::Release(vec!["t-1".into()])],
        )
        .stall();
        let stall = stall.unwrap();
        assert_eq!((stall.act, stall.task.clone()), (StallAct::SetBase, None));
        assert_eq!(stall.command(), "dbs config base_branch NAME");
    }

    #[test]
    fn what_waits_for_a_yes_is_approved_and_not_retried() {
        let Command::Create(mut asked) = draft("t-1", &[]) else {
            return;
        };
        asked.needs_approval = true;
        let commands = vec![
            Command::Create(asked),
            draft("t-2", &["t-1"]),
            Command::Release(vec!["t-1".into(), "t-2".into()]),
        ];
        let stall = after(Some("main"), commands).stall().unwrap();
        assert_eq!(
            (stall.text.as_str(), stall.command()),
            ("t-1 waits for approval", "dbs approve t-1".to_owned())
        );
    }

    #[test]
    fn a_parked_task_is_taken_up_again() {
        let commands = vec![
            draft("t-1", &[]),
            Command::Release(vec!["t-1".into()]),
            Command::Park("t-1".into(), "it rains".to_owned()),
        ];
        let model = after(Some("main"), commands);
        // Its agent has to end first.
        assert_eq!(model.stall().is_some(), model.agents().next().is_none());
        let mut parked = vec![draft("t-0", &[]), draft("t-1", &["t-0"])];
        parked.push(Command::Release(vec!["t-1".into()]));
        parked.push(Command::Park("t-1".into(), "it rains".to_owned()));
        let stall = after(Some("main"), parked).stall().unwrap();
        assert_eq!(
            (stall.text.as_str(), stall.act),
            ("t-1 is parked: it rains", StallAct::Retry)
        );
    }
}
