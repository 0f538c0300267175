//! The views of panes. Each view is one file and one [`View`]; all of them can be split, zoomed and moved alike. Views draw and return the
//! outcome of a step; they change nothing.

use super::cache::{CacheEntry, CacheKey, CacheRequest};
use super::canvas::prelude::*;
pub use super::click_target::ClickTarget;
use super::list_filter::ListFilter;
use super::pane::PaneId;
use super::scene::Scene;
use super::screen_layout::{InputMode, ScreenLayout};
use super::state::{Pane, PaneContent, SortOrder, UiState};
use super::status::DisplayStatus;
use super::target::{ActionTarget, attempt_target, selected_target, task_target};
use crate::display::text::{clean, cut};
use crate::domain::{AttemptId, TaskId};
use crate::keymap::Direction;
use crate::keymap::{Action, ViewName};
use crate::read_model::AgentRow;

mod agents;
mod board;
mod buttons;
mod conductor;
mod copy_mode;
mod detail;
mod diff;
mod gates;
mod graph;
mod head_line;
mod inbox;
mod kanban;
mod list;
mod log;
mod metrics;
mod plan;
mod replay;
mod search;
mod sessions;
mod summary;
mod task_card;
mod terminal;
mod throughput;

pub(crate) use list::List;
pub(crate) use log::{PAGE as LOG, is_log};
pub(crate) use metrics::PAGE as METRICS;
pub(crate) use sessions::PAGE as SESSIONS;
pub(crate) use terminal::{first_row_shown, redraw_row};

/// Views that are known by name alone, and their code. A new one is a file of its own, its line here and its row in the table of actions.
static PAGES: [(ViewName, &dyn View); 7] = [
    (log::PAGE, &log::LogView),
    (log::WATCHER, &log::LogView),
    (inbox::PAGE, &inbox::InboxView),
    (metrics::PAGE, &metrics::MetricsView),
    (sessions::PAGE, &sessions::SessionsView),
    (graph::PAGE, &graph::GraphView),
    (plan::PAGE, &plan::PlanView),
];

/// Context that a view is drawn from: state, scene, pane, focus and mode.
#[derive(Clone, Copy)]
pub(crate) struct ViewContext<'a> {
    pub(crate) state: &'a UiState,
    pub(crate) scene: &'a Scene<'a>,
    pub(crate) id: PaneId,
    pub(crate) pane: &'a Pane,
    pub(crate) focused: bool,
    pub(crate) mode: InputMode,
}

