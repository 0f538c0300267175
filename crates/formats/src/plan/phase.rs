//! The file of one phase: its dependencies, process, gates and tasks (4.2, P13–P17).

use std::collections::BTreeSet;

use super::document::{Inline, Part, Tick};
use super::gates;
use super::known_tools::is_key;
use super::master::unknown_status;
use super::model::{MOST_NAMES, PlanGroup, PlanItem, PlanTask, ToldCommand};
use super::process::{process, required_agent};
use super::templates::unwritten_overview;
use super::words;
use crate::finding::Findings;
use crate::prompt::is_hidden;
use dbs_domain::task::GateCommand;

/// Form in which a phase is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhaseForm {
    /// A file of its own; its status may be given by the plan.
    File { has_status: bool },
    /// A section of its plan.
    Section,
}

/// Section of the file that holds the part at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Other,
    Process,
    Gates,
    Dependencies,
    Tasks,
    Agents,
}

/// Reads the parts of a phase file into its item. `known` are the gates of the project; a gate of the plan may take its command from one of
/// the same name.
pub(super) fn read(
    parts: &[Part],
    item: &mut PlanItem,
    has_status: bool,
    known: &[GateCommand],
    findings: &Findings<'_>,
) {
    let heading = parts.iter().find_map(|part| match part {
        Part::Heading { level: 1, text, .. } => Some(text.plain()),
        _ => None,
    });
    if let (true, Some(heading)) = (item.title.is_empty(), heading) {
        words::title_in_heading(&heading).clone_into(&mut item.title);
    }
    read_parts(parts, item, PhaseForm::File { has_status }, known, findings);
    judge(item, findings);
}

/// Reads the parts of a phase that is a section of its plan: boxes anywhere in it are its tasks, and it may be without gates and notes.
pub(super) fn read_section(
    parts: &[Part],
    item: &mut PlanItem,
    known: &[GateCommand],
    findings: &Findings<'_>,
) {
    read_parts(parts, item, PhaseForm::Section, known, findings);
    judge_names(item, findings);
}

fn read_parts(
    parts: &[Part],
    item: &mut PlanItem,
    form: PhaseForm,
    known: &[GateCommand],
    findings: &Findings<'_>,
) {
    let (mut section, mut section_level) = (Section::Other, 0);
    for part in parts {
        if let Part::Heading { level, text, line } = part {
            if section == Section::Other || *level <= section_level {
                section = section_of(&text.plain());
                section_level = *level;
            }
            if section == Section::Tasks && *level > section_level {
                group(item, &text.plain(), *line);
            }
            continue;
        }
        match (section, part) {
            (Section::Process, Part::Item { text, .. }) => process(item, text),
            (Section::Gates, Part::Item { text, line, .. }) => gate(item, text, *line, known, findings),
            (Section::Dependencies, Part::Item { text, .. }) => declared(item, &text.plain()),
            (
                Section::Tasks | Section::Other,
                Part::Item {
                    text,
                    line,
                    tick: Some(tick),
                    ..
                },
            ) if form == PhaseForm::Section || section == Section::Tasks => {
                task(item, &text.plain(), tick, *line);
            }
            (Section::Agents, Part::Table { rows, .. }) => {
                for row in rows {
                    required_agent(item, &row.cells);
                }
            }
            (Section::Other, Part::Paragraph { text, line }) => {
                unwritten(item, &text.plain(), *line, findings);
                let has_status = form != PhaseForm::File { has_status: false };
                metadata(item, text, *line, has_status, findings);
            }
            (_, Part::Commands { text, line }) => commands(item, text, *line),
            _ => {}
        }
    }
    let optional = item.gates.iter().filter(|gate| !gate.is_blocking);
    let optional = optional.filter_map(|gate| {
        Some(ToldCommand {
            name: format!("gate {}", gate.name),
            command: gate.command.clone()?,
            line: gate.line,
        })
    });
    item.told.extend(optional.collect::<Vec<_>>());
}

