//! The critique of what experts propose (G16).

use serde::Serialize;

use super::fields::{LINE, MOST_ENTRIES, MOST_TEXT, TEXT};
use crate::json_object::{JsonObject, words};

pub(super) const FIELDS: [&str; 5] = [
    "challenges",
    "missingCoverage",
    "approachRisks",
    "coherenceIssues",
    "verdict",
];
const CHALLENGE_FIELDS: [&str; 4] = ["expert", "issue", "severity", "recommendation"];

/// Critic's answer to the reports of experts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Critique {
    pub challenges: Vec<Challenge>,
    pub missing_coverage: Vec<String>,
    pub approach_risks: Vec<String>,
    pub coherence_issues: Vec<String>,
    pub verdict: Option<CritiqueVerdict>,
}

/// Something that a critic holds against a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Challenge {
    /// Id that the plan uses to answer the challenge: `C1` for the first.
    pub id: String,
    pub expert: String,
    pub issue: String,
    pub severity: ChallengeSeverity,
    pub recommendation: String,
}

/// Weight of a challenge.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChallengeSeverity {
    /// Challenge that the plan must resolve.
    Blocking,
    /// Challenge that the plan resolves, or refuses with a reason.
    Major,
    /// Challenge that is worth knowing.
    Minor,
}

/// Verdict whether the reports are good enough for a plan.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CritiqueVerdict {
    Proceed,
    ProceedWithChanges,
    MajorReworkNeeded,
}

impl Critique {
    /// Returns the challenges that a plan must answer: those that are blocking or major (G17).
    pub fn to_answer(&self) -> impl Iterator<Item = &Challenge> {
        let weighs = |one: &&Challenge| one.severity != ChallengeSeverity::Minor;
        self.challenges.iter().filter(weighs)
    }
}

pub(super) fn read(object: &JsonObject<'_>) -> Critique {
    let mut challenges = Vec::new();
    let entries = object.entries("challenges", "challenges", MOST_ENTRIES);
    for (index, entry) in entries.into_iter().enumerate() {
        let Some(one) = entry.object("a challenge", &CHALLENGE_FIELDS) else {
            continue;
        };
        challenges.push(Challenge {
            id: format!("C{}", index + 1),
            expert: one.needed("expert", "whose report it is about", LINE),
            issue: one.needed("issue", "what is wrong", TEXT),
            severity: one
                .needed_word("severity", &words())
                .unwrap_or(ChallengeSeverity::Minor),
            recommendation: one.needed("recommendation", "what to do instead", TEXT),
        });
    }
    let verdict = object.needed_word("verdict", &words());
    let blocks = challenges
        .iter()
        .any(|one| one.severity == ChallengeSeverity::Blocking);
    let text = match verdict {
        Some(CritiqueVerdict::Proceed) if blocks => {
            Some("a challenge is blocking, so the verdict cannot be \"proceed\"")
        }
        Some(CritiqueVerdict::MajorReworkNeeded) if !blocks => {
            Some("no challenge is blocking, so the verdict cannot be \"major-rework-needed\"")
        }
        _ => None,
    };
    if let Some(text) = text {
        object.error("BAD_VERDICT", "verdict", text);
    }
    Critique {
        challenges,
        missing_coverage: object.texts("missingCoverage", MOST_ENTRIES, MOST_TEXT),
        approach_risks: object.texts("approachRisks", MOST_ENTRIES, MOST_TEXT),
        coherence_issues: object.texts("coherenceIssues", MOST_ENTRIES, MOST_TEXT),
        verdict,
    }
}
