//! Moving about: steps inside a view, focus, tabs, into an agent and back out.

use ratatui::layout::Rect;

use super::{Request, Turn};
use crate::domain::{AttemptId, TaskId};
use crate::ui::action::{Action, Page};
use crate::ui::arrange::{Arranged, alive, mode};
use crate::ui::pane::{Direction, PaneId, neighbour};
use crate::ui::scene::ScreenId;
use crate::ui::state::{Content, Hands, MOST_STEPS_BACK, Overlay, Pane, Search, Shape, Zoom};
use crate::ui::target::shown_agent;
use crate::ui::views::{Look, Moved, SESSIONS, Step, is_log, view_of};

impl Turn<'_, '_> {
    /// Does an action that moves; answers whether it was one.
    pub(super) fn move_about(&mut self, action: Action, arranged: &Arranged) -> bool {
        match action {
            Action::Step(direction) => self.step(arranged.focus, Step::One(direction), arranged),
            Action::First => self.step(arranged.focus, Step::First, arranged),
            Action::Last => self.step(arranged.focus, Step::Last, arranged),
            Action::PageUp => self.step(arranged.focus, Step::PageUp, arranged),
            Action::PageDown => self.step(arranged.focus, Step::PageDown, arranged),
            Action::NextPart => self.step(arranged.focus, Step::Next, arranged),
            Action::PreviousPart => self.step(arranged.focus, Step::Previous, arranged),
            Action::Against => self.compare_otherwise(arranged),
            Action::NextPane => self.focus_by(1, arranged),
            Action::PreviousPane => self.focus_by(-1, arranged),
            Action::LastPane => self.focus_last(arranged),
            Action::Focus(direction) => self.focus_toward(direction, arranged),
            Action::Open => self.open(arranged),
            Action::Back => self.back(arranged),
            Action::Type => self.type_here(arranged),
            Action::Look => self.state.hands = Hands::Ours,
            Action::ToggleTyping => match self.state.hands {
                Hands::Typing(_) => self.state.hands = Hands::Ours,
                _ => self.type_here(arranged),
            },
            Action::Find => self.find(true, arranged),
            Action::FindBack => self.find(false, arranged),
            Action::FindEverywhere => self.find_everywhere(String::new(), arranged),
            Action::NextMatch => self.step(arranged.focus, Step::One(Direction::Down), arranged),
            Action::PreviousMatch => self.step(arranged.focus, Step::One(Direction::Up), arranged),
            Action::Sort => self.sort(arranged),
            Action::EditText => self.edit_text(arranged),
            Action::OpenLink => self.open_link(arranged),
            Action::CopyMode => {
                self.hold_still(arranged, None);
            }
            Action::Paste => self.paste_copied(arranged),
            Action::Board => self.visit_board(),
            Action::Show(page) => self.visit_page(page, arranged),
            Action::NeedsYou => self.visit_attention(arranged),
            Action::Tab(number) => self.visit_tab(usize::from(number).saturating_sub(1)),
            Action::NextTab => self.tab_by(1),
            Action::PreviousTab => self.tab_by(-1),
            Action::Help => self.state.overlay = Some(Overlay::Help(Search::default())),
            Action::Palette => self.state.overlay = Some(Overlay::Palette(Search::default())),
            Action::Leave => self.ask(Request::Detach),
            Action::ChooseTheme => self.choose_theme(),
            Action::RenameSession => self.rename_session(),
            Action::Redraw => self.ask(Request::Redraw),
            _ => return false,
        }
        true
    }

    /// What the view of the pane with the focus sees.
    pub(super) fn look<'c>(&'c self, pane: &'c Pane, arranged: &Arranged) -> Look<'c> {
        Look {
            state: self.state,
            scene: self.scene,
            id: arranged.focus,
            pane,
            focused: true,
            mode: mode(self.state, self.scene, arranged.focus),
        }
    }

    /// A step inside a pane's view; out of it sideways, the focus moves.
    pub(super) fn step(&mut self, id: PaneId, step: Step, arranged: &Arranged) {
        let pane = self.state.pane(id);
        let placed = arranged.placed.iter().find(|placed| placed.pane == id);
        let area = placed.map_or_else(Rect::default, |placed| placed.inner);
        let look = Look {
            id,
            focused: id == arranged.focus,
            ..self.look(&pane, arranged)
        };
        match (view_of(&pane.content).step(&look, area, step), step) {
            (Moved::Task(task), _) => self.state.selected = Some(task),
            (Moved::Agent(agent), _) => self.state.agent = Some(agent),
            (Moved::Scrolled(scroll), _) => self.state.pane_mut(id).scroll = scroll,
            (Moved::Marked { mark, scroll }, _) => {
                let pane = self.state.pane_mut(id);
                (pane.mark, pane.scroll) = (Some(mark), scroll);
            }
            (Moved::Unmarked, _) => {
                let pane = self.state.pane_mut(id);
                (pane.mark, pane.scroll) = (None, 0);
            }
            (Moved::Out, Step::One(direction)) => self.focus_toward(direction, arranged),
            (Moved::Out | Moved::Nowhere, _) => {}
        }
    }

