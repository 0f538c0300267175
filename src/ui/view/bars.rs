//! The two rows at the top: where you are and how things stand; what needs you.

use ratatui::layout::Rect;

use super::banners::{Words, banners, that_fit};
use super::{FrameOf, machine};
use crate::domain::{Span, TaskState};
use crate::read_model::Trouble;
use crate::ui::action::Action;
use crate::ui::arrange::{Framing, SEVERAL};
use crate::ui::canvas::{Canvas, Piece, piece, pieces_width};
use crate::ui::marker::{Mark, attention_word};
use crate::ui::pane::PaneId;
use crate::ui::state::Content;
use crate::ui::text::{clean, cut, width};
use crate::ui::theme::Role;
use crate::ui::views::{Hit, Hits, view_of};

/// How tabs are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Names,
    Digits,
    /// Only the one that is shown.
    Here,
}

/// What is tried one after the other until it fits.
const TRIES: [(Tabs, Words); 4] = [
    (Tabs::Names, Words::All),
    (Tabs::Digits, Words::All),
    (Tabs::Digits, Words::Few),
    (Tabs::Here, Words::Few),
];
/// Columns that are left for where one is, however much is wrong.
const LEAST_LEFT: usize = 16;

/// The top row. What does not fit goes: what the machine has left, run time, agents, counts one by one, then the names of tabs
/// become digits, then banners say less, then only the tab that is shown is left. Banners stay.
pub(super) fn top(frame: &FrameOf<'_>, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    let area = frame.arranged.top;
    canvas.tint(area, Role::Bar);
    let fits = |left: &Left, right: &[Piece]| left.width() + pieces_width(right) < usize::from(area.width);
    let both = |(tabs, words)| (left(frame, tabs), banners(frame, words));
    let mut tries = TRIES.into_iter().map(both);
    let found = tries.find(|(left, banners)| fits(left, banners));
    let (left, banners) = found.unwrap_or_else(|| {
        let room = usize::from(area.width).saturating_sub(LEAST_LEFT);
        (left(frame, Tabs::Here), that_fit(frame, room))
    });
    let counts = counts(frame);
    let shown = (0..=counts.len()).map(|gone| fewer(&counts, gone));
    let with = |counts: Vec<Piece>| banners.iter().cloned().chain(counts).collect::<Vec<Piece>>();
    let right = shown
        .map(with)
        .find(|right| fits(&left, right))
        .unwrap_or(banners);
    let wider = more(frame).map(|more| [right.clone(), more].concat());
    let right = { wider }.find(|wider| fits(&left, wider)).unwrap_or(right);
    let used = canvas.right(area, &right);
    let mut room = Rect {
        width: area.width - used,
        ..area
    };
    for (pieces, hit) in left.parts {
        let used = canvas.line(room, &pieces);
        if let Some(hit) = hit {
            hits.push((Rect { width: used, ..room }, hit));
        }
        room.x += used;
        room.width -= used;
    }
    // The space before the name of the program, in the project's colour.
    let first = Rect { width: 1, ..area };
    canvas.dye(first, frame.scene.theme.accent(&frame.scene.session.project));
}

/// What stands at the end where there is room, the most first.
fn more(frame: &FrameOf<'_>) -> impl Iterator<Item = Vec<Piece>> {
    let with_machine = (0..=machine::FIGURES)
        .map(|gone| [agents(frame), machine::figures(frame, gone), run_time(frame)].concat());
    with_machine.chain([agents(frame)])
}

/// The left part of the top row: pieces, and what a click on them is about.
struct Left {
    parts: Vec<(Vec<Piece>, Option<Hit>)>,
}

impl Left {
    fn width(&self) -> usize {
        self.parts.iter().map(|(pieces, _)| pieces_width(pieces)).sum()
    }
}