/// Adds the lines of a code block, as the agent reads them in the file of its phase.
fn commands(item: &mut PlanItem, text: &str, line: usize) {
    for (at, command) in text.lines().map(str::trim).enumerate() {
        if !command.is_empty() && !command.starts_with('#') {
            item.told.push(ToldCommand {
                name: format!("command-{}", item.told.len() + 1),
                command: command.to_owned(),
                line: line + 1 + at,
            });
        }
    }
}

fn section_of(heading: &str) -> Section {
    let heading = heading.to_lowercase();
    let begins = |word: &str| {
        heading
            .trim_start_matches(|sign: char| !sign.is_alphabetic())
            .starts_with(word)
    };
    if heading.contains("process wrapper") {
        Section::Process
    } else if begins("gates") || begins("validation gates") {
        Section::Gates
    } else if begins("dependencies") {
        Section::Dependencies
    } else if begins("tasks") {
        Section::Tasks
    } else if begins("agents to use") {
        Section::Agents
    } else {
        Section::Other
    }
}

/// Warns of an overview that the template brought.
fn unwritten(item: &PlanItem, text: &str, line: usize, findings: &Findings<'_>) {
    if text.trim() == unwritten_overview() {
        let text = format!(
            "phase {} still has the text of the template: write what the phase adds, and its tasks",
            item.id
        );
        findings.warning("TEMPLATE_TEXT", line, text);
    }
}

/// Reads the bold fields: dependencies, a required approval, and the status if the plan itself does not give it (P13).
fn metadata(item: &mut PlanItem, text: &Inline, line: usize, has_status: bool, findings: &Findings<'_>) {
    for (key, value) in words::fields(text) {
        let value = value.plain();
        match key.as_str() {
            "depends on" => need(item, words::named_phases(&value)),
            "status" if !has_status => match words::status(&value) {
                Some(status) => item.status = status,
                None => unknown_status(&item.id, value.trim(), line, findings),
            },
            "approval" => {
                let said = words::approval(&value);
                if said.is_none() {
                    unknown_approval(&item.id, value.trim(), line, findings);
                }
                // An unknown word may have asked for one.
                item.needs_approval |= said.unwrap_or(true);
            }
            _ => {}
        }
    }
}

/// Warns of an approval that is not known, which may have been meant as a required one.
fn unknown_approval(id: &str, said: &str, line: usize, findings: &Findings<'_>) {
    let meant = words::meant(said, &["required", "not required"]);
    let text = format!(
        "phase {id} has the approval {said:?}{meant}: write required or not required; until then a person must approve the phase"
    );
    findings.warning("UNKNOWN_APPROVAL", line, text);
}

/// Adds declared dependencies only: a phase that is mentioned in passing is not waited for (P14, LP-24).
fn declared(item: &mut PlanItem, text: &str) {
    let lower = text.to_lowercase();
    let declares = ["previous phase", "depends on", "requires", "phase "];
    if !declares.iter().any(|word| lower.starts_with(word)) {
        return;
    }
    let value = text.split_once(':').map_or(text, |(_, value)| value);
    if !words::is_none(value) {
        need(item, words::named_phases(text));
    }
}

fn need(item: &mut PlanItem, ids: Vec<String>) {
    for id in ids {
        if id != item.id && item.needs.len() < MOST_NAMES && !item.needs.contains(&id) {
            item.needs.push(id);
        }
    }
}

