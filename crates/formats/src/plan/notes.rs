//! Paths of notes in which a `*` stands for a part of the name: `notes/NOTES_*_phase_1.md` (P15, P67).

use super::drafts::slug;
use super::model::{Plan, PlanItem};
use crate::finding::{Finding, FindingLevel};
use dbs_domain::plan_entry::fits_path;

/// Gives notes that phases write names without a `*`, for which the title of the plan stands; notes that are read are those of the nearest
/// phase before that writes such notes.
pub(super) fn name_notes(items: &mut [PlanItem], title: &str) {
    let feature = slug(title).replace('-', "_");
    for at in 0..items.len() {
        let (before, rest) = items.split_at_mut(at);
        let Some(item) = rest.first_mut() else { return };
        if let Some(notes) = item.notes.as_mut().filter(|notes| notes.contains('*')) {
            *notes = notes.replace('*', &feature);
        }
        if let Some(wanted) = item.notes_before.as_mut().filter(|notes| notes.contains('*')) {
            let written = before.iter().rev().filter_map(|item| item.notes.as_deref());
            if let Some(found) = written.into_iter().find(|notes| fits_path(wanted, notes)) {
                found.clone_into(wanted);
            }
        }
    }
}

/// Looks for notes to read that no phase of the plan writes: `newest` gives the newest file of the project for a path with a `*`. Without
/// one the phase has no notes to read, which is a warning.
pub fn find_notes(plan: &mut Plan, newest: impl Fn(&str) -> Option<String>) {
    let plan_file = plan.file.clone();
    let is_open = |item: &&mut PlanItem| item.notes_before.as_ref().is_some_and(|path| path.contains('*'));
    for item in plan.items.iter_mut().filter(is_open) {
        let wanted = item.notes_before.take().unwrap_or_default();
        item.notes_before = newest(&wanted);
        if item.notes_before.is_none() {
            let text = format!(
                "phase {} reads {wanted}, but no earlier phase writes such notes and no file matches: its agent reads no notes",
                item.id
            );
            let file = item.file.as_ref().unwrap_or(&plan_file);
            let finding = Finding::new(FindingLevel::Warning, file, 0, text);
            plan.findings.push(Finding {
                code: "NOTES_NOT_FOUND",
                ..finding
            });
        }
    }
}
