//! One `[[stage]]` of a workflow file.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::Table;

use super::table::{Entries, Placed, Reading};
use crate::domain::time::Span;
use crate::domain::workflow::{
    Access, Action, Actor, Approval, Edge, EvidenceKind, GateSet, Guard, RejectTo, Stage, Workspace,
};
use crate::domain::{RoleId, SignalKind, StageId};

/// A stage as read, with the lines of its parts.
#[derive(Debug)]
pub(super) struct PlacedStage {
    pub(super) stage: Stage,
    /// Line of its head.
    pub(super) line: usize,
    /// Lines of the edges, in order.
    pub(super) edges: Vec<usize>,
    lines: BTreeMap<&'static str, usize>,
}

impl PlacedStage {
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
pub(super) fn read_stage(reading: &mut Reading<'_>, table: &Table) -> Option<PlacedStage> {
    let line = reading.line(table.span());
    let lines = PARTS.iter().filter_map(|part| {
        let span = table.key(part).and_then(toml_edit::Key::span);
        span.map(|span| (*part, reading.line(Some(span))))
    });
    let lines: BTreeMap<&'static str, usize> = lines.collect();
    let mut entries = Entries::of(reading, "a stage", line, table);
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
            .map_or(Access::Read, |word| word.value),
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
            .map_or(Approval::NotNeeded, |word| word.value),
        actor: actor.clone().unwrap_or(Actor::Human),
    };
    entries.close(reading);
    (id.is_some() && actor.is_some()).then_some(PlacedStage {
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
const ACCESSES: [(&str, Access); 2] = [("write", Access::Write), ("read", Access::Read)];
const GATES: [(&str, GateSet); 3] = [
    ("none", GateSet::None),
    ("if_any", GateSet::IfAny),
    ("all", GateSet::All),
];
const APPROVALS: [(&str, Approval); 3] = [
    ("not_needed", Approval::NotNeeded),
    ("when_asked", Approval::WhenAsked),
    ("always", Approval::Always),
];
const ACTIONS: [(&str, Action); 3] = [
    ("merge", Action::Merge),
    ("commit", Action::Commit),
    ("verify", Action::Verify),
];
const SIGNALS: [(&str, SignalKind); 4] = [
    ("done", SignalKind::Done),
    ("reject", SignalKind::Reject),
    ("block", SignalKind::Block),
    ("fail", SignalKind::Fail),
];
const GUARDS: [(&str, Guard); 1] = [("dependency_heads_merged", Guard::DependencyHeadsMerged)];

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
fn read_actor(reading: &mut Reading<'_>, entries: &mut Entries<'_>) -> Option<Actor> {
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

fn read_edges(reading: &mut Reading<'_>, entries: &mut Entries<'_>) -> (Vec<Edge>, Vec<usize>) {
    let (mut edges, mut lines) = (Vec::new(), Vec::new());
    for Placed { value, line } in entries.list(reading, "success") {
        let Some(table) = value.as_inline_table() else {
            reading.error(
                line,
                "an edge is written { to = \"stage\" } or { when = \"tag\", to = \"stage\" }",
            );
            continue;
        };
        let mut edge = Entries::of(reading, "an edge", line, table);
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

fn read_signals(reading: &mut Reading<'_>, entries: &mut Entries<'_>) -> BTreeSet<SignalKind> {
    let mut signals = BTreeSet::new();
    for Placed { value, line } in entries.texts(reading, "signals") {
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

fn read_reject(reading: &mut Reading<'_>, entries: &mut Entries<'_>) -> RejectTo {
    match entries.text(reading, "reject") {
        None => RejectTo::Never,
        Some(Placed { value, .. }) => match value.as_str() {
            "never" => RejectTo::Never,
            "hold" => RejectTo::Hold,
            stage => RejectTo::Stage(StageId::from(stage)),
        },
    }
}

/// Words, or `{ report = "path" }`. What a person does in a stage is proved by the approval itself.
fn read_evidence(
    reading: &mut Reading<'_>,
    entries: &mut Entries<'_>,
    actor: Option<&Actor>,
) -> Vec<EvidenceKind> {
    let words = evidence_words();
    let mut evidence = Vec::new();
    for Placed { value, line } in entries.list(reading, "evidence") {
        let report = value.as_inline_table().map(|table| {
            let mut report = Entries::of(reading, "evidence", line, table);
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

fn read_guards(reading: &mut Reading<'_>, entries: &mut Entries<'_>) -> Vec<Guard> {
    let mut guards = Vec::new();
    for Placed { value, line } in entries.texts(reading, "guards") {
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
    reading: &mut Reading<'_>,
    entries: &mut Entries<'_>,
    name: &'static str,
) -> Option<Span> {
    let Placed { value, line } = entries.take(name)?;
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
