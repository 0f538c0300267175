//! One `[[stage]]` of a workflow file.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::Table;

use super::table::{Located, ParseContext, TableEntries};
use crate::domain::time::Span;
use crate::domain::workflow::{
    Actor, ApprovalRule, Edge, EngineAction, EvidenceKind, FileAccess, GateSet, RejectTo, Stage, StartGuard,
    Workspace,
};
use crate::domain::{RoleId, SignalKind, StageId};

/// A stage as read, with the lines of its parts.
#[derive(Debug)]
pub(super) struct LocatedStage {
    pub(super) stage: Stage,
    /// Line of its head.
    pub(super) line: usize,
    /// Lines of the edges, in order.
    pub(super) edges: Vec<usize>,
    lines: BTreeMap<&'static str, usize>,
}

impl LocatedStage {
    /// The line of an entry, or of the head where there is none.
    pub(super) fn at(&self, name: &str) -> usize {
        self.lines.get(name).copied().unwrap_or(self.line)
    }
}

const PARTS: [&str; 12] = [
    "action",
    "timeout",
    "id",
    "signals",
    "success",
    "reject",
    "evidence",
    "gates",
    "fallback",
    "workspace",
    "approval",
    "singleton",
];

/// Reads one stage; `None` where it lacks its id or its actor.
pub(super) fn read_stage(reading: &mut ParseContext<'_>, table: &Table) -> Option<LocatedStage> {
    let line = reading.line(table.span());
    let lines = PARTS.iter().filter_map(|part| {
        let span = table.key(part).and_then(toml_edit::Key::span);
        span.map(|span| (*part, reading.line(Some(span))))
    });
    let lines: BTreeMap<&'static str, usize> = lines.collect();
    let mut entries = TableEntries::of(reading, "a stage", line, table);
    let id = entries.needed(reading, "id");
    let label = entries.text(reading, "label");
    let short = entries.text(reading, "short");
    let actor = read_actor(reading, &mut entries);
    let fallback = entries
        .text(reading, "fallback")
        .map(|role| RoleId::new(role.value));
    let (success, edges) = read_edges(reading, &mut entries);
    let name = id.as_ref().map(|id| id.value.clone()).unwrap_or_default();
    let stage = Stage {
        id: StageId::new(name.clone()),
        label: label.map_or_else(|| name.clone(), |label| label.value),
        short: short.map_or_else(|| name.clone(), |short| short.value),
        fallback,
        workspace: entries
            .word(reading, "workspace", &WORKSPACES)
            .map_or(Workspace::None, |word| word.value),
        access: entries
            .word(reading, "access", &ACCESSES)
            .map_or(FileAccess::Read, |word| word.value),
        signals: read_signals(reading, &mut entries),
        success,
        reject: read_reject(reading, &mut entries),
        evidence: read_evidence(reading, &mut entries, actor.as_ref()),
        gates: entries
            .word(reading, "gates", &GATES)
            .map_or(GateSet::None, |word| word.value),
        singleton: entries.flag(reading, "singleton"),
        guards: read_guards(reading, &mut entries),
        timeout: read_span(reading, &mut entries, "timeout"),
        approval: entries
            .word(reading, "approval", &APPROVALS)
            .map_or(ApprovalRule::NotNeeded, |word| word.value),
        actor: actor.clone().unwrap_or(Actor::Human),
    };
    entries.close(reading);
    (id.is_some() && actor.is_some()).then_some(LocatedStage {
        stage,
        line,
        edges,
        lines,
    })
}

const WORKSPACES: [(&str, Workspace); 5] = [
    ("branch", Workspace::Branch),
    ("head", Workspace::Head),
    ("base", Workspace::Base),
    ("main", Workspace::Main),
    ("none", Workspace::None),
];
const ACCESSES: [(&str, FileAccess); 2] = [("write", FileAccess::Write), ("read", FileAccess::Read)];
const GATES: [(&str, GateSet); 3] = [
    ("none", GateSet::None),
    ("if_any", GateSet::IfAny),
    ("all", GateSet::All),
];
const APPROVALS: [(&str, ApprovalRule); 3] = [
    ("not_needed", ApprovalRule::NotNeeded),
    ("when_asked", ApprovalRule::WhenAsked),
    ("always", ApprovalRule::Always),
];
const ACTIONS: [(&str, EngineAction); 3] = [
    ("merge", EngineAction::Merge),
    ("commit", EngineAction::Commit),
    ("verify", EngineAction::Verify),
];
const SIGNALS: [(&str, SignalKind); 4] = [
    ("done", SignalKind::Done),
    ("reject", SignalKind::Reject),
    ("block", SignalKind::Block),
    ("fail", SignalKind::Fail),
];
const GUARDS: [(&str, StartGuard); 1] = [("dependency_heads_merged", StartGuard::DependencyHeadsMerged)];

