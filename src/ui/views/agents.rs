//! The agents at work, as a list: beside the one that is shown when there is no room for all their terminals.

use ratatui::layout::Rect;

use super::{Hit, Hits, Look, Moved, Step, View, first_row, stepped};
use crate::domain::AttemptId;
use crate::read_model::AgentRow;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::marker::of_attempt;
use crate::ui::pane::PaneId;
use crate::ui::scene::Scene;
use crate::ui::state::{Order, Pane, State};
use crate::ui::target::{Target, of_attempt as target_of, shown_agent};
use crate::ui::theme::Role;

/// The list of agents.
pub(super) struct AgentsView;

impl View for AgentsView {
    fn about(&self) -> &'static str {
        "The agents at work, each with its task. Enter opens its terminal; typing there goes to the agent."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let many = look.scene.model.agents().count();
        vec![piece(
            format!("Agents  {many} of {}", look.scene.model.max_agents),
            Role::Title,
        )]
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        Some((rows(look).len(), look.scene.model.agents().count()))
    }

    fn orders(&self) -> &'static [Order] {
        &[Order::Usual, Order::Newest, Order::Oldest, Order::Name]
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (id, _): (PaneId, &Pane)) -> Target<'a> {
        shown_agent(state, scene, id).map_or_else(Target::default, |id| target_of(scene, id))
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let rows = rows(look);
        if rows.is_empty() && look.pane.filter.is_empty() {
            return empty(look, area, canvas);
        }
        let chosen = shown_agent(look.state, look.scene, look.id);
        let is_chosen = |row: &&AgentRow<'_>| Some(row.attempt.id) == chosen;
        let marked = rows.iter().position(|row| is_chosen(&row)).unwrap_or(0);
        let fit = usize::from(area.height / 2).max(1);
        let first = first_row(marked, fit, rows.len());
        for (at, row) in rows.iter().skip(first).take(fit).enumerate() {
            let place = Rect {
                height: 2.min(area.height),
                ..row_of(area, at * 2)
            };
            draw_agent(look, row, place, canvas);
            if is_chosen(&row) {
                canvas.tint(
                    place,
                    if look.focused {
                        Role::Selected
                    } else {
                        Role::SelectedElsewhere
                    },
                );
            }
            hits.push((place, Hit::Agent(look.id, row.attempt.id)));
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let Some(rows) = step.rows(area.height / 2) else {
            return Moved::Out;
        };
        let agents: Vec<AttemptId> = self::rows(look).iter().map(|row| row.attempt.id).collect();
        let chosen = shown_agent(look.state, look.scene, look.id);
        let at = chosen.and_then(|chosen| agents.iter().position(|id| *id == chosen));
        let to = stepped(at, rows, agents.len()).and_then(|to| agents.get(to));
        to.map_or(Moved::Nowhere, |id| Moved::Agent(*id))
    }
}

/// The agents that match what the list is filtered by.
fn rows<'a>(look: &Look<'a>) -> Vec<AgentRow<'a>> {
    let sieve = look.sieve();
    let text = |row: &AgentRow<'_>| {
        let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
        format!("{} {title} {}", row.attempt.task, row.name)
    };
    let agents = look.scene.model.agents();
    let mut agents: Vec<AgentRow<'a>> = agents
        .filter(|row| sieve.needle.is_empty() || sieve.needle.fits(&text(row)))
        .collect();
    sieve.sort(
        &mut agents,
        |row| row.attempt.created_at,
        |row| row.name.to_owned(),
    );
    agents
}

/// Two lines: the task, and who does what since when.
fn draw_agent(look: &Look<'_>, row: &AgentRow<'_>, place: Rect, canvas: &mut Canvas<'_>) {
    let marker = of_attempt(row.attempt);
    let title = row.task.map(|task| task.title.as_str()).unwrap_or_default();
    let first = [
        piece(
            format!(" {} ", marker.mark.glyph(canvas.theme.glyphs)),
            marker.role,
        ),
        piece(format!("{} ", row.attempt.task), Role::Dim),
        piece(title, Role::Text),
    ];
    canvas.line(row_of(place, 0), &first);
    let age = [piece(
        format!(" {} ", look.scene.now.since(marker.since)),
        Role::Dim,
    )];
    let second = row_of(place, 1);
    let right = canvas.right(second, &age);
    let left = Rect {
        width: second.width - right,
        ..second
    };
    let pieces: [Piece; 2] = [
        piece(format!("   {} ", row.name), Role::Dim),
        piece(&marker.word, marker.role),
    ];
    canvas.line(left, &pieces);
}

fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let key = |action| look.state.keymap.hint(action).unwrap_or_default();
    let top = usize::from(area.height) / 3;
    canvas.centre(row_of(area, top), "No agent is at work.", Role::Strong);
    let waiting = look.scene.model.counts().get("released").copied().unwrap_or(0);
    let release = key(crate::ui::action::Action::Release);
    let text = match waiting {
        0 => format!("On the board, {release} releases a task to them."),
        many => format!("{many} released and waiting; the board says for what."),
    };
    canvas.centre(row_of(area, top + 2), &text, Role::Dim);
}
