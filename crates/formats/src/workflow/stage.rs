//! The reader of one `[[stage]]` of a workflow file.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::super::table::{Located, TableReader, TomlFile, word};
use crate::span_text::parse_span;
use dbs_domain::time::Span;
use dbs_domain::workflow::{
    Actor, ApprovalRule, Edge, EvidenceKind, FileAccess, GateSet, RejectTo, Stage, StartGuard, Workflow,
    Workspace,
};
use dbs_domain::{RoleId, SignalKind, StageId};

/// A workflow as read, with the lines that findings about it name.
pub(super) struct LocatedWorkflow<'a> {
    pub(super) flow: Workflow,
    pub(super) entry: usize,
    pub(super) other_entries: Vec<Located<StageId>>,
    pub(super) scan: Vec<Located<StageId>>,
    pub(super) stages: Vec<LocatedStage<'a>>,
}

/// A stage as read, with the lines of its parts.
pub(super) struct LocatedStage<'a> {
    pub(super) stage: Stage,
    file: &'a TomlFile<'a>,
    /// Line of its head.
    line: usize,
    pub(super) edges: Vec<usize>,
    keys: BTreeMap<String, usize>,
}

impl LocatedStage<'_> {
    /// Records an error in the line of a key, or of the head if the key is missing.
    pub(super) fn error(&self, key: &str, text: impl Display) {
        self.file
            .error(self.keys.get(key).copied().unwrap_or(self.line), text);
    }

    /// Records an error in the line of the head.
    pub(super) fn head_error(&self, text: impl Display) {
        self.file.error(self.line, text);
    }

    /// Records an error in the line of a key if something is wrong.
    pub(super) fn check(&self, is_wrong: bool, key: &str, text: impl Display) {
        if is_wrong {
            self.error(key, text);
        }
    }

    /// Returns true if an agent may act in the stage.
    pub(super) fn has_agent(&self) -> bool {
        matches!(self.stage.actor, Actor::Role(_)) || self.stage.fallback.is_some()
    }
}

/// Reads one stage.
pub(super) fn read_stage(mut fields: TableReader<'_>) -> LocatedStage<'_> {
    let id = fields.need_name("id");
    let label = fields.text("label");
    let short = fields.text("short");
    let actor = read_actor(&mut fields);
    let (success, edges) = read_edges(&mut fields).into_iter().unzip();
    let stage = Stage {
        label: label.unwrap_or_else(|| id.clone()),
        short: short.unwrap_or_else(|| id.clone()),
        id: StageId::new(id),
        fallback: fields.text("fallback").map(RoleId::new),
        workspace: fields.word("workspace").unwrap_or(Workspace::None),
        access: fields.word("access").unwrap_or(FileAccess::Read),
        signals: read_signals(&mut fields).into_iter().collect(),
        success,
        reject: read_reject(&mut fields),
        evidence: read_evidence(&mut fields, &actor),
        gates: fields.word("gates").unwrap_or(GateSet::None),
        gate_names: read_texts(&mut fields, "gate_names"),
        gates_before: fields.flag("gates_before"),
        gate_at: fields.word("gate_at").unwrap_or_default(),
        protected: read_texts(&mut fields, "protected"),
        findings: fields.word("findings").unwrap_or_default(),
        singleton: fields.flag("singleton"),
        guards: fields.words("guards", "guard", "dependency_heads_merged", |_: &StartGuard| {
            true
        }),
        timeout: read_span(&mut fields, "timeout"),
        approval: fields.word("approval").unwrap_or(ApprovalRule::NotNeeded),
        actor,
    };
    let key_line = |(key, _): (&str, _)| (key.to_owned(), fields.line_of(key));
    let keys = fields.table.iter().map(key_line).collect();
    let (file, line) = (fields.file, fields.line);
    fields.finish();
    LocatedStage {
        stage,
        file,
        line,
        edges,
        keys,
    }
}

/// Reads exactly one of `role`, `action` and `human = true`.
fn read_actor(fields: &mut TableReader<'_>) -> Actor {
    let role = fields.text("role").map(|role| Actor::Role(RoleId::new(role)));
    let action = fields.word("action").map(Actor::Engine);
    let human = fields.flag("human").then_some(Actor::Human);
    let mut actors = [role, action, human].into_iter().flatten();
    match (actors.next(), actors.next()) {
        (Some(actor), None) => return actor,
        (None, _) => {
            let text = "no one acts in this stage: give it a `role`, an `action` or `human = true`";
            fields.file.error(fields.line, text);
        }
        (Some(_), Some(_)) => {
            let text = "only one may act in a stage: `role`, `action` or `human`";
            fields.file.error(fields.line, text);
        }
    }
    Actor::Human
}

/// Reads the edges, each with the line of its target.
fn read_edges(fields: &mut TableReader<'_>) -> Vec<(Edge, usize)> {
    let tables = fields
        .tables("success", "an edge", "{ to = \"stage\" }")
        .into_iter();
    let edge = |mut table: TableReader<'_>| {
        let when = table.text("when");
        let to = StageId::new(table.need_name("to"));
        let line = table.line_of("to");
        table.finish();
        (Edge { when, to }, line)
    };
    tables.map(edge).collect()
}

