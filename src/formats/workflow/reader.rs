//! A whole workflow file: its head, its limits, its stages; then the judgement of the whole.

use std::collections::BTreeMap;
use std::path::Path;

use toml_edit::{Document, Table, TableLike};

use super::super::diagnostic::Diagnostic;
use super::placed::LocatedWorkflow;
use super::stage::{LocatedStage, read_span, read_stage};
use super::table::{Located, ParseContext, TableEntries};
use super::validation::validate;
use crate::domain::failure::FailureClass;
use crate::domain::time::Span;
use crate::domain::workflow::{CascadePolicy, ExhaustionPolicy, RetryLimits, Workflow};
use crate::domain::{StageId, WorkflowId};

/// Reads and judges a workflow. With a single error there is no workflow.
pub fn read(file: &Path, text: &str) -> (Option<Workflow>, Vec<Diagnostic>) {
    let mut reading = ParseContext::new(file, text);
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = reading.line(error.span());
            reading.error(line, error.message().trim());
            return (None, reading.diagnostics);
        }
    };
    let read = read_root(&mut reading, document.as_table());
    // What could not be read would only cause findings that are none.
    if let Some(placed) = read.as_ref().filter(|_| reading.diagnostics.is_empty()) {
        validate(&mut reading, placed);
    }
    let sound = reading.diagnostics.is_empty();
    (
        read.filter(|_| sound).map(|placed| placed.flow),
        reading.diagnostics,
    )
}

fn read_root(reading: &mut ParseContext<'_>, root: &Table) -> Option<LocatedWorkflow> {
    let mut entries = TableEntries::of(reading, "a workflow", 1, root);
    let id = entries.needed(reading, "id");
    let title = entries.text(reading, "title");
    let entry = entries.needed(reading, "entry");
    let other_entries = entries.texts(reading, "other_entries");
    let scan = entries.texts(reading, "scan");
    let cascade = read_cascade(reading, &mut entries);
    let exhausted = entries.word(
        reading,
        "exhausted",
        &[("hold", ExhaustionPolicy::Hold), ("fail", ExhaustionPolicy::Fail)],
    );
    let limits = entries.take("limits").and_then(|limits| {
        let table = limits.value.as_table_like();
        if table.is_none() {
            reading.error(limits.line, "`limits` must be a table");
        }
        table.map(|table| read_limits(reading, limits.line, table))
    });
    let stages = read_stages(reading, &mut entries);
    entries.close(reading);
    let (id, entry) = (id?, entry?);
    let flow = Workflow {
        title: title.map_or_else(|| id.value.clone(), |title| title.value),
        id: WorkflowId::new(id.value),
        entry: StageId::new(entry.value.clone()),
        scan: scan
            .iter()
            .map(|stage| StageId::new(stage.value.clone()))
            .collect(),
        stages: stages.iter().map(|placed| placed.stage.clone()).collect(),
        limits: limits.unwrap_or_else(default_limits),
        cascade,
        exhausted: exhausted.map_or(ExhaustionPolicy::Hold, |word| word.value),
    };
    Some(LocatedWorkflow {
        flow,
        entry: entry.line,
        other_entries,
        scan,
        stages,
    })
}

fn read_stages(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> Vec<LocatedStage> {
    let line = entries.line;
    let Some(stages) = entries.take("stage") else {
        reading.error(line, "a workflow has no [[stage]]");
        return Vec::new();
    };
    let Some(tables) = stages.value.as_array_of_tables() else {
        reading.error(stages.line, "write each stage under its own [[stage]]");
        return Vec::new();
    };
    tables
        .iter()
        .filter_map(|table| read_stage(reading, table))
        .collect()
}

/// `"wait"`, or `{ skip = 50 }`: the share in percent above which the run is aborted instead.
fn read_cascade(reading: &mut ParseContext<'_>, entries: &mut TableEntries<'_>) -> CascadePolicy {
    let Some(Located { value, line }) = entries.take("cascade") else {
        return CascadePolicy::Wait;
    };
    if value.as_str() == Some("wait") {
        return CascadePolicy::Wait;
    }
    let percent = value.as_inline_table().and_then(|table| {
        let mut skip = TableEntries::of(reading, "cascade", line, table);
        let percent = skip.number(reading, "skip");
        skip.close(reading);
        u8::try_from(percent?.value)
            .ok()
            .filter(|percent| *percent <= 100)
    });
    if let Some(breaker_percent) = percent {
        return CascadePolicy::Skip { breaker_percent };
    }
    reading.error(
        line,
        "`cascade` is \"wait\" or { skip = PERCENT } with at most 100",
    );
    CascadePolicy::Wait
}

const CLASSES: [(&str, FailureClass); 7] = [
    ("crash", FailureClass::Crash),
    ("timeout", FailureClass::Timeout),
    ("empty", FailureClass::Empty),
    ("gate", FailureClass::Gate),
    ("context", FailureClass::Context),
    ("protocol", FailureClass::Protocol),
    ("failed", FailureClass::Failed),
];

fn read_limits(reading: &mut ParseContext<'_>, line: usize, table: &dyn TableLike) -> RetryLimits {
    let default = default_limits();
    let mut entries = TableEntries::of(reading, "limits", line, table);
    let mut by_class = BTreeMap::new();
    for (name, class) in CLASSES {
        if let Some(most) = entries.number(reading, name) {
            by_class.insert(class, most.value);
        }
    }
    let rejections = entries.number(reading, "rejections");
    let spawns = entries.number(reading, "spawns");
    if let Some(spawns) = spawns.as_ref().filter(|spawns| spawns.value == 0) {
        reading.error(spawns.line, "`spawns` must be at least 1, or nothing ever starts");
    }
    let cooldown = read_span(reading, &mut entries, "cooldown");
    entries.close(reading);
    RetryLimits {
        by_class,
        rejections: rejections.map_or(default.rejections, |most| most.value),
        spawns: spawns.map_or(default.spawns, |most| most.value),
        cooldown: cooldown.unwrap_or(default.cooldown),
    }
}

/// The seed's numbers (K24, K43); classes have no limit of their own unless the file gives one.
fn default_limits() -> RetryLimits {
    RetryLimits {
        by_class: BTreeMap::new(),
        rejections: 5,
        spawns: 20,
        cooldown: Span::seconds(60),
    }
}
