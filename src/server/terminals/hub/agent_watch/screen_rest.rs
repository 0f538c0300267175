//! Looks at the screen of an agent's terminal while it changes. A screen at rest shows what its tool waits for, even if the tool reports
//! nothing of it, or something else.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::AgentWatch;
use crate::adapters::agents::menu::ScreenMenu;
use crate::adapters::agents::{dialog, retry_line};
use crate::agent_state::{AgentReport, Doing, Source, Wait, Work};
use crate::domain::{AskKind, Span, Timestamp};

/// Time between two looks at a screen that changes.
const LOOK_EVERY: Span = Span(500);
/// Time without a change after which a screen is at rest.
const REST: Span = Span(2_500);
/// Time without a change after which the screen of a tool that has reported nothing is worth a look of a person.
const STILL: Span = Span::seconds(15);

/// Looks at one screen.
#[derive(Debug, Default)]
pub(super) struct ScreenRest {
    /// Digest of its text, and the time at which a look first found that.
    found: Option<(u64, Timestamp)>,
    next_look: Option<Timestamp>,
    /// True once this text was read as that of a screen at rest.
    was_read: bool,
    /// True if a rule of the tool's kind has read the last text.
    by_rule: bool,
}

impl ScreenRest {
    pub(super) fn move_times(&mut self, by: i64) {
        self.found = self.found.map(|(digest, since)| (digest, since.moved(by)));
        self.next_look = self.next_look.map(|at| at.moved(by));
    }

    /// Notes the text of the screen; returns true if it has just come to rest.
    fn look(&mut self, screen: &str, now: Timestamp) -> bool {
        let mut hasher = DefaultHasher::new();
        screen.hash(&mut hasher);
        let digest = hasher.finish();
        let known = self.found.filter(|(known, _)| *known == digest);
        let (_, since) = *self.found.insert(known.unwrap_or((digest, now)));
        self.was_read &= known.is_some();
        let is_at_rest = now.since(since) >= REST;
        self.next_look = (!is_at_rest).then_some(now + LOOK_EVERY);
        is_at_rest && !std::mem::replace(&mut self.was_read, is_at_rest)
    }
}

impl AgentWatch {
    /// Notes that the program has written something.
    pub(in crate::server::terminals::hub) fn screen_changed(&mut self, now: Timestamp) {
        self.screen.next_look.get_or_insert(now + LOOK_EVERY);
    }

    /// Returns the time of the next look at the screen.
    pub(in crate::server::terminals::hub) fn look_due(&self) -> Option<Timestamp> {
        self.screen.next_look.filter(|_| !self.is_past)
    }

    /// Takes the text of the screen: what the tool's kind has a rule for, else a request that is tried again, a dialog on a screen at rest,
    /// or the end of one.
    pub(in crate::server::terminals::hub) fn looked(
        &mut self,
        screen: &str,
        by_rule: Option<Doing>,
        now: Timestamp,
    ) {
        let rests = self.screen.look(screen, now);
        let was_by_rule = std::mem::replace(&mut self.screen.by_rule, by_rule.is_some());
        if let Some(doing) = by_rule {
            return self.shows(doing, screen, now);
        }
        if was_by_rule {
            self.state.forget(Source::Screen);
        }
        self.read_retry(screen, now);
        let is_shown = matches!(self.state.latest(Source::Screen), Some(Doing::Blocked(_)));
        match dialog::at_rest(screen) {
            Some(text) if rests => self.rests_with(text, screen, now),
            None if is_shown => self.observe(Source::Screen, now, &AgentReport::doing(Doing::WORKING)),
            _ => {}
        }
    }

    /// Takes what a rule says of the screen, with the entries that it offers.
    fn shows(&mut self, doing: Doing, screen: &str, now: Timestamp) {
        let has_entries = matches!(&doing, Doing::Blocked(wait) if wait.kind.has_entries());
        self.observe(Source::Screen, now, &AgentReport::doing(doing));
        if has_entries {
            self.read_entries(screen);
        }
    }

    fn read_entries(&mut self, screen: &str) {
        let menu = ScreenMenu::read(screen);
        self.observe_menu(menu.map(|menu| menu.options()).unwrap_or_default());
    }

    /// Takes the request of an agent at work that failed and is tried again: the tool reports only that it works.
    fn read_retry(&mut self, screen: &str, now: Timestamp) {
        let was_shown = matches!(
            self.state.latest(Source::Screen),
            Some(Doing::Working(Work::Retry { .. }) | Doing::NotLoggedIn { .. })
        );
        let concluded = self.state.conclude(now).doing;
        let is_at_work = matches!(concluded, Doing::Working(_) | Doing::NotLoggedIn { .. });
        let shown = retry_line::read(screen).filter(|_| is_at_work);
        if let Some(doing) = shown.or_else(|| was_shown.then_some(Doing::WORKING)) {
            self.observe(Source::Screen, now, &AgentReport::doing(doing));
        }
    }

    /// Takes the dialog of a screen at rest, unless the tool itself has said what it asks.
    fn rests_with(&mut self, text: String, screen: &str, now: Timestamp) {
        let kind = match self.wait(now) {
            Some(wait) if !wait.text.is_empty() => return,
            Some(wait) => wait.kind,
            None => AskKind::Dialog,
        };
        let report = AgentReport::doing(Doing::Blocked(Wait::new(kind, text)));
        self.observe(Source::Screen, now, &report);
        if kind.has_entries() {
            self.read_entries(screen);
        }
    }

    /// Returns true if nothing is known of the agent and its screen has not changed for a while.
    pub(in crate::server::terminals::hub) fn is_still(&self, now: Timestamp) -> bool {
        let since = self.screen.found.map(|(_, since)| since);
        let is_unknown = self.state.is_unheard() && !self.screen.by_rule;
        is_unknown && since.is_some_and(|since| now.since(since) >= STILL)
    }
}