fn read_signals(fields: &mut TableReader<'_>) -> Vec<SignalKind> {
    let right = "done, reject, block, fail (claim, progress and question are always allowed)";
    fields.words("signals", "signal", right, |kind| {
        let kinds = [
            SignalKind::Done,
            SignalKind::Reject,
            SignalKind::Block,
            SignalKind::Fail,
        ];
        kinds.contains(kind)
    })
}

fn read_reject(fields: &mut TableReader<'_>) -> RejectTo {
    match fields.text("reject").as_deref() {
        None | Some("never") => RejectTo::Never,
        Some("hold") => RejectTo::Hold,
        Some(stage) => RejectTo::Stage(StageId::from(stage)),
    }
}

fn read_texts(fields: &mut TableReader<'_>, key: &'static str) -> Vec<String> {
    let texts = fields.texts(key).into_iter();
    texts.map(|located| located.value).collect()
}

/// Reads words, `{ report = "path" }` or `{ gate_fails = "name" }`. The approval itself proves the work of a person in a stage.
fn read_evidence(fields: &mut TableReader<'_>, actor: &Actor) -> Vec<EvidenceKind> {
    let mut evidence = Vec::new();
    for item in fields.list("evidence") {
        if let Some(mut table) = fields.inline("evidence", &item) {
            evidence.push(if table.item("gate_fails").is_some() {
                EvidenceKind::GateFails(table.need_name("gate_fails"))
            } else {
                EvidenceKind::Report(table.need_name("report"))
            });
            table.finish();
            continue;
        }
        let text = item.value.as_str().unwrap_or_default();
        match word(text) {
            Ok(kind) => evidence.push(kind),
            Err(known) => {
                let is_plain = |word: &&str| !["report", "gate_fails"].contains(word);
                let words: Vec<&str> = known.iter().copied().filter(is_plain).collect();
                let known = words.join(", ");
                let text = format_args!(
                    "there is no evidence \"{text}\": use {known}, {{ report = \"path\" }} or {{ gate_fails = \"gate\" }}"
                );
                fields.file.error(item.line, text);
            }
        }
    }
    if evidence.is_empty() && *actor == Actor::Human {
        evidence.push(EvidenceKind::Approved);
    }
    evidence
}

/// Reads a length of time: `90s`, `10m`, `2h`, or a number of seconds.
pub(super) fn read_span(fields: &mut TableReader<'_>, key: &'static str) -> Option<Span> {
    let right = "a length of time such as \"90s\", \"10m\" or \"2h\"";
    fields.get(key, right, |item| match item.as_str() {
        Some(text) => parse_span(text),
        None => u64::try_from(item.as_integer()?)
            .ok()?
            .checked_mul(1000)
            .map(Span),
    })
}
