//! Conclusion from the reports of several sources. The rules:
//!
//! 1. The report of the highest source counts while it lives. The end of the process lives for ever; a status record and a
//!    stream live until they are replaced, because their tools report every change, and so does a dialog on the screen, which is
//!    read again when it changes; a title and a hook live five seconds, because nothing takes them back when a person
//!    presses Esc or a queued prompt begins.
//! 2. A report whose life is over is replaced by a newer report of a lower source. Without one it stays, marked as stale: an old
//!    report of a better source is still better than an older one.
//! 3. The report of a wait, a limit or a missing login by a hook has no such end. A limit ends with its time of reset.
//! 4. A wait is over when it was answered, when its source reports the end, and, if a hook reported it that does not take its waits back,
//!    when a person typed a key.
//!    From that moment its source counts as reporting "working", for two seconds. If the answer was typed, a source that takes its waits
//!    back itself and has not by then reports that the agent still waits.
//! 5. Sources that agree complete each other: the work being done, the text and kind of an ask, the reason why a turn ended. An agent that
//!    is idle since its turn failed has failed.
//! 6. An agent between two turns has background work left if a source of the same or a higher rank reports that its subagents or
//!    commands still run. So has one whose hook reports at the end of a turn that they run, as long as another source reports the work that
//!    it reported before.
//! 7. A source that withdraws its reports, as tools do when they end, makes older reports of lower sources void.
//! 8. Reports of the same time from different sources give the same conclusion in any order.
//! 9. A missing login is the report of the tool itself if a hook or a stream reports it, whatever other sources report it, too.
//! 10. A wait that a hook reports counts over work that a higher source has reported earlier, or in the same moment: a tool that
//!     asks its hook first shows nothing of the wait until the hook has ended. A missing login that the screen shows counts in the same
//!     way: the tool reports only that it works, and tries again and again.
//! 11. A dialog on the screen counts over the work or idleness that another source has reported earlier: of some dialogs a tool reports
//!     nothing.
//! 12. A wait without a text has that of the last request that was not answered: a tool that was left to ask in its terminal asks the same.
//! 13. The start of a session that a hook reports counts over a later idle title, until another report says that a turn has begun.

use super::doing::{Doing, Work};
use super::observation::Source;
use super::state::{AgentState, Latest};
use crate::domain::{AskKind, Span, Timestamp};

/// Time for which an agent is presumed to work after its wait has ended.
const AFTER_ANSWER: Span = Span::seconds(2);
/// Maximum age of another report, before the report that counts, at which it may still complete that one.
const TOGETHER: Span = Span::seconds(2);

/// Time after a report in which a tool has drawn what it reported: a dialog that is on the screen then is not the one before it.
const REDRAWN: Span = Span(2_500);

/// State of an agent, with the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    pub doing: Doing,
    /// Time since when its source has reported this.
    pub since: Timestamp,
    /// Source of the conclusion; `None` if nothing is known except that the process was started.
    pub source: Option<Source>,
    /// Time since the last report of the source.
    pub age: Span,
    /// True if the report is over its lifetime and nothing newer says otherwise.
    pub is_stale: bool,
    /// True if no source reports this yet: a wait was answered, or a key was typed, and the agent is presumed to continue.
    pub is_presumed: bool,
    /// Source beside the terminal's output that reports the same: then it is the tool's word, and not only something that was printed.
    pub confirmed_by: Option<Source>,
}

/// A report as it counts now: an ended wait has become work.
pub(super) struct Candidate {
    pub(super) source: Source,
    pub(super) doing: Doing,
    pub(super) at: Timestamp,
    pub(super) since: Timestamp,
    expires: Option<Timestamp>,
    /// End of the wait that was reported.
    pub(super) ended: Option<Timestamp>,
}

