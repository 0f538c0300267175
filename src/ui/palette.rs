//! What the palette lists for what was typed: actions, tasks, panes. Computed anew from state and scene by `update` and `view`
//! alike; nothing is run here.

use super::action::{Action, ActionEntry, entries};
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

mod arguments;

/// Most rows that are listed; the best come first.
const MOST_ROWS: usize = 100;
/// Rows while nothing was typed (A7).
const LIKELY: usize = 10;

/// One row of the command palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaletteRow {
    pub(crate) title: String,
    /// What it does, or why it is not possible now.
    pub(crate) detail: String,
    pub(crate) key: String,
    pub(crate) possible: bool,
    pub(crate) action: PaletteAction,
}

/// What choosing a row of the command palette does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PaletteAction {
    Action(Action, Option<TaskId>),
    Task(TaskId),
    Pane(usize, PaneId),
    /// Look for those words in what all terminals have shown.
    Search(String),
    Log(u64),
    /// Run that in a shell: where the agent of that task works, else in the project's folder.
    Shell(String, Option<AttemptId>),
}

/// The marks that narrow the list when one is typed first, what each lists, and what is to be written behind it.
pub(crate) const MARKS: [(&str, &str, &str); 5] = [
    (">", "actions", "ACTION"),
    ("@", "tasks", "TASK"),
    ("#", "panes", "PANE"),
    ("/", "history", "WORDS"),
    ("!", "shell", "COMMAND"),
];

/// The rows for what was typed, the best first.
pub(crate) fn rows(
    state: &UiState,
    scene: &Scene<'_>,
    arranged: &ScreenLayout,
    typed: &str,
) -> Vec<PaletteRow> {
    let mark = MARKS.iter().find(|(mark, ..)| typed.starts_with(mark));
    let (mark, rest) = mark.map_or(("", typed), |(mark, ..)| typed.split_at(mark.len()));
    let list = PaletteBuilder {
        state,
        scene,
        arranged,
    };
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
    found.sort_by_key(|found| std::cmp::Reverse(found.score));
    found.truncate(MOST_ROWS);
    found.into_iter().map(|found| list.row(found.what)).collect()
}

/// How what was typed could go on: the marked row spelled out, and what may be written behind it.
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

/// The row that Tab spells out: the marked one, or, when that is spelled out already, the same action on the first task.
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

/// What Tab makes of what was typed: the marked row spelled out.
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

struct PaletteMatch<'a> {
    score: u32,
    what: PaletteItem<'a>,
}

/// A candidate row of the palette before its text is built.
enum PaletteItem<'a> {
    Action(&'static ActionEntry, Option<&'a TaskId>),
    Task(&'a TaskId),
    Pane(usize, PaneId, String),
}

struct PaletteBuilder<'a> {
    state: &'a UiState,
    scene: &'a Scene<'a>,
    arranged: &'a ScreenLayout,
}

impl<'a> PaletteBuilder<'a> {
    /// What was run last, then what the place suggests, as far as it is possible.
    fn likely(&self) -> Vec<PaletteRow> {
        let mut actions: Vec<Action> = Vec::new();
        for action in self
            .state
            .recent_actions
            .iter()
            .copied()
            .chain(suggested_actions(self.state, self.scene, self.arranged))
            .chain(ANYWHERE)
        {
            if !actions.contains(&action) && action != Action::Palette {
                actions.push(action);
            }
        }
        let entries = actions.into_iter().filter_map(Action::entry);
        let rows = entries.map(|entry| self.row(PaletteItem::Action(entry, None)));
        rows.filter(|row| row.possible).take(LIKELY).collect()
    }

    /// The words in all agents' history, and lines of the log that hold them, the newest first.
    fn text(&self, words: &str) -> Vec<PaletteRow> {
        let mut rows = Vec::new();
        if is_searchable(words) {
            rows.push(PaletteRow {
                title: format!("find `{words}`"),
                detail: "in what all agents have shown".to_owned(),
                key: self.state.keymap.hint(Action::FindEverywhere).unwrap_or_default(),
                possible: true,
                action: PaletteAction::Search(words.to_owned()),
            });
        }
        let needle = FuzzyQuery::new(words);
        let lines = self.scene.log.iter().rev();
        let lines =
            lines.filter(|line| !needle.is_empty() && needle.score_exact(&line.notice.text).is_some());
        rows.extend(lines.take(MOST_ROWS).map(|line| PaletteRow {
            title: line.notice.text.clone(),
            detail: format!("{} ago, in the log", self.scene.now.since(line.at)),
            key: String::new(),
            possible: true,
            action: PaletteAction::Log(line.seq),
        }));
        rows
    }

