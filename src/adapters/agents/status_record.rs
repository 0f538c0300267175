//! What a status record (OSC 7501) says of an agent. Claude Code sends them when the terminal answers its query, Codex unasked.

use crate::adapters::agents::json_report::{failed, harmless};
use crate::agent_state::{AgentReport, Doing, Seen, Wait, Work};
use crate::domain::AskKind;
use crate::term::{ReportedState, StatusRecord};

/// What a record says.
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
        ReportedState::Working => Doing::Working(Work::Unspecified),
        ReportedState::Blocked if kind == Some("auth") => Doing::NotLoggedIn { text },
        ReportedState::Blocked => Doing::Blocked(Wait::new(ask_kind(kind, &text), text)),
        ReportedState::Clear => return Seen::Withdrawn,
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

/// Whether a report of a permission is about a dialog of Claude Code itself.
fn is_dialog(text: &str) -> bool {
    const DIALOGS: &[&str] = &["trust this folder", "dialog open"];
    DIALOGS.iter().any(|known| text.eq_ignore_ascii_case(known))
}
