//! Navigation: steps inside a view, focus, tabs, into an agent and back out.

use ratatui::layout::Rect;

use super::UpdateContext;
use crate::domain::{AttemptId, TaskId};
use crate::keymap::Direction;
use crate::keymap::ViewName;
use crate::ui::pane::{PaneId, neighbour};
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::{ScreenLayout, input_mode, is_running};
use crate::ui::state::{KeyFocus, MAX_BACK_STACK, Pane, PaneArrangement, PaneContent, Zoom};
use crate::ui::target::shown_agent;
use crate::ui::views::{MoveOutcome, SESSIONS, ViewContext, ViewMove, is_log, view_of};

impl UpdateContext<'_, '_> {
    /// Returns the context for the view of the pane with the focus.
    pub(super) fn view_context<'c>(&'c self, pane: &'c Pane, layout: &ScreenLayout) -> ViewContext<'c> {
        ViewContext {
            state: self.state,
            scene: self.scene,
            id: layout.focus,
            pane,
            focused: true,
            mode: input_mode(self.state, self.scene, layout.focus),
        }
    }

    /// Moves over the text in copy mode, else inside the view with the focus.
    pub(super) fn step(&mut self, step: ViewMove, layout: &ScreenLayout) {
        match self.position_after(step, layout) {
            Some(spot) => self.move_to(spot, layout),
            None => self.move_in_view(layout.focus, step, layout),
        }
    }

    /// Moves inside a pane's view; out of it sideways, the focus moves.
    pub(super) fn move_in_view(&mut self, id: PaneId, movement: ViewMove, layout: &ScreenLayout) {
        let pane = self.state.pane(id);
        let placed = layout.panes.iter().find(|placed| placed.pane == id);
        let area = placed.map_or_else(Rect::default, |placed| placed.inner);
        let look = ViewContext {
            id,
            focused: id == layout.focus,
            ..self.view_context(&pane, layout)
        };
        match (view_of(&pane.content).navigate(&look, area, movement), movement) {
            (MoveOutcome::Task(task), _) => self.state.selected = Some(task),
            (MoveOutcome::Agent(agent), _) => {
                self.state.agent = Some(agent);
                self.relayout();
            }
            (MoveOutcome::Scrolled(scroll), _) => self.state.pane_mut(id).scroll = scroll,
            (MoveOutcome::Marked { mark, scroll }, _) => {
                let pane = self.state.pane_mut(id);
                (pane.mark, pane.scroll) = (Some(mark), scroll);
            }
            (MoveOutcome::Unmarked, _) => {
                let pane = self.state.pane_mut(id);
                (pane.mark, pane.scroll) = (None, 0);
            }
            (MoveOutcome::LeaveView, ViewMove::One(direction)) => self.focus_toward(direction, layout),
            (MoveOutcome::LeaveView | MoveOutcome::Nowhere, _) => {}
        }
    }

    /// Gives the focus to a pane of the tab shown; keys are ours then.
    pub(super) fn focus(&mut self, pane: PaneId, from: PaneId) {
        if pane == from {
            return;
        }
        self.state.key_focus = KeyFocus::Views;
        if let PaneId::Agent(agent) = pane {
            self.state.agent = Some(agent);
        }
        if let Some(tab) = self.state.current_tab_mut() {
            tab.last_focus = Some(from);
            tab.focus = pane;
        }
        self.relayout();
    }

    pub(super) fn focus_by(&mut self, by: isize, layout: &ScreenLayout) {
        if let Some(pane) = layout.neighbour(by) {
            self.focus(pane, layout.focus);
        }
    }

    pub(super) fn focus_last(&mut self, layout: &ScreenLayout) {
        let last = self.state.current_tab().and_then(|tab| tab.last_focus);
        if let Some(pane) = last.filter(|pane| layout.order.contains(pane)) {
            self.focus(pane, layout.focus);
        }
    }

    /// Focuses the pane in that direction; where only one is drawn, the next or previous one.
    pub(super) fn focus_toward(&mut self, direction: Direction, layout: &ScreenLayout) {
        let placed: Vec<(PaneId, Rect)> = layout
            .panes
            .iter()
            .map(|placed| (placed.pane, placed.outer))
            .collect();
        match neighbour(&placed, layout.focus, direction) {
            Some(pane) => self.focus(pane, layout.focus),
            None if placed.len() < 2 => self.focus_by(
                match direction {
                    Direction::Left | Direction::Up => -1,
                    Direction::Right | Direction::Down => 1,
                },
                layout,
            ),
            None => {}
        }
    }

    pub(super) fn visit_tab(&mut self, tab: usize) {
        if tab < self.state.tabs.len() {
            self.state.tab = tab;
            self.state.key_focus = KeyFocus::Views;
            self.relayout();
        } else {
            self.warn(format!("there is no tab {}", tab + 1));
        }
    }

