//! Words of commits that the engine makes, as the settings `commit.message` (the first line, C14) and `merge.message` have them.

use super::task::Task;

/// Maximum length of a template of a line, and of a whole message, in bytes.
const LONGEST: usize = 200;
const LONGEST_MESSAGE: usize = 2_000;

/// Values that a template can name, between braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitTemplateValues<'a> {
    pub task: &'a str,
    pub title: &'a str,
    pub stage: &'a str,
    /// Id of the task's phase if the task comes from a plan, else the task's id.
    pub phase_id: &'a str,
    /// Title of the phase without its number, which is in `phase_id`.
    pub phase_name: &'a str,
    /// File of the task's plan; empty if the task comes from none.
    pub plan: &'a str,
    /// First line that the commit has without a template.
    pub subject: &'a str,
    pub branch: &'a str,
    pub base: &'a str,
    /// True if the work has passed its checks; what is committed before them may be partial.
    pub is_whole: bool,
}

impl<'a> CommitTemplateValues<'a> {
    /// Returns the values of a task at a stage.
    pub fn of(task: &'a Task, stage: &'a str, is_whole: bool) -> CommitTemplateValues<'a> {
        let id = task.id.as_str();
        let phase = task.plan.as_ref().map(|plan| plan.source.item.as_str());
        let without_number = |title: &'a str| {
            let rest = title.strip_prefix("Phase ")?.strip_prefix(phase?)?;
            rest.strip_prefix(": ")
        };
        CommitTemplateValues {
            task: id,
            title: &task.title,
            stage,
            phase_id: phase.unwrap_or(id),
            phase_name: without_number(&task.title).unwrap_or(&task.title),
            plan: task.plan.as_ref().map_or("", |plan| &plan.source.plan),
            is_whole,
            ..NOTHING
        }
    }

    /// Returns the value of that name; the names of earlier programs are known too.
    fn get(&self, name: &str) -> Option<&'a str> {
        match name {
            "task" => Some(self.task),
            "title" => Some(self.title),
            "phase_name" => Some(self.phase_name),
            "stage" => Some(self.stage),
            "phase_id" => Some(self.phase_id),
            "plan" => Some(self.plan),
            "subject" => Some(self.subject),
            "branch" => Some(self.branch),
            "base" => Some(self.base),
            "status" if self.is_whole => Some("✓"),
            "status" => Some("⚠️ partial"),
            _ => None,
        }
    }
}

/// Names that a template can have between braces, for people.
pub const NAMES: &str = "{task}, {title}, {stage}, {phase_id}, {phase_name}, {plan}, {status}";

/// Names that only a whole message can have.
const OF_MESSAGES: [&str; 3] = ["subject", "branch", "base"];

const NOTHING: CommitTemplateValues<'static> = CommitTemplateValues {
    task: "",
    title: "",
    stage: "",
    phase_id: "",
    phase_name: "",
    plan: "",
    subject: "",
    branch: "",
    base: "",
    is_whole: true,
};

/// Returns true if a text is a template: one line, not too long, and each name between braces is known.
pub fn is_template(text: &str) -> bool {
    let is_line = !text.trim().is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control);
    let is_known = |name: &str| NOTHING.get(name).is_some() && !OF_MESSAGES.contains(&name);
    is_line && pieces(text).all(|(_, name)| name.is_none_or(is_known))
}

/// Returns true if a text is a template of a whole message: a first line, more lines if wanted, and each name between braces is known.
pub fn is_message_template(text: &str) -> bool {
    let is_text = !text.trim().is_empty() && text.len() <= LONGEST_MESSAGE;
    let is_plain = !text.chars().any(|c| c.is_control() && c != '\n');
    let is_known = |name: &str| NOTHING.get(name).is_some();
    is_text && is_plain && pieces(text).all(|(_, name)| name.is_none_or(is_known))
}

/// Returns the text with the values in their places. Text between braces that is not a known name stays as it is.
pub fn render(template: &str, values: &CommitTemplateValues<'_>) -> String {
    let put = |(text, name): (&str, Option<&str>)| match name {
        Some(name) => {
            // A value is part of a line, whatever it holds.
            let value = values.get(name).map(|value| value.replace(char::is_control, " "));
            let value = value.unwrap_or_else(|| format!("{{{name}}}"));
            format!("{text}{value}")
        }
        None => text.to_owned(),
    };
    pieces(template).map(put).collect()
}

/// Splits a template into each text before a name between braces, with the name; the last has none.
fn pieces(template: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(template);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let found = text.split_once('{');
        let Some((before, (name, after))) =
            found.and_then(|(before, after)| Some((before, after.split_once('}')?)))
        else {
            return Some((text, None));
        };
        rest = Some(after);
        Some((before, Some(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: CommitTemplateValues<'_> = CommitTemplateValues {
        task: "export-2",
        title: "{status} writer",
        stage: "work",
        phase_id: "2.1",
        phase_name: "{status} writer",
        is_whole: true,
        ..NOTHING
    };

    #[test]
    fn names_are_replaced_once_and_values_are_never_templates() {
        let seeds = "Debussy: Phase {phase_id} - {phase_name} {status}";
        assert!(is_template(seeds));
        assert_eq!(render(seeds, &VALUES), "Debussy: Phase 2.1 - {status} writer ✓");
        let partial = CommitTemplateValues {
            is_whole: false,
            ..VALUES
        };
        assert_eq!(
            render("{task} at {stage} {status}", &partial),
            "export-2 at work ⚠️ partial"
        );
        assert_eq!(render("a { b", &VALUES), "a { b");
    }

    #[test]
    fn names_that_are_not_known_several_lines_and_long_texts_are_no_templates() {
        for wrong in ["", " ", "{phase}", "{task", "a\nb", &"x".repeat(201)] {
            assert_eq!(is_template(wrong), wrong == "{task", "{wrong:?}");
        }
        assert!(!is_template("{subject}"), "a first line does not hold itself");
    }

    #[test]
    fn a_message_has_lines_and_no_value_adds_one() {
        let template = "{subject}\n\nPhase {phase_id} of {plan}\n\nRefs: {task}";
        assert!(is_message_template(template));
        for wrong in ["", "\n", "{phase}", "a\tb", &"x".repeat(2_001)] {
            assert!(!is_message_template(wrong), "{wrong:?}");
        }
        let values = CommitTemplateValues {
            subject: "Merge it\nDbs-Task: other",
            plan: "plan.md",
            ..VALUES
        };
        assert_eq!(
            render(template, &values),
            "Merge it Dbs-Task: other\n\nPhase 2.1 of plan.md\n\nRefs: export-2"
        );
    }
}
