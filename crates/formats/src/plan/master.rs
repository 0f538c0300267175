//! The master plan: a title, and a table with a row for each phase (4.1, P12).

use super::document::{Inline, Part, Row};
use super::model::PlanItem;
use super::words;
use crate::finding::Findings;
use dbs_domain::plan_entry::Risk;
use dbs_domain::pluralized;

/// Maximum number of phases of a plan.
const MOST_PHASES: usize = 1_000;

/// Content of a master plan, before the files of its phases are read.
pub(super) struct Master {
    pub(super) title: Option<String>,
    pub(super) rows: Vec<PhaseRow>,
}

/// A phase as its row has it.
pub(super) struct PhaseRow {
    pub(super) item: PlanItem,
    /// The target of its link.
    pub(super) link: Option<String>,
    /// The cell that names the phases it waits for; empty if there is none.
    pub(super) needs: String,
    /// True if the row gives a status.
    pub(super) has_status: bool,
}

/// Reads the parts of a master plan; `None` if it holds no table of phases.
pub(super) fn read(parts: &[Part], findings: &Findings<'_>) -> Option<Master> {
    let (columns, rows) = phase_table(parts)?;
    let all = rows.len();
    let mut strange = None;
    let rows: Vec<_> = rows
        .iter()
        .filter_map(|row| {
            phase(row, &columns, findings)
                .map_err(|id| strange.get_or_insert((row.line, id)).0)
                .ok()
        })
        .collect();
    if let Some((line, id)) = strange {
        let more = match all - rows.len() {
            1 => String::new(),
            n => format!(" ({} like it)", pluralized(n, "row")),
        };
        let text =
            format!("this row is not a phase: its id is {id:?}; write a number such as 1, 2.1 or 3a{more}");
        findings.error("PHASE_PARSE_ERROR", line, text);
    }
    if rows.len() > MOST_PHASES {
        let text = format!(
            "the plan has {} phases, and {MOST_PHASES} are the most: split it",
            rows.len()
        );
        findings.error("MASTER_PARSE_ERROR", 0, text);
    }
    let rows = rows.into_iter().take(MOST_PHASES).collect();
    Some(Master {
        title: title(parts),
        rows,
    })
}

/// Returns the first heading of the first level, without words that only say that it is a plan.
pub(super) fn title(parts: &[Part]) -> Option<String> {
    let heading = parts.iter().find_map(|part| match part {
        Part::Heading { level: 1, text, .. } => Some(text.plain()),
        _ => None,
    })?;
    let lower = heading.to_lowercase();
    let end = lower
        .rfind("master plan")
        .filter(|at| lower.get(*at..) == Some("master plan"));
    let kept = end
        .and_then(|at| heading.get(..at))
        .map_or(heading.as_str(), |before| {
            before.trim_end_matches([' ', '-', '–', '—', ':'])
        });
    Some(if kept.is_empty() {
        heading.clone()
    } else {
        kept.to_owned()
    })
}

/// Position of each column in a row.
struct Columns {
    id: usize,
    title: usize,
    risk: Option<usize>,
    status: Option<usize>,
    needs: Option<usize>,
}

/// Finds the table of phases: below a heading that names phases, else the first that looks like one.
fn phase_table(parts: &[Part]) -> Option<(Columns, &[Row])> {
    let mut below = false;
    let mut first = None;
    for part in parts {
        match part {
            Part::Heading { text, .. } => below = text.plain().to_lowercase().contains("phases"),
            Part::Table { head, rows, .. } => {
                if let Some(columns) = columns(head) {
                    if below {
                        return Some((columns, rows));
                    }
                    first = first.or(Some((columns, rows.as_slice())));
                }
            }
            Part::Paragraph { .. } | Part::Item { .. } | Part::Commands { .. } => {}
        }
    }
    first
}

fn columns(head: &[Inline]) -> Option<Columns> {
    let names: Vec<String> = head.iter().map(|cell| cell.plain().to_lowercase()).collect();
    let column = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    Some(Columns {
        id: column(&["phase", "#", "id", "stage", "step", "milestone"])?,
        title: column(&["title", "name", "goal", "description"])?,
        risk: column(&["risk"]),
        status: column(&["status"]),
        needs: column(&["depends on", "dependencies", "depends", "blocked by", "after"]),
    })
}

/// Reads a row; an id that is none is the error.
fn phase(row: &Row, columns: &Columns, findings: &Findings<'_>) -> Result<PhaseRow, String> {
    let cell = |at: usize| row.cells.get(at).map(Inline::plain).unwrap_or_default();
    let link = row
        .cells
        .get(columns.title)
        .and_then(Inline::link)
        .map(str::to_owned);
    let mut id = cell(columns.id);
    if id.is_empty() {
        id = link.as_deref().and_then(words::id_in_name).unwrap_or_default();
    }
    let id = ["Phase ", "phase ", "PHASE "]
        .iter()
        .find_map(|word| id.strip_prefix(word))
        .unwrap_or(&id)
        .trim();
    if !words::is_id(id) {
        return Err(id.to_owned());
    }
    // The name of the file is not a title: its heading is.
    let title = Some(cell(columns.title))
        .filter(|title| !title.to_ascii_lowercase().ends_with(".md"))
        .unwrap_or_default();
    let said = columns.status.map(cell).unwrap_or_default();
    let status = words::status(&said).unwrap_or_else(|| {
        unknown_status(id, &said, row.line, findings);
        super::model::PhaseStatus::Pending
    });
    let risk = columns.risk.map(cell).filter(|risk| !words::is_none(risk));
    let known = risk.as_deref().map(words::risk);
    if let (Some(risk), Some(None)) = (&risk, known) {
        unknown_risk(id, risk, row.line, findings);
    }
    // An unknown word may have meant a high one.
    let is_risky = known.is_some_and(|risk| risk.is_none_or(|risk| risk == Risk::High));
    let item = PlanItem {
        id: id.to_owned(),
        title,
        line: row.line,
        status,
        status_at: columns.status.and_then(|at| row.places.get(at).cloned()),
        needs_approval: is_risky,
        risk,
        ..PlanItem::default()
    };
    Ok(PhaseRow {
        item,
        link,
        needs: columns.needs.map(cell).unwrap_or_default(),
        has_status: !said.is_empty(),
    })
}

/// Warns of a status that is not known.
pub(super) fn unknown_status(id: &str, said: &str, line: usize, findings: &Findings<'_>) {
    let meant = words::meant(said, &words::STATUSES);
    let text =
        format!("phase {id} has the status {said:?}, which is not a known status{meant}: taken as pending");
    findings.warning("UNKNOWN_STATUS", line, text);
}

/// Warns of a risk that is not known, which may have been meant as a high one.
fn unknown_risk(id: &str, risk: &str, line: usize, findings: &Findings<'_>) {
    let meant = words::meant(risk, &words::RISKS);
    let text = format!(
        "phase {id} has the risk {risk:?}{meant}: write low, medium or high; until then a person must approve the phase"
    );
    findings.warning("UNKNOWN_RISK", line, text);
}