    /// A command for a shell, and where it would run.
    fn shell(&self, command: &str) -> Option<PaletteRow> {
        let attempt = target(self.state, self.scene, self.arranged).attempt;
        let attempt = attempt.filter(|attempt| attempt.workplace.is_some());
        (!command.is_empty()).then(|| PaletteRow {
            title: format!("run `{command}`"),
            detail: attempt.map_or_else(
                || "in the project's folder".to_owned(),
                |attempt| format!("where {} works on {}", attempt.worker.name(), attempt.task),
            ),
            key: String::new(),
            possible: true,
            action: PaletteAction::Shell(command.to_owned(), attempt.map(|attempt| attempt.id)),
        })
    }

    fn actions(&self, typed: &str, found: &mut Vec<PaletteMatch<'a>>) {
        let (words, task) = self.named(typed);
        let about = self.about(task);
        let needle = FuzzyQuery::new(&words);
        for entry in entries() {
            let Some(score) = self.score(entry, &needle, typed.trim()) else {
                continue;
            };
            let impossible =
                unavailable_reason_for(entry.action, &about, self.state, self.scene, self.arranged).is_some();
            let recent = self
                .state
                .recent_actions
                .iter()
                .position(|action| *action == entry.action);
            let bonus = recent.map_or(0, |at| 30_u32.saturating_sub(u32::try_from(at).unwrap_or(30)));
            let penalty = if impossible { 10 } else { 0 };
            found.push(PaletteMatch {
                score: (score + bonus).saturating_sub(penalty).max(1),
                what: PaletteItem::Action(entry, task),
            });
        }
    }

    /// Words, and the task among them: `retry dbs-3`.
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
            || target(self.state, self.scene, self.arranged),
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

    fn tasks(&self, needle: &FuzzyQuery, found: &mut Vec<PaletteMatch<'a>>) {
        for (id, task) in &self.scene.model.tasks {
            if let Some(score) = needle.score(&format!("{id} {}", task.title)) {
                let what = PaletteItem::Task(id);
                found.push(PaletteMatch { score, what });
            }
        }
    }

    fn places(&self, needle: &FuzzyQuery, found: &mut Vec<PaletteMatch<'a>>) {
        for (tab, pane, title) in pane_entries(self.state, self.scene) {
            if let Some(score) = needle.score(&title) {
                let what = PaletteItem::Pane(tab, pane, title);
                found.push(PaletteMatch { score, what });
            }
        }
    }

    fn row(&self, what: PaletteItem<'_>) -> PaletteRow {
        match what {
            PaletteItem::Action(entry, task) => self.action_row(entry, task),
            PaletteItem::Task(id) => self.task_row(id),
            PaletteItem::Pane(tab, pane, title) => PaletteRow {
                title,
                detail: "go there".to_owned(),
                key: String::new(),
                possible: true,
                action: PaletteAction::Pane(tab, pane),
            },
        }
    }

    fn action_row(&self, entry: &ActionEntry, task: Option<&TaskId>) -> PaletteRow {
        let about = self.about(task);
        let why = unavailable_reason_for(entry.action, &about, self.state, self.scene, self.arranged);
        let title = task.map_or_else(|| entry.title.to_owned(), |id| format!("{} {id}", entry.title));
        PaletteRow {
            title,
            possible: why.is_none(),
            detail: why.map_or_else(|| entry.help.to_owned(), |why| format!("not now: {why}")),
            key: self.state.keymap.hint(entry.action).unwrap_or_default(),
            action: PaletteAction::Action(entry.action, task.cloned()),
        }
    }

    fn task_row(&self, id: &TaskId) -> PaletteRow {
        let task = self.scene.model.tasks.get(id);
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        let word = task.map(|task| task.state.word()).unwrap_or_default();
        PaletteRow {
            title: format!("{id}  {title}"),
            detail: word.to_owned(),
            key: String::new(),
            possible: true,
            action: PaletteAction::Task(id.clone()),
        }
    }
}

/// Every pane of every tab, with words for it.
pub(crate) fn pane_entries(state: &UiState, scene: &Scene<'_>) -> Vec<(usize, PaneId, String)> {
    let mut at = state.clone();
    let (width, height) = state.size;
    let mut places = Vec::new();
    for tab in 0..state.tabs.len() {
        at.tab = tab;
        let title = at.current_tab().map(|tab| tab.title.clone()).unwrap_or_default();
        let arranged = screen_layout(&at, scene, ratatui::layout::Rect::new(0, 0, width, height));
        for pane in arranged.order {
            let text = format!("{} {title}  {}", tab + 1, pane_name(state, scene, pane));
            places.push((tab, pane, text));
        }
    }
    places
}
