//! Changing the arrangement: splitting, closing, swapping, zooming, tabs. A tab that is changed becomes a person's own.

use std::collections::BTreeSet;

use super::{Request, Turn};
use crate::domain::AttemptId;
use crate::ui::action::Action;
use crate::ui::arrange::{Arranged, alive, movable};
use crate::ui::names::pane_name;
use crate::ui::palette::places;
use crate::ui::pane::{Axis, Direction, Node, PaneId, arrangement, fresh};
use crate::ui::scene::ScreenId;
use crate::ui::state::{
    Choice, Choose, Chosen, Confirm, Content, Deed, Hands, Overlay, Pane, Shape, Tab, Zoom,
};

/// Thousandths by which a line moves per key.
const NUDGE: u16 = 40;
/// Most tabs of a client.
const MOST_TABS: usize = 30;

impl Turn<'_, '_> {
    /// Does an action that changes the arrangement; answers whether it was one.
    pub(super) fn change_panes(&mut self, action: Action, arranged: &Arranged) -> bool {
        match action {
            Action::Split(axis) => self.choose_split(axis),
            Action::ClosePane => self.ask_close_pane(arranged),
            Action::CloseTab => self.ask_close_tab(arranged),
            Action::SwapBack => self.swap(-1, arranged),
            Action::SwapOn => self.swap(1, arranged),
            Action::BreakOut => self.break_out(arranged),
            Action::Zoom => self.zoom(),
            Action::Resize(direction) => self.resize(direction, arranged),
            Action::Arrange => self.rearrange(arranged),
            Action::NewShell => self.new_shell(),
            Action::ShellHere => self.shell_here(arranged),
            Action::OpenBeside => self.open_beside(arranged),
            Action::RenameTab => self.rename_tab(),
            Action::ListPanes => self.list_panes(),
            _ => return false,
        }
        true
    }

    /// The tree of the tab shown, as a person's own.
    fn own(&mut self, arranged: &Arranged) -> Option<&mut Node> {
        let wide = self.state.size.0 >= crate::ui::arrange::WIDE;
        let drawn = arrangement(&arranged.order, 0);
        let tab = self.state.here_mut()?;
        let tree = match &tab.shape {
            Shape::Saved { wide: tree, .. } if wide => Some(tree.clone()),
            Shape::Saved { medium, .. } => Some(medium.clone()),
            Shape::Own(tree) => Some(tree.clone()),
            Shape::Agents { .. } => drawn,
        };
        tab.focus = arranged.focus;
        tab.shape = Shape::Own(tree?);
        match &mut tab.shape {
            Shape::Own(tree) => Some(tree),
            Shape::Saved { .. } | Shape::Agents { .. } => None,
        }
    }

    fn new_pane(&mut self, content: Content) -> PaneId {
        let mut used: BTreeSet<PaneId> = self.state.panes.keys().copied().collect();
        used.extend(self.state.tabs.iter().map(|tab| tab.focus));
        let id = fresh(&used);
        if content == Content::Shell(None) {
            self.ask(Request::OpenShell(id));
        }
        self.state.panes.insert(id, Pane::of(content));
        id
    }

    fn choose_split(&mut self, axis: Axis) {
        let mut contents = vec![("Shell".to_owned(), Content::Shell(None))];
        let others = Content::all().filter(|(_, content)| *content != Content::Shell(None));
        contents.extend(others.map(|(title, content)| (title.to_owned(), content)));
        for row in self.scene.model.agents() {
            contents.push((
                format!("{}  {}", row.attempt.task, row.name),
                Content::Attempt(row.attempt.id),
            ));
        }
        let choices = contents.into_iter().map(|(text, content)| Choice {
            text,
            key: None,
            chosen: Chosen::Split(axis, content),
        });
        self.state.overlay = Some(Overlay::Choose(Choose {
            title: match axis {
                Axis::Columns => "Show beside it".to_owned(),
                Axis::Rows => "Show below it".to_owned(),
            },
            choices: choices.collect(),
            at: 0,
            opened_by: None,
        }));
    }

    pub(super) fn split(&mut self, axis: Axis, content: Content) {
        let arranged = self.arranged();
        let pane = self.new_pane(content);
        if let Some(tree) = self.own(&arranged) {
            tree.insert(arranged.focus, axis, pane);
        }
        if let Some(tab) = self.state.here_mut() {
            tab.zoom = Zoom::Out;
        }
        self.focus(pane, arranged.focus);
    }