    pub(super) fn tab_by(&mut self, by: isize) {
        let count = self.state.tabs.len();
        self.visit_tab((self.state.tab + count).saturating_add_signed(by) % count.max(1));
    }

    /// Goes to that pane of that tab.
    pub(super) fn go_to_pane(&mut self, tab: usize, pane: PaneId) {
        self.visit_tab(tab);
        let from = self.arranged().focus;
        self.focus(pane, from);
    }

    /// Remembers the place a person came from, unless that is a terminal: going back from one always leads out of terminals.
    pub(super) fn push_back_stack(&mut self, layout: &ScreenLayout) {
        if self.state.pane(layout.focus).content.screen().is_none() {
            self.state.back_stack.push((self.state.tab, layout.focus));
            if self.state.back_stack.len() > MAX_BACK_STACK {
                self.state.back_stack.remove(0);
            }
        }
    }

    pub(super) fn open(&mut self, layout: &ScreenLayout) {
        let content = self.state.pane(layout.focus).content;
        if content.screen().is_some_and(|id| self.scene.screens.has(id)) {
            return self.type_here(layout);
        }
        if let (PaneContent::Agents, Some(agent)) =
            (&content, shown_agent(self.state, self.scene, layout.focus))
        {
            return self.visit_agent(agent, layout);
        }
        if content == PaneContent::Page(SESSIONS) {
            return self.switch_session(layout);
        }
        if let PaneContent::Past(words) = &content {
            return self.open_match(words, layout);
        }
        if is_log(&content) && self.state.pane(layout.focus).mark.is_some() {
            return self.open_replay(layout);
        }
        let about = self.target(layout);
        let agent = about.attempt.map(|attempt| attempt.id);
        match (
            agent.filter(|id| self.scene.screens.has(ScreenId::Attempt(*id))),
            about.task,
        ) {
            (Some(agent), _) => self.visit_agent(agent, layout),
            (None, Some(task)) if !matches!(content, PaneContent::Detail(_)) => {
                let wanted = PaneContent::Detail(Some(task.id.clone()));
                match self.following_pane(&wanted) {
                    Some(pane) => self.focus(pane, layout.focus),
                    None => self.show(layout.focus, wanted),
                }
            }
            (None, _) => {}
        }
    }

    /// Shows something else in a pane, to be left with `Back`.
    pub(super) fn show(&mut self, pane: PaneId, content: PaneContent) {
        let pane = self.state.pane_mut(pane);
        let before = pane.open(content);
        pane.back_stack.push(before);
        self.relayout();
    }

    pub(super) fn back(&mut self, layout: &ScreenLayout) {
        if !self.state.marked_tasks.is_empty() {
            return self.state.marked_tasks.clear();
        }
        let pane = self.state.pane_mut(layout.focus);
        if !pane.filter.is_empty() {
            return pane.filter.clear();
        }
        if pane.go_back() {
            return self.relayout();
        }
        if let Some(tab) = self.state.current_tab_mut().filter(|tab| tab.zoom == Zoom::In) {
            tab.zoom = Zoom::Out;
            return self.relayout();
        }
        let looking = self.state.pane(layout.focus).content.screen().is_some();
        match self.state.back_stack.pop() {
            Some((tab, pane)) => self.go_to_pane(tab, pane),
            None if looking => self.visit_board(),
            None => {}
        }
    }

    pub(super) fn toggle_typing(&mut self, layout: &ScreenLayout) {
        match self.state.key_focus {
            KeyFocus::Terminal(_) => self.state.key_focus = KeyFocus::Views,
            _ => self.type_here(layout),
        }
    }

    pub(super) fn type_here(&mut self, layout: &ScreenLayout) {
        let about = self.target(layout);
        let here = self.state.pane(layout.focus).content.screen();
        if let Some(attempt) = about.attempt.filter(|_| here.is_none() || about.is_named) {
            self.visit_agent(attempt.id, layout);
        }
        let focus = self.arranged().focus;
        let screen = self.state.pane(focus).content.screen();
        match screen.filter(|id| is_running(self.scene, *id)) {
            Some(id) => self.begin_typing(focus, id),
            None => self.warn("type here: no program runs here (yet)"),
        }
    }

    /// Sends keys to the program in that pane from now on: it is shown as it is, neither scrolled back nor held still.
    fn begin_typing(&mut self, pane: PaneId, id: ScreenId) {
        self.state.pane_mut(pane).scroll = 0;
        self.state.copy_mode.take_if(|copying| copying.pane == pane);
        self.state.key_focus = KeyFocus::Terminal(id);
    }

