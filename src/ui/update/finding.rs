//! Keys while words are written that a list or a terminal is searched for. Every key searches anew.

use crossterm::event::KeyCode;

use super::Turn;
use crate::ui::action::Action;
use crate::ui::arrange::Arranged;
use crate::ui::chord::Chord;
use crate::ui::line::Line;
use crate::ui::pane::Direction;
use crate::ui::state::{Content, Finding, Goal, Hands, Overlay};
use crate::ui::views::{Step, is_log, view_of};

impl Turn<'_, '_> {
    /// Begins to search: the terminal with the focus, held still for it, else the list.
    pub(super) fn find(&mut self, onward: bool, arranged: &Arranged) {
        let pane = self.state.pane(arranged.focus);
        let terminal = pane.content.screen().is_some_and(|id| self.scene.screens.has(id));
        if self.copying(arranged).is_none() && terminal {
            self.hold_still(arranged, None);
        }
        if let Content::Past(words) = &pane.content {
            let line = Line::of(words.clone());
            self.state.overlay = Some(Overlay::Find(Finding {
                line,
                goal: Goal::Past,
            }));
            return;
        }
        if !terminal && self.copying(arranged).is_none() && !self.has_rows(arranged) {
            let key = self.state.keymap.hint(Action::FindEverywhere).unwrap_or_default();
            return self.warn(format!(
                "find: there are no rows here; {key} searches what all agents have shown"
            ));
        }
        let (line, goal) = match self.copying(arranged) {
            Some(copying) => (
                Line::default(),
                Goal::Still {
                    onward,
                    from: copying.at,
                },
            ),
            None => (Line::of(pane.filter), Goal::List),
        };
        self.state.overlay = Some(Overlay::Find(Finding { line, goal }));
    }

    /// Whether the view with the focus has rows that can be searched.
    fn has_rows(&self, arranged: &Arranged) -> bool {
        let pane = self.state.pane(arranged.focus);
        view_of(&pane.content)
            .found(&self.look(&pane, arranged))
            .is_some()
    }

    /// The next order that the rows of a list can stand in.
    pub(super) fn sort(&mut self, arranged: &Arranged) {
        let pane = self.state.pane_mut(arranged.focus);
        let orders = view_of(&pane.content).orders();
        let at = orders.iter().position(|order| *order == pane.order);
        let next = at.map_or(0, |at| (at + 1) % orders.len());
        match orders.get(next) {
            Some(order) => pane.order = *order,
            None => self.warn("sort: what is shown here has one order only"),
        }
    }

    /// Begins to search what all terminals have shown: in the pane that does so already, else here, to be left with `Back`.
    pub(super) fn find_everywhere(&mut self, words: String, arranged: &Arranged) {
        self.state.hands = Hands::Ours;
        match self.showing(&|pane| matches!(pane.content, Content::Past(_))) {
            Some(place) => {
                self.remember(arranged);
                self.go(place);
            }
            None => self.show(arranged.focus, Content::Past(String::new())),
        }
        let focus = self.arranged().focus;
        let pane = self.state.pane_mut(focus);
        if !words.is_empty() {
            pane.content = Content::Past(words);
            (pane.mark, pane.scroll) = (None, 0);
        }
        let line = match &pane.content {
            Content::Past(words) => Line::of(words.clone()),
            _ => Line::default(),
        };
        self.state.overlay = Some(Overlay::Find(Finding {
            line,
            goal: Goal::Past,
        }));
    }

    pub(super) fn find_key(&mut self, mut finding: Finding, chord: Chord) -> Option<Overlay> {
        match chord.code() {
            KeyCode::Enter => {
                self.keep(&finding);
                return None;
            }
            KeyCode::Esc => {
                self.give_up(&finding);
                return None;
            }
            _ if chord.is_control('c') || chord.is_control('g') => {
                self.give_up(&finding);
                return None;
            }
            KeyCode::Tab if finding.goal != Goal::Past => {
                self.give_up(&finding);
                self.state.copying = None;
                let arranged = self.arranged();
                self.find_everywhere(finding.line.text().to_owned(), &arranged);
                return self.state.overlay.take();
            }
            KeyCode::Up => self.step_found(Step::One(Direction::Up)),
            KeyCode::Down => self.step_found(Step::One(Direction::Down)),
            _ => {
                finding.line.key(chord);
                self.look_for(&finding);
            }
        }
        Some(Overlay::Find(finding))
    }

    /// Searches for what is written so far.
    pub(super) fn look_for(&mut self, finding: &Finding) {
        let focus = self.arranged().focus;
        let words = finding.line.text();
        match finding.goal {
            Goal::List => {
                let pane = self.state.pane_mut(focus);
                words.clone_into(&mut pane.filter);
                pane.scroll = 0;
                // The log goes on following; in other lists what is marked is one of those that match.
                if !is_log(&pane.content) {
                    self.step_found(Step::Lines(0));
                }
            }
            Goal::Past => {
                let pane = self.state.pane_mut(focus);
                pane.content = Content::Past(words.to_owned());
                (pane.mark, pane.scroll) = (None, 0);
            }
            Goal::Still { onward, from } => {
                let height = self.height();
                if let Some(copying) = &mut self.state.copying {
                    copying.sought = (words.to_owned(), onward);
                    // What is already at the place where the search began counts.
                    let here = match (onward, from.1.checked_sub(1)) {
                        (true, Some(column)) => (from.0, column),
                        _ => from,
                    };
                    let found = (!words.is_empty())
                        .then(|| copying.still.find(words, here, onward))
                        .flatten();
                    copying.at = found.unwrap_or(from);
                    copying.reveal(height);
                }
            }
        }
    }

    fn keep(&mut self, finding: &Finding) {
        let words = finding.line.text().to_owned();
        if let (Goal::Still { .. }, Some(copying)) = (finding.goal, &self.state.copying)
            && !words.is_empty()
            && !copying.still.holds(&words)
        {
            self.warn(format!("`{words}` does not occur in what is in memory"));
            let arranged = self.arranged();
            self.ask_older(&arranged);
        }
    }

    fn give_up(&mut self, finding: &Finding) {
        let height = self.height();
        match finding.goal {
            Goal::List => {
                let focus = self.arranged().focus;
                self.state.pane_mut(focus).filter.clear();
            }
            Goal::Past => {}
            Goal::Still { from, .. } => {
                if let Some(copying) = &mut self.state.copying {
                    copying.at = from;
                    copying.sought.0.clear();
                    copying.reveal(height);
                }
            }
        }
    }

    /// A step in the list that is searched.
    pub(super) fn step_found(&mut self, step: Step) {
        let arranged = self.arranged();
        if self.copying(&arranged).is_none() {
            self.step(arranged.focus, step, &arranged);
        }
    }
}