    fn ask_close_pane(&mut self, arranged: &Arranged) {
        let pane = arranged.focus;
        let automatic = self
            .state
            .here()
            .is_some_and(|tab| matches!(tab.shape, Shape::Agents { .. }));
        if automatic {
            return self.warn("close pane: this tab follows the agents by itself");
        }
        if arranged.order.len() == 1 && self.state.tabs.len() == 1 {
            return self.warn("close pane: the last pane stays");
        }
        match self.state.pane(pane).content {
            Content::Shell(Some(number)) if alive(self.scene, ScreenId::Shell(number)) => {
                self.state.overlay = Some(Overlay::Confirm(Box::new(Confirm {
                    question: format!("Close shell {number}?"),
                    lines: vec![
                        "The shell and what runs in it are ended. Agents are not touched.".to_owned(),
                    ],
                    first: 0,
                    yes: "close".to_owned(),
                    deed: Deed::ClosePane(pane),
                })));
            }
            _ => {
                self.remember_panes("closed the pane");
                self.close_pane(pane);
            }
        }
    }

    pub(super) fn close_pane(&mut self, pane: PaneId) {
        let arranged = self.arranged();
        if arranged.order == [pane] {
            return self.close_tab();
        }
        self.forget(pane);
        let at = arranged.order.iter().position(|id| *id == pane).unwrap_or(0);
        let rest: Vec<PaneId> = arranged.order.iter().copied().filter(|id| *id != pane).collect();
        let next = rest.get(at.min(rest.len().saturating_sub(1))).copied();
        if let Some(tree) = self.own(&arranged)
            && let Some(without) = tree.clone().without(pane)
        {
            *tree = without;
        }
        if let (Some(tab), Some(next)) = (self.state.here_mut(), next) {
            tab.focus = next;
            tab.zoom = Zoom::Out;
        }
        self.state.hands = Hands::Ours;
    }

    /// A pane is gone: so is its shell, if no other pane shows it.
    fn forget(&mut self, pane: PaneId) {
        let Some(gone) = self.state.panes.remove(&pane) else {
            return;
        };
        self.state.trail.retain(|(_, id)| *id != pane);
        if let Content::Shell(Some(number)) = gone.content
            && !self.state.shells().contains(&number)
        {
            self.ask(Request::CloseShell(number));
        }
    }

    fn ask_close_tab(&mut self, arranged: &Arranged) {
        let shells = arranged
            .order
            .iter()
            .filter_map(|id| match self.state.pane(*id).content {
                Content::Shell(Some(number)) if alive(self.scene, ScreenId::Shell(number)) => {
                    Some(number.to_string())
                }
                _ => None,
            });
        let shells: Vec<String> = shells.collect();
        let mut lines = vec![format!(
            "Its {} panes are closed. Agents go on.",
            arranged.order.len()
        )];
        let agents: Vec<&str> = arranged
            .order
            .iter()
            .filter_map(|id| match self.state.pane(*id).content {
                Content::Attempt(attempt) => self.scene.model.attempts.get(&attempt),
                _ => None,
            })
            .filter(|attempt| attempt.state.is_open())
            .map(|attempt| attempt.worker.name())
            .collect();
        if !agents.is_empty() {
            lines.push(format!("At work, and going on: {}.", agents.join(", ")));
        }
        if !shells.is_empty() {
            lines.push(format!("Ended with it: shell {}.", shells.join(", ")));
        }
        let title = self.state.here().map(|tab| tab.title.clone()).unwrap_or_default();
        self.state.overlay = Some(Overlay::Confirm(Box::new(Confirm {
            question: format!("Close the tab {title}?"),
            lines,
            first: 0,
            yes: "close".to_owned(),
            deed: Deed::CloseTab,
        })));
    }

    pub(super) fn close_tab(&mut self) {
        if self.state.tabs.len() < 2 {
            return self.warn("close tab: the last tab stays");
        }
        let panes = match self.state.here().map(|tab| &tab.shape) {
            Some(Shape::Saved { wide: tree, .. } | Shape::Own(tree)) => tree.panes(),
            Some(Shape::Agents { list }) => vec![*list],
            None => Vec::new(),
        };
        for pane in panes {
            self.forget(pane);
        }
        self.state.tabs.remove(self.state.tab);
        self.state.tab = self.state.tab.min(self.state.tabs.len() - 1);
        self.state.trail.clear();
        self.state.hands = Hands::Ours;
    }

    fn swap(&mut self, by: isize, arranged: &Arranged) {
        if let (Some(tree), Some(other)) = (self.own(arranged), arranged.neighbour(by)) {
            tree.swap(arranged.focus, other);
        }
    }

    fn break_out(&mut self, arranged: &Arranged) {
        let pane = arranged.focus;
        let title = pane_name(self.state, self.scene, pane);
        let rest = self.own(arranged).and_then(|tree| {
            let without = tree.clone().without(pane)?;
            *tree = without.clone();
            without.panes().first().copied()
        });
        if let (Some(tab), Some(rest)) = (self.state.here_mut(), rest) {
            tab.focus = rest;
            tab.zoom = Zoom::Out;
            self.new_tab(title, pane);
        }
    }

