//! Facts that are in the details of a task already, so that each is shown once.

use super::failure;
use crate::domain::task::Comment;
use crate::domain::{Severity, Task};
use crate::ui::status::task_status;
use crate::ui::views::ViewContext;

/// Minimum length of a fact: shorter texts may occur anywhere by chance.
const LEAST: usize = 8;

/// The reason of a task's state, and the failure of its last attempt.
pub(super) struct Told {
    /// First lines of the findings; the rest of each is behind it wherever it is repeated.
    findings: Vec<String>,
    /// The reason of the state, without the findings.
    reason: String,
    /// Time at which the reported attempt ended.
    ended: Option<crate::domain::Timestamp>,
}

impl Told {
    pub(super) fn of(ctx: &ViewContext<'_>, task: &Task) -> Told {
        let failure = ctx.scene.model.failure_of(task);
        let found = failure.map(|(attempt, _, why)| failure::findings(task, attempt, why));
        let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
        let findings = found.unwrap_or_default().into_iter().map(first);
        // The last words of a program are facts by themselves, too.
        let findings = findings.flat_map(|text| {
            let words = text.split_once(" before reporting: ");
            let words = words.map(|(_, words)| words.to_owned());
            [Some(text.clone()), words]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        });
        let findings = findings.filter(|text| text.len() >= LEAST).collect();
        let mut told = Told {
            findings,
            reason: String::new(),
            ended: failure.and_then(|(attempt, ..)| attempt.ended_at),
        };
        told.reason = told
            .summary(&task_status(task, ctx.scene).standing.reason)
            .to_owned();
        told
    }

    /// Returns the reason of the state up to the findings.
    pub(super) fn summary<'t>(&self, reason: &'t str) -> &'t str {
        before(reason, &self.findings)
    }

    /// Returns true if a comment adds nothing: the engine's on the reported attempt, a person's on the state it made.
    pub(super) fn has_all(&self, comment: &Comment, task: &Task) -> bool {
        let rest = self.rest(&comment.text);
        let is_of_attempt = comment.author == "dbs" && Some(comment.at) == self.ended;
        rest.is_empty() || rest == task.state.word() || is_of_attempt && rest == self.reason
    }

    /// Returns true if a text repeats a fact that is shown already.
    pub(super) fn repeats(&self, text: &str) -> bool {
        self.rest(text).len() < text.len()
    }

    /// Returns a text up to the first fact that is shown already.
    pub(super) fn rest<'t>(&self, text: &'t str) -> &'t str {
        let rest = before(text, &self.findings);
        if self.reason.len() < LEAST {
            return rest;
        }
        before(rest, std::slice::from_ref(&self.reason))
    }
}

/// Returns the text before the first of these facts, without the words that lead to it.
fn before<'t>(text: &'t str, facts: &[String]) -> &'t str {
    let at = facts.iter().filter_map(|fact| text.find(fact.as_str())).min();
    match at.and_then(|at| text.get(..at)) {
        Some(rest) => {
            // A finding begins with its severity, which says nothing alone.
            let rest = match rest.rsplit_once('\n') {
                Some((lines, last)) if Severity::strip_word(last).is_empty() => lines,
                None if Severity::strip_word(rest).is_empty() => "",
                Some(_) | None => rest,
            };
            let rest = rest.trim_end_matches([':', ' ', ',', ';', '\n']);
            rest.strip_suffix(", but").unwrap_or(rest)
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::before;

    #[test]
    fn a_finding_that_is_told_leaves_no_word_of_its_severity_behind() {
        let facts = ["the notes n.md are not in the commit".to_owned()];
        let found = |lead: &str| format!("{lead}the notes n.md are not in the commit\n  to do: write them");
        for (lead, left) in [
            ("high: ", ""),
            ("low: a\nhigh: ", "low: a"),
            ("3 of 3 tries: ", "3 of 3 tries"),
            ("so high: ", "so high"),
        ] {
            assert_eq!(before(&found(lead), &facts), left, "{lead}");
        }
    }
}
