//! The demo without a screen: one line per event, a summary, and an exit code that shows if `origin` has exactly the expected contents.

use serde::Serialize;

use crate::adapters::output;
use crate::adapters::rehearsal::{DemoRepos, DemoScript, demo_differences};
use crate::app::demo::phases;
use crate::cli::command_error::could_not;
use crate::domain::attempt::WorkspaceState;
use crate::domain::{BatchId, RunState, TaskState, Timestamp, pluralized};
use crate::read_model::{CostGroup, LogLine, ReadModel};
use crate::server::Server;

/// Result of a headless demo: tasks, attempts, duration and differences from the expected tree.
#[derive(Debug, Serialize)]
pub(super) struct DemoSummary {
    run: String,
    done: usize,
    tasks: usize,
    /// Number of attempts made, the engine's included.
    attempts: u64,
    /// Duration in milliseconds.
    milliseconds: u64,
    /// Differences of `origin` from its expected contents.
    differences: Vec<String>,
    /// Files of `origin` in the end, if no script decides their contents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Cost of the agents, where they report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
    exit: u8,
}

/// Prints events until the run has ended and everything is put away; returns the state of the run.
pub(super) async fn follow(server: &Server, batch: &BatchId, json: bool) -> RunState {
    let session = &server.session;
    let (mut models, mut lines) = (
        session.engine.read_models.clone(),
        session.engine.journal.changes(),
    );
    let (began, mut after) = (session.started_at, 0);
    loop {
        after = print_after(server, after, began, json);
        let state = ended(&models.borrow_and_update(), batch);
        if let Some(state) = state {
            print_after(server, after, began, json);
            return state;
        }
        if session.has_ended() {
            return RunState::Aborted("the engine has stopped; see the log".to_owned());
        }
        let changed = tokio::select! {
            changed = models.changed() => changed.is_ok(),
            changed = lines.changed() => changed.is_ok(),
            () = server.stop.cancelled() => false,
        };
        if !changed {
            return RunState::Aborted("interrupted".to_owned());
        }
    }
}

fn print_after(server: &Server, mut after: u64, began: Timestamp, json: bool) -> u64 {
    for line in server.session.engine.journal.after(after) {
        after = line.seq;
        print(&line, began, json);
    }
    after
}

fn print(line: &LogLine, began: Timestamp, json: bool) {
    if json {
        output::json(line);
        return;
    }
    let since = line.at.since(began).0;
    let task = line.notice.task.as_ref().map_or("", |task| task.as_str());
    output::line(&format!(
        "{:>5}.{}s  {:<14} {:<10} {}",
        since / 1000,
        since % 1000 / 100,
        line.notice.kind,
        task,
        line.notice.text
    ));
}

/// Returns the state of the run once it is final, no attempt is open and every workspace is put away.
fn ended(model: &ReadModel, batch: &BatchId) -> Option<RunState> {
    let run = &model.batches.get(batch)?.run;
    let busy = model.attempts.values().any(|attempt| {
        attempt.state.is_open()
            || matches!(
                attempt.workspace,
                WorkspaceState::Leaving | WorkspaceState::Kept | WorkspaceState::Present
            )
    });
    // No person has to come for a phase that the demo is about to approve by itself.
    let goes_on = phases::waiting(model).is_some();
    (run.is_final() && !busy && !goes_on).then(|| run.clone())
}

/// Sums up a run; of one that was not scripted the expected contents of `origin` are not known.
pub(super) fn sum_up(
    server: &Server,
    made: &DemoRepos,
    script: Option<DemoScript>,
    run: &RunState,
    ended_at: Timestamp,
) -> DemoSummary {
    let model = server.session.engine.read_model();
    let done = model
        .tasks
        .values()
        .filter(|task| task.state == TaskState::Done)
        .count();
    let tree = made.base_tree();
    let files = match &tree {
        Ok(found) if script.is_none() => found.keys().cloned().collect(),
        Ok(_) | Err(_) => Vec::new(),
    };
    let costs = model.costs(CostGroup::Batch);
    let cost = costs.iter().find_map(|row| row.usage.cost);
    let differences = match (script, tree) {
        (Some(script), Ok(found)) => {
            demo_differences(script, found).unwrap_or_else(|error| vec![could_not(error).to_string()])
        }
        (None, Ok(_)) => Vec::new(),
        (_, Err(error)) => vec![could_not(error).to_string()],
    };
    DemoSummary {
        exit: exit(run, done, model.tasks.len(), &differences),
        run: run.to_string(),
        done,
        tasks: model.tasks.len(),
        attempts: model.attempts.keys().next_back().map_or(0, |id| id.0),
        milliseconds: ended_at.since(server.session.started_at).0,
        differences,
        files,
        cost: cost.map(|cost| cost.to_string()),
    }
}

/// Returns the exit code: 0 only when all tasks are done and `origin` has the expected contents.
fn exit(run: &RunState, done: usize, tasks: usize, differences: &[String]) -> u8 {
    match run.exit_code() {
        0 if done != tasks || !differences.is_empty() => 1,
        code => code,
    }
}

impl DemoSummary {
    /// Prints the summary and returns the exit code.
    pub(super) fn print(&self, server: &Server, json: bool) -> u8 {
        if json {
            output::json(self);
            return self.exit;
        }
        output::line("");
        output::line(&format!(
            "{}: {} of {} done, {}, {}.{} s, {}",
            self.run,
            self.done,
            pluralized(self.tasks, "task"),
            pluralized(self.attempts, "attempt"),
            self.milliseconds / 1000,
            self.milliseconds % 1000 / 100,
            pluralized(server.clients(), "client")
        ));
        for task in server
            .session
            .engine
            .read_model()
            .tasks
            .values()
            .filter(|task| task.state != TaskState::Done)
        {
            let why = task
                .why_not
                .as_ref()
                .map_or_else(String::new, |why| format!(": {why}"));
            output::line(&format!("{} is {}{why}", task.id, task.state.word()));
        }
        if let Some(cost) = &self.cost {
            output::line(&format!("the agents cost {cost}"));
        }
        if !self.files.is_empty() {
            output::line(&format!("origin holds {}", self.files.join(", ")));
        } else if self.differences.is_empty() {
            output::line("origin holds exactly the expected tree");
        }
        self.differences
            .iter()
            .for_each(|difference| output::line(&format!("origin: {difference}")));
        self.exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_ends_with_0_only_when_all_is_done_and_nothing_differs() {
        let differs = ["c is missing".to_owned()];
        assert_eq!(exit(&RunState::Completed, 12, 12, &[]), 0);
        assert_eq!(exit(&RunState::Completed, 11, 12, &[]), 1);
        assert_eq!(exit(&RunState::Completed, 12, 12, &differs), 1);
        assert_eq!(exit(&RunState::Stalled, 12, 12, &[]), 5);
        assert_eq!(exit(&RunState::Aborted("interrupted".to_owned()), 12, 12, &[]), 1);
    }
}
