//! The audit of the documents of a design by `dbs audit`.

use std::path::Path;

use serde_json::{Value, json};

use super::Audited;
use crate::adapters::text_file;
use crate::cli::commands::prelude::*;
use crate::formats::design::{self, DesignDocument};
use crate::formats::finding::Finding;
use crate::plans::shown::{finding_json, finding_lines};

/// Maximum bytes of a document that is read.
const LARGEST: u64 = 256 * 1024;

/// Prints the problems of a document of that kind.
pub(super) fn audit(file: &Path, kind: DesignDocument, json: JsonFlag) -> CommandResult<Audited> {
    let text = text_file::read_text(file, LARGEST).map_err(failed(format!(
        "could not read the {} {}",
        kind.word(),
        file.display()
    )))?;
    let title = title(file, kind, &text);
    let findings = design::findings(kind, file, &text);
    if json.json {
        output::json(&document_json(kind, &title, &findings));
    } else {
        output::line(&format!("{}: {title}", kind.word()));
        output::all(finding_lines(&findings));
    }
    Ok(Audited {
        is_sound: !findings.iter().any(Finding::is_error),
        has_findings: !findings.is_empty(),
    })
}

/// Returns the first words of a document.
fn title(file: &Path, kind: DesignDocument, text: &str) -> String {
    match kind {
        DesignDocument::Analysis => design::read_analysis(file, text).document.refined_goal,
        DesignDocument::Report => design::read_report(file, text).document.expert,
        DesignDocument::Critique => {
            let verdict = design::read_critique(file, text).document.verdict;
            verdict.map_or("", Into::into).to_owned()
        }
    }
}

/// Returns the same document as for a plan, without phases (docs/audit.schema.json).
fn document_json(kind: DesignDocument, title: &str, findings: &[Finding]) -> Value {
    let kind = match kind {
        DesignDocument::Analysis => "goal_analysis",
        DesignDocument::Report => "expert_report",
        DesignDocument::Critique => "critique",
    };
    let found = findings.iter().map(finding_json);
    json!({ "kind": kind, "title": title, "phases": [], "diagnostics": found.collect::<Vec<_>>() })
}
