//! `dbs agents`: the agents on this machine, the facts that `dbs` knows of them itself, and the ways to get and use them.

use std::path::PathBuf;

use serde::Serialize;

use crate::adapters::agents::known::{
    AgentSupport, CUSTOM, KnownAgent, LoginState, known_agents, tested_before,
};
use crate::adapters::agents::{AgentTool, AgentsByRole, find_program};
use crate::adapters::version_probe::versions;
use crate::cli::commands::prelude::*;
use crate::config::session_setup;

/// Facts about an agent.
#[derive(Debug, Serialize)]
pub(super) struct AgentOverview {
    agent: String,
    /// Path of its program, if it was found.
    program: Option<PathBuf>,
    version: Option<String>,
    /// The newest version that was tested, if its own is newer.
    #[serde(skip_serializing_if = "Option::is_none")]
    newest_tested: Option<&'static str>,
    /// Reason why there is no version although the program was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    login: LoginState,
    /// The login that is not used because a key of the environment comes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unused_login: Option<String>,
    supports: AgentSupport,
    /// The roles that are set to it, and as `stage NAME` the stages; `default` means all that have none of their own.
    roles: Vec<String>,
    /// The command that installs it, when it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
    /// The command that lets it play every role.
    #[serde(rename = "use")]
    setting: String,
    /// Way to log in, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_in: Option<String>,
    #[serde(skip)]
    tells_version: bool,
}

/// Search path of programs, and the settings.
struct Looks {
    path: String,
    folder: PathBuf,
    kinds: AgentsByRole,
    known: Vec<KnownAgent>,
}

