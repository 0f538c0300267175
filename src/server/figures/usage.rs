//! Resources used by agents, added up per attempt and reported to the engine now and then: tools report them several times a second, and
//! each event is a commit of the store.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::agent_state::{Figures, Meter};
use crate::domain::{Ask, Attempt, AttemptId, ContextFill, Event, Span, Timestamp};
use crate::engine::inbox::Inbox;
use crate::protocol::hooks::UsageFigures;

/// Time between two events about one attempt.
const EVERY: Span = Span::seconds(10);

/// Growth of a context in percent that is reported before that time: an agent with an almost full context does not wait.
const JUMP: u64 = 3;

/// Time for which the meter of an attempt that reports nothing is kept.
const FORGOTTEN_AFTER: Span = Span::minutes(60);

/// The meters of the attempts that reported something since the server was started.
#[derive(Debug, Default)]
pub(in crate::server) struct UsageMeters(Mutex<BTreeMap<AttemptId, MeterRow>>);

#[derive(Debug, Default)]
struct MeterRow {
    meter: Meter,
    told_fill: Option<u64>,
    /// Set when something was counted that was not reported to the engine.
    has_news: bool,
    /// Set when the record of its session was not read to its end yet.
    is_behind: bool,
    told: Option<Timestamp>,
    told_model: Option<String>,
}

impl UsageMeters {
    /// Counts the figures that the tool of an attempt reported.
    pub(in crate::server) fn count(&self, attempt: AttemptId, figures: &UsageFigures) {
        let total = Figures::Total {
            tokens: None,
            cost: figures.cost,
        };
        let context = Figures::Context {
            used: figures.used,
            window: figures.window,
        };
        let calls = figures.tool_calls.map(Figures::ToolCalls);
        let model = figures.model.clone().map(Figures::Model);
        let all: Vec<Figures> = [total, context].into_iter().chain(calls).chain(model).collect();
        let is_behind = self.0.lock().get(&attempt).is_some_and(|row| row.is_behind);
        self.count_all(attempt, &all, !is_behind);
    }

    /// Counts the figures from the record of its session. None of them are reported before the record was read to its end: figures in the
    /// middle of it are less than the usage.
    pub(in crate::server) fn count_all(&self, attempt: AttemptId, figures: &[Figures], is_at_end: bool) {
        if figures.is_empty() && is_at_end && !self.0.lock().contains_key(&attempt) {
            return;
        }
        let mut rows = self.0.lock();
        let row = rows.entry(attempt).or_default();
        let before = row.meter.clone();
        for figures in figures {
            row.meter.count(figures);
        }
        row.is_behind = !is_at_end;
        row.has_news |= row.meter != before;
    }

    /// Counts a call of a tool that the attempt's agent asked to be allowed: once, however often its hook comes back for the answer.
    pub(in crate::server) fn count_call(&self, attempt: &Attempt, ask: &Ask) {
        if attempt.asks.iter().any(|known| known.ask.id == ask.id) {
            return;
        }
        let mut rows = self.0.lock();
        let row = rows.entry(attempt.id).or_default();
        let before = row.meter.context();
        row.meter.count(&Figures::ToolCall {
            id: ask.id.to_string(),
        });
        row.has_news |= row.meter.context() != before;
    }

    /// Forgets the fill of an attempt's context: its tool shortened it.
    pub(in crate::server) fn forget_fill(&self, attempt: AttemptId) {
        if let Some(row) = self.0.lock().get_mut(&attempt) {
            row.meter.forget_fill();
            row.told_fill = None;
        }
    }

    /// Reports new figures to the engine, of each attempt once in a while; of all of them when the server ends. Waits while the inbox is
    /// full.
    pub(in crate::server) fn tell(&self, inbox: &Inbox, now: Timestamp, is_last: bool) {
        for event in self.take_due(now, is_last) {
            drop(inbox.send(event));
        }
    }

