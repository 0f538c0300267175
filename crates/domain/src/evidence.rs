//! Evidence that the engine saw when it verified an attempt, and the weighing of findings.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::test_run::TestCounts;
use super::tri::Tri;
use super::workflow::EvidenceKind;

/// Piece of evidence the engine collected itself, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub outcome: Tri,
    /// Deficiencies, one by one, if the outcome is No and more than its text is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ComplianceIssue>,
    /// Results of a story's tests, if they were run and their runner reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
}

impl Evidence {
    /// Returns the evidence with the results of tests.
    #[must_use]
    pub fn with_tests(self, tests: Option<TestCounts>) -> Evidence {
        Evidence { tests, ..self }
    }

    /// Creates evidence of that outcome without further details.
    pub fn new(kind: EvidenceKind, outcome: Tri) -> Evidence {
        Evidence {
            kind,
            outcome,
            issues: Vec::new(),
            tests: None,
        }
    }

    /// Creates evidence that is No for these issues, and Yes without any.
    pub fn from_issues(kind: EvidenceKind, issues: Vec<ComplianceIssue>) -> Evidence {
        let texts: Vec<&str> = issues.iter().map(|issue| issue.text.as_str()).collect();
        let outcome = if issues.is_empty() {
            Tri::Yes
        } else {
            Tri::No(texts.join("\n"))
        };
        Evidence {
            kind,
            outcome,
            issues,
            tests: None,
        }
    }

    /// Returns the deficiencies, one by one; a No without parts is one critical issue.
    pub fn findings(&self) -> Vec<ComplianceIssue> {
        match &self.outcome {
            Tri::No(_) if !self.issues.is_empty() => self.issues.clone(),
            Tri::No(why) => vec![ComplianceIssue::new(Severity::Critical, why.as_str())],
            Tri::Yes | Tri::Unknown(_) => Vec::new(),
        }
    }
}

/// Result of one gate at a commit before the work on it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateBaseline {
    pub name: String,
    pub outcome: Tri,
}

/// Severity of a finding of a compliance check.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    Low,
    /// Finding that must be fixed, unless it is the only one.
    High,
    Critical,
}

impl Severity {
    /// Returns the text of a finding that begins with the word of its severity, without that word.
    pub fn strip_word(text: &str) -> &str {
        let without = |severity: &Severity| text.strip_prefix(&severity.to_string())?.strip_prefix(':');
        Severity::VARIANTS
            .iter()
            .find_map(without)
            .map_or(text, str::trim_start)
    }
}

/// Finding of a compliance check, with its severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplianceIssue {
    pub severity: Severity,
    pub text: String,
}

impl ComplianceIssue {
    /// Creates a finding of that severity.
    pub fn new(severity: Severity, text: impl Into<String>) -> ComplianceIssue {
        ComplianceIssue {
            severity,
            text: text.into(),
        }
    }
}

/// Reaction to a compliance check: accept, warn, fix in place or retry from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemediationStrategy {
    Accept,
    Warn,
    Fix,
    Retry,
}

/// Applies the seed's table: two critical findings begin again, one critical or two high are fixed, the rest is a warning (P38).
pub fn strategy(issues: &[ComplianceIssue]) -> RemediationStrategy {
    let of = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
    match (of(Severity::Critical), of(Severity::High)) {
        (2.., _) => RemediationStrategy::Retry,
        (1, _) | (0, 2..) => RemediationStrategy::Fix,
        (0, _) if issues.is_empty() => RemediationStrategy::Accept,
        (0, _) => RemediationStrategy::Warn,
    }
}
