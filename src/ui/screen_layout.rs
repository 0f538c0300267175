//! Layout of the screen: bars, panes, the pane with the focus, and the receiver of the next key. Computed from state and scene each time,
//! by `view` and `update` alike; nothing is remembered and nothing drawn.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use super::pane::{PaneId, PaneTree, grid};
use super::scene::{Scene, ScreenId};
use super::state::{KeyFocus, Overlay, PaneArrangement, PaneContent, Tab, UiState};
use crate::domain::AttemptId;
use crate::keymap::Axis;

/// Minimum size of a terminal that is drawn in full.
pub(crate) const LEAST: (u16, u16) = (60, 15);
/// Columns and rows from which a tab shows the panes of its narrow arrangement, if it has one.
const NARROW: (u16, u16) = (80, 24);
/// Width from which a tab shows all its panes.
pub(crate) const SEVERAL: u16 = 100;
/// Width from which a tab has its wide arrangement.
pub(crate) const WIDE: u16 = 160;
/// Minimum columns of an agent's terminal.
const AGENT_WIDTH: u16 = 60;
/// Preferred rows of an agent's terminal, and the minimum with which several are shown.
const AGENT_HEIGHTS: [u16; 2] = [16, 8];
/// Columns of the list of agents, lines included, when there is room for one agent only.
const LIST_WIDTH: u16 = 36;

/// Positions of the bars and panes on a client's screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScreenLayout {
    pub(crate) framing: BorderMode,
    pub(crate) top_bar: Rect,
    pub(crate) attention_bar: Rect,
    pub(crate) body: Rect,
    pub(crate) status: Rect,
    pub(crate) panes: Vec<PlacedPane>,
    /// The pane with the focus; always one of those in `order`.
    pub(crate) focus: PaneId,
    /// All panes of the tab, in reading order.
    pub(crate) order: Vec<PaneId>,
}

/// Kind of framing: panes have borders, one terminal fills the screen without any, or the screen is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BorderMode {
    /// No room: only a notice.
    TooSmall,
    /// Single terminal without lines, over the whole width.
    Borderless,
    /// Panes with lines between them.
    Bordered,
}

/// Pane with its content and its outer and inner rectangle on the screen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlacedPane {
    pub(crate) pane: PaneId,
    pub(crate) content: PaneContent,
    pub(crate) outer: Rect,
    pub(crate) inner: Rect,
}

impl ScreenLayout {
    /// Returns the pane with the focus, if it is drawn.
    pub(crate) fn focused(&self) -> Option<&PlacedPane> {
        self.panes.iter().find(|placed| placed.pane == self.focus)
    }

    /// Returns the pane `by` places after the one with the focus, around the end.
    pub(crate) fn neighbour(&self, by: isize) -> Option<PaneId> {
        let count = self.order.len();
        let at = self.order.iter().position(|id| *id == self.focus);
        let next = (at.unwrap_or(0) + count).saturating_add_signed(by) % count.max(1);
        self.order.get(next).copied()
    }

    /// Returns the pane drawn at that position.
    pub(crate) fn at(&self, x: u16, y: u16) -> Option<&PlacedPane> {
        let inside = |area: Rect| area.contains((x, y).into());
        let inner = self.panes.iter().find(|placed| inside(placed.inner));
        inner.or_else(|| self.panes.iter().find(|placed| inside(placed.outer)))
    }
}

/// Returns the layout of an area of that size.
pub(crate) fn screen_layout(state: &UiState, scene: &Scene<'_>, area: Rect) -> ScreenLayout {
    let order = order(state, scene, area);
    let focus = focus(state, &order);
    let content = state.pane(focus).content;
    let screen = content.screen().filter(|id| scene.screens.has(*id));
    let framing = match (area.width, area.height, screen) {
        (w, h, _) if w < LEAST.0 || h < LEAST.1 => BorderMode::TooSmall,
        (w, _, Some(_)) if w < SEVERAL => BorderMode::Borderless,
        _ => BorderMode::Bordered,
    };
    let [top, strip, body, status] = bands(area, framing);
    let placed = match framing {
        BorderMode::TooSmall => Vec::new(),
        BorderMode::Borderless => vec![(focus, body)],
        BorderMode::Bordered => {
            tree(state, scene, body, focus).map_or_else(Vec::new, |tree| tree.pane_rects(body, focus))
        }
    };
    let placed = placed.into_iter().map(|(pane, outer)| PlacedPane {
        pane,
        content: state.pane(pane).content,
        outer,
        inner: inner(outer, framing),
    });
    ScreenLayout {
        framing,
        top_bar: top,
        attention_bar: strip,
        body,
        status,
        panes: placed.collect(),
        focus,
        order,
    }
}

