//! `dbs doctor`: checks everything the program needs and prints what is missing and how to get it.

mod check;
mod disk;
mod environment;
mod repair;
mod trial;

use std::path::Path;

pub(super) use check::{DoctorCheck, DoctorResult, check, print_checks, warning};

use crate::adapters::agents::find_program;
use crate::adapters::agents::known::known_agents;
use crate::adapters::git::GitCli;
use crate::adapters::logout::{LogoutEffect, logout_effect};
use crate::adapters::store::SqliteStore;
use crate::cli::commands::agents;
use crate::cli::commands::prelude::*;
use crate::config::channels::ChannelSettings;
use crate::config::faults::{self, RemoteDoubt};
use crate::config::kept_settings::KeptSettings;
use crate::config::process_env::runs_as_root;
use crate::config::session_setup;
use crate::config::setting_names::unknown_names;
use crate::config::trust::{TrustChange, TrustEntry};
use crate::domain::pluralized;
use crate::formats::finding::Finding;
use crate::ports::git::{BranchName, Git, Head, PreflightError};

/// Check this project's setup and its store
///
/// Checks the programs, settings, trust, the remote, and every page and row of the store.
///
/// `--repair` repairs the store, and works only while no server runs. It rebuilds the board from its events and takes unreadable events
/// from backups; if that fails, it restores the newest intact backup. It prints what it did and what is lost, and keeps the damaged file.
/// If all settings files in `.debussy` are gone, as after `git clean -fdx`, it restores their copies instead, even while a server runs.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs doctor\ndbs doctor --try\ndbs doctor --repair").for_persons_with(&[("repair", "--repair"), ("tries", "--try")]))]
pub struct DoctorArgs {
    /// Restore lost settings, or repair a damaged store from its events and backups
    #[arg(long)]
    repair: bool,
    /// Also prepare a scratch workspace of the base branch, and run every gate in it once
    #[arg(long = "try", conflicts_with = "repair")]
    tries: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for DoctorArgs {
    /// Checks everything; exit code 1 when something is missing.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        if self.repair {
            return repair::run(env, self.json);
        }
        let mut findings = examine(env);
        if self.tries
            && let Ok(place) = found_project(env)
        {
            findings.extend(trial::run(&place, env));
        }
        let agents = agents::found(env).into_iter();
        findings.extend(agents.map(|line| check("agent", Ok(line))));
        Ok(print_checks(&findings, self.json))
    }
}

/// Checks the basic needs of the agents of a project, without those of its server and its board.
pub(super) fn needs_of_agents(env: &ProcessEnv) -> Vec<DoctorCheck> {
    match found_project(env) {
        Ok(place) => agent_needs(&place, env),
        Err(checks) => checks,
    }
}

/// Returns the project whose state may be opened, or the problems with it.
fn found_project(env: &ProcessEnv) -> Result<ProjectPaths, Vec<DoctorCheck>> {
    let paths =
        ProjectPaths::find(&env.folder, env).map_err(|why| vec![check("project", Err(why.into()))])?;
    match paths.state_problem() {
        // Its contents are not opened.
        Some(why) => Err(vec![project(&paths), check("state", Err(could_not(why).into()))]),
        None => Ok(paths),
    }
}

fn project(paths: &ProjectPaths) -> DoctorCheck {
    check("project", Ok(paths.root.display().to_string()))
}

fn agent_needs(paths: &ProjectPaths, env: &ProcessEnv) -> Vec<DoctorCheck> {
    vec![
        project(paths),
        check("trust", trust(paths)),
        git(paths, env),
        check("settings", settings(paths, env)),
        check("base branch", base(paths, env)),
        check("agents", set_agents(paths)),
    ]
}