    /// Gives the focus to a pane of the tab shown; keys are ours then.
    pub(super) fn focus(&mut self, pane: PaneId, from: PaneId) {
        if pane == from {
            return;
        }
        self.state.hands = Hands::Ours;
        if let PaneId::Agent(agent) = pane {
            self.state.agent = Some(agent);
        }
        if let Some(tab) = self.state.here_mut() {
            tab.last = Some(from);
            tab.focus = pane;
        }
    }

    fn focus_by(&mut self, by: isize, arranged: &Arranged) {
        if let Some(pane) = arranged.neighbour(by) {
            self.focus(pane, arranged.focus);
        }
    }

    fn focus_last(&mut self, arranged: &Arranged) {
        let last = self.state.here().and_then(|tab| tab.last);
        if let Some(pane) = last.filter(|pane| arranged.order.contains(pane)) {
            self.focus(pane, arranged.focus);
        }
    }

    /// The pane in that direction; where only one is drawn, the next or previous one.
    fn focus_toward(&mut self, direction: Direction, arranged: &Arranged) {
        let placed: Vec<(PaneId, Rect)> = arranged
            .placed
            .iter()
            .map(|placed| (placed.pane, placed.outer))
            .collect();
        match neighbour(&placed, arranged.focus, direction) {
            Some(pane) => self.focus(pane, arranged.focus),
            None if placed.len() < 2 => self.focus_by(
                match direction {
                    Direction::Left | Direction::Up => -1,
                    Direction::Right | Direction::Down => 1,
                },
                arranged,
            ),
            None => {}
        }
    }

    pub(super) fn visit_tab(&mut self, tab: usize) {
        if tab < self.state.tabs.len() {
            self.state.tab = tab;
            self.state.hands = Hands::Ours;
        } else {
            self.warn(format!("there is no tab {}", tab + 1));
        }
    }

    fn tab_by(&mut self, by: isize) {
        let count = self.state.tabs.len();
        self.visit_tab((self.state.tab + count).saturating_add_signed(by) % count.max(1));
    }

    /// Goes to that pane of that tab.
    pub(super) fn go(&mut self, (tab, pane): (usize, PaneId)) {
        self.visit_tab(tab);
        let from = self.arranged().focus;
        self.focus(pane, from);
    }

    /// Remembers where a person came from, unless that is a terminal: going back from one always leads out of terminals.
    pub(super) fn remember(&mut self, arranged: &Arranged) {
        if self.state.pane(arranged.focus).content.screen().is_none() {
            self.state.trail.push((self.state.tab, arranged.focus));
            if self.state.trail.len() > MOST_STEPS_BACK {
                self.state.trail.remove(0);
            }
        }
    }

    fn open(&mut self, arranged: &Arranged) {
        let content = self.state.pane(arranged.focus).content;
        if content.screen().is_some_and(|id| self.scene.screens.has(id)) {
            return self.type_here(arranged);
        }
        if let (Content::Agents, Some(agent)) =
            (&content, shown_agent(self.state, self.scene, arranged.focus))
        {
            return self.visit_agent(agent, arranged);
        }
        if content == Content::Page(SESSIONS) {
            return self.switch_session(arranged);
        }
        if let Content::Past(words) = &content {
            return self.visit_past(words, arranged);
        }
        if is_log(&content) && self.state.pane(arranged.focus).mark.is_some() {
            return self.visit_moment(arranged);
        }
        let about = self.target(arranged);
        let agent = about.attempt.map(|attempt| attempt.id);
        match (
            agent.filter(|id| self.scene.screens.has(ScreenId::Attempt(*id))),
            about.task,
        ) {
            (Some(agent), _) => self.visit_agent(agent, arranged),
            (None, Some(task)) if !matches!(content, Content::Detail(_)) => {
                self.show(arranged.focus, Content::Detail(Some(task.id.clone())));
            }
            (None, _) => {}
        }
    }

    /// Shows something else in a pane, to be left with `Back`.
    pub(super) fn show(&mut self, pane: PaneId, content: Content) {
        let pane = self.state.pane_mut(pane);
        let before = pane.turn_to(content);
        pane.below.push(before);
    }

    fn back(&mut self, arranged: &Arranged) {
        if !self.state.marks.is_empty() {
            return self.state.marks.clear();
        }
        let pane = self.state.pane_mut(arranged.focus);
        if !pane.filter.is_empty() {
            return pane.filter.clear();
        }
        if pane.turn_back() {
            return;
        }
        if let Some(tab) = self.state.here_mut().filter(|tab| tab.zoom == Zoom::In) {
            tab.zoom = Zoom::Out;
            return;
        }
        let looking = self.state.pane(arranged.focus).content.screen().is_some();
        match self.state.trail.pop() {
            Some(place) => self.go(place),
            None if looking => self.visit_board(),
            None => {}
        }
    }