/// Splits an area into the bar at the top, the strip of tasks that need a person, the panes, and the last row.
fn bands(area: Rect, framing: BorderMode) -> [Rect; 4] {
    let strip = u16::from(framing != BorderMode::Borderless);
    Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(strip),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(area)
}

fn inner(outer: Rect, framing: BorderMode) -> Rect {
    match framing {
        BorderMode::Borderless | BorderMode::TooSmall => outer,
        BorderMode::Bordered => outer.inner(Margin::new(1, 1)),
    }
}

/// Returns the pane with the focus among the existing ones.
fn focus(state: &UiState, order: &[PaneId]) -> PaneId {
    let wished = state.current_tab().map(|tab| tab.focus);
    let there = wished.filter(|pane| order.contains(pane));
    there
        .or_else(|| order.first().copied())
        .unwrap_or(PaneId::Fixed(0))
}

/// Returns all panes of the tab shown, in reading order.
fn order(state: &UiState, scene: &Scene<'_>, area: Rect) -> Vec<PaneId> {
    let Some(tab) = state.current_tab() else {
        return Vec::new();
    };
    match &tab.arrangement {
        PaneArrangement::Saved { .. } | PaneArrangement::Own(_) => tab.arrangement.panes(),
        PaneArrangement::Agents { list } => {
            let agents = agents(state, tab, scene).into_iter().map(PaneId::Agent);
            let [_, _, body, _] = bands(area, BorderMode::Bordered);
            if columns(agents.len(), body).is_some() {
                return agents.collect();
            }
            let mut order = vec![*list];
            order.extend(agents);
            order
        }
    }
}

/// Returns the agents at work, and also the focused one as long as its terminal exists, else the chosen one: neither changes by itself.
fn agents(state: &UiState, tab: &Tab, scene: &Scene<'_>) -> Vec<AttemptId> {
    let mut agents: Vec<AttemptId> = scene.model.agents().map(|row| row.attempt.id).collect();
    let kept = match tab.focus {
        PaneId::Agent(focused) => Some(focused),
        PaneId::Fixed(_) => state.agent,
    };
    let has_screen = |id: &AttemptId| scene.screens.has(ScreenId::Attempt(*id));
    agents.extend(kept.filter(|id| has_screen(id) && !agents.contains(id)));
    agents
}

/// Returns the tree drawn on that body: one pane when there is no room for several, or when one is zoomed.
fn tree(state: &UiState, scene: &Scene<'_>, body: Rect, focus: PaneId) -> Option<PaneTree> {
    let tab = state.current_tab()?;
    if state.is_zoomed() {
        return Some(PaneTree::Leaf(focus));
    }
    if body.width < SEVERAL {
        let narrow = narrow_tree(tab, state.size).filter(|tree| tree.contains(focus));
        return Some(narrow.cloned().unwrap_or(PaneTree::Leaf(focus)));
    }
    match &tab.arrangement {
        PaneArrangement::Saved { wide, .. } if body.width >= WIDE => Some(wide.clone()),
        PaneArrangement::Saved { medium, .. } => Some(medium.clone()),
        PaneArrangement::Own(tree) => Some(tree.clone()),
        PaneArrangement::Agents { list } => {
            Some(agent_tree(state, &agents(state, tab, scene), *list, focus, body))
        }
    }
}

/// Returns the narrow arrangement of a tab, where a screen of that size has room for it.
fn narrow_tree(tab: &Tab, size: (u16, u16)) -> Option<&PaneTree> {
    let fits = (NARROW.0..SEVERAL).contains(&size.0) && size.1 >= NARROW.1;
    match &tab.arrangement {
        PaneArrangement::Saved { narrow, .. } if fits => narrow.as_ref(),
        _ => None,
    }
}

/// Returns true if the tab shown has a pane beside its lists that shows the selected task.
pub(crate) fn shows_selected_task(state: &UiState) -> bool {
    let Some(tab) = state.current_tab().filter(|_| !state.is_zoomed()) else {
        return false;
    };
    let shown = match &tab.arrangement {
        _ if state.size.0 < SEVERAL => narrow_tree(tab, state.size).map(PaneTree::panes),
        arrangement => Some(arrangement.panes()),
    };
    let follows = |id: &PaneId| state.panes.get(id).is_some_and(|pane| pane.follows_selection);
    shown.is_some_and(|panes| panes.iter().any(follows))
}

