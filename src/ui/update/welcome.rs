//! Keys while the questions of a first start are asked. Esc skips all that are left; given answers are kept.

use crate::term::keys::Key;

use super::{UiRequest, UpdateContext};
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::keymap::KeyTable;
use crate::ui::line_editor::LineEditor;
use crate::ui::scene::SessionKind;
use crate::ui::state::{Overlay, Welcome, WelcomeStep};

/// The setting that names the base branch; the only answer that is the project's and not the person's.
const BASE_BRANCH: &str = "base_branch";

impl UpdateContext<'_, '_> {
    /// Handles a key; returns the overlay afterwards.
    pub(super) fn welcome_key(&mut self, mut welcome: Box<Welcome>, chord: Chord) -> Option<Overlay> {
        if chord.code() == Key::Escape {
            self.ask(UiRequest::SaveSettings(welcome.answers));
            return None;
        }
        match &mut welcome.step {
            WelcomeStep::Command(line) | WelcomeStep::BaseName(line) if chord.code() != Key::Enter => {
                line.key(chord);
            }
            WelcomeStep::Prefix(pressed) if chord.code() != Key::Enter => *pressed = Some(chord),
            WelcomeStep::Agent | WelcomeStep::Base | WelcomeStep::Alerts | WelcomeStep::Demo
                if chord.code() != Key::Enter =>
            {
                move_mark(&mut welcome, chord);
            }
            _ => return self.answered(welcome),
        }
        Some(Overlay::Welcome(welcome))
    }

    /// Takes the answer to the current question, and continues with the next.
    fn answered(&mut self, mut welcome: Box<Welcome>) -> Option<Overlay> {
        let next = match &welcome.step {
            WelcomeStep::Agent => {
                let there: Vec<&str> = welcome.found_agents().collect();
                match there.get(welcome.marked) {
                    Some(name) => {
                        let answer = ("roles.default.agent".to_owned(), (*name).to_owned());
                        welcome.answers.push(answer);
                        welcome.after_agent()
                    }
                    None if welcome.marked == there.len() => WelcomeStep::Command(LineEditor::default()),
                    None => welcome.after_agent(),
                }
            }
            WelcomeStep::Command(line) => {
                let command = line.text().trim().to_owned();
                if !command.is_empty() {
                    welcome
                        .answers
                        .push(("roles.default.command".to_owned(), command));
                }
                welcome.after_agent()
            }
            WelcomeStep::Base => base_answered(&mut welcome),
            WelcomeStep::BaseName(line) => {
                let name = line.text().trim().to_owned();
                if !name.is_empty() {
                    welcome.answers.push((BASE_BRANCH.to_owned(), name));
                }
                WelcomeStep::Prefix(None)
            }
            WelcomeStep::Prefix(pressed) => {
                let wished = pressed.filter(|chord| *chord != self.state.keymap.prefix());
                if let Some(why) = wished.and_then(|chord| self.no_prefix(chord)) {
                    self.warn(why);
                    return Some(Overlay::Welcome(welcome));
                }
                if let Some(chord) = wished {
                    let written = chord.to_string().replace("C-", "ctrl-").replace("A-", "alt-");
                    welcome.answers.push(("keys.prefix".to_owned(), written));
                }
                WelcomeStep::Alerts
            }
            WelcomeStep::Alerts => {
                if welcome.marked == 1 {
                    let never = ("notify.when".to_owned(), "never".to_owned());
                    welcome.answers.push(never);
                }
                WelcomeStep::Demo
            }
            WelcomeStep::Demo => {
                self.ask(UiRequest::SaveSettings(std::mem::take(&mut welcome.answers)));
                if welcome.marked == 0 {
                    self.play_demo();
                }
                return None;
            }
        };
        welcome.step = next;
        welcome.marked = 0;
        Some(Overlay::Welcome(welcome))
    }

    /// Returns the reason why that key cannot be the prefix.
    fn no_prefix(&self, chord: Chord) -> Option<String> {
        if let Some(why) = chord.prefix_problem() {
            return Some(format!("{chord} is {why}"));
        }
        let taken = [
            KeyTable::Nav,
            KeyTable::Prefixed,
            KeyTable::Filtered,
            KeyTable::Copy,
        ]
        .into_iter()
        .find_map(|place| self.state.keymap.lookup(place, chord));
        taken
            .and_then(Action::entry)
            .map(|entry| format!("{chord} means {} already", entry.title))
    }

    /// Leaves for the demo; comes back here afterwards.
    pub(super) fn play_demo(&mut self) {
        if self.scene.session.kind == SessionKind::Rehearsal {
            return self.inform("the agents here are scripted already; `dbs demo` in a shell plays the demo");
        }
        self.ask(UiRequest::PlayDemo);
    }
}

/// Takes the base branch that was found, or continues with the question for another.
fn base_answered(welcome: &mut Welcome) -> WelcomeStep {
    let found = welcome.detected.base.as_ref().map(|(name, _)| name.clone());
    let of_the_persons = usize::from(found.is_some());
    match found.filter(|_| welcome.marked == 0) {
        Some(name) => {
            welcome.answers.push((BASE_BRANCH.to_owned(), name));
            WelcomeStep::Prefix(None)
        }
        None if welcome.marked == of_the_persons => WelcomeStep::BaseName(LineEditor::default()),
        None => WelcomeStep::Prefix(None),
    }
}

fn move_mark(welcome: &mut Welcome, chord: Chord) {
    let last = welcome.choices().len().saturating_sub(1);
    welcome.marked = match chord.code() {
        Key::Up | Key::Char('k') => welcome.marked.saturating_sub(1),
        Key::Down | Key::Char('j') | Key::Tab => (welcome.marked + 1).min(last),
        _ => welcome.marked,
    };
}
