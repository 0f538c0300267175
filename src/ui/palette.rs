//! What the palette lists for what was typed: actions, tasks, panes. Computed anew from state and scene by `update` and `view`
//! alike; nothing is run here.

use super::action::{Action, Entry, entries};
use super::arrange::{Arranged, arrange};
use super::fuzzy::Needle;
use super::likely::{ANYWHERE, likely};
use super::names::pane_name;
use super::pane::PaneId;
use super::past::is_enough;
use super::possible::why_not_about;
use super::scene::Scene;
use super::state::State;
use super::target::{Target, of_named};
use super::views::target;
use crate::domain::{AttemptId, TaskId};

mod arguments;

/// Most rows that are listed; the best come first.
const MOST_ROWS: usize = 100;
/// Rows while nothing was typed (A7).
const LIKELY: usize = 10;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) title: String,
    /// What it does, or why it is not possible now.
    pub(crate) detail: String,
    /// Its key, if it has one.
    pub(crate) key: String,
    pub(crate) possible: bool,
    pub(crate) run: Run,
}

/// What a row does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Run {
    /// That action; on that task when one was named.
    Action(Action, Option<TaskId>),
    /// To that task.
    Task(TaskId),
    /// To that pane of that tab.
    Place(usize, PaneId),
    /// Look for those words in what all terminals have shown.
    Past(String),
    /// To that line of the log.
    Log(u64),
    /// Run that in a shell: where the agent of that task works, else in the project's folder.
    Shell(String, Option<AttemptId>),
}

/// What kinds of rows are wanted: the mark typed first says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    All,
    Actions,
    Tasks,
    Places,
    Text,
    Shell,
}

/// The marks that narrow the list, and what each leaves.
pub(crate) const MARKS: [(&str, &str); 5] = [
    (">", "actions"),
    ("@", "tasks"),
    ("#", "panes"),
    ("/", "history"),
    ("!", "shell"),
];

fn kind(typed: &str) -> (Kind, &str) {
    let kinds = [
        (">", Kind::Actions),
        ("@", Kind::Tasks),
        ("#", Kind::Places),
        ("/", Kind::Text),
        ("!", Kind::Shell),
    ];
    for (mark, kind) in kinds {
        if let Some(rest) = typed.strip_prefix(mark) {
            return (kind, rest);
        }
    }
    (Kind::All, typed)
}

/// The rows for what was typed, the best first.
pub(crate) fn rows(state: &State, scene: &Scene<'_>, arranged: &Arranged, typed: &str) -> Vec<Row> {
    let (kind, rest) = kind(typed);
    let list = List {
        state,
        scene,
        arranged,
    };
    if kind == Kind::All && rest.trim().is_empty() {
        return list.likely();
    }
    match kind {
        Kind::Text => return list.text(rest.trim()),
        Kind::Shell => return list.shell(rest.trim()).into_iter().collect(),
        Kind::All | Kind::Actions | Kind::Tasks | Kind::Places => {}
    }
    let mut found = Vec::new();
    if matches!(kind, Kind::All | Kind::Actions) {
        list.actions(rest, &mut found);
        list.arguments(rest, &mut found);
    }
    let needle = Needle::new(rest);
    if matches!(kind, Kind::All | Kind::Tasks) {
        list.tasks(&needle, &mut found);
    }
    if matches!(kind, Kind::All | Kind::Places) {
        list.places(&needle, &mut found);
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.score));
    found.truncate(MOST_ROWS);
    found.into_iter().map(|found| list.row(found.what)).collect()
}

/// How what was typed could go on: the marked row spelled out, and what may be written behind it.
pub(crate) fn hinted(typed: &str, row: &Row) -> Option<String> {
    let alone = arguments::AFTER_MARKS.iter().find(|(mark, _)| *mark == typed);
    let (whole, rest) = match alone {
        Some((mark, rest)) => ((*mark).to_owned(), *rest),
        None => (completed(row), arguments::argument(&row.run).unwrap_or_default()),
    };
    let head = whole.get(..typed.len())?;
    let tail = whole.get(typed.len()..)?;
    head.eq_ignore_ascii_case(typed).then(|| format!("{tail}{rest}"))
}

