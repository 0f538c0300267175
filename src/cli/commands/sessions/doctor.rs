//! `dbs doctor`: checks everything the program needs and prints what is missing and how to get it.

use std::path::Path;
use std::process::ExitCode;

use crate::adapters::agents::known::known_agents;
use crate::adapters::agents::{AgentsByRole, find_program};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::store::SqliteStore;
use crate::cli::args::JsonFlag;
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::could_not;
use crate::cli::commands::agents;
use crate::cli::commands::sessions::check::{DoctorCheck, DoctorResult, check, print_checks, warning};
use crate::config::channels::ChannelSettings;
use crate::config::faults;
use crate::config::kept_settings::KeptSettings;
use crate::config::process_env::{ProcessEnv, runs_as_root};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::config::setting_names::unknown_names;
use crate::config::trust::{TrustChange, TrustEntry};
use crate::domain::pluralized;
use crate::formats::finding::Finding;
use crate::ports::git::{BranchName, Git, Head, PreflightError};

/// Checks everything; exit code 1 when something is missing.
pub(in crate::cli::commands) fn doctor(edge: &ProcessEnv, json: JsonFlag) -> ExitCode {
    let mut findings = examine(edge);
    findings.extend(
        agents::found(edge)
            .into_iter()
            .map(|line| check("agent", Ok(line))),
    );
    print_checks(&findings, json)
}

/// Checks the basic needs of the agents of a project, without those of its server and its board.
pub(in crate::cli::commands) fn needs_of_agents(edge: &ProcessEnv) -> Vec<DoctorCheck> {
    match found_project(edge) {
        Ok(place) => agent_needs(&place, edge),
        Err(checks) => checks,
    }
}

/// Returns the project whose state may be opened, or the problems with it.
fn found_project(edge: &ProcessEnv) -> Result<ProjectPaths, Vec<DoctorCheck>> {
    let place =
        ProjectPaths::find(&edge.folder, edge).map_err(|why| vec![check("project", Err(why.into()))])?;
    match place.state_problem() {
        // Its contents are not opened.
        Some(why) => Err(vec![project(&place), check("state", Err(could_not(why).into()))]),
        None => Ok(place),
    }
}

fn project(place: &ProjectPaths) -> DoctorCheck {
    check("project", Ok(place.root.display().to_string()))
}

fn agent_needs(place: &ProjectPaths, edge: &ProcessEnv) -> Vec<DoctorCheck> {
    vec![
        project(place),
        check("trust", trust(place)),
        git(place, edge),
        check("settings", settings(place, edge)),
        check("base branch", base(place, edge)),
        check("agents", set_agents(place, edge)),
    ]
}

fn examine(edge: &ProcessEnv) -> Vec<DoctorCheck> {
    let place = match found_project(edge) {
        Ok(place) => place,
        Err(checks) => return checks,
    };
    let mut checks = agent_needs(&place, edge);
    checks.extend(edge.left_out_text().map(|text| warning("PATH", text)));
    checks.extend(gates(&place));
    checks.extend([
        check("user", Ok(rights().to_owned())),
        check("store", store(&place)),
        check("notify", calls(&place, edge)),
        check("server", server(&place)),
    ]);
    checks
}

/// Returns the things that are still missing, and the ways to get them.
pub(super) fn problems(edge: &ProcessEnv) -> Vec<String> {
    let missing = examine(edge).into_iter().filter(|finding| !finding.is_good());
    missing
        .map(|finding| format!("{}: {}", finding.what, finding.text))
        .collect()
}

/// Returns a note on the rights of agents: they are started by this user.
fn rights() -> &'static str {
    if runs_as_root() {
        "root: agents can change everything on this machine; an ordinary account limits them"
    } else {
        "agents can do what you can, unless their own settings, a sandbox or another account limit them"
    }
}