fn left(frame: &FrameOf<'_>, tabs: Tabs) -> Left {
    // A long name leaves room for everything else.
    let room = match tabs {
        Tabs::Here => 6,
        Tabs::Names | Tabs::Digits if frame.arranged.top.width < SEVERAL => 14,
        Tabs::Names | Tabs::Digits => 24,
    };
    let project = cut(
        &clean(&frame.scene.session.project),
        room,
        frame.scene.theme.more(),
    );
    let mut parts = vec![(
        vec![piece(" dbs ", Role::Strong), piece(project, Role::Text)],
        None,
    )];
    if frame.arranged.framing == Framing::Bare {
        parts.push((vec![piece(" ", Role::Text)], None));
        parts.extend(bare(frame));
        return Left { parts };
    }
    for (at, tab) in frame.state.tabs.iter().enumerate() {
        let number = at + 1;
        let here = at == frame.state.tab;
        let text = match tabs {
            Tabs::Here if !here => continue,
            Tabs::Names => format!("{number} {}", tab.title),
            Tabs::Digits | Tabs::Here => number.to_string(),
        };
        let name = if here {
            piece(format!("[{text}]"), Role::TabHere)
        } else {
            piece(text, Role::Dim)
        };
        parts.push((vec![piece(" ", Role::Text), name], Some(Hit::Tab(at))));
    }
    Left { parts }
}

/// What the one terminal without lines shows, which of how many it is.
fn bare(frame: &FrameOf<'_>) -> Option<(Vec<Piece>, Option<Hit>)> {
    let placed = frame.arranged.focused()?;
    let pane = frame.state.pane(placed.pane);
    let look = frame.look(placed.pane, &pane);
    let mut pieces = view_of(&placed.content).title(&look);
    let agents: Vec<&PaneId> = frame
        .arranged
        .order
        .iter()
        .filter(|id| matches!(id, PaneId::Agent(_)))
        .collect();
    if let (Content::Attempt(_), Some(at)) =
        (&placed.content, agents.iter().position(|id| **id == placed.pane))
    {
        pieces.insert(0, piece(format!(" {}/{} ", at + 1, agents.len()), Role::Dim));
    }
    if let Some(note) = view_of(&placed.content).note(&look) {
        pieces.insert(0, piece(" ", Role::Text));
        pieces.insert(1, note);
        pieces.insert(2, piece(" ", Role::Text));
    }
    Some((pieces, Some(Hit::Pane(placed.pane))))
}

fn agents(frame: &FrameOf<'_>) -> Vec<Piece> {
    let model = frame.scene.model;
    vec![
        piece(" agents ", Role::Dim),
        piece(
            format!("{}/{} ", model.agents().count(), model.max_agents),
            Role::Text,
        ),
    ]
}

/// The counts without so many of them: first goes what the row below says too, then what is over, then what is under way.
fn fewer(counts: &[(Mark, Piece)], gone: usize) -> Vec<Piece> {
    let order = [Mark::NeedsYou, Mark::Done, Mark::Running, Mark::Failed];
    let there = order
        .iter()
        .filter(|mark| counts.iter().any(|(known, _)| known == *mark));
    let gone: Vec<&Mark> = there.take(gone).collect();
    let left = counts.iter().filter(|(mark, _)| !gone.contains(&mark));
    left.map(|(_, piece)| piece.clone()).collect()
}

/// How many tasks are under way, need a person, failed, are done: glyph and number, only what there is.
pub(super) fn counts(frame: &FrameOf<'_>) -> Vec<(Mark, Piece)> {
    let needs = frame.scene.model.attention.len();
    let (mut active, mut failed, mut done) = (0_usize, 0_usize, 0_usize);
    for task in frame.scene.model.tasks.values() {
        match &task.state {
            TaskState::Active | TaskState::Verifying => active += 1,
            TaskState::Failed(_) => failed += 1,
            TaskState::Done => done += 1,
            TaskState::Backlog
            | TaskState::Released
            | TaskState::Held(_)
            | TaskState::Parked(_)
            | TaskState::Skipped(_)
            | TaskState::Cancelled => {}
        }
    }
    let all = [
        (Mark::Running, active, Role::Running),
        (Mark::NeedsYou, needs, Role::Human),
        (Mark::Failed, failed, Role::Failed),
        (Mark::Done, done, Role::Done),
    ];
    let glyphs = frame.scene.theme.glyphs;
    all.into_iter()
        .filter(|(_, many, _)| *many > 0)
        .map(|(mark, many, role)| (mark, piece(format!("{}{many} ", mark.glyph(glyphs)), role)))
        .collect()
}

