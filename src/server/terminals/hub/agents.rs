//! The states of all agents with a live terminal, and the one thread that reports them to the board. Reports do not change the board by
//! themselves: each is kept here, and only a word the board decides by becomes an event.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::agent_watch::AgentWatch;
use super::board_word::SAYS_NO_LOGIN;
use super::live_activity::live_activity;
use super::terminal_agents::TerminalAgents;
use crate::adapters::clock;
use crate::agent_state::{AgentReport, Doing, Source, Wait};
use crate::domain::attempt::ActivityKind;
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Event, ProcessExit, Span, Timestamp, TroubleKind};
use crate::engine::inbox::Inbox;
use crate::read_model::LiveActivity;

/// Maximum number of agents whose process has ended that are remembered; those of the lowest number are forgotten first.
const MAX_ENDED: usize = 24;

/// Maximum number of agents whose hooks may report before their terminal is read; those of the lowest number are forgotten first.
const MAX_EARLY: usize = 64;

/// Function that returns the text of an agent's screen; `None` if it has no terminal here.
type ScreenOf<'a> = &'a dyn Fn(AttemptId) -> Option<String>;

/// The states of the agents of a server, shared between its threads.
#[derive(Debug, Default)]
pub(in crate::server) struct AgentStates {
    watches: Mutex<Watches>,
    woken: Condvar,
}

#[derive(Debug, Default)]
struct Watches {
    by_attempt: BTreeMap<AttemptId, AgentWatch>,
    /// Reports on agents whose terminal is not read yet: a hook may be called in the first milliseconds of a process.
    early: BTreeMap<AttemptId, AgentWatch>,
    ended: Vec<AttemptId>,
    /// Time of the clock when it was last read, and the time the machine had been awake.
    time: Option<(Timestamp, Span)>,
    is_closed: bool,
    has_thread: bool,
    /// Time at which the thread that reports to the board wakes by itself.
    wakes_at: Option<Timestamp>,
}

impl AgentStates {
    /// Begins the watch of an agent's process that is about to be read. Earlier reports about it are kept; the state of an earlier process
    /// of the same terminal is forgotten.
    pub(super) fn begin(&self, attempt: AttemptId) {
        let mut watches = self.watches.lock();
        watches.ended.retain(|ended| *ended != attempt);
        let early = watches.early.remove(&attempt);
        let watch = early.unwrap_or_else(|| AgentWatch::new(watches.now()));
        watches.by_attempt.insert(attempt, watch);
    }

    /// Takes the report of a source about an agent. Reports that come before its terminal is read are kept until it is.
    pub(in crate::server) fn observe(&self, attempt: AttemptId, source: Source, report: &AgentReport) {
        self.observe_all(attempt, std::iter::once((source, report)));
    }

    /// Takes reports that came one after the other and are read at once. The states between them are not reported to the board.
    pub(super) fn observe_all<'a>(
        &self,
        attempt: AttemptId,
        reports: impl Iterator<Item = (Source, &'a AgentReport)>,
    ) {
        let mut said = reports.filter(|(_, report)| !report.seen.is_empty()).peekable();
        if said.peek().is_none() {
            return;
        }
        let mut watches = self.watches.lock();
        if watches.by_attempt.contains_key(&attempt) {
            drop(watches);
            self.change(attempt, |watch, now| {
                said.for_each(|(source, report)| watch.observe(source, now, report));
            });
        } else {
            said.for_each(|(source, report)| watches.observe_early(attempt, source, report));
        }
    }

    /// Returns true if nothing but its window and its screen has shown the activity of an agent.
    pub(super) fn is_unheard(&self, attempt: AttemptId) -> bool {
        let watches = self.watches.lock();
        watches
            .by_attempt
            .get(&attempt)
            .is_some_and(|watch| watch.state.is_unheard())
    }

    /// Returns the wait that the agent is known to be in. `None` if it is presumed to be over.
    pub(super) fn wait(&self, attempt: AttemptId) -> Option<Wait> {
        let mut watches = self.watches.lock();
        let now = watches.now();
        watches.by_attempt.get(&attempt)?.wait(now)
    }

