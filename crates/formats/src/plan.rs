//! Plans: files that describe several tasks, read into one value. Every reader names the parts it did not understand with file and line. A
//! file is only read here; nothing of it is run, and only the caller of the reading follows the paths in it.

mod changes;
mod check_boxes;
mod document;
mod drafts;
mod gates;
mod graph;
mod known_tools;
mod master;
mod model;
mod notes;
mod order;
mod phase;
mod process;
mod sections;
mod stories;
mod templates;
mod words;
mod write_back;

use std::path::{Component, Path, PathBuf};

pub use changes::{PlanChanges, TaskChange, compare};
pub use check_boxes::{CheckBox, boxes};
pub use drafts::{BodyOf, NOTHING_LEFT, PathName, PlanChoices, batch_of, drafts, is_over, left_out, slug};
pub use graph::graph;
pub use known_tools::{ToolFiles, propose_commands};
pub use model::{
    PhaseStatus, Plan, PlanDetail, PlanGate, PlanGroup, PlanItem, PlanKind, PlanStory, PlanTask, ToldCommand,
};
pub use notes::find_notes;
pub use stories::{StoryRules, queue, queue_of};
pub use templates::{NewPlan, TEMPLATES, new_plan};
pub use write_back::{progress_of, status_of, with_statuses, with_ticks};

use crate::finding::Findings;
use dbs_domain::task::GateCommand;

/// Function that reads a file of a plan; an error reads after "could not read it:".
pub type ReadPlanFile<'a> = &'a mut dyn FnMut(&Path) -> Result<String, String>;

/// Returns true if a text is a master plan: it has a table of phases.
pub fn is_master(text: &str) -> bool {
    let found = Findings::about(Path::new(""), text);
    master::read(&document::parts(text.trim_start_matches('\u{feff}')), &found).is_some()
}

/// Returns true if a text has phases, as rows of a table or as headings.
pub(crate) fn has_phases(text: &str) -> bool {
    let found = Findings::about(Path::new(""), text);
    let parts = document::parts(text);
    let table = master::read(&parts, &found);
    table.is_some() || sections::read(&parts, text, None, &[], &found).is_some()
}

/// Reads a master plan and the files of its phases. `gates` are those of the project; a gate of the plan may take its command from one of
/// the same name. Files are asked for by paths relative to the folder of `file`, never above it.
pub fn read(file: &Path, text: &str, gates: &[GateCommand], open: ReadPlanFile<'_>) -> Plan {
    let found = Findings::about(file, text);
    let (master, is_linked) = read_master(text, gates, &found);
    let mut plan = Plan {
        kind: PlanKind::Phased,
        title: String::new(),
        file: file.to_owned(),
        items: Vec::new(),
        findings: Vec::new(),
    };
    let Some(master) = master else {
        let text = format!(
            "this is not a plan: there is no table of phases and no heading of one; write a table with the columns Phase, Title and Status below a heading Phases, or have an agent do it: `dbs convert {}`",
            file.display()
        );
        found.error("NO_PHASES", 0, text);
        plan.findings = found.finish();
        return plan;
    };
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    plan.title = master.title.or_else(stem).unwrap_or_default();
    if master.rows.is_empty() {
        found.error("NO_PHASES", 0, "the table of phases has no row that is a phase");
    }
    let mut of_phases = Vec::new();
    for row in master.rows {
        let (mut item, link) = (row.item, row.link);
        if !is_linked {
            plan.items.push(item);
            continue;
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        match phase_file(&item, link, folder, &found) {
            Some(path) => match open(&path) {
                Ok(text) => {
                    let of_phase = Findings::about(&path, &text);
                    let parts = document::parts(text.trim_start_matches('\u{feff}'));
                    phase::read(&parts, &mut item, row.has_status, gates, &of_phase);
                    of_phases.extend(of_phase.finish());
                    item.file = Some(path);
                }
                Err(why) => {
                    let text = format!("could not read {} of phase {}: {why}", path.display(), item.id);
                    found.error("PHASE_NOT_FOUND", item.line, text);
                }
            },
            None => item.file = None,
        }
        plan.items.push(item);
    }
    notes::name_notes(&mut plan.items, &plan.title);
    order::check(&plan.items, &found);
    plan.findings = found.finish();
    plan.findings.extend(of_phases);
    plan
}

/// Reads the phases of a plan, and returns true if they have files of their own.
fn read_master(text: &str, gates: &[GateCommand], findings: &Findings<'_>) -> (Option<master::Master>, bool) {
    let body = text.trim_start_matches('\u{feff}');
    let parts = document::parts(body);
    let table = master::read(&parts, findings);
    let has_files = |master: &master::Master| master.rows.iter().any(|row| row.link.is_some());
    if table.as_ref().is_some_and(has_files) {
        return (table, true);
    }
    (sections::read(&parts, body, table, gates, findings), false)
}

/// Returns the path of the file of a phase, as the link gives it; `None` if there is none that may be read.
fn phase_file(
    item: &PlanItem,
    link: Option<String>,
    folder: &Path,
    findings: &Findings<'_>,
) -> Option<PathBuf> {
    let id = &item.id;
    let Some(link) = link else {
        let text = format!(
            "phase {id} has no file: make its title a link to one, so that it can have gates and tasks"
        );
        findings.error("PHASE_NOT_FOUND", item.line, text);
        return None;
    };
    let target = link
        .split(['#', '?'])
        .next()
        .unwrap_or_default()
        .replace("%20", " ");
    let is_below = Path::new(&target)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if target.is_empty() || target.contains(':') || target.contains('\\') || !is_below {
        let text = format!(
            "the link of phase {id} leads to {link:?}: name a file in the folder of the plan, or below it"
        );
        findings.error("PHASE_NOT_FOUND", item.line, text);
        return None;
    }
    let clean: PathBuf = Path::new(&target)
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    Some(folder.join(clean))
}