/// The row that Tab spells out: the marked one, or, when that is spelled out already, the same action on the first task.
pub(crate) fn next_completed<'a>(rows: &'a [Row], marked: usize, typed: &str) -> Option<&'a Row> {
    let row = rows.get(marked)?;
    if completed(row) != typed {
        return Some(row);
    }
    let Run::Action(action, None) = row.run else {
        return Some(row);
    };
    let on_task = |row: &&Row| matches!(row.run, Run::Action(other, Some(_)) if other == action);
    rows.iter().find(on_task).or(Some(row))
}

/// What Tab makes of what was typed: the marked row spelled out.
pub(crate) fn completed(row: &Row) -> String {
    match &row.run {
        Run::Action(action, task) => {
            let title = action.entry().map_or("", |entry| entry.title);
            task.as_ref()
                .map_or_else(|| format!("{title} "), |task| format!("{title} {task}"))
        }
        Run::Task(id) => format!("@{id}"),
        Run::Place(..) => format!("#{}", row.title),
        Run::Past(words) => format!("/{words}"),
        Run::Log(_) => format!("/{}", row.title),
        Run::Shell(command, _) => format!("!{command}"),
    }
}

struct Found<'a> {
    score: u32,
    what: What<'a>,
}

/// A row before it is spelled out: of ten thousand only a hundred are.
enum What<'a> {
    Action(&'static Entry, Option<&'a TaskId>),
    Task(&'a TaskId),
    Place(usize, PaneId, String),
}

struct List<'a> {
    state: &'a State,
    scene: &'a Scene<'a>,
    arranged: &'a Arranged,
}

impl<'a> List<'a> {
    /// What was run last, then what the place suggests, as far as it is possible.
    fn likely(&self) -> Vec<Row> {
        let mut actions: Vec<Action> = Vec::new();
        for action in self
            .state
            .recent
            .iter()
            .copied()
            .chain(likely(self.state, self.scene, self.arranged))
            .chain(ANYWHERE)
        {
            if !actions.contains(&action) && action != Action::Palette {
                actions.push(action);
            }
        }
        let entries = actions.into_iter().filter_map(Action::entry);
        let rows = entries.map(|entry| self.row(What::Action(entry, None)));
        rows.filter(|row| row.possible).take(LIKELY).collect()
    }

    /// The words in all agents' history, and lines of the log that hold them, the newest first.
    fn text(&self, words: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        if is_enough(words) {
            rows.push(Row {
                title: format!("find `{words}`"),
                detail: "in what all agents have shown".to_owned(),
                key: self.state.keymap.hint(Action::FindEverywhere).unwrap_or_default(),
                possible: true,
                run: Run::Past(words.to_owned()),
            });
        }
        let needle = Needle::new(words);
        let lines = self.scene.log.iter().rev();
        let lines = lines.filter(|line| !needle.is_empty() && needle.whole(&line.notice.text).is_some());
        rows.extend(lines.take(MOST_ROWS).map(|line| Row {
            title: line.notice.text.clone(),
            detail: format!("{} ago, in the log", self.scene.now.since(line.at)),
            key: String::new(),
            possible: true,
            run: Run::Log(line.seq),
        }));
        rows
    }

    /// A command for a shell, and where it would run.
    fn shell(&self, command: &str) -> Option<Row> {
        let attempt = target(self.state, self.scene, self.arranged).attempt;
        let attempt = attempt.filter(|attempt| attempt.workplace.is_some());
        (!command.is_empty()).then(|| Row {
            title: format!("run `{command}`"),
            detail: attempt.map_or_else(
                || "in the project's folder".to_owned(),
                |attempt| format!("where {} works on {}", attempt.worker.name(), attempt.task),
            ),
            key: String::new(),
            possible: true,
            run: Run::Shell(command.to_owned(), attempt.map(|attempt| attempt.id)),
        })
    }