    /// Notes that the program of an agent has written something, so that its screen is looked at until it is at rest.
    pub(super) fn screen_changed(&self, attempt: AttemptId) {
        self.change(attempt, AgentWatch::screen_changed);
    }

    /// Takes the entries on its screen, which are read only where the agent waits with a dialog or a question.
    pub(super) fn observe_menu(&self, attempt: AttemptId, read: impl FnOnce() -> Vec<String>) {
        let waits = self.wait(attempt).is_some_and(|wait| wait.kind.has_entries());
        if waits || self.has_menu(attempt) {
            let options = if waits { read() } else { Vec::new() };
            self.change(attempt, |watch, _| watch.observe_menu(options));
        }
    }

    fn has_menu(&self, attempt: AttemptId) -> bool {
        let watches = self.watches.lock();
        watches.by_attempt.get(&attempt).is_some_and(AgentWatch::has_menu)
    }

    /// Notes that the agent's terminal is replaying the past.
    pub(super) fn begin_past(&self, attempt: AttemptId) {
        self.change(attempt, |watch, _| watch.begin_past());
    }

    /// Notes that the agent's terminal shows the present. `asked` is its wait as known to the server before this one.
    pub(super) fn end_past(&self, attempt: AttemptId, asked: Option<&AgentReport>) {
        self.change(attempt, |watch, now| watch.end_past(asked, now));
    }

    /// Notes that a person typed a key into the terminal.
    pub(super) fn input(&self, attempt: AttemptId) {
        self.change(attempt, AgentWatch::input);
    }

    /// Notes that the ask was answered at that time, maybe a moment ago.
    pub(in crate::server) fn answered(&self, attempt: AttemptId, at: Timestamp) {
        self.change(attempt, |watch, now| watch.answered(at, now));
    }

    /// Notes that the program is suspended, or goes on.
    pub(super) fn suspended(&self, attempt: AttemptId, is_suspended: bool) {
        self.change(attempt, |watch, now| watch.suspended(is_suspended, now));
    }

    /// Returns true if a person ended the tool of an agent: by its own report, or `by_keys` that were typed just before its end.
    pub(super) fn was_left(&self, attempt: AttemptId, by_keys: bool) -> bool {
        let mut watches = self.watches.lock();
        let now = watches.now();
        let watch = watches.by_attempt.get(&attempt);
        watch.is_some_and(|watch| watch.was_left(now, by_keys))
    }

    /// Notes that the ask was answered at that time by keys: only the tool's own report shows that it took them.
    pub(super) fn answered_by_keys(&self, attempt: AttemptId, at: Timestamp) {
        self.change(attempt, |watch, now| {
            watch.answered(at, now);
            watch.state.note_typed();
        });
    }

    /// Notes that the process has ended.
    pub(super) fn ended(&self, attempt: AttemptId, exit: ProcessExit) {
        self.observe(
            attempt,
            Source::ProcessExit,
            &AgentReport::doing(Doing::of_exit(exit)),
        );
        let mut watches = self.watches.lock();
        watches.ended.push(attempt);
        if watches.ended.len() > MAX_ENDED {
            let oldest = watches.ended.remove(0);
            watches.by_attempt.remove(&oldest);
        }
    }

    /// Returns the present activity of an agent, as people read it.
    pub(in crate::server) fn live(&self, attempt: AttemptId) -> Option<LiveActivity> {
        let mut watches = self.watches.lock();
        let now = watches.now();
        let watch = watches.by_attempt.get(&attempt)?;
        Some(watch_activity(watch, now))
    }

    /// Returns the present activity of all agents that have, or had a moment ago, a live terminal.
    pub(in crate::server) fn all_live(&self) -> BTreeMap<AttemptId, LiveActivity> {
        let mut watches = self.watches.lock();
        let now = watches.now();
        let known = watches.by_attempt.iter();
        known
            .map(|(attempt, watch)| (*attempt, watch_activity(watch, now)))
            .collect()
    }

    /// Returns true if a thread has to be started that calls [`run`](Self::run); only once.
    pub(super) fn needs_thread(&self) -> bool {
        !std::mem::replace(&mut self.watches.lock().has_thread, true)
    }