fn gate(item: &mut PlanItem, text: &Inline, line: usize, known: &[GateCommand], findings: &Findings<'_>) {
    if text.is_bold() && !text.plain().contains(':') {
        return;
    }
    let Some(mut gate) = gates::read(text, line) else {
        if text.codes().next().is_some() {
            let text = "this gate has no name: write `- name: what must hold (command: ...)`";
            findings.error("GATE_PARSE_ERROR", line, text);
        } else {
            let text = "this is read as a remark and checks nothing: a gate is `- name: what must hold (command: ...)`";
            findings.warning("GATE_PARSE_ERROR", line, text);
        }
        return;
    };
    if gate
        .command
        .as_deref()
        .is_some_and(|command| command.chars().any(is_hidden))
    {
        let text = format!(
            "the command of gate {} has invisible characters: write it again without them",
            gate.name
        );
        findings.error("GATE_PARSE_ERROR", line, text);
        return;
    }
    if gate.command.is_none() {
        let own = known.iter().find(|own| own.name == gate.name);
        gate.command = own.map(|own| own.command.clone());
    }
    if gate.command.is_none() {
        let name = &gate.name;
        let way = if is_key(name) {
            format!(", or set it with `dbs config gates.{name} COMMAND`")
        } else {
            String::new()
        };
        let text = format!(
            "gate {name} has no command, so it cannot be checked: write the command between backticks{way}"
        );
        if gate.is_blocking {
            findings.error("MISSING_GATE_COMMAND", line, text);
        } else {
            findings.warning("MISSING_GATE_COMMAND", line, text);
        }
    }
    item.gates.push(gate);
}

/// Adds a heading in the tasks whose first word is an id, or which has one before a colon: `1. Work`, `6A.1: Make it`, `Sub-Phase 6A:
/// Estimates`.
fn group(item: &mut PlanItem, heading: &str, line: usize) {
    let first = heading.split_whitespace().next().unwrap_or_default();
    let first_id = first.trim_end_matches([':', '.']);
    let (id, title) = if words::is_id(first_id) {
        (first_id, heading.get(first.len()..).unwrap_or_default())
    } else {
        let (before, title) = heading.split_once(':').unwrap_or((heading, heading));
        (before.split_whitespace().last().unwrap_or(before), title)
    };
    let id = id.trim_end_matches('.');
    item.groups.push(PlanGroup {
        id: if words::is_id(id) {
            id.to_owned()
        } else {
            String::new()
        },
        title: title.trim().to_owned(),
        line,
    });
}

fn task(item: &mut PlanItem, text: &str, tick: &Tick, line: usize) {
    let first = text.lines().next().unwrap_or_default();
    let word = first.split_whitespace().next().unwrap_or_default();
    let bare = word.trim_end_matches(':');
    // Without a colon a single number may be the first word of the text.
    let is_lead = words::is_id(bare) && (bare.len() < word.len() || bare.contains('.'));
    let lead = is_lead.then_some(bare);
    let id = lead.map_or_else(
        || match item.groups.last().filter(|group| !group.id.is_empty()) {
            Some(group) => format!("{}/{}", group.id, item.tasks.len() + 1),
            None => format!("t{}", item.tasks.len() + 1),
        },
        str::to_owned,
    );
    let text = match lead {
        Some(lead) => first
            .get(lead.len()..)
            .unwrap_or(first)
            .trim_start_matches(':')
            .trim(),
        None => first,
    };
    item.tasks.push(PlanTask {
        id,
        text: text.to_owned(),
        is_done: tick.is_done,
        box_at: tick.at.clone(),
        line,
    });
}

/// Reports the parts that a phase lacks.
fn judge(item: &PlanItem, findings: &Findings<'_>) {
    let id = &item.id;
    if item.gates.is_empty() {
        let text = format!(
            "phase {id} has no gates, so nothing proves its work: add a section Gates with `- name: ... (command: ...)`"
        );
        findings.error("MISSING_GATES", 0, text);
    }
    judge_names(item, findings);
    if item.notes.is_none() {
        let text =
            format!("phase {id} names no file for its notes: write `Write notes to: ...` in its process");
        findings.warning("NO_NOTES_OUTPUT", 0, text);
    }
}

/// Reports gates of the same name.
fn judge_names(item: &PlanItem, findings: &Findings<'_>) {
    let id = &item.id;
    let mut names = BTreeSet::new();
    for gate in &item.gates {
        if !names.insert(gate.name.as_str()) {
            let text = format!(
                "phase {id} has two gates called {}: give each a name of its own",
                gate.name
            );
            findings.error("GATE_PARSE_ERROR", gate.line, text);
        }
    }
}
