//! From a row of a view to what it stands for: another session, what a screen showed then, another comparison.

use super::{Request, Turn};
use crate::domain::{Attempt, Worker};
use crate::read_model::SessionState;
use crate::ui::arrange::Arranged;
use crate::ui::shelf::Against;
use crate::ui::state::Content;
use crate::ui::target::marked_session;

impl Turn<'_, '_> {
    /// To the session that is marked; what runs here goes on.
    pub(super) fn switch_session(&mut self, arranged: &Arranged) {
        let mark = self.state.pane(arranged.focus).mark;
        match marked_session(mark, self.scene) {
            Some((_, row)) if row.state == SessionState::Here => {
                self.warn("open: you are in that session already");
            }
            Some((_, row)) => self.ask(Request::Switch(row.root.clone())),
            None => {}
        }
    }

    /// From a line of the log to what the agent's screen showed then.
    pub(super) fn visit_moment(&mut self, arranged: &Arranged) {
        let mark = self.state.pane(arranged.focus).mark;
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
            (Some(attempt), _) => self.show(arranged.focus, Content::Moment(attempt, at)),
            (None, Some(task)) => self.show(arranged.focus, Content::Detail(Some(task.clone()))),
            (None, None) => self.warn("open: no agent was at work on that"),
        }
    }

    /// Differences against the base become those since the last review, and back.
    pub(super) fn compare_otherwise(&mut self, arranged: &Arranged) {
        let pane = self.state.pane_mut(arranged.focus);
        if let Content::Diff(task, against) = &pane.content {
            let other = match against {
                Against::Base => Against::Review,
                Against::Review => Against::Base,
            };
            let content = Content::Diff(task.clone(), other);
            pane.turn_to(content);
        }
    }
}
