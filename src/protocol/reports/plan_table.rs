//! A run of a plan as a table in plain text: a row for each phase, story or task of a graph.

use crate::protocol::reports::progress::progress;
use crate::read_model::{PlanRow, PlanRun, ReadModel};
use crate::term::sanitize;

/// Heads of the columns; the state comes last, because it may be long.
const HEAD: [&str; 9] = [
    "#", "TASK", "TITLE", "AFTER", "RISK", "GATES", "TRIES", "COST", "STATE",
];

/// Returns the lines of the table, its head first.
pub(super) fn lines(model: &ReadModel, run: &PlanRun<'_>) -> Vec<String> {
    let cells: Vec<[String; 9]> = run.rows.iter().map(|row| cells(model, row)).collect();
    table(HEAD, &cells)
}

/// Returns rows below a head, their columns aligned. Columns without any value are left out.
pub(super) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Vec<String> {
    let width = |at: usize| {
        let values = rows.iter().filter_map(|row| row.get(at));
        values
            .map(|value| value.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let shown = row.iter().zip(head).zip(&widths).filter(|(_, width)| **width > 0);
        let padded = shown.map(|((value, head), width)| {
            let width = (*width).max(head.len());
            format!("{value:<width$}")
        });
        format!("  {}", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let head = head.map(str::to_owned);
    std::iter::once(&head).chain(rows).map(line).collect()
}

fn cells(model: &ReadModel, row: &PlanRow<'_>) -> [String; 9] {
    let task = row.task;
    let count = row.gates;
    let gates = match count.passed {
        _ if count.all == 0 => String::new(),
        None => format!("-/{}", count.all),
        Some(passed) => format!("{passed}/{}", count.all),
    };
    let tries = Some(row.tries).filter(|tries| *tries > 0);
    let standing = model.standing(task).line();
    let open = model.open_attempt(task);
    let step = open.and_then(|attempt| progress(model, attempt));
    let step = step.map_or_else(String::new, |step| format!("  ({step})"));
    [
        row.item.to_owned(),
        task.id.to_string(),
        sanitize(&task.title).replace(char::is_whitespace, " "),
        row.needs.join(" "),
        row.risk.as_ref().map(ToString::to_string).unwrap_or_default(),
        gates,
        tries.map_or_else(String::new, |tries| tries.to_string()),
        row.cost.map_or_else(String::new, |cost| cost.to_string()),
        format!("{} {}{step}", model.stage_label(task), standing),
    ]
}
