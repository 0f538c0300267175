//! The reader of workflow files: the head, the limits, the stages; then the checks of the workflow as a whole.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::finding::Finding;
use super::stage::{LocatedStage, LocatedWorkflow, read_span, read_stage};
use super::validation::validate;
use crate::table::{self, Located, TableReader};
use dbs_domain::time::Span;
use dbs_domain::workflow::{CascadePolicy, ExhaustionPolicy, RetryLimits, Workflow};
use dbs_domain::{StageId, WorkflowId};

/// Reads and checks a workflow. A single error means that there is no workflow.
pub fn read(file: &Path, text: &str) -> (Option<Workflow>, Vec<Finding>) {
    table::read(
        file,
        text,
        "a workflow",
        |_| Vec::new(),
        |root| {
            let file = root.file;
            let located = read_root(root);
            // Parts that could not be read would cause findings of their own.
            if !file.is_refused() {
                validate(file, &located);
            }
            located.flow
        },
    )
}

fn read_root(mut root: TableReader<'_>) -> LocatedWorkflow<'_> {
    let id = root.need_name("id");
    let title = root.text("title");
    let entry = StageId::new(root.need_name("entry"));
    let other_entries = read_stage_ids(&mut root, "other_entries");
    let scan = read_stage_ids(&mut root, "scan");
    let cascade = read_cascade(&mut root);
    let exhausted = root.word("exhausted").unwrap_or(ExhaustionPolicy::Hold);
    let limits = root.table("limits", "a table").map(read_limits);
    let stages = root.tables("stage", "a stage", "{ id = \"…\" }").into_iter();
    let stages: Vec<LocatedStage<'_>> = stages.map(read_stage).collect();
    if root.item("stage").is_none() {
        root.file.error(0, "a workflow needs at least one `[[stage]]`");
    }
    let entry_line = root.line_of("entry");
    root.finish();
    LocatedWorkflow {
        flow: Workflow {
            title: title.unwrap_or_else(|| id.clone()),
            id: WorkflowId::new(id),
            entry,
            scan: scan.iter().map(|stage| stage.value.clone()).collect(),
            stages: stages.iter().map(|located| located.stage.clone()).collect(),
            limits: limits.unwrap_or_else(default_limits),
            cascade,
            exhausted,
        },
        entry: entry_line,
        other_entries,
        scan,
        stages,
    }
}

fn read_stage_ids(root: &mut TableReader<'_>, key: &'static str) -> Vec<Located<StageId>> {
    let stage = |text: Located<String>| Located {
        value: StageId::new(text.value),
        line: text.line,
    };
    root.texts(key).into_iter().map(stage).collect()
}

/// Reads `"wait"`, or `{ skip = 50 }`: the share in percent above which the run is aborted instead.
fn read_cascade(root: &mut TableReader<'_>) -> CascadePolicy {
    if root
        .item("cascade")
        .is_none_or(|item| item.as_str() == Some("wait"))
    {
        return CascadePolicy::Wait;
    }
    let right = "\"wait\" or { skip = PERCENT }";
    let percent = root.table("cascade", right).and_then(|mut table| {
        let percent = table.number("skip", 0..101);
        table.finish();
        u8::try_from(percent?).ok()
    });
    percent.map_or(CascadePolicy::Wait, |breaker_percent| CascadePolicy::Skip {
        breaker_percent,
    })
}

/// The failure classes that a file may limit.
const CLASSES: [&str; 7] = [
    "crash", "timeout", "empty", "gate", "context", "protocol", "failed",
];

fn read_limits(mut table: TableReader<'_>) -> RetryLimits {
    let default = default_limits();
    let mut number = |key, least| {
        let number = table.number(key, least..u64::from(u32::MAX) + 1)?;
        u32::try_from(number).ok()
    };
    let by_class: BTreeMap<_, _> = CLASSES
        .into_iter()
        .filter_map(|class| Some((table::word(class).ok()?, number(class, 0)?)))
        .collect();
    let rejections = number("rejections", 0).unwrap_or(default.rejections);
    // With zero nothing ever starts.
    let spawns = number("spawns", 1).unwrap_or(default.spawns);
    let cooldown = read_span(&mut table, "cooldown").unwrap_or(default.cooldown);
    table.finish();
    RetryLimits {
        by_class,
        rejections,
        spawns,
        cooldown,
    }
}

/// Returns the limits of K24 and K43; classes have no limit of their own unless the file gives one.
fn default_limits() -> RetryLimits {
    RetryLimits {
        by_class: BTreeMap::new(),
        rejections: 5,
        spawns: 20,
        cooldown: Span::seconds(60),
    }
}