    fn actions(&self, typed: &str, found: &mut Vec<Found<'a>>) {
        let (words, task) = self.named(typed);
        let about = self.about(task);
        let needle = Needle::new(&words);
        for entry in entries() {
            let Some(score) = self.score(entry, &needle, typed.trim()) else {
                continue;
            };
            let impossible =
                why_not_about(entry.action, &about, self.state, self.scene, self.arranged).is_some();
            let recent = self
                .state
                .recent
                .iter()
                .position(|action| *action == entry.action);
            let bonus = recent.map_or(0, |at| 30_u32.saturating_sub(u32::try_from(at).unwrap_or(30)));
            found.push(Found {
                score: (score + bonus)
                    .saturating_sub(if impossible { 10 } else { 0 })
                    .max(1),
                what: What::Action(entry, task),
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

    fn about(&self, task: Option<&TaskId>) -> Target<'a> {
        task.map_or_else(
            || target(self.state, self.scene, self.arranged),
            |id| of_named(self.scene, id),
        )
    }

    fn score(&self, entry: &Entry, needle: &Needle, typed: &str) -> Option<u32> {
        let is_key = |key: String| key == typed;
        if self.state.keymap.hint(entry.action).is_some_and(is_key) {
            return Some(200);
        }
        let words = |text: &str, bonus: u32| needle.score(text).map(|score| score + bonus);
        let synonyms = entry.synonyms.iter().filter_map(|word| words(word, 0)).max();
        let command = entry.action.command_line().and_then(|text| words(text, 4));
        let named = [words(entry.title, 20), words(entry.name, 18), synonyms, command];
        let all = format!("{} {}", entry.title, entry.synonyms.join(" "));
        named.into_iter().flatten().max().or_else(|| needle.whole(&all))
    }

    fn tasks(&self, needle: &Needle, found: &mut Vec<Found<'a>>) {
        let mut text = String::new();
        for (id, task) in &self.scene.model.tasks {
            text.clear();
            text.push_str(id.as_str());
            text.push(' ');
            text.push_str(&task.title);
            if let Some(score) = needle.score(&text) {
                let what = What::Task(id);
                found.push(Found { score, what });
            }
        }
    }

    fn places(&self, needle: &Needle, found: &mut Vec<Found<'a>>) {
        for (tab, pane, title) in places(self.state, self.scene) {
            if let Some(score) = needle.score(&title) {
                let what = What::Place(tab, pane, title);
                found.push(Found { score, what });
            }
        }
    }

    fn row(&self, what: What<'_>) -> Row {
        match what {
            What::Action(entry, task) => self.action_row(entry, task),
            What::Task(id) => self.task_row(id),
            What::Place(tab, pane, title) => Row {
                title,
                detail: "go there".to_owned(),
                key: String::new(),
                possible: true,
                run: Run::Place(tab, pane),
            },
        }
    }

    fn action_row(&self, entry: &Entry, task: Option<&TaskId>) -> Row {
        let about = self.about(task);
        let why = why_not_about(entry.action, &about, self.state, self.scene, self.arranged);
        let title = task.map_or_else(|| entry.title.to_owned(), |id| format!("{} {id}", entry.title));
        Row {
            title,
            possible: why.is_none(),
            detail: why.map_or_else(|| entry.help.to_owned(), |why| format!("not now: {why}")),
            key: self.state.keymap.hint(entry.action).unwrap_or_default(),
            run: Run::Action(entry.action, task.cloned()),
        }
    }

    fn task_row(&self, id: &TaskId) -> Row {
        let task = self.scene.model.tasks.get(id);
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        let word = task.map(|task| task.state.word()).unwrap_or_default();
        Row {
            title: format!("{id}  {title}"),
            detail: word.to_owned(),
            key: String::new(),
            possible: true,
            run: Run::Task(id.clone()),
        }
    }
}

/// Every pane of every tab, with words for it.
pub(crate) fn places(state: &State, scene: &Scene<'_>) -> Vec<(usize, PaneId, String)> {
    let mut at = state.clone();
    let (width, height) = state.size;
    let mut places = Vec::new();
    for tab in 0..state.tabs.len() {
        at.tab = tab;
        let title = at.here().map(|tab| tab.title.clone()).unwrap_or_default();
        let arranged = arrange(&at, scene, ratatui::layout::Rect::new(0, 0, width, height));
        for pane in arranged.order {
            let text = format!("{} {title}  {}", tab + 1, pane_name(state, scene, pane));
            places.push((tab, pane, text));
        }
    }
    places
}
