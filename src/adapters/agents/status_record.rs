//! Status records (OSC 7501) of an agent, read from its terminal or written for an agent that is shown by this program. Claude Code sends
//! them when the terminal answers its query, Codex unasked.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::adapters::agents::json_report::{failed, harmless};
use crate::agent_state::{AgentReport, Doing, Seen, Wait, Work};
use crate::domain::AskKind;
use crate::term::{ReportedState, StatusRecord};

/// The name of this program in its records.
const OWN: &str = "dbs";
/// Prefix of the text of our records while a request is tried again.
const RETRY: &str = "retry ";

/// Reads a record.
pub fn read(record: &StatusRecord) -> AgentReport {
    AgentReport::of(match &record.id {
        Some(id) => child(id, record),
        None => root(record),
    })
}

/// A record with an id is about a subagent or a background command.
fn child(id: &str, record: &StatusRecord) -> Seen {
    let id = harmless(id);
    if record.state == ReportedState::Clear {
        return Seen::ChildGone { id };
    }
    let name = record.title.as_deref().or(record.text.as_deref());
    Seen::Child {
        id,
        name: harmless(name.unwrap_or_default()),
    }
}

fn root(record: &StatusRecord) -> Seen {
    let text = harmless(
        record
            .text
            .as_deref()
            .or(record.title.as_deref())
            .unwrap_or_default(),
    );
    let kind = record.kind.as_deref();
    Seen::Doing(match record.state {
        ReportedState::Idle => Doing::Idle,
        ReportedState::Done => Doing::DONE,
        ReportedState::Error => failed(&text),
        ReportedState::Working if text.ends_with("still running") => Doing::Background(text),
        ReportedState::Working => Doing::Working(own_retry(record).unwrap_or_default()),
        ReportedState::Blocked if kind == Some("auth") => Doing::NotLoggedIn { text },
        ReportedState::Blocked => Doing::Blocked(Wait::new(ask_kind(kind, &text), text)),
        ReportedState::Clear => return Seen::Withdrawn,
    })
}

/// A request that is tried again, as our own records say it; those of other programs say anything there.
fn own_retry(record: &StatusRecord) -> Option<Work> {
    let text = record
        .text
        .as_deref()
        .filter(|_| record.app.as_deref() == Some(OWN));
    let (attempt, rest) = text?.strip_prefix(RETRY)?.split_once('/')?;
    let (most, why) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(Work::Retry {
        attempt: attempt.parse().ok()?,
        most: most.parse().ok()?,
        why: harmless(why),
    })
}

/// A permission is one of a tool unless it is known to be about a dialog of the program itself, which no yes or no answers.
fn ask_kind(kind: Option<&str>, text: &str) -> AskKind {
    match kind {
        Some("question") => AskKind::Question,
        Some("permission") if !is_dialog(text) => AskKind::Permission,
        _ => AskKind::Dialog,
    }
}

/// Returns true if a report of a permission is about a dialog of Claude Code itself.
fn is_dialog(text: &str) -> bool {
    const DIALOGS: &[&str] = &["trust this folder", "dialog open"];
    DIALOGS.iter().any(|known| text.eq_ignore_ascii_case(known))
}

/// Returns the record of an observation, for a terminal; `None` if no record can express it.
pub fn write(seen: &Seen) -> Option<String> {
    let fields = match seen {
        Seen::Doing(doing) => of_doing(doing)?,
        Seen::Child { id, name } => format!("state=working:id={}:title={}", word(id), STANDARD.encode(name)),
        Seen::ChildGone { id } => format!("state=clear:id={}", word(id)),
        Seen::Withdrawn => "state=clear".to_owned(),
        Seen::Children(_) | Seen::WaitOver { .. } => return None,
    };
    Some(format!("\x1b]7501;{fields}:app={OWN}\x1b\\"))
}

fn of_doing(doing: &Doing) -> Option<String> {
    let said = |state: &str, text: &str| {
        let text = harmless(text);
        if text.is_empty() {
            format!("state={state}")
        } else {
            format!("state={state}:msg={}", STANDARD.encode(text))
        }
    };
    Some(match doing {
        Doing::Working(Work::Retry { attempt, most, why }) => {
            said("working", &format!("{RETRY}{attempt}/{most} {why}"))
        }
        Doing::Working(_) => said("working", ""),
        Doing::Background(text) => said("working", &format!("{text} still running")),
        Doing::Blocked(wait) => {
            let kind = match wait.kind {
                AskKind::Permission | AskKind::Plan => "permission",
                AskKind::Question => "question",
                AskKind::Dialog => "dialog",
            };
            said(&format!("blocked:kind={kind}"), &wait.text)
        }
        Doing::NotLoggedIn { text } => said("blocked:kind=auth", text),
        Doing::Limit { text, .. } | Doing::Done { problem: Some(text) } => said("error", text),
        Doing::Done { problem: None } => said("done", ""),
        Doing::Idle => said("idle", ""),
        Doing::Starting | Doing::Suspended | Doing::Exited(_) | Doing::Lost => return None,
    })
}

/// An id in which nothing ends its field.
fn word(id: &str) -> String {
    id.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(80)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reread(seen: &Seen) -> AgentReport {
        let record = write(seen).unwrap();
        let text = record
            .strip_prefix("\x1b]7501;")
            .and_then(|text| text.strip_suffix("\x1b\\"));
        read(&StatusRecord::parse(text.unwrap()).unwrap())
    }

    #[test]
    fn what_is_written_is_read_again() {
        for doing in [
            Doing::WORKING,
            Doing::DONE,
            Doing::Idle,
            failed("it broke"),
            Doing::Blocked(Wait::new(AskKind::Question, "Which database?")),
            Doing::Blocked(Wait::new(AskKind::Permission, "Bash: touch x")),
            Doing::NotLoggedIn {
                text: "no key".to_owned(),
            },
            Doing::Working(Work::Retry {
                attempt: 2,
                most: 10,
                why: "overloaded error".to_owned(),
            }),
        ] {
            assert_eq!(reread(&Seen::Doing(doing.clone())), AgentReport::doing(doing));
        }
        let child = Seen::Child {
            id: "a1".to_owned(),
            name: "Look around".to_owned(),
        };
        assert_eq!(reread(&child), AgentReport::of(child.clone()));
        let gone = Seen::ChildGone { id: "a1".to_owned() };
        assert_eq!(reread(&gone), AgentReport::of(gone.clone()));
    }

    #[test]
    fn only_our_own_records_say_by_their_text_that_a_request_is_tried_again() {
        let mut record = StatusRecord::parse("state=working:app=dbs:msg=cmV0cnkgMi8xMA==").unwrap();
        let retry = Doing::Working(Work::Retry {
            attempt: 2,
            most: 10,
            why: String::new(),
        });
        assert_eq!(read(&record), AgentReport::doing(retry));
        record.app = Some("claude-code".to_owned());
        assert_eq!(read(&record), AgentReport::doing(Doing::WORKING));
    }

    #[test]
    fn no_text_ends_a_record_early() {
        let child = Seen::Child {
            id: "a\x1b:state=done".to_owned(),
            name: "\x07\x1b\\".to_owned(),
        };
        let record = write(&child).unwrap();
        assert_eq!(record.matches('\x1b').count(), 2, "{record:?}");
        assert!(
            !record.contains('\x07') && record.contains("id=astatedone:"),
            "{record:?}"
        );
    }
}