/// Returns warnings about what the person's own git does here and the engine does not.
fn differences(paths: &ProjectPaths, env: &ProcessEnv) -> Vec<DoctorCheck> {
    let setup = paths.git_setup(env.environment.clone());
    let Ok(git) = GitCli::open(&setup) else {
        // The check of git says why.
        return Vec::new();
    };
    let hooks = git.hooks_note().ok().flatten();
    let hooks = hooks.map(|text| warning("hooks", text));
    let helpers = git.unused_helpers().map(|text| warning("credentials", text));
    let submodules = git.submodules_note().map(|text| warning("submodules", text));
    hooks.into_iter().chain(helpers).chain(submodules).collect()
}

fn examine(env: &ProcessEnv) -> Vec<DoctorCheck> {
    let place = match found_project(env) {
        Ok(place) => place,
        Err(checks) => return checks,
    };
    let mut checks = agent_needs(&place, env);
    checks.extend(env.left_out_text().map(|text| warning("PATH", text)));
    checks.extend(environment::checks(&place, env));
    checks.extend(differences(&place, env));
    checks.extend(gates(&place));
    checks.extend(logout(env));
    checks.extend([
        check("user", Ok(rights().to_owned())),
        check("store", store(&place)),
        check("disk", disk::room_left(&place, env)),
        check("notify", calls(&place, env)),
        check("server", server(&place)),
    ]);
    checks
}

