//! Changes of the arrangement: splitting, closing, swapping, zooming, tabs. A tab that is changed becomes a person's own.

use super::{UiRequest, UpdateContext};
use crate::domain::AttemptId;
use crate::keymap::{Axis, Direction};
use crate::ui::palette::pane_entries;
use crate::ui::pane::{PaneId, PaneTree, preset_layout};
use crate::ui::pane_names::pane_name;
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::{ScreenLayout, is_running, resizable_tree};
use crate::ui::state::{ConfirmAction, KeyFocus, MenuAction, Pane, PaneArrangement, PaneContent, Tab, Zoom};

/// Thousandths by which a line moves per key.
const NUDGE: u16 = 40;
/// Maximum number of tabs of a client.
const MOST_TABS: usize = 30;

impl UpdateContext<'_, '_> {
    /// Returns the tree of the tab shown, as a person's own.
    fn own(&mut self, layout: &ScreenLayout) -> Option<&mut PaneTree> {
        let wide = self.state.size.0 >= crate::ui::screen_layout::WIDE;
        let drawn = preset_layout(&layout.order, 0);
        let tab = self.state.current_tab_mut()?;
        let tree = match &tab.arrangement {
            PaneArrangement::Saved { wide: tree, .. } if wide => Some(tree.clone()),
            PaneArrangement::Saved { medium, .. } => Some(medium.clone()),
            PaneArrangement::Own(tree) => Some(tree.clone()),
            PaneArrangement::Agents { .. } => drawn,
        };
        tab.focus = layout.focus;
        tab.arrangement = PaneArrangement::Own(tree?);
        match &mut tab.arrangement {
            PaneArrangement::Own(tree) => Some(tree),
            PaneArrangement::Saved { .. } | PaneArrangement::Agents { .. } => None,
        }
    }

    pub(super) fn choose_split(&mut self, axis: Axis) {
        let mut contents = vec![("Shell".to_owned(), PaneContent::Shell(None))];
        let others = PaneContent::all().filter(|(_, content)| *content != PaneContent::Shell(None));
        contents.extend(others.map(|(title, content)| (title.to_owned(), content)));
        for row in self.scene.model.agents() {
            contents.push((
                format!("{}  {}", row.attempt.task, row.name),
                PaneContent::Attempt(row.attempt.id),
            ));
        }
        let contents = contents.into_iter();
        let items = contents.map(|(text, content)| (text, MenuAction::Split(axis, content)));
        let title = match axis {
            Axis::Columns => "Show beside it",
            Axis::Rows => "Show below it",
        };
        self.menu(title, items, 0);
    }

    pub(super) fn split(&mut self, axis: Axis, content: PaneContent) {
        let layout = self.arranged();
        let is_shell = content == PaneContent::Shell(None);
        let pane = self.state.add_pane(Pane::new(content));
        if is_shell {
            self.ask(UiRequest::OpenShell(pane));
        }
        if let Some(tree) = self.own(&layout) {
            tree.insert(layout.focus, axis, pane);
        }
        if let Some(tab) = self.state.current_tab_mut() {
            tab.zoom = Zoom::Out;
        }
        self.focus(pane, layout.focus);
        if is_shell {
            self.type_to_opening(pane);
        }
    }

    /// Directs the keys from now on to the shell in that pane, though it does not run yet.
    fn type_to_opening(&mut self, pane: PaneId) {
        self.state.held_keys.clear();
        self.state.key_focus = KeyFocus::Opening(pane);
    }

    pub(super) fn ask_close_pane(&mut self, layout: &ScreenLayout) {
        let pane = layout.focus;
        let automatic = self
            .state
            .current_tab()
            .is_some_and(|tab| matches!(tab.arrangement, PaneArrangement::Agents { .. }));
        if automatic {
            return self.warn("close pane: this tab follows the agents by itself");
        }
        if layout.order.len() == 1 && self.state.tabs.len() == 1 {
            return self.warn("close pane: the last pane stays");
        }
        match self.state.pane(pane).content {
            PaneContent::Shell(Some(number)) if is_running(self.scene, ScreenId::Shell(number)) => {
                self.confirm(
                    format!("Close shell {number}?"),
                    vec!["The shell and what runs in it are ended. Agents are not touched.".to_owned()],
                    "close",
                    ConfirmAction::ClosePane(pane),
                );
            }
            _ => {
                self.record_panes("closed the pane");
                self.close_pane(pane);
            }
        }
    }