    fn type_here(&mut self, arranged: &Arranged) {
        let about = self.target(arranged);
        let here = self.state.pane(arranged.focus).content.screen();
        if let Some(attempt) = about.attempt.filter(|_| here.is_none() || about.is_named) {
            self.visit_agent(attempt.id, arranged);
        }
        let focus = self.arranged().focus;
        let screen = self.state.pane(focus).content.screen();
        match screen.filter(|id| alive(self.scene, *id)) {
            Some(id) => self.begin_typing(focus, id),
            None => self.warn("type here: no program runs here (yet)"),
        }
    }

    /// Keys go to the program in that pane from now on: it is shown as it is, neither scrolled back nor held still.
    fn begin_typing(&mut self, pane: PaneId, id: ScreenId) {
        self.state.pane_mut(pane).scroll = 0;
        self.state.copying.take_if(|copying| copying.pane == pane);
        self.state.hands = Hands::Typing(id);
    }

    /// To an agent's terminal: a pane that shows it, else its place among the agents, else here.
    pub(super) fn visit_agent(&mut self, agent: AttemptId, arranged: &Arranged) {
        self.remember(arranged);
        self.state.agent = Some(agent);
        if let Some(attempt) = self.scene.model.attempts.get(&agent) {
            self.state.selected = Some(attempt.task.clone());
        }
        let shown = Content::Attempt(agent);
        if let Some(place) = self.showing(&|pane| pane.content == shown) {
            return self.go(place);
        }
        let among_agents = self
            .state
            .tabs
            .iter()
            .position(|tab| matches!(tab.shape, Shape::Agents { .. }));
        match among_agents {
            Some(tab) if self.scene.model.agents().any(|row| row.attempt.id == agent) => {
                let pane = self.state.pane_mut(PaneId::Agent(agent));
                if pane.content != shown {
                    pane.below.clear();
                    pane.turn_to(shown);
                }
                self.go((tab, PaneId::Agent(agent)));
            }
            _ => self.show(arranged.focus, shown),
        }
    }

    /// A pane for which that holds, in the tab shown if possible.
    pub(super) fn showing(&self, wanted: &dyn Fn(&Pane) -> bool) -> Option<(usize, PaneId)> {
        let count = self.state.tabs.len();
        (0..count)
            .map(|nth| (self.state.tab + nth) % count)
            .find_map(|at| {
                let panes = match &self.state.tabs.get(at)?.shape {
                    Shape::Saved { wide, .. } => wide.panes(),
                    Shape::Own(tree) => tree.panes(),
                    Shape::Agents { list } => vec![*list],
                };
                let pane = panes.into_iter().find(|id| wanted(&self.state.pane(*id)))?;
                Some((at, pane))
            })
    }

    pub(super) fn visit_board(&mut self) {
        self.state.hands = Hands::Ours;
        let board = |pane: &Pane| pane.content == Content::Board;
        if let Some(place) = self.showing(&board) {
            return self.go(place);
        }
        if let Some(place) =
            self.showing(&|pane| pane.below.iter().any(|below| below.content == Content::Board))
        {
            let pane = self.state.pane_mut(place.1);
            while pane.content != Content::Board && pane.turn_back() {}
            return self.go(place);
        }
        let focus = self.arranged().focus;
        self.show(focus, Content::Board);
    }

    /// To a view: where it is shown already, in the tab shown if possible; else here, to be left with `Back`.
    fn visit_page(&mut self, page: Page, arranged: &Arranged) {
        self.state.hands = Hands::Ours;
        let task = self.target(arranged).task.map(|task| task.id.clone());
        let wanted = Content::of(page, task);
        let shows = |pane: &Pane| pane.content == wanted || is_log(&wanted) && is_log(&pane.content);
        if shows(&self.state.pane(arranged.focus)) {
            return;
        }
        match self.showing(&shows) {
            Some(place) => {
                self.remember(arranged);
                self.go(place);
            }
            None => self.show(arranged.focus, wanted),
        }
    }

    /// To what has waited longest; pressed there again, to the next. While typing, the typing goes on there (A6).
    fn visit_attention(&mut self, arranged: &Arranged) {
        let typing = matches!(self.state.hands, Hands::Typing(_));
        let here = self.target(arranged).task.map(|task| task.id.clone());
        let waiting = &self.scene.model.attention;
        let at = waiting.iter().position(|item| Some(&item.task) == here.as_ref());
        let next = at.map_or(0, |at| (at + 1) % waiting.len().max(1));
        let Some(item) = waiting.get(next) else {
            return if typing {
                self.warn("nothing needs you");
            } else {
                self.focus_by(1, arranged);
            };
        };
        let (task, agent): (TaskId, Option<AttemptId>) = (item.task.clone(), item.attempt);
        let agent = agent.filter(|id| self.scene.screens.has(ScreenId::Attempt(*id)));
        self.state.selected = Some(task);
        match agent {
            Some(agent) => {
                self.visit_agent(agent, arranged);
                let id = ScreenId::Attempt(agent);
                if typing && alive(self.scene, id) {
                    let focus = self.arranged().focus;
                    self.begin_typing(focus, id);
                }
            }
            None => self.visit_board(),
        }
    }
}