/// Returns the tree that is drawn, of a tab whose lines a person may move: one that follows the agents arranges itself.
pub(crate) fn resizable_tree(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout) -> Option<PaneTree> {
    let follows = matches!(state.current_tab()?.arrangement, PaneArrangement::Agents { .. });
    let roomy = layout.body.width >= SEVERAL;
    let boxed = layout.framing == BorderMode::Bordered && !follows && roomy;
    let tree = tree(state, scene, layout.body, layout.focus);
    tree.filter(|_| boxed)
}

fn agent_tree(state: &UiState, agents: &[AttemptId], list: PaneId, focus: PaneId, body: Rect) -> PaneTree {
    let panes: Vec<PaneId> = agents.iter().map(|id| PaneId::Agent(*id)).collect();
    let shown = match (focus, state.agent) {
        (PaneId::Agent(_), _) => Some(focus),
        (PaneId::Fixed(_), Some(agent)) if agents.contains(&agent) => Some(PaneId::Agent(agent)),
        (PaneId::Fixed(_), _) => panes.first().copied(),
    };
    let Some(shown) = shown else {
        return PaneTree::Leaf(list);
    };
    let all = columns(panes.len(), body).and_then(|columns| grid(&panes, columns));
    all.unwrap_or_else(|| {
        let share = u32::from(LIST_WIDTH) * 1000 / u32::from(body.width.max(1)) + 1;
        let share = u16::try_from(share).unwrap_or(500);
        PaneTree::split(Axis::Columns, share, PaneTree::Leaf(list), PaneTree::Leaf(shown))
    })
}

/// Returns the number of columns in which `count` agents fit, each wide enough; `None` if they do not, or when one large agent beside
/// their list shows more.
fn columns(count: usize, body: Rect) -> Option<usize> {
    if body.width < WIDE {
        return None;
    }
    let most = usize::from(body.width.saturating_sub(1) / (AGENT_WIDTH + 1)).max(1);
    AGENT_HEIGHTS.iter().find_map(|height| {
        let rows = usize::from(body.height.saturating_sub(1) / (height + 1));
        (1..=most).find(|columns| count > 0 && columns * rows >= count)
    })
}

/// The mode that decides the receiver of the next key, shown as a word in the last row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputMode {
    Nav,
    Look,
    /// A terminal that receives every key but the prefix.
    Type,
    /// A terminal held still, to take text from.
    Copy,
    /// The search words for a list or a terminal.
    Find,
    /// A prompt, a question, a choice, the palette, the help.
    Ask,
}

impl InputMode {
    /// Returns the word for the mode.
    pub fn word(self) -> &'static str {
        match self {
            InputMode::Nav => "NAV",
            InputMode::Look => "LOOK",
            InputMode::Type => "TYPE",
            InputMode::Copy => "COPY",
            InputMode::Find => "FIND",
            InputMode::Ask => "ASK",
        }
    }
}

/// Returns the mode that decides the receiver of the next key.
pub(crate) fn input_mode(state: &UiState, scene: &Scene<'_>, focus: PaneId) -> InputMode {
    match &state.overlay {
        Some(Overlay::Search(_)) => return InputMode::Find,
        Some(_) => return InputMode::Ask,
        None => {}
    }
    mode_under_overlay(state, scene, focus)
}

/// Returns the mode as if there were no overlay.
pub(crate) fn mode_under_overlay(state: &UiState, scene: &Scene<'_>, focus: PaneId) -> InputMode {
    if state
        .copy_mode
        .as_ref()
        .is_some_and(|copying| copying.pane == focus)
    {
        return InputMode::Copy;
    }
    let screen = state.pane(focus).content.screen();
    let there = screen.filter(|id| scene.screens.has(*id));
    match (state.key_focus, there) {
        (KeyFocus::Opening(pane), _) if pane == focus => InputMode::Type,
        (
            KeyFocus::Terminal(typing)
            | KeyFocus::Prefix {
                then: Some(typing), ..
            },
            Some(id),
        ) if typing == id && is_running(scene, id) => InputMode::Type,
        (_, Some(_)) => InputMode::Look,
        (_, None) => InputMode::Nav,
    }
}

/// Returns true if the program in that terminal still runs.
pub(crate) fn is_running(scene: &Scene<'_>, id: ScreenId) -> bool {
    scene.screens.read(id, |screen| screen.is_running()) == Some(true)
}
