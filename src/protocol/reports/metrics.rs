//! The figures about the work that was done, as text and as JSON (K79).

use serde_json::json;

use crate::domain::{Span, StageId, TaskId, TaskState, Timestamp};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::read_model::{AttemptLoad, Metrics, MetricsReport, ReadModel, Trail, per_span};

const HOURS: usize = 24;

pub(in crate::protocol) fn report(
    model: &ReadModel,
    figures: &MetricsReport,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let (metrics, loads) = (&figures.metrics, &figures.loads);
    in_format(
        format,
        || as_json(model, metrics, loads),
        || lines(model, metrics, loads),
    )
}

fn done(model: &ReadModel) -> impl Iterator<Item = Timestamp> {
    let tasks = model.tasks.values();
    tasks
        .filter(|task| task.state == TaskState::Done)
        .map(|task| task.since)
}

fn as_json(model: &ReadModel, metrics: &Metrics, loads: &[AttemptLoad]) -> serde_json::Value {
    let stages = order(model, metrics).into_iter().filter_map(|id| {
        let stage = metrics.stages.get(id)?;
        Some(json!({
            "stage": id, "passed": stage.passes, "sent_back": stage.rejections, "failed": stage.failures,
            "took_ms": stage.took.0, "average_ms": stage.average().0,
        }))
    });
    let trails = metrics.trails.iter().map(|(id, trail)| {
        let steps = trail.steps.iter().map(|step| {
            json!({ "stage": step.stage, "times": step.times, "took_ms": step.took.0, "sent_back": step.is_rejected })
        });
        let done = model.tasks.get(id).is_some_and(|task| task.state == TaskState::Done);
        json!({ "task": id, "began": trail.began, "ended": trail.ended, "done": done, "steps": steps.collect::<Vec<_>>() })
    });
    let loads = loads.iter().map(|load| {
        json!({ "attempt": load.attempt, "task": task_of(model, load).0, "agent": task_of(model, load).1,
                "cpu_percent": load.cpu, "memory_bytes": load.memory, "processes": load.processes })
    });
    let failures = metrics.failures.iter();
    let failures: serde_json::Map<String, serde_json::Value> = failures
        .map(|(class, many)| (class.to_string(), (*many).into()))
        .collect();
    json!({
        "at": model.at, "tasks_done": done(model).count(),
        "done_per_hour": per_span(done(model), Span::minutes(60), model.at, HOURS),
        "attempts": metrics.attempts, "sent_back": metrics.rejections(), "tried_again": metrics.retries(),
        "timeouts": metrics.timeouts(), "stopped": metrics.stopped, "failures": failures,
        "stages": stages.collect::<Vec<_>>(), "trails": trails.collect::<Vec<_>>(), "agents": loads.collect::<Vec<_>>(),
    })
}

fn lines(model: &ReadModel, metrics: &Metrics, loads: &[AttemptLoad]) -> Vec<String> {
    let hours = per_span(done(model), Span::minutes(60), model.at, HOURS);
    let mut lines = vec![
        format!(
            "tasks done: {}, {} of them in the last {HOURS} hours",
            done(model).count(),
            hours.iter().sum::<u64>()
        ),
        format!(
            "attempts ended: {}; sent back {}, tried again {}, timeouts {}, stopped {}",
            metrics.attempts,
            metrics.rejections(),
            metrics.retries(),
            metrics.timeouts(),
            metrics.stopped
        ),
    ];
    for (class, many) in &metrics.failures {
        lines.push(format!("  {:<16} {many:>5}", class.to_string()));
    }
    lines.push(format!(
        "{:<18} {:>8} {:>7} {:>9} {:>7}",
        "stage", "average", "passed", "sent back", "failed"
    ));
    for id in order(model, metrics) {
        let Some(stage) = metrics.stages.get(id) else {
            continue;
        };
        lines.push(format!(
            "  {:<16} {:>8} {:>7} {:>9} {:>7}",
            label(model, id),
            stage.average().to_string(),
            stage.passes,
            stage.rejections,
            stage.failures
        ));
    }
    lines.push(format!("agents at work: {}", loads.len()));
    for load in loads {
        let (task, name) = task_of(model, load);
        lines.push(format!(
            "  {name:<24} {task:<14} {:>5.0}% of a core, {} MiB, {} processes",
            load.cpu,
            load.memory / (1024 * 1024),
            load.processes
        ));
    }
    lines.extend(task_trails(model, metrics));
    lines
}

/// The ways of tasks, the latest first.
fn task_trails(model: &ReadModel, metrics: &Metrics) -> Vec<String> {
    let mut lines = Vec::new();
    let mut latest: Vec<_> = metrics.trails.iter().collect();
    latest.sort_by(|(a, of_a), (b, of_b)| of_b.ended.cmp(&of_a.ended).then_with(|| a.cmp(b)));
    if !latest.is_empty() {
        lines.push("ways of tasks, the latest first (2x: tried twice, !: sent back)".to_owned());
    }
    lines.extend(latest.into_iter().map(|(id, trail)| {
        let total = trail.ended.since(trail.began);
        let is_done = model
            .tasks
            .get(id)
            .is_some_and(|task| task.state == TaskState::Done);
        format!(
            "  {:<14} {:>8}  {}",
            id.as_str(),
            total.to_string(),
            steps(model, id, trail, is_done)
        )
    }));
    lines
}

