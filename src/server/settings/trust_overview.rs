//! Parts of the project's files that a person trusts, as plain values for the screen.

use std::path::Path;

use crate::config::trust::{TrustChange, TrustEntry, TrustReport, changed_lines};
use crate::read_model::{TrustOverview, TrustText};
use crate::term::sanitize_command;

/// Returns the report as the screen shows it; places are given from the project's root.
pub(in crate::server) fn overview(report: &TrustReport, root: &Path) -> TrustOverview {
    let notice = match report.untrusted() {
        Some(files) => format!("Not trusted: {}.", files.text),
        None if report.listing.items.is_empty() => "Nothing in this project's files needs trust.".to_owned(),
        None => "All of it is as you trusted it.".to_owned(),
    };
    let is_whole = report.problem.is_none() && report.listing.unreadable.is_none();
    TrustOverview {
        is_trusted: report.is_trusted(),
        hash: is_whole.then(|| report.listing.hash()),
        notice,
        texts: report.entries().iter().map(|entry| text(entry, root)).collect(),
    }
}

fn text(entry: &TrustEntry, root: &Path) -> TrustText {
    let item = &entry.listed.item;
    let shown = |lines: Vec<String>| {
        if item.kind.is_setting() {
            lines.iter().map(|line| sanitize_command(line)).collect()
        } else {
            lines
        }
    };
    TrustText {
        kind: item.kind.word().to_owned(),
        name: item.name.clone(),
        place: entry.place(root),
        change: entry.change.word().to_owned(),
        is_same: entry.change == TrustChange::Same,
        lines: match &entry.change {
            TrustChange::Changed(old) => shown(changed_lines(old, &item.text)),
            TrustChange::Same | TrustChange::New | TrustChange::Gone => {
                shown(item.text.lines().map(str::to_owned).collect())
            }
        },
    }
}
