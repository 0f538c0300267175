//! Kanban board as text (K66, K80): rows by stage, the newest of the done ones, and their standing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::display::text::{cut, width};
use crate::domain::batch::Batch;
use crate::domain::{
    Attempt, AttemptId, BatchId, PauseReason, Task, TaskId, Timestamp, UsageLimit, Workflow,
};
use crate::protocol::query::{OutputFormat, QueryError, TaskBranches};
use crate::protocol::reports::in_format;
use crate::protocol::reports::status;
use crate::protocol::reports::tasks::note;
use crate::read_model::{ColumnKind, ReadModel};

/// Maximum number of cards shown per column, and of the done ones (K80).
const MAX_CARDS: usize = 50;
const MAX_DONE: usize = 5;
/// Columns of a title that are shown in any case.
const MIN_TITLE: usize = 8;

pub(in crate::protocol) fn report(
    model: &ReadModel,
    columns: Option<usize>,
    branches: &TaskBranches,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let text = || {
        let mut lines = lines(model, columns);
        lines.push(String::new());
        lines.extend(status::lines(model, branches));
        lines
    };
    let data = || BoardJson {
        at: model.at,
        live: model.is_live,
        tasks: &model.tasks,
        attempts: &model.attempts,
        batches: &model.batches,
        workflows: model.workflows.values().collect(),
        pause: &model.pause,
        limits: &model.limits,
        base: &model.base,
        max_agents: model.max_agents,
    };
    in_format(format, data, text)
}

/// The board as data for other programs. Its fields stay as they are.
#[derive(Serialize)]
struct BoardJson<'a> {
    at: Timestamp,
    live: bool,
    tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    attempts: &'a BTreeMap<AttemptId, Arc<Attempt>>,
    batches: &'a BTreeMap<BatchId, Arc<Batch>>,
    workflows: Vec<&'a Arc<Workflow>>,
    pause: &'a Option<PauseReason>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    limits: &'a BTreeMap<String, UsageLimit>,
    base: &'a Option<String>,
    max_agents: u32,
}

/// Returns the board in lines; titles are cut so that the text after them fits into `room` columns.
fn lines(model: &ReadModel, room: Option<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    for column in &model.columns {
        let most = match column.kind {
            ColumnKind::Done => MAX_DONE,
            ColumnKind::Backlog | ColumnKind::Stage(..) => MAX_CARDS,
        };
        lines.push(format!("{} ({})", column.title, column.cards.len()));
        let shown = column.cards.iter().take(most);
        let tasks = shown.filter_map(|id| model.tasks.get(id));
        lines.extend(tasks.map(|task| entry(model, task, room)));
        if column.cards.len() > most {
            lines.push(format!("  +{} more", column.cards.len() - most));
        }
    }
    lines
}

fn entry(model: &ReadModel, task: &Task, room: Option<usize>) -> String {
    let (before, after) = (
        format!("  {:<14} {}", task.id, mark(task)),
        wait_reason(model, task),
    );
    let title = match room {
        Some(room) => cut(
            &task.title,
            room.saturating_sub(width(&before) + width(&after)).max(MIN_TITLE),
            "…",
        ),
        None => task.title.clone(),
    };
    format!("{before}{title}{after}")
}

fn mark(task: &Task) -> &'static str {
    if task.tags.contains("priority") { "! " } else { "" }
}

