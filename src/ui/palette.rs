//! Rows of the palette for the typed text: actions, tasks, panes. Computed each time from state and scene by `update` and `view` alike;
//! nothing is run here.

use super::availability::unavailable_reason_for;
use super::fuzzy::FuzzyQuery;
use super::pane::PaneId;
use super::pane_names::pane_name;
use super::scene::Scene;
use super::screen_layout::{ScreenLayout, screen_layout};
use super::state::UiState;
use super::suggestions::{ANYWHERE, suggested_actions};
use super::target::{ActionTarget, named_target};
use super::terminal_search::is_searchable;
use super::views::target;
use crate::domain::{AttemptId, TaskId};
use crate::keymap::{Action, ActionEntry, entries};

mod arguments;

/// Maximum number of rows that are listed; the best come first.
const MOST_ROWS: usize = 100;
/// Number of rows while nothing is typed.
const LIKELY: usize = 10;

/// Row of the command palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaletteRow {
    pub(crate) title: String,
    /// Effect of the row, or the reason why it is not possible now.
    pub(crate) detail: String,
    pub(crate) key: String,
    pub(crate) possible: bool,
    pub(crate) action: PaletteAction,
}

impl PaletteRow {
    /// Creates a row without a key, for a possible action.
    fn new(title: String, detail: String, action: PaletteAction) -> PaletteRow {
        PaletteRow {
            title,
            detail,
            key: String::new(),
            possible: true,
            action,
        }
    }
}

/// Effect of choosing a row of the command palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PaletteAction {
    Action(Action, Option<TaskId>),
    Task(TaskId),
    Pane(usize, PaneId),
    /// Search those words in the output of all terminals.
    Search(String),
    Log(u64),
    /// Run that in a shell: where the agent of that task works, else in the project's folder.
    Shell(String, Option<AttemptId>),
}

/// The marks that narrow the list when typed first, the kind of row each lists, and the argument to write behind it.
pub(crate) const MARKS: [(&str, &str, &str); 5] = [
    (">", "actions", "ACTION"),
    ("@", "tasks", "TASK"),
    ("#", "panes", "PANE"),
    ("/", "history", "WORDS"),
    ("!", "shell", "COMMAND"),
];

/// Returns the rows for the typed text, the best first.
pub(crate) fn rows(
    state: &UiState,
    scene: &Scene<'_>,
    layout: &ScreenLayout,
    typed: &str,
) -> Vec<PaletteRow> {
    // The key that opens the palette.
    let typed = typed.strip_prefix(':').unwrap_or(typed);
    let mark = MARKS.iter().find(|(mark, ..)| typed.starts_with(mark));
    let (mark, rest) = mark.map_or(("", typed), |(mark, ..)| typed.split_at(mark.len()));
    let list = PaletteBuilder { state, scene, layout };
    match mark {
        "" if rest.trim().is_empty() => return list.likely(),
        "/" => return list.text(rest.trim()),
        "!" => return list.shell(rest.trim()).into_iter().collect(),
        _ => {}
    }
    let mut found = Vec::new();
    if matches!(mark, "" | ">") {
        list.actions(rest, &mut found);
        list.arguments(rest, &mut found);
    }
    let needle = FuzzyQuery::new(rest);
    if matches!(mark, "" | "@") {
        list.tasks(&needle, &mut found);
    }
    if matches!(mark, "" | "#") {
        list.places(&needle, &mut found);
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.truncate(MOST_ROWS);
    found.into_iter().map(|(_, row)| row).collect()
}

/// Returns the rest of the marked row spelled out after the typed text, and the argument that may be written behind it.
pub(crate) fn completion_hint(typed: &str, row: &PaletteRow) -> Option<String> {
    let (whole, rest) = match MARKS.iter().find(|(mark, ..)| *mark == typed) {
        Some((.., argument)) => (typed.to_owned(), *argument),
        None => (
            completion(row),
            arguments::argument(&row.action).unwrap_or_default(),
        ),
    };
    let head = whole.get(..typed.len())?;
    let tail = whole.get(typed.len()..)?;
    head.eq_ignore_ascii_case(typed).then(|| format!("{tail}{rest}"))
}

/// Returns the row that Tab spells out: the marked one, or, when that is spelled out already, the same action on the first task.
pub(crate) fn completion_row<'a>(
    rows: &'a [PaletteRow],
    marked: usize,
    typed: &str,
) -> Option<&'a PaletteRow> {
    let row = rows.get(marked)?;
    if completion(row) != typed {
        return Some(row);
    }
    let PaletteAction::Action(action, None) = row.action else {
        return Some(row);
    };
    let on_task =
        |row: &&PaletteRow| matches!(row.action, PaletteAction::Action(other, Some(_)) if other == action);
    rows.iter().find(on_task).or(Some(row))
}

