//! Answers queries from the read model: the only place that does, for a server as for a command without one.

use std::sync::Arc;

use crate::domain::attempt::ActivityKind;
use crate::domain::{Attempt, Task, TaskId};
use crate::protocol::query::{Answer, OutputFormat, Query, QueryError, Report, TaskDetail};
use crate::protocol::reports::{board, cost, debug, metrics, runs, status, task, tasks, why};
use crate::read_model::{AttentionSummary, DiffBase, MetricsReport, NoChanges, ReadModel, TaskChanges};

/// Facts that are not in the read model, read only for the queries that need them.
pub trait StoredFacts {
    /// Returns the metrics: the store counts ended attempts, the machine gives the load of agents.
    fn metrics(&self, model: &ReadModel) -> Result<Arc<MetricsReport>, QueryError>;

    /// All attempts at a task, also those the board has forgotten, in order.
    fn attempts_at(&self, task: &TaskId) -> Result<Vec<Attempt>, QueryError>;
}

/// The answer to a query.
pub fn answer(model: &ReadModel, query: &Query, facts: &dyn StoredFacts) -> Result<Answer, QueryError> {
    Ok(match query {
        Query::Report(about, format) => Answer::Text(vec![report(model, about, *format, facts)?.into()]),
        Query::Task(id) => Answer::Task(model.tasks.get(id).map(|task| task_detail(model, task))),
        Query::OpenAttempt(name) => Answer::OpenAttempt(why::open_attempt(model, name).cloned()),
        Query::Changes(id, against) => Answer::Changes(changes(model, id, *against)?),
        Query::TaskIds(batch) => {
            let is_meant = |task: &&Arc<Task>| batch.as_ref().is_none_or(|batch| task.batch == *batch);
            let tasks = model.tasks.values().filter(is_meant);
            Answer::TaskIds(tasks.map(|task| task.id.clone()).collect())
        }
        Query::Job(batch) => {
            let batch = model.batches.get(batch);
            Answer::Job(batch.and_then(|batch| batch.job.clone()))
        }
        Query::Attention => Answer::Attention(AttentionSummary::of(model)),
        Query::PromptFacts(id, role) => {
            let task = model
                .tasks
                .get(id)
                .ok_or_else(|| QueryError::NoTask(id.clone()))?;
            Answer::PromptFacts(model.prompt_facts(task, role.as_ref()).map(Box::new))
        }
    })
}

fn changes(model: &ReadModel, id: &TaskId, against: DiffBase) -> Result<TaskChanges, QueryError> {
    model.changes(id, against).map_err(|why| match why {
        NoChanges::NoTask => QueryError::NoTask(id.clone()),
        other => QueryError::NoChanges {
            task: id.clone(),
            why: other.text(id),
        },
    })
}

fn task_detail(model: &ReadModel, task: &Arc<Task>) -> TaskDetail {
    let attempt = task.open_attempt.and_then(|open| model.attempts.get(&open));
    // An error that the board knows already is not a wait that it will learn of.
    let is_failed = |attempt: &Attempt| {
        let doing = &attempt.activity.doing;
        matches!(doing, ActivityKind::Failed(_) | ActivityKind::Error(_))
    };
    let is_waiting = |attempt: &&Arc<Attempt>| {
        let live = model.live.get(&attempt.id);
        live.is_some_and(|live| live.is_waiting) && !is_failed(attempt)
    };
    TaskDetail {
        task: Arc::clone(task),
        attempt: attempt.cloned(),
        is_waiting: attempt.as_ref().is_some_and(is_waiting),
    }
}

/// Returns the plan that a conductor is shown at the beginning of each turn, as the board has it.
pub fn plan_now(model: &ReadModel) -> String {
    runs::plan(model)
}

