//! The kanban board as text (K66, K80): rows by stage, the newest of the done ones, and how things stand.

use std::ops::ControlFlow;
use std::process::ExitCode;

use super::{branches, note, status_lines, unless_unread};
use crate::app::args::Json;
use crate::app::commands::Outcome;
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::wire::Snapshot;
use crate::domain::{Board, Task};
use crate::read_model::{Column, ColumnKind, ReadModel};

/// Most cards shown per column, and of the done ones (K80).
const MOST: usize = 50;
const MOST_DONE: usize = 5;

/// Prints the board; with `watch` again whenever something happens.
pub(in crate::app::commands) fn board(edge: &Edge, watch: bool, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let place = door.place.clone();
    print(&door.snapshot()?, json, || branches(&place, edge));
    if watch {
        let mut problem = None;
        door.follow(
            u64::MAX - 1,
            &mut |_| match Door::to(place.clone()).and_then(|mut door| door.snapshot()) {
                Ok(board) => {
                    if !json.json {
                        out::line("");
                    }
                    print(&board, json, || branches(&place, edge));
                    unless_unread()
                }
                Err(why) => {
                    problem = Some(why);
                    ControlFlow::Break(())
                }
            },
        )?;
        return problem.map_or(Ok(ExitCode::SUCCESS), Err);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(board: &Snapshot, json: Json, branches: impl FnOnce() -> Result<Vec<String>, String>) {
    if json.json {
        out::json(board);
        return;
    }
    for column in columns(board) {
        let most = if column.kind == ColumnKind::Done {
            MOST_DONE
        } else {
            MOST
        };
        out::line(&format!("{} ({})", column.title, column.cards.len()));
        for task in column
            .cards
            .iter()
            .take(most)
            .filter_map(|id| board.tasks.get(id))
        {
            out::line(&format!(
                "  {:<14} {}{}{}",
                task.id,
                mark(task),
                task.title,
                waits(board, task)
            ));
        }
        if column.cards.len() > most {
            out::line(&format!("  +{} more", column.cards.len() - most));
        }
    }
    out::line("");
    for line in status_lines(board, &branches()) {
        out::line(&line);
    }
}

/// The same columns and order as on the screen.
fn columns(snapshot: &Snapshot) -> Vec<Column> {
    let mut board = Board::default();
    for task in snapshot.tasks.values() {
        board.tasks.insert(task.id.clone(), task.clone().into());
    }
    for flow in &snapshot.workflows {
        board.workflows.insert(flow.id.clone(), flow.clone().into());
    }
    ReadModel::of(&board, snapshot.at).columns
}

fn mark(task: &Task) -> &'static str {
    if task.tags.contains("priority") { "! " } else { "" }
}

fn waits(board: &Snapshot, task: &Task) -> String {
    let done = |id: &&crate::domain::TaskId| {
        !board
            .tasks
            .get(*id)
            .is_some_and(|other| other.state == crate::domain::TaskState::Done)
    };
    let open: Vec<&str> = task
        .deps
        .iter()
        .filter(done)
        .map(crate::domain::TaskId::as_str)
        .collect();
    if open.is_empty() || task.state.is_terminal() {
        note(board, task)
    } else {
        format!("  ⊘ {}", open.join(", "))
    }
}
