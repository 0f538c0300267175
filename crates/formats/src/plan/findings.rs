//! Collector of the findings in the files of a plan.

use std::path::Path;

use super::model::PlanFinding;
use crate::diagnostic::{Diagnostic, DiagnosticLevel};

/// Findings about one file.
pub(super) struct Findings<'a> {
    file: &'a Path,
    found: Vec<PlanFinding>,
}

impl<'a> Findings<'a> {
    pub(super) fn about(file: &'a Path) -> Findings<'a> {
        Findings {
            file,
            found: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, code: &'static str, line: usize, text: impl Into<String>) {
        self.add(DiagnosticLevel::Error, code, line, text.into());
    }

    pub(super) fn warning(&mut self, code: &'static str, line: usize, text: impl Into<String>) {
        self.add(DiagnosticLevel::Warning, code, line, text.into());
    }

    fn add(&mut self, severity: DiagnosticLevel, code: &'static str, line: usize, text: String) {
        let file = self.file.to_owned();
        let diagnostic = Diagnostic {
            severity,
            file,
            line,
            text,
        };
        self.found.push(PlanFinding { code, diagnostic });
    }

    pub(super) fn finish(self) -> Vec<PlanFinding> {
        self.found
    }
}
