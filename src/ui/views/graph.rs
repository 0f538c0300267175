//! What waits for what: each task below the dependency that comes last before it, with the longest chain of work marked.

use ratatui::layout::Rect;

use super::card::Card;
use super::{Hit, Hits, Look, Moved, Step, View, first_row, stepped};
use crate::domain::{Span, TaskId, counted};
use crate::read_model::{Graph, GraphRow};
use crate::ui::action::Page;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::pane::Direction;
use crate::ui::shelf::{Paper, Sheet, Want};
use crate::ui::target::{fits, selected};
use crate::ui::theme::{Glyphs, Role};

/// What waits for what.
pub(super) struct GraphView;

/// Its name.
pub(super) const PAGE: Page = Page::of("graph");

/// How old what is drawn up may be.
const FRESH: Span = Span::seconds(1);
/// Columns of one level.
const LEVEL: usize = 3;
/// Columns that are left for a task at least, however deep it stands.
const LEAST: usize = 30;

impl View for GraphView {
    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let mut title = vec![piece("Dependencies", Role::Title)];
        let Some(graph) = graph(look) else { return title };
        if graph.rows.is_empty() {
            return title;
        }
        let figures = format!("  {}, {} deep", counted(graph.rows.len(), "task"), graph.depth);
        title.push(piece(figures, Role::Dim));
        if !graph.path.is_empty() {
            title.push(piece(
                format!("  * longest way left: {}", graph.path.len()),
                Role::Retry,
            ));
        }
        if graph.alone > 0 {
            title.push(piece(
                format!("  {} more wait for nothing", graph.alone),
                Role::Dim,
            ));
        }
        title
    }

    fn papers(&self, _look: &Look<'_>) -> Vec<Want> {
        vec![Want {
            paper: Paper::Graph,
            fresh_for: FRESH,
        }]
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        let Some(graph) = graph(look) else {
            return Some((0, 0));
        };
        Some((shown(look, graph).len(), graph.rows.len()))
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let Some(graph) = graph(look).filter(|graph| !graph.rows.is_empty()) else {
            return empty(look, area, canvas);
        };
        let rows = shown(look, graph);
        let chosen = marked(look, &rows);
        let height = usize::from(area.height);
        let first = first_row(chosen.unwrap_or(0), height, rows.len());
        for (nth, row) in rows.iter().skip(first).take(height).enumerate() {
            let line = row_of(area, nth);
            draw_row(look, row, line, canvas);
            if chosen == Some(first + nth) {
                canvas.tint(line, look.chosen());
            }
            hits.push((line, Hit::Task(look.id, row.task.clone())));
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let Some(graph) = graph(look) else {
            return Moved::Out;
        };
        let rows = shown(look, graph);
        let at = marked(look, &rows);
        let row = at.and_then(|at| rows.get(at));
        let whole = rows.len() == graph.rows.len();
        let to = match step {
            Step::One(Direction::Left) => row.and_then(|row| row.below).filter(|_| whole),
            Step::One(Direction::Right) => rows
                .iter()
                .position(|row| whole && row.below.is_some() && row.below == at),
            other => other.rows(area.height).and_then(|by| stepped(at, by, rows.len())),
        };
        match to.and_then(|to| rows.get(to)) {
            Some(row) => Moved::Task(row.task.clone()),
            None => Moved::Out,
        }
    }
}

fn graph<'a>(look: &Look<'a>) -> Option<&'a Graph> {
    match look.scene.shelf.sheet(&Paper::Graph)? {
        Sheet::Graph(graph) => Some(graph),
        _ => None,
    }
}

/// The row of the selected task, if it has one; else the first.
fn marked(look: &Look<'_>, rows: &[&GraphRow]) -> Option<usize> {
    let chosen = selected(look.state, look.scene)?;
    let at = rows.iter().position(|row| row.task == chosen);
    at.or(Some(0)).filter(|at| *at < rows.len())
}

/// The rows that match what the list is filtered by.
fn shown<'a>(look: &Look<'_>, graph: &'a Graph) -> Vec<&'a GraphRow> {
    let needle = look.sieve().needle;
    let rows = graph.rows.iter();
    rows.filter(|row| fits(&needle, look.scene, &row.task)).collect()
}

fn draw_row(look: &Look<'_>, row: &GraphRow, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = Card::of(&row.task, look.scene) else {
        let gone = format!("   {} is gone", row.task);
        canvas.line(line, &[piece(gone, Role::Dim)]);
        return;
    };
    let age = [piece(format!(" {:>4} ", card.age), Role::Dim)];
    let right = canvas.right(line, &age);
    let critical = if row.is_critical { "*" } else { " " };
    // Without the rows between them the lines would lead nowhere.
    let trunk = if look.pane.filter.is_empty() {
        trunk(row, usize::from(line.width), look.scene.theme.glyphs)
    } else {
        String::new()
    };
    let title = card.title();
    let strong = Piece {
        role: if row.is_critical { Role::Strong } else { title.role },
        ..title
    };
    let mut pieces = vec![
        piece(critical, Role::Retry),
        piece(trunk, Role::Border),
        card.glyph(),
        piece(format!(" {} ", row.task), Role::Dim),
        strong,
        piece("  ", Role::Text),
        piece(&card.marker.word, card.marker.role),
    ];
    if !row.also.is_empty() {
        let ids: Vec<&str> = row.also.iter().map(TaskId::as_str).collect();
        pieces.push(piece(format!("  also after {}", ids.join(", ")), Role::Blocked));
    }
    let room = Rect {
        width: line.width - right,
        ..line
    };
    canvas.line(room, &pieces);
}

/// The lines that lead to a task; of one that stands very deep only the last of them.
fn trunk(row: &GraphRow, room: usize, glyphs: Glyphs) -> String {
    let (through, branch, end, none) = match glyphs {
        Glyphs::Unicode => ("│  ", "├─ ", "└─ ", "   "),
        Glyphs::Ascii => ("|  ", "+- ", "`- ", "   "),
    };
    let levels = row.follows.len();
    let most = room.saturating_sub(LEAST) / LEVEL;
    let hidden = levels.saturating_sub(most.max(1));
    let mut trunk = String::new();
    if hidden > 0 {
        trunk.push_str(&hidden.to_string());
        trunk.push_str("> ");
    }
    for (level, follows) in row.follows.iter().enumerate().skip(hidden) {
        trunk.push_str(match (level + 1 == levels, *follows) {
            (false, true) => through,
            (false, false) => none,
            (true, true) => branch,
            (true, false) => end,
        });
    }
    trunk
}

fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let top = usize::from(area.height) / 3;
    if let Some(why) = look.failure(&Paper::Graph) {
        return canvas.centre(row_of(area, top), &why, Role::Failed);
    }
    let (text, hint) = match graph(look) {
        None => ("Looking at what waits for what.", ""),
        Some(_) => (
            "No task waits for another.",
            "dbs task dep TASK OTHER lets one wait for the other.",
        ),
    };
    canvas.centre(row_of(area, top), text, Role::Strong);
    canvas.centre(row_of(area, top + 2), hint, Role::Dim);
}