    /// Reports changes to the board until the server ends. The inbox may be full meanwhile: then the report is of the state afterwards.
    /// `screen` returns the text of an agent's screen.
    pub(super) fn run(&self, inbox: &Inbox, facts: &dyn TerminalAgents, screen: ScreenOf<'_>) {
        while let Some(events) = self.next_events(facts, screen) {
            for mut event in events {
                if let Event::Observed { attempt, doing, .. } = &mut event {
                    complete(doing, *attempt, facts);
                }
                // An engine that has stopped shows nothing anyway.
                if inbox.send(event).is_err() {
                    return;
                }
            }
        }
    }

    pub(super) fn close(&self) {
        self.watches.lock().is_closed = true;
        self.woken.notify_all();
    }

    fn next_events(&self, facts: &dyn TerminalAgents, screen: ScreenOf<'_>) -> Option<Vec<Event>> {
        let mut watches = self.watches.lock();
        while !watches.is_closed {
            let now = watches.now();
            let looks = watches.looks_due(now);
            if !looks.is_empty() {
                MutexGuard::unlocked(&mut watches, || self.look_at(&looks, facts, screen));
                continue;
            }
            let events = watches.tell(now);
            if !events.is_empty() {
                return Some(events);
            }
            watches.wakes_at = watches.due(now);
            match watches.wakes_at {
                Some(at) => {
                    let wait = Duration::from_millis(at.since(now).0.max(1));
                    self.woken.wait_for(&mut watches, wait);
                }
                None => self.woken.wait(&mut watches),
            }
        }
        None
    }

    /// Looks at the screens of those agents. Their terminals are locked meanwhile, and the states are not.
    pub(super) fn look_at(&self, attempts: &[AttemptId], facts: &dyn TerminalAgents, screen: ScreenOf<'_>) {
        for attempt in attempts {
            let text = screen(*attempt).unwrap_or_default();
            let by_rule = facts.read_screen(*attempt, &text);
            self.change(*attempt, |watch, now| watch.looked(&text, by_rule, now));
        }
    }

    /// Changes the known state of an agent, and wakes the thread only if it has to wake earlier than planned.
    fn change(&self, attempt: AttemptId, change: impl FnOnce(&mut AgentWatch, Timestamp)) {
        let mut watches = self.watches.lock();
        let now = watches.now();
        let Some(watch) = watches.by_attempt.get_mut(&attempt) else {
            return;
        };
        change(watch, now);
        let due = watch.due(now).into_iter().chain(watch.look_due()).min();
        let Some(due) = due else { return };
        if watches.wakes_at.is_none_or(|at| due < at) {
            watches.wakes_at = Some(due);
            drop(watches);
            self.woken.notify_one();
        }
    }
}

impl Watches {
    /// Returns the time.
    fn now(&mut self) -> Timestamp {
        self.set_time(clock::now(), clock::uptime())
    }

    /// Takes the time. Where the clock was set back all known times move with it: new reports would pass for older ones, and be lost until
    /// the clock reaches its former time again.
    fn set_time(&mut self, now: Timestamp, uptime: Span) -> Timestamp {
        let (before, then) = self.time.replace((now, uptime)).unwrap_or((now, uptime));
        if now < before {
            let back = before
                .apart(now)
                .0
                .saturating_add(uptime.0.saturating_sub(then.0));
            let by = i64::try_from(back).map_or(i64::MIN, |back| -back);
            let watches = self.by_attempt.values_mut().chain(self.early.values_mut());
            watches.for_each(|watch| watch.move_times(by));
            self.wakes_at = self.wakes_at.map(|at| at.moved(by));
        }
        now
    }

    /// Takes the report of such an agent without reporting it to the board: a watch begins in the past and is shown the present by its
    /// terminal.
    fn observe_early(&mut self, attempt: AttemptId, source: Source, report: &AgentReport) {
        let now = self.now();
        let watch = self.early.entry(attempt).or_insert_with(|| AgentWatch::new(now));
        watch.observe(source, now, report);
        if self.early.len() > MAX_EARLY {
            self.early.pop_first();
        }
    }

