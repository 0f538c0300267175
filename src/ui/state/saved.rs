//! An arrangement as it is kept while no client is attached: tabs, panes and their contents. Small and versioned; an arrangement that is not
//! understood, or makes no sense, is left alone and the built-in tabs are shown.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{FinishedTasks, Pane, PaneContent, Tab, UiState, is_prefix_of};
use crate::display::FirstTab;
use crate::domain::{NoticeLevel, Timestamp};
use crate::ui::layout::TabLayout;
use crate::ui::layout::replacement;
use crate::ui::pane::PaneId;

/// Version of the format.
const VERSION: u32 = 1;

/// Title of the tab that is the first one while a plan is carried out.
const PLAN_TITLE: &str = "Plan";

/// A client's tabs and panes as they are stored while no client is attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedArrangement {
    version: u32,
    tab: usize,
    tabs: Vec<Tab>,
    panes: Vec<(PaneId, PaneContent)>,
    finished: FinishedTasks,
    /// Titles of the layouts that existed when it was kept: one that a person closed does not come back.
    known: BTreeSet<String>,
    /// Set when the hint was shown that explains how keys get past the multiplexer around the terminal.
    #[serde(default)]
    hinted: bool,
    #[serde(default)]
    theme: Option<String>,
    #[serde(default)]
    pub left: Option<Timestamp>,
}

impl UiState {
    /// Returns the current arrangement. Content that was opened in a pane for a look is not part of it.
    pub fn save_arrangement(&self) -> SavedArrangement {
        let fixed = self.panes.iter().filter(|(id, _)| matches!(id, PaneId::Fixed(_)));
        SavedArrangement {
            version: VERSION,
            tab: self.tab,
            tabs: self.tabs.clone(),
            panes: fixed
                .map(|(id, pane)| (*id, pane.own_content().clone()))
                .collect(),
            finished: self.finished,
            known: self.layouts.clone(),
            hinted: self.prefix_hint_shown,
            theme: self.theme.clone(),
            left: None,
        }
    }

    /// Shows once how keys get past the multiplexer around the terminal, if that takes our prefix for itself.
    pub fn hint_prefix_in_multiplexer(&mut self, now: Timestamp, outer: Option<&str>) {
        let prefix = self.keymap.prefix().to_string();
        let takes_it = outer.is_some_and(|outer| is_prefix_of(outer, &prefix));
        let Some(outer) = outer.filter(|_| takes_it && !self.prefix_hint_shown) else {
            return;
        };
        self.prefix_hint_shown = true;
        let other = if prefix == "C-a" { "ctrl-b" } else { "ctrl-a" };
        let text = format!(
            "dbs config keys.prefix {other}, or press {prefix} twice: {outer} takes {prefix} for itself"
        );
        self.show_toast(now, NoticeLevel::Alert, text);
    }

    /// Restores a kept arrangement; `runs` returns true for shells that still run, the others are opened again. Returns true if it was a
    /// valid one: if not, nothing has changed.
    pub fn restore_arrangement(&mut self, saved: SavedArrangement, runs: &dyn Fn(u64) -> bool) -> bool {
        let panes: BTreeMap<PaneId, Pane> = saved
            .panes
            .into_iter()
            .map(|(id, content)| (id, Pane::new(alive(content, runs))))
            .collect();
        let stands = |tab: &Tab| tab.arrangement.fixed().iter().all(|id| panes.contains_key(id));
        if saved.version != VERSION || saved.tabs.is_empty() || !saved.tabs.iter().all(stands) {
            return false;
        }
        let fresh = std::mem::replace(&mut self.tabs, saved.tabs);
        let before = std::mem::replace(&mut self.panes, panes);
        self.tab = saved.tab.min(self.tabs.len() - 1);
        self.finished = saved.finished;
        self.prefix_hint_shown |= saved.hinted;
        self.theme = saved.theme;
        // Layouts that were added since then.
        let new = fresh.into_iter().filter(|tab| !saved.known.contains(&tab.title));
        for tab in new.collect::<Vec<_>>() {
            let is_plan = tab.title == PLAN_TITLE;
            self.adopt(tab, &before);
            if is_plan {
                // A plan that has begun meanwhile is what the person comes to see.
                self.tab = self.tabs.len() - 1;
            }
        }
        true
    }

    /// Adds a tab that was made with other panes behind the others.
    fn adopt(&mut self, mut tab: Tab, panes: &BTreeMap<PaneId, Pane>) {
        let fixed = tab.arrangement.fixed().into_iter();
        let renamed = fixed.filter_map(|id| Some((id, self.add_pane(panes.get(&id)?.clone()))));
        let names = renamed.collect();
        tab.rename_panes(&names);
        self.tabs.push(tab);
    }

    /// Gives the first tab that arrangement; for a state that has just been made.
    ///
    /// # Errors
    /// Never with the built-in files; a test holds them to that.
    pub fn set_first_tab(&mut self, wanted: FirstTab) -> Result<(), super::UiStateError> {
        let Some(layout) = replacement(wanted).filter(|_| !self.tabs.is_empty()) else {
            return Ok(());
        };
        super::start::add(self, TabLayout::parse(layout)?)?;
        let replaced = self.tabs.swap_remove(0);
        self.layouts.remove(&replaced.title);
        for id in replaced.arrangement.fixed() {
            self.panes.remove(&id);
        }
        Ok(())
    }

