//! The agents at work, as a list: beside the one that is shown when there is no room for all their terminals.

use ratatui::layout::Rect;

use super::{ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::read_model::AgentRow;
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, StyledText, dim, piece, row_of};
use crate::ui::pane::PaneId;
use crate::ui::scene::Scene;
use crate::ui::state::{Pane, SortOrder, UiState};
use crate::ui::status::attempt_status;
use crate::ui::target::{ActionTarget, attempt_target as target_of, shown_agent};
use crate::ui::theme::StyleRole;

/// The view that lists the agents at work.
pub(super) struct AgentsView;

impl View for AgentsView {
    fn description(&self) -> &'static str {
        "The agents at work, each with its task. Enter opens its terminal; typing there goes to the agent."
    }

    fn title(&self, look: &ViewContext<'_>) -> Vec<StyledText> {
        let many = look.scene.model.agents().count();
        vec![piece(
            format!("Agents  {many} of {}", look.scene.model.max_agents),
            StyleRole::Title,
        )]
    }

    fn match_count(&self, look: &ViewContext<'_>) -> Option<(usize, usize)> {
        Some((rows(look).len(), look.scene.model.agents().count()))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[
            SortOrder::Default,
            SortOrder::Newest,
            SortOrder::Oldest,
            SortOrder::Name,
        ]
    }

    fn target<'a>(&self, state: &UiState, scene: &Scene<'a>, (id, _): (PaneId, &Pane)) -> ActionTarget<'a> {
        shown_agent(state, scene, id).map_or_else(ActionTarget::default, |id| target_of(scene, id))
    }

    fn draw(&self, look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
        let rows = rows(look);
        if rows.is_empty() && look.pane.filter.is_empty() {
            return empty(look, area, canvas);
        }
        let chosen = shown_agent(look.state, look.scene, look.id);
        let at = rows.iter().position(|row| Some(row.attempt.id) == chosen);
        look.list((area, 2), &rows, at)
            .draw(canvas, hits, |row, place, canvas| {
                draw_agent(look, row, place, canvas);
                Some(ClickTarget::Agent(look.id, row.attempt.id))
            });
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        let agents = rows(look);
        let chosen = shown_agent(look.state, look.scene, look.id);
        let at = agents.iter().position(|row| Some(row.attempt.id) == chosen);
        step.in_list(area.height / 2, (&agents, at), |row| {
            MoveOutcome::Agent(row.attempt.id)
        })
    }
}

/// The agents that match what the list is filtered by.
fn rows<'a>(look: &ViewContext<'a>) -> Vec<AgentRow<'a>> {
    let sieve = look.sieve();
    let text = |row: &AgentRow<'_>| {
        let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
        format!("{} {title} {}", row.attempt.task, row.name)
    };
    let agents = look.scene.model.agents();
    let mut agents: Vec<AgentRow<'a>> = agents
        .filter(|row| sieve.needle.is_empty() || sieve.needle.matches(&text(row)))
        .collect();
    sieve.sort(
        &mut agents,
        |row| row.attempt.created_at,
        |row| row.name.to_owned(),
    );
    agents
}

/// Two lines: the task, and who does what since when.
fn draw_agent(look: &ViewContext<'_>, row: &AgentRow<'_>, place: Rect, canvas: &mut Canvas<'_>) {
    let marker = attempt_status(row.attempt);
    let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
    let first = [
        piece(
            format!(" {} ", marker.mark.glyph(canvas.theme.glyphs)),
            marker.role,
        ),
        piece(format!("{} ", row.attempt.task), StyleRole::Dim),
        piece(title, StyleRole::Text),
    ];
    canvas.line(row_of(place, 0), &first);
    let age = format!(" {} ", look.scene.now.since(marker.since));
    let left = [dim(format!("   {} ", row.name)), piece(&marker.word, marker.role)];
    canvas.both_ends(row_of(place, 1), &left, &[dim(age)]);
}

fn empty(look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let waiting = look.scene.model.counts().get("released").copied().unwrap_or(0);
    let release = look.state.keymap.hint(Action::Release).unwrap_or_default();
    let text = match waiting {
        0 => format!("On the board, {release} releases a task to them."),
        many => format!("{many} released and waiting; the board says for what."),
    };
    canvas.empty_state(area, ("No agent is at work.", StyleRole::Strong), &text);
}
