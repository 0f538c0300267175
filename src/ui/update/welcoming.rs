//! Keys while the questions of a first start are asked. Esc skips all that are left; what was answered is kept.

use crossterm::event::KeyCode;

use super::{Request, Turn};
use crate::domain::Level;
use crate::ui::action::Action;
use crate::ui::chord::Chord;
use crate::ui::keymap::Place;
use crate::ui::line::Line;
use crate::ui::scene::SessionKind;
use crate::ui::state::{Overlay, Step, Welcome};

impl Turn<'_, '_> {
    /// A key; answers what lies over the panes afterwards.
    pub(super) fn welcome_key(&mut self, mut welcome: Box<Welcome>, chord: Chord) -> Option<Overlay> {
        if chord.code() == KeyCode::Esc {
            self.ask(Request::Answered(welcome.answers));
            return None;
        }
        match &mut welcome.step {
            Step::Command(line) if chord.code() != KeyCode::Enter => {
                line.key(chord);
            }
            Step::Prefix(pressed) if chord.code() != KeyCode::Enter => *pressed = Some(chord),
            Step::Agent | Step::Calls | Step::Demo if chord.code() != KeyCode::Enter => {
                move_mark(&mut welcome, chord);
            }
            _ => return self.answered(welcome),
        }
        Some(Overlay::Welcome(welcome))
    }

    /// Takes the answer to the question that is asked, and goes on to the next.
    fn answered(&mut self, mut welcome: Box<Welcome>) -> Option<Overlay> {
        let next = match &welcome.step {
            Step::Agent => {
                let there: Vec<&str> = welcome.there().collect();
                match (there.get(welcome.at), welcome.at - there.len().min(welcome.at)) {
                    (Some(name), _) => Step::Command(Line::of(format!("{name} '{{title}}: {{body}}'"))),
                    (None, 0) => Step::Command(Line::default()),
                    (None, _) => Step::Prefix(None),
                }
            }
            Step::Command(line) => {
                let command = line.text().trim().to_owned();
                if !command.is_empty() {
                    welcome
                        .answers
                        .push(("roles.default.command".to_owned(), command));
                }
                Step::Prefix(None)
            }
            Step::Prefix(pressed) => {
                let wished = pressed.filter(|chord| *chord != self.state.keymap.prefix());
                if let Some(why) = wished.and_then(|chord| self.no_prefix(chord)) {
                    self.warn(why);
                    return Some(Overlay::Welcome(welcome));
                }
                if let Some(chord) = wished {
                    let written = chord.to_string().replace("C-", "ctrl-").replace("A-", "alt-");
                    welcome.answers.push(("keys.prefix".to_owned(), written));
                }
                Step::Calls
            }
            Step::Calls => {
                if welcome.at == 1 {
                    welcome
                        .answers
                        .push(("notify.when".to_owned(), "never".to_owned()));
                }
                Step::Demo
            }
            Step::Demo => {
                self.ask(Request::Answered(std::mem::take(&mut welcome.answers)));
                if welcome.at == 0 {
                    self.play_demo();
                }
                return None;
            }
        };
        welcome.step = next;
        welcome.at = 0;
        Some(Overlay::Welcome(welcome))
    }

    /// Why that key cannot be the prefix.
    fn no_prefix(&self, chord: Chord) -> Option<String> {
        if let Some(why) = chord.why_no_prefix() {
            return Some(format!("{chord} is {why}"));
        }
        let taken = [Place::Nav, Place::Prefixed, Place::Found, Place::Copy]
            .into_iter()
            .find_map(|place| self.state.keymap.lookup(place, chord));
        taken
            .and_then(Action::entry)
            .map(|entry| format!("{chord} means {} already", entry.title))
    }

    /// Leaves for the demo; comes back here afterwards.
    pub(super) fn play_demo(&mut self) {
        if self.scene.session.kind == SessionKind::Rehearsal {
            let text = "the agents here are scripted already; `dbs demo` in a shell plays the demo";
            return self.state.tell(self.scene.now, Level::Info, text);
        }
        self.ask(Request::Demo);
    }
}

fn move_mark(welcome: &mut Welcome, chord: Chord) {
    let last = welcome.choices().len().saturating_sub(1);
    welcome.at = match chord.code() {
        KeyCode::Up | KeyCode::Char('k') => welcome.at.saturating_sub(1),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => (welcome.at + 1).min(last),
        _ => welcome.at,
    };
}
