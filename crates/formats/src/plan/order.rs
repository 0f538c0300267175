//! Check that the phases of a plan can be done in some order: no id twice, no phase that waits for a missing one or for itself.

use std::collections::BTreeMap;

use dbs_domain::WaitGraph;

use super::model::PlanItem;
use crate::finding::Findings;

/// Records the faults in the ids and dependencies of the items.
pub(super) fn check(items: &[PlanItem], findings: &Findings<'_>) {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        if let Some(before) = lines.insert(&item.id, item.line) {
            let text = format!(
                "phase {} is in line {before} already: give one of them another id",
                item.id
            );
            findings.error("DUPLICATE_PHASE", item.line, text);
        }
    }
    for item in items {
        for need in item
            .needs
            .iter()
            .filter(|need| !lines.contains_key(need.as_str()))
        {
            let text = format!(
                "phase {} waits for phase {need}, which is not in the plan",
                item.id
            );
            findings.error("MISSING_DEPENDENCY", item.line, text);
        }
    }
    let graph = WaitGraph::new(
        items
            .iter()
            .map(|item| (item.id.as_str(), item.needs.iter().map(String::as_str))),
    );
    let is_stuck = |item: &&PlanItem| graph.stuck().contains(&item.id.as_str());
    let rest: Vec<&PlanItem> = items.iter().filter(is_stuck).collect();
    if let Some(first) = rest.first() {
        let ids: Vec<&str> = rest.iter().map(|item| item.id.as_str()).collect();
        let text = format!(
            "phases {} wait for each other, so none of them can begin",
            ids.join(", ")
        );
        findings.error("CIRCULAR_DEPENDENCY", first.line, text);
    }
}