    pub(super) fn close_pane(&mut self, pane: PaneId) {
        let layout = self.arranged();
        if layout.order == [pane] {
            return self.close_tab();
        }
        self.forget(pane);
        let at = layout.order.iter().position(|id| *id == pane).unwrap_or(0);
        let rest: Vec<PaneId> = layout.order.iter().copied().filter(|id| *id != pane).collect();
        let next = rest.get(at.min(rest.len().saturating_sub(1))).copied();
        if let Some(tree) = self.own(&layout)
            && let Some(without) = tree.clone().remove(pane)
        {
            *tree = without;
        }
        if let (Some(tab), Some(next)) = (self.state.current_tab_mut(), next) {
            tab.focus = next;
            tab.zoom = Zoom::Out;
        }
        self.state.key_focus = KeyFocus::Views;
        self.relayout();
    }

    /// Forgets a closed pane, and its shell, if no other pane shows it.
    fn forget(&mut self, pane: PaneId) {
        let Some(gone) = self.state.panes.remove(&pane) else {
            return;
        };
        self.state.back_stack.retain(|(_, id)| *id != pane);
        if let PaneContent::Shell(Some(number)) = gone.content
            && !self.state.shells().contains(&number)
        {
            self.ask(UiRequest::CloseShell(number));
        }
    }

