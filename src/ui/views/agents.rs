//! The agents at work, as a list: beside the one that is shown when there is no room for all their terminals.

use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::keymap::Action;
use crate::read_model::AgentRow;
use crate::ui::canvas::prelude::*;
use crate::ui::pane::PaneId;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::state::{Pane, SortOrder, UiState};
use crate::ui::status::{DisplayStatus, attempt_status};
use crate::ui::target::{ActionTarget, attempt_target as target_of, shown_agent};

/// The view that lists the agents at work.
pub(super) struct AgentsView;

impl View for AgentsView {
    fn description(&self) -> &'static str {
        "The running agents, each with its task. Enter opens its terminal; typing there goes to the agent."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let many = ctx.scene.model.agents().count();
        vec![piece(
            format!("Agents  {many} of {}", ctx.scene.model.max_agents),
            StyleRole::Title,
        )]
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        Some((rows(ctx).len(), ctx.scene.model.agents().count()))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[
            SortOrder::Default,
            SortOrder::Newest,
            SortOrder::Oldest,
            SortOrder::Name,
        ]
    }

    fn target<'a>(&self, state: &UiState, scene: &Scene<'a>, id: PaneId, _: &Pane) -> ActionTarget<'a> {
        shown_agent(state, scene, id).map_or_else(ActionTarget::default, |id| target_of(scene, id))
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let rows = rows(ctx);
        if rows.is_empty() && ctx.pane.filter.is_empty() {
            return empty(ctx, area, canvas);
        }
        let chosen = shown_agent(ctx.state, ctx.scene, ctx.id);
        let at = rows.iter().position(|row| Some(row.attempt.id) == chosen);
        ctx.list(area, 2, &rows, at).draw(canvas, |row, place, canvas| {
            draw_agent(ctx, row, place, canvas);
            Some(ClickTarget::Agent(ctx.id, row.attempt.id))
        });
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let agents = rows(ctx);
        let chosen = shown_agent(ctx.state, ctx.scene, ctx.id);
        let at = agents.iter().position(|row| Some(row.attempt.id) == chosen);
        movement.in_list(area.height / 2, &agents, at, |row| {
            MoveOutcome::Agent(row.attempt.id)
        })
    }
}

/// Returns the agents that match the filter of the list.
fn rows<'a>(ctx: &ViewContext<'a>) -> Vec<AgentRow<'a>> {
    let filter = ctx.filter();
    let text = |row: &AgentRow<'_>| {
        let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
        format!("{} {title} {}", row.attempt.task, row.name)
    };
    let agents = ctx.scene.model.agents();
    let mut agents: Vec<AgentRow<'a>> = agents
        .filter(|row| filter.needle.is_empty() || filter.needle.matches(&text(row)))
        .collect();
    filter.sort(
        &mut agents,
        |row| row.attempt.created_at,
        |row| row.name.to_owned(),
    );
    agents
}

/// Draws two lines: the task, and the agent with its activity and time.
fn draw_agent(ctx: &ViewContext<'_>, row: &AgentRow<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let marker = attempt_status(row.attempt, ctx.scene);
    let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
    let first = [
        piece(
            format!(" {} ", marker.mark.glyph(canvas.theme.glyphs)),
            marker.role,
        ),
        dim(format!("{} ", row.attempt.task)),
        plain(title),
    ];
    canvas.line(row_of(area, 0), &first);
    let used = row.attempt.usage.summary().map(|used| format!(" {used}"));
    let age = format!(
        "{} {} ",
        used.unwrap_or_default(),
        ctx.scene.now.since(marker.since)
    );
    let report = ctx.scene.screens.reported(ScreenId::Attempt(row.attempt.id));
    let progress = report.progress_word().map(|word| format!(" {word}"));
    // The words are in the title of its terminal: here there is little room.
    let call = report
        .call
        .map(|_| format!("{} ", ctx.glyph(DisplayStatus::NeedsYou)));
    let left = [
        dim(format!("   {} ", row.name)),
        piece(call.unwrap_or_default(), StyleRole::Human),
        piece(marker.word, marker.role),
        piece(progress.unwrap_or_default(), StyleRole::Running),
    ];
    canvas.both_ends(row_of(area, 1), &left, &[dim(age)]);
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let waiting = ctx.scene.model.counts().get("released").copied().unwrap_or(0);
    let release = ctx.key_of(Action::Release);
    let text = match waiting {
        0 => format!("On the board: {release} release a task"),
        many => format!("{many} released and waiting; the board says why."),
    };
    canvas.empty_state(area, "No agent is running.", StyleRole::Strong, &text);
}
