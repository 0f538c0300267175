//! A durable event as tools see it. The fields are a promise (`docs/events.md`): they may grow, but none changes its meaning without
//! another `schema`. Data that only the program itself needs is not among them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::adapters::store::StoreReader;
use crate::domain::attempt::Workplace;
use crate::domain::event::{ActionOutcome, EndCause, Inventory};
use crate::domain::{
    AttemptId, Cause, Command, Event, Evidence, GateBaseline, Notice, ProcessExit, StageId, TaskId, Tri,
    Workflow,
};
use crate::formats::tag::tag_and_content;
use crate::ports::store::{StoreError, StoredEvent};

/// Version of the fields' meaning; grows when one of them changes its meaning.
const SCHEMA: u32 = 1;

/// Stored event as `dbs events` prints it.
#[derive(Debug, Serialize)]
pub(super) struct EventLine {
    schema: u32,
    seq: u64,
    session: u64,
    at: u64,
    time: String,
    kind: &'static str,
    task: Option<TaskId>,
    attempt: Option<AttemptId>,
    /// Stage and worker of the attempt (K82).
    stage: Option<StageId>,
    agent: Option<String>,
    facts: Value,
    notices: Vec<Notice>,
}

/// Task, stage and worker of each attempt that the printed events mention.
#[derive(Debug, Default)]
pub(super) struct TaskByAttempt(BTreeMap<AttemptId, (TaskId, StageId, String)>);

impl TaskByAttempt {
    /// Looks up the attempts of these events.
    pub(super) fn add(&mut self, reader: &StoreReader, events: &[StoredEvent]) -> Result<(), StoreError> {
        let mut named = events.iter().filter_map(|stored| stored.event.attempt());
        if named.all(|attempt| self.0.contains_key(&attempt)) {
            return Ok(());
        }
        let from = self.0.last_key_value().map_or(0, |(last, _)| last.0 + 1);
        let found = reader.attempts(AttemptId(from))?;
        self.0.extend(found.into_iter().map(|attempt| {
            let agent = attempt.worker.name().to_owned();
            (attempt.id, (attempt.task, attempt.stage, agent))
        }));
        Ok(())
    }
}

impl EventLine {
    /// Builds the event as tools see it.
    pub(super) fn of(stored: &StoredEvent, tasks: &TaskByAttempt) -> EventLine {
        let attempt = stored.event.attempt();
        let known = attempt.and_then(|attempt| tasks.0.get(&attempt)).cloned();
        let (of_attempt, stage, agent) = known.map_or((None, None, None), |(task, stage, agent)| {
            (Some(task), Some(stage), Some(agent))
        });
        let (kind, facts) = kind_and_facts(&stored.event);
        EventLine {
            schema: SCHEMA,
            seq: stored.seq,
            session: stored.session,
            at: stored.at.0,
            time: i64::try_from(stored.at.0)
                .ok()
                .and_then(|at| jiff::Timestamp::from_millisecond(at).ok())
                .map(|at| format!("{at:.3}"))
                .unwrap_or_default(),
            kind,
            task: task_of(&stored.event).or(of_attempt),
            attempt,
            stage,
            agent,
            facts,
            notices: stored.notices.clone(),
        }
    }

    /// Returns the event for people: position, time, kind, task, and its notices.
    pub(super) fn for_people(&self) -> String {
        let task = self.task.as_ref().map_or("", TaskId::as_str);
        let notices: Vec<&str> = self.notices.iter().map(|notice| notice.text.as_str()).collect();
        format!(
            "{:>6}  {}  {:<18} {task:<12} {}",
            self.seq,
            self.time,
            self.kind,
            notices.join("; ")
        )
        .trim_end()
        .to_owned()
    }
}