    fn tell(&mut self, now: Timestamp) -> Vec<Event> {
        let told = self.by_attempt.iter_mut().flat_map(|(attempt, watch)| {
            let attempt = *attempt;
            let seen = watch.take_subagents().into_iter();
            let seen = seen.map(move |name| Event::SubagentSeen { attempt, name });
            let told = watch.tell(now).into_iter();
            let menu = watch.take_menu().into_iter();
            let told = told.map(move |(doing, source)| Event::Observed {
                attempt,
                doing,
                source: source.to_owned(),
            });
            seen.chain(told)
                .chain(menu.map(move |options| Event::MenuSeen { attempt, options }))
        });
        told.collect()
    }

    fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let due = |watch: &AgentWatch| watch.due(now).into_iter().chain(watch.look_due()).min();
        self.by_attempt.values().filter_map(due).min()
    }

    /// Returns the agents whose screen is to be looked at now.
    fn looks_due(&self, now: Timestamp) -> Vec<AttemptId> {
        let due = |watch: &AgentWatch| watch.look_due().is_some_and(|at| at <= now);
        let watches = self.by_attempt.iter();
        watches
            .filter(|(_, watch)| due(watch))
            .map(|(id, _)| *id)
            .collect()
    }
}

/// Returns the activity of an agent, as people read it.
fn watch_activity(watch: &AgentWatch, now: Timestamp) -> LiveActivity {
    let live = live_activity(&watch.state, now);
    if watch.is_still(now) {
        live.of_still_screen()
    } else {
        live
    }
}

/// Completes the words of an agent's tool with facts about that tool: the way to log in, whether an error is only a failed turn, and the
/// end of a usage limit where the words contain it. A turn that failed with the words of a limit is at that limit; one that failed for
/// something only a person can change needs that person.
fn complete(doing: &mut ActivityKind, attempt: AttemptId, facts: &dyn TerminalAgents) {
    if let ActivityKind::Error(why) = doing
        && facts.continues_after_errors(attempt)
    {
        *doing = ActivityKind::Failed(std::mem::take(why));
    }
    match doing {
        ActivityKind::NotLoggedIn(why) => {
            if let Some(way) = facts.login_hint(attempt) {
                *why = format!("{why}; {way}");
            }
        }
        ActivityKind::Dialog(text) if text.starts_with(SAYS_NO_LOGIN) => {
            if let Some(way) = facts.login_hint(attempt) {
                *text = format!("{text}; if that is so, {way}");
            }
        }
        ActivityKind::Limit { until, why } => *until = until.or_else(|| facts.limit_end(attempt, why)),
        ActivityKind::Failed(why) | ActivityKind::Error(why) => {
            let why = std::mem::take(why);
            *doing = named_trouble(doing, why, attempt, facts);
        }
        _ => {}
    }
}

/// Returns the trouble that the words of a failed turn or an error name.
fn named_trouble(
    doing: &ActivityKind,
    why: String,
    attempt: AttemptId,
    facts: &dyn TerminalAgents,
) -> ActivityKind {
    match (doing, facts.end_cause(attempt, &why)) {
        // Any text that is printed can contain the record of an error, so it pauses nothing.
        (ActivityKind::Failed(_), Some(EndCause::Quota { until, .. })) => ActivityKind::Limit { until, why },
        // Another try would fail in the same way.
        (_, Some(EndCause::Infra(cause))) if cause.kind == TroubleKind::Refusal => {
            ActivityKind::Error(cause.text)
        }
        (ActivityKind::Failed(_), _) => ActivityKind::Failed(why),
        (_, _) => ActivityKind::Error(why),
    }
}

#[cfg(test)]
mod tests {
    use super::super::terminal_agents::NoAgents;
    use super::*;
    use crate::adapters::agents::claude::title;
    use crate::agent_state::Seen;
    use crate::domain::AskKind;
    use crate::engine::inbox::{Received, inbox};

    /// Facts about tools whose words name the end of a limit after a bar; that of attempt 1 continues after errors.
    struct BarFacts;

    impl TerminalAgents for BarFacts {
        fn limit_end(&self, _attempt: AttemptId, words: &str) -> Option<Timestamp> {
            words.contains('|').then_some(Timestamp(7))
        }