fn report(
    model: &ReadModel,
    about: &Report,
    format: OutputFormat,
    facts: &dyn StoredFacts,
) -> Result<String, QueryError> {
    match about {
        Report::Status(branches) => status::report(model, branches, format),
        Report::Tasks { state, stage } => tasks::list(model, state.as_deref(), stage.as_deref(), format),
        Report::Ready => tasks::ready(model, format),
        Report::Board { columns, branches } => board::report(model, *columns, branches, format),
        Report::Task(id) => {
            let stored = facts.attempts_at(id)?;
            task::report(model, id, &stored, format)
        }
        Report::Why { name, with_sources } => why::report(model, name, *with_sources, format),
        Report::Debug(folder) => debug::report(model, folder, format),
        Report::Runs(most) => runs::list(model, *most, format),
        Report::Batches => runs::batches(model, format),
        Report::Run(id) => runs::one(model, id, format),
        Report::Cost(by) => cost::report(model, *by, format),
        Report::Metrics => {
            let figures = facts.metrics(model)?;
            metrics::report(model, &figures, format)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::attempt::Activity;
    use crate::domain::{AttemptState, Span, TaskDraft, Timestamp, Verdict};
    use crate::read_model::{LiveActivity, settled_attempt};

    /// A store that cannot be read.
    struct Locked;

    impl StoredFacts for Locked {
        fn metrics(&self, _: &ReadModel) -> Result<Arc<MetricsReport>, QueryError> {
            Err(QueryError::Facts("read the store: it is locked".to_owned()))
        }

        fn attempts_at(&self, _: &TaskId) -> Result<Vec<Attempt>, QueryError> {
            Err(QueryError::Facts("read the store: it is locked".to_owned()))
        }
    }

    #[test]
    fn an_agent_waits_for_somebody_as_soon_as_that_is_seen_unless_it_is_an_error_that_the_board_knows() {
        let is_waiting = |seen: bool, doing: ActivityKind| {
            let mut attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
            attempt.state = AttemptState::Running;
            attempt.activity = Activity::new(doing, "hook", Timestamp(1));
            let mut task = Task::planned(Timestamp(0), &TaskDraft::new("t-1", "One"), "development".into());
            task.open_attempt = Some(attempt.id);
            let live = LiveActivity {
                words: "waiting for permission".to_owned(),
                source: Some("hook".to_owned()),
                since: Timestamp(2),
                age: Span(0),
                is_stale: false,
                is_waiting: seen,
                children: Vec::new(),
                sources: Vec::new(),
            };
            let mut model = ReadModel::default();
            model.live.insert(attempt.id, live);
            model.attempts.insert(attempt.id, Arc::new(attempt));
            model.tasks.insert(task.id.clone(), Arc::new(task));
            let query = Query::Task("t-1".into());
            let Ok(Answer::Task(Some(detail))) = answer(&model, &query, &Locked) else {
                unreachable!("the task is there")
            };
            detail.is_waiting
        };
        assert!(is_waiting(true, ActivityKind::Working));
        assert!(
            is_waiting(true, ActivityKind::Permission("Bash".to_owned())),
            "it may be another one by now"
        );
        assert!(!is_waiting(false, ActivityKind::Working));
        assert!(!is_waiting(true, ActivityKind::Failed("529".to_owned())));
        assert!(!is_waiting(true, ActivityKind::Error("529".to_owned())));
    }

    #[test]
    fn what_is_not_there_is_an_error_of_its_kind() {
        let error = |about| {
            let query = Query::Report(about, OutputFormat::Lines);
            answer(&ReadModel::default(), &query, &Locked).unwrap_err()
        };
        assert_eq!(error(Report::Run("r-9".into())), QueryError::NoRun("r-9".into()));
        assert_eq!(
            error(Report::Why {
                name: "unknown".to_owned(),
                with_sources: false
            }),
            QueryError::NoTaskOrAgent("unknown".to_owned())
        );
        let metrics = error(Report::Metrics).to_string();
        assert_eq!(metrics, "could not read the store: it is locked");
    }
}
