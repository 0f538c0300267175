//! Dispatch of actions. One match has an arm for every action of the table, so that a new one does not compile without its arm.

use super::{UiRequest, UpdateContext};
use crate::domain::{Command, Span};
use crate::keymap::Action;
use crate::keymap::Direction;
use crate::ui::availability::unavailable_reason_for;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{KeyFocus, Overlay, Picker, PromptKind, TrustReview, retry};
use crate::ui::target::ActionTarget;
use crate::ui::views::ViewMove;

/// Maximum time between two keys of a person who is typing a text.
pub(super) const TYPED_ON: Span = Span(1_000);

impl UpdateContext<'_, '_> {
    /// Performs an action, or shows the reason why it is not possible.
    pub(super) fn act(&mut self, action: Action) {
        let layout = self.arranged();
        let about = self.target(&layout);
        match unavailable_reason_for(action, &about, self.state, self.scene, &layout) {
            None => self.dispatch(action, &about, &layout),
            Some(why) => {
                let title = action.entry().map_or("that", |entry| entry.title);
                self.warn(format!("{title}: {why}"));
                self.state.ignores_typing_until = begins_text(action).then_some(self.scene.now + TYPED_ON);
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each action of the table")]
    fn dispatch(&mut self, action: Action, target: &ActionTarget<'_>, layout: &ScreenLayout) {
        let copying = self.focused_copy_mode(layout).is_some();
        match action {
            Action::Step(direction) => self.step(ViewMove::One(direction), layout),
            Action::First => self.step(ViewMove::First, layout),
            Action::Last => self.step(ViewMove::Last, layout),
            Action::PageUp => self.step(ViewMove::PageUp, layout),
            Action::PageDown => self.step(ViewMove::PageDown, layout),
            Action::NextPart => self.step(ViewMove::Next, layout),
            Action::PreviousPart => self.step(ViewMove::Previous, layout),
            Action::NextPane => self.focus_by(1, layout),
            Action::PreviousPane => self.focus_by(-1, layout),
            Action::LastPane => self.focus_last(layout),
            Action::Focus(direction) => self.focus_toward(direction, layout),
            Action::Open => self.open(layout),
            Action::Back if copying => self.clear_selection(),
            Action::Back => self.back(layout),
            Action::ShowBoard => self.visit_board(),
            Action::Show(view) => self.visit_view(view, layout),
            Action::ToggleDiffBase => self.toggle_diff_base(layout),
            Action::GoToAttention => self.visit_attention(layout),
            Action::Find => self.find(true, layout),
            Action::FindBackward => self.find(false, layout),
            Action::FindEverywhere => self.find_everywhere(String::new(), layout),
            Action::NextMatch if copying => self.next_match(true),
            Action::NextMatch => self.step(ViewMove::One(Direction::Down), layout),
            Action::PreviousMatch if copying => self.next_match(false),
            Action::PreviousMatch => self.step(ViewMove::One(Direction::Up), layout),
            Action::Sort => self.sort(layout),
            Action::Jump => self.begin_jump(),

            Action::Approve => self.approve(target),
            Action::ApproveAll => self.ask_approve_all(target),
            Action::Deny => self.ask_deny(target),
            Action::Reject => self.prompt_about(PromptKind::Reject, target),
            Action::Retry => self.command_each("retried", retry, target),
            Action::RetryWithNote => self.prompt_about(PromptKind::RetryWithNote, target),
            Action::RetryNow => self.retry_delayed(),
            Action::Skip => self.ask_skip(target),
            Action::MergeNow => self.ask_merge(target),
            Action::TogglePark => self.toggle_park(target),
            Action::Release => self.release(target),
            Action::Withdraw => self.command_each("withdrew", Command::Withdraw, target),
            Action::RaisePriority => self.change_priority("raised", -1, target),
            Action::LowerPriority => self.change_priority("lowered", 1, target),
            Action::EditTask => self.edit_task(target),
            // A text to an agent that asks for a permission is a no with that reason, never a yes.
            Action::Answer if target.wants_permission(self.scene.now).is_some() => self.ask_deny(target),
            Action::Answer => self.prompt_about(PromptKind::Answer, target),
            Action::Comment => self.prompt_about(PromptKind::Comment, target),
            Action::NewTask => self.new_task(),
            Action::Conduct => self.conduct(),
            Action::RunPlan => self.ask_plan(),
            Action::Design => self.ask_goal(),
            Action::StopAgent => self.stop_agents(target),
            Action::StopTurn => self.command_each("pressed Esc for the agent of", Command::Interrupt, target),
            Action::SwitchMode => self.command_each("switched", |id| Command::SetMode(id, None), target),
            Action::CloseTask => self.ask_close(target),
            Action::TogglePause => self.pause(),
            Action::ToggleFinished => self.toggle_finished(),
            Action::ToggleMark => self.mark(target, layout),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),

            Action::Type => self.type_here(layout),
            Action::StopTyping => self.state.key_focus = KeyFocus::Views,
            Action::ToggleTyping => self.toggle_typing(layout),
            Action::NewShell => self.new_shell(),
            Action::ShellHere => self.shell_here(layout),
            Action::OpenBeside => self.open_beside(layout),

            Action::CopyMode if !copying => {
                self.enter_copy_mode(layout, None);
            }
            Action::Select(mode) if copying => self.select(mode),
            Action::OtherEnd if copying => self.other_end(layout),
            Action::CopySelection | Action::Copy if copying => self.yank(),
            Action::PreviousPrompt => self.jump_to_prompt(false, layout),
            Action::NextPrompt => self.jump_to_prompt(true, layout),
            Action::Text(motion) if copying => self.move_over_text(motion, layout),
            // Over text that is held still in another pane, they have no meaning here.
            Action::CopyMode
            | Action::Select(_)
            | Action::OtherEnd
            | Action::CopySelection
            | Action::Text(_) => {}
            Action::Copy => self.offer_copies(target, layout),
            Action::TakeOffer => self.ask(UiRequest::TakeOffer),
            Action::Paste => self.paste_copied(layout),
            Action::EditScrollback => self.edit_text(layout),
            Action::OpenLink => self.open_link(layout),

            Action::Split(axis) => self.choose_split(axis),
            Action::ClosePane => self.ask_close_pane(layout),
            Action::Zoom => self.zoom(),
            Action::Resize(direction) => self.resize(direction, layout),
            Action::SwapPrevious => self.swap(-1, layout),
            Action::SwapNext => self.swap(1, layout),
            Action::BreakPane => self.break_out(layout),
            Action::NextLayout => self.rearrange(layout),
            Action::Tab(number) => self.visit_tab(usize::from(number).saturating_sub(1)),
            Action::NextTab => self.tab_by(1),
            Action::PreviousTab => self.tab_by(-1),
            Action::RenameTab => self.rename_tab(),
            Action::CloseTab => self.ask_close_tab(layout),
            Action::ListPanes => self.list_panes(),

            Action::Palette => self.state.overlay = Some(Overlay::Palette(Picker::default())),
            Action::Help => self.state.overlay = Some(Overlay::Help(Picker::default())),
            Action::Demo => self.play_demo(),
            Action::Detach => self.leave(),
            Action::Redraw => self.ask(UiRequest::Redraw),
            Action::ChooseTheme => self.choose_theme(),
            Action::ReviewTrust => {
                self.state.overlay = Some(Overlay::Trust(TrustReview::opened(self.scene.now)));
            }
            Action::RenameSession => self.rename_session(),
            Action::Interrupt => self.interrupt(),
            Action::StopServer => self.stop_server(),
        }
    }
}

/// Returns true for an action that a person goes on to type a text after.
fn begins_text(action: Action) -> bool {
    matches!(
        action,
        Action::Answer
            | Action::Comment
            | Action::Deny
            | Action::Reject
            | Action::RetryWithNote
            | Action::TogglePark
            | Action::Type
    )
}
