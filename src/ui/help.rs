//! Rows of the help for the typed text: what you see, the keys here, all keys. Computed each time by `update` and `view` alike.

use super::availability::unavailable_reason;
use super::fuzzy::FuzzyQuery;
use super::scene::Scene;
use super::screen_layout::{InputMode, ScreenLayout, mode_under_overlay};
use super::state::UiState;
use super::status::DisplayStatus;
use super::suggestions::suggested_actions;
use super::target::ActionTarget;
use super::views::view_of;
use crate::keymap::{Action, ActionEntry, ActionGroup, entries};
use crate::keymap::{KeyTable, Keymap};
use crate::read_model::ReadModel;
use strum::VariantArray as _;

/// Row of the help: a heading, a text or an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HelpRow {
    Heading(&'static str),
    Text(String),
    /// An action that can be run.
    Act(Action),
}

/// The rows for what was typed.
pub(crate) fn rows(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout, typed: &str) -> Vec<HelpRow> {
    // The key that begins a search elsewhere.
    let typed = typed.strip_prefix('/').unwrap_or(typed);
    let needle = FuzzyQuery::new(typed);
    if needle.is_empty() {
        return all(state, scene, layout);
    }
    let mut found: Vec<(u32, &ActionEntry)> = entries()
        .filter_map(|entry| Some((score(&state.keymap, entry, &needle, typed.trim())?, entry)))
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let rows: Vec<HelpRow> = found
        .into_iter()
        .map(|(_, entry)| HelpRow::Act(entry.action))
        .collect();
    if rows.is_empty() {
        return vec![HelpRow::Text(format!("Nothing is called `{typed}`. Esc clears."))];
    }
    rows
}

/// Returns the actions among the rows, in order: the places the mark can be on.
pub(crate) fn actions(rows: &[HelpRow]) -> Vec<Action> {
    rows.iter()
        .filter_map(|row| match row {
            HelpRow::Act(action) => Some(*action),
            HelpRow::Heading(_) | HelpRow::Text(_) => None,
        })
        .collect()
}

fn score(keymap: &Keymap, entry: &ActionEntry, needle: &FuzzyQuery, typed: &str) -> Option<u32> {
    if keys_of(keymap, entry.action).iter().any(|key| key == typed) {
        return Some(500);
    }
    let names = entry.synonyms.iter().chain([&entry.title, &entry.name]);
    let by_name = names.filter_map(|name| needle.score(name)).max();
    let all = || format!("{} {} {}", entry.title, entry.synonyms.join(" "), entry.help);
    by_name
        .map(|score| score + 50)
        .or_else(|| needle.score_exact(&all()))
}

fn all(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout) -> Vec<HelpRow> {
    let content = state.pane(layout.focus).content;
    let mut rows = vec![
        HelpRow::Heading("What you see"),
        HelpRow::Text(view_of(&content).description().to_owned()),
        HelpRow::Text(legend(scene)),
        HelpRow::Text(about_mode(state, mode_under_overlay(state, scene, layout.focus))),
        HelpRow::Heading("Keys here"),
    ];
    // Actions that are possible now come first.
    let (now, not_now): (Vec<_>, Vec<_>) = suggested_actions(state, scene, layout)
        .into_iter()
        .partition(|action| unavailable_reason(*action, state, scene, layout).is_none());
    rows.extend(now.into_iter().chain(not_now).map(HelpRow::Act));
    for &group in ActionGroup::VARIANTS {
        rows.push(HelpRow::Heading(group.title()));
        let of_group = entries().filter(|entry| entry.group == group);
        rows.extend(of_group.map(|entry| HelpRow::Act(entry.action)));
    }
    rows
}

/// Returns every mark with its meaning.
fn legend(scene: &Scene<'_>) -> String {
    let glyphs = scene.theme.glyphs;
    let marks = DisplayStatus::ALL.map(|mark| format!("{} {}", mark.glyph(glyphs), mark.meaning()));
    format!("Marks: {}.", marks.join(", "))
}

fn about_mode(state: &UiState, mode: InputMode) -> String {
    let prefix = state.keymap.prefix();
    match mode {
        InputMode::Type => format!(
            "TYPE: every key goes to the program, but for {prefix}; {prefix} twice sends it once. {prefix} Esc keeps the keys."
        ),
        InputMode::Look => {
            "LOOK: a terminal to look at: keys are ours and scroll it; nothing reaches its program."
                .to_owned()
        }
        InputMode::Copy => {
            "COPY: the terminal is held still; keys move over its lines, search them, select and copy."
                .to_owned()
        }
        InputMode::Nav | InputMode::Find | InputMode::Ask => {
            format!(
                "NAV: keys are ours. {prefix} and a key works everywhere, while typing to a program, too."
            )
        }
    }
}

/// Returns the shell command that would do the same as an action does now; `ID` and `TEXT` are left if nothing is known.
pub(crate) fn shell_command(action: Action, target: &ActionTarget<'_>, model: &ReadModel) -> Option<String> {
    let text = match action {
        Action::TogglePause if model.pause.is_some() => "dbs resume",
        other => other.command_line()?,
    };
    let Some(task) = target.task else {
        return Some(text.to_owned());
    };
    let priority = |by: i8| task.priority.saturating_add_signed(by).min(4);
    let text = match action {
        Action::RaisePriority => format!("dbs task update ID --priority {}", priority(-1)),
        Action::LowerPriority => format!("dbs task update ID --priority {}", priority(1)),
        Action::MergeNow => {
            let stage = model.merge_of(task).map(|stage| stage.id.as_str());
            format!("dbs task update ID --stage {}", stage.unwrap_or("merging"))
        }
        _ => text.to_owned(),
    };
    let words = text
        .split(' ')
        .map(|word| if word == "ID" { task.id.as_str() } else { word });
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Returns every key of an action: `k`, `Up`, `C-b z`.
pub(crate) fn keys_of(keymap: &Keymap, action: Action) -> Vec<String> {
    let mut keys: Vec<String> = keymap
        .keys(KeyTable::Nav, action)
        .iter()
        .map(ToString::to_string)
        .collect();
    let prefix = keymap.prefix();
    let prefixed = keymap.keys(KeyTable::Prefixed, action).iter();
    keys.extend(prefixed.map(|key| format!("{prefix} {key}")));
    keys
}
