//! Files of a new plan, made from templates: a master plan, a file for each phase, and a template for notes (P18, P49, P58).

use std::collections::BTreeMap;

use super::drafts::slug;
use dbs_domain::task::GateCommand;

/// Names of the templates; they differ in the tasks of a phase.
pub const TEMPLATES: [&str; 3] = ["generic", "backend", "frontend"];

/// Subject and size of a new plan, with the choices for its files.
#[derive(Debug, Clone)]
pub struct NewPlan<'a> {
    pub feature: &'a str,
    pub phases: u32,
    /// Name from [`TEMPLATES`]; any other word means the first of them.
    pub template: &'a str,
    /// Day of its making: `2026-11-23`.
    pub date: &'a str,
    /// Gates that prove each phase; the command of one without any is that of the project's gate of its name.
    pub gates: &'a [GateCommand],
    /// Templates that replace those of the program, by the names of their files: `master.md`, `phase.md`, `notes.md`, `tasks-backend.md`.
    pub own: &'a BTreeMap<String, String>,
}

impl NewPlan<'_> {
    /// Returns the template of that file name; empty for an unknown one.
    fn text_of(&self, name: &str) -> &str {
        let own = self.own.get(name).map(String::as_str);
        own.unwrap_or_else(|| {
            BUILTIN
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, text)| text)
        })
    }
}

/// The templates of the program, by the names of their files.
const BUILTIN: [(&str, &str); 6] = [
    ("master.md", include_str!("../../../../assets/plans/master.md")),
    ("phase.md", PHASE),
    ("notes.md", include_str!("../../../../assets/plans/notes.md")),
    (
        "tasks-generic.md",
        include_str!("../../../../assets/plans/tasks-generic.md"),
    ),
    (
        "tasks-backend.md",
        include_str!("../../../../assets/plans/tasks-backend.md"),
    ),
    (
        "tasks-frontend.md",
        include_str!("../../../../assets/plans/tasks-frontend.md"),
    ),
];
const PHASE: &str = include_str!("../../../../assets/plans/phase.md");

/// Returns names and texts of the files, the master plan first. All of them belong into one folder.
pub fn new_plan(plan: &NewPlan<'_>) -> Vec<(String, String)> {
    let numbers = 1..=plan.phases;
    let rows: Vec<String> = numbers
        .clone()
        .map(|n| {
            format!(
                "| {n} | [{}]({}) | what it is about | Low | Pending |",
                title(n),
                file(n)
            )
        })
        .collect();
    let rows = rows.join("\n");
    let mut files = vec![(
        "MASTER_PLAN.md".to_owned(),
        filled(
            plan.text_of("master.md"),
            &[("feature", plan.feature), ("date", plan.date), ("rows", &rows)],
        ),
    )];
    files.extend(numbers.map(|n| (file(n), phase(plan, n))));
    let notes = filled(
        plan.text_of("notes.md"),
        &[
            ("feature", plan.feature),
            ("date", plan.date),
            ("phase_num", "N"),
            ("phase_file", "phase-N.md"),
        ],
    );
    files.push(("NOTES_TEMPLATE.md".to_owned(), notes));
    files
}

/// Overview of a new phase before it is written.
pub(super) fn unwritten_overview() -> &'static str {
    let below = PHASE.split_once("## Overview").map_or("", |(_, below)| below);
    below.trim_start().lines().next().unwrap_or_default()
}

fn phase(plan: &NewPlan<'_>, n: u32) -> String {
    let number = n.to_string();
    let before = n.checked_sub(1).filter(|before| *before > 0);
    let notes = |n: u32| {
        format!(
            "notes/NOTES_{}_phase_{n}.md",
            slug(plan.feature).replace('-', "_")
        )
    };
    let gates: Vec<String> = plan
        .gates
        .iter()
        .map(|gate| match gate.command.as_str() {
            "" => format!("- {}: passes", gate.name),
            command => format!("- {}: passes (command: `{command}`)", gate.name),
        })
        .collect();
    let named = TEMPLATES.iter().find(|name| **name == plan.template);
    let [generic, ..] = TEMPLATES;
    let tasks = plan.text_of(&format!("tasks-{}.md", named.unwrap_or(&generic)));
    let text = plan.text_of("phase.md").replace("{tasks}", tasks.trim_end());
    filled(
        &text,
        &[
            ("feature", plan.feature),
            ("date", plan.date),
            ("phase_num", &number),
            ("title", &title(n)),
            (
                "previous",
                &before.map_or_else(|| "None".to_owned(), |before| format!("Phase {before}")),
            ),
            ("notes_before", &before.map_or_else(|| "N/A".to_owned(), notes)),
            ("notes", &notes(n)),
            ("gates", &gates.join("\n")),
        ],
    )
}

fn title(n: u32) -> String {
    format!("Step {n}")
}

fn file(n: u32) -> String {
    format!("phase-{n}.md")
}

/// Returns the template with these values in its places. A value is never read as a template.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let known = after.split_once('}').and_then(|(name, behind)| {
            let value = values.iter().find(|(known, _)| *known == name)?;
            Some((value.1, behind))
        });
        if let Some((value, behind)) = known {
            text.push_str(value);
            rest = behind;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}
