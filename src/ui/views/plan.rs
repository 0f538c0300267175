//! The runs of plans as a table: a row for each phase, story or task of a graph, with the tasks it waits for, its risk, gates, tries, state
//! and cost.

use super::list::{ListRow, stepped};
use super::task_card::TaskCard;
use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::{cut, width};
use crate::domain::batch::RunState;
use crate::domain::plan_entry::Risk;
use crate::domain::{TaskId, pluralized};
use crate::keymap::{Action, ViewName};
use crate::read_model::{PlanRow, PlanRun};
use crate::ui::canvas::prelude::*;
use crate::ui::target::{selected, task_filter};

/// The view of the runs of plans.
pub(super) struct PlanView;

/// Name of the view.
pub(super) const PAGE: ViewName = ViewName::of("plan");

/// Columns of the name of an item.
const ITEM: usize = 6;
/// Columns of the names of items that one waits for.
const NEEDS: usize = 10;
/// Columns of a risk.
const RISK: usize = 7;
/// Columns of the count of gates, `2/3`.
const GATES: usize = 6;
/// Columns of the number of tries.
const TRIES: usize = 6;
/// Columns of a cost.
const COST: usize = 8;
/// Columns of the age of a state.
const AGE: usize = 5;
/// Inner width from which a row has its risk, and from which it has the items it waits for and its cost.
const WITH_RISK: u16 = 76;
const WIDE: u16 = 96;

impl View for PlanView {
    fn description(&self) -> &'static str {
        "The phases, stories or tasks of a plan: gates passed of all, tries, state and cost."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("Plan", StyleRole::Title)];
        let runs = ctx.scene.model.plan_runs();
        if let Some(run) = runs.first() {
            title.push(dim(format!("  {}", summary(run))));
        }
        if runs.len() > 1 {
            title.push(dim(format!("  {} more", pluralized(runs.len() - 1, "run"))));
        }
        title
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        let runs = ctx.scene.model.plan_runs();
        let all = runs.iter().map(|run| run.rows.len()).sum();
        Some((items(&rows(ctx, &runs)).len(), all))
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let runs = ctx.scene.model.plan_runs();
        if runs.is_empty() {
            return empty(ctx, area, canvas);
        }
        let columns = Columns::fitting(area.width);
        canvas.line(row_of(area, 0), &columns.head());
        let rows = rows(ctx, &runs);
        let chosen = marked(ctx, &items(&rows)).cloned();
        let below = skip_top(area, 1);
        ctx.draw_rows(
            below,
            &rows,
            |row| Some(&row.task.id) == chosen.as_ref(),
            canvas,
            |row, line, canvas| {
                draw_row(ctx, &columns, row, line, canvas);
                ClickTarget::Task(ctx.id, row.task.id.clone())
            },
        );
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let runs = ctx.scene.model.plan_runs();
        let rows = rows(ctx, &runs);
        let items = items(&rows);
        let at = marked(ctx, &items).and_then(|id| items.iter().position(|row| row.task.id == *id));
        let to = movement
            .rows(area.height)
            .and_then(|by| stepped(at, by, items.len()));
        match to.and_then(|to| items.get(to)) {
            Some(row) => MoveOutcome::Task(row.task.id.clone()),
            None => MoveOutcome::LeaveView,
        }
    }
}

/// Returns the rows that match the filter, below a heading for each run if there are several.
fn rows<'a>(ctx: &ViewContext<'_>, runs: &'a [PlanRun<'a>]) -> Vec<ListRow<&'a PlanRow<'a>>> {
    let needle = ctx.filter().needle;
    let mut is_match = task_filter(&needle, ctx.scene);
    let mut rows = Vec::new();
    for run in runs {
        let found: Vec<_> = run.rows.iter().filter(|row| is_match(&row.task.id)).collect();
        if runs.len() > 1 && !found.is_empty() {
            rows.push(ListRow::Text(vec![strong(format!(" {}", summary(run)))]));
        }
        rows.extend(found.into_iter().map(ListRow::Item));
    }
    rows
}

fn items<'a>(rows: &[ListRow<&'a PlanRow<'a>>]) -> Vec<&'a PlanRow<'a>> {
    rows.iter().filter_map(ListRow::item).copied().collect()
}

/// Returns the selected task if it has a row, else that of the first row.
fn marked<'a>(ctx: &ViewContext<'_>, items: &[&'a PlanRow<'a>]) -> Option<&'a TaskId> {
    let chosen = selected(ctx.state, ctx.scene)?;
    let row = items.iter().find(|row| row.task.id == chosen).or(items.first());
    row.map(|row| &row.task.id)
}

/// Returns the title of a run, its state, the items that are done and the cost.
fn summary(run: &PlanRun<'_>) -> String {
    let title = if run.batch.title.is_empty() {
        run.batch.id.as_str()
    } else {
        &run.batch.title
    };
    let cost = run.cost().map_or_else(String::new, |cost| format!("  {cost}"));
    let state = match run.batch.run {
        RunState::Completed => String::new(),
        RunState::Stalled if run.rows.iter().any(|row| row.task.state.awaits_approval()) => {
            "  waits for you".to_owned()
        }
        ref state => format!("  {state}"),
    };
    format!("{title}{state}  {} of {} done{cost}", run.done(), run.rows.len())
}

