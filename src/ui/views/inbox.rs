//! What needs a person, oldest first: what is asked, by whom, for how long, and the keys that answer it in place.

use ratatui::layout::Rect;

use super::offers::{self, Offer};
use super::{Hit, Hits, Look, Moved, Step, View, first_row, stepped, terminal};
use super::{detail, diff};
use crate::domain::{Attempt, Task};
use crate::read_model::{Attention, AttentionKind, known_from};
use crate::ui::action::{Action, Page};
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::lists::inbox;
use crate::ui::marker::{Mark, attention_word, kind_word};
use crate::ui::pane::PaneId;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::shelf::{Against, Want};
use crate::ui::state::{Order, Pane, State};
use crate::ui::target::{Target, of_task, waiting};
use crate::ui::text::{clock, wrap};
use crate::ui::theme::Role;

/// What needs a person.
pub(super) struct InboxView;

/// Its name.
pub(super) const PAGE: Page = Page::of("inbox");

/// Rows of the marked item's details, its line included, where there is room for them.
const DETAILS: u16 = 9;
/// From this inner height on the marked item is told in full.
const TOLD_FROM: u16 = 10;
/// From this inner width on a row says since when and from what that is known.
const WIDE: u16 = 76;
/// Rows left below the details from which on the agent's terminal, or the task, is shown there.
const PEEK_FROM: u16 = 6;

impl View for InboxView {
    fn about(&self) -> &'static str {
        "All that needs you, oldest first: permissions, questions, approvals, failures. Answer in place."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let many = look.scene.model.attention.len();
        let mut title = vec![piece(format!("Inbox {many}"), Role::Title)];
        if look.pane.order == Order::Usual {
            title.push(piece("  oldest first", Role::Dim));
        }
        title
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let marked = waiting(look.state, look.pane, look.scene);
        let changes = marked.and_then(|(_, item)| diff::want(look, &item.task, Against::Base));
        changes.into_iter().collect()
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        let shown = inbox(&look.sieve(), look.scene).len();
        Some((shown, look.scene.model.attention.len()))
    }

    fn orders(&self) -> &'static [Order] {
        &[Order::Usual, Order::Newest, Order::Name]
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        waiting(state, pane, scene).map_or_else(Target::default, |(_, item)| of_task(scene, &item.task))
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let items = inbox(&look.sieve(), look.scene);
        let Some((at, marked)) = waiting(look.state, look.pane, look.scene) else {
            if look.pane.filter.is_empty() {
                empty(look, area, canvas);
            }
            return;
        };
        let (list, told) = divide(area, items.len());
        let height = usize::from(list.height);
        let first = first_row(at, height, items.len());
        for (row, item) in items.iter().skip(first).take(height).enumerate() {
            let line = row_of(list, row);
            draw_item(look, item, line, canvas);
            if *item == marked {
                canvas.tint(line, look.chosen());
            }
            hits.push((line, Hit::Task(look.id, item.task.clone())));
        }
        if let Some(told) = told {
            canvas.level(told.y - 1, told);
            draw_told(look, marked, told, canvas, hits);
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let items = inbox(&look.sieve(), look.scene);
        let Some(rows) = step.rows(divide(area, items.len()).0.height) else {
            return Moved::Out;
        };
        let at = waiting(look.state, look.pane, look.scene).map(|(at, _)| at);
        let to = stepped(at, rows, items.len()).and_then(|to| items.get(to));
        to.map_or(Moved::Nowhere, |item| Moved::Task(item.task.clone()))
    }
}

/// The list above, the marked item in full below it.
fn divide(area: Rect, items: usize) -> (Rect, Option<Rect>) {
    if area.height < TOLD_FROM {
        return (area, None);
    }
    let most = area.height.saturating_sub(DETAILS).max(3);
    let height = u16::try_from(items).unwrap_or(most).clamp(1, most);
    let told = Rect {
        y: area.y + height + 1,
        height: area.height - height - 1,
        ..area
    };
    (Rect { height, ..area }, Some(told))
}

fn draw_item(look: &Look<'_>, item: &Attention, line: Rect, canvas: &mut Canvas<'_>) {
    let (_, role) = attention_word(item.kind);
    let kind = kind_word(item.kind);
    let age = look.scene.now.since(item.since).to_string();
    let mut right = vec![piece(format!(" {age:>5} "), Role::Dim)];
    if let Some(source) = source(look, item).filter(|_| line.width >= WIDE) {
        right.insert(0, piece(format!("  {source}"), Role::Dim));
    }
    let used = canvas.right(line, &right);
    let mut left = vec![
        piece(
            format!(" {} ", Mark::NeedsYou.glyph(look.scene.theme.glyphs)),
            Role::Human,
        ),
        piece(format!("{:<8} ", item.task), Role::Strong),
        piece(format!("{kind:<10} "), role),
        piece(&item.text, Role::Text),
    ];
    if line.width >= WIDE {
        let time = clock(item.since, look.scene.session.utc_offset);
        left.insert(
            1,
            piece(format!("{} ", time.get(..5).unwrap_or(&time)), Role::Dim),
        );
    }
    let room = Rect {
        width: line.width - used,
        ..line
    };
    canvas.line(room, &left);
}

fn source<'a>(look: &Look<'a>, item: &Attention) -> Option<&'a str> {
    let attempt = look.scene.model.attempts.get(&item.attempt?)?;
    item.kind.is_agents().then(|| known_from(&attempt.activity))
}

