//! `dbs trust`: what of a project's files starts programs or steers agents, and whether the person trusts it.

use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::adapters::output;
use crate::adapters::project::Project;
use crate::cli::args::{TrustArgs, TrustView};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::{CommandResult, exit_code, print_done};
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::trust::{TrustChange, TrustEntry, TrustKind, TrustReport, changed_lines};
use crate::protocol::wire::ServerCall;

/// Shows what there is to trust, trusts it or forgets it.
pub(super) fn run(edge: &ProcessEnv, wanted: &TrustArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    if wanted.hash.is_none() && !wanted.forget && !wanted.state {
        return Ok(print(&place, wanted));
    }
    refuse_agents(edge)?;
    let done = if let Some(hash) = wanted.hash.as_deref().map(str::trim) {
        place.trust.trust(hash).map_err(could_not)?;
        format!("trusted: what has the hash {hash}")
    } else if wanted.state {
        let project = Project::find(&place.root).map_err(could_not)?;
        let own = edge.state_folder();
        project.adopt_state(own.as_deref()).map_err(could_not)?;
        "the state in this project is used from now on".to_owned()
    } else {
        place.trust.forget().map_err(could_not)?;
        "nothing of this project is trusted any more".to_owned()
    };
    // A running server takes it over at once; what it cannot understand it says itself.
    BoardAccess::open_project(place)?.call(ServerCall::Reload { by: edge.author() })?;
    print_done(&done, wanted.json);
    Ok(ExitCode::SUCCESS)
}

/// An agent must not decide what may be started.
///
/// # Errors
/// When an agent asks.
pub(super) fn refuse_agents(edge: &ProcessEnv) -> Result<(), String> {
    if edge.is_agent() {
        return Err(
            "could not trust anything for an agent: a person does that, in a terminal of their own"
                .to_owned(),
        );
    }
    Ok(())
}

/// A text in the listing, as tools read it.
#[derive(Serialize)]
struct TrustRow<'a> {
    kind: TrustKind,
    name: &'a str,
    file: &'a Path,
    line: usize,
    change: &'static str,
    text: &'a str,
    /// The text that was trusted, where it was another one.
    trusted: Option<&'a str>,
}

impl<'a> TrustRow<'a> {
    fn of(entry: &'a TrustEntry) -> TrustRow<'a> {
        let listed = &entry.listed;
        TrustRow {
            kind: listed.item.kind,
            name: &listed.item.name,
            file: &listed.file,
            line: listed.line,
            change: entry.change.word(),
            text: &listed.item.text,
            trusted: match &entry.change {
                TrustChange::Changed(old) => Some(old),
                TrustChange::Same | TrustChange::New | TrustChange::Gone => None,
            },
        }
    }
}

fn print(place: &ProjectPaths, wanted: &TrustArgs) -> ExitCode {
    let report = place.trust.look();
    let mut entries = report.entries();
    if wanted.view == TrustView::Diff {
        entries.retain(|entry| entry.change != TrustChange::Same);
    }
    if wanted.json.json {
        let items: Vec<TrustRow<'_>> = entries.iter().map(TrustRow::of).collect();
        output::json(&serde_json::json!({
            "trusted": report.is_trusted(), "hash": report.listing.hash(), "items": items,
            "problem": report.problem,
        }));
    } else {
        for entry in &entries {
            output::all(lines_of(entry, &place.root, wanted.view));
        }
        output::all(summary(&report));
    }
    exit_code(report.is_trusted())
}

/// A text with its place: settings as they are, files by their number of lines; in a comparison the lines that differ.
fn lines_of(entry: &TrustEntry, root: &Path, view: TrustView) -> Vec<String> {
    let listed = &entry.listed;
    let place = entry.place(root);
    let change = entry.change.word();
    let mut lines = vec![format!(
        "{change:<8} {:<9} {}  ({place})",
        listed.item.kind.word(),
        listed.item.name
    )];
    let text = &listed.item.text;
    match (view, &entry.change) {
        (TrustView::Diff, TrustChange::Changed(old)) => lines.extend(changed_lines(old, text)),
        (TrustView::Diff, TrustChange::Gone) => lines.extend(changed_lines(text, "")),
        (TrustView::Diff, _) => lines.extend(changed_lines("", text)),
        (TrustView::Show, _) if listed.item.kind.is_setting() => {
            lines.extend(text.lines().map(|line| format!("         {line}")));
        }
        (TrustView::Show, _) => lines.push(format!("         {} lines", text.lines().count())),
    }
    lines
}

fn summary(report: &TrustReport) -> Vec<String> {
    let hash = report.listing.hash();
    if let Some(why) = &report.problem {
        return vec![format!("not trusted: could not {why}")];
    }
    if report.is_trusted() {
        return vec![match report.listing.items.as_slice() {
            [] => "nothing in this project's files starts a program or steers an agent".to_owned(),
            _ => format!("trusted; hash {hash}"),
        }];
    }
    vec![
        format!("not trusted; hash {hash}"),
        format!("trust exactly this: dbs trust --hash {hash}"),
    ]
}