/// Returns the text that Tab completes to: the marked row spelled out.
pub(crate) fn completion(row: &PaletteRow) -> String {
    match &row.action {
        PaletteAction::Action(action, task) => {
            let title = action.entry().map_or("", |entry| entry.title);
            task.as_ref()
                .map_or_else(|| format!("{title} "), |task| format!("{title} {task}"))
        }
        PaletteAction::Task(id) => format!("@{id}"),
        PaletteAction::Pane(..) => format!("#{}", row.title),
        PaletteAction::Search(words) => format!("/{words}"),
        PaletteAction::Log(_) => format!("/{}", row.title),
        PaletteAction::Shell(command, _) => format!("!{command}"),
    }
}

/// Score of a row and the row.
type PaletteMatch = (u32, PaletteRow);

struct PaletteBuilder<'a> {
    state: &'a UiState,
    scene: &'a Scene<'a>,
    layout: &'a ScreenLayout,
}

impl<'a> PaletteBuilder<'a> {
    /// Returns the actions run last, then those suggested for the place, as far as they are possible.
    fn likely(&self) -> Vec<PaletteRow> {
        let mut actions: Vec<Action> = Vec::new();
        for action in self
            .state
            .recent_actions
            .iter()
            .copied()
            .chain(suggested_actions(self.state, self.scene, self.layout))
            .chain(ANYWHERE)
        {
            if !actions.contains(&action) && action != Action::Palette {
                actions.push(action);
            }
        }
        let entries = actions.into_iter().filter_map(Action::entry);
        let about = self.about(None);
        let rows = entries.map(|entry| self.action_row(entry, None, &about));
        rows.filter(|row| row.possible).take(LIKELY).collect()
    }

    /// Returns the words in all agents' history, and the lines of the log that contain them, the newest first.
    fn text(&self, words: &str) -> Vec<PaletteRow> {
        let mut rows = Vec::new();
        if is_searchable(words) {
            rows.push(PaletteRow {
                key: self.state.keymap.hint(Action::FindEverywhere).unwrap_or_default(),
                ..PaletteRow::new(
                    format!("find `{words}`"),
                    "in what all agents have shown".to_owned(),
                    PaletteAction::Search(words.to_owned()),
                )
            });
        }
        let needle = FuzzyQuery::new(words);
        let lines = self.scene.log.iter().rev();
        let lines =
            lines.filter(|line| !needle.is_empty() && needle.score_exact(&line.notice.text).is_some());
        rows.extend(lines.take(MOST_ROWS).map(|line| {
            let detail = format!("{} ago, in the log", self.scene.now.since(line.at));
            PaletteRow::new(line.notice.text.clone(), detail, PaletteAction::Log(line.seq))
        }));
        rows
    }

    /// A command for a shell, and where it would run.
    fn shell(&self, command: &str) -> Option<PaletteRow> {
        let attempt = target(self.state, self.scene, self.layout).attempt;
        let attempt = attempt.filter(|attempt| attempt.workplace.is_some());
        let place = attempt.map_or_else(
            || "in the project's folder".to_owned(),
            |attempt| format!("where {} works on {}", attempt.worker.name(), attempt.task),
        );
        let action = PaletteAction::Shell(command.to_owned(), attempt.map(|attempt| attempt.id));
        (!command.is_empty()).then(|| PaletteRow::new(format!("run `{command}`"), place, action))
    }

    fn actions(&self, typed: &str, found: &mut Vec<PaletteMatch>) {
        let (words, task) = self.named(typed);
        let about = self.about(task);
        let needle = FuzzyQuery::new(&words);
        for entry in entries() {
            let Some(score) = self.score(entry, &needle, typed.trim()) else {
                continue;
            };
            let row = self.action_row(entry, task, &about);
            let recent = self
                .state
                .recent_actions
                .iter()
                .position(|action| *action == entry.action);
            let bonus = recent.map_or(0, |at| 30_u32.saturating_sub(u32::try_from(at).unwrap_or(30)));
            let penalty = if row.possible { 0 } else { 10 };
            found.push(((score + bonus).saturating_sub(penalty).max(1), row));
        }
    }

