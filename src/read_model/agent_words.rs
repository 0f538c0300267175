//! Activity of an agent, or of the engine, at an attempt.

use super::LiveActivity;
use super::standing::{DisplayStatus, Standing};
use crate::domain::attempt::{Activity, ActivityKind, Attempt, AttemptState};
use crate::domain::{EngineAction, Span, Timestamp, Tri, Worker};

/// Time that a program has after its start before its silence is worth a word.
const STARTING: Span = Span::seconds(60);

/// Time of a look, and the reports of the agent until then in addition to the board.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub now: Timestamp,
    pub live: Option<&'a LiveActivity>,
}

/// Returns the words for an attempt.
pub fn attempt_standing(attempt: &Attempt, look: Look<'_>) -> Standing {
    let since = attempt.started_at.unwrap_or(attempt.created_at);
    let has_said = attempt.activity.is_known() && attempt.activity.doing != ActivityKind::Starting;
    let standing = match &attempt.state {
        // Its activity may be reported before its start is.
        AttemptState::Starting if has_said => agent_standing(&attempt.activity, look),
        AttemptState::Starting => Standing::new(DisplayStatus::Starting, "starting", attempt.created_at),
        AttemptState::Stopping(cause) => {
            Standing::new(DisplayStatus::Quiet, "stopping", since).because(cause.word())
        }
        AttemptState::Verifying => verifying(attempt, since, look.now),
        AttemptState::Settled(_) => {
            Standing::new(DisplayStatus::Quiet, "ended", attempt.ended_at.unwrap_or(since))
        }
        AttemptState::Running => match attempt.worker {
            Worker::Agent { .. } => asking(attempt, agent_standing(&attempt.activity, look), look.now),
            Worker::Engine(action) => Standing::new(DisplayStatus::Gate, action_word(action), since),
        },
    };
    match &attempt.obstacle {
        Some(obstacle) if attempt.state.is_open() => standing.because(obstacle.why.first_line()),
        _ => standing,
    }
}

/// Standing of an agent that rests while a question of it is open, which is what a person has to know; any other stays as it is.
fn asking(attempt: &Attempt, standing: Standing, now: Timestamp) -> Standing {
    if standing.mark != DisplayStatus::Idle {
        return standing;
    }
    match attempt.open_asks(now).last() {
        Some(open) => {
            Standing::new(DisplayStatus::NeedsYou, "asks", open.since).because(as_question(&open.ask.text))
        }
        None => standing,
    }
}

/// Returns the standing of an attempt whose checks run, or could not be run and are tried again.
fn verifying(attempt: &Attempt, since: Timestamp, now: Timestamp) -> Standing {
    let has_ended = attempt.activity.doing == ActivityKind::Exited;
    let since = if has_ended { attempt.activity.since } else { since };
    let standing = Standing::new(DisplayStatus::Gate, "verifying", since);
    let unknown = attempt.evidence.iter().find_map(|found| match &found.outcome {
        Tri::Unknown(why) => Some(why.first_line()),
        Tri::Yes | Tri::No(_) => None,
    });
    match (unknown, attempt.deadline) {
        (Some(why), Some(again)) if attempt.awaited.is_none() => {
            let wait = again.since(now);
            standing.because(format!("could not be checked yet, again in {wait}: {why}"))
        }
        _ => standing,
    }
}

fn action_word(action: EngineAction) -> &'static str {
    match action {
        EngineAction::Merge => "merging",
        EngineAction::Commit => "committing",
        EngineAction::Verify => "verifying",
    }
}

/// Returns the standing of a running agent. The present report of its sources is finer than the state on the board, except for waits that a
/// person can end: those the board knows.
fn agent_standing(activity: &Activity, look: Look<'_>) -> Standing {
    let is_plain = activity.doing.is_work() || activity.doing == ActivityKind::Idle;
    let is_finer = |live: &&LiveActivity| live.is_finer() && !(live.is_still() && activity.is_known());
    let finer = look.live.filter(|live| is_plain && is_finer(live));
    let Some(live) = finer else {
        return activity_standing(activity, look.now);
    };
    let said = live.summary();
    let (word, reason) = said.split_once(": ").unwrap_or((&said, ""));
    let mark = match word {
        "idle" => DisplayStatus::Idle,
        STARTS => DisplayStatus::Starting,
        _ if live.is_still() => DisplayStatus::Unsure,
        _ => DisplayStatus::Running,
    };
    let since = if activity.is_known() {
        activity.since
    } else {
        live.since
    };
    Standing::new(mark, word, since).because(reason)
}

