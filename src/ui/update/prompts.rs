//! Keys while something lies over the panes: editing a line, answering a question, choosing from a list.

use crossterm::event::KeyCode;
use ratatui::layout::Rect;

use super::{Request, Turn};
use crate::domain::command::Patch;
use crate::domain::{Command, TaskId};
use crate::ui::chord::Chord;
use crate::ui::keymap::Place;
use crate::ui::state::{Ask, AskKind, Choice, Choose, Chosen, Confirm, Deed, Overlay, named};
use crate::ui::view::lines;

impl Turn<'_, '_> {
    pub(super) fn overlay_key(&mut self, chord: Chord) {
        let Some(overlay) = self.state.overlay.take() else {
            return;
        };
        self.state.overlay = match overlay {
            Overlay::Help(search) => self.help_key(search, chord),
            Overlay::Palette(search) => self.palette_key(search, chord),
            Overlay::Find(finding) => self.find_key(finding, chord),
            Overlay::Form(form) => self.form_key(form, chord),
            Overlay::Jump(jump) => self.jump_key(jump, chord),
            Overlay::Ask(ask) => self.ask_key(ask, chord).map(Overlay::Ask),
            Overlay::Welcome(welcome) => self.welcome_key(welcome, chord),
            Overlay::Confirm(confirm) => self.confirm_key(confirm, chord),
            Overlay::Choose(mut choose) => match self.choose_step(&mut choose, chord) {
                ListStep::By(rows) => {
                    let last = choose.choices.len().saturating_sub(1);
                    choose.at = choose.at.saturating_add_signed(rows).min(last);
                    self.try_on(&choose);
                    Some(Overlay::Choose(choose))
                }
                ListStep::Take => {
                    let chosen = choose.choices.get(choose.at).map(|choice| choice.chosen.clone());
                    return self.chosen(chosen);
                }
                ListStep::Close => {
                    self.put_back(&choose);
                    None
                }
                ListStep::Nothing => Some(Overlay::Choose(choose)),
            },
        };
    }

    /// What a key does in a choice: a letter of a row and the key that opened it take one.
    fn choose_step(&self, choose: &mut Choose, chord: Chord) -> ListStep {
        let letter = |choice: &Choice| choice.key.is_some() && choice.key == chord.typed();
        if let Some(at) = choose.choices.iter().position(letter) {
            choose.at = at;
            return ListStep::Take;
        }
        let meant = self.state.keymap.lookup(Place::Nav, chord);
        if meant.is_some() && meant == choose.opened_by {
            return ListStep::Take;
        }
        list_step(chord)
    }

    pub(super) fn chosen(&mut self, chosen: Option<Chosen>) {
        self.state.overlay = None;
        match chosen {
            Some(Chosen::Split(axis, content)) => self.split(axis, content),
            Some(Chosen::Copy(what, text)) => self.copy_text(Some(what), &text),
            Some(Chosen::Goto(tab, pane)) => self.go((tab, pane)),
            Some(Chosen::Link(target)) => self.ask_link(target),
            Some(Chosen::Theme { name, .. }) => self.keep_theme(name),
            None => {}
        }
    }

    fn confirm_key(&mut self, mut confirm: Box<Confirm>, chord: Chord) -> Option<Overlay> {
        if let ListStep::By(rows) = list_step(chord) {
            let last = lines::last_of_confirm(&confirm, self.screen());
            confirm.first = confirm.first.saturating_add_signed(rows).min(last);
            return Some(Overlay::Confirm(confirm));
        }
        match chord.code() {
            // Held with Control or the like it is some other program's key, and no yes.
            KeyCode::Char('y' | 'Y') if chord.typed().is_some() => {
                self.deed(confirm.deed);
                self.state.overlay.take()
            }
            KeyCode::Char('n' | 'N' | 'q') | KeyCode::Esc | KeyCode::Enter => None,
            _ => Some(Overlay::Confirm(confirm)),
        }
    }

    fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Command(command) => self.command("paused", *command),
            Deed::ClosePane(pane) => {
                self.final_act("closed the pane and its shell");
                self.close_pane(pane);
            }
            Deed::CloseTab => {
                self.final_act("closed the tab");
                self.close_tab();
            }
            Deed::StopServer => self.ask(Request::StopServer),
            Deed::Stop(attempts) => {
                let title = match attempts.len() {
                    1 => "stopped the agent".to_owned(),
                    many => format!("stopped {many} agents"),
                };
                self.commands(title, attempts.into_iter().map(Command::Kill).collect());
                self.state.marks.clear();
            }
            Deed::Paste(id, text) => self.paste_into(id, text),
            Deed::Allow(agents) => self.allow_all(&agents),
            Deed::Merge(tasks) => {
                let (ids, stages): (Vec<TaskId>, Vec<_>) = tasks.into_iter().unzip();
                let title = format!("went to the merge with {}", named(&ids));
                let commands = ids.into_iter().zip(stages).map(|(task, stage)| {
                    let patch = Patch {
                        stage: Some(stage),
                        ..Patch::default()
                    };
                    Command::Update(task, patch)
                });
                self.commands(title, commands.collect());
                self.state.marks.clear();
            }
            Deed::Link(target) => self.follow_link(target),
            Deed::Approve(tasks) => {
                let title = format!("approved {}", named(&tasks));
                self.commands(title, tasks.into_iter().map(Command::Approve).collect());
            }
        }
    }

    /// Edits the line; nothing is left of it when it was sent or given up.
    fn ask_key(&mut self, mut ask: Ask, chord: Chord) -> Option<Ask> {
        let most = lines::hidden_of_ask(&ask, self.screen());
        match chord.code() {
            KeyCode::Esc => return None,
            KeyCode::Enter => return self.send(ask),
            KeyCode::Up => {
                ask.back = (ask.back + 1).min(most);
                return Some(ask);
            }
            KeyCode::Down => {
                ask.back = ask.back.saturating_sub(1);
                return Some(ask);
            }
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
        let text = match ask.word {
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
        self.asked(ask.kind, &text);
        None
    }

    /// The whole screen.
    fn screen(&self) -> Rect {
        let (width, height) = self.state.size;
        Rect::new(0, 0, width, height)
    }

    /// Does what a prompt was for.
    fn asked(&mut self, kind: AskKind, text: &str) {
        let each = |tasks: Vec<TaskId>, command: fn(TaskId, String) -> Command| {
            tasks
                .into_iter()
                .map(|id| command(id, text.to_owned()))
                .collect::<Vec<_>>()
        };
        let title = kind.deed();
        let commands = match kind {
            AskKind::Reject(tasks) => each(tasks, Command::Reject),
            AskKind::Answer(tasks) => each(tasks, Command::Answer),
            AskKind::Comment(tasks) => each(tasks, Command::Comment),
            AskKind::Park(tasks) => each(tasks, Command::Park),
            AskKind::Close(tasks) => each(tasks, Command::Close),
            AskKind::RetryWithNote(tasks) => each(tasks, |task, note| Command::Retry {
                task,
                stage: None,
                note: Some(note),
            }),
            AskKind::RenameSession => return self.name_session(title, text),
            AskKind::RenameTab => return self.name_tab(title, text),
        };
        self.commands(title, commands);
        self.state.marks.clear();
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
