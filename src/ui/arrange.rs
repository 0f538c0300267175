//! Where everything is: bars, panes, the pane with the focus, and who gets the next key. Computed from state and scene each
//! time, by `view` and `update` alike; nothing is remembered and nothing drawn.

use ratatui::layout::Rect;

use super::pane::{Axis, Node, PaneId, grid};
use super::scene::{Scene, ScreenId};
use super::state::{Content, Hands, Overlay, Shape, State, Tab, Zoom};
use crate::domain::AttemptId;

/// Least terminal that is drawn in full.
pub(crate) const LEAST: (u16, u16) = (60, 15);
/// From this width on a tab shows all its panes.
pub(crate) const SEVERAL: u16 = 100;
/// From this width on a tab has its wide arrangement.
pub(crate) const WIDE: u16 = 160;
/// Columns an agent's terminal is never below.
const AGENT_WIDTH: u16 = 60;
/// Rows an agent's terminal is wished to have, and the least with which several are shown.
const AGENT_HEIGHTS: [u16; 2] = [16, 8];
/// Columns of the list of agents, lines included, when there is room for one agent only.
const LIST_WIDTH: u16 = 36;

/// Where everything is.
#[derive(Debug, Clone)]
pub(crate) struct Arranged {
    pub(crate) framing: Framing,
    pub(crate) top: Rect,
    pub(crate) strip: Rect,
    pub(crate) body: Rect,
    pub(crate) status: Rect,
    /// Panes that are drawn.
    pub(crate) placed: Vec<Placed>,
    /// The pane with the focus; always one of those in `order`.
    pub(crate) focus: PaneId,
    /// All panes of the tab, in reading order.
    pub(crate) order: Vec<PaneId>,
}

/// How panes are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// No room: only a notice.
    TooSmall,
    /// One terminal without lines, over the whole width.
    Bare,
    /// Panes with lines between them.
    Boxed,
}

/// One pane that is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) pane: PaneId,
    pub(crate) content: Content,
    pub(crate) outer: Rect,
    pub(crate) inner: Rect,
}

impl Arranged {
    /// The pane with the focus, where it is drawn.
    pub(crate) fn focused(&self) -> Option<&Placed> {
        self.placed.iter().find(|placed| placed.pane == self.focus)
    }

    /// The pane so many places after the one with the focus, around the end.
    pub(crate) fn neighbour(&self, by: isize) -> Option<PaneId> {
        let count = self.order.len();
        let at = self.order.iter().position(|id| *id == self.focus);
        let next = (at.unwrap_or(0) + count).saturating_add_signed(by) % count.max(1);
        self.order.get(next).copied()
    }

    /// The pane drawn at that position.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<&Placed> {
        let inside = |area: Rect| area.contains((x, y).into());
        let inner = self.placed.iter().find(|placed| inside(placed.inner));
        inner.or_else(|| self.placed.iter().find(|placed| inside(placed.outer)))
    }
}

/// Where everything is on an area of that size.
pub(crate) fn arrange(state: &State, scene: &Scene<'_>, area: Rect) -> Arranged {
    let order = order(state, scene, area);
    let focus = focus(state, &order);
    let content = state.pane(focus).content;
    let screen = content.screen().filter(|id| scene.screens.has(*id));
    let framing = match (area.width, area.height, screen) {
        (w, h, _) if w < LEAST.0 || h < LEAST.1 => Framing::TooSmall,
        (w, _, Some(_)) if w < SEVERAL => Framing::Bare,
        _ => Framing::Boxed,
    };
    let [top, strip, body, status] = bands(area, framing);
    let placed = match framing {
        Framing::TooSmall => Vec::new(),
        Framing::Bare => vec![(focus, body)],
        Framing::Boxed => {
            tree(state, scene, body, focus).map_or_else(Vec::new, |tree| tree.place(body, focus))
        }
    };
    let placed = placed.into_iter().map(|(pane, outer)| Placed {
        pane,
        content: state.pane(pane).content,
        outer,
        inner: inner(outer, framing),
    });
    Arranged {
        framing,
        top,
        strip,
        body,
        status,
        placed: placed.collect(),
        focus,
        order,
    }
}

fn bands(area: Rect, framing: Framing) -> [Rect; 4] {
    let row = |y: u16, height: u16| {
        let y = y.min(area.height);
        Rect {
            y: area.y + y,
            height: height.min(area.height - y),
            ..area
        }
    };
    let strip = u16::from(framing != Framing::Bare);
    let body = area.height.saturating_sub(2 + strip);
    [
        row(0, 1),
        row(1, strip),
        row(1 + strip, body),
        row(1 + strip + body, 1),
    ]
}

fn inner(outer: Rect, framing: Framing) -> Rect {
    match framing {
        Framing::Bare | Framing::TooSmall => outer,
        Framing::Boxed => Rect {
            x: outer.x + 1,
            y: outer.y + 1,
            width: outer.width.saturating_sub(2),
            height: outer.height.saturating_sub(2),
        },
    }
}

/// The pane with the focus among those there are.
fn focus(state: &State, order: &[PaneId]) -> PaneId {
    let wished = state.here().map(|tab| tab.focus);
    let there = wished.filter(|pane| order.contains(pane));
    there
        .or_else(|| order.first().copied())
        .unwrap_or(PaneId::Fixed(0))
}