fn steps(model: &ReadModel, task: &TaskId, trail: &Trail, is_done: bool) -> String {
    let steps: Vec<String> = trail
        .steps
        .iter()
        .map(|step| {
            let mark = if step.is_rejected { "!" } else { "" };
            let times = if step.times > 1 {
                format!(" {}x", step.times)
            } else {
                String::new()
            };
            let name = short(model, task, &step.stage);
            format!("{name}{mark}{times} {}", step.took)
        })
        .chain(is_done.then(|| "done".to_owned()))
        .collect();
    steps.join(" > ")
}

/// Returns the short name of a stage in the way of a task (K13): by the task's own workflow, else by the first that knows the stage.
fn short<'a>(model: &'a ReadModel, task: &TaskId, id: &'a StageId) -> &'a str {
    let own = model.tasks.get(task).map(|task| &task.workflow);
    let own = model.workflows.values().filter(|flow| Some(&flow.id) == own);
    let mut stages = own
        .chain(model.workflows.values())
        .filter_map(|flow| flow.stage(id));
    stages.next().map_or(id.as_str(), |stage| &stage.short)
}

/// The title of a stage, as the board has it.
fn label<'a>(model: &'a ReadModel, id: &'a StageId) -> &'a str {
    let mut stages = model.workflows.values().filter_map(|flow| flow.stage(id));
    stages.next().map_or(id.as_str(), |stage| &stage.label)
}

fn task_of<'a>(model: &'a ReadModel, load: &AttemptLoad) -> (&'a str, &'a str) {
    let attempt = model.attempts.get(&load.attempt);
    attempt.map_or(("", ""), |attempt| (attempt.task.as_str(), attempt.worker.name()))
}

/// Stages that have figures, in the order of the workflows; unknown ones last.
fn order<'a>(model: &ReadModel, metrics: &'a Metrics) -> Vec<&'a StageId> {
    let place = |id: &StageId| {
        let mut places = model
            .workflows
            .values()
            .filter_map(|flow| flow.stages.iter().position(|stage| stage.id == *id));
        places.next().unwrap_or(usize::MAX)
    };
    let mut known: Vec<&StageId> = metrics.stages.keys().collect();
    known.sort_by_key(|id| place(id));
    known
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{FailureClass, StopCause, Task, TaskDraft, Verdict};
    use crate::read_model::settled_attempt;

    /// One attempt after the other, each with its stage, minutes and verdict.
    fn counted(attempts: Vec<(&str, u64, Verdict)>) -> Metrics {
        let mut metrics = Metrics::default();
        let mut at = 0;
        for (id, (stage, minutes, verdict)) in (1..).zip(attempts) {
            let begun = at;
            at += minutes * 60_000;
            let attempt = settled_attempt(id, stage, begun, at, verdict);
            metrics.record(&attempt);
        }
        metrics
    }

    #[test]
    fn the_figures_show_ways_with_repeats_and_rejections_averages_and_totals() {
        let crash = Verdict::Failed(FailureClass::Crash, "".into());
        let metrics = counted(vec![
            ("development", 10, crash),
            ("development", 20, Verdict::Passed),
            ("reviewing", 5, Verdict::Rejected(String::new())),
            ("development", 30, Verdict::Stopped(StopCause::Timeout)),
            ("development", 60, Verdict::Passed),
        ]);
        let board = ReadModel::default();
        let text = lines(&board, &metrics, &[]);
        let has = |wanted: &str| {
            assert!(
                text.iter().any(|line| line.contains(wanted)),
                "{wanted}: {text:#?}"
            );
        };
        has("attempts ended: 5; sent back 1, tried again 2, timeouts 1, stopped 0");
        has("  development           30m       2         0       2");
        has("  reviewing              5m       0         1       0");
        has("t-1                  2h  development 2x 30m > reviewing! 5m > development 2x 1.5h");
        let of_task = &metrics.trails[&"t-1".into()];
        let trail = |is_done| steps(&board, &"t-1".into(), of_task, is_done);
        assert!(trail(true).ends_with(" > done") && !trail(false).contains("done"));
        let data = as_json(&board, &metrics, &[]);
        assert_eq!((&data["sent_back"], &data["timeouts"]), (&json!(1), &json!(1)));
        assert_eq!(data["stages"][0]["average_ms"], 30 * 60_000);
        assert_eq!(data["trails"][0]["steps"][1]["sent_back"], true);
    }

    #[test]
    fn stages_have_their_titles_and_in_the_ways_of_tasks_the_short_names_of_the_tasks_workflow() {
        let texts = crate::formats::workflow::builtin().into_iter();
        let mut flows =
            texts.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        let own = flows.find(|flow| flow.id.as_str() == "kanban").unwrap();
        let mut other = own.clone();
        other.id = "another".into();
        for stage in &mut other.stages {
            stage.short = format!("other-{}", stage.short);
        }
        let task = Task::planned(
            Timestamp(0),
            &TaskDraft::new("t-1", "Login"),
            "development".into(),
        );
        let board = ReadModel {
            tasks: [(task.id.clone(), Arc::new(task))].into(),
            workflows: [other, own].map(|flow| (flow.id.clone(), Arc::new(flow))).into(),
            ..ReadModel::default()
        };
        let metrics = counted(vec![
            ("development", 10, Verdict::Passed),
            ("security_review", 5, Verdict::Rejected(String::new())),
            ("gone", 5, Verdict::Passed),
        ]);
        let text = lines(&board, &metrics, &[]).join("\n");
        for wanted in [
            "\n  Dev  ",
            "\n  Sec Review  ",
            "\n  gone  ",
            "  dev 10m > sec! 5m > gone 5m",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        let data = as_json(&board, &metrics, &[]);
        assert_eq!(
            data["trails"][0]["steps"][1]["stage"], "security_review",
            "data has ids"
        );
    }
}