/// Returns the task that an event names itself.
fn task_of(event: &Event) -> Option<TaskId> {
    let command = match event {
        Event::Asked { command, .. } => command,
        Event::BaseMoved { task, .. } | Event::Delivered { task, .. } | Event::MergeSeen { task, .. } => {
            return Some(task.clone());
        }
        _ => return None,
    };
    let is_one = !matches!(command, Command::CreateAll(_));
    let has_other = matches!(
        command,
        Command::AddDependency(..) | Command::RemoveDependency(..)
    );
    match command.tasks().as_slice() {
        [one] if is_one => Some(one.clone()),
        [one, _] if has_other => Some(one.clone()),
        _ => None,
    }
}

/// Returns the kind of an event and the facts of that kind.
fn kind_and_facts(event: &Event) -> (&'static str, Value) {
    match event {
        Event::Asked { by, command, .. } => ("asked", asked(by, command)),
        // A setting may be secret, and `dbs config` shows it to those who may see it.
        Event::Configured(_) => ("configured", json!({})),
        Event::WorkflowsLoaded(flows) => ("workflows_loaded", json!({ "workflows": names_of(flows) })),
        Event::WorkplaceMade { .. } => ("workplace_made", workplace_made(event)),
        Event::AttemptStarted { workplace, .. } => ("attempt_started", place(workplace, &[])),
        Event::AttemptNotStarted { why, .. } => ("attempt_not_started", trouble_of(why)),
        Event::SessionLost { why, .. } => ("session_lost", json!({ "why": why })),
        Event::AttemptUnknown { why, .. } => ("attempt_unknown", trouble_of(why)),
        Event::Signalled {
            kind,
            text,
            report,
            by_file,
            ..
        } => (
            "signalled",
            json!({ "signal": kind.to_string(), "text": text, "report": report, "by_file": by_file }),
        ),
        Event::ModelReported { model, .. } => ("model_reported", json!({ "model": model })),
        Event::SubagentSeen { name, .. } => ("subagent_seen", json!({ "name": name })),
        Event::Observed { doing, source, .. } => {
            let (doing, text) = tagged(doing);
            (
                "observed",
                json!({ "doing": doing, "text": text, "source": source }),
            )
        }
        Event::UsageReported { usage, context, .. } => {
            ("usage_reported", json!({ "usage": usage, "context": context }))
        }
        Event::ContextCompacted { .. } => ("context_compacted", json!({})),
        Event::WorkSaved { work, .. } => ("work_saved", json!({ "work": work })),
        Event::AskOpened { .. }
        | Event::AskWithdrawn { .. }
        | Event::AnswerTyped { .. }
        | Event::AnswerLost { .. }
        | Event::TextLost { .. }
        | Event::MenuSeen { .. } => ask_facts(event),
        Event::AttemptEnded {
            exit, tail, cause, ..
        } => (
            "attempt_ended",
            json!({ "exit": exit_of(exit), "tail": tail, "cause": cause.as_ref().map(cause_of) }),
        ),
        Event::ActionEnded { outcome, .. } => ("action_ended", outcome_of(outcome)),
        Event::Verified { .. } => ("verified", verified(event)),
        Event::BaseMoved { moved, .. } => ("base_moved", json!(moved)),
        Event::Delivered { delivery, .. } => ("delivered", json!(delivery)),
        Event::MergeSeen { commit, .. } => ("merge_seen", json!({ "commit": commit })),
        Event::GitChanged { changes, .. } => ("git_changed", json!({ "changes": changes })),
        Event::WorkspaceSettled { .. } => ("workspace_settled", workspace_settled(event)),
        Event::Performed { key, problem } => ("performed", json!({ "what": key, "problem": problem })),
        Event::Woke(found) => ("woke", inventory(found)),
        Event::ClockJumped { by } => ("clock_jumped", json!({ "by": by })),
        Event::Ticked => ("ticked", json!({})),
    }
}

fn names_of(flows: &[Workflow]) -> Vec<&str> {
    flows.iter().map(|flow| flow.id.as_str()).collect()
}

fn trouble_of(why: &Cause) -> Value {
    json!({ "why": why.text, "trouble": why.kind })
}