    /// Adds a tab from the text of a layout file, or replaces the one of the same title.
    ///
    /// # Errors
    /// When the text is not a layout, or names a view that does not exist.
    pub fn add_layout(&mut self, text: &str) -> Result<(), super::UiStateError> {
        let layout = TabLayout::parse(text)?;
        let title = layout.title.clone();
        super::start::add(self, layout)?;
        let last = self.tabs.len() - 1;
        if let Some(at) = self
            .tabs
            .iter()
            .position(|tab| tab.title == title)
            .filter(|at| *at < last)
        {
            let replaced = self.tabs.swap_remove(at);
            for id in replaced.arrangement.fixed() {
                self.panes.remove(&id);
            }
        }
        Ok(())
    }
}

/// Returns the content with a shell that no longer runs replaced by one to be opened again.
fn alive(content: PaneContent, runs: &dyn Fn(u64) -> bool) -> PaneContent {
    match content {
        PaneContent::Shell(Some(number)) if !runs(number) => PaneContent::Shell(None),
        content => content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> UiState {
        let mut state = UiState::builtin((120, 40)).expect("state");
        state.set_first_tab(FirstTab::Classic).expect("built in");
        for pane in state.unopened_shells() {
            state.shell_opened(pane, 4);
        }
        state
    }

    #[test]
    fn an_arrangement_comes_back_as_it_was_kept() {
        let mut before = state();
        before.tab = 2;
        before.tabs.remove(3);
        before.finished = FinishedTasks::Shown;
        before.theme = Some("dark".to_owned());
        let text = serde_json::to_string(&before.save_arrangement()).expect("json");
        let mut after = UiState::builtin((80, 24)).expect("state");
        after.set_first_tab(FirstTab::Classic).expect("built in");
        assert!(after.restore_arrangement(serde_json::from_str(&text).expect("read"), &|number| number == 4));
        assert_eq!(after.save_arrangement(), before.save_arrangement());
        assert!(after.unopened_shells().is_empty());
    }

    #[test]
    fn the_first_tab_can_be_that_of_the_seed() {
        let mut state = UiState::builtin((120, 40)).expect("state");
        assert!(state.unopened_shells().is_empty());
        state.set_first_tab(FirstTab::Classic).expect("built in");
        let titles: Vec<&str> = state.tabs.iter().map(|tab| tab.title.as_str()).collect();
        assert_eq!(titles, ["Classic", "Agents", "Board", "Log", "Inbox", "Stats"]);
        let fixed = state.tabs.iter().flat_map(|tab| tab.arrangement.fixed());
        assert_eq!(
            fixed.collect::<BTreeSet<_>>(),
            state.panes.keys().copied().collect()
        );
        assert_eq!(state.unopened_shells().len(), 1);
        let kept = state.save_arrangement();
        let mut after = UiState::builtin((120, 40)).expect("state");
        assert!(after.restore_arrangement(kept, &|_| false));
        assert_eq!(after.tabs.last().map(|tab| tab.title.as_str()), Some("Main"));
    }

    #[test]
    fn a_pane_that_follows_the_selection_is_kept_as_that_and_not_as_what_is_selected_now() {
        let mut state = UiState::builtin((120, 40)).expect("state");
        let follows = state.panes.iter().find(|(_, pane)| pane.follows_selection);
        let id = *follows.expect("one of Main").0;
        state.pane_mut(id).content = PaneContent::Attempt(crate::domain::AttemptId(7));
        let text = serde_json::to_string(&state.save_arrangement()).expect("json");
        let mut after = UiState::builtin((120, 40)).expect("state");
        assert!(after.restore_arrangement(serde_json::from_str(&text).expect("read"), &|_| false));
        assert_eq!(after.pane(id), Pane::new(PaneContent::Selected));
        let before = state.pane_mut(id).open(PaneContent::Board);
        state.pane_mut(id).back_stack.push(before);
        assert_eq!(
            state.save_arrangement(),
            after.save_arrangement(),
            "opened for a look"
        );
    }

    #[test]
    fn a_shell_that_ended_is_opened_anew() {
        let mut after = UiState::builtin((80, 24)).expect("state");
        assert!(after.restore_arrangement(state().save_arrangement(), &|_| false));
        assert_eq!(after.unopened_shells().len(), 1);
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        let before = state().save_arrangement();
        let mut newer = before.clone();
        newer.version = 2;
        let mut torn = before.clone();
        torn.panes.pop();
        let mut none = before.clone();
        none.tabs.clear();
        for saved in [newer, torn, none] {
            let mut after = state();
            assert!(!after.restore_arrangement(saved, &|_| true));
            assert_eq!(after.save_arrangement(), before);
        }
    }

    #[test]
    fn a_layout_that_has_come_since_then_is_added_and_one_of_the_same_title_replaced() {
        let kept = state().save_arrangement();
        let mut after = state();
        after
            .add_layout("title = 'Mine'\nwide = 'graph'")
            .expect("layout");
        after
            .add_layout("title = 'Board'\nwide = 'inbox'")
            .expect("layout");
        let titles = |state: &UiState| state.tabs.iter().map(|tab| tab.title.clone()).collect::<Vec<_>>();
        assert_eq!(titles(&after)[2], "Board");
        assert_eq!(
            Some(after.pane(after.tabs[2].focus).content),
            PaneContent::named("inbox")
        );
        assert!(after.restore_arrangement(kept, &|_| true));
        assert_eq!(titles(&after).last().map(String::as_str), Some("Mine"));
        let mine = after.tabs.last().expect("tab").focus;
        assert_eq!(Some(after.pane(mine).content), PaneContent::named("graph"));
        assert!(after.add_layout("title = 'X'\nwide = 'nonsense'").is_err());
    }
}