    pub(super) fn ask_close_tab(&mut self, layout: &ScreenLayout) {
        let shells = layout
            .order
            .iter()
            .filter_map(|id| match self.state.pane(*id).content {
                PaneContent::Shell(Some(number)) if is_running(self.scene, ScreenId::Shell(number)) => {
                    Some(number.to_string())
                }
                _ => None,
            });
        let shells: Vec<String> = shells.collect();
        let mut lines = vec![match layout.order.len() {
            1 => "1 pane is closed. Agents go on.".to_owned(),
            panes => format!("{panes} panes are closed. Agents go on."),
        }];
        let agents: Vec<&str> = layout
            .order
            .iter()
            .filter_map(|id| match self.state.pane(*id).content {
                PaneContent::Attempt(attempt) => self.scene.model.attempts.get(&attempt),
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
        self.confirm(
            format!("Close the tab {}?", self.state.tab_title()),
            lines,
            "close",
            ConfirmAction::CloseTab,
        );
    }

    pub(super) fn close_tab(&mut self) {
        if self.state.tabs.len() < 2 {
            return self.warn("close tab: the last tab stays");
        }
        let panes = self.state.current_tab().map(|tab| tab.arrangement.panes());
        for pane in panes.unwrap_or_default() {
            self.forget(pane);
        }
        self.state.tabs.remove(self.state.tab);
        self.state.tab = self.state.tab.min(self.state.tabs.len() - 1);
        self.state.back_stack.clear();
        self.state.key_focus = KeyFocus::Views;
        self.relayout();
    }

    pub(super) fn swap(&mut self, by: isize, layout: &ScreenLayout) {
        if let (Some(tree), Some(other)) = (self.own(layout), layout.neighbour(by)) {
            tree.swap(layout.focus, other);
        }
        self.relayout();
    }

    pub(super) fn break_out(&mut self, layout: &ScreenLayout) {
        let pane = layout.focus;
        let title = pane_name(self.state, self.scene, pane);
        let rest = self.own(layout).and_then(|tree| {
            let without = tree.clone().remove(pane)?;
            *tree = without.clone();
            without.panes().first().copied()
        });
        if let (Some(tab), Some(rest)) = (self.state.current_tab_mut(), rest) {
            tab.focus = rest;
            tab.zoom = Zoom::Out;
            self.new_tab(title, pane);
        }
    }

    /// Adds a tab of one pane, shown at once.
    fn new_tab(&mut self, title: String, pane: PaneId) {
        let arrangement = PaneArrangement::Own(PaneTree::Leaf(pane));
        self.state.tabs.push(Tab::new(title, arrangement, pane));
        self.state.tab = self.state.tabs.len() - 1;
        self.state.key_focus = KeyFocus::Views;
        self.relayout();
    }

    pub(super) fn new_shell(&mut self) {
        self.shell_tab("Shell".to_owned(), UiRequest::OpenShell);
    }

    /// Opens a new tab with a shell where the agent of the task works.
    pub(super) fn shell_here(&mut self, layout: &ScreenLayout) {
        let attempt = self.target(layout).attempt;
        match attempt.filter(|attempt| attempt.workplace.is_some()) {
            Some(attempt) => self.shell_tab(attempt.task.to_string(), |pane| {
                UiRequest::OpenShellIn(pane, attempt.id)
            }),
            None => self.shell_tab("Shell".to_owned(), UiRequest::OpenShell),
        }
    }

    /// Opens a new tab with a shell that runs that command: where that attempt works, else in the project's folder.
    pub(super) fn run_in_shell(&mut self, command: String, attempt: Option<AttemptId>) {
        let title = command.split_whitespace().next().unwrap_or("Shell").to_owned();
        self.shell_tab(title, |pane| UiRequest::RunInShell(pane, attempt, command));
    }

    /// Opens a new tab with a shell, by that request.
    fn shell_tab(&mut self, title: String, open: impl FnOnce(PaneId) -> UiRequest) {
        if self.state.tabs.len() >= MOST_TABS {
            return self.warn(format!("new shell: there are {MOST_TABS} tabs; close one first"));
        }
        let pane = self.state.add_pane(Pane::new(PaneContent::Shell(None)));
        self.ask(open(pane));
        self.new_tab(title, pane);
        self.type_to_opening(pane);
    }

    pub(super) fn open_beside(&mut self, layout: &ScreenLayout) {
        if let Some(attempt) = self.target(layout).attempt {
            self.split(Axis::Columns, PaneContent::Attempt(attempt.id));
        }
    }

    pub(super) fn zoom(&mut self) {
        if let Some(tab) = self.state.current_tab_mut() {
            tab.zoom = match tab.zoom {
                Zoom::Out => Zoom::In,
                Zoom::In => Zoom::Out,
            };
        }
        self.relayout();
    }

    pub(super) fn resize(&mut self, direction: Direction, layout: &ScreenLayout) {
        let moved = self
            .own(layout)
            .is_some_and(|tree| tree.resize(layout.focus, direction, NUDGE));
        self.relayout();
        if !moved {
            self.warn("there is no line on that side");
        }
    }

    /// Grabs the line between panes at that place, if there is one.
    pub(super) fn grab_split(&mut self, at: (u16, u16), layout: &ScreenLayout) {
        let tree = resizable_tree(self.state, self.scene, layout);
        let line = tree.and_then(|tree| tree.split_at(layout.body, layout.focus, at));
        self.state.dragged_split = line.map(|line| (line, at));
    }

    /// Moves the line that the mouse holds to that place.
    pub(super) fn drag_split(&mut self, to: (u16, u16), layout: &ScreenLayout) {
        if let Some((line, _)) = self.state.dragged_split.clone()
            && let Some(tree) = self.own(layout)
        {
            tree.move_split(layout.body, &line, to);
        }
        self.relayout();
    }

    pub(super) fn rearrange(&mut self, layout: &ScreenLayout) {
        let Some(tab) = self.state.current_tab_mut() else {
            return;
        };
        let next = tab.next_arrangement;
        tab.next_arrangement = (next + 1) % 4;
        tab.zoom = Zoom::Out;
        if let (Some(tree), Some(own)) = (preset_layout(&layout.order, next), self.own(layout)) {
            *own = tree;
        }
        self.relayout();
    }

    pub(super) fn list_panes(&mut self) {
        let here = (self.state.tab, self.arranged().focus);
        let places = pane_entries(self.state, self.scene);
        let at = places.iter().position(|(tab, pane, _)| (*tab, *pane) == here);
        let places = places.into_iter();
        let items = places.map(|(tab, pane, text)| (text, MenuAction::Goto(tab, pane)));
        self.menu("All panes", items, at.unwrap_or(0));
    }
}
