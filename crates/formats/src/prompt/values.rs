//! Names of the places of a block, and the texts for them. Every text by a person or an agent is set off here, so that no block can forget
//! to.

use serde_json::{Value, json};

use super::quoting::{fenced, inline, without_hidden};
use crate::agent_role::AgentRole;
use dbs_domain::PlanEntry;
use dbs_domain::prompt_facts::{DependencyFacts, EarlierAttempt, PromptFacts, RestartFacts, TaskFacts};
use dbs_domain::task::{Comment, GateCommand};
use dbs_domain::{EvidenceKind, GateBaseline, Integration, SignalKind, Span, Tri};

/// Maximum length of a finding in bytes.
const MAX_FINDING: usize = 6 * 1024;
/// The meaning of each kind of evidence for the agent, a line each.
const PROOFS: &str = include_str!("../../../../assets/evidence.md");
/// Maximum length of a remark in bytes.
const MAX_REMARK: usize = 2 * 1024;
/// Bytes of remarks on a task, and of all results of the tasks it depends on.
const MAX_REMARKS: usize = 12 * 1024;
/// Maximum length of a title, criterion or verdict in bytes.
const MAX_LINE: usize = 300;
/// Maximum length of a name of the author of a remark, in bytes.
const MAX_AUTHOR: usize = 60;
/// Maximum length of a command of a gate in bytes.
const MAX_COMMAND: usize = 512;
/// Maximum number of lines of a list, such as criteria, gates or changed files.
const MAX_ITEMS: usize = 20;

/// Builds the values for the blocks of a role. The text of the task is cut behind `most_text` bytes.
pub(super) fn values(facts: &PromptFacts, role: &AgentRole, program: &str, most_text: usize) -> Value {
    let whole = format!("{program} task show {}", facts.task.id);
    let comments = remarks(&facts.comments, &whole, &mut { MAX_REMARKS });
    json!({
        "program": program,
        "task": task(facts, &whole, most_text),
        "stage": stage(facts),
        "agent": {
            "role": facts.agent.role, "title": role.title, "name": facts.agent.name,
            "attempt": facts.agent.attempt.map(|attempt| attempt.0), "number": facts.agent.number,
            "mode": facts.agent.mode.to_string(),
        },
        "role": { "writes": role.writes, "protected": role.protected },
        "may": may(facts, role),
        "place": place(facts),
        "dependencies": dependencies(facts, program),
        "comments": comments, "more_comments": facts.comments.len().saturating_sub(comments.len()),
        "finding": facts.finding.as_deref().map(|text| fenced(text, MAX_FINDING, &whole)),
        "earlier": facts.earlier.iter().map(earlier).collect::<Vec<_>>(),
        "gates": facts.gates.iter().take(MAX_ITEMS).map(|gate| gate_value(gate, &whole)).collect::<Vec<_>>(),
        "gates_before": facts.gates_before.iter().take(MAX_ITEMS).map(gate_before).collect::<Vec<_>>(),
        "gate_seconds": facts.gate_limit.map(seconds),
        "plan": facts.plan.as_deref().map(plan),
        "protected_paths": protected(facts),
        "reading": facts.reading,
        "restart": facts.restart.as_ref().map(|before| restart(facts, before)),
    })
}

/// Returns the text of a task: its title and its description.
pub(super) fn task_text(task: &TaskFacts) -> String {
    format!("{}\n\n{}", task.title.trim(), task.body.trim())
}

fn task(facts: &PromptFacts, whole: &str, most_text: usize) -> Value {
    let task = &facts.task;
    let text = task_text(task);
    let criteria = task.criteria.iter().take(MAX_ITEMS);
    json!({
        "id": without_hidden(&task.id), "batch": without_hidden(&task.batch), "text": fenced(&text, most_text, whole),
        "tags": task.tags.iter().map(|tag| inline(tag, MAX_LINE)).collect::<Vec<_>>(),
        "is_frontend": task.tags.contains("frontend"), "is_security": task.tags.contains("security"),
        "criteria": criteria.map(|text| inline(text, MAX_LINE)).collect::<Vec<_>>(),
        "rejections": task.rejections,
    })
}