/// Returns the same for an event about an ask.
fn ask_facts(event: &Event) -> (&'static str, Value) {
    match event {
        Event::AskOpened { ask, rule, .. } => (
            "ask_opened",
            json!({ "ask": ask, "rule": rule.as_ref().map(|(name, _)| name) }),
        ),
        Event::AskWithdrawn { ask, .. } => ("ask_withdrawn", json!({ "ask": { "id": ask } })),
        Event::AnswerTyped { ask, .. } => ("answer_typed", json!({ "ask": { "id": ask } })),
        Event::AnswerLost { ask, problem, .. } => {
            ("answer_lost", json!({ "ask": { "id": ask }, "problem": problem }))
        }
        Event::TextLost { text, problem, .. } => ("text_lost", json!({ "text": text, "problem": problem })),
        Event::MenuSeen { options, .. } => ("menu_seen", json!({ "options": options })),
        _ => ("other", json!({})),
    }
}

fn asked(by: &str, command: &Command) -> Value {
    let (what, more) = match command {
        Command::PutBatch {
            id, title, options, ..
        } => ("batch", json!({ "batch": id, "text": title, "options": options })),
        Command::ChangeBatch { id, change, .. } => (
            "batch",
            json!({ "batch": id, "text": change.title, "base": change.base, "needs": change.needs, "options": change.options }),
        ),
        Command::PutJob(id, job) => ("make", json!({ "batch": id, "text": job.feature })),
        Command::MoveJob(id, step) => ("make_step", json!({ "batch": id, "step": step })),
        Command::All(commands) => {
            let all: Vec<Value> = commands.iter().map(|command| asked(by, command)).collect();
            ("all", json!({ "commands": all }))
        }
        Command::ReleaseBatch(id) => ("release_batch", json!({ "batch": id })),
        Command::Create(draft) => ("create", json!({ "text": draft.title, "batch": draft.batch })),
        Command::CreateAll(_) => ("create_all", json!({ "tasks": command.tasks() })),
        Command::Update(_, patch) => ("update", json!({ "text": patch.title, "stage": patch.stage })),
        Command::Comment(_, text) => ("comment", json!({ "text": text })),
        Command::AddDependency(_, on) => ("add_dependency", json!({ "on": on })),
        Command::RemoveDependency(_, on) => ("remove_dependency", json!({ "on": on })),
        Command::Release(tasks) => ("release", json!({ "tasks": tasks })),
        Command::Withdraw(_) => ("withdraw", json!({})),
        Command::Undo(tasks) => ("undo", json!({ "tasks": tasks })),
        Command::Park(_, why) => ("park", json!({ "text": why })),
        Command::Close(_, why) => ("close", json!({ "text": why })),
        Command::Retry { stage, note, .. } => ("retry", json!({ "text": note, "stage": stage })),
        Command::Approve(_) => ("approve", json!({})),
        Command::Reject(_, why) => ("reject", json!({ "text": why })),
        Command::Skip(_) => ("skip", json!({})),
        Command::Answer(_, text) => ("answer", json!({ "text": text })),
        Command::AnswerAsk { ask, reply, .. } => {
            ("answer_ask", json!({ "ask": { "id": ask }, "reply": reply }))
        }
        Command::Interrupt(_) => ("interrupt", json!({})),
        Command::Kill(_) => ("kill", json!({})),
        Command::SetMode(_, mode) => ("mode", json!({ "mode": mode })),
        Command::Merged(_) => ("merged", json!({})),
        Command::Pulled(base) => ("pulled", json!({ "base": base })),
        Command::Clear => ("clear", json!({})),
        Command::Pause => ("pause", json!({})),
        Command::Resume => ("resume", json!({})),
    };
    let mut facts = json!({ "by": by, "command": what });
    if let (Value::Object(facts), Value::Object(more)) = (&mut facts, more) {
        facts.extend(more);
    }
    facts
}

/// Returns the word for the case of an enum's value, and its text.
fn tagged(value: &impl Serialize) -> (String, Value) {
    tag_and_content(value).unwrap_or_default()
}