/// Returns the things that are still missing, and the ways to get them.
pub(super) fn problems(env: &ProcessEnv) -> Vec<String> {
    let missing = examine(env).into_iter().filter(|finding| !finding.is_good());
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

/// Returns the effect of a logout on a server that is started here, where the system says it.
fn logout(env: &ProcessEnv) -> Option<DoctorCheck> {
    let effect = logout_effect(Path::new("/"), &env.user_name().unwrap_or_default())?;
    Some(match effect {
        LogoutEffect::Survives => check("logout", Ok(effect.text().to_owned())),
        LogoutEffect::Session | LogoutEffect::LastSession => warning("logout", effect.text().to_owned()),
    })
}

fn git(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorCheck {
    let setup = paths.git_setup(env.environment.clone());
    match GitCli::open(&setup).and_then(|git| git.preflight()) {
        Ok(facts) => {
            let (version, origin, identity) = (facts.git_version, facts.origin, facts.identity);
            let origin = match origin {
                Some(origin) => format!("{} {origin}{}", setup.remote.name(), hooks_of(&origin)),
                None => "no remote: nothing is pushed".to_owned(),
            };
            check("git", Ok(format!("{version}, {origin}, commits as {identity}")))
        }
        Err(error @ PreflightError::NoRemote(_)) => {
            let text = error.to_string();
            check(
                "remote",
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

fn store(paths: &ProjectPaths) -> DoctorResult {
    let Some(reader) = SqliteStore::open_reader(&paths.store)? else {
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
fn trust(paths: &ProjectPaths) -> DoctorResult {
    let report = paths.trust.look();
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
fn settings(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult {
    if let Some(why) = KeptSettings::new(&paths.debussy, &paths.state).lost_text() {
        return Err(why.into());
    }
    let setup = session_setup::read(paths, env)?;
    let config = paths.read_config();
    let findings: Vec<String> = config.diagnostics().iter().map(ToString::to_string).collect();
    if config.diagnostics().iter().any(Finding::is_error) {
        return Err(findings.join("; ").into());
    }
    let faults = faults::written(paths, &config, &setup.workflows).into_iter();
    let faults: Vec<String> = faults.map(|fault| fault.text).collect();
    if !faults.is_empty() {
        return Err(faults.join("; ").into());
    }
    let unknown = unknown_names(paths, &config, &setup.workflows).into_iter();
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
        .chain(config.idle())
        .collect::<Vec<_>>()
        .join("; "))
}

/// Refuses to call a setting unset while a settings file cannot be read: it may be set there.
fn refuse_unreadable(paths: &ProjectPaths) -> DoctorResult<()> {
    let config = paths.read_config();
    if config.diagnostics().iter().any(Finding::is_error) {
        return Err("not known while a file of the settings cannot be read".into());
    }
    Ok(())
}

/// Checks the branch tasks start from; they start from its state on the remote.
fn base(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult {
    let setup = session_setup::read(paths, env)?;
    refuse_unreadable(paths)?;
    let base = setup
        .settings
        .base
        .ok_or("not set; agents need one: dbs config base_branch NAME")?;
    if let Some(fault) = faults::base_branch(paths, &paths.read_config(), &base, RemoteDoubt::Counts) {
        return Err(fault.text.into());
    }
    let branch = BranchName::new(&base)?;
    let setup = paths.git_setup(env.environment.clone());
    let remote = setup.remote.name();
    let Ok(git) = GitCli::open(&setup) else {
        return Ok(base);
    };
    match git.remote_head(&branch) {
        Head::At(_) => Ok(base),
        Head::Absent => Err(format!(
            "{base} is not on {remote}, and tasks start from there; push it: git push {remote} {base}"
        )
        .into()),
        Head::Unknown(why) => Err(format!("could not look for {base} on {remote}: {why}").into()),
    }
}

fn set_agents(paths: &ProjectPaths) -> DoctorResult {
    let kinds = session_setup::agents(paths)?;
    if kinds.is_unset() {
        refuse_unreadable(paths)?;
        if let Some(waiting) = untrusted(paths, "roles.") {
            return Err(waiting.into());
        }
        let why = "none is set; for all roles: dbs config roles.default.agent claude (or codex), or a program of yours: dbs config roles.default.command 'PROGRAM ARGUMENT …'";
        return Err(why.into());
    }
    let config = paths.read_config();
    let path = config
        .search_path(&paths.sources.overrides.environment)
        .unwrap_or_default();
    let known = known_agents(config.agent_kinds());
    let named = |program: &str| match known.iter().find(|known| known.program == program) {
        Some(known) => format!("{program} (`{}`)", known.install),
        None => program.to_owned(),
    };
    let missing: Vec<String> = kinds
        .programs()
        .filter(|name| find_program(name, &paths.root, &path).is_none())
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
fn untrusted(paths: &ProjectPaths, table: &str) -> Option<String> {
    let entries = paths.trust.look().entries();
    let waits = |entry: &&TrustEntry| {
        let is_written = matches!(entry.change, TrustChange::New | TrustChange::Changed(_));
        is_written && entry.listed.item.name.starts_with(table)
    };
    let waiting = entries.iter().filter(waits);
    let waiting: Vec<String> = waiting
        .map(|entry| format!("{} ({})", entry.listed.item.name, entry.place(&paths.root)))
        .collect();
    (!waiting.is_empty()).then(|| {
        format!(
            "set, but not trusted: {}; look with dbs trust show",
            waiting.join(", ")
        )
    })
}

/// Checks for commands without which an acceptance cannot be done.
fn gates(paths: &ProjectPaths) -> Option<DoctorCheck> {
    if !paths.read_config().settings().gates.is_empty() || refuse_unreadable(paths).is_err() {
        return None;
    }
    let text = untrusted(paths, "gates.").unwrap_or_else(|| {
        "none is set, so work is accepted unchecked, and an acceptance waits: dbs config gates.NAME COMMAND".to_owned()
    });
    Some(warning("gates", text))
}

/// Checks the channels by which a person who is at no screen is called; a problem with an address is among the settings.
fn calls(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult {
    let ways = ChannelSettings::of(&paths.read_config());
    let path = env.get("PATH").unwrap_or_default();
    let program = ways.program();
    if let Some(name) = program.filter(|name| find_program(name, &paths.root, &path).is_none()) {
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

fn server(paths: &ProjectPaths) -> DoctorResult {
    let access = BoardAccess::open_project(paths.clone())?;
    Ok(if access.has_server() {
        "runs".to_owned()
    } else {
        "does not run; `dbs` starts one".to_owned()
    })
}
