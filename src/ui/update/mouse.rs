//! The mouse: the first click focuses, the second acts; the wheel scrolls the pane under it, or goes to the program that asked.

use crate::term::keys::{Button, Key, Modifiers, MouseInput, MouseKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::copy_mode::word_at;
use super::{ProgramInput, UiRequest, UpdateContext};
use crate::display::MouseCapture;
use crate::domain::Span;
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::keymap::SelectionMode;
use crate::ui::scene::MouseReporting;
use crate::ui::screen_layout::{InputMode, PlacedPane, ScreenLayout};
use crate::ui::state::{LastClick, Overlay};
use crate::ui::target::{selected, shown_agent};
use crate::ui::view::view;
use crate::ui::views::{ClickTarget, ViewMove};

/// Lines per notch of the wheel.
const WHEEL_LINES: i16 = 3;
/// Time within which another click at the same place is the second of two.
const AGAIN_WITHIN: Span = Span::seconds(1);

impl UpdateContext<'_, '_> {
    pub(super) fn mouse(&mut self, event: MouseInput) {
        let layout = self.arranged();
        let button = matches!(
            event.kind,
            MouseKind::Press(_) | MouseKind::Release(_) | MouseKind::Motion(Some(_))
        );
        let begun = self.is_held(event);
        // While Shift is held, the outer terminal selects by itself, whether or not it reports it.
        if button && !begun && event.modifiers.contains(Modifiers::SHIFT) {
            return;
        }
        match self.state.mouse {
            MouseCapture::All => {}
            MouseCapture::Scroll if is_wheel(event.kind) => {}
            MouseCapture::Scroll => {
                self.reaches_program(event, &layout);
                return;
            }
            // An event on its way when the setting changed.
            MouseCapture::Off => return,
        }
        match event.kind {
            MouseKind::WheelUp => self.wheel(event, -WHEEL_LINES, &layout),
            MouseKind::WheelDown => self.wheel(event, WHEEL_LINES, &layout),
            MouseKind::Press(Button::Left)
                if event.modifiers.contains(Modifiers::CONTROL)
                    && self.state.overlay.is_none()
                    && self.click_link(event.col, event.row, &layout) => {}
            MouseKind::Press(Button::Left) => {
                if !self.reaches_program(event, &layout) {
                    self.click(event, &layout);
                }
            }
            MouseKind::Motion(Some(Button::Left)) => {
                if self.state.dragged_split.is_some() {
                    self.drag_split((event.col, event.row), &layout);
                } else if !self.reaches_program(event, &layout) {
                    self.drag(event, &layout);
                }
            }
            MouseKind::Release(Button::Left) => {
                if let Some((_, from)) = self.state.dragged_split.take() {
                    return self.release_split(event, from, &layout);
                }
                let dragged = self.state.mouse_press.take().is_some()
                    && self
                        .focused_copy_mode(&layout)
                        .is_some_and(|copying| copying.anchor.is_some());
                if dragged {
                    self.yank();
                } else {
                    self.reaches_program(event, &layout);
                }
            }
            MouseKind::Press(_)
            | MouseKind::Release(_)
            | MouseKind::Motion(_)
            | MouseKind::WheelLeft
            | MouseKind::WheelRight => {
                self.reaches_program(event, &layout);
            }
        }
    }

    /// Returns true if a button was pressed before this event and is still held here; a press whose release never came ends with the next
    /// press.
    fn is_held(&mut self, event: MouseInput) -> bool {
        if matches!(event.kind, MouseKind::Press(_)) {
            (
                self.state.mouse_press,
                self.state.dragged_split,
                self.state.mouse_grab,
            ) = (None, None, None);
        }
        self.state.mouse_press.is_some()
            || self.state.dragged_split.is_some()
            || self.state.mouse_grab.is_some()
    }

    /// Sends the event to the program with the keys, if it happened there and was requested. A program that received a press receives all
    /// events until the release, even if the mouse has left it: then at its edge.
    fn reaches_program(&mut self, event: MouseInput, layout: &ScreenLayout) -> bool {
        let held = self.state.mouse_grab;
        if matches!(event.kind, MouseKind::Release(_)) {
            self.state.mouse_grab = None;
        }
        let typing = self.state.overlay.is_none() && self.mode() == InputMode::Type;
        let placed = layout
            .focused()
            .filter(|placed| typing && (inside(placed, event) || held == Some(placed.pane)));
        let Some(placed) = placed.filter(|placed| self.wants(placed).reports) else {
            return false;
        };
        if matches!(event.kind, MouseKind::Press(_)) {
            self.state.mouse_grab = Some(placed.pane);
        }
        self.forward(event, placed)
    }

    fn forward(&mut self, mut event: MouseInput, placed: &PlacedPane) -> bool {
        let Some(id) = placed.content.screen() else {
            return false;
        };
        let area = placed.inner;
        let (col, row) = nearest_in(area, event);
        (event.col, event.row) = (col.saturating_sub(area.x), row.saturating_sub(area.y));
        self.ask(UiRequest::SendInput(id, ProgramInput::Mouse(event)));
        true
    }

    fn wants(&self, placed: &PlacedPane) -> MouseReporting {
        let screen = placed.content.screen();
        let wants = screen.and_then(|id| self.scene.screens.read(id, |screen| screen.mouse_reporting()));
        wants.unwrap_or_default()
    }

    fn wheel(&mut self, event: MouseInput, lines: i16, layout: &ScreenLayout) {
        self.state.last_click = None;
        if self.state.overlay.is_some() {
            return self.overlay_wheel(isize::from(lines.signum()));
        }
        let Some(placed) = layout.at(event.col, event.row).cloned() else {
            return;
        };
        if placed.pane == layout.focus && self.focused_copy_mode(layout).is_some() {
            return self.scroll_copy_mode(isize::from(lines));
        }
        let wants = self.wants(&placed);
        let typing = self.mode() == InputMode::Type && placed.pane == layout.focus;
        // A person who looks at earlier output turns the wheel to leave it.
        let back = self.state.pane(placed.pane).scroll > 0;
        if inside(&placed, event) && !back && (wants.reports || (typing && wants.wheel_keys)) {
            self.forward(event, &placed);
            return;
        }
        self.move_in_view(placed.pane, ViewMove::Lines(lines), layout);
    }

    /// Selects the text under the mouse: the terminal is held still where the mouse was pressed.
    fn drag(&mut self, event: MouseInput, layout: &ScreenLayout) {
        let Some((pane, from)) = self.state.mouse_press else {
            return;
        };
        let Some(placed) = layout.focused().filter(|placed| placed.pane == pane) else {
            return;
        };
        let area = placed.inner;
        if self.focused_copy_mode(layout).is_none() && !self.enter_copy_mode(layout, Some(from)) {
            return;
        }
        let (column, row) = nearest_in(area, event);
        let (column, row) = (column - area.x, row - area.y);
        let height = usize::from(area.height);
        if let Some(copying) = &mut self.state.copy_mode {
            let begun = (copying.top + usize::from(from.1), usize::from(from.0));
            copying.anchor.get_or_insert((SelectionMode::Text, begun));
            copying.cursor = copying.position_at(column, row);
            copying.reveal(height);
        }
    }

    fn click(&mut self, event: MouseInput, layout: &ScreenLayout) {
        let covered = self.state.overlay.is_some();
        self.state.mouse_press = layout
            .at(event.col, event.row)
            .filter(|placed| !covered && inside(placed, event) && placed.content.screen().is_some())
            .map(|placed| {
                let area = placed.inner;
                (placed.pane, (event.col - area.x, event.row - area.y))
            });
        if !covered && self.click_copy_mode(layout) {
            return;
        }
        let again = self.clicked_again(event);
        let is_first = again.is_none();
        let Some(hit) = again.or_else(|| self.hit(event)) else {
            return;
        };
        let is_row = matches!(
            hit,
            ClickTarget::Task(..) | ClickTarget::Row(..) | ClickTarget::Agent(..) | ClickTarget::MenuItem(_)
        );
        self.state.last_click = (is_first && is_row).then(|| LastClick {
            at: (event.col, event.row),
            since: self.scene.now,
            hit: hit.clone(),
        });
        if !covered && matches!(hit, ClickTarget::Pane(_)) {
            self.grab_split((event.col, event.row), layout);
        }
        // Grabbing a line does not mean its inside.
        if self.state.dragged_split.is_none() {
            self.activate(hit, layout);
        }
    }

    /// Returns the target that was clicked there just before: a list may have moved below the mouse since, for the marked row to be visible
    /// in it, and the second click means the row marked by the first one.
    fn clicked_again(&mut self, event: MouseInput) -> Option<ClickTarget> {
        let clicked = self.state.last_click.take()?;
        let again =
            clicked.at == (event.col, event.row) && self.scene.now.since(clicked.since) < AGAIN_WITHIN;
        again.then_some(clicked.hit)
    }

    /// Releases a line. One that was not moved was not meant: it is the border of a pane, which gets the focus.
    fn release_split(&mut self, event: MouseInput, from: (u16, u16), layout: &ScreenLayout) {
        match self.hit(event) {
            Some(ClickTarget::Pane(pane)) if (event.col, event.row) == from => {
                self.focus(pane, layout.focus);
            }
            _ => {}
        }
    }

    /// Moves the cursor of a terminal in copy mode to the click; one more at the same place selects the word. Returns true if the click was
    /// such a one.
    fn click_copy_mode(&mut self, layout: &ScreenLayout) -> bool {
        let Some((pane, (column, row))) = self.state.mouse_press else {
            return false;
        };
        let here = self
            .focused_copy_mode(layout)
            .is_some_and(|copying| copying.pane == pane);
        let Some(copying) = self.state.copy_mode.as_mut().filter(|_| here) else {
            return false;
        };
        let spot = copying.position_at(column, row);
        copying.anchor = None;
        match word_at(&copying.scrollback, spot).filter(|_| copying.cursor == spot) {
            Some((first, last)) => {
                copying.anchor = Some((SelectionMode::Text, (spot.0, first)));
                copying.cursor = (spot.0, last);
            }
            None => copying.cursor = spot,
        }
        true
    }

    /// Performs a click on a target: the first one goes there, the second one opens.
    pub(super) fn activate(&mut self, hit: ClickTarget, layout: &ScreenLayout) {
        match hit {
            ClickTarget::Overlay => {}
            ClickTarget::Keys(chords) => {
                for chord in chords {
                    self.key(&chord.event());
                }
            }
            ClickTarget::MenuItem(at) => self.click_choice(at),
            ClickTarget::Tab(tab) => self.visit_tab(tab),
            ClickTarget::AttentionBar => self.act(Action::GoToAttention),
            ClickTarget::Action(action) => self.act(action),
            ClickTarget::Pane(pane) => {
                if pane == layout.focus {
                    self.click_terminal(layout);
                } else {
                    self.focus(pane, layout.focus);
                }
            }
            ClickTarget::Task(pane, task) => {
                let again = pane == layout.focus && selected(self.state, self.scene).as_ref() == Some(&task);
                self.state.selected = Some(task);
                self.focus(pane, layout.focus);
                if again {
                    self.act(Action::Open);
                }
            }
            ClickTarget::Row(pane, mark) => {
                let again = pane == layout.focus && self.state.pane(pane).mark == Some(mark);
                let marked = self.state.pane_mut(pane);
                (marked.mark, marked.scroll) = (Some(mark), 0);
                self.focus(pane, layout.focus);
                if again {
                    self.act(Action::Open);
                }
            }
            ClickTarget::Agent(pane, agent) => {
                let again = pane == layout.focus && shown_agent(self.state, self.scene, pane) == Some(agent);
                self.state.agent = Some(agent);
                self.relayout();
                self.focus(pane, layout.focus);
                if again {
                    self.act(Action::Open);
                }
            }
        }
    }

    /// Begins typing for a click on a terminal that has the focus already.
    fn click_terminal(&mut self, layout: &ScreenLayout) {
        if self.mode() == InputMode::Look && layout.focused().is_some() {
            self.act(Action::Type);
        }
    }

    fn click_choice(&mut self, at: usize) {
        let marked = match &mut self.state.overlay {
            Some(Overlay::Menu(choose)) => &mut choose.marked,
            Some(Overlay::Help(search) | Overlay::Palette(search)) => &mut search.marked,
            Some(Overlay::Welcome(asked)) => &mut asked.marked,
            Some(Overlay::Trust(review)) => &mut review.marked,
            Some(
                Overlay::Prompt(_)
                | Overlay::Confirm(_)
                | Overlay::Search(_)
                | Overlay::Form(_)
                | Overlay::Jump(_),
            )
            | None => return,
        };
        if *marked == at {
            return self.overlay_key(Chord::plain(Key::Enter));
        }
        *marked = at;
        if let Some(Overlay::Menu(choose)) = self.state.overlay.clone() {
            self.preview_theme(&choose);
        }
    }

    /// Returns the target at that position: the frame is drawn once more to find it.
    fn hit(&self, event: MouseInput) -> Option<ClickTarget> {
        let at = (event.col, event.row).into();
        let mut drawn = self.drawn_targets().into_iter().rev();
        drawn.find(|(area, _)| area.contains(at)).map(|(_, hit)| hit)
    }

    /// Returns everything that can be clicked, in the order of drawing.
    pub(super) fn drawn_targets(&self) -> Vec<(Rect, ClickTarget)> {
        let (width, height) = self.state.size;
        let mut scratch = Buffer::empty(Rect::new(0, 0, width, height));
        view(self.state, self.scene, &mut scratch).hits
    }
}

fn is_wheel(kind: MouseKind) -> bool {
    matches!(
        kind,
        MouseKind::WheelUp | MouseKind::WheelDown | MouseKind::WheelLeft | MouseKind::WheelRight
    )
}

fn inside(placed: &PlacedPane, event: MouseInput) -> bool {
    placed.inner.contains((event.col, event.row).into())
}

/// Returns the cell of an area that is nearest to the mouse: column, row.
fn nearest_in(area: Rect, event: MouseInput) -> (u16, u16) {
    (
        event
            .col
            .clamp(area.x, area.right().saturating_sub(1).max(area.x)),
        event
            .row
            .clamp(area.y, area.bottom().saturating_sub(1).max(area.y)),
    )
}