fn verified(event: &Event) -> Value {
    let Event::Verified {
        evidence,
        head,
        integration,
        ..
    } = event
    else {
        return json!({});
    };
    let all: Vec<Value> = evidence.iter().map(evidence_of).collect();
    json!({ "evidence": all, "head": head, "base_holds": null, "integration": integration })
}

fn workspace_settled(event: &Event) -> Value {
    let Event::WorkspaceSettled {
        problem, kept, files, ..
    } = event
    else {
        return Value::Null;
    };
    json!({ "problem": problem, "kept": kept, "files": files })
}

fn workplace_made(event: &Event) -> Value {
    let Event::WorkplaceMade {
        workplace,
        kept,
        gates_before,
        ..
    } = event
    else {
        return Value::Null;
    };
    let of_gate = |gate: &GateBaseline| {
        let (seen, why) = seen(&gate.outcome);
        json!({ "name": gate.name, "seen": seen, "why": why })
    };
    let gates: Vec<Value> = gates_before.iter().map(of_gate).collect();
    let mut facts = place(workplace, kept);
    if let Some(fields) = facts.as_object_mut() {
        fields.insert("gates_before".to_owned(), gates.into());
    }
    facts
}

fn place(workplace: &Workplace, kept: &[String]) -> Value {
    json!({ "folder": workplace.path, "branch": workplace.branch, "start": workplace.start, "kept": kept })
}

fn exit_of(exit: &ProcessExit) -> Value {
    match exit {
        ProcessExit::Code(code) => json!({ "code": code }),
        ProcessExit::Signal(signal) => json!({ "signal": signal }),
        ProcessExit::Vanished => json!({ "vanished": true }),
        ProcessExit::MachineStopped => json!({ "machine_stopped": true }),
        ProcessExit::SessionStopped => json!({ "session_stopped": true }),
        ProcessExit::Together => json!({ "ended_together": true }),
    }
}

fn cause_of(cause: &EndCause) -> Value {
    match cause {
        EndCause::Quota { until, why } => json!({ "class": "quota", "until": until, "why": why }),
        EndCause::Reported => json!({ "class": "reported" }),
        EndCause::Left => json!({ "class": "left" }),
        EndCause::Infra(why) => json!({ "class": "infra", "trouble": why.kind, "why": why.text }),
    }
}

fn outcome_of(outcome: &ActionOutcome) -> Value {
    match outcome {
        ActionOutcome::Done {
            commit,
            evidence,
            check,
        } => {
            let all: Vec<Value> = evidence.iter().map(evidence_of).collect();
            json!({ "outcome": "done", "commit": commit, "evidence": all, "check": check })
        }
        ActionOutcome::HandedOver { branch, evidence } => {
            let all: Vec<Value> = evidence.iter().map(evidence_of).collect();
            json!({ "outcome": "handed_over", "branch": branch, "evidence": all })
        }
        ActionOutcome::Refused(why) => json!({ "outcome": "refused", "why": why }),
        ActionOutcome::Failed(why) => json!({ "outcome": "failed", "why": why }),
        ActionOutcome::Unreviewed(found) => {
            json!({ "outcome": "unreviewed", "why": found.summary(), "integration": found })
        }
        ActionOutcome::Issues(issues) => json!({ "outcome": "issues", "issues": issues }),
        ActionOutcome::Unknown(why) => json!({ "outcome": "unknown", "trouble": why.kind, "why": why.text }),
    }
}

fn evidence_of(evidence: &Evidence) -> Value {
    let (kind, file) = tagged(&evidence.kind);
    let (seen, why) = seen(&evidence.outcome);
    let trouble = match &evidence.outcome {
        Tri::Unknown(why) => Some(why.kind),
        Tri::Yes | Tri::No(_) => None,
    };
    json!({ "kind": kind, "file": file, "seen": seen, "trouble": trouble, "why": why })
}

fn seen(outcome: &Tri) -> (&'static str, Option<&str>) {
    match outcome {
        Tri::Yes => ("yes", None),
        Tri::No(why) => ("no", Some(why.as_str())),
        Tri::Unknown(why) => ("unknown", Some(why.text.as_str())),
    }
}