impl ViewContext<'_> {
    /// Returns the text before a task's glyph: a star if it is marked.
    fn mark_of(&self, task: &TaskId) -> StyledText {
        let is_marked = self.state.marked_tasks.contains(task);
        piece(if is_marked { "*" } else { " " }, StyleRole::Key)
    }

    /// Returns the glyph of a state as the theme draws it.
    fn glyph(&self, mark: DisplayStatus) -> &'static str {
        mark.glyph(self.scene.theme.glyphs)
    }

    /// Returns as much of a foreign text as fits, with a mark where something was left out.
    fn cut(&self, text: &str, room: usize) -> String {
        cut(&clean(text), room, self.scene.theme.ellipsis())
    }

    /// Returns the key of an action and the word for its effect; `None` if it has no key.
    fn offer(&self, action: Action, word: &str) -> Option<[StyledText; 2]> {
        let key = self.state.keymap.hint(action)?;
        Some([piece(key, StyleRole::Key), plain(format!(" {word}"))])
    }

    /// Returns the key of an action as hints show it; empty if it has none.
    fn key_of(&self, action: Action) -> String {
        self.state.keymap.hint(action).unwrap_or_default()
    }

    /// Returns the filter and the order of the rows.
    fn filter(&self) -> ListFilter {
        ListFilter::for_pane(self.pane)
    }

    /// Returns the reason why data could not be fetched, as a sentence.
    fn failure(&self, key: &CacheKey) -> Option<String> {
        match self.scene.cache.get(key)? {
            CacheEntry::Failed(why) => Some(format!("Could not {why}.")),
            _ => None,
        }
    }

    /// Draws the reason why there are no rows: data that could not be fetched, that is being read, or that there are none and the way to
    /// some.
    fn draw_missing(
        &self,
        key: &CacheKey,
        area: Rect,
        what: &str,
        none: &str,
        hint: &str,
        canvas: &mut Canvas<'_>,
    ) {
        match (self.failure(key), self.scene.cache.get(key)) {
            (Some(why), _) => canvas.empty_state(area, &why, StyleRole::Failed, ""),
            (None, None) => canvas.empty_state(area, &format!("Reading the {what}."), StyleRole::Strong, ""),
            (None, Some(_)) => canvas.empty_state(area, none, StyleRole::Strong, hint),
        }
    }

    /// Returns a list for drawing rows of that many lines, with the marked row highlighted according to the focus.
    fn list<'r, T>(&self, area: Rect, row_height: u16, rows: &'r [T], marked: Option<usize>) -> List<'r, T> {
        List::new(area, row_height, rows, marked, self.chosen())
    }

    /// Returns the outcome of a movement in texts of one or two columns that are scrolled together.
    fn scroll_texts<T>(&self, movement: ViewMove, height: u16, texts: &[Vec<T>]) -> MoveOutcome {
        let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
        let most = longest.saturating_sub(usize::from(height));
        movement.rows(height).map_or(MoveOutcome::LeaveView, |rows| {
            MoveOutcome::Scrolled(scrolled(self.pane.scroll.min(most), rows, most))
        })
    }

    /// Returns the click target of the row of that number, where the view numbers its rows.
    fn row(&self, number: usize) -> ClickTarget {
        ClickTarget::Row(self.id, u64::try_from(number).unwrap_or(0))
    }

    /// Returns the number of the row that is marked.
    fn marked_row(&self) -> Option<usize> {
        self.pane.mark.and_then(|mark| usize::try_from(mark).ok())
    }

    /// Returns the role of the marked row.
    fn chosen(&self) -> StyleRole {
        if self.focused {
            StyleRole::Selected
        } else {
            StyleRole::SelectedElsewhere
        }
    }
}

/// A kind of content a pane can show, with its title, drawing and navigation.
pub(crate) trait View: Sync {
    /// Returns the title in the pane's upper line.
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText>;

    /// Returns a description of the view in a sentence or two, for the help.
    fn description(&self) -> &'static str {
        "A view in a pane: it can be split, zoomed, moved and closed like every other."
    }

    /// Returns the number of rows that match the filter, and the number of all; `None` if there are no rows to filter.
    fn match_count(&self, _ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        None
    }

    /// Returns the orders of the rows, the usual one first; none when there is only one.
    fn orders(&self) -> &'static [SortOrder] {
        &[]
    }

    /// Returns true if the view has parts to go through: files, checks.
    fn has_parts(&self) -> bool {
        false
    }

    /// Returns the target of an action in the view: the one the pane was opened for, else the selected task.
    fn target<'a>(&self, state: &UiState, scene: &Scene<'a>, _: PaneId, pane: &Pane) -> ActionTarget<'a> {
        match &pane.content {
            PaneContent::Detail(Some(id)) | PaneContent::Diff(Some(id), _) => task_target(scene, id),
            PaneContent::Attempt(id) | PaneContent::Moment(id, _) => attempt_target(scene, *id),
            _ => selected_target(state, scene),
        }
    }

    /// Returns the texts of the marked row that can be copied besides those of its task: the kind, and the text. The likeliest first.
    fn copy_items(&self, _ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns a note for the right end of the title line.
    fn title_note(&self, _ctx: &ViewContext<'_>) -> Option<StyledText> {
        None
    }

    /// Returns the requests for the data that the view shows now.
    fn cache_requests(&self, _ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        Vec::new()
    }

    /// Draws the inside of the pane; records its click targets.
    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>);

    /// Returns the outcome of a step, on a pane of that size.
    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome;
}

