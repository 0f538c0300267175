//! Keys for overlays: editing a line, answering a question, choosing from a list.

use crate::term::keys::Key;
use ratatui::layout::Rect;

use super::{UiRequest, UpdateContext};
use crate::domain::{Command, TaskId};
use crate::keymap::Chord;
use crate::keymap::KeyTable;
use crate::ui::state::{
    ConfirmAction, ConfirmPrompt, Menu, MenuAction, MenuItem, Overlay, PromptKind, TextPrompt,
};
use crate::ui::view::prompt_lines;

impl UpdateContext<'_, '_> {
    pub(super) fn overlay_key(&mut self, chord: Chord) {
        let Some(overlay) = self.state.overlay.take() else {
            return;
        };
        self.state.overlay = match overlay {
            Overlay::Help(search) => self.help_key(search, chord),
            Overlay::Palette(search) => self.palette_key(search, chord),
            Overlay::Search(finding) => self.find_key(finding, chord),
            Overlay::Form(form) => self.form_key(form, chord),
            Overlay::Jump(jump) => self.jump_key(jump, chord),
            Overlay::Prompt(ask) => self.ask_key(ask, chord).map(Overlay::Prompt),
            Overlay::Trust(review) => self.trust_key(review, chord),
            Overlay::Welcome(welcome) => self.welcome_key(welcome, chord),
            Overlay::Confirm(confirm) => self.confirm_key(confirm, chord),
            Overlay::Menu(mut choose) => match self.choose_step(&mut choose, chord) {
                ListKey::By(rows) => {
                    let last = choose.items.len().saturating_sub(1);
                    choose.marked = choose.marked.saturating_add_signed(rows).min(last);
                    self.preview_theme(&choose);
                    Some(Overlay::Menu(choose))
                }
                ListKey::Take => {
                    let chosen = choose
                        .items
                        .get(choose.marked)
                        .map(|choice| choice.action.clone());
                    return self.run_menu_action(chosen);
                }
                ListKey::Close => {
                    self.restore_theme(&choose);
                    None
                }
                ListKey::Other => Some(Overlay::Menu(choose)),
            },
        };
    }

    /// Returns the effect of a key in a menu: a letter of a row and the key that opened it take one.
    fn choose_step(&self, choose: &mut Menu, chord: Chord) -> ListKey {
        let letter = |choice: &MenuItem| choice.key.is_some() && choice.key == chord.typed_char();
        if let Some(at) = choose.items.iter().position(letter) {
            choose.marked = at;
            return ListKey::Take;
        }
        let meant = self.state.keymap.lookup(KeyTable::Nav, chord);
        if meant.is_some() && meant == choose.opened_by {
            return ListKey::Take;
        }
        list_step(chord)
    }

    /// Opens a menu of these texts with their effects.
    pub(super) fn menu(
        &mut self,
        title: &str,
        items: impl Iterator<Item = (String, MenuAction)>,
        marked: usize,
    ) {
        let items = items.map(|(text, action)| MenuItem {
            text,
            key: None,
            action,
        });
        self.state.overlay = Some(Overlay::Menu(Menu {
            title: title.to_owned(),
            items: items.collect(),
            marked,
            opened_by: None,
        }));
    }

    pub(super) fn run_menu_action(&mut self, chosen: Option<MenuAction>) {
        self.state.overlay = None;
        match chosen {
            Some(MenuAction::Split(axis, content)) => self.split(axis, content),
            Some(MenuAction::Copy(what, text)) => self.copy_text(Some(what), &text),
            Some(MenuAction::Goto(tab, pane)) => self.go_to_pane(tab, pane),
            Some(MenuAction::Link(target)) => self.ask_link(target),
            Some(MenuAction::Theme { name, .. }) => self.keep_theme(name),
            None => {}
        }
    }

    fn confirm_key(&mut self, mut confirm: Box<ConfirmPrompt>, chord: Chord) -> Option<Overlay> {
        if let ListKey::By(rows) = list_step(chord) {
            let last = prompt_lines::confirm_max_scroll(&confirm, self.screen());
            confirm.scroll = confirm.scroll.saturating_add_signed(rows).min(last);
            return Some(Overlay::Confirm(confirm));
        }
        match chord.code() {
            // Held with Control or the like it is another program's key, and not a yes.
            Key::Char('y' | 'Y') if chord.typed_char().is_some() => {
                self.run_confirmed(confirm.action);
                self.state.overlay.take()
            }
            Key::Char('n' | 'N' | 'q') | Key::Escape | Key::Enter => None,
            _ => Some(Overlay::Confirm(confirm)),
        }
    }