        fn end_cause(&self, attempt: AttemptId, words: &str) -> Option<EndCause> {
            if words == "no model" {
                return Some(EndCause::Infra(
                    TroubleKind::Refusal.cause("no model; set another"),
                ));
            }
            let (until, why) = (self.limit_end(attempt, words), words.to_owned());
            words
                .starts_with("limit")
                .then_some(EndCause::Quota { until, why })
        }

        fn continues_after_errors(&self, attempt: AttemptId) -> bool {
            attempt == AttemptId(1)
        }
    }

    #[test]
    fn what_an_agent_says_after_the_clock_was_set_back_is_newer_than_what_it_said_before() {
        const HOUR: u64 = 3_600_000;
        let (mut watches, attempt) = (Watches::default(), AttemptId(7));
        let start = watches.set_time(Timestamp(2 * HOUR), Span(5_000));
        let working = AgentReport::doing(Doing::WORKING);
        let mut watch = AgentWatch::new(start);
        watch.observe(Source::StatusRecord, start, &working);
        watches.early.insert(attempt, watch);
        let mut watch = AgentWatch::new(start);
        watch.end_past(None, start);
        watch.observe(Source::StatusRecord, start, &working);
        watches.by_attempt.insert(attempt, watch);
        assert_eq!(watches.tell(start).len(), 1);
        watches.wakes_at = Some(start);

        // Three seconds later, by a clock that was set back by an hour meanwhile.
        let now = watches.set_time(Timestamp(HOUR + 3_000), Span(8_000));
        assert_eq!(watches.wakes_at, Some(Timestamp(HOUR)));
        let wait = Wait::new(AskKind::Permission, "make");
        let asks = AgentReport::doing(Doing::Blocked(wait));
        for watch in watches.by_attempt.values_mut().chain(watches.early.values_mut()) {
            assert_eq!(live_activity(&watch.state, now).age, Span(3_000));
            watch.observe(Source::StatusRecord, now, &asks);
            assert!(live_activity(&watch.state, now).is_waiting);
        }
        let told = watches.tell(now);
        let is_asked = matches!(
            told.as_slice(),
            [Event::Observed { doing: ActivityKind::Permission(text), .. }] if text == "make"
        );
        assert!(is_asked, "{told:?}");
        // A clock that is put forward moves nothing: what was said before it is older in any case.
        watches.set_time(Timestamp(9 * HOUR), Span(9_000));
        assert_eq!(watches.wakes_at, Some(Timestamp(HOUR)));
    }