/// Columns that have room beside the title and the state.
struct Columns {
    has_risk: bool,
    is_wide: bool,
    title: usize,
    state: usize,
}

impl Columns {
    fn fitting(width: u16) -> Columns {
        let (has_risk, is_wide) = (width >= WITH_RISK, width >= WIDE);
        let mut fixed = 3 + ITEM + GATES + TRIES + AGE + 1;
        if has_risk {
            fixed += RISK;
        }
        if is_wide {
            fixed += NEEDS + COST;
        }
        let rest = usize::from(width).saturating_sub(fixed);
        let title = rest * 11 / 20;
        Columns {
            has_risk,
            is_wide,
            title,
            state: rest - title,
        }
    }

    fn head(&self) -> Vec<StyledText> {
        let cell = |is_shown: bool, head: &str, room: usize| {
            let room = if is_shown { room } else { 0 };
            format!("{:<room$}", if is_shown { head } else { "" })
        };
        let cells = [
            cell(true, "", 3),
            cell(true, "#", ITEM),
            cell(true, "Title", self.title),
            cell(self.is_wide, "After", NEEDS),
            cell(self.has_risk, "Risk", RISK),
            cell(true, "Gates", GATES),
            cell(true, "Tries", TRIES),
            cell(true, "State", self.state),
            cell(self.is_wide, "    Cost", COST),
        ];
        vec![dim(cells.concat())]
    }
}

fn draw_row(
    ctx: &ViewContext<'_>,
    columns: &Columns,
    row: &PlanRow<'_>,
    line: Rect,
    canvas: &mut Canvas<'_>,
) {
    let Some(card) = TaskCard::for_task(&row.task.id, ctx.scene) else {
        return;
    };
    let more = ctx.scene.theme.ellipsis();
    let cell = |text: &str, room: usize| {
        let text = cut(text, room.saturating_sub(1), more);
        let blank = room.saturating_sub(width(&text));
        format!("{text}{}", " ".repeat(blank))
    };
    let title = card.title();
    let mut pieces = vec![
        plain(" "),
        card.glyph(),
        plain(" "),
        dim(cell(row.item, ITEM)),
        piece(cell(&title.text, columns.title), title.role),
    ];
    if columns.is_wide {
        pieces.push(dim(cell(&row.needs.join(" "), NEEDS)));
    }
    if columns.has_risk {
        pieces.push(risk(row.risk, &cell));
    }
    pieces.push(gates(row, &cell));
    let tries = if row.tries == 0 {
        String::new()
    } else {
        row.tries.to_string()
    };
    let role = if row.tries > 1 {
        StyleRole::Retry
    } else {
        StyleRole::Dim
    };
    pieces.push(piece(cell(&tries, TRIES), role));
    let state = card.full_status();
    pieces.push(piece(cell(&state.text, columns.state), state.role));
    if columns.is_wide {
        let cost = row.cost.map_or_else(String::new, |cost| cost.to_string());
        pieces.push(dim(format!("{cost:>COST$}")));
    }
    canvas.both_ends(line, &pieces, &[dim(format!("{:>AGE$} ", card.age))]);
}

fn risk(risk: Option<Risk>, cell: &impl Fn(&str, usize) -> String) -> StyledText {
    let role = match risk {
        Some(Risk::High) => StyleRole::Failed,
        Some(Risk::Medium) => StyleRole::Retry,
        Some(Risk::Low) | None => StyleRole::Dim,
    };
    piece(cell(risk.map_or("", Into::into), RISK), role)
}

/// Returns the gates that passed, of all; a dash for those that did not run yet.
fn gates(row: &PlanRow<'_>, cell: &impl Fn(&str, usize) -> String) -> StyledText {
    let all = row.gates.all;
    let (text, role) = match row.gates.passed {
        _ if all == 0 => (String::new(), StyleRole::Dim),
        None => (format!("-/{all}"), StyleRole::Dim),
        Some(passed) if passed == all => (format!("{passed}/{all}"), StyleRole::Done),
        Some(passed) => (format!("{passed}/{all}"), StyleRole::Failed),
    };
    piece(cell(&text, GATES), role)
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let new = format!("{}  create a task", ctx.key_of(Action::NewTask));
    let lines = [
        ("No plan is on the board.", StyleRole::Strong),
        ("", StyleRole::Text),
        ("dbs run PLAN       carry out a plan", StyleRole::Text),
        ("dbs init FEATURE   begin one from a template", StyleRole::Text),
        ("dbs design GOAL    have agents design one", StyleRole::Text),
        (new.as_str(), StyleRole::Text),
    ];
    let height = usize::from(area.height);
    let top = (height / 3).min(height.saturating_sub(lines.len()));
    canvas.centred_lines(area, top, &lines);
}