    fn run_confirmed(&mut self, deed: ConfirmAction) {
        match deed {
            ConfirmAction::Commands(title, commands) => self.commands(title, commands),
            ConfirmAction::OnMarked(title, commands) => {
                self.commands(title, commands);
                self.state.marked_tasks.clear();
            }
            ConfirmAction::ClosePane(pane) => {
                self.record_irreversible("closed the pane and its shell");
                self.close_pane(pane);
            }
            ConfirmAction::CloseTab => {
                self.record_irreversible("closed the tab");
                self.close_tab();
            }
            ConfirmAction::Leave => self.ask(UiRequest::Detach),
            ConfirmAction::StopServer => self.ask(UiRequest::StopServer),
            ConfirmAction::Paste(id, text) => self.paste_into(id, text),
            ConfirmAction::Allow(agents) => self.allow_all(&agents),
            ConfirmAction::Link(target) => self.follow_link(target),
        }
    }

    /// Edits the line; returns nothing when it was sent or cancelled.
    fn ask_key(&mut self, mut ask: TextPrompt, chord: Chord) -> Option<TextPrompt> {
        let most = prompt_lines::prompt_max_scroll(&ask, self.screen());
        match chord.code() {
            _ if chord.cancels() => return None,
            Key::Enter => return self.send(ask),
            Key::Up => {
                ask.scrolled_back = (ask.scrolled_back + 1).min(most);
                return Some(ask);
            }
            Key::Down => {
                ask.scrolled_back = ask.scrolled_back.saturating_sub(1);
                return Some(ask);
            }
            _ => ask.line.key(chord),
        };
        Some(ask)
    }

    fn send(&mut self, ask: TextPrompt) -> Option<TextPrompt> {
        let text = ask.line.text().trim().to_owned();
        if text.is_empty() && ask.kind != PromptKind::Deny {
            self.warn("nothing was written; Esc cancels");
            return Some(ask);
        }
        let text = match ask.required_word {
            None => text,
            Some(word) => match text.strip_prefix(word).map(str::trim) {
                Some("") => word.to_owned(),
                Some(rest) => rest.to_owned(),
                None => {
                    self.warn(format!(
                        "nothing was done: the line must begin with the word {word}; Esc cancels"
                    ));
                    return Some(ask);
                }
            },
        };
        self.submit_prompt(ask, &text);
        None
    }

    /// Returns the area of the whole screen.
    fn screen(&self) -> Rect {
        let (width, height) = self.state.size;
        Rect::new(0, 0, width, height)
    }

    /// Performs the purpose of a prompt.
    fn submit_prompt(&mut self, prompt: TextPrompt, text: &str) {
        let title = prompt.done();
        let command: fn(TaskId, String) -> Command = match prompt.kind {
            PromptKind::Deny => return self.deny(prompt, text),
            PromptKind::Reject => Command::Reject,
            PromptKind::Answer => Command::Answer,
            PromptKind::Comment => Command::Comment,
            PromptKind::Park => Command::Park,
            PromptKind::Close => Command::Close,
            PromptKind::RetryWithNote => |task, note| Command::Retry {
                task,
                stage: None,
                note: Some(note),
            },
            PromptKind::RunPlan => return self.ask(UiRequest::ReadPlan(text.to_owned())),
            PromptKind::Design => return self.ask(UiRequest::Design(text.to_owned())),
            PromptKind::RenameSession => return self.set_session_name(title, text),
            PromptKind::RenameTab => return self.set_tab_name(title, text),
        };
        let tasks = prompt.tasks.into_iter();
        self.commands(title, tasks.map(|id| command(id, text.to_owned())).collect());
        self.state.marked_tasks.clear();
    }
}

/// Effect of a key in a list.
pub(super) enum ListKey {
    /// Moves the mark by that many rows.
    By(isize),
    Take,
    Close,
    Other,
}

pub(super) fn list_step(chord: Chord) -> ListKey {
    match chord.code() {
        Key::Escape | Key::Char('q') => ListKey::Close,
        _ if chord.is_control('c') => ListKey::Close,
        Key::Enter => ListKey::Take,
        Key::Up | Key::Char('k') => ListKey::By(-1),
        Key::Down | Key::Char('j') => ListKey::By(1),
        Key::PageUp => ListKey::By(-10),
        Key::PageDown => ListKey::By(10),
        Key::Home | Key::Char('g') => ListKey::By(isize::MIN / 2),
        Key::End | Key::Char('G') => ListKey::By(isize::MAX / 2),
        _ => ListKey::Other,
    }
}