/// List agents on this machine: version, login, how to install
///
/// For each known or configured agent: the place of its program, its version, whether a login was found, how its questions are answered,
/// the roles it plays, and how to install it if it is missing. Programs of known agents are asked for their version in an empty home
/// folder, without network and for at most 8 seconds; a command of your own is not started. A login is recognised by a variable or an
/// existing file. No file is read, so `login unknown` may also mean that the login is kept elsewhere.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs agents\ndbs agents --json"))]
pub struct AgentsArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AgentsArgs {
    /// Lists all agents that are known or set.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let rows = rows(env)?;
        if self.json.json {
            output::json(&rows);
            return Ok(ExitCode::SUCCESS);
        }
        output::all(rows.iter().map(AgentOverview::line));
        if rows.iter().all(|row| row.roles.is_empty()) {
            output::line(&way_to_use(&rows));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns one line for each agent whose program is here; none outside of projects, where something else is missing first.
pub(super) fn found(env: &ProcessEnv) -> Vec<String> {
    if ProjectPaths::find(&env.folder, env).is_err() {
        return Vec::new();
    }
    let rows = rows(env).unwrap_or_default();
    let found = rows
        .iter()
        .filter(|row| row.program.is_some() && row.agent != REHEARSAL);
    found.map(AgentOverview::line).collect()
}

/// Returns name and login of each agent that plays a role, and true if a key of the environment comes before the login of its person.
pub(super) fn logins(env: &ProcessEnv) -> CommandResult<Vec<(String, bool)>> {
    let rows = rows(env)?.into_iter();
    let playing = rows.filter(|row| !row.roles.is_empty() && row.agent != REHEARSAL);
    let said = playing.map(|row| {
        (
            format!("{}: {}", row.agent, row.login()),
            row.unused_login.is_some(),
        )
    });
    Ok(said.collect())
}

/// Returns the next step of a person who has set no agent; `None` if one is set.
pub(super) fn first_step(env: &ProcessEnv) -> Option<String> {
    let rows = rows(env).ok()?;
    rows.iter()
        .all(|row| row.roles.is_empty())
        .then(|| way_to_use(&rows))
}

fn way_to_use(rows: &[AgentOverview]) -> String {
    let found: Vec<&AgentOverview> = rows
        .iter()
        .filter(|row| row.program.is_some() && row.agent != REHEARSAL)
        .collect();
    match (found.first(), rows.first()) {
        (Some(first), _) => {
            let names: Vec<&str> = found.iter().map(|row| row.agent.as_str()).collect();
            format!(
                "no agent is set; found here: {}; use one: {}",
                names.join(", "),
                first.setting
            )
        }
        (None, Some(first)) => format!(
            "no agent is set and none was found; get one: {}; then: {}; or see the demo: dbs demo",
            first.install.as_deref().unwrap_or_default(),
            first.setting
        ),
        (None, None) => "no agent is set".to_owned(),
    }
}

const REHEARSAL: &str = "rehearsal";

fn rows(env: &ProcessEnv) -> CommandResult<Vec<AgentOverview>> {
    let place = ProjectPaths::find(&env.folder, env).ok();
    let described = place.as_ref().map(ProjectPaths::read_config).unwrap_or_default();
    let looks = Looks {
        path: env.get("PATH").unwrap_or_default(),
        folder: place
            .as_ref()
            .map_or_else(|| env.folder.clone(), |place| place.root.clone()),
        kinds: place
            .as_ref()
            .map(session_setup::agents)
            .transpose()?
            .unwrap_or_default(),
        known: known_agents(described.agent_kinds()),
    };
    let mut rows: Vec<AgentOverview> = looks.known.iter().map(|known| looks.known(env, known)).collect();
    add_versions(&mut rows, &looks.path);
    rows.extend(looks.custom());
    rows.push(AgentOverview {
        program: Some(env.program.clone()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        setting: "dbs config roles.default.agent rehearsal".to_owned(),
        ..looks.row(REHEARSAL)
    });
    Ok(rows)
}

/// Asks the found programs for their versions. A program without an absolute path could be one of the project's; it is not started.
fn add_versions(rows: &mut [AgentOverview], path: &str) {
    let asked = |row: &AgentOverview| {
        let program = row.program.clone().filter(|_| row.tells_version);
        program.filter(|program| program.is_absolute())
    };
    let programs: Vec<PathBuf> = rows.iter().filter_map(asked).collect();
    let mut answers = versions(&programs, path).into_iter();
    for row in rows.iter_mut().filter(|row| asked(row).is_some()) {
        match answers.next() {
            Some(Ok(version)) => {
                row.newest_tested = tested_before(&row.agent, &version);
                row.version = Some(version);
            }
            Some(Err(why)) => row.problem = Some(why.text),
            None => {}
        }
    }
}

impl Looks {
    fn row(&self, name: &str) -> AgentOverview {
        AgentOverview {
            agent: name.to_owned(),
            program: None,
            version: None,
            newest_tested: None,
            problem: None,
            login: LoginState::Unknown,
            unused_login: None,
            supports: CUSTOM,
            roles: self.roles(|tool| tool.kind().name() == Some(name)),
            install: None,
            setting: "dbs config roles.default.command 'PROGRAM ARGUMENT …'".to_owned(),
            log_in: None,
            tells_version: true,
        }
    }

    fn known(&self, env: &ProcessEnv, known: &KnownAgent) -> AgentOverview {
        let program = find_program(&known.program, &self.folder, &self.path);
        AgentOverview {
            install: program.is_none().then(|| known.install.clone()),
            program,
            login: known.login(|name| env.get(name), env.home().as_deref()),
            unused_login: known.unused_login(|name| env.get(name), env.home().as_deref()),
            supports: known.support,
            setting: known.setting.clone(),
            log_in: known.way_to_log_in().map(str::to_owned),
            tells_version: known.tells_version,
            ..self.row(&known.name)
        }
    }

    /// Returns commands of the settings that start something else. They are not started to ask for their version.
    fn custom(&self) -> Vec<AgentOverview> {
        let all = self.kinds.by_role.values().chain(&self.kinds.default);
        let custom = all.filter_map(|agent| match &agent.tool {
            AgentTool::Custom(custom) => custom.0.first(),
            AgentTool::Rehearsal(_)
            | AgentTool::Claude(_)
            | AgentTool::Codex(_)
            | AgentTool::Described(_) => None,
        });
        let mut programs: Vec<&String> = custom.collect();
        programs.sort();
        programs.dedup();
        let is_known = |name: &str| self.known.iter().any(|known| known.name == name);
        let others = programs.into_iter().filter(|program| !is_known(program));
        let rows = others.map(|program| AgentOverview {
            agent: program.clone(),
            program: find_program(program, &self.folder, &self.path),
            roles: self.roles(|tool| tool.kind().program() == Some(program)),
            ..self.row(program)
        });
        rows.collect()
    }

    fn roles(&self, is_it: impl Fn(&AgentTool) -> bool) -> Vec<String> {
        let all = self
            .kinds
            .by_role
            .iter()
            .map(|(role, agent)| (role.to_string(), agent));
        let default = self
            .kinds
            .default
            .iter()
            .map(|agent| ("default".to_owned(), agent));
        let fitting = all.chain(default).filter(|(_, agent)| is_it(&agent.tool));
        let of_roles = fitting.map(|(role, _)| role);
        let stages = self.kinds.layers.by_stage.iter().filter(|(_, said)| {
            let named = said.agent.as_ref().and_then(|name| self.kinds.tools.get(name));
            named.is_some_and(&is_it)
        });
        of_roles
            .chain(stages.map(|(stage, _)| format!("stage {stage}")))
            .collect()
    }
}

impl AgentOverview {
    fn line(&self) -> String {
        let mut parts = vec![match (&self.program, &self.version) {
            (Some(program), Some(version)) => format!("{version}{}, {}", self.untested(), program.display()),
            (Some(program), None) => program.display().to_string(),
            (None, _) => "not found".to_owned(),
        }];
        parts.extend(self.problem.clone());
        parts.extend(self.install.as_ref().map(|install| format!("get it: {install}")));
        if self.program.is_some() && self.agent != REHEARSAL {
            parts.push(self.login());
        }
        if self.program.is_some() {
            parts.push(self.support());
        }
        if !self.roles.is_empty() {
            parts.push(format!("plays {}", self.roles.join(", ")));
        }
        format!("{:<10} {}", self.agent, parts.join("; "))
    }

    /// Returns a note on a version that is newer than the tested one.
    fn untested(&self) -> String {
        let tested = self.newest_tested;
        tested.map_or_else(String::new, |tested| {
            format!(" (newer than {tested}, the newest that was tested)")
        })
    }

    /// Returns the place of its login, and the login that it keeps from being used (LA-2).
    fn login(&self) -> String {
        match (&self.login, &self.unused_login, &self.log_in) {
            (LoginState::Found(key), Some(unused), _) => {
                format!("login found: {key}, which is used in place of {unused}; unset it to use that login")
            }
            (LoginState::Found(place), None, _) => format!("login found: {place}"),
            (LoginState::Unknown, _, Some(way)) => format!("login unknown: {way}"),
            (LoginState::Unknown, _, None) => "login unknown".to_owned(),
        }
    }

    fn support(&self) -> String {
        let asks = match self.supports.asks {
            "hook" => "asks come to the inbox",
            "keys" => "asks are answered by keys",
            _ => "asks in its terminal only",
        };
        let can = [
            (
                self.supports.model && self.supports.effort,
                "takes model and effort",
            ),
            (self.supports.model && !self.supports.effort, "takes a model"),
            (self.supports.headless, "runs without its interface"),
            (self.supports.resume, "resumes sessions"),
            (self.supports.states, "says what it does"),
            (self.supports.allow, "can work without a person"),
        ];
        let can = can.into_iter().filter(|(can, _)| *can).map(|(_, words)| words);
        std::iter::once(asks).chain(can).collect::<Vec<_>>().join(", ")
    }
}
