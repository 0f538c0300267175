//! What of the project's files a person trusts, as plain values for the screen.

use std::path::Path;

use crate::config::trust::{TrustChange, TrustEntry, TrustReport, changed_lines};
use crate::read_model::{TrustOverview, TrustText};

/// The report as the screen shows it; places are given from the project's root.
pub(super) fn overview(report: &TrustReport, root: &Path) -> TrustOverview {
    let notice = match report.untrusted() {
        Some(files) => format!("Not trusted: {}.", files.text),
        None if report.listing.items.is_empty() => "Nothing in this project's files needs trust.".to_owned(),
        None => "All of it is as you trusted it.".to_owned(),
    };
    TrustOverview {
        is_trusted: report.is_trusted(),
        hash: report.problem.is_none().then(|| report.listing.hash()),
        notice,
        texts: report.entries().iter().map(|entry| text(entry, root)).collect(),
    }
}

fn text(entry: &TrustEntry, root: &Path) -> TrustText {
    let item = &entry.listed.item;
    TrustText {
        kind: item.kind.word().to_owned(),
        name: item.name.clone(),
        place: entry.place(root),
        change: entry.change.word().to_owned(),
        is_same: entry.change == TrustChange::Same,
        lines: match &entry.change {
            TrustChange::Changed(old) => changed_lines(old, &item.text),
            TrustChange::Same | TrustChange::New | TrustChange::Gone => {
                item.text.lines().map(str::to_owned).collect()
            }
        },
    }
}