impl AgentState {
    /// Concludes the state of the agent at that time.
    pub fn conclude(&self, now: Timestamp) -> Conclusion {
        let candidates = self.candidates(now);
        let Some(winner) = winner(&candidates, now) else {
            return self.without_reports(now);
        };
        let mut doing = winner.doing.clone();
        for other in candidates.iter().filter(|other| other.source != winner.source) {
            doing = completed(doing, winner, other);
        }
        if let Doing::Blocked(wait) = &mut doing
            && wait.text.is_empty()
        {
            wait.text = self.unanswered_request().unwrap_or_default();
        }
        if doing.is_between_turns() {
            let mut children = self.children().into_iter();
            if let Some(child) = children.find(|child| child.source <= winner.source) {
                doing = Doing::Background(child.name);
            }
        }
        let mut candidates = candidates.iter();
        let confirmed_by = candidates.find(|candidate| {
            let is_same = std::mem::discriminant(&candidate.doing) == std::mem::discriminant(&doing);
            candidate.source.comes_beside_output() && is_same && !candidate.is_expired(now)
        });
        Conclusion {
            doing,
            since: winner.since,
            source: Some(winner.source),
            age: now.since(winner.at),
            is_stale: winner.is_expired(now),
            is_presumed: winner.ended.is_some(),
            confirmed_by: confirmed_by.map(|candidate| candidate.source),
        }
    }

    /// Returns the time at which the conclusion may change without another report: a report comes to the end of its life.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        let candidates = self.candidates(now);
        let ends = candidates.iter().filter_map(|candidate| candidate.expires);
        let drawn = candidates.iter().map(|candidate| candidate.since + REDRAWN);
        let is_shown = matches!(self.latest(Source::Screen), Some(Doing::Blocked(_)));
        let next = ends
            .chain(drawn.filter(|_| is_shown))
            .filter(|end| *end >= now)
            .min()?;
        Some(next + Span(1))
    }

    /// Returns the current report of each source, highest rank first; without those that are withdrawn or void.
    pub(super) fn candidates(&self, now: Timestamp) -> Vec<Candidate> {
        let mut withdrawn = None;
        let mut candidates = Vec::new();
        for (source, latest) in &self.latest {
            match self.candidate(*source, latest, now) {
                Some(candidate) if withdrawn.is_none_or(|end| candidate.at >= end) => {
                    candidates.push(candidate);
                }
                Some(_) => {}
                None => withdrawn = withdrawn.max(Some(latest.at)),
            }
        }
        candidates
    }

    fn candidate(&self, source: Source, latest: &Latest, now: Timestamp) -> Option<Candidate> {
        let doing = latest.doing.clone()?;
        let takes_back = !source.is_sticky() && latest.over.is_none() && self.is_answer_typed;
        let is_taken_back = |end: &Timestamp| !takes_back || now <= *end + AFTER_ANSWER;
        if let Some(end) = self.end_of_wait(source, latest).filter(is_taken_back) {
            return Some(Candidate {
                source,
                doing: Doing::WORKING,
                at: end,
                since: end,
                expires: Some(end + AFTER_ANSWER),
                ended: Some(end),
            });
        }
        let lifetime = source.lifetime(&doing).map(|span| latest.at + span);
        let expires = match &doing {
            Doing::Limit { until, .. } => until.or(lifetime),
            _ => lifetime,
        };
        Some(Candidate {
            source,
            doing,
            at: latest.at,
            since: latest.since,
            expires,
            ended: None,
        })
    }

    /// Concludes the state without reports: before the first report an agent starts; when every source withdrew its report, its turn is
    /// over.
    fn without_reports(&self, now: Timestamp) -> Conclusion {
        let last = self.latest.values().map(|latest| latest.at).max();
        Conclusion {
            doing: last.map_or(Doing::Starting, |_| Doing::Idle),
            since: last.unwrap_or(now),
            source: None,
            age: now.since(last.unwrap_or(now)),
            is_stale: false,
            is_presumed: false,
            confirmed_by: None,
        }
    }
}

