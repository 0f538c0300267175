//! Answers queries from the read model: the only place that does, for a server as for a command without one.

use std::sync::Arc;

use crate::domain::{Attempt, Task};
use crate::protocol::query::{Answer, OutputFormat, Query, QueryError, Report, TaskDetail};
use crate::protocol::reports::{board, cost, debug, metrics, runs, status, task, tasks, why};
use crate::read_model::{AttentionSummary, MetricsReport, ReadModel};

/// Measures the figures that are not in the read model: the store counts ended attempts, the machine what agents use. An error
/// reads after "could not".
pub type MeasureMetrics<'a> = &'a dyn Fn() -> Result<Arc<MetricsReport>, String>;

/// The answer to a query; `measure` is called for [`Report::Metrics`] only.
pub fn answer(model: &ReadModel, query: &Query, measure: MeasureMetrics<'_>) -> Result<Answer, QueryError> {
    Ok(match query {
        Query::Report(about, format) => Answer::Text(vec![report(model, about, *format, measure)?.into()]),
        Query::Task(id) => Answer::Task(model.tasks.get(id).map(|task| {
            TaskDetail {
                task: Arc::clone(task),
                attempt: task
                    .open_attempt
                    .and_then(|open| model.attempts.get(&open))
                    .cloned(),
            }
        })),
        Query::Attempt(name) => Answer::Attempt(attempt(model, name).cloned()),
        Query::TaskIds(batch) => {
            let is_meant = |task: &&Arc<Task>| batch.as_ref().is_none_or(|batch| task.batch == *batch);
            let tasks = model.tasks.values().filter(is_meant);
            Answer::TaskIds(tasks.map(|task| task.id.clone()).collect())
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

/// What a conductor is shown at the begin of each turn: its plan as the board has it.
pub fn plan_now(model: &ReadModel) -> String {
    runs::plan(model)
}

fn report(
    model: &ReadModel,
    about: &Report,
    format: OutputFormat,
    measure: MeasureMetrics<'_>,
) -> Result<String, QueryError> {
    match about {
        Report::Status(branches) => status::report(model, branches, format),
        Report::Tasks { state, stage } => tasks::list(model, (state.as_deref(), stage.as_deref()), format),
        Report::Ready => tasks::ready(model, format),
        Report::Board { columns, branches } => board::report(model, (*columns, branches), format),
        Report::Task(id) => task::report(model, id, format),
        Report::Why(name) => why::report(model, name, format),
        Report::Debug(folder) => debug::report(model, folder, format),
        Report::Runs(most) => runs::list(model, *most, format),
        Report::Batches => runs::batches(model, format),
        Report::Run(id) => runs::one(model, id, format),
        Report::Cost(by) => cost::report(model, *by, format),
        Report::Metrics => metrics::report(model, measure().map_err(QueryError::Metrics)?.as_ref(), format),
    }
}

/// The open attempt of that agent or task, else the task's last.
fn attempt<'a>(model: &'a ReadModel, name: &str) -> Option<&'a Arc<Attempt>> {
    let of_task = |attempt: &&Arc<Attempt>| attempt.task.as_str() == name;
    let open = why::open_attempt(model, name);
    open.or_else(|| model.attempts.values().rev().find(of_task))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_an_error_of_its_kind() {
        let error = |about| {
            let query = Query::Report(about, OutputFormat::Lines);
            let measure = || Err("read the store: it is locked".to_owned());
            answer(&ReadModel::default(), &query, &measure).unwrap_err()
        };
        assert_eq!(
            error(Report::Task("t-9".into())),
            QueryError::NoTask("t-9".into())
        );
        assert_eq!(
            error(Report::Why("nobody".to_owned())),
            QueryError::NoTaskOrAgent("nobody".to_owned())
        );
        let metrics = error(Report::Metrics).to_string();
        assert_eq!(metrics, "could not read the store: it is locked");
    }
}