fn run_time(frame: &FrameOf<'_>) -> Vec<Piece> {
    let Span(millis) = frame.scene.now.since(frame.scene.session.started);
    let seconds = millis / 1000;
    let text = format!(
        " {:02}:{:02}:{:02} ",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    vec![piece(text, Role::Dim)]
}

/// A title is not cut to less.
const LEAST_TITLE: usize = 10;

/// The row below: how many things need a person, and the one that has waited longest.
pub(super) fn strip(frame: &FrameOf<'_>, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    let area = frame.arranged.strip;
    let model = frame.scene.model;
    let Some(oldest) = model.attention.first() else {
        if let Some(trouble) = model.troubles.first() {
            return degraded(frame, trouble, canvas);
        }
        let pieces = [piece(" Nothing needs you. ", Role::Dim), longest(frame)];
        canvas.line(area, &pieces);
        return;
    };
    let (word, role) = attention_word(oldest.kind);
    let glyph = Mark::NeedsYou.glyph(frame.scene.theme.glyphs);
    let title = model
        .tasks
        .get(&oldest.task)
        .map(|task| task.title.as_str())
        .unwrap_or_default();
    let age = frame.scene.now.since(oldest.since);
    let key = frame.state.keymap.hint(Action::NeedsYou).unwrap_or_default();
    let go = [
        piece(format!("  {age}  "), Role::Dim),
        piece(key, Role::Key),
        piece(" go there ", Role::Text),
    ];
    let used = canvas.right(area, &go);
    let room = Rect {
        width: area.width - used,
        ..area
    };
    let mut pieces = vec![
        piece(format!(" {glyph} "), Role::Needs),
        piece(format!("NEEDS YOU {} ", model.attention.len()), Role::Human),
        piece(format!(" {} ", oldest.task), Role::Strong),
        piece(format!("{word} "), role),
        piece(&oldest.text, Role::Text),
    ];
    // What is wanted matters more than what the task is called.
    let left = usize::from(room.width).saturating_sub(pieces_width(&pieces) + 2);
    let title = clean(title);
    if left >= width(&title).min(LEAST_TITLE) {
        let title = cut(&title, left, frame.scene.theme.more());
        pieces.insert(3, piece(format!("{title}  "), Role::Text));
    }
    canvas.line(room, &pieces);
    hits.push((area, Hit::Strip));
}

/// What outside keeps work from going on: the cause, what waits, what goes on by itself, the key to act.
fn degraded(frame: &FrameOf<'_>, trouble: &Trouble, canvas: &mut Canvas<'_>) {
    let area = frame.arranged.strip;
    canvas.tint(area, Role::Banner);
    let waits = match trouble.tasks.as_slice() {
        [] => "work goes on for now".to_owned(),
        [only] => format!("{only} waits"),
        several => format!("{} tasks wait", several.len()),
    };
    let again = trouble.again.map(|again| again.since(frame.scene.now));
    let again = match again {
        None => String::new(),
        Some(Span(0)) => ", tried again now".to_owned(),
        Some(left) => format!(", tried again in {left}"),
    };
    let mut right = vec![piece(format!("  {waits}{again} "), Role::Banner)];
    let key = frame.state.keymap.hint(Action::TryNow);
    if let (Some(key), Some(_)) = (key, frame.scene.model.delayed().next()) {
        right.push(piece(format!(" {key} now "), Role::Banner));
    }
    let used = canvas.right(area, &right);
    let room = Rect {
        width: area.width - used,
        ..area
    };
    let glyph = Mark::Unsure.glyph(frame.scene.theme.glyphs);
    let left = [piece(
        format!(" {glyph} {}: {}", trouble.cause.word(), trouble.text),
        Role::Banner,
    )];
    canvas.line(room, &left);
}

fn longest(frame: &FrameOf<'_>) -> Piece {
    let now = frame.scene.now;
    let begun =
        |row: &crate::read_model::AgentRow<'_>| row.attempt.started_at.unwrap_or(row.attempt.created_at);
    let longest = frame.scene.model.agents().min_by_key(begun);
    longest.map_or_else(
        || piece("No agent is at work.", Role::Dim),
        |row| {
            let text = format!("Longest at work: {} {}", row.attempt.task, now.since(begun(&row)));
            piece(text, Role::Dim)
        },
    )
}