    #[test]
    fn ten_thousand_reports_make_a_handful_of_events_and_the_last_of_them_is_true() {
        let (states, (inlet, outlet)) = (AgentStates::default(), inbox());
        let attempt = AttemptId(7);
        states.begin(attempt);
        states.end_past(attempt, None);
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            let (states, inlet) = (&states, &inlet);
            scope.spawn(move || states.run(inlet, &NoAgents, &|_| None));
            let (busy, idle) = (title::read("◐ claude"), title::read("✳ claude"));
            for number in 0..10_000 {
                let report = if number % 2 == 0 { &busy } else { &idle };
                states.observe(attempt, Source::Title, report);
            }
            let asks = AgentReport::doing(Doing::NotLoggedIn {
                text: "Please run /login".to_owned(),
            });
            states.observe(attempt, Source::StatusRecord, &asks);
            loop {
                let Received::Envelope(envelope) = outlet.next(Some(Span(60_000))) else {
                    panic!("the last word was not told: {seen:?}");
                };
                let Event::Observed { doing, .. } = envelope.event else {
                    panic!("{:?}", envelope.event);
                };
                let is_last = !matches!(doing, ActivityKind::Working | ActivityKind::Idle);
                seen.push(doing);
                if is_last {
                    break;
                }
            }
            states.close();
        });
        assert!(seen.len() < 50, "{}", seen.len());
    }

    #[test]
    fn a_subagent_that_is_seen_is_told_to_the_board_by_its_name() {
        let (states, (inlet, outlet)) = (AgentStates::default(), inbox());
        let attempt = AttemptId(7);
        states.begin(attempt);
        let (id, name) = ("1".to_owned(), "validator".to_owned());
        states.observe(attempt, Source::Hook, &AgentReport::of(Seen::Child { id, name }));
        std::thread::scope(|scope| {
            let (states, inlet) = (&states, &inlet);
            scope.spawn(move || states.run(inlet, &NoAgents, &|_| None));
            let Received::Envelope(envelope) = outlet.next(Some(Span(60_000))) else {
                panic!("nothing was told");
            };
            let name = "validator".to_owned();
            assert_eq!(envelope.event, Event::SubagentSeen { attempt, name });
            states.close();
        });
    }

    #[test]
    fn when_a_limit_ends_is_read_from_the_words_of_the_tool_where_nothing_else_tells_it() {
        let completed = |mut doing: ActivityKind| {
            complete(&mut doing, AttemptId(1), &BarFacts);
            doing
        };
        let at = |until: Option<u64>, why: &str| ActivityKind::Limit {
            until: until.map(Timestamp),
            why: why.to_owned(),
        };
        assert_eq!(completed(at(None, "limit|7")), at(Some(7), "limit|7"));
        assert_eq!(completed(at(Some(3), "limit|7")), at(Some(3), "limit|7"));
        assert_eq!(
            completed(ActivityKind::Failed("limit|7".to_owned())),
            at(Some(7), "limit|7")
        );
        let overload = ActivityKind::Failed("overloaded".to_owned());
        assert_eq!(completed(overload.clone()), overload);
        assert_eq!(
            completed(ActivityKind::Failed("limit".to_owned())),
            at(None, "limit")
        );
    }

    #[test]
    fn a_turn_that_fails_for_what_only_a_person_can_change_needs_that_person() {
        for mut doing in [
            ActivityKind::Failed("no model".to_owned()),
            ActivityKind::Error("no model".to_owned()),
        ] {
            complete(&mut doing, AttemptId(1), &BarFacts);
            assert_eq!(doing, ActivityKind::Error("no model; set another".to_owned()));
        }
    }

    #[test]
    fn an_error_is_a_failed_turn_where_the_tool_goes_on_with_another_prompt_and_else_needs_somebody() {
        let completed = |attempt, words: &str| {
            let mut doing = ActivityKind::Error(words.to_owned());
            complete(&mut doing, AttemptId(attempt), &BarFacts);
            doing
        };
        assert_eq!(completed(1, "529"), ActivityKind::Failed("529".to_owned()));
        assert!(matches!(
            completed(1, "limit|7"),
            ActivityKind::Limit {
                until: Some(Timestamp(7)),
                ..
            }
        ));
        assert_eq!(completed(2, "529"), ActivityKind::Error("529".to_owned()));
    }

    /// Returns the known state of an agent in words, if its terminal is read.
    fn words(states: &AgentStates, attempt: AttemptId) -> Option<String> {
        states.live(attempt).map(|live| live.words)
    }

    #[test]
    fn what_a_hook_tells_before_the_terminal_is_read_counts_once_it_is_and_for_that_process_only() {
        let (states, attempt) = (AgentStates::default(), AttemptId(7));
        let working = AgentReport::doing(Doing::WORKING);
        states.observe(attempt, Source::Hook, &working);
        assert_eq!(words(&states, attempt), None, "its terminal is not read yet");
        states.begin(attempt);
        assert_eq!(words(&states, attempt).as_deref(), Some("working"));
        states.begin(attempt);
        assert_eq!(
            words(&states, attempt).as_deref(),
            Some("nothing reported yet"),
            "another process of the same terminal"
        );
    }

    #[test]
    fn of_agents_without_a_live_terminal_only_so_many_are_kept() {
        let states = AgentStates::default();
        let working = AgentReport::doing(Doing::WORKING);
        for number in 0..1_000 {
            states.observe(AttemptId(number), Source::Hook, &working);
        }
        assert!(states.watches.lock().by_attempt.is_empty());
        let early: Vec<AttemptId> = states.watches.lock().early.keys().copied().collect();
        assert_eq!(early.len(), MAX_EARLY);
        assert_eq!(early.last(), Some(&AttemptId(999)), "the newest are kept");
        for number in 0..100 {
            states.begin(AttemptId(number));
            states.ended(AttemptId(number), ProcessExit::Code(0));
        }
        assert_eq!(states.watches.lock().by_attempt.len(), MAX_ENDED);
    }
}
