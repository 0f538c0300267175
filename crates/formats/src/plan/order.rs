//! Check that the phases of a plan can be done in some order: no id twice, no phase that waits for a missing one or for itself.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Findings;
use super::model::PlanItem;

/// Records the faults in the ids and dependencies of the items.
pub(super) fn check(items: &[PlanItem], found: &mut Findings<'_>) {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        if let Some(before) = lines.insert(&item.id, item.line) {
            let text = format!(
                "phase {} stands in line {before} already: give one of them another id",
                item.id
            );
            found.error("DUPLICATE_PHASE", item.line, text);
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
            found.error("MISSING_DEPENDENCY", item.line, text);
        }
    }
    if let Some(rest) = unordered(items) {
        let ids: Vec<&str> = rest.iter().map(|item| item.id.as_str()).collect();
        let text = format!(
            "phases {} wait for each other, so none of them can begin",
            ids.join(", ")
        );
        let line = rest.first().map_or(0, |item| item.line);
        found.error("CIRCULAR_DEPENDENCY", line, text);
    }
}

/// Returns the items left when all items that wait for nothing any more were taken away; none when nothing is left.
fn unordered(items: &[PlanItem]) -> Option<Vec<&PlanItem>> {
    let known: BTreeSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
    let mut waits: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut waited_for: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in items {
        let own = waits.entry(&item.id).or_default();
        for need in item
            .needs
            .iter()
            .map(String::as_str)
            .filter(|need| known.contains(need))
        {
            if own.insert(need) {
                waited_for.entry(need).or_default().push(&item.id);
            }
        }
    }
    let mut free: Vec<&str> = waits
        .iter()
        .filter(|(_, needs)| needs.is_empty())
        .map(|(id, _)| *id)
        .collect();
    while let Some(id) = free.pop() {
        waits.remove(id);
        for dependent in waited_for.get(id).into_iter().flatten() {
            if let Some(needs) = waits.get_mut(dependent)
                && needs.remove(id)
                && needs.is_empty()
            {
                free.push(dependent);
            }
        }
    }
    let rest: Vec<&PlanItem> = items
        .iter()
        .filter(|item| waits.contains_key(item.id.as_str()))
        .collect();
    (!rest.is_empty()).then_some(rest)
}