fn inventory(found: &Inventory) -> Value {
    let ended: Vec<&AttemptId> = found.ended.keys().collect();
    json!({ "running": found.running, "ended": ended, "unknown": found.unknown })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EvidenceKind, RequestId, SignalKind, Timestamp, TroubleKind};

    fn line(event: Event) -> Value {
        let mut tasks = TaskByAttempt::default();
        let known = ("t-1".into(), "development".into(), "developer-ravel".to_owned());
        tasks.0.insert(AttemptId(7), known);
        let stored = StoredEvent {
            seq: 12,
            session: 2,
            at: Timestamp(1_700_000_000_123),
            event,
            notices: Vec::new(),
        };
        serde_json::to_value(EventLine::of(&stored, &tasks)).unwrap()
    }

    #[test]
    fn a_line_says_what_the_document_promises() {
        let signalled = line(Event::Signalled {
            attempt: AttemptId(7),
            kind: SignalKind::Question,
            text: "which port?".to_owned(),
            report: None,
            key: "secret".to_owned(),
            by_file: false,
            claims: crate::domain::Claims::default(),
        });
        let wanted = json!({
            "schema": 1, "seq": 12, "session": 2, "at": 1_700_000_000_123_u64, "time": "2023-11-14T22:13:20.123Z",
            "kind": "signalled", "task": "t-1", "attempt": 7, "stage": "development", "agent": "developer-ravel",
            "facts": { "signal": "question", "text": "which port?", "report": null, "by_file": false }, "notices": [],
        });
        assert_eq!(signalled, wanted);
    }

    #[test]
    fn what_was_asked_names_who_what_and_the_task() {
        let command = Command::Park("t-2".into(), "later".to_owned());
        let asked = line(Event::Asked {
            request: RequestId(1),
            by: "ann".to_owned(),
            command,
        });
        assert_eq!(asked["task"], "t-2");
        assert_eq!(
            asked["facts"],
            json!({ "by": "ann", "command": "park", "text": "later" })
        );
    }

    #[test]
    fn evidence_says_what_the_document_promises() {
        let evidence = |kind, outcome| Evidence {
            kind,
            outcome,
            issues: Vec::new(),
            tests: None,
        };
        let verified = line(Event::Verified {
            attempt: AttemptId(7),
            evidence: vec![
                evidence(EvidenceKind::WorkspaceUnchanged, Tri::Yes),
                evidence(
                    EvidenceKind::Report("a.md".to_owned()),
                    Tri::No("empty".to_owned()),
                ),
                evidence(
                    EvidenceKind::Pushed,
                    Tri::Unknown(TroubleKind::Network.cause("no answer")),
                ),
            ],
            head: None,
            integration: None,
        });
        let wanted = json!([
            { "kind": "workspace_unchanged", "file": null, "seen": "yes", "trouble": null, "why": null },
            { "kind": "report", "file": "a.md", "seen": "no", "trouble": null, "why": "empty" },
            { "kind": "pushed", "file": null, "seen": "unknown", "trouble": "network", "why": "no answer" },
        ]);
        assert_eq!(verified["facts"]["evidence"], wanted);
    }

    #[test]
    fn every_kind_is_in_the_document() {
        let text = include_str!("../../../../docs/events.md");
        let code = include_str!("line.rs");
        let table = code
            .split("fn kind_and_facts")
            .nth(1)
            .unwrap()
            .split("\nfn ")
            .next()
            .unwrap();
        let words: Vec<&str> = table.split('"').skip(1).step_by(2).collect();
        let lost: Vec<&&str> = words
            .iter()
            .filter(|word| !text.contains(&format!("`{word}`")))
            .collect();
        assert!(words.len() > 30 && lost.is_empty(), "{words:?} {lost:?}");
        let schema = format!("`schema` {SCHEMA}");
        assert!(text.contains(&schema), "{schema}");
    }
}
