//! Tasks that need a person, oldest first: the request, the agent, the time it has waited, and the keys that answer it in place.

use super::buttons::{self, ActionButton};
use super::task_card::reported;
use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove, detail, diff, longest_running, terminal};
use crate::display::text::{clock, wrap};
use crate::domain::{Attempt, Task};
use crate::keymap::{Action, ViewName};
use crate::read_model::{AttentionItem, AttentionKind, as_question, source_words, unsaid};
use crate::ui::cache::{CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;
use crate::ui::list_filter::inbox;
use crate::ui::pane::PaneId;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::state::{Pane, SortOrder, UiState};
use crate::ui::status::{DisplayStatus, attention_word};
use crate::ui::target::{ActionTarget, blocking_question, marked_attention, task_target};

/// The view of everything that needs a person.
pub(super) struct InboxView;

/// Name of the view.
pub(super) const PAGE: ViewName = ViewName::of("inbox");

/// Rows of the marked item's details, its line included, if there is room for them.
const DETAILS: u16 = 9;
/// Inner height from which the marked item is shown in full.
const DETAILS_FROM: u16 = 10;
/// Inner width from which a row shows its time and source.
const WIDE: u16 = 76;
/// Rows left below the details from which the agent's terminal, or the task, is shown there.
const PEEK_FROM: u16 = 6;

impl View for InboxView {
    fn description(&self) -> &'static str {
        "Everything that needs you, oldest first: permissions, questions, approvals, failures. Answer in place."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let many = ctx.scene.model.attention.len();
        let mut title = vec![piece(format!("Inbox {many}"), StyleRole::Title)];
        if ctx.pane.order == SortOrder::Default {
            title.push(dim("  oldest first"));
        }
        title
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        let marked = marked_attention(ctx.state, ctx.pane, ctx.scene);
        let changes = marked.and_then(|(_, item)| diff::cache_request(ctx, &item.task, DiffBase::Base));
        changes.into_iter().collect()
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        let shown = inbox(&ctx.filter(), ctx.scene).len();
        Some((shown, ctx.scene.model.attention.len()))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[SortOrder::Default, SortOrder::Newest, SortOrder::Name]
    }

    fn target<'a>(&self, state: &UiState, scene: &Scene<'a>, _: PaneId, pane: &Pane) -> ActionTarget<'a> {
        marked_attention(state, pane, scene)
            .map_or_else(ActionTarget::default, |(_, item)| task_target(scene, &item.task))
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let items = inbox(&ctx.filter(), ctx.scene);
        let Some((at, marked)) = marked_attention(ctx.state, ctx.pane, ctx.scene) else {
            if ctx.pane.filter.is_empty() {
                empty(ctx, area, canvas);
            }
            return;
        };
        let (list, details) = divide(area, items.len());
        ctx.list(list, 1, &items, Some(at))
            .draw(canvas, |item, line, canvas| {
                draw_item(ctx, item, line, canvas);
                Some(ClickTarget::Task(ctx.id, item.task.clone()))
            });
        if let Some(details) = details {
            canvas.horizontal_line(details.y - 1, details);
            draw_details(ctx, marked, details, canvas);
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let items = inbox(&ctx.filter(), ctx.scene);
        let page = divide(area, items.len()).0.height;
        let at = marked_attention(ctx.state, ctx.pane, ctx.scene).map(|(at, _)| at);
        movement.in_list(page, &items, at, |item| MoveOutcome::Task(item.task.clone()))
    }
}

/// Divides the area: the list above, the marked item in full below it.
fn divide(area: Rect, items: usize) -> (Rect, Option<Rect>) {
    if area.height < DETAILS_FROM {
        return (area, None);
    }
    let most = area.height.saturating_sub(DETAILS).max(3);
    let height = cells(items).clamp(1, most);
    (top_part(area, height), Some(skip_top(area, height + 1)))
}