fn wait_reason(model: &ReadModel, task: &Task) -> String {
    let open = model.open_dependencies(task);
    if open.is_empty() || task.state.is_terminal() {
        return note(model, task);
    }
    let open: Vec<String> = open.iter().map(|id| model.name_of(id)).collect();
    format!("  ⊘ {}", open.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Board, BoardSettings, Command, Event, RequestId, SignalKind, TaskDraft};

    /// A board with one person's commands carried out.
    fn board(commands: Vec<Command>) -> Board {
        let mut board = Board::default();
        let flows = crate::formats::workflow::builtin().into_iter();
        let flows = flows.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
        let settings = BoardSettings {
            base: Some("main".to_owned()),
            ..BoardSettings::default()
        };
        board.apply(Timestamp(1), &Event::configured(settings));
        for command in commands {
            let (request, by) = (RequestId(0), "ann".to_owned());
            board.apply(Timestamp(2), &Event::Asked { request, by, command });
        }
        board
    }

    fn create(id: &str) -> Command {
        Command::Create(draft(id))
    }

    fn draft(id: &str) -> TaskDraft {
        TaskDraft::new(id, format!("Build {id}"))
    }

    /// A draft that waits for `t-1`.
    fn waiting(id: &str) -> TaskDraft {
        TaskDraft {
            deps: ["t-1".into()].into(),
            ..draft(id)
        }
    }

    fn shown(board: &Board, room: Option<usize>) -> Vec<String> {
        lines(&ReadModel::of(board, Timestamp(3)), room)
    }

    #[test]
    fn a_dependency_whose_id_says_nothing_is_shown_with_its_title() {
        let board = board(vec![
            Command::Create(TaskDraft::new("dbs-6f2a", "Add an export of all orders")),
            Command::Create(TaskDraft {
                deps: ["dbs-6f2a".into()].into(),
                ..draft("t-2")
            }),
        ]);
        let lines = shown(&board, None);
        let row = lines.iter().find(|line| line.contains("t-2")).unwrap();
        assert!(row.ends_with("⊘ dbs-6f2a Add an export of all…"), "{row}");
    }

    #[test]
    fn the_board_has_a_row_for_each_stage_and_shows_what_each_task_waits_for() {
        let mut board = board(vec![
            create("t-1"),
            Command::Create(waiting("t-2")),
            Command::Create(TaskDraft {
                tags: ["priority".to_owned()].into(),
                ..waiting("t-3")
            }),
            Command::Create(TaskDraft {
                workflow: "investigation".into(),
                ..draft("inv")
            }),
            Command::Release(vec!["t-1".into(), "t-2".into(), "inv".into()]),
        ]);
        let open = board.tasks[&TaskId::from("t-1")].open_attempt.unwrap();
        let agent = board.attempts[&open].worker.name().to_owned();
        let lines = shown(&board, None);
        let headings: Vec<&str> = lines
            .iter()
            .filter(|line| !line.starts_with(' '))
            .map(String::as_str)
            .collect();
        assert_eq!(
            headings,
            [
                "Backlog (1)",
                "Dev (2)",
                "Review (0)",
                "Merge (0)",
                "Investigating (1)",
                "Done (0)",
            ]
        );
        let has = |text: &str| assert!(lines.iter().any(|line| line.contains(text)), "{text}: {lines:#?}");
        has("t-3            ! Build t-3  ⊘ t-1");
        has("t-2            Build t-2  ⊘ t-1");
        has(&format!("t-1            Build t-1  [{agent}: starting]"));
        let blocked = Event::Signalled {
            attempt: open,
            kind: SignalKind::Block,
            text: "no key".to_owned(),
            key: "k".to_owned(),
            by_file: false,
            report: None,
            claims: crate::domain::Claims::default(),
        };
        board.apply(Timestamp(4), &blocked);
        let ended = Event::AttemptEnded {
            attempt: open,
            exit: crate::domain::ProcessExit::Code(0),
            tail: String::new(),
            cause: None,
        };
        board.apply(Timestamp(5), &ended);
        let lines = shown(&board, None);
        let is_blocked = |line: &String| line.contains("Build t-1  (blocked: no key)");
        assert!(lines.iter().any(is_blocked));
    }

    #[test]
    fn the_board_shows_fifty_of_a_column_and_five_of_the_done_and_counts_the_rest() {
        let mut commands: Vec<Command> = (0..53).map(|n| create(&format!("b-{n:02}"))).collect();
        for n in 0..7 {
            let id = format!("d-{n}");
            commands.push(create(&id));
            commands.push(Command::Close(id.as_str().into(), "not wanted".to_owned()));
        }
        let lines = shown(&board(commands), None);
        let of = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
        assert_eq!((of("  b-"), of("  d-")), (50, 5));
        assert!(lines.contains(&"  +3 more".to_owned()) && lines.contains(&"  +2 more".to_owned()));
        assert!(
            !lines.iter().any(|line| line.contains("d-1 ")),
            "the newest are shown"
        );
    }

    #[test]
    fn titles_are_cut_to_the_terminal_and_marks_stay() {
        let long = TaskDraft {
            title: "A long title of many words that goes on".to_owned(),
            ..waiting("t-2")
        };
        let board = board(vec![create("t-1"), Command::Create(long)]);
        let lines = shown(&board, Some(40));
        let line = lines.iter().find(|line| line.contains("t-2 ")).unwrap();
        assert!(width(line) <= 40 && line.ends_with("⊘ t-1"), "{line}");
        assert!(
            shown(&board, None).iter().any(|line| line.contains("goes on")),
            "a pipe gets all"
        );
    }
}
