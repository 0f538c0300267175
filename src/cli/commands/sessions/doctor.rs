//! `dbs doctor`: checks everything the program needs and prints what is missing and how to get it.

use std::path::Path;
use std::process::ExitCode;

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::adapters::agents::known::known_agents;
use crate::adapters::agents::{AgentsByRole, find_program};
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::output;
use crate::adapters::store::SqliteStore;
use crate::cli::args::JsonFlag;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::{agents, exit_code};
use crate::cli::failure::could_not;
use crate::config::channels::ChannelSettings;
use crate::config::faults;
use crate::config::kept_settings::KeptSettings;
use crate::config::process_env::{ProcessEnv, runs_as_root};
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::config::setting_names::unknown_names;
use crate::config::trust::{TrustChange, TrustEntry};
use crate::domain::pluralized;
use crate::formats::diagnostic::Diagnostic;
use crate::ports::git::{BranchName, Git, Head, PreflightError};

/// Result of one check that `dbs doctor` makes.
#[derive(Debug)]
pub(in crate::cli::commands) struct DoctorCheck {
    what: &'static str,
    outcome: CheckOutcome,
    text: String,
}

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckOutcome {
    Good,
    /// Nothing is missing, but a person should look at it all the same.
    Warning,
    Missing,
}

impl Serialize for DoctorCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (what, text) = (self.what, &self.text);
        let is_warning = self.outcome == CheckOutcome::Warning;
        json!({ "what": what, "good": self.is_good(), "is_warning": is_warning, "text": text })
            .serialize(serializer)
    }
}

impl DoctorCheck {
    fn is_good(&self) -> bool {
        self.outcome != CheckOutcome::Missing
    }
}

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