fn draw_item(ctx: &ViewContext<'_>, item: &AttentionItem, line: Rect, canvas: &mut Canvas<'_>) {
    let (_, role) = attention_word(item.kind);
    let kind = <&str>::from(item.kind);
    let age = ctx.scene.now.since(item.since).to_string();
    let mut right = vec![dim(format!(" {age:>5} "))];
    if let Some(source) = source(ctx, item).filter(|_| line.width >= WIDE) {
        right.insert(0, dim(format!("  {source}")));
    }
    let mut left = vec![
        piece(
            format!(" {} ", ctx.glyph(DisplayStatus::NeedsYou)),
            StyleRole::Human,
        ),
        strong(format!("{:<8} ", item.task)),
        piece(format!("{kind:<10} "), role),
        plain(&item.text),
    ];
    if line.width >= WIDE {
        let time = clock(item.since, ctx.scene.session.utc_offset);
        left.insert(1, dim(format!("{} ", time.get(..5).unwrap_or(&time))));
    }
    canvas.both_ends(line, &left, &right);
}

fn source<'a>(ctx: &ViewContext<'a>, item: &AttentionItem) -> Option<&'a str> {
    let attempt = ctx.scene.model.attempts.get(&item.attempt?)?;
    item.kind.is_agents().then(|| source_words(&attempt.activity))
}

/// Draws the marked item in full: the task, the waiting agent and its request, the findings, and the keys.
fn draw_details(ctx: &ViewContext<'_>, item: &AttentionItem, area: Rect, canvas: &mut Canvas<'_>) {
    let room = inset(area, 1);
    let wide = usize::from(room.width).max(8);
    let model = ctx.scene.model;
    let task = model.tasks.get(&item.task);
    let mut lines: Vec<Vec<StyledText>> = Vec::new();
    if let Some(task) = task {
        lines.push(vec![
            strong(format!("{}  ", task.id)),
            strong(&task.title),
            dim(format!("  in {}", model.stage_label(task))),
        ]);
    }
    let attempt = item.attempt.and_then(|id| model.attempts.get(&id));
    let texts = details(ctx, item, task.map(AsRef::as_ref), attempt.map(AsRef::as_ref));
    for (text, role) in texts {
        lines.extend(wrap(&text, wide).into_iter().map(|line| vec![piece(line, role)]));
    }
    let height = usize::from(room.height);
    let keys = keys(ctx, item, wide);
    let shown = height.saturating_sub(keys.len()).min(lines.len());
    canvas.lines(room, lines.get(..shown).unwrap_or_default());
    buttons::draw(&keys, room, shown, canvas);
    let used = cells(shown + keys.len());
    if area.height >= used.saturating_add(PEEK_FROM) {
        let below = skip_top(area, used + 1);
        canvas.horizontal_line(below.y - 1, below);
        draw_context(ctx, item, below, canvas);
    }
}

/// Draws the context of a decision: the terminal of the agent that asks or failed, else all that is known of the task.
fn draw_context(ctx: &ViewContext<'_>, item: &AttentionItem, area: Rect, canvas: &mut Canvas<'_>) {
    let model = ctx.scene.model;
    let failed = || Some(model.failure_of(model.tasks.get(&item.task)?)?.0.id);
    let screen = item.attempt.or_else(failed).map(ScreenId::Attempt);
    match screen.filter(|id| ctx.scene.screens.has(*id)) {
        Some(screen) => {
            terminal::draw_cropped(ctx, screen, 0, area, canvas);
        }
        None => detail::draw_lines(ctx, &item.task, 0, area, canvas),
    }
}

