//! The demo with an agent of the person: small, limited, and only after they have said yes to what it may cost.

use std::io::{BufRead as _, IsTerminal as _};

use crate::adapters::agents::known::{KnownAgent, LoginState, known_agents};
use crate::adapters::agents::{AgentTool, PermissionPolicy, PersonEnv, RoleAgent, RoleOptions, find_program};
use crate::adapters::output;
use crate::adapters::rehearsal::DemoPlan;
use crate::app::demo::DemoDisplay;
use crate::cli::command_error::{CommandError, CommandResult, failed};
use crate::config::process_env::ProcessEnv;
use crate::config::session_setup::SessionSetup;
use crate::domain::{AgentLayers, Budgets, Cost, Span};
use crate::formats::agent_kind::AgentKinds;

/// The tasks of the demo that an agent of the person does.
const TASKS: [&str; 2] = ["knot-3", "knot-7"];
/// Maximum cost of one task, and of all of them, in millionths of a dollar.
const BUDGETS: (u64, u64) = (1_000_000, 2_000_000);
/// Maximum run of one agent.
const LONGEST: Span = Span::minutes(10);
/// The variable that makes Claude Code trust a folder: this one was made a moment ago, and the person has said yes to it.
const CLAUDE_TRUSTS: (&str, &str) = ("CLAUDE_CODE_SANDBOXED", "1");

/// An agent of the person, found and agreed to.
#[derive(Debug, Clone)]
pub(super) struct OwnAgent {
    known: KnownAgent,
    tool: AgentTool,
    form: DemoDisplay,
}

/// Finds the agent of that name and its login.
///
/// # Errors
/// The thing that is missing, and the way to get it.
pub(super) fn find(name: &str, form: DemoDisplay, env: &ProcessEnv) -> CommandResult<OwnAgent> {
    let all = known_agents(&AgentKinds::default());
    let names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
    let found = all.iter().find(|known| known.name == name).cloned();
    let (Some(known), Some(tool)) = (found, AgentTool::builtin(name)) else {
        let names = names.join(", ");
        return Err(CommandError::user(format!(
            "could not play the demo with {name}: name one of {names}"
        )));
    };
    let path = env.get("PATH").unwrap_or_default();
    if find_program(&known.program, &env.folder, &path).is_none() {
        return Err(CommandError::user(format!(
            "could not find {}: looked in {path}; get it: {}; or see the demo without it: dbs demo",
            known.program, known.install
        )));
    }
    // Claude Code keeps its login in the system's own store there.
    let is_hidden = cfg!(target_os = "macos") && name == "claude";
    let login = known.login(|name| env.get(name), env.home().as_deref());
    if login == LoginState::Unknown && !is_hidden {
        let way = known.way_to_log_in().unwrap_or("log in to it");
        return Err(CommandError::user(format!(
            "could not find a login of {name}, neither among the variables nor in your home; {way}; or see the demo without it: dbs demo"
        )));
    }
    if !form.has_person() && !known.support.allow {
        return Err(CommandError::user(format!(
            "could not let {name} work without a person: it has no option for that"
        ))
        .with_hint("start the demo without --headless"));
    }
    Ok(OwnAgent { known, tool, form })
}

impl OwnAgent {
    /// Prints the agent to start and its maximum cost, and asks for a yes unless it was given.
    ///
    /// # Errors
    /// When no person can be asked, or the answer is no.
    pub(super) fn agree(&self, is_agreed: bool) -> CommandResult<()> {
        if self.form != DemoDisplay::Json {
            output::line(&self.offer());
        }
        if is_agreed {
            return Ok(());
        }
        if !std::io::stdin().is_terminal() {
            return Err(CommandError::user(
                "could not ask whether to start it: standard input is not a terminal",
            )
            .with_hint("say yes with --yes"));
        }
        output::line("Start it? Type yes and Enter:");
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        read.map_err(failed("could not read the answer"))?;
        match answer.trim() {
            "y" | "yes" => Ok(()),
            _ => Err(CommandError::project(
                "could not start the demo: the answer was not yes; nothing was started",
            )),
        }
    }

    fn offer(&self) -> String {
        let name = &self.known.name;
        let dollars = |cost: u64| format!("{}.{:02}", cost / 1_000_000, cost % 1_000_000 / 10_000);
        let most = if self.known.support.reports_cost {
            format!(
                "It costs at most about {} dollars for each task and {} together: an agent that reports more is stopped.",
                dollars(BUDGETS.0),
                dollars(BUDGETS.1)
            )
        } else {
            format!(
                "{name} does not report its cost here, so a limit in dollars has no effect; its own limits do."
            )
        };
        let allowed = if self.form.has_person() {
            "changing files in its folder; everything else it asks you"
        } else {
            "everything that its tool asks about, because there is no person to ask"
        };
        format!(
            "Your own {name} does {} small tasks of the demo, in about four short sessions, in a new folder that is removed afterwards. \
             It uses your login. {most} Each session ends after {} minutes at the latest. It is allowed {allowed}.",
            TASKS.len(),
            LONGEST.0 / 60_000
        )
    }

    /// Reduces the demo to the few tasks that the agent does.
    pub(super) fn reduce(demo: &mut DemoPlan) {
        demo.tasks.retain(|task| TASKS.contains(&task.id.as_str()));
    }

    /// Lets it play every role, within its limits.
    pub(super) fn arrange(&self, setup: &mut SessionSetup, env: &ProcessEnv) {
        let permissions = if self.form.has_person() && self.known.support.edits {
            PermissionPolicy::Edits
        } else if self.form.has_person() {
            PermissionPolicy::Ask
        } else {
            PermissionPolicy::Allow
        };
        setup.agents.default = Some(RoleAgent {
            tool: self.tool.clone(),
            options: RoleOptions {
                permissions,
                ..RoleOptions::default()
            },
        });
        let trusts = (CLAUDE_TRUSTS.0.to_owned(), CLAUDE_TRUSTS.1.to_owned());
        setup.person = PersonEnv::new(env.text_environment().chain([trusts]));
        // Settings of a person for other projects do not apply to the demo.
        setup.settings.agents = AgentLayers::default();
        setup.settings.budgets = Budgets {
            task: Some(Cost(BUDGETS.0)),
            day: Some(Cost(BUDGETS.1)),
        };
        setup.settings.agent_timeout = LONGEST;
        setup.settings.max_agents = 2;
    }
}
