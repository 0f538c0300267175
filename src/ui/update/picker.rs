//! Keys while the palette or the help is open: typing narrows the list, Enter runs the marked row.

use crate::term::keys::Key;

use super::UpdateContext;
use super::prompts::ListKey;
use crate::domain::TaskId;
use crate::keymap::Action;
use crate::keymap::Chord;
use crate::ui::help;
use crate::ui::help::shell_command;
use crate::ui::line_editor::LineEditor;
use crate::ui::palette::{self, PaletteAction};
use crate::ui::state::{MAX_RECENT_ACTIONS, Overlay, Picker};

/// Rows per page key.
const PAGE: isize = 10;

fn list_key(chord: Chord) -> ListKey {
    match chord.code() {
        _ if chord.cancels() => ListKey::Close,
        Key::Enter => ListKey::Take,
        Key::Up => ListKey::By(-1),
        Key::Down => ListKey::By(1),
        _ if chord.is_control('p') => ListKey::By(-1),
        _ if chord.is_control('n') => ListKey::By(1),
        Key::PageUp => ListKey::By(-PAGE),
        Key::PageDown => ListKey::By(PAGE),
        _ => ListKey::Other,
    }
}

/// Returns the mark moved by `by` rows in a list of that length.
fn move_mark(at: usize, by: isize, length: usize) -> usize {
    at.saturating_add_signed(by).min(length.saturating_sub(1))
}

impl UpdateContext<'_, '_> {
    pub(super) fn palette_key(&mut self, mut search: Picker, chord: Chord) -> Option<Overlay> {
        let rows = palette::rows(self.state, self.scene, &self.arranged(), search.line.text());
        match list_key(chord) {
            ListKey::Close => return None,
            ListKey::By(by) => search.marked = move_mark(search.marked, by, rows.len()),
            ListKey::Other if chord.code() == Key::Tab => {
                if let Some(row) = palette::completion_row(&rows, search.marked, search.line.text()) {
                    search.line = LineEditor::with_text(palette::completion(row));
                    search.marked = 0;
                }
            }
            ListKey::Other if chord.is_control('y') => self.copy_row(rows.get(search.marked)),
            ListKey::Other => search.key(chord),
            ListKey::Take => {
                let row = rows.into_iter().nth(search.marked)?;
                self.run(row.action);
                return self.state.overlay.take();
            }
        }
        Some(Overlay::Palette(search))
    }

    fn run(&mut self, run: PaletteAction) {
        match run {
            PaletteAction::Action(action, task) => self.act_by_name(action, task),
            PaletteAction::Task(id) => {
                self.visit_board();
                self.state.selected = Some(id);
            }
            PaletteAction::Pane(tab, pane) => self.go_to_pane(tab, pane),
            PaletteAction::Search(words) => {
                let layout = self.arranged();
                self.find_everywhere(words, &layout);
                // The words to find are written already.
                self.state.overlay = None;
            }
            PaletteAction::Log(line) => {
                self.act(Action::Show(crate::ui::views::LOG));
                let focus = self.arranged().focus;
                let pane = self.state.pane_mut(focus);
                pane.filter.clear();
                (pane.mark, pane.scroll) = (Some(line), 0);
            }
            PaletteAction::Shell(command, attempt) => self.run_in_shell(command, attempt),
        }
    }

    /// Performs an action that was chosen by name, and remembers it.
    fn act_by_name(&mut self, action: Action, task: Option<TaskId>) {
        self.state.recent_actions.retain(|other| *other != action);
        self.state.recent_actions.insert(0, action);
        self.state.recent_actions.truncate(MAX_RECENT_ACTIONS);
        self.named_task = task;
        self.act(action);
        self.named_task = None;
    }

    pub(super) fn help_key(&mut self, mut search: Picker, chord: Chord) -> Option<Overlay> {
        let rows = help::rows(self.state, self.scene, &self.arranged(), search.line.text());
        let actions = help::actions(&rows);
        let marked = actions.get(search.marked).copied();
        match list_key(chord) {
            ListKey::Close if search.line.is_empty() => return None,
            ListKey::Close => search = Picker::default(),
            ListKey::By(by) => search.marked = move_mark(search.marked, by, actions.len()),
            ListKey::Take => {
                if let Some(action) = marked {
                    self.act_by_name(action, None);
                }
                return self.state.overlay.take();
            }
            ListKey::Other if chord.typed_char() == Some('?') && search.line.is_empty() => return None,
            ListKey::Other if chord.is_control('y') => self.copy_command_line(marked, None),
            ListKey::Other => search.key(chord),
        }
        Some(Overlay::Help(search))
    }

    /// Copies the shell command for a row of the palette.
    fn copy_row(&mut self, row: Option<&palette::PaletteRow>) {
        match row.map(|row| &row.action) {
            Some(PaletteAction::Action(action, task)) => self.copy_command_line(Some(*action), task.clone()),
            Some(PaletteAction::Task(id)) => self.copy_text(Some("command"), &format!("dbs task show {id}")),
            Some(PaletteAction::Shell(command, _)) => self.copy_text(Some("command"), command),
            Some(PaletteAction::Pane(..) | PaletteAction::Search(_) | PaletteAction::Log(_)) | None => {
                self.copy_command_line(None, None);
            }
        }
    }

    /// Copies the shell command for an action, with its task.
    fn copy_command_line(&mut self, action: Option<Action>, named: Option<TaskId>) {
        let layout = self.arranged();
        self.named_task = named;
        let about = self.target(&layout);
        self.named_task = None;
        match action.and_then(|action| shell_command(action, &about, self.scene.model)) {
            Some(text) => self.copy_text(Some("command"), &text),
            None => self.warn("only the screen has that; there is no such command"),
        }
    }

    /// Handles the wheel over an overlay.
    pub(super) fn overlay_wheel(&mut self, rows: isize) {
        let code = if rows < 0 { Key::Up } else { Key::Down };
        if matches!(
            self.state.overlay,
            Some(
                Overlay::Menu(_)
                    | Overlay::Palette(_)
                    | Overlay::Help(_)
                    | Overlay::Confirm(_)
                    | Overlay::Prompt(_)
                    | Overlay::Trust(_)
            )
        ) {
            self.overlay_key(Chord::plain(code));
        }
    }
}
