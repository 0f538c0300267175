//! Findings about a list of work: one for each shape that was not understood, with the first line of it and the number of the others.

use std::collections::BTreeMap;
use std::path::Path;

use crate::finding::{Finding, FindingLevel};

/// Findings by their codes.
pub(super) struct ShapeFindings<'a> {
    file: &'a Path,
    found: BTreeMap<&'static str, (Finding, usize)>,
}

impl<'a> ShapeFindings<'a> {
    pub(super) fn about(file: &'a Path) -> ShapeFindings<'a> {
        ShapeFindings {
            file,
            found: BTreeMap::new(),
        }
    }

    pub(super) fn error(&mut self, code: &'static str, line: usize, text: impl Into<String>) {
        self.add(FindingLevel::Error, code, line, text.into());
    }

    pub(super) fn warning(&mut self, code: &'static str, line: usize, text: impl Into<String>) {
        self.add(FindingLevel::Warning, code, line, text.into());
    }

    fn add(&mut self, level: FindingLevel, code: &'static str, line: usize, text: String) {
        let first = || (Finding::new(level, self.file, line, text), 0);
        self.found.entry(code).or_insert_with(first).1 += 1;
    }

    pub(super) fn finish(self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for (code, (finding, count)) in self.found {
            let text = match count {
                0 | 1 => finding.text,
                n => format!("{} ({} more like it)", finding.text, n - 1),
            };
            findings.push(Finding {
                code,
                text,
                ..finding
            });
        }
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}
