//! Dispatch of actions. One match has an arm for every action of the table, so that a new one does not compile without its arm.

use super::{UiRequest, UpdateContext};
use crate::domain::{Command, Span};
use crate::ui::action::Action;
use crate::ui::availability::unavailable_reason_for;
use crate::ui::pane::Direction;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::{KeyFocus, Overlay, Picker, PromptKind, TrustReview, retry};
use crate::ui::target::ActionTarget;
use crate::ui::views::ViewMove;

/// Longest time between two keys of a person who is typing a text.
pub(super) const TYPED_ON: Span = Span(1_000);

impl UpdateContext<'_, '_> {
    /// Performs an action, or shows the reason why it is not possible.
    pub(super) fn act(&mut self, action: Action) {
        let arranged = self.arranged();
        let about = self.target(&arranged);
        match unavailable_reason_for(action, &about, self.state, self.scene, &arranged) {
            None => self.dispatch(action, &about, &arranged),
            Some(why) => {
                let title = action.entry().map_or("that", |entry| entry.title);
                self.warn(format!("{title}: {why}"));
                self.state.ignores_typing_until = begins_text(action).then_some(self.scene.now + TYPED_ON);
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each action of the table")]
    fn dispatch(&mut self, action: Action, about: &ActionTarget<'_>, arranged: &ScreenLayout) {
        let copying = self.focused_copy_mode(arranged).is_some();
        match action {
            Action::Step(direction) => self.step(ViewMove::One(direction), arranged),
            Action::First => self.step(ViewMove::First, arranged),
            Action::Last => self.step(ViewMove::Last, arranged),
            Action::PageUp => self.step(ViewMove::PageUp, arranged),
            Action::PageDown => self.step(ViewMove::PageDown, arranged),
            Action::NextPart => self.step(ViewMove::Next, arranged),
            Action::PreviousPart => self.step(ViewMove::Previous, arranged),
            Action::NextPane => self.focus_by(1, arranged),
            Action::PreviousPane => self.focus_by(-1, arranged),
            Action::LastPane => self.focus_last(arranged),
            Action::Focus(direction) => self.focus_toward(direction, arranged),
            Action::Open => self.open(arranged),
            Action::Back if copying => self.clear_selection(),
            Action::Back => self.back(arranged),
            Action::ShowBoard => self.visit_board(),
            Action::Show(view) => self.visit_view(view, arranged),
            Action::ToggleDiffBase => self.toggle_diff_base(arranged),
            Action::GoToAttention => self.visit_attention(arranged),
            Action::Find => self.find(true, arranged),
            Action::FindBackward => self.find(false, arranged),
            Action::FindEverywhere => self.find_everywhere(String::new(), arranged),
            Action::NextMatch if copying => self.next_match(true),
            Action::NextMatch => self.step(ViewMove::One(Direction::Down), arranged),
            Action::PreviousMatch if copying => self.next_match(false),
            Action::PreviousMatch => self.step(ViewMove::One(Direction::Up), arranged),
            Action::Sort => self.sort(arranged),
            Action::Jump => self.begin_jump(),

            Action::Approve => self.approve(about),
            Action::ApproveAll => self.ask_approve_all(about),
            Action::Deny => self.ask_deny(about),
            Action::Reject => self.prompt_about(PromptKind::Reject, about),
            Action::Retry => self.command_each("retried", retry, about),
            Action::RetryWithNote => self.prompt_about(PromptKind::RetryWithNote, about),
            Action::RetryNow => self.retry_delayed(),
            Action::Skip => self.ask_skip(about),
            Action::MergeNow => self.ask_merge(about),
            Action::TogglePark => self.toggle_park(about),
            Action::Release => self.release(about),
            Action::Withdraw => self.command_each("withdrew", Command::Withdraw, about),
            Action::RaisePriority => self.change_priority("raised", -1, about),
            Action::LowerPriority => self.change_priority("lowered", 1, about),
            Action::EditTask => self.edit_task(about),
            // A text to an agent that asks for a permission is a no with that reason, never a yes.
            Action::Answer if about.wants_permission(self.scene.now).is_some() => self.ask_deny(about),
            Action::Answer => self.prompt_about(PromptKind::Answer, about),
            Action::Comment => self.prompt_about(PromptKind::Comment, about),
            Action::NewTask => self.new_task(),
            Action::Conduct => self.conduct(),
            Action::RunPlan => self.ask_plan(),
            Action::Design => self.ask_goal(),
            Action::StopAgent => self.stop_agents(about),
            Action::StopTurn => self.command_each("pressed Esc for the agent of", Command::Interrupt, about),
            Action::SwitchMode => self.command_each("switched", |id| Command::SetMode(id, None), about),
            Action::CloseTask => self.ask_close(about),
            Action::TogglePause => self.pause(),
            Action::ToggleFinished => self.toggle_finished(),
            Action::ToggleMark => self.mark(about, arranged),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),

            Action::Type => self.type_here(arranged),
            Action::StopTyping => self.state.key_focus = KeyFocus::Views,
            Action::ToggleTyping => self.toggle_typing(arranged),
            Action::NewShell => self.new_shell(),
            Action::ShellHere => self.shell_here(arranged),
            Action::OpenBeside => self.open_beside(arranged),

            Action::CopyMode if !copying => {
                self.enter_copy_mode(arranged, None);
            }
            Action::Select(mode) if copying => self.select(mode),
            Action::OtherEnd if copying => self.other_end(arranged),
            Action::CopySelection | Action::Copy if copying => self.yank(),
            Action::PreviousPrompt => self.jump_to_prompt(false, arranged),
            Action::NextPrompt => self.jump_to_prompt(true, arranged),
            Action::Text(motion) if copying => self.move_over_text(motion, arranged),
            // Over text that is held still in another pane, they have no meaning here.
            Action::CopyMode
            | Action::Select(_)
            | Action::OtherEnd
            | Action::CopySelection
            | Action::Text(_) => {}
            Action::Copy => self.offer_copies(about, arranged),
            Action::TakeOffer => self.ask(UiRequest::TakeOffer),
            Action::Paste => self.paste_copied(arranged),
            Action::EditScrollback => self.edit_text(arranged),
            Action::OpenLink => self.open_link(arranged),

            Action::Split(axis) => self.choose_split(axis),
            Action::ClosePane => self.ask_close_pane(arranged),
            Action::Zoom => self.zoom(),
            Action::Resize(direction) => self.resize(direction, arranged),
            Action::SwapPrevious => self.swap(-1, arranged),
            Action::SwapNext => self.swap(1, arranged),
            Action::BreakPane => self.break_out(arranged),
            Action::NextLayout => self.rearrange(arranged),
            Action::Tab(number) => self.visit_tab(usize::from(number).saturating_sub(1)),
            Action::NextTab => self.tab_by(1),
            Action::PreviousTab => self.tab_by(-1),
            Action::RenameTab => self.rename_tab(),
            Action::CloseTab => self.ask_close_tab(arranged),
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