    /// Returns the events to report now. The meters are not locked while waiting for a full inbox.
    fn take_due(&self, now: Timestamp, is_last: bool) -> Vec<Event> {
        let mut rows = self.0.lock();
        let mut events = Vec::new();
        for (attempt, row) in rows.iter_mut().filter(|(_, row)| row.has_news && !row.is_behind) {
            let is_due = row.told.is_none_or(|told| now.since(told) >= EVERY || now < told);
            if is_due || is_last || row.has_jumped() {
                (row.has_news, row.told, row.told_fill) = (false, Some(now), row.percent());
                events.push(row.event(*attempt));
                events.extend(row.new_model(*attempt));
            }
        }
        // An attempt that has not reported for so long has ended, or begins again with its next total.
        rows.retain(|_, row| row.has_news || row.told.is_none_or(|told| now.since(told) < FORGOTTEN_AFTER));
        events
    }
}

impl MeterRow {
    fn event(&self, attempt: AttemptId) -> Event {
        Event::UsageReported {
            attempt,
            usage: self.meter.usage(),
            context: self.meter.context(),
        }
    }

    /// Returns the event about another model than the engine knows.
    fn new_model(&mut self, attempt: AttemptId) -> Option<Event> {
        let model = self.meter.model()?.to_owned();
        let is_news = self.told_model.as_ref() != Some(&model);
        self.told_model = Some(model.clone());
        is_news.then_some(Event::ModelReported { attempt, model })
    }

    fn percent(&self) -> Option<u64> {
        self.meter.context().and_then(ContextFill::percent)
    }

    /// Returns true if the context is at least `JUMP` percent fuller than the engine knows.
    fn has_jumped(&self) -> bool {
        let told = self.told_fill.unwrap_or_default();
        self.percent()
            .is_some_and(|percent| percent >= told.saturating_add(JUMP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AskChannel, AskKind, AskRecord, Cost, Tokens, Usage, Verdict};
    use crate::engine::inbox::{InboxReceiver, Received, inbox};
    use crate::read_model::settled_attempt;

    fn figures(cents: u64) -> UsageFigures {
        UsageFigures {
            cost: Some(Cost(cents * 10_000)),
            used: Some(1_000 + cents),
            window: Some(200_000),
            tool_calls: None,
            model: None,
        }
    }

    fn told(outlet: &InboxReceiver) -> Vec<Event> {
        let mut events = Vec::new();
        while let Received::Envelope(envelope) = outlet.next(Some(Span(0))) {
            events.push(envelope.event);
        }
        events
    }

    #[test]
    fn figures_from_the_middle_of_a_record_are_not_told() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let total = |input| Figures::Total {
            tokens: Some(Tokens {
                input,
                ..Tokens::default()
            }),
            cost: None,
        };
        meters.count_all(AttemptId(7), &[total(1)], false);
        meters.count(AttemptId(7), &figures(1));
        meters.tell(&inbox, Timestamp(1), true);
        assert!(told(&outlet).is_empty(), "the rest is not known yet");
        meters.count_all(AttemptId(7), &[total(9)], true);
        meters.tell(&inbox, Timestamp(2), false);
        let events = told(&outlet);
        let is_whole =
            |event: &Event| matches!(event, Event::UsageReported { usage, .. } if usage.tokens.input == 9);
        assert!(matches!(&events[..], [one] if is_whole(one)), "{events:?}");
    }

    fn ask(of_call: &str) -> Ask {
        Ask {
            id: of_call.into(),
            kind: AskKind::Permission,
            text: "Bash: make".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Request,
        }
    }

    fn calls(events: &[Event]) -> Vec<Option<u32>> {
        let of = |event: &Event| match event {
            Event::UsageReported { context, .. } => context.and_then(|fill| fill.tool_calls),
            _ => None,
        };
        events.iter().map(of).collect()
    }

    #[test]
    fn a_hundred_asks_are_a_hundred_tool_calls_and_one_that_comes_back_is_the_same() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let mut attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        for call in 0..100 {
            let ask = ask(&format!("toolu_{call}"));
            meters.count_call(&attempt, &ask);
            attempt.asks.push(AskRecord::new(ask, Timestamp(1)));
        }
        meters.count_call(&attempt, &ask("toolu_7"));
        meters.tell(&inbox, Timestamp(1), true);
        assert_eq!(calls(&told(&outlet)), [Some(100)]);
        meters.count_call(&attempt, &ask("toolu_7"));
        meters.tell(&inbox, Timestamp(2), true);
        assert!(told(&outlet).is_empty(), "nothing is new");
        let next = settled_attempt(8, "development", 0, 1, Verdict::Passed);
        meters.count_call(&next, &ask("toolu_7"));
        meters.tell(&inbox, Timestamp(3), true);
        assert_eq!(
            calls(&told(&outlet)),
            [Some(1)],
            "each attempt has a count of its own"
        );
    }