/// The marked item in full: the task, who waits for what, what was found, and the keys.
fn draw_told(look: &Look<'_>, item: &Attention, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    let room = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    let wide = usize::from(room.width).max(8);
    let model = look.scene.model;
    let task = model.tasks.get(&item.task);
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    if let Some(task) = task {
        lines.push(vec![
            piece(format!("{}  ", task.id), Role::Strong),
            piece(&task.title, Role::Strong),
            piece(format!("  in {}", model.stage_label(task)), Role::Dim),
        ]);
    }
    let attempt = item.attempt.and_then(|id| model.attempts.get(&id));
    let texts = told(look, item, (task.map(AsRef::as_ref), attempt.map(AsRef::as_ref)));
    for (text, role) in texts {
        lines.extend(wrap(&text, wide).into_iter().map(|line| vec![piece(line, role)]));
    }
    let height = usize::from(room.height);
    let keys = keys(look, item, wide);
    let shown = height.saturating_sub(keys.len()).min(lines.len());
    for (at, pieces) in lines.iter().take(shown).enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
    offers::draw(&keys, (room, shown), canvas, hits);
    let used = u16::try_from(shown + keys.len()).unwrap_or(u16::MAX);
    if area.height >= used.saturating_add(PEEK_FROM) {
        let below = Rect {
            y: area.y + used + 1,
            height: area.height - used - 1,
            ..area
        };
        canvas.level(below.y - 1, below);
        draw_ground(look, item, below, canvas);
    }
}

/// What one decides by: the terminal of the agent that asks or failed, else all that is known of the task.
fn draw_ground(look: &Look<'_>, item: &Attention, area: Rect, canvas: &mut Canvas<'_>) {
    let model = look.scene.model;
    let failed = || Some(model.failure_of(model.tasks.get(&item.task)?)?.0.id);
    let screen = item.attempt.or_else(failed).map(ScreenId::Attempt);
    match screen.filter(|id| look.scene.screens.has(*id)) {
        Some(screen) => {
            terminal::peek(look, (screen, 0), area, canvas);
        }
        None => detail::draw_lines(look, (&item.task, 0), area, canvas),
    }
}

fn told(
    look: &Look<'_>,
    item: &Attention,
    (task, attempt): (Option<&Task>, Option<&Attempt>),
) -> Vec<(String, Role)> {
    let now = look.scene.now;
    let who = attempt.map_or("its agent", |attempt| attempt.worker.name());
    let (_, role) = attention_word(item.kind);
    let mut texts = vec![match item.kind {
        AttentionKind::Permission => (format!("{who} wants to: {}", item.text), role),
        AttentionKind::Question => (format!("{who} asks: {}", item.text), role),
        AttentionKind::Approval => ("It goes on when you approve it.".to_owned(), role),
        AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held => {
            (format!("Held: {}. It stays until you act.", item.text), role)
        }
        AttentionKind::Failed => (format!("Failed: {}.", item.text), role),
    }];
    if let (true, Some(attempt)) = (item.kind.is_agents(), attempt) {
        let age = now.since(attempt.activity.since);
        let alike = look.scene.model.alike(item).count().saturating_sub(1);
        let text = format!(
            "Known from {}, {age} ago. Identical ones waiting: {alike}.",
            known_from(&attempt.activity)
        );
        texts.push((text, Role::Dim));
    }
    if let Some((attempt, class, why)) = task.and_then(|task| look.scene.model.failure_of(task)) {
        texts.push((format!("Attempt {}, {class}: {why}", attempt.id), Role::Text));
    }
    if let Some(finding) = task.and_then(|task| task.finding.as_deref()) {
        texts.push((finding.to_owned(), Role::Text));
    }
    texts
}

/// The keys that answer it, as many lines as they need.
fn keys(look: &Look<'_>, item: &Attention, room: usize) -> Vec<Vec<Offer>> {
    let alike = look.scene.model.alike(item).count();
    let all = format!("allow all {alike}");
    let offers: &[(Action, &str)] = match item.kind {
        AttentionKind::Permission => &[
            (Action::Approve, "allow"),
            (Action::ApproveAll, all.as_str()),
            (Action::Open, "look"),
            (Action::Type, "type"),
        ],
        AttentionKind::Question => &[
            (Action::Answer, "answer"),
            (Action::Open, "look"),
            (Action::Type, "type"),
        ],
        AttentionKind::Approval => &[
            (Action::Approve, "approve"),
            (Action::ApproveAll, all.as_str()),
            (Action::Reject, "send back"),
            (Action::Skip, "skip"),
        ],
        AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held | AttentionKind::Failed => &[
            (Action::Retry, "retry"),
            (Action::Comment, "note"),
            (Action::Skip, "skip"),
            (Action::Open, "look"),
        ],
    };
    let several = |(action, _): &&(Action, &str)| *action != Action::ApproveAll || alike > 1;
    let offers: Vec<(Action, &str)> = offers.iter().filter(several).copied().collect();
    offers::lines(look, &offers, room)
}

fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let top = usize::from(area.height) / 3;
    canvas.centre(row_of(area, top), "Nothing needs you.", Role::Strong);
    let now = look.scene.now;
    let begun = |attempt: &Attempt| attempt.started_at.unwrap_or(attempt.created_at);
    let longest = look.scene.model.agents().min_by_key(|row| begun(row.attempt));
    let text = longest.map_or_else(
        || "No agent is at work.".to_owned(),
        |row| {
            format!(
                "Longest at work: {} {}.",
                row.attempt.task,
                now.since(begun(row.attempt))
            )
        },
    );
    canvas.centre(row_of(area, top + 2), &text, Role::Dim);
}