fn stage(facts: &PromptFacts) -> Value {
    let stage = &facts.stage;
    let report = stage.evidence.iter().find_map(|kind| match kind {
        EvidenceKind::Report(path) => Some(inline(&path.replace("{task}", &facts.task.id), MAX_LINE)),
        _ => None,
    });
    let proofs = stage.evidence.iter();
    json!({
        "workflow": stage.workflow, "id": stage.id, "label": stage.label, "may_write": stage.may_write,
        "minutes": seconds(stage.time_limit).div_ceil(60), "report": report,
        "evidence": proofs.map(proof).collect::<Vec<_>>(),
    })
}

/// Returns the proof that the engine looks for when the agent reports that it is done.
fn proof(kind: &EvidenceKind) -> &'static str {
    let word = match serde_json::to_value(kind) {
        Ok(Value::String(word)) => word,
        Ok(Value::Object(named)) => named.into_iter().next().map(|(word, _)| word).unwrap_or_default(),
        _ => String::new(),
    };
    let of_kind = |line: &'static str| line.strip_prefix(&word)?.strip_prefix(": ");
    PROOFS.lines().find_map(of_kind).unwrap_or_default()
}

/// Returns the demands of the plan of the task; others wrote every text of it.
fn plan(plan: &PlanEntry) -> Value {
    let lines = |texts: &[String]| {
        let texts = texts.iter().take(MAX_ITEMS);
        texts.map(|text| inline(text, MAX_LINE)).collect::<Vec<_>>()
    };
    let line = |text: &Option<String>| text.as_deref().map(|text| inline(text, MAX_LINE));
    json!({
        "is_section": plan.source.file == plan.source.plan,
        "file": inline(&plan.source.file, MAX_LINE), "item": inline(&plan.source.item, MAX_LINE),
        "notes_before": line(&plan.notes_before), "notes": line(&plan.notes),
        "notes_template": line(&plan.notes_template),
        "fallback": line(&plan.fallback),
        "agents": lines(&plan.agents), "steps": lines(&plan.steps),
        "tests": plan.tests.as_ref().map(|tests| inline(&tests.file, MAX_LINE)), "commit": line(&plan.commit),
        "create": lines(&plan.paths.create), "modify": lines(&plan.paths.modify),
    })
}

/// Returns the paths that must stay as they are: those of the plan, then those of the stage.
fn protected(facts: &PromptFacts) -> Vec<String> {
    let all = PlanEntry::protected(facts.plan.as_deref(), &facts.protected);
    let all = all.into_iter().take(MAX_ITEMS);
    all.map(|path| inline(path, MAX_LINE)).collect()
}

/// Returns the last words that both the role and the stage allow.
fn may(facts: &PromptFacts, role: &AgentRole) -> Value {
    let both = |kind| role.signals.contains(&kind) && facts.stage.signals.contains(&kind);
    json!({
        "done": both(SignalKind::Done), "reject": both(SignalKind::Reject),
        "block": both(SignalKind::Block), "fail": both(SignalKind::Fail),
    })
}

fn place(facts: &PromptFacts) -> Value {
    let place = &facts.place;
    let changed = place.changed.iter().take(MAX_ITEMS);
    let remote = Some(place.remote.as_str()).filter(|name| !name.is_empty());
    json!({
        "remote": without_hidden(remote.unwrap_or("origin")),
        "worktree": place.worktree.as_deref().map(|path| inline(path, MAX_LINE)),
        "branch": without_hidden(&place.branch), "base": without_hidden(&place.base),
        "base_commit": place.base_commit, "head": place.head,
        "integration": place.integration.as_ref().map(integration),
        "difference": place.difference.as_deref().map(|path| inline(path, MAX_LINE)),
        "begins_anew": place.begins_anew,
        "changed": changed.map(|path| inline(path, MAX_LINE)).collect::<Vec<_>>(),
        "more_changed": place.changed.len().saturating_sub(MAX_ITEMS),
    })
}

