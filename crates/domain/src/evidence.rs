//! What the engine saw when it verified an attempt, and how findings are weighed.

use serde::{Deserialize, Serialize};

use super::test_run::TestCounts;
use super::tri::Tri;
use super::workflow::EvidenceKind;

/// One piece of evidence the engine collected itself, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub outcome: Tri,
    /// What was found wanting, one by one, where the outcome is No and more than its text is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<ComplianceIssue>,
    /// How the tests of a story ended, where they were run and their runner says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
}

impl Evidence {
    /// The same, with how tests ended.
    #[must_use]
    pub fn with_tests(self, tests: Option<TestCounts>) -> Evidence {
        Evidence { tests, ..self }
    }

    /// Evidence of that outcome, of which nothing more is known.
    pub fn new(kind: EvidenceKind, outcome: Tri) -> Evidence {
        Evidence {
            kind,
            outcome,
            issues: Vec::new(),
            tests: None,
        }
    }

    /// Evidence that is No for these issues, and Yes without any.
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

    /// What is wrong, one by one; a No without parts is one critical issue.
    pub fn findings(&self) -> Vec<ComplianceIssue> {
        match &self.outcome {
            Tri::No(_) if !self.issues.is_empty() => self.issues.clone(),
            Tri::No(why) => vec![ComplianceIssue::new(Severity::Critical, why.as_str())],
            Tri::Yes | Tri::Unknown(_) => Vec::new(),
        }
    }
}

/// What one gate said of a commit before the work on it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateBaseline {
    pub name: String,
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

impl Severity {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// One finding of a compliance check, with its severity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComplianceIssue {
    pub severity: Severity,
    pub text: String,
}

impl ComplianceIssue {
    /// A finding of that severity.
    pub fn new(severity: Severity, text: impl Into<String>) -> ComplianceIssue {
        ComplianceIssue {
            severity,
            text: text.into(),
        }
    }
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
