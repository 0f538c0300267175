//! From a row of a view to its subject: another session, the screen at that time, another comparison.

use super::{UiRequest, UpdateContext};
use crate::domain::{Attempt, Worker};
use crate::read_model::SessionState;
use crate::ui::cache::{CacheEntry, CacheKey, DiffBase};
use crate::ui::scene::ScreenId;
use crate::ui::screen_layout::ScreenLayout;
use crate::ui::state::PaneContent;
use crate::ui::target::marked_session;
use crate::ui::terminal_search::{is_same_line, match_columns};

impl UpdateContext<'_, '_> {
    /// Switches to the marked session; everything that runs here continues.
    pub(super) fn switch_session(&mut self, layout: &ScreenLayout) {
        match marked_session(&self.state.pane(layout.focus), self.scene) {
            Some((_, row)) if row.state == SessionState::Here => {
                self.warn("open: you are in that session already");
            }
            Some((_, row)) => self.ask(UiRequest::SwitchSession(row.root.clone())),
            None => {}
        }
    }

    /// Opens the agent's screen at the time of a line of the log.
    pub(super) fn open_replay(&mut self, layout: &ScreenLayout) {
        let mark = self.state.pane(layout.focus).mark;
        let Some(line) = self.scene.log.iter().find(|line| Some(line.seq) == mark) else {
            return;
        };
        let at = line.at;
        let worked = |attempt: &Attempt| {
            line.notice.task.as_ref() == Some(&attempt.task)
                && attempt.created_at <= at
                && attempt.ended_at.is_none_or(|end| at <= end)
                && matches!(attempt.worker, Worker::Agent { .. })
        };
        let mut attempts = self.scene.model.attempts.values();
        let attempt = line.notice.attempt;
        let attempt = attempt.or_else(|| {
            attempts
                .rfind(|attempt| worked(attempt))
                .map(|attempt| attempt.id)
        });
        match (attempt, &line.notice.task) {
            (Some(attempt), _) => self.show(layout.focus, PaneContent::Moment(attempt, at)),
            (None, Some(task)) => self.show(layout.focus, PaneContent::Detail(Some(task.clone()))),
            (None, None) => self.warn("open: no agent was at work on that"),
        }
    }

    /// Goes from a matching line to its place: in the terminal's memory, else on its screen as it was then.
    pub(super) fn open_match(&mut self, words: &str, layout: &ScreenLayout) {
        let mark = self.state.pane(layout.focus).mark.unwrap_or(0);
        let key = CacheKey::Search(words.trim().to_owned());
        let Some(CacheEntry::Search(found)) = self.scene.cache.get(&key) else {
            return;
        };
        let nth = usize::try_from(mark).unwrap_or(usize::MAX);
        let nth = nth.min(found.lines().count().saturating_sub(1));
        let Some((of, line)) = found.lines().nth(nth) else {
            return;
        };
        let (screen, at, text) = (of.screen, line.at, line.text.clone());
        let there = self.find_in_scrollback(screen, words.trim(), &text);
        match (there, screen) {
            (Some(line), _) => self.enter_copy_mode_at(screen, line, words.trim(), layout),
            (None, ScreenId::Attempt(attempt)) => self.show(layout.focus, PaneContent::Moment(attempt, at)),
            (None, _) if self.scene.screens.has(screen) => {
                self.warn("open: that line is in its log only; copy mode reads older lines at its beginning");
                self.visit_screen(screen, layout);
            }
            (None, _) => self.warn("open: that terminal is not there any more"),
        }
    }

    /// Returns the newest line of a terminal's memory with that text.
    fn find_in_scrollback(&self, screen: ScreenId, words: &str, text: &str) -> Option<usize> {
        let still = self.scene.screens.read(screen, |screen| screen.scrollback())?;
        still.lines.iter().rposition(|shown| {
            is_same_line(&shown.text, text) && !match_columns(&shown.text, words).is_empty()
        })
    }

    /// Goes to a terminal and holds it still with the cursor on the words in that line.
    fn enter_copy_mode_at(&mut self, screen: ScreenId, line: usize, words: &str, layout: &ScreenLayout) {
        self.visit_screen(screen, layout);
        let layout = self.arranged();
        if !self.enter_copy_mode(&layout, None) {
            return;
        }
        let height = self.height();
        if let Some(copying) = self.state.copy_mode.as_mut().filter(|held| held.screen == screen) {
            let text = copying
                .scrollback
                .line(line)
                .map_or("", |line| line.text.as_str());
            let column = match_columns(text, words).first().map_or(0, |(from, _)| *from);
            copying.cursor = (line.min(copying.scrollback.last_line()), column);
            copying.search = (words.to_owned(), true);
            copying.reveal(height);
        }
    }

    /// Goes to a terminal: where it is shown already, else here.
    fn visit_screen(&mut self, screen: ScreenId, layout: &ScreenLayout) {
        let content = match screen {
            ScreenId::Attempt(attempt) => return self.visit_agent(attempt, layout),
            ScreenId::Shell(number) => PaneContent::Shell(Some(number)),
        };
        self.push_back_stack(layout);
        match self.find_pane(&|pane| pane.content == content) {
            Some((tab, pane)) => self.go_to_pane(tab, pane),
            None => self.show(layout.focus, content),
        }
    }

    /// Switches from differences against the base to those since the last review, and back.
    pub(super) fn toggle_diff_base(&mut self, layout: &ScreenLayout) {
        let pane = self.state.pane_mut(layout.focus);
        if let PaneContent::Diff(task, against) = &pane.content {
            let other = match against {
                DiffBase::Base => DiffBase::Review,
                DiffBase::Review => DiffBase::Base,
            };
            let content = PaneContent::Diff(task.clone(), other);
            pane.open(content);
            self.relayout();
        }
    }
}