fn git(place: &ProjectPaths, edge: &ProcessEnv) -> DoctorCheck {
    let setup = GitSetup::new(&place.root, edge.environment.clone());
    match GitCli::open(&setup).and_then(|git| git.preflight()) {
        Ok(facts) => {
            let (version, origin, identity) = (facts.git_version, facts.origin, facts.identity);
            let hooks = hooks_of(&origin);
            check(
                "git",
                Ok(format!(
                    "{version}, origin {origin}{hooks}, commits as {identity}"
                )),
            )
        }
        Err(error @ PreflightError::NoOrigin) => {
            let text = error.to_string();
            check(
                "origin",
                Err(text.replacen("find a remote", "no remote", 1).into()),
            )
        }
        Err(error) => check("git", Err(error.into())),
    }
}

/// Returns a note on an origin that is a folder of this machine: a push runs the hooks in it.
fn hooks_of(origin: &str) -> &'static str {
    let path = origin.strip_prefix("file://").unwrap_or(origin);
    if Path::new(path).is_dir() {
        " (a folder of this machine: its hooks run as you)"
    } else {
        ""
    }
}

fn store(place: &ProjectPaths) -> DoctorResult {
    let Some(reader) = SqliteStore::open_reader(&place.store)? else {
        return Ok("not made yet".to_owned());
    };
    let damaged = reader.damaged_events()?;
    if !damaged.is_empty() {
        return Err(format!(
            "{} cannot be read any more; the board is whole",
            damaged.join(", ")
        )
        .into());
    }
    let board = reader.load()?;
    Ok(pluralized(board.tasks.len(), "task"))
}

/// Checks that everything the project's files would start is trusted.
fn trust(place: &ProjectPaths) -> DoctorResult {
    let report = place.trust.look();
    match report.untrusted() {
        Some(files) => Err(format!("not trusted: {}", files.text).into()),
        None => Ok(match report.listing.items.len() {
            0 => "nothing in the project's files needs it".to_owned(),
            many => format!("{} trusted", pluralized(many, "setting")),
        }),
    }
}

/// Checks the settings that can be used; parts of their files that are not understood are reported, and are an error only if nothing of a
/// file is used.
fn settings(place: &ProjectPaths, edge: &ProcessEnv) -> DoctorResult {
    if let Some(why) = KeptSettings::new(&place.debussy, &place.state).lost_text() {
        return Err(why.into());
    }
    let setup = session_setup::read(place, edge)?;
    let config = place.read_config();
    let findings: Vec<String> = config.diagnostics().iter().map(ToString::to_string).collect();
    if config.diagnostics().iter().any(Finding::is_error) {
        return Err(findings.join("; ").into());
    }
    let faults = faults::written(place, &config, &setup.workflows).into_iter();
    let faults: Vec<String> = faults.map(|fault| fault.text).collect();
    if !faults.is_empty() {
        return Err(faults.join("; ").into());
    }
    let unknown = unknown_names(place, &config, &setup.workflows).into_iter();
    let unknown: Vec<String> = unknown.map(|found| found.text).collect();
    if !unknown.is_empty() {
        return Err(unknown.join("; ").into());
    }
    let unusable: Vec<&str> = config.agent_kinds().problems().collect();
    if !unusable.is_empty() {
        return Err(unusable.join("; ").into());
    }
    let workflows = format!("{} workflows", setup.workflows.len());
    Ok(std::iter::once(workflows)
        .chain(findings)
        .collect::<Vec<_>>()
        .join("; "))
}

/// Refuses to call a setting unset while a settings file cannot be read: it may be set there.
fn refuse_unreadable(place: &ProjectPaths) -> DoctorResult<()> {
    let config = place.read_config();
    if config.diagnostics().iter().any(Finding::is_error) {
        return Err("not known while a file of the settings cannot be read".into());
    }
    Ok(())
}

/// Checks the branch tasks start from; they start from its state on origin.
fn base(place: &ProjectPaths, edge: &ProcessEnv) -> DoctorResult {
    let setup = session_setup::read(place, edge)?;
    refuse_unreadable(place)?;
    let base = setup
        .settings
        .base
        .ok_or("not set; agents need one: dbs config base_branch NAME")?;
    if let Some(fault) = faults::base_branch(place, &place.read_config(), &base) {
        return Err(fault.text.into());
    }
    let branch = BranchName::new(&base)?;
    let Ok(git) = GitCli::open(&GitSetup::new(&place.root, edge.environment.clone())) else {
        return Ok(base);
    };
    match git.remote_head(&branch) {
        Head::At(_) => Ok(base),
        Head::Absent => Err(format!(
            "{base} is not on origin, and tasks start from there; push it: git push origin {base}"
        )
        .into()),
        Head::Unknown(why) => Err(format!("could not look for {base} on origin: {why}").into()),
    }
}

