//! Keys while something lies over the panes: editing a line, answering a question, choosing from a list.

use crossterm::event::KeyCode;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Request, Turn};
use crate::domain::Command;
use crate::ui::chord::Chord;
use crate::ui::state::{Ask, AskKind, Chosen, Confirm, Deed, Overlay};

impl Turn<'_, '_> {
    pub(super) fn overlay_key(&mut self, chord: Chord) {
        let Some(overlay) = self.state.overlay.take() else {
            return;
        };
        self.state.overlay = match overlay {
            Overlay::Help(search) => self.help_key(search, chord),
            Overlay::Palette(search) => self.palette_key(search, chord),
            Overlay::Find(finding) => self.find_key(finding, chord),
            Overlay::Ask(ask) => self.ask_key(ask, chord).map(Overlay::Ask),
            Overlay::Confirm(confirm) => self.confirm_key(confirm, chord),
            Overlay::Choose(mut choose) => match list_step(chord) {
                ListStep::By(rows) => {
                    let last = choose.choices.len().saturating_sub(1);
                    choose.at = choose.at.saturating_add_signed(rows).min(last);
                    Some(Overlay::Choose(choose))
                }
                ListStep::Take => {
                    let chosen = choose.choices.get(choose.at).map(|choice| choice.chosen.clone());
                    return self.chosen(chosen);
                }
                ListStep::Close => None,
                ListStep::Nothing => Some(Overlay::Choose(choose)),
            },
        };
    }

    pub(super) fn chosen(&mut self, chosen: Option<Chosen>) {
        self.state.overlay = None;
        match chosen {
            Some(Chosen::Split(axis, content)) => self.split(axis, content),
            Some(Chosen::Goto(tab, pane)) => self.go((tab, pane)),
            None => {}
        }
    }

    fn confirm_key(&mut self, confirm: Box<Confirm>, chord: Chord) -> Option<Overlay> {
        match chord.code() {
            KeyCode::Char('y' | 'Y') => {
                self.deed(confirm.deed);
                self.state.overlay.take()
            }
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc | KeyCode::Enter => None,
            _ => Some(Overlay::Confirm(confirm)),
        }
    }

    fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Command(command) => self.ask(Request::Command(*command)),
            Deed::ClosePane(pane) => self.close_pane(pane),
            Deed::CloseTab => self.close_tab(),
            Deed::StopServer => self.ask(Request::StopServer),
            Deed::Allow(agents) => self.allow_all(&agents),
            Deed::Approve(tasks) => {
                let commands = tasks.into_iter().map(Command::Approve);
                self.requests.extend(commands.map(Request::Command));
            }
        }
    }

    /// Edits the line; nothing is left of it when it was sent or given up.
    fn ask_key(&mut self, mut ask: Ask, chord: Chord) -> Option<Ask> {
        match chord.code() {
            KeyCode::Esc => return None,
            KeyCode::Enter => return self.send(ask),
            _ if chord.is_control('c') || chord.is_control('g') => return None,
            _ => ask.line.key(chord),
        };
        Some(ask)
    }

    fn send(&mut self, ask: Ask) -> Option<Ask> {
        let text = ask.line.text().trim().to_owned();
        if text.is_empty() {
            self.warn("nothing was written; Esc cancels");
            return Some(ask);
        }
        let request = match ask.kind {
            AskKind::Reject(task) => Request::Command(Command::Reject(task, text)),
            AskKind::Answer(task) => Request::Command(Command::Answer(task, text)),
            AskKind::Comment(task) => Request::Command(Command::Comment(task, text)),
            AskKind::Park(task) => Request::Command(Command::Park(task, text)),
            AskKind::Close(task) => Request::Command(Command::Close(task, text)),
            AskKind::NewTask => Request::NewTask(text),
            AskKind::RenameTab => {
                if let Some(tab) = self.state.here_mut() {
                    tab.title = text.graphemes(true).take(20).collect();
                }
                return None;
            }
        };
        self.ask(request);
        None
    }
}

/// A key in a list.
enum ListStep {
    By(isize),
    Take,
    Close,
    Nothing,
}

fn list_step(chord: Chord) -> ListStep {
    match chord.code() {
        KeyCode::Esc | KeyCode::Char('q') => ListStep::Close,
        _ if chord.is_control('c') => ListStep::Close,
        KeyCode::Enter => ListStep::Take,
        KeyCode::Up | KeyCode::Char('k') => ListStep::By(-1),
        KeyCode::Down | KeyCode::Char('j') => ListStep::By(1),
        KeyCode::PageUp => ListStep::By(-10),
        KeyCode::PageDown => ListStep::By(10),
        KeyCode::Home | KeyCode::Char('g') => ListStep::By(isize::MIN / 2),
        KeyCode::End | KeyCode::Char('G') => ListStep::By(isize::MAX / 2),
        _ => ListStep::Nothing,
    }
}
