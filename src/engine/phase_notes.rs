//! The notes that a phase leaves: looked for in a commit, never in a folder an agent can write to (P34).

use super::context::EngineContext;
use super::issues::Issues;
use super::job::Job;
use crate::domain::{ComplianceIssue, Evidence, EvidenceKind, Severity, Tri};
use crate::ports::git::{CommitFile, CommitId};

/// Sections that notes must have.
const SECTIONS: [&str; 3] = ["Summary", "Key Decisions", "Files Modified"];
/// Maximum number of bytes of notes that are looked at.
const LIMIT: usize = 1024 * 1024;

/// Checks that a merged commit holds the notes as the task brought them to its stage: faults that were accepted then are not the fault of
/// the merge.
pub(super) fn notes_kept(context: &EngineContext, job: &Job, merged: &CommitId) -> Tri {
    let brought = job.task.stage_head.as_deref().or(job.task.head.as_deref());
    let looked = notes(context, job, merged).and_then(|now| match brought.map(CommitId::new) {
        Some(Ok(brought)) if !now.is_empty() => Ok((now, notes(context, job, &brought)?)),
        _ => Ok((now, Vec::new())),
    });
    match looked {
        Ok((now, before)) => {
            let lost = now.into_iter().filter(|issue| !before.contains(issue));
            Evidence::from_issues(EvidenceKind::Notes, lost.collect()).outcome
        }
        Err(outcome) => outcome,
    }
}

/// The notes are in the commit, and every section of them has a text: missing notes are the greater fault.
pub(super) fn notes(context: &EngineContext, job: &Job, head: &CommitId) -> Issues {
    let Some(path) = job.task.plan.as_deref().and_then(|plan| plan.notes.as_deref()) else {
        return Ok(Vec::new());
    };
    let missing = |why: &str| {
        let text = format!("the notes {path} {why}");
        Ok(vec![ComplianceIssue::new(Severity::High, text)])
    };
    match context.git.file_at(head, path, LIMIT) {
        Err(error) => Err(Tri::Unknown(error.cause().after("could not "))),
        Ok(CommitFile::Absent) => missing("are not in the commit; files that git ignores are not committed"),
        Ok(CommitFile::NoFile) => missing("are not a file"),
        Ok(CommitFile::Text(text)) if text.text.trim().is_empty() => missing("are empty"),
        Ok(CommitFile::Text(text)) => Ok(incomplete(&text.text, path)),
    }
}

/// Returns the sections that are missing, or have nothing below their heading that an agent wrote.
fn incomplete(text: &str, path: &str) -> Vec<ComplianceIssue> {
    let sections = sections(text);
    let named = |wanted: &str| {
        let wanted = wanted.to_lowercase();
        let mut found = sections
            .iter()
            .filter(|section| section.heading.contains(&wanted))
            .peekable();
        found
            .peek()
            .is_some()
            .then(|| found.any(|section| section.has_text))
    };
    let of = |state: Option<bool>| SECTIONS.into_iter().filter(move |name| named(name) == state);
    let lacking = ("lack", of(None).collect::<Vec<_>>());
    let empty = ("say nothing in", of(Some(false)).collect::<Vec<_>>());
    [lacking, empty]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(verb, names)| {
            let text = format!("the notes {path} {verb} the sections {}", names.join(", "));
            ComplianceIssue::new(Severity::Low, text)
        })
        .collect()
}

/// Heading of notes, with everything below it that belongs to it.
struct Section {
    level: usize,
    /// Text of the heading in lower case.
    heading: String,
    has_text: bool,
}

/// Returns the sections of a text; a text below a smaller heading belongs to the larger ones above, too.
fn sections(text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let level = line.len() - line.trim_start_matches('#').len();
        if level > 0 {
            found.push(Section {
                level,
                heading: line.to_lowercase(),
                has_text: false,
            });
            continue;
        }
        let is_head_of_table = lines.peek().is_some_and(|next| is_rule(next));
        if is_rule(line) || is_head_of_table || !says_something(line) {
            continue;
        }
        let mut below = usize::MAX;
        for section in found.iter_mut().rev() {
            if section.level < below {
                (below, section.has_text) = (section.level, true);
            }
        }
    }
    found
}

/// Returns true if a line separates the head of a table from its rows.
fn is_rule(line: &str) -> bool {
    line.starts_with('|') && line.chars().all(|sign| "|-: ".contains(sign))
}

/// Returns true if a line has a letter or a digit outside of the braces of a template.
fn says_something(line: &str) -> bool {
    let mut depth = 0_u32;
    line.chars().any(|sign| {
        match sign {
            '{' => depth = depth.saturating_add(1),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && sign.is_alphanumeric()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let issues = incomplete(text, "n.md");
        assert!(issues.iter().all(|issue| issue.severity == Severity::Low));
        issues.into_iter().map(|issue| issue.text).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn notes_without_a_section_are_incomplete_and_say_which() {
        let whole = "# Notes\n## summary\nx\n## Key Decisions\n| a |\n### Files Modified (3)\n- b\n";
        assert_eq!(faults(whole), NONE);
        let part = faults("## Summary\nKey Decisions\n");
        assert_eq!(
            part,
            ["the notes n.md lack the sections Key Decisions, Files Modified"]
        );
    }

    #[test]
    fn a_section_without_a_text_is_incomplete_like_one_that_is_missing() {
        let nothing = "## Summary\n\n## Key Decisions\n| Decision | Rationale |\n|---|:--|\n## Files Modified\n{the files}\n";
        assert_eq!(
            faults(nothing),
            ["the notes n.md say nothing in the sections Summary, Key Decisions, Files Modified"]
        );
        let template = include_str!("../../assets/plans/notes.md");
        assert_eq!(faults(template), faults(nothing), "the template as it comes");
        for part in [
            "**Phase:**",
            "**Completed:**",
            "**Duration:**",
            "## Test Results",
            "## Warnings for Next Phase",
            "## Blockers Encountered",
            "## Gate Results",
        ] {
            assert!(template.contains(part), "{part}");
        }
        let rows = nothing
            .replace("|---|:--|\n", "|---|:--|\n| one | two |\n")
            .replace("## Summary\n\n", "## Summary\n### What\nIt is done.\n")
            .replace("{the files}", "`a.rs` {new}");
        assert_eq!(faults(&rows), NONE);
    }
}