/// All panes of the tab shown, in reading order.
fn order(state: &State, scene: &Scene<'_>, area: Rect) -> Vec<PaneId> {
    let Some(tab) = state.here() else {
        return Vec::new();
    };
    match &tab.shape {
        Shape::Saved { wide, .. } => wide.panes(),
        Shape::Own(tree) => tree.panes(),
        Shape::Agents { list } => {
            let agents = agents(tab, scene).into_iter().map(PaneId::Agent);
            let [_, _, body, _] = bands(area, Framing::Boxed);
            if area.width >= SEVERAL && columns(agents.len(), body).is_some() {
                return agents.collect();
            }
            let mut order = vec![*list];
            order.extend(agents);
            order
        }
    }
}

/// Agents at work, and the one with the focus for as long as its terminal is there: focus never moves by itself.
fn agents(tab: &Tab, scene: &Scene<'_>) -> Vec<AttemptId> {
    let mut agents: Vec<AttemptId> = scene.model.agents().map(|row| row.attempt.id).collect();
    if let PaneId::Agent(kept) = tab.focus
        && !agents.contains(&kept)
        && scene.screens.has(ScreenId::Attempt(kept))
    {
        agents.push(kept);
    }
    agents
}

/// The tree drawn on that body: one pane when there is no room for several, or when one is zoomed.
fn tree(state: &State, scene: &Scene<'_>, body: Rect, focus: PaneId) -> Option<Node> {
    let tab = state.here()?;
    if tab.zoom == Zoom::In || body.width < SEVERAL {
        return Some(Node::Leaf(focus));
    }
    match &tab.shape {
        Shape::Saved { wide, .. } if body.width >= WIDE => Some(wide.clone()),
        Shape::Saved { medium, .. } => Some(medium.clone()),
        Shape::Own(tree) => Some(tree.clone()),
        Shape::Agents { list } => Some(agent_tree(state, &agents(tab, scene), (*list, focus), body)),
    }
}

/// The tree that is drawn, of a tab whose lines a person may move: one that follows the agents arranges itself.
pub(crate) fn movable(state: &State, scene: &Scene<'_>, arranged: &Arranged) -> Option<Node> {
    let follows = matches!(state.here()?.shape, Shape::Agents { .. });
    let boxed = arranged.framing == Framing::Boxed && !follows;
    let tree = tree(state, scene, arranged.body, arranged.focus);
    tree.filter(|_| boxed)
}

fn agent_tree(state: &State, agents: &[AttemptId], (list, focus): (PaneId, PaneId), body: Rect) -> Node {
    let panes: Vec<PaneId> = agents.iter().map(|id| PaneId::Agent(*id)).collect();
    let shown = match (focus, state.agent) {
        (PaneId::Agent(_), _) => Some(focus),
        (PaneId::Fixed(_), Some(agent)) if agents.contains(&agent) => Some(PaneId::Agent(agent)),
        (PaneId::Fixed(_), _) => panes.first().copied(),
    };
    let Some(shown) = shown else {
        return Node::Leaf(list);
    };
    let all = columns(panes.len(), body).and_then(|columns| grid(&panes, columns));
    all.unwrap_or_else(|| {
        let share = u32::from(LIST_WIDTH) * 1000 / u32::from(body.width.max(1)) + 1;
        let share = u16::try_from(share).unwrap_or(500);
        Node::split(Axis::Columns, share, Node::Leaf(list), Node::Leaf(shown))
    })
}

/// In how many columns so many agents fit, each wide enough; nothing when they do not.
fn columns(count: usize, body: Rect) -> Option<usize> {
    let most = usize::from(body.width.saturating_sub(1) / (AGENT_WIDTH + 1)).max(1);
    AGENT_HEIGHTS.iter().find_map(|height| {
        let rows = usize::from(body.height.saturating_sub(1) / (height + 1));
        (1..=most).find(|columns| count > 0 && columns * rows >= count)
    })
}

/// Who gets the next key, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Our own views.
    Nav,
    /// A terminal, to look at.
    Look,
    /// A terminal, every key but the prefix.
    Type,
    /// A terminal held still, to take text from.
    Copy,
    /// The words that a list or a terminal is searched for.
    Find,
    /// A prompt, a question, a choice, the palette, the help.
    Ask,
}

impl Mode {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Nav => "NAV",
            Mode::Look => "LOOK",
            Mode::Type => "TYPE",
            Mode::Copy => "COPY",
            Mode::Find => "FIND",
            Mode::Ask => "ASK",
        }
    }
}

/// Who gets the next key.
pub(crate) fn mode(state: &State, scene: &Scene<'_>, focus: PaneId) -> Mode {
    match &state.overlay {
        Some(Overlay::Find(_)) => return Mode::Find,
        Some(_) => return Mode::Ask,
        None => {}
    }
    mode_below(state, scene, focus)
}

/// The same as if nothing lay over the panes.
pub(crate) fn mode_below(state: &State, scene: &Scene<'_>, focus: PaneId) -> Mode {
    if state
        .copying
        .as_ref()
        .is_some_and(|copying| copying.pane == focus)
    {
        return Mode::Copy;
    }
    let screen = state.pane(focus).content.screen();
    let there = screen.filter(|id| scene.screens.has(*id));
    match (state.hands, there) {
        (
            Hands::Typing(typing)
            | Hands::Prefix {
                then: Some(typing), ..
            },
            Some(id),
        ) if typing == id && alive(scene, id) => Mode::Type,
        (_, Some(_)) => Mode::Look,
        (_, None) => Mode::Nav,
    }
}

/// Whether the program in that terminal still runs.
pub(crate) fn alive(scene: &Scene<'_>, id: ScreenId) -> bool {
    let mut alive = false;
    scene.screens.with(id, &mut |screen| alive = screen.alive());
    alive
}
