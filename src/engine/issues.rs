//! Result of a check of the engine's own.

use crate::domain::{ComplianceIssue, Tri};

/// Deficiencies that a check found, or its outcome if it could not tell.
pub(super) type Issues = Result<Vec<ComplianceIssue>, Tri>;
