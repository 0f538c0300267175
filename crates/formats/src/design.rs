//! The documents that agents leave on the way from a goal to a graph plan (G8 to G16): an analysis of the goal, a report of each expert,
//! and a critique of these. They are read here. The next agent is given the fields that were read and nothing else.

mod analysis;
mod critique;
mod fields;
mod report;

use std::path::Path;

use serde::Serialize;

pub use analysis::{Complexity, ExpertBrief, ExpertKind, GoalAnalysis, GoalContext, MOST_EXPERTS};
pub use critique::{Challenge, ChallengeSeverity, Critique, CritiqueVerdict};
pub use fields::{Approach, Degree};
pub use report::{ExpertReport, ProposedTask};

use crate::finding::{Finding, Findings};
use crate::json_object::{self, JsonField, JsonObject};

/// The name of the file with the analysis of a goal.
pub const ANALYSIS_FILE: &str = "goal-analysis.json";
/// The name of the file with the critique.
pub const CRITIQUE_FILE: &str = "critic.json";
/// Start and end of the name of an expert's report, with the expert between them.
const REPORT_ENDS: (&str, &str) = ("expert-", ".json");

/// Maximum number of bytes of a document as it is given to the next agent. Five reports, an analysis, a critique and the goal fit into one prompt.
pub const MOST_BYTES: usize = 12 * 1024;

/// Kind of a document, by the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesignDocument {
    Analysis,
    Report,
    Critique,
}

impl DesignDocument {
    /// Returns the kind of a file of that name; `None` if it is none of these.
    pub fn of(file: &Path) -> Option<DesignDocument> {
        match file.file_name()?.to_str()? {
            ANALYSIS_FILE => Some(DesignDocument::Analysis),
            CRITIQUE_FILE => Some(DesignDocument::Critique),
            name if name.starts_with(REPORT_ENDS.0) && name.ends_with(REPORT_ENDS.1) => {
                Some(DesignDocument::Report)
            }
            _ => None,
        }
    }

    /// Returns the name of the kind.
    pub fn word(self) -> &'static str {
        match self {
            DesignDocument::Analysis => "goal analysis",
            DesignDocument::Report => "expert's report",
            DesignDocument::Critique => "critique",
        }
    }
}

/// Returns the name of the file with the report of that expert.
pub fn report_file(expert: &str) -> String {
    format!("{}{expert}{}", REPORT_ENDS.0, REPORT_ENDS.1)
}

/// A document that was read. Parts that could not be read are missing in it, and the findings say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignRead<T> {
    pub document: T,
    pub findings: Vec<Finding>,
}

impl<T> DesignRead<T> {
    /// Returns true if the document has no error.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(Finding::is_error)
    }
}

/// Reads the analysis of a goal.
pub fn read_analysis(file: &Path, text: &str) -> DesignRead<GoalAnalysis> {
    read(file, text, "a goal analysis", &analysis::FIELDS, analysis::read)
}

/// Reads the report of an expert.
pub fn read_report(file: &Path, text: &str) -> DesignRead<ExpertReport> {
    read(file, text, "an expert's report", &report::FIELDS, report::read)
}

/// Reads a critique.
pub fn read_critique(file: &Path, text: &str) -> DesignRead<Critique> {
    read(file, text, "a critique", &critique::FIELDS, critique::read)
}

/// Returns all findings in a document of that kind.
pub fn findings(kind: DesignDocument, file: &Path, text: &str) -> Vec<Finding> {
    match kind {
        DesignDocument::Analysis => read_analysis(file, text).findings,
        DesignDocument::Report => read_report(file, text).findings,
        DesignDocument::Critique => read_critique(file, text).findings,
    }
}

/// Formats a document for the next agent: in one line, with the fields that are known.
pub fn told(document: &impl Serialize) -> String {
    // Texts, numbers and lists of them are always JSON.
    serde_json::to_string(document).unwrap_or_default()
}

fn read<T: Default + Serialize>(
    file: &Path,
    text: &str,
    what: &str,
    known: &[&str],
    fields: impl FnOnce(&JsonObject<'_>) -> T,
) -> DesignRead<T> {
    let found = Findings::about(file, text);
    let root = json_object::parse(text, &found);
    let root = root.as_ref().map(|root| JsonField::root(root, &found));
    let document = root.and_then(|root| root.object(what, known)).map(|object| {
        let document = fields(&object);
        let bytes = told(&document).len();
        if bytes > MOST_BYTES {
            let text = format!(
                "its texts have {bytes} bytes together; write {MOST_BYTES} at most, the most important ones"
            );
            object.whole.error("TOO_LONG", text);
        }
        document
    });
    DesignRead {
        document: document.unwrap_or_default(),
        findings: found.finish(),
    }
}