    /// Splits the typed text into words and the task among them: `retry dbs-3`.
    fn named(&self, typed: &str) -> (String, Option<&'a TaskId>) {
        let mut task = None;
        let mut words = Vec::new();
        for word in typed.split_whitespace() {
            let id = TaskId::from(word.trim_start_matches('@'));
            match self.scene.model.tasks.get_key_value(&id) {
                Some((id, _)) if !words.is_empty() => task = Some(id),
                _ => words.push(word),
            }
        }
        (words.join(" "), task)
    }

    fn about(&self, task: Option<&TaskId>) -> ActionTarget<'a> {
        task.map_or_else(
            || target(self.state, self.scene, self.layout),
            |id| named_target(self.scene, id),
        )
    }

    fn score(&self, entry: &ActionEntry, needle: &FuzzyQuery, typed: &str) -> Option<u32> {
        let is_key = |key: String| key == typed;
        if self.state.keymap.hint(entry.action).is_some_and(is_key) {
            return Some(200);
        }
        let words = |text: &str, bonus: u32| needle.score(text).map(|score| score + bonus);
        let synonyms = entry.synonyms.iter().filter_map(|word| words(word, 0)).max();
        let command = entry.action.command_line().and_then(|text| words(text, 4));
        let named = [words(entry.title, 20), words(entry.name, 18), synonyms, command];
        let all = format!("{} {}", entry.title, entry.synonyms.join(" "));
        named
            .into_iter()
            .flatten()
            .max()
            .or_else(|| needle.score_exact(&all))
    }

    fn tasks(&self, needle: &FuzzyQuery, found: &mut Vec<PaletteMatch>) {
        let all = self.scene.model.tasks.iter();
        let mut fitting: Vec<_> = all
            .filter_map(|(id, task)| Some((needle.score(&format!("{id} {}", task.title))?, id, task)))
            .collect();
        // Rows are made only for those that can be shown: of thousands of tasks, a single letter matches most.
        fitting.sort_by_key(|(score, ..)| std::cmp::Reverse(*score));
        found.extend(fitting.into_iter().take(MOST_ROWS).map(|(score, id, task)| {
            let (title, word) = (format!("{id}  {}", task.title), task.state.word().to_owned());
            (
                score,
                PaletteRow::new(title, word, PaletteAction::Task(id.clone())),
            )
        }));
    }

    fn places(&self, needle: &FuzzyQuery, found: &mut Vec<PaletteMatch>) {
        for (tab, pane, title) in pane_entries(self.state, self.scene) {
            if let Some(score) = needle.score(&title) {
                let action = PaletteAction::Pane(tab, pane);
                found.push((score, PaletteRow::new(title, "go there".to_owned(), action)));
            }
        }
    }

    /// Returns the row of an action on that task, or on the current target.
    fn action_row(
        &self,
        entry: &ActionEntry,
        task: Option<&TaskId>,
        target: &ActionTarget<'_>,
    ) -> PaletteRow {
        let why = unavailable_reason_for(entry.action, target, self.state, self.scene, self.layout);
        PaletteRow {
            title: task.map_or_else(|| entry.title.to_owned(), |id| format!("{} {id}", entry.title)),
            possible: why.is_none(),
            detail: why.map_or_else(|| entry.help.to_owned(), |why| format!("not now: {why}")),
            key: self.state.keymap.hint(entry.action).unwrap_or_default(),
            action: PaletteAction::Action(entry.action, task.cloned()),
        }
    }
}

/// Returns every pane of every tab, with words for it.
pub(crate) fn pane_entries(state: &UiState, scene: &Scene<'_>) -> Vec<(usize, PaneId, String)> {
    let mut at = state.clone();
    let (width, height) = state.size;
    let mut places = Vec::new();
    for tab in 0..state.tabs.len() {
        at.tab = tab;
        let title = at.tab_title();
        let layout = screen_layout(&at, scene, ratatui::layout::Rect::new(0, 0, width, height));
        for pane in layout.order {
            let text = format!("{} {title}  {}", tab + 1, pane_name(state, scene, pane));
            places.push((tab, pane, text));
        }
    }
    places
}
