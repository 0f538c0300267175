//! What a holder says, into the emulated screen; what the screen answers, back to the program; what an agent reports of
//! itself, to the engine.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::hub::{Inner, Pane, REPLAYED};
use crate::adapters::clock;
use crate::adapters::holder::Requests;
use crate::adapters::holder::protocol::Reply;
use crate::domain::{AttemptId, Doing, Event, Exit};
use crate::ports::holders::{HolderId, Holders};
use crate::term::{AgentState, ReportedState, TermEvent, Terminal, sanitize};

/// Lines of the end of an agent's output that are kept with its crash, and their longest (seeds 2A, death diagnostics).
const LAST_LINES: usize = 15;
const LONGEST_LINE: usize = 200;

/// Reads until the program has ended (answers how), or the connection has (answers nothing).
pub(super) fn read(hub: &Inner, id: &HolderId, pane: &Pane) -> Option<Exit> {
    let mut connection = match hub.holders.connect(id) {
        Ok(connection) => connection,
        Err(error) => {
            tracing::debug!(%id, "could not {error}");
            return None;
        }
    };
    let requests = connection.requests.clone();
    requests.snapshot().ok()?;
    let mut live_from = u64::MAX;
    while let Ok(Some(reply)) = connection.replies.next_reply() {
        match reply {
            Reply::Snapshot(snapshot) => {
                live_from = snapshot.end;
                pane.size.lock().found(snapshot.size);
                pane.terminal
                    .lock()
                    .resize(crate::term::Size::new(snapshot.size.cols, snapshot.size.rows));
                hub.terminals_changed();
                *pane.requests.lock() = Some(requests.clone());
                requests
                    .attach(snapshot.end.saturating_sub(REPLAYED).max(snapshot.oldest))
                    .ok()?;
            }
            Reply::Output { offset, bytes } => {
                let events = pane.terminal.lock().feed(clock::now().0, &bytes);
                // Questions from before were answered then; answering them again would type into the program.
                let past = offset < live_from;
                for event in events {
                    take(hub, id, &requests, event, past);
                }
                hub.wrote(pane);
            }
            Reply::Exited(end) => return Some(end.exit),
            Reply::Replaced => return None,
            Reply::Gap { .. }
            | Reply::Welcome { .. }
            | Reply::Stopped { .. }
            | Reply::Refused { .. }
            | Reply::InputDropped { .. } => {}
        }
        if hub.is_closing() {
            return None;
        }
    }
    None
}

/// Shows again what a program that has ended wrote last.
pub(super) fn replay(hub: &Inner, id: &HolderId, pane: &Pane) {
    if pane.alive.load(Ordering::Acquire) {
        let bytes = hub.holders.tail(id, REPLAYED);
        pane.terminal.lock().feed(clock::now().0, &bytes);
    }
}

fn take(hub: &Inner, id: &HolderId, requests: &Requests, event: TermEvent, past: bool) {
    match event {
        TermEvent::Reply(bytes) if !past => drop(requests.input(&bytes)),
        TermEvent::AgentState(state) => {
            if let Some(attempt) = id.attempt() {
                observe(hub, attempt, &state);
            }
        }
        TermEvent::Reply(_)
        | TermEvent::Title(_)
        | TermEvent::Bell
        | TermEvent::Notification(_)
        | TermEvent::Progress(_)
        | TermEvent::Prompt(_)
        | TermEvent::Cwd(_)
        | TermEvent::Clipboard(_)
        | TermEvent::HistoryMark
        | TermEvent::EngineRebuilt => {}
    }
}

/// A report of the program's own (OSC 7501) becomes an observation; records of parts of it (`id`) do not.
fn observe(hub: &Inner, attempt: AttemptId, state: &AgentState) {
    let said = || {
        sanitize(
            state
                .text
                .as_deref()
                .or(state.title.as_deref())
                .unwrap_or_default(),
        )
        .into_owned()
    };
    let doing = match (state.state, state.kind.as_deref()) {
        _ if state.id.is_some() => return,
        (ReportedState::Working, _) => Doing::Working,
        (ReportedState::Blocked, Some("question")) => Doing::Question(said()),
        (ReportedState::Blocked, _) => Doing::Permission(said()),
        (ReportedState::Idle | ReportedState::Done | ReportedState::Error, _) => Doing::Idle,
        (ReportedState::Clear, _) => return,
    };
    // An engine that has stopped shows nothing anyway.
    let _stopped = hub.inbox.put(Event::Observed {
        attempt,
        doing,
        source: "osc 7501".to_owned(),
    });
}

/// The last lines with something on them, cleaned and cut.
pub(super) fn last_lines(terminal: &mut Terminal) -> String {
    let text = terminal.text(0, terminal.size().rows.saturating_sub(1), 0);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let kept = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
    let cut = kept.map(|line| sanitize(line).chars().take(LONGEST_LINE).collect::<String>());
    cut.collect::<Vec<_>>().join("\n")
}

/// Keeps the compiler honest about what is shared between threads.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Arc<Pane>>();
};