/// Prints checks; exit code 1 when something is missing.
pub(in crate::cli::commands) fn print_checks(checks: &[DoctorCheck], json: JsonFlag) -> ExitCode {
    if json.json {
        output::json(&checks);
    } else {
        for check in checks {
            let word = match check.outcome {
                CheckOutcome::Good => "ok     ",
                CheckOutcome::Warning => "WARNING",
                CheckOutcome::Missing => "MISSING",
            };
            output::line(&format!("{word} {:<12} {}", check.what, check.text));
        }
    }
    exit_code(checks.iter().all(DoctorCheck::is_good))
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
    let place = ProjectPaths::find(&edge.folder, edge).map_err(|why| vec![check("project", Err(why))])?;
    match place.state_problem() {
        // Its contents are not opened.
        Some(why) => Err(vec![project(&place), check("state", Err(could_not(why)))]),
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

/// Builds a check with its result: the thing that was found, or the missing thing and the way to get it.
pub(in crate::cli::commands) fn check(what: &'static str, result: Result<String, String>) -> DoctorCheck {
    let (outcome, text) = match result {
        Ok(text) => (CheckOutcome::Good, text),
        Err(why) => (CheckOutcome::Missing, why),
    };
    DoctorCheck { what, outcome, text }
}

/// Builds a warning about a thing to look at although nothing is missing.
pub(in crate::cli::commands) fn warning(what: &'static str, text: String) -> DoctorCheck {
    let outcome = CheckOutcome::Warning;
    DoctorCheck { what, outcome, text }
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
            check("origin", Err(text.replacen("find a remote", "no remote", 1)))
        }
        Err(error) => check("git", Err(error.to_string())),
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

fn store(place: &ProjectPaths) -> Result<String, String> {
    let Some(reader) = SqliteStore::open_reader(&place.store).map_err(|error| error.to_string())? else {
        return Ok("not made yet".to_owned());
    };
    let damaged = reader.damaged_events().map_err(|error| error.to_string())?;
    if !damaged.is_empty() {
        return Err(format!(
            "{} cannot be read any more; the board is whole",
            damaged.join(", ")
        ));
    }
    let board = reader.load().map_err(|error| error.to_string())?;
    Ok(pluralized(board.tasks.len(), "task"))
}

/// Checks that everything the project's files would start is trusted.
fn trust(place: &ProjectPaths) -> Result<String, String> {
    let report = place.trust.look();
    match report.untrusted() {
        Some(files) => Err(format!("not trusted: {}", files.text)),
        None => Ok(match report.listing.items.len() {
            0 => "nothing in the project's files needs it".to_owned(),
            many => format!("{} trusted", pluralized(many, "setting")),
        }),
    }
}

/// Checks the settings that can be used; parts of their files that are not understood are reported, and are an error only if nothing of a
/// file is used.
fn settings(place: &ProjectPaths, edge: &ProcessEnv) -> Result<String, String> {
    if let Some(why) = KeptSettings::new(&place.debussy, &place.state).lost_text() {
        return Err(why);
    }
    let setup = session_setup::read(place, edge)?;
    let config = place.read_config();
    let findings: Vec<String> = config.diagnostics().iter().map(ToString::to_string).collect();
    if config.diagnostics().iter().any(Diagnostic::is_error) {
        return Err(findings.join("; "));
    }
    let faults = faults::written(place, &config, &setup.workflows).into_iter();
    let faults: Vec<String> = faults.map(|fault| fault.text).collect();
    if !faults.is_empty() {
        return Err(faults.join("; "));
    }
    let unknown = unknown_names(place, &config, &setup.workflows).into_iter();
    let unknown: Vec<String> = unknown.map(|found| found.text).collect();
    if !unknown.is_empty() {
        return Err(unknown.join("; "));
    }
    let unusable: Vec<&str> = config.agent_kinds().problems().collect();
    if !unusable.is_empty() {
        return Err(unusable.join("; "));
    }
    let workflows = format!("{} workflows", setup.workflows.len());
    Ok(std::iter::once(workflows)
        .chain(findings)
        .collect::<Vec<_>>()
        .join("; "))
}

/// Refuses to call a setting unset while a settings file cannot be read: it may be set there.
fn refuse_unreadable(place: &ProjectPaths) -> Result<(), String> {
    let config = place.read_config();
    if config.diagnostics().iter().any(Diagnostic::is_error) {
        return Err("not known while a file of the settings cannot be read".to_owned());
    }
    Ok(())
}

/// Checks the branch tasks start from; they start from its state on origin.
fn base(place: &ProjectPaths, edge: &ProcessEnv) -> Result<String, String> {
    let setup = session_setup::read(place, edge)?;
    refuse_unreadable(place)?;
    let base = setup
        .settings
        .base
        .ok_or_else(|| "not set; agents need one: dbs config base_branch NAME".to_owned())?;
    if let Some(fault) = faults::base_branch(place, &place.read_config(), &base) {
        return Err(fault.text);
    }
    let branch = BranchName::new(&base).map_err(|error| error.to_string())?;
    let Ok(git) = GitCli::open(&GitSetup::new(&place.root, edge.environment.clone())) else {
        return Ok(base);
    };
    match git.remote_head(&branch) {
        Head::At(_) => Ok(base),
        Head::Absent => Err(format!(
            "{base} is not on origin, and tasks start from there; push it: git push origin {base}"
        )),
        Head::Unknown(why) => Err(format!("could not look for {base} on origin: {why}")),
    }
}

fn set_agents(place: &ProjectPaths, edge: &ProcessEnv) -> Result<String, String> {
    let kinds = session_setup::agents(place)?;
    if kinds == AgentsByRole::default() {
        refuse_unreadable(place)?;
        if let Some(waiting) = untrusted(place, "roles.") {
            return Err(waiting);
        }
        let why = "none is set; for all roles: dbs config roles.default.agent claude (or codex), or a program of yours: dbs config roles.default.command 'PROGRAM ARGUMENT …'";
        return Err(why.to_owned());
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
    ))
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
fn calls(place: &ProjectPaths, edge: &ProcessEnv) -> Result<String, String> {
    let ways = ChannelSettings::of(&place.read_config());
    let path = edge.get("PATH").unwrap_or_default();
    let program = ways.program();
    if let Some(name) = program.filter(|name| find_program(name, &place.root, &path).is_none()) {
        return Err(format!(
            "could not find {name}: looked in {path}; install it, or name another: dbs config notify.command 'PROGRAM ARGUMENT …'"
        ));
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

fn server(place: &ProjectPaths) -> Result<String, String> {
    let access = BoardAccess::open_project(place.clone())?;
    Ok(if access.has_server() {
        "runs".to_owned()
    } else {
        "does not run; `dbs` starts one".to_owned()
    })
}