fn evidence_words() -> [(&'static str, EvidenceKind); 8] {
    [
        ("commits_ahead", EvidenceKind::CommitsAhead),
        ("committed", EvidenceKind::Committed),
        ("pushed", EvidenceKind::Pushed),
        ("merged", EvidenceKind::Merged),
        ("workspace_unchanged", EvidenceKind::WorkspaceUnchanged),
        ("commented", EvidenceKind::Commented),
        ("gates", EvidenceKind::Gates),
        ("approved", EvidenceKind::Approved),
    ]
}

/// Exactly one of `role`, `action` and `human = true`.
fn read_actor(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> Option<Actor> {
    let role = entries
        .text(reading, "role")
        .map(|role| Actor::Role(RoleId::new(role.value)));
    let action = entries
        .word(reading, "action", &ACTIONS)
        .map(|action| Actor::Engine(action.value));
    let human = entries.flag(reading, "human").then_some(Actor::Human);
    let mut actors = [role, action, human].into_iter().flatten();
    match (actors.next(), actors.next()) {
        (Some(actor), None) => Some(actor),
        (None, _) => {
            reading.error(
                entries.line,
                "nobody acts in this stage: give it a `role`, an `action` or `human = true`",
            );
            None
        }
        (Some(_), Some(_)) => {
            reading.error(
                entries.line,
                "only one may act in a stage: `role`, `action` or `human`",
            );
            None
        }
    }
}

fn read_edges(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> (Vec<Edge>, Vec<usize>) {
    let (mut edges, mut lines) = (Vec::new(), Vec::new());
    for Located { value, line } in entries.list(reading, "success") {
        let Some(table) = value.as_inline_table() else {
            reading.error(
                line,
                "an edge is written { to = \"stage\" } or { when = \"tag\", to = \"stage\" }",
            );
            continue;
        };
        let mut edge = TableEntries::of(reading, "an edge", line, table);
        let when = edge.text(reading, "when").map(|when| when.value);
        let to = edge.needed(reading, "to");
        edge.close(reading);
        if let Some(to) = to {
            edges.push(Edge {
                when,
                to: StageId::new(to.value),
            });
            lines.push(to.line);
        }
    }
    (edges, lines)
}

fn read_signals(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> BTreeSet<SignalKind> {
    let mut signals = BTreeSet::new();
    for Located { value, line } in entries.texts(reading, "signals") {
        match SIGNALS.iter().find(|(word, _)| *word == value) {
            Some((_, kind)) => {
                signals.insert(*kind);
            }
            None => reading.error(
                line,
                format_args!(
                    "there is no signal {value} to allow: use done, reject, block, fail (claim, progress and question are always allowed)"
                ),
            ),
        }
    }
    signals
}

fn read_reject(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> RejectTo {
    match entries.text(reading, "reject") {
        None => RejectTo::Never,
        Some(Located { value, .. }) => match value.as_str() {
            "never" => RejectTo::Never,
            "hold" => RejectTo::Hold,
            stage => RejectTo::Stage(StageId::from(stage)),
        },
    }
}

/// Words, or `{ report = "path" }`. What a person does in a stage is proved by the approval itself.
fn read_evidence(
    reading: &mut ParseContext<'_>,
    entries: &mut TableEntries<'_>,
    actor: Option<&Actor>,
) -> Vec<EvidenceKind> {
    let words = evidence_words();
    let mut evidence = Vec::new();
    for Located { value, line } in entries.list(reading, "evidence") {
        let report = value.as_inline_table().map(|table| {
            let mut report = TableEntries::of(reading, "evidence", line, table);
            let path = report.needed(reading, "report");
            report.close(reading);
            path
        });
        let word = value.as_str().unwrap_or_default();
        match (report, words.iter().find(|(known, _)| *known == word)) {
            (Some(Some(path)), _) => evidence.push(EvidenceKind::Report(path.value)),
            (Some(None), _) => {}
            (None, Some((_, kind))) => evidence.push(kind.clone()),
            (None, None) => {
                let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                reading.error(
                    line,
                    format_args!(
                        "there is no evidence \"{word}\": use {} or {{ report = \"path\" }}",
                        all.join(", ")
                    ),
                );
            }
        }
    }
    if evidence.is_empty() && actor == Some(&Actor::Human) {
        evidence.push(EvidenceKind::Approved);
    }
    evidence
}

fn read_guards(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> Vec<StartGuard> {
    let mut guards = Vec::new();
    for Located { value, line } in entries.texts(reading, "guards") {
        match GUARDS.iter().find(|(word, _)| *word == value) {
            Some((_, guard)) => guards.push(*guard),
            None => reading.error(
                line,
                format_args!("there is no guard {value}: use dependency_heads_merged"),
            ),
        }
    }
    guards
}

/// A length of time: `90s`, `10m`, `2h`, or a number of seconds.
pub(super) fn read_span(
    reading: &mut ParseContext<'_>,
    entries: &mut TableEntries<'_>,
    name: &'static str,
) -> Option<Span> {
    let Located { value, line } = entries.take(name)?;
    let span = match (value.as_integer(), value.as_str()) {
        (Some(seconds), _) => u64::try_from(seconds)
            .ok()
            .and_then(|seconds| seconds.checked_mul(1000)),
        (None, Some(text)) => milliseconds(text),
        (None, None) => None,
    };
    if span.is_none() {
        reading.error(
            line,
            format_args!("`{name}` must be a length of time such as \"90s\", \"10m\" or \"2h\""),
        );
    }
    span.map(Span)
}

fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, factor) = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        .into_iter()
        .find_map(|(unit, factor)| text.strip_suffix(unit).map(|number| (number, factor)))?;
    number.trim().parse::<u64>().ok()?.checked_mul(factor)
}