    #[test]
    fn calls_of_tools_are_not_told_where_the_fill_is_known() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        meters.count(attempt.id, &figures(1));
        meters.count_call(&attempt, &ask("toolu_1"));
        meters.tell(&inbox, Timestamp(1), true);
        assert_eq!(calls(&told(&outlet)), [None]);
    }

    #[test]
    fn calls_that_the_tool_reports_contain_those_that_it_asked_about() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        for number in 1..=3 {
            let figures = UsageFigures {
                tool_calls: Some(number),
                ..UsageFigures::default()
            };
            meters.count(attempt.id, &figures);
            meters.count_call(&attempt, &ask(&format!("r{number}")));
        }
        meters.tell(&inbox, Timestamp(1), true);
        assert_eq!(calls(&told(&outlet)), [Some(3)]);
    }

    #[test]
    fn another_model_is_told_once() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let told_at = |model: &str, at| {
            let figures = UsageFigures {
                model: Some(model.to_owned()),
                ..figures(at)
            };
            meters.count(AttemptId(7), &figures);
            meters.tell(&inbox, Timestamp(at * 20_000), false);
            let models = told(&outlet).into_iter().filter_map(|event| match event {
                Event::ModelReported { model, .. } => Some(model),
                _ => None,
            });
            models.collect::<Vec<_>>()
        };
        assert_eq!(told_at("opus", 1), ["opus"]);
        assert_eq!(told_at("opus", 2), [""; 0]);
        assert_eq!(told_at("haiku", 3), ["haiku"]);
    }

    #[test]
    fn many_reports_are_one_event_and_the_last_one_is_told_at_the_end() {
        let (meters, (inbox, outlet)) = (UsageMeters::default(), inbox());
        let attempt = AttemptId(7);
        for cents in 1..=1_000 {
            meters.count(attempt, &figures(cents));
            meters.tell(&inbox, Timestamp(5_000 + cents), false);
        }
        let first = told(&outlet);
        assert_eq!(first.len(), 1, "{first:?}");
        meters.tell(&inbox, Timestamp(5_001) + EVERY, false);
        let next = told(&outlet);
        let expected = Event::UsageReported {
            attempt,
            usage: Usage {
                cost: Some(Cost(10_000_000)),
                ..Usage::default()
            },
            context: Some(ContextFill {
                used: 2_000,
                window: Some(200_000),
                tool_calls: None,
            }),
        };
        assert_eq!(next, [expected]);
        meters.count(attempt, &figures(1_000));
        meters.tell(&inbox, Timestamp(900_000), true);
        assert!(told(&outlet).is_empty(), "nothing is new");
        meters.count(attempt, &figures(1_001));
        meters.tell(&inbox, Timestamp(900_000), false);
        meters.count(attempt, &figures(1_002));
        meters.tell(&inbox, Timestamp(900_001), false);
        assert_eq!(told(&outlet).len(), 1);
        meters.tell(&inbox, Timestamp(900_002), true);
        assert_eq!(told(&outlet).len(), 1, "what was held back is told at the end");
    }
}