/// A movement inside a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewMove {
    One(Direction),
    First,
    Last,
    PageUp,
    PageDown,
    /// Number of lines forward; back when negative.
    Lines(i16),
    /// To the next part: the next file, the next check.
    Next,
    /// To the previous part.
    Previous,
}

impl ViewMove {
    /// Returns the rows forward (or back, when negative) for a page of that height; `None` for sideways steps.
    fn rows(self, height: u16) -> Option<i32> {
        let page = i32::from(height.saturating_sub(1)).max(1);
        Some(match self {
            ViewMove::One(Direction::Up) => -1,
            ViewMove::One(Direction::Down) => 1,
            ViewMove::One(Direction::Left | Direction::Right) | ViewMove::Next | ViewMove::Previous => {
                return None;
            }
            ViewMove::First => i32::MIN / 2,
            ViewMove::Last => i32::MAX / 2,
            ViewMove::PageUp => -page,
            ViewMove::PageDown => page,
            ViewMove::Lines(lines) => i32::from(lines),
        })
    }
}

/// Outcome of a movement inside a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveOutcome {
    /// Out of the view, sideways.
    LeaveView,
    Task(TaskId),
    Agent(AttemptId),
    Scrolled(usize),
    /// To that row, by the view's own number, and with that scroll position.
    Marked {
        mark: u64,
        scroll: usize,
    },
    /// Away from any row: new rows are followed.
    Unmarked,
    Nowhere,
}

/// Returns the view of a content.
pub(crate) fn view_of(content: &PaneContent) -> &'static dyn View {
    match content {
        PaneContent::Board => &board::BoardView,
        PaneContent::Agents => &agents::AgentsView,
        PaneContent::Attempt(_) | PaneContent::Shell(_) => &terminal::TerminalView,
        PaneContent::Conductor(_) => &conductor::ConductorView,
        PaneContent::Detail(_) | PaneContent::Selected => &detail::DetailView,
        PaneContent::Gates(_) => &gates::GatesView,
        PaneContent::Moment(..) => &replay::ReplayView,
        PaneContent::Past(_) => &search::SearchView,
        PaneContent::Diff(..) => &diff::DiffView,
        PaneContent::Page(page) => {
            let known = PAGES.iter().find(|(known, _)| known == page);
            known.map_or(&board::BoardView, |(_, view)| *view)
        }
    }
}

/// Returns the target of an action pressed now: that of the pane with the focus, else the selected task.
pub(crate) fn target<'a>(state: &UiState, scene: &Scene<'a>, layout: &ScreenLayout) -> ActionTarget<'a> {
    let pane = state.pane(layout.focus);
    view_of(&pane.content).target(state, scene, layout.focus, &pane)
}

/// Returns the agent that has run longest, and its time.
pub(crate) fn longest_running(scene: &Scene<'_>) -> Option<String> {
    let begun = |row: &AgentRow<'_>| row.attempt.started_at.unwrap_or(row.attempt.created_at);
    let row = scene.model.agents().min_by_key(begun)?;
    let age = scene.now.since(begun(&row));
    Some(format!("Longest running: {} {age}", row.attempt.task))
}

/// Returns a scroll position moved by that many rows, between zero and `most`.
fn scrolled(scroll: usize, rows: i32, most: usize) -> usize {
    let by = isize::try_from(rows).unwrap_or(0);
    scroll.saturating_add_signed(by).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_that_has_a_name_is_drawn_by_its_own_and_kept_by_that_name() {
        for page in ViewName::all() {
            let content = PaneContent::of(page, None);
            assert_eq!(content.title(), Some(page.title()));
            if let PaneContent::Page(page) = content {
                assert!(
                    PAGES.iter().any(|(known, _)| *known == page),
                    "{page} has no view"
                );
            }
            let kept = serde_json::to_string(&content).expect("kept");
            assert_eq!(
                serde_json::from_str::<PaneContent>(&kept).expect("taken up"),
                content
            );
        }
        assert!(serde_json::from_str::<PaneContent>("\"phases\"").is_err());
    }
}
