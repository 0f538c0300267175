//! What the engine saw when it verified an attempt, and how findings are weighed.

use serde::{Deserialize, Serialize};

use super::tri::Tri;
use super::workflow::EvidenceKind;

/// One piece of evidence the engine collected itself, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub outcome: Tri,
}

/// How severe a finding of a compliance check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    /// Must be fixed, unless it is the only one.
    High,
    Critical,
}

/// One finding of a compliance check, with its severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplianceIssue {
    pub severity: Severity,
    pub text: String,
}

/// What happens after a compliance check: accept, warn, fix in place or retry from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemediationStrategy {
    Accept,
    Warn,
    Fix,
    Retry,
}

/// The seed's table: two critical findings begin again, one critical or two high are fixed, the rest is a warning (P38).
pub fn strategy(issues: &[ComplianceIssue]) -> RemediationStrategy {
    let of = |severity| issues.iter().filter(|issue| issue.severity == severity).count();
    match (of(Severity::Critical), of(Severity::High)) {
        (2.., _) => RemediationStrategy::Retry,
        (1, _) | (0, 2..) => RemediationStrategy::Fix,
        (0, _) if issues.is_empty() => RemediationStrategy::Accept,
        (0, _) => RemediationStrategy::Warn,
    }
}
