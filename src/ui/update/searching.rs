//! Keys while the palette or the help is open: typing narrows the list, Enter runs the marked row.

use crossterm::event::KeyCode;

use super::Turn;
use crate::domain::TaskId;
use crate::ui::action::Action;
use crate::ui::chord::Chord;
use crate::ui::help;
use crate::ui::help::spelled_out;
use crate::ui::line::Line;
use crate::ui::palette::{self, Run};
use crate::ui::state::{MOST_RECENT, Overlay, Search};

/// Rows per page key.
const PAGE: isize = 10;

/// What a key does to a list that is narrowed by typing.
pub(super) enum ListKey {
    By(isize),
    Take,
    Complete,
    Close,
    Edit,
}

pub(super) fn list_key(chord: Chord) -> ListKey {
    match chord.code() {
        KeyCode::Esc => ListKey::Close,
        _ if chord.is_control('c') || chord.is_control('g') => ListKey::Close,
        KeyCode::Enter => ListKey::Take,
        KeyCode::Tab => ListKey::Complete,
        KeyCode::Up => ListKey::By(-1),
        KeyCode::Down => ListKey::By(1),
        _ if chord.is_control('p') => ListKey::By(-1),
        _ if chord.is_control('n') => ListKey::By(1),
        KeyCode::PageUp => ListKey::By(-PAGE),
        KeyCode::PageDown => ListKey::By(PAGE),
        _ => ListKey::Edit,
    }
}

/// The mark moved by so many rows of a list of that length.
pub(super) fn moved(at: usize, by: isize, length: usize) -> usize {
    at.saturating_add_signed(by).min(length.saturating_sub(1))
}

impl Turn<'_, '_> {
    pub(super) fn palette_key(&mut self, mut search: Search, chord: Chord) -> Option<Overlay> {
        let rows = palette::rows(self.state, self.scene, &self.arranged(), search.line.text());
        match list_key(chord) {
            ListKey::Close => return None,
            ListKey::By(by) => search.at = moved(search.at, by, rows.len()),
            ListKey::Complete => {
                if let Some(row) = palette::next_completed(&rows, search.at, search.line.text()) {
                    search.line = Line::of(palette::completed(row));
                    search.at = 0;
                }
            }
            ListKey::Edit if chord.is_control('y') => self.copy_row(rows.get(search.at)),
            ListKey::Edit => {
                let before = search.line.clone();
                search.line.key(chord);
                if before.text() != search.line.text() {
                    search.at = 0;
                }
            }
            ListKey::Take => {
                let row = rows.into_iter().nth(search.at)?;
                self.run(row.run);
                return self.state.overlay.take();
            }
        }
        Some(Overlay::Palette(search))
    }

    fn run(&mut self, run: Run) {
        match run {
            Run::Action(action, task) => self.act_by_name(action, task),
            Run::Task(id) => {
                self.visit_board();
                self.state.selected = Some(id);
            }
            Run::Place(tab, pane) => self.go((tab, pane)),
            Run::Past(words) => {
                let arranged = self.arranged();
                self.find_everywhere(words, &arranged);
                // What is to be found is written already.
                self.state.overlay = None;
            }
            Run::Log(line) => {
                self.act(Action::Show(crate::ui::views::LOG));
                let focus = self.arranged().focus;
                let pane = self.state.pane_mut(focus);
                pane.filter.clear();
                (pane.mark, pane.scroll) = (Some(line), 0);
            }
            Run::Shell(command, attempt) => self.run_in_shell(command, attempt),
        }
    }

    /// Does an action that was chosen by name, and remembers it.
    fn act_by_name(&mut self, action: Action, task: Option<TaskId>) {
        self.state.recent.retain(|other| *other != action);
        self.state.recent.insert(0, action);
        self.state.recent.truncate(MOST_RECENT);
        self.named = task;
        self.act(action);
        self.named = None;
    }

    pub(super) fn help_key(&mut self, mut search: Search, chord: Chord) -> Option<Overlay> {
        let rows = help::rows(self.state, self.scene, &self.arranged(), search.line.text());
        let actions = help::actions(&rows);
        let marked = actions.get(search.at).copied();
        match list_key(chord) {
            ListKey::Close if search.line.is_empty() => return None,
            ListKey::Close => search = Search::default(),
            ListKey::By(by) => search.at = moved(search.at, by, actions.len()),
            ListKey::Take => {
                if let Some(action) = marked {
                    self.act_by_name(action, None);
                }
                return self.state.overlay.take();
            }
            ListKey::Edit if chord.typed() == Some('?') && search.line.is_empty() => return None,
            ListKey::Edit if chord.is_control('y') => self.copy_command_line(marked, None),
            ListKey::Edit | ListKey::Complete => {
                let before = search.line.clone();
                search.line.key(chord);
                if before.text() != search.line.text() {
                    search.at = 0;
                }
            }
        }
        Some(Overlay::Help(search))
    }

    /// What a row of the palette would do, as a command of the shell.
    fn copy_row(&mut self, row: Option<&palette::Row>) {
        match row.map(|row| &row.run) {
            Some(Run::Action(action, task)) => self.copy_command_line(Some(*action), task.clone()),
            Some(Run::Task(id)) => self.copy_text(Some("command"), &format!("dbs task show {id}")),
            Some(Run::Shell(command, _)) => self.copy_text(Some("command"), command),
            Some(Run::Place(..) | Run::Past(_) | Run::Log(_)) | None => {
                self.copy_command_line(None, None);
            }
        }
    }

    /// An action as a command of the shell, with the task it would be about.
    fn copy_command_line(&mut self, action: Option<Action>, named: Option<TaskId>) {
        let arranged = self.arranged();
        self.named = named;
        let about = self.target(&arranged);
        self.named = None;
        match action.and_then(|action| spelled_out(action, &about, self.scene.model)) {
            Some(text) => self.copy_text(Some("command"), &text),
            None => self.warn("only the screen has that; there is no such command"),
        }
    }

    /// The wheel over whatever lies over the panes.
    pub(super) fn overlay_wheel(&mut self, rows: isize) {
        let code = if rows < 0 { KeyCode::Up } else { KeyCode::Down };
        if matches!(
            self.state.overlay,
            Some(
                Overlay::Choose(_)
                    | Overlay::Palette(_)
                    | Overlay::Help(_)
                    | Overlay::Confirm(_)
                    | Overlay::Ask(_)
            )
        ) {
            self.overlay_key(Chord::plain(code));
        }
    }
}