/// Returns the changes of an integrator; it chose the names of the files itself.
fn integration(integration: &Integration) -> Value {
    let files = |names: &[String]| {
        let names = names.iter().take(MAX_ITEMS);
        names.map(|name| inline(name, MAX_LINE)).collect::<Vec<_>>()
    };
    json!({
        "from": integration.from, "to": integration.to,
        "outside": files(&integration.outside), "written": files(&integration.written),
    })
}

fn dependencies(facts: &PromptFacts, program: &str) -> Vec<Value> {
    let mut room = MAX_REMARKS;
    let all = facts.dependencies.iter();
    all.map(|other| dependency(other, program, &mut room)).collect()
}

fn dependency(other: &DependencyFacts, program: &str, room: &mut usize) -> Value {
    let whole = format!("{program} task show {}", other.id);
    json!({
        "id": without_hidden(&other.id), "title": inline(&other.title, MAX_LINE), "state": other.state,
        "merged": other.merged, "results": remarks(&other.results, &whole, room),
    })
}

/// Returns the latest remarks that there is room for, in their order.
fn remarks(all: &[Comment], whole: &str, room: &mut usize) -> Vec<Value> {
    let mut kept = Vec::new();
    for remark in all.iter().rev() {
        if *room == 0 {
            break;
        }
        let text = fenced(&remark.text, MAX_REMARK.min(*room), whole);
        let author = inline(&remark.author, MAX_AUTHOR);
        *room = room.saturating_sub(text.len() + author.len());
        kept.push(json!({ "author": author, "text": text }));
    }
    kept.reverse();
    kept
}

fn earlier(attempt: &EarlierAttempt) -> Value {
    let steps = attempt.progress.iter();
    json!({
        "stage": attempt.stage, "agent": attempt.agent, "verdict": inline(&attempt.verdict, MAX_LINE),
        "progress": steps.map(|step| inline(step, MAX_LINE / 4)).collect::<Vec<_>>(),
    })
}

fn restart(facts: &PromptFacts, before: &RestartFacts) -> Value {
    let work = &before.work;
    json!({
        "session": before.session, "number": before.session.saturating_sub(1), "most": before.most,
        "title": inline(&facts.task.title, MAX_LINE),
        "steps": before.steps.iter().map(|step| inline(step, MAX_LINE)).collect::<Vec<_>>(),
        "changed": work.changed.iter().map(|path| inline(path, MAX_LINE)).collect::<Vec<_>>(),
        "more": work.more, "problem": work.problem.as_deref().map(|why| inline(why, MAX_LINE)),
    })
}

fn gate_value(gate: &GateCommand, whole: &str) -> Value {
    let command = match gate.command.trim() {
        lines if lines.contains('\n') => format!("\n\n{}\n", fenced(lines, MAX_COMMAND, whole)),
        line => inline(line, MAX_COMMAND),
    };
    json!({ "name": inline(&gate.name, MAX_LINE), "command": command })
}

fn gate_before(gate: &GateBaseline) -> Value {
    let said = match &gate.outcome {
        Tri::Yes => "passes".to_owned(),
        Tri::No(why) => format!("fails: {}", inline(why, MAX_LINE)),
        Tri::Unknown(why) => format!("could not be run: {}", inline(&why.text, MAX_LINE)),
    };
    json!({ "name": inline(&gate.name, MAX_LINE), "said": said })
}

fn seconds(span: Span) -> u64 {
    span.0.div_ceil(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_told_of_every_kind_of_evidence() {
        use EvidenceKind::*;
        let named = || "x".to_owned();
        let kinds = [
            Committed,
            CommitsAhead,
            Pushed,
            Merged,
            WorkspaceUnchanged,
            Commented,
            Report(named()),
            Gates,
            Approved,
            Notes,
            AgentsUsed,
            StepsDone,
            Protected,
            ListedFiles,
            GateFails(named()),
            Tests,
        ];
        for kind in kinds {
            assert!(!proof(&kind).is_empty(), "{kind:?}");
        }
        assert_eq!(PROOFS.lines().count(), 16);
    }
}