/// The word for an agent that was started and has not said anything.
const STARTS: &str = "starting";

/// Returns the standing of an agent by the state on the board.
fn activity_standing(activity: &Activity, now: Timestamp) -> Standing {
    let since = activity.since;
    if !activity.is_known() {
        let is_new = now.since(since) < STARTING;
        let (mark, word) = if is_new {
            (DisplayStatus::Starting, STARTS)
        } else {
            (DisplayStatus::Unsure, "nothing reported yet")
        };
        return Standing::new(mark, word, since);
    }
    let (word, reason) = doing_words(&activity.doing, now);
    Standing::new(mark_of(&activity.doing), word, since).because(reason)
}

fn mark_of(doing: &ActivityKind) -> DisplayStatus {
    match doing {
        ActivityKind::Starting => DisplayStatus::Starting,
        ActivityKind::Working | ActivityKind::Background(_) => DisplayStatus::Running,
        ActivityKind::Permission(_)
        | ActivityKind::Question(_)
        | ActivityKind::Dialog(_)
        | ActivityKind::NotLoggedIn(_)
        | ActivityKind::Error(_)
        | ActivityKind::Suspended => DisplayStatus::NeedsYou,
        ActivityKind::Limit { .. } | ActivityKind::Failed(_) => DisplayStatus::Quiet,
        ActivityKind::Idle => DisplayStatus::Idle,
        ActivityKind::Exited => DisplayStatus::Gate,
        ActivityKind::Lost => DisplayStatus::Unsure,
    }
}

/// Returns a word for the activity of an agent, and the agent's own words for it.
pub fn doing_words(doing: &ActivityKind, now: Timestamp) -> (&'static str, String) {
    match doing {
        ActivityKind::Starting => (STARTS, String::new()),
        ActivityKind::Working => ("working", String::new()),
        ActivityKind::Background(what) => ("working in the background", what.clone()),
        ActivityKind::Permission(what) if what.is_empty() => ("asks for a permission", String::new()),
        ActivityKind::Permission(what) => ("asks", as_question(what)),
        ActivityKind::Question(what) => ("asks", what.clone()),
        ActivityKind::Dialog(what) => ("shows a dialog", what.clone()),
        ActivityKind::Limit { until: None, why } => ("usage limit", why.clone()),
        ActivityKind::Limit {
            until: Some(until),
            why,
        } => ("usage limit", format!("{} left: {why}", until.since(now))),
        ActivityKind::NotLoggedIn(why) => ("not logged in", why.clone()),
        ActivityKind::Failed(why) => ("turn failed", why.clone()),
        ActivityKind::Error(why) => ("error", why.clone()),
        ActivityKind::Idle => ("idle", String::new()),
        ActivityKind::Suspended => ("stopped", "its program does nothing, as after Ctrl-Z".to_owned()),
        ActivityKind::Exited => ("ended", String::new()),
        ActivityKind::Lost => ("lost", "its process is not found".to_owned()),
    }
}

/// Returns a text as a question; one that is a question already, or a whole sentence, gets no mark after its own.
pub fn as_question(what: &str) -> String {
    let is_whole = what.contains('?') || what.ends_with(['.', '!', '…']);
    let mark = if is_whole { "" } else { "?" };
    format!("{what}{mark}")
}

/// Returns the word for the source of an agent's activity.
pub fn source_words(activity: &Activity) -> &str {
    match activity.source.as_str() {
        "osc 7501" => "report",
        "started" => "start",
        "exit" => "end",
        other => other,
    }
}

/// Returns a notice that the report of an attempt came as a file: then only its token shows which process sent it.
pub fn file_report_words(attempt: &Attempt) -> Option<String> {
    let last = attempt.signals.iter().rfind(|signal| signal.by_file)?;
    Some(format!("reported {} by a file, not over the socket", last.kind))
}

#[cfg(test)]
mod tests {
    use super::as_question;

    #[test]
    fn what_is_asked_gets_one_mark_at_its_end() {
        for (what, wanted) in [
            ("Bash: make", "Bash: make?"),
            (
                "may it begin? It wrote down no plan",
                "may it begin? It wrote down no plan",
            ),
            ("Paint the shop green.", "Paint the shop green."),
            ("Bash: echo lon…", "Bash: echo lon…"),
        ] {
            assert_eq!(as_question(what), wanted);
        }
    }
}
