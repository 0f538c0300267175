//! Reports of an agent without an interface about itself: its activity as records in its terminal, and its usage. Pure.

use std::collections::BTreeMap;

use crate::adapters::agents::status_record;
use crate::agent_state::{AgentReport, Doing, Meter, Seen, Wait, Work};
use crate::domain::ContextFill;
use crate::protocol::hooks::UsageFigures;

/// Everything that was reported so far, as far as it counts.
#[derive(Debug)]
pub(super) struct HeadlessState {
    doing: Doing,
    /// Waits of the agent, by the id of the request.
    waits: BTreeMap<String, Wait>,
    shown: Option<Doing>,
    meter: Meter,
    told: UsageFigures,
}

impl HeadlessState {
    pub(super) fn new() -> HeadlessState {
        HeadlessState {
            doing: Doing::WORKING,
            waits: BTreeMap::new(),
            shown: None,
            meter: Meter::default(),
            told: UsageFigures::default(),
        }
    }

    /// Returns true if a turn is under way.
    pub(super) fn is_busy(&self) -> bool {
        !self.waits.is_empty() || matches!(self.doing, Doing::Working(_) | Doing::Starting)
    }

    /// Takes in the report of one line of the tool; returns the records that pass it on.
    pub(super) fn take(&mut self, report: AgentReport) -> Vec<String> {
        for figures in &report.figures {
            self.meter.count(figures);
        }
        let mut records = Vec::new();
        for seen in report.seen {
            match seen {
                // Waits are known by their requests, which also report their end.
                Seen::Doing(Doing::Blocked(_)) | Seen::WaitOver { .. } => {}
                Seen::Doing(doing) => self.doing = doing,
                seen => records.extend(status_record::write(&seen)),
            }
        }
        records.extend(self.changed());
        records
    }

    /// Notes that a request begins to wait. This makes no record: the server hears of the wait with the request itself. A record that
    /// arrived before the request would be a question of its own, for which a person is called although a rule answers the request.
    pub(super) fn waits(&mut self, id: &str, wait: Wait) {
        self.waits.insert(id.to_owned(), wait);
        self.changed();
    }

    /// Notes that a request is answered or withdrawn.
    pub(super) fn settled(&mut self, id: &str) -> Option<String> {
        self.waits.remove(id);
        self.changed()
    }

    /// Returns the record of a changed activity. While anything waits for a person, that is the activity, whatever else happens.
    fn changed(&mut self) -> Option<String> {
        let first = self.waits.values().next();
        let now = first.map_or_else(|| self.doing.clone(), |wait| Doing::Blocked(wait.clone()));
        if self
            .shown
            .as_ref()
            .is_some_and(|shown| says_the_same(shown, &now))
        {
            return None;
        }
        self.shown = Some(now.clone());
        status_record::write(&Seen::Doing(now))
    }

    /// Returns the usage, if it has changed since the last report.
    pub(super) fn news(&mut self) -> Option<UsageFigures> {
        let context = self.meter.context();
        let calls = context.and_then(|context| context.tool_calls);
        let figures = UsageFigures {
            cost: self.meter.usage().cost,
            used: context
                .filter(|_| calls.is_none())
                .map(|context: ContextFill| context.used),
            window: context.and_then(|context| context.window),
            tool_calls: calls,
            model: self.meter.model().map(str::to_owned),
        };
        let is_news = figures != self.told;
        self.told.clone_from(&figures);
        is_news.then_some(figures)
    }
}

/// Returns true if a record would be the same for both.
fn says_the_same(one: &Doing, other: &Doing) -> bool {
    let is_retry = |doing: &Doing| matches!(doing, Doing::Working(Work::Retry { .. }));
    let both_work = matches!((one, other), (Doing::Working(_), Doing::Working(_)));
    (both_work && !is_retry(one) && !is_retry(other)) || one == other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_state::Figures;
    use crate::domain::AskKind;

    fn doing(state: &mut HeadlessState, doing: Doing) -> Vec<String> {
        state.take(AgentReport::doing(doing))
    }

    #[test]
    fn calls_of_tools_are_reported_where_the_fill_is_not_known() {
        let mut state = HeadlessState::new();
        for id in ["a", "b", "a"] {
            let figures = vec![Figures::ToolCall { id: id.to_owned() }];
            state.take(AgentReport {
                figures,
                ..AgentReport::default()
            });
        }
        let told = state.news().unwrap();
        assert_eq!((told.tool_calls, told.used), (Some(2), None));
        assert!(state.news().is_none(), "nothing is new");
    }

    #[test]
    fn each_try_of_a_request_is_said_and_so_is_the_end_of_it() {
        let mut state = HeadlessState::new();
        let retry = |attempt| {
            Doing::Working(Work::Retry {
                attempt,
                most: 10,
                why: String::new(),
            })
        };
        for (now, records) in [
            (Doing::WORKING, 1),
            (retry(1), 1),
            (retry(1), 0),
            (retry(2), 1),
            (Doing::WORKING, 1),
        ] {
            assert_eq!(doing(&mut state, now.clone()).len(), records, "{now:?}");
        }
    }

    #[test]
    fn an_ask_stays_shown_until_it_is_settled_whatever_else_is_reported() {
        let mut state = HeadlessState::new();
        assert_eq!(doing(&mut state, Doing::WORKING).len(), 1);
        assert_eq!(doing(&mut state, Doing::Working(Work::Thinking)).len(), 0);
        let wait = |text: &str| Wait::new(AskKind::Permission, text);
        state.waits("a", wait("Bash: a"));
        state.waits("b", wait("Bash: b"));
        assert_eq!(doing(&mut state, Doing::DONE).len(), 0);
        assert_eq!(doing(&mut state, Doing::Working(Work::Thinking)).len(), 0);
        assert!(state.settled("a").is_some_and(|said| said.contains("blocked")));
        assert!(
            state
                .settled("b")
                .is_some_and(|said| said.contains("state=working"))
        );
        assert!(state.is_busy());
        assert_eq!(doing(&mut state, Doing::DONE).len(), 1);
        assert!(!state.is_busy());
    }
}