fn details(
    ctx: &ViewContext<'_>,
    item: &AttentionItem,
    task: Option<&Task>,
    attempt: Option<&Attempt>,
) -> Vec<(String, StyleRole)> {
    let now = ctx.scene.now;
    let who = attempt.map_or("its agent", |attempt| attempt.worker.name());
    let (_, role) = attention_word(item.kind);
    let mut texts = vec![match item.kind {
        AttentionKind::Permission => (format!("{who} asks: {}", as_question(&item.text)), role),
        AttentionKind::Question => (format!("{who} asks: {}", item.text), role),
        AttentionKind::Dialog => (format!("{who} shows a dialog: {}", item.text), role),
        AttentionKind::Approval => ("Continues when you approve it.".to_owned(), role),
        AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held => {
            (format!("Held: {}. It stays until you act.", item.text), role)
        }
        AttentionKind::Failed => (format!("Failed: {}.", item.text), role),
    }];
    if let (true, Some(attempt)) = (item.kind.is_agents(), attempt) {
        let age = now.since(attempt.activity.since);
        let alike = ctx.scene.model.same_request(item).count().saturating_sub(1);
        let identical = match alike {
            0 => String::new(),
            many => format!(", {many} more ask the same"),
        };
        let source = reported(source_words(&attempt.activity), age);
        texts.push((format!("{source}{identical}"), StyleRole::Dim));
    }
    let failure = task.and_then(|task| ctx.scene.model.failure_of(task));
    let why = failure.map(|(_, _, why)| why);
    let found = task.and_then(|task| task.finding.as_deref()).or(why);
    let rest = found.map(|found| unsaid(found, &item.text));
    texts.extend(
        rest.filter(|rest| !rest.is_empty())
            .map(|rest| (rest, StyleRole::Text)),
    );
    texts
}

/// Returns the keys that answer the item, in as many lines as they need.
fn keys(ctx: &ViewContext<'_>, item: &AttentionItem, room: usize) -> Vec<Vec<ActionButton>> {
    let alike = ctx.scene.model.same_request(item).count();
    let verb = if item.kind == AttentionKind::Approval {
        "approve"
    } else {
        "allow"
    };
    let all = format!("{verb} all {alike}");
    let has_yes = item.ask.as_ref().is_some_and(|ask| ask.only_yes().is_some());
    let task = ctx.scene.model.tasks.get(&item.task);
    let is_question = task.is_some_and(|task| blocking_question(task).is_some());
    let offers: &[(Action, &str)] = match item.kind {
        AttentionKind::Permission => &[
            (Action::Approve, "allow"),
            (Action::Deny, "deny"),
            (Action::ApproveAll, all.as_str()),
            (Action::Open, "open"),
            (Action::Type, "type"),
        ],
        AttentionKind::Question => &[
            (Action::Answer, "answer"),
            (Action::Open, "open"),
            (Action::Type, "type"),
        ],
        AttentionKind::Dialog if has_yes => &[
            (Action::Approve, "yes"),
            (Action::Answer, "answer"),
            (Action::Open, "open"),
            (Action::Type, "type"),
        ],
        AttentionKind::Dialog => &[(Action::Open, "open"), (Action::Type, "type")],
        AttentionKind::Approval => &[
            (Action::Approve, "approve"),
            (Action::ApproveAll, all.as_str()),
            (Action::Reject, "send back"),
            (Action::Skip, "skip"),
        ],
        AttentionKind::Held if is_question => &[
            (Action::RetryWithNote, "answer and retry"),
            (Action::Retry, "retry"),
            (Action::Skip, "skip"),
            (Action::Open, "open"),
        ],
        AttentionKind::Gate | AttentionKind::Merge | AttentionKind::Held | AttentionKind::Failed => &[
            (Action::Retry, "retry"),
            (Action::Comment, "note"),
            (Action::Skip, "skip"),
            (Action::Open, "open"),
        ],
    };
    let several = |(action, _): &&(Action, &str)| *action != Action::ApproveAll || alike > 1;
    let offers: Vec<(Action, &str)> = offers.iter().filter(several).copied().collect();
    buttons::lines(ctx, &offers, room)
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let longest = longest_running(ctx.scene).unwrap_or_else(|| "No agent is running".to_owned());
    let text = match ctx.scene.model.stall() {
        Some(stall) => format!("But a run is stalled: {}.", stall.text),
        None => format!("{longest}."),
    };
    canvas.empty_state(area, "Nothing needs you.", StyleRole::Strong, &text);
}