    /// Goes to an agent's terminal: a pane that shows it, else its place among the agents, else here.
    pub(super) fn visit_agent(&mut self, agent: AttemptId, layout: &ScreenLayout) {
        self.push_back_stack(layout);
        self.state.agent = Some(agent);
        self.relayout();
        if let Some(attempt) = self.scene.model.attempts.get(&agent) {
            self.state.selected = Some(attempt.task.clone());
        }
        let shown = PaneContent::Attempt(agent);
        if let Some(pane) = self.following_pane(&shown) {
            return self.focus(pane, layout.focus);
        }
        if let Some((tab, pane)) =
            self.find_pane(&|pane| pane.content.screen() == shown.screen() && !pane.follows_selection)
        {
            return self.go_to_pane(tab, pane);
        }
        let among_agents = self
            .state
            .tabs
            .iter()
            .position(|tab| matches!(tab.arrangement, PaneArrangement::Agents { .. }));
        match among_agents {
            Some(tab) if self.scene.model.agents().any(|row| row.attempt.id == agent) => {
                let pane = self.state.pane_mut(PaneId::Agent(agent));
                if pane.content != shown {
                    pane.back_stack.clear();
                    pane.open(shown);
                }
                self.go_to_pane(tab, PaneId::Agent(agent));
            }
            _ => self.show(layout.focus, shown),
        }
    }

    /// Returns the pane of the tab shown that follows the selection, where that leads to the wanted content.
    fn following_pane(&mut self, wanted: &PaneContent) -> Option<PaneId> {
        self.follow_selection();
        let panes = self.state.current_tab()?.arrangement.panes();
        panes.into_iter().find(|id| {
            let pane = self.state.pane(*id);
            pane.follows_selection && pane.content == *wanted
        })
    }

    /// Returns a pane for which that holds, in the tab shown if possible.
    pub(super) fn find_pane(&self, wanted: &dyn Fn(&Pane) -> bool) -> Option<(usize, PaneId)> {
        let count = self.state.tabs.len();
        (0..count)
            .map(|nth| (self.state.tab + nth) % count)
            .find_map(|at| {
                let mut panes = self.state.tabs.get(at)?.arrangement.panes().into_iter();
                let pane = panes.find(|id| wanted(&self.state.pane(*id)))?;
                Some((at, pane))
            })
    }

    pub(super) fn visit_board(&mut self) {
        self.state.key_focus = KeyFocus::Views;
        let board = |pane: &Pane| pane.content == PaneContent::Board;
        if let Some((tab, pane)) = self.find_pane(&board) {
            return self.go_to_pane(tab, pane);
        }
        if let Some((tab, pane)) = self.find_pane(&|pane| {
            pane.back_stack
                .iter()
                .any(|below| below.content == PaneContent::Board)
        }) {
            let shown = self.state.pane_mut(pane);
            while shown.content != PaneContent::Board && shown.go_back() {}
            return self.go_to_pane(tab, pane);
        }
        let focus = self.arranged().focus;
        self.show(focus, PaneContent::Board);
    }

    /// Goes to a view: where it is shown already, in the tab shown if possible; else here, to be left with `Back`.
    pub(super) fn visit_view(&mut self, view: ViewName, layout: &ScreenLayout) {
        self.state.key_focus = KeyFocus::Views;
        let task = self.target(layout).task.map(|task| task.id.clone());
        let wanted = PaneContent::of(view, task);
        let shows =
            |pane: &Pane| pane.content.is_same_view(&wanted) || is_log(&wanted) && is_log(&pane.content);
        if shows(&self.state.pane(layout.focus)) {
            return;
        }
        match self.find_pane(&shows) {
            Some((tab, pane)) => {
                self.push_back_stack(layout);
                self.go_to_pane(tab, pane);
            }
            None => self.show(layout.focus, wanted),
        }
    }

    /// Goes to the item that has waited longest; pressed there again, to the next. Where nothing waits, to the task that keeps a run from
    /// continuing. While typing, typing continues there.
    pub(super) fn visit_attention(&mut self, layout: &ScreenLayout) {
        let typing = matches!(self.state.key_focus, KeyFocus::Terminal(_));
        let here = self.target(layout).task.map(|task| task.id.clone());
        let waiting = &self.scene.model.attention;
        let at = waiting.iter().position(|item| Some(&item.task) == here.as_ref());
        let next = at.map_or(0, |at| (at + 1) % waiting.len().max(1));
        let Some(item) = waiting.get(next) else {
            let stall = self.scene.model.stall().and_then(|stall| stall.task);
            if let Some(task) = stall.filter(|task| Some(task) != here.as_ref()) {
                self.state.selected = Some(task);
                return self.visit_board();
            }
            return if typing {
                self.warn("nothing needs you");
            } else {
                self.focus_by(1, layout);
            };
        };
        let (task, agent): (TaskId, Option<AttemptId>) = (item.task.clone(), item.attempt);
        let agent = agent.filter(|id| self.scene.screens.has(ScreenId::Attempt(*id)));
        self.state.selected = Some(task);
        match agent {
            Some(agent) => {
                self.visit_agent(agent, layout);
                let id = ScreenId::Attempt(agent);
                if typing && is_running(self.scene, id) {
                    let focus = self.arranged().focus;
                    self.begin_typing(focus, id);
                }
            }
            None => self.visit_board(),
        }
    }
}