    /// A tab of one pane, shown at once.
    fn new_tab(&mut self, title: String, pane: PaneId) {
        self.state.tabs.push(Tab {
            title,
            shape: Shape::Own(Node::Leaf(pane)),
            focus: pane,
            last: None,
            zoom: Zoom::Out,
            next_arrangement: 0,
        });
        self.state.tab = self.state.tabs.len() - 1;
        self.state.hands = Hands::Ours;
    }

    fn new_shell(&mut self) {
        if self.state.tabs.len() >= MOST_TABS {
            return self.warn(format!("new shell: there are {MOST_TABS} tabs; close one first"));
        }
        let pane = self.new_pane(Content::Shell(None));
        self.new_tab("Shell".to_owned(), pane);
    }

    /// A new tab with a shell where the agent of the task works.
    fn shell_here(&mut self, arranged: &Arranged) {
        let Some(attempt) = self.target(arranged).attempt else {
            return;
        };
        let (id, task) = (attempt.id, attempt.task.to_string());
        if self.state.tabs.len() >= MOST_TABS {
            return self.warn(format!("there are {MOST_TABS} tabs; close one first"));
        }
        let pane = self.new_pane(Content::Shell(None));
        self.requests
            .retain(|request| *request != Request::OpenShell(pane));
        self.ask(Request::OpenShellAt(pane, id));
        self.new_tab(task, pane);
    }

    /// A new tab with a shell that runs that: where that attempt works, else in the project's folder.
    pub(super) fn run_in_shell(&mut self, command: String, attempt: Option<AttemptId>) {
        if self.state.tabs.len() >= MOST_TABS {
            return self.warn(format!("there are {MOST_TABS} tabs; close one first"));
        }
        let pane = self.new_pane(Content::Shell(None));
        self.requests
            .retain(|request| *request != Request::OpenShell(pane));
        let title = command.split_whitespace().next().unwrap_or("Shell").to_owned();
        self.ask(Request::RunInShell(pane, attempt, command));
        self.new_tab(title, pane);
    }

    fn open_beside(&mut self, arranged: &Arranged) {
        if let Some(attempt) = self.target(arranged).attempt {
            self.split(Axis::Columns, Content::Attempt(attempt.id));
        }
    }

    fn zoom(&mut self) {
        if let Some(tab) = self.state.here_mut() {
            tab.zoom = match tab.zoom {
                Zoom::Out => Zoom::In,
                Zoom::In => Zoom::Out,
            };
        }
    }

    fn resize(&mut self, direction: Direction, arranged: &Arranged) {
        let moved = self
            .own(arranged)
            .is_some_and(|tree| tree.nudge(arranged.focus, direction, NUDGE));
        if !moved {
            self.warn("there is no line on that side");
        }
    }

    /// Takes hold of the line between panes at that place, if there is one.
    pub(super) fn hold_line(&mut self, at: (u16, u16), arranged: &Arranged) {
        let tree = movable(self.state, self.scene, arranged);
        let line = tree.and_then(|tree| tree.line_at(arranged.body, arranged.focus, at));
        self.state.line = line.map(|line| (line, at));
    }

    /// Moves the line that the mouse holds there.
    pub(super) fn drag_line(&mut self, to: (u16, u16), arranged: &Arranged) {
        if let Some((line, _)) = self.state.line.clone()
            && let Some(tree) = self.own(arranged)
        {
            tree.move_line(arranged.body, &line, to);
        }
    }

    fn rearrange(&mut self, arranged: &Arranged) {
        let Some(tab) = self.state.here_mut() else { return };
        let next = tab.next_arrangement;
        tab.next_arrangement = (next + 1) % 4;
        tab.zoom = Zoom::Out;
        if let (Some(tree), Some(own)) = (arrangement(&arranged.order, next), self.own(arranged)) {
            *own = tree;
        }
    }

    fn list_panes(&mut self) {
        let here = (self.state.tab, self.arranged().focus);
        let places = places(self.state, self.scene);
        let at = places.iter().position(|(tab, pane, _)| (*tab, *pane) == here);
        let choices = places.into_iter().map(|(tab, pane, text)| Choice {
            text,
            key: None,
            chosen: Chosen::Goto(tab, pane),
        });
        self.state.overlay = Some(Overlay::Choose(Choose {
            title: "All panes".to_owned(),
            choices: choices.collect(),
            at: at.unwrap_or(0),
            opened_by: None,
        }));
    }
}
