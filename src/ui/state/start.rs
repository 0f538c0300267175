//! The state of a client that has just connected, from the layout files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Content, Finished, Hands, Pane, Shape, State, Tab, Zoom};
use crate::ui::keymap::{KeyProblem, Keymap};
use crate::ui::layout::{BUILTIN, Layout, LayoutProblem, Plan};
use crate::ui::pane::{Node, PaneId, fresh};

/// Why a state could not be made.
#[derive(Debug, thiserror::Error)]
pub enum StateProblem {
    /// A key file.
    #[error(transparent)]
    Keys(KeyProblem),
    /// A layout file.
    #[error(transparent)]
    Layout(#[from] LayoutProblem),
    /// A layout names a view that does not exist.
    #[error("show `{0}`: there is no such view; there are {names}", names = Content::names())]
    UnknownView(String),
}

pub(super) fn state(size: (u16, u16), keymap: Arc<Keymap>) -> Result<State, StateProblem> {
    let mut state = State {
        size,
        keymap,
        tabs: Vec::new(),
        tab: 0,
        panes: BTreeMap::new(),
        hands: Hands::Ours,
        overlay: None,
        counted: None,
        copying: None,
        pressed: None,
        clicked: None,
        held: None,
        line: None,
        copied: String::new(),
        selected: None,
        agent: None,
        trail: Vec::new(),
        toasts: Vec::new(),
        told: Vec::new(),
        undo: Vec::new(),
        redo: Vec::new(),
        marks: BTreeSet::new(),
        editing: None,
        recent: Vec::new(),
        finished: Finished::Counted,
        layouts: BTreeSet::new(),
        seat: super::Seat::Here,
        pastes: super::PastePreview::Shown,
        mouse: super::MouseUse::All,
        hinted: false,
        away: None,
        greeting: None,
        theme: None,
        wished: None,
        themes: Vec::new(),
    };
    for text in BUILTIN {
        add(&mut state, Layout::parse(text)?)?;
    }
    Ok(state)
}

pub(super) fn add(state: &mut State, layout: Layout) -> Result<(), StateProblem> {
    let mut ids = Vec::new();
    for view in &layout.views {
        let content = Content::named(view).ok_or_else(|| StateProblem::UnknownView(view.clone()))?;
        ids.push(new_pane(state, content));
    }
    let (shape, focus) = match layout.plan {
        Plan::Agents => {
            let list = new_pane(state, Content::Agents);
            (Shape::Agents { list }, list)
        }
        Plan::Trees { wide, medium } => {
            let focus = ids.get(layout.focus).copied().unwrap_or(PaneId::Fixed(0));
            let shape = Shape::Saved {
                wide: renumbered(wide, &ids),
                medium: renumbered(medium, &ids),
            };
            (shape, focus)
        }
    };
    state.layouts.insert(layout.title.clone());
    state.tabs.push(Tab {
        title: layout.title,
        shape,
        focus,
        last: None,
        zoom: Zoom::Out,
        next_arrangement: 0,
    });
    Ok(())
}

fn new_pane(state: &mut State, content: Content) -> PaneId {
    let used: BTreeSet<PaneId> = state.panes.keys().copied().collect();
    let id = fresh(&used);
    state.panes.insert(id, Pane::of(content));
    id
}

/// The same tree with the panes of the state instead of the file's numbers.
fn renumbered(node: Node, ids: &[PaneId]) -> Node {
    match node {
        Node::Leaf(PaneId::Fixed(number)) => {
            let id = usize::try_from(number).ok().and_then(|at| ids.get(at));
            Node::Leaf(id.copied().unwrap_or(PaneId::Fixed(number)))
        }
        Node::Leaf(PaneId::Agent(attempt)) => Node::Leaf(PaneId::Agent(attempt)),
        Node::Split(split) => {
            let (first, second) = (renumbered(split.first, ids), renumbered(split.second, ids));
            Node::split(split.axis, split.share, first, second)
        }
    }
}