fn set_agents(place: &ProjectPaths, edge: &ProcessEnv) -> DoctorResult {
    let kinds = session_setup::agents(place)?;
    if kinds == AgentsByRole::default() {
        refuse_unreadable(place)?;
        if let Some(waiting) = untrusted(place, "roles.") {
            return Err(waiting.into());
        }
        let why = "none is set; for all roles: dbs config roles.default.agent claude (or codex), or a program of yours: dbs config roles.default.command 'PROGRAM ARGUMENT …'";
        return Err(why.into());
    }
    let path = edge.get("PATH").unwrap_or_default();
    let known = known_agents(place.read_config().agent_kinds());
    let named = |program: &str| match known.iter().find(|known| known.program == program) {
        Some(known) => format!("{program} (`{}`)", known.install),
        None => program.to_owned(),
    };
    let missing: Vec<String> = kinds
        .programs()
        .filter(|name| find_program(name, &place.root, &path).is_none())
        .map(named)
        .collect();
    if missing.is_empty() {
        return Ok("set".to_owned());
    }
    Err(format!(
        "could not find {}: looked in {path}; install it, or name another: dbs config roles.default.command 'PROGRAM ARGUMENT …'",
        missing.join(" and ")
    )
    .into())
}

/// Returns the settings below that key that wait for trust.
fn untrusted(place: &ProjectPaths, table: &str) -> Option<String> {
    let entries = place.trust.look().entries();
    let waits = |entry: &&TrustEntry| {
        let is_written = matches!(entry.change, TrustChange::New | TrustChange::Changed(_));
        is_written && entry.listed.item.name.starts_with(table)
    };
    let waiting = entries.iter().filter(waits);
    let waiting: Vec<String> = waiting
        .map(|entry| format!("{} ({})", entry.listed.item.name, entry.place(&place.root)))
        .collect();
    (!waiting.is_empty()).then(|| {
        format!(
            "set, but not trusted: {}; look with dbs trust show",
            waiting.join(", ")
        )
    })
}

/// Checks for commands without which an acceptance cannot be done.
fn gates(place: &ProjectPaths) -> Option<DoctorCheck> {
    if !place.read_config().settings().gates.is_empty() || refuse_unreadable(place).is_err() {
        return None;
    }
    let text = untrusted(place, "gates.").unwrap_or_else(|| {
        "none is set, so work is accepted unchecked, and an acceptance waits: dbs config gates.NAME COMMAND".to_owned()
    });
    Some(warning("gates", text))
}

/// Checks the channels by which a person who is at no screen is called; a problem with an address is among the settings.
fn calls(place: &ProjectPaths, edge: &ProcessEnv) -> DoctorResult {
    let ways = ChannelSettings::of(&place.read_config());
    let path = edge.get("PATH").unwrap_or_default();
    let program = ways.program();
    if let Some(name) = program.filter(|name| find_program(name, &place.root, &path).is_none()) {
        return Err(format!(
            "could not find {name}: looked in {path}; install it, or name another: dbs config notify.command 'PROGRAM ARGUMENT …'"
        )
        .into());
    }
    let set: Vec<String> = program
        .map(str::to_owned)
        .into_iter()
        .chain(ways.host())
        .collect();
    if set.is_empty() {
        return Ok("attached terminals only".to_owned());
    }
    Ok(format!("by {}; `dbs notify --test` tries it", set.join(" and ")))
}

fn server(place: &ProjectPaths) -> DoctorResult {
    let access = BoardAccess::open_project(place.clone())?;
    Ok(if access.has_server() {
        "runs".to_owned()
    } else {
        "does not run; `dbs` starts one".to_owned()
    })
}