impl Candidate {
    /// Returns true if this is a wait reported by a hook and the other is work reported before it, or in the same millisecond: the reports
    /// that a server gets again after its start all have one time. Or if this is a dialog on the screen, and the other report is older and
    /// gives no reason to wait.
    ///
    /// The same holds for a request that a screen shows as refused for want of a login, while the tool goes on trying.
    pub(super) fn interrupts(&self, other: &Candidate, now: Timestamp) -> bool {
        let works = other.ended.is_none() && matches!(other.doing, Doing::Working(_));
        match (self.source, &self.doing) {
            (Source::Hook, Doing::Blocked(_)) => works && self.since >= other.since,
            (Source::Screen, Doing::NotLoggedIn { .. }) if other.source == Source::StatusRecord => {
                works && self.since >= other.since
            }
            (Source::Screen, Doing::Blocked(_)) => {
                let is_older = self.at > other.since && now.since(other.since) >= REDRAWN;
                is_older && other.doing.has_no_trouble()
            }
            _ => false,
        }
    }

    /// Returns true if this is a start that a hook reports, and the other is an idle title, which a tool has before its first turn, too.
    fn outlasts(&self, other: &Candidate) -> bool {
        let starts = self.source == Source::Hook && self.doing == Doing::Starting;
        starts && other.source == Source::Title && other.doing == Doing::Idle
    }

    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|end| now > end)
    }
}

/// The report that counts, of those listed by rank.
pub(super) fn winner(candidates: &[Candidate], now: Timestamp) -> Option<&Candidate> {
    let (first, lower) = candidates.split_first()?;
    Some(lower.iter().fold(first, |best, next| {
        let is_over = best.is_expired(now) && !best.outlasts(next);
        if (is_over && next.at > best.at) || next.interrupts(best, now) {
            next
        } else {
            best
        }
    }))
}

/// Completes the state that counts with another source's report of the same.
fn completed(doing: Doing, winner: &Candidate, other: &Candidate) -> Doing {
    let together = other.at + TOGETHER >= winner.at;
    let nothing_began = winner.since <= other.at;
    let is_idle_since = winner.since <= other.at + TOGETHER;
    match (doing, &other.doing) {
        (Doing::Working(Work::Unspecified), Doing::Working(work)) => Doing::Working(work.clone()),
        (Doing::Working(Work::Unspecified), Doing::Background(what)) if together || nothing_began => {
            Doing::Background(what.clone())
        }
        // A status record only counts them.
        (Doing::Background(_), Doing::Background(names)) if together && other.source == Source::Hook => {
            Doing::Background(names.clone())
        }
        (Doing::Blocked(mut wait), Doing::Blocked(more)) if together => {
            if wait.text.is_empty() {
                wait.text.clone_from(&more.text);
            }
            let is_named = other.source != Source::Screen || more.kind != AskKind::Dialog;
            if wait.kind == AskKind::Permission && is_named {
                wait.kind = more.kind;
            }
            Doing::Blocked(wait)
        }
        // The same without its words.
        (Doing::Done { problem: Some(words) }, more @ Doing::Done { problem: Some(_) })
            if words.is_empty() && together =>
        {
            more.clone()
        }
        (Doing::NotLoggedIn { text }, more @ Doing::NotLoggedIn { .. }) if text.is_empty() && together => {
            more.clone()
        }
        (
            Doing::Limit { until, text },
            Doing::Limit {
                until: end,
                text: words,
            },
        ) if together => Doing::Limit {
            until: until.or(*end),
            text: if text.is_empty() { words.clone() } else { text },
        },
        // The reason why a turn failed says more than the failure alone.
        (Doing::Done { .. }, more @ (Doing::Limit { .. } | Doing::NotLoggedIn { .. })) if together => {
            more.clone()
        }
        (Doing::Idle, more @ Doing::Done { problem: Some(_) }) if is_idle_since => more.clone(),
        (
            doing,
            more @ (Doing::Limit { .. }
            | Doing::NotLoggedIn { .. }
            | Doing::Background(_)
            | Doing::Done { problem: Some(_) }),
        ) if together && doing.is_between_turns() => more.clone(),
        (doing, _) => doing,
    }
}
