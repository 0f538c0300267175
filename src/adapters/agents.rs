//! Kinds of agents: from a brief to a command line, an environment and private files. Nothing is started here.
//!
//! One file for each tool: `claude`, `codex`, the built-in scripted agent `rehearsal`, and `custom`, a command of the person's
//! own. What they share is beside them.

pub mod acp;
pub mod claude;
pub mod codex;
mod custom;
mod described;
pub mod dialog;
mod environment;
pub mod headless;
pub mod headless_tools;
pub mod hook;
mod identity;
mod json_report;
mod kind;
pub mod known;
mod limit_words;
pub mod menu;
mod permissions;
mod placeholders;
mod plugin;
mod prompt;
mod rehearsal;
pub mod retry_line;
mod screen_rules;
mod session_id;
mod shown;
pub mod status_record;
mod tool_ask;
mod typed_prompt;

pub use crate::adapters::program::find_program;
pub use claude::ClaudeAgent;
pub use codex::CodexAgent;
pub use custom::CustomAgent;
pub use described::DescribedAgent;
pub use environment::{InheritedEnv, LiveEnv, PersonEnv};
use kind::display_of;
pub use kind::{
    AgentDisplay, AgentKind, LaunchContext, PermissionPolicy, ReadScreen, RoleOptions, SessionPolicy,
};
pub use limit_words::limit_end;
pub use prompt::{AttemptPrompts, LibraryFn, program_word, prompt_file};
pub use rehearsal::{NumberText, RehearsalAgent};
pub use shown::{plain_line, sent_message};
pub use typed_prompt::TypedPrompt;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::agent_state::{AgentReport, Doing};
use crate::domain::event::EndCause;
use crate::domain::{
    AgentLayers, AttemptId, Cause, ResumeRoles, RoleChoice, RoleId, SessionOrigin, Timestamp, TroubleKind,
};
use crate::formats::agent_kind::AgentKinds;
use crate::formats::permissions::read_setting;
use crate::ports::agents::{Agents, Brief, LaunchCommand};

/// The tool that plays a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentTool {
    Rehearsal(RehearsalAgent),
    Custom(CustomAgent),
    Claude(ClaudeAgent),
    Codex(CodexAgent),
    Described(DescribedAgent),
}

/// Function that computes the secret token of an attempt.
pub type TokenFn = Arc<dyn Fn(AttemptId, Timestamp) -> String + Send + Sync>;

/// Function that says why these words may not be started in that folder, if so: a command line, or the name of a scenario.
pub type StartCheck = Arc<dyn Fn(&[String], &Path) -> Result<(), Cause> + Send + Sync>;

/// Agent of one role: its tool, and the options of its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAgent {
    pub tool: AgentTool,
    pub options: RoleOptions,
}

/// The agent of each role, with one for all other roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentsByRole {
    pub by_role: BTreeMap<RoleId, RoleAgent>,
    /// The agent of every other role, if any.
    pub default: Option<RoleAgent>,
    /// The agents that stages name, by their names.
    pub tools: BTreeMap<String, AgentTool>,
    /// Settings of agents in layers, for the choice at the start of an attempt.
    pub layers: AgentLayers,
}

impl AgentTool {
    /// Returns the behaviour that is common to all kinds.
    pub fn kind(&self) -> &dyn AgentKind {
        match self {
            AgentTool::Rehearsal(agent) => agent,
            AgentTool::Custom(agent) => agent,
            AgentTool::Claude(agent) => agent,
            AgentTool::Codex(agent) => agent,
            AgentTool::Described(agent) => agent,
        }
    }

    /// Returns its name in the settings.
    pub fn name(&self) -> &str {
        match self {
            AgentTool::Rehearsal(_) => "rehearsal",
            AgentTool::Custom(_) => "custom",
            AgentTool::Claude(_) => "claude",
            AgentTool::Codex(_) => "codex",
            AgentTool::Described(agent) => &agent.0.name,
        }
    }

    /// Returns the tool of that name, if it comes with the program and is not a custom command.
    pub fn builtin(name: &str) -> Option<AgentTool> {
        match name {
            "claude" => Some(AgentTool::Claude(ClaudeAgent)),
            "codex" => Some(AgentTool::Codex(CodexAgent)),
            _ => {
                let kind = AgentKinds::default().get(name)?.ok()?;
                Some(AgentTool::Described(DescribedAgent(kind)))
            }
        }
    }
}

impl RoleAgent {
    fn goes_on(&self) -> bool {
        self.options.resume == SessionPolicy::Continue && self.tool.kind().keeps_sessions()
    }
}

impl From<AgentTool> for RoleAgent {
    fn from(tool: AgentTool) -> RoleAgent {
        RoleAgent {
            tool,
            options: RoleOptions::default(),
        }
    }
}

impl AgentsByRole {
    fn of(&self, role: &RoleId) -> Option<RoleAgent> {
        self.by_role.get(role).or(self.default.as_ref()).cloned()
    }

    /// Returns the agent of an attempt, by the choice for it; else by its role. An agent keeps its tool when the settings name another
    /// meanwhile.
    pub fn chosen(&self, RoleChoice { role, choice }: RoleChoice<'_>) -> Option<RoleAgent> {
        let usual = self.of(role);
        let Some(name) = choice.agent() else { return usual };
        let (tool, mut options) = match usual {
            Some(agent) if agent.tool.name() == name => (agent.tool, agent.options),
            usual => {
                let mut known = self.all().filter(|tool| tool.name() == name);
                let tool = known.next().cloned().or_else(|| AgentTool::builtin(name))?;
                (tool, usual.map(|agent| agent.options).unwrap_or_default())
            }
        };
        options.model = choice.model.as_ref().map(|chosen| chosen.value.clone());
        options.effort = choice.effort.as_ref().map(|chosen| chosen.value.clone());
        options.mode = choice.display().unwrap_or_default();
        // The table of settings lets nothing through that cannot be read.
        let permissions = choice.permissions.as_ref();
        if let Some((rules, policy)) = permissions.and_then(|chosen| read_setting(&chosen.value).ok()) {
            (options.rules, options.permissions) = (rules, policy);
        }
        Some(RoleAgent { tool, options })
    }

    fn all(&self) -> impl Iterator<Item = &AgentTool> {
        let of_roles = self.by_role.values().chain(&self.default);
        of_roles.map(|agent| &agent.tool).chain(self.tools.values())
    }

    /// Programs that agents are started with, where their names are known beforehand.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.all().filter_map(|tool| tool.kind().program())
    }

    /// Returns the roles whose agents continue their session after an interruption.
    pub fn resume_roles(&self) -> ResumeRoles {
        let by_role = self.by_role.iter();
        ResumeRoles {
            by_role: by_role
                .map(|(role, agent)| (role.clone(), agent.goes_on()))
                .collect(),
            others: self.default.as_ref().is_some_and(RoleAgent::goes_on),
        }
    }

    /// Returns true if no setting names an agent.
    pub fn is_unset(&self) -> bool {
        let mut named = self.clone();
        named.layers.both_ways.clear();
        named == Self::default()
    }

    /// Takes over the settings for the choice of agents, and the agents that stages name.
    pub fn add_layers(&mut self, layers: AgentLayers, tools: BTreeMap<String, AgentTool>) {
        (self.layers, self.tools) = (layers, tools);
        self.layers.both_ways = known::both_ways(self.all());
    }

    /// Returns true if any agent is a scripted one.
    pub fn has_rehearsal(&self) -> bool {
        self.all().any(|tool| matches!(tool, AgentTool::Rehearsal(_)))
    }
}

/// Implementation of the `Agents` port that builds command lines and environments from the configuration.
pub struct LocalAgents {
    /// Agents in force; may be replaced at any time, for those who start afterwards.
    pub kinds: RwLock<AgentsByRole>,
    pub context: LaunchContext,
    pub may_start: StartCheck,
    pub prompts: AttemptPrompts,
}

impl std::fmt::Debug for LocalAgents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalAgents")
            .field("kinds", &self.kinds)
            .finish_non_exhaustive()
    }
}

impl Agents for LocalAgents {
    fn launch_command(&self, brief: &Brief) -> Result<LaunchCommand, Cause> {
        let of = RoleChoice {
            role: &brief.role,
            choice: &brief.choice,
        };
        let agent = self.agent(of).ok_or_else(|| {
            TroubleKind::Agent.cause(format!(
                "could not start a {role}: no agent is configured for it; set one with `dbs config roles.{role}.agent claude`, or \
                 codex, or a program of yours with `dbs config roles.{role}.command 'PROGRAM ARGUMENT …'`",
                role = brief.role
            ))
        })?;
        let kind = agent.tool.kind();
        (self.may_start)(&kind.words(), &brief.folder)?;
        self.check_program(kind, brief)?;
        let prompt = self
            .prompts
            .write(brief, &self.context.program_word(&brief.folder))?;
        let mut options = agent.options.clone();
        if let Some(all) = self.rules(&brief.role, &brief.stage, options.rules.clone()) {
            options.rules = all.rules;
        }
        options.mode = display_of(kind, brief, options.mode)?;
        let mut line = kind.launch(&self.context, brief, &prompt.argument(), &options)?;
        let mut own = kind.own_variables();
        own.extend(kind.configured_variables(&self.context));
        let mut env = self.context.environment(&own);
        env.extend(environment::git_variables(&brief.git_settings));
        env.extend(identity::variables(&self.context, brief));
        let file = prompt.file.to_string_lossy().into_owned();
        env.push((prompt::PROMPT_FILE_VAR.to_owned(), file));
        env.append(&mut line.env);
        self.context.add_own_names(&mut env, &prompt.file);
        line.env = env;
        Ok(line)
    }

    fn session(&self, of: RoleChoice<'_>, origin: &SessionOrigin, folder: &Path) -> Result<String, Cause> {
        let role = of.role;
        let agent = self
            .agent(of)
            .ok_or_else(|| Cause::from(format!("no agent is configured for a {role}")))?;
        if agent.options.resume == SessionPolicy::BeginAfresh {
            return Err(format!("roles.{role}.resume says that it begins afresh").into());
        }
        agent.tool.kind().session(&self.context, origin, folder)
    }

    fn end_cause(&self, of: RoleChoice<'_>, tail: &str, now: Timestamp) -> Option<EndCause> {
        let agent = self.agent(of)?;
        let kind = agent.tool.kind();
        match kind.end_cause(tail, now) {
            Some(cause) => Some(limit_words::completed(cause, of.role, now)),
            None => kind.end_is_report().then_some(EndCause::Reported),
        }
    }
}

impl LocalAgents {
    fn agent(&self, of: RoleChoice<'_>) -> Option<RoleAgent> {
        self.kinds.read().chosen(of)
    }

    /// Returns the way to log in to the tool of the agents in that role, if that is known.
    pub fn way_to_log_in(&self, of: RoleChoice<'_>) -> Option<String> {
        self.agent(of)?.tool.kind().way_to_log_in()
    }

    /// Returns true if an error that the tool of the agents in that role reports is a turn that failed.
    pub fn goes_on_after_errors(&self, of: RoleChoice<'_>) -> bool {
        let agent = self.agent(of);
        agent.is_some_and(|agent| agent.tool.kind().goes_on_after_errors())
    }

    /// The prompt of an attempt in that role, if it is still to be typed.
    pub fn prompt_to_type(&self, of: RoleChoice<'_>, attempt: AttemptId) -> Option<TypedPrompt> {
        self.prompts.to_type(self.agent(of)?.tool.kind(), attempt)
    }

    /// Keeps the session that a hook of an attempt in that role reported, if its tool keeps sessions.
    pub fn session_told(&self, of: RoleChoice<'_>, attempt: AttemptId, session: &str) {
        if !self.keeps_sessions(of) {
            return;
        }
        if let Err(error) = session_id::keep(&self.context.attempt_folder(attempt), session) {
            tracing::warn!(
                "could not keep the session of attempt {attempt}: {error}; its newest record will do"
            );
        }
    }

    /// Returns the file in which the tool of an attempt in that role records the session that a hook reported.
    pub fn record(&self, of: RoleChoice<'_>, attempt: AttemptId) -> Option<PathBuf> {
        let session = session_id::told(&self.context.attempt_folder(attempt))?;
        self.agent(of)?.tool.kind().record(&self.context, &session)
    }

    /// Reads a line of such a file; the second part is the time of the reported state. `codex` knows the lines before it.
    pub fn read_record(
        &self,
        of: RoleChoice<'_>,
        codex: &mut codex::rollout::RecordReader,
        line: &[u8],
    ) -> (AgentReport, Option<Timestamp>) {
        let agent = self.agent(of);
        match agent.as_ref().and_then(|agent| agent.tool.kind().name()) {
            Some("claude") => (claude::transcript::read(line), None),
            Some("codex") => codex.read(line),
            Some(_) | None => Default::default(),
        }
    }

    /// Returns true if the tool of the agents in that role shows its question only when its hook has ended.
    pub fn asks_hook_first(&self, of: RoleChoice<'_>) -> bool {
        self.agent(of)
            .is_some_and(|agent| agent.tool.kind().asks_hook_first())
    }

    /// Reads a title of the terminal of an agent in that role; an empty report where the tool is not known to say anything by it.
    pub fn read_title(&self, of: RoleChoice<'_>, title: &str) -> AgentReport {
        let agent = self.agent(of);
        agent
            .map(|agent| agent.tool.kind().read_title(title))
            .unwrap_or_default()
    }

    /// Reads the state of an agent in that role from its screen, where its tool's kind has a rule for it.
    pub fn read_screen(&self, of: RoleChoice<'_>, screen: &str) -> Option<Doing> {
        self.agent(of)?.tool.kind().read_screen(screen)
    }

    /// Returns true if the tool of an agent in that role can continue a session.
    pub fn keeps_sessions(&self, of: RoleChoice<'_>) -> bool {
        let agent = self.agent(of);
        agent.is_some_and(|agent| agent.tool.kind().keeps_sessions())
    }

    /// Returns the reader for the screen of an agent's tool that has reported nothing.
    pub fn screen_reader(&self, of: RoleChoice<'_>) -> Option<ReadScreen> {
        self.agent(of)?.tool.kind().screen_reader()
    }

    /// Looks whether the program of a command is there.
    ///
    /// # Errors
    /// When it is not: what was looked for, where, and the way out.
    fn check_program(&self, kind: &dyn AgentKind, brief: &Brief) -> Result<(), Cause> {
        let inherited = self.context.inherited.now();
        let (Some(name), Some(path)) = (kind.program_for(brief), inherited.get("PATH")) else {
            return Ok(());
        };
        if find_program(&name, &brief.folder, path).is_some() {
            return Ok(());
        }
        let role = &brief.role;
        Err(TroubleKind::Agent.cause(format!(
            "could not find the program {name} for a {role}: looked in {path}; {}",
            kind.way_to_get(role)
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::kind::tests::brief;
    use super::*;
    use crate::domain::{AgentChoice, AgentSettings};
    use crate::formats::prompt::PromptLibrary;

    fn custom(words: &[&str]) -> AgentTool {
        AgentTool::Custom(CustomAgent(words.iter().map(|word| (*word).to_owned()).collect()))
    }

    fn configured(otherwise: Option<AgentTool>) -> LocalAgents {
        LocalAgents {
            kinds: RwLock::new(AgentsByRole {
                default: otherwise.map(RoleAgent::from),
                ..AgentsByRole::default()
            }),
            context: kind::tests::context(),
            may_start: Arc::new(|_, _| Ok(())),
            prompts: prompt::in_temporary_folder(),
        }
    }

    #[test]
    fn task_text_stays_one_argument_and_is_not_read_again() {
        let line = configured(Some(custom(&["tool", "--say={title}", "{nothing}", "{"])))
            .launch_command(&brief())
            .unwrap();
        assert_eq!(
            line.argv,
            ["tool", "--say=Add {branch}; rm -rf ~", "{nothing}", "{"]
        );
    }

    #[test]
    fn a_scenario_is_looked_for_in_the_projects_folder_and_not_in_the_worktree() {
        for (scenario, played) in [
            ("play.toml", "/r/play.toml"),
            ("/else/a.toml", "/else/a.toml"),
            ("demo", "demo"),
        ] {
            let scripted = RehearsalAgent {
                scenario: scenario.to_owned(),
                speed: "1".to_owned(),
                answer_after: None,
                person_file: None,
            };
            let agents = configured(Some(AgentTool::Rehearsal(scripted)));
            let line = agents.launch_command(&brief()).unwrap();
            assert_eq!(line.argv, ["/opt/dbs/bin/dbs", "rehearse", played]);
        }
    }

    #[test]
    fn an_agent_gets_its_own_token_and_the_seeds_names() {
        let line = configured(Some(custom(&["x"]))).launch_command(&brief()).unwrap();
        let get = |name: &str| {
            line.env
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        assert_eq!(get("DBS_TOKEN"), Some("7-1"));
        assert_eq!(get("DBS_PROGRAM"), Some("/opt/dbs/bin/dbs"));
        assert_eq!(get("DEBUSSY_ROLE"), Some("developer"));
        assert_eq!(get("ANTHROPIC_API_KEY"), None);
    }

    #[test]
    fn an_agent_gets_the_settings_with_which_git_syncs_what_it_commits_and_packs_nothing() {
        let line = configured(Some(custom(&["x"]))).launch_command(&brief()).unwrap();
        let get = |name: String| {
            let set = line.env.iter().find(|(key, _)| *key == name);
            set.map_or("", |(_, value)| value.as_str())
        };
        let count: usize = get("GIT_CONFIG_COUNT".to_owned()).parse().unwrap();
        let settings = (0..count).map(|nth| {
            let of = |part: &str| get(format!("GIT_CONFIG_{part}_{nth}"));
            (of("KEY"), of("VALUE"))
        });
        let wanted = [
            ("core.fsync", "committed"),
            ("core.fsyncMethod", "batch"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
        ];
        assert_eq!(settings.collect::<Vec<_>>(), wanted);
        assert_eq!(get("GIT_NO_REPLACE_OBJECTS".to_owned()), "");
    }

    #[test]
    fn an_agent_that_judges_gets_the_difference_as_a_file_and_a_git_that_shows_commits_as_they_are() {
        let mut brief = brief();
        brief.difference = Some("+evil\n".to_owned());
        brief.git_settings = vec![("diff.a.textconv".to_owned(), "cat".to_owned())];
        "reviewer".clone_into(&mut brief.facts.agent.role);
        brief.facts.place.base_commit = Some("b1".to_owned());
        brief.facts.place.head = Some("h1".to_owned());
        let agents = configured(Some(custom(&["tool", "{prompt}"])));
        let line = agents.launch_command(&brief).unwrap();
        let get = |name: &str| {
            line.env
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| &**value)
        };
        assert_eq!(get("GIT_CONFIG_COUNT"), Some("5"));
        assert_eq!(get("GIT_CONFIG_KEY_4"), Some("diff.a.textconv"));
        assert_eq!(get("GIT_NO_REPLACE_OBJECTS"), Some("1"));
        assert_eq!(get("GIT_GRAFT_FILE"), Some("/dev/null/grafts"));
        let file = Path::new(get("DBS_PROMPT_FILE").unwrap()).with_file_name("changes.diff");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "+evil\n");
        let prompt = line.argv.last().unwrap();
        let named = [
            file.to_str().unwrap(),
            "git diff --no-ext-diff --no-textconv b1...h1",
        ]
        .map(|text| prompt.find(text));
        assert!(named[0].is_some() && named[0] < named[1], "{prompt}");
    }

    #[test]
    fn every_agent_finds_its_prompt_in_a_file_and_a_command_gets_it_as_one_argument() {
        let mut brief = brief();
        "Add {prompt} {{ task.id }}".clone_into(&mut brief.facts.task.title);
        let agents = configured(Some(custom(&["tool", "--prompt={prompt}"])));
        let line = agents.launch_command(&brief).unwrap();
        let file = line.env.iter().find(|(key, _)| key == "DBS_PROMPT_FILE");
        let file = Path::new(&file.unwrap().1);
        assert!(file.ends_with("7/prompt.md"), "{}", file.display());
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("Add {prompt} {{ task.id }}"), "{text}");
        assert_eq!(line.argv, ["tool".to_owned(), format!("--prompt={text}")]);
    }

    #[test]
    fn an_agent_whose_prompt_cannot_be_written_is_not_started() {
        let mut agents = configured(Some(custom(&["x"])));
        let own = [(
            PathBuf::from(".debussy/prompts/task.md"),
            "{{ task.titel }}".to_owned(),
        )];
        agents.prompts.library = Arc::new(move || PromptLibrary::read(&own));
        let why = agents.launch_command(&brief()).unwrap_err();
        assert!(why.text.contains("block task, line 1"), "{why}");
        assert_eq!(why.kind, TroubleKind::Agent);
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_where_it_was_looked_for() {
        let mut configured = configured(Some(custom(&["no-such-tool"])));
        configured.context.inherited = kind::tests::inherited(&[("PATH", "/nowhere:/neither")]);
        let why = configured.launch_command(&brief()).unwrap_err();
        for part in [
            "no-such-tool",
            "/nowhere:/neither",
            "dbs config roles.developer.command",
        ] {
            assert!(why.text.contains(part), "{why}");
            assert_eq!(why.kind, TroubleKind::Agent);
        }
    }

    #[test]
    fn an_agent_has_the_tool_that_was_chosen_when_it_started_whatever_its_role_has_now() {
        let says = |agent: &str| AgentSettings {
            agent: Some(agent.to_owned()),
            model: Some("a-model".to_owned()),
            ..AgentSettings::default()
        };
        let layers = AgentLayers {
            by_stage: [("review".into(), says("codex"))].into(),
            others: says("claude"),
            ..AgentLayers::default()
        };
        let agents = configured(Some(AgentTool::Claude(ClaudeAgent)));
        let program = |stage: &str| {
            let choice = layers.choose(&"developer".into(), &stage.into(), &AgentSettings::default());
            let line = agents.launch_command(&Brief { choice, ..brief() }).unwrap();
            assert!(
                line.argv.iter().any(|word| word.contains("a-model")),
                "{:?}",
                line.argv
            );
            line.argv[0].clone()
        };
        assert!(program("review").ends_with("codex"), "by its stage");
        assert!(program("development").ends_with("claude"));
        agents.kinds.write().default = Some(AgentTool::Codex(CodexAgent).into());
        assert!(program("development").ends_with("claude"), "as it was recorded");
    }

    #[test]
    fn who_goes_on_with_a_session_is_a_matter_of_the_tool_and_of_the_setting() {
        let agent = |tool: AgentTool, resume| RoleAgent {
            tool,
            options: RoleOptions {
                resume,
                ..RoleOptions::default()
            },
        };
        let afresh = agent(AgentTool::Claude(ClaudeAgent), SessionPolicy::BeginAfresh);
        let agents = configured(None);
        *agents.kinds.write() = AgentsByRole {
            by_role: [
                ("reviewer".into(), afresh),
                ("tester".into(), agent(custom(&["x"]), SessionPolicy::Continue)),
            ]
            .into(),
            default: Some(agent(AgentTool::Codex(CodexAgent), SessionPolicy::Continue)),
            ..AgentsByRole::default()
        };
        let roles = agents.kinds.read().resume_roles();
        let allowed = ["developer", "reviewer", "tester"].map(|role| roles.allows(&role.into()));
        assert_eq!(allowed, [true, false, false]);
        let origin = SessionOrigin {
            attempt: AttemptId(7),
            created_at: Timestamp(1),
            comments_before: 0,
            name: "reviewer-ravel".to_owned(),
            folder: None,
        };
        let why = |role: &str| {
            agents
                .session(
                    RoleChoice {
                        role: &role.into(),
                        choice: &AgentChoice::default(),
                    },
                    &origin,
                    Path::new("/w"),
                )
                .unwrap_err()
        };
        assert!(
            why("reviewer").text.contains("roles.reviewer.resume"),
            "{}",
            why("reviewer")
        );
        assert!(
            why("tester").text.contains("keeps no sessions"),
            "{}",
            why("tester")
        );
    }

    #[test]
    fn a_role_without_an_agent_is_an_error_with_the_way_out() {
        let why = configured(None).launch_command(&brief()).unwrap_err();
        assert!(why.text.contains("dbs config roles.developer.agent"), "{why}");
        assert_eq!(why.kind, TroubleKind::Agent);
    }

    #[test]
    fn what_may_not_be_started_has_no_command_line() {
        let mut agents = configured(Some(custom(&["sh", "-c", "true"])));
        agents.may_start = Arc::new(|words, folder| {
            assert_eq!(
                (words, folder),
                (&["sh", "-c", "true"].map(str::to_owned)[..], Path::new("/w"))
            );
            Err(TroubleKind::Untrusted.cause("not trusted"))
        });
        assert_eq!(
            agents.launch_command(&brief()),
            Err(TroubleKind::Untrusted.cause("not trusted"))
        );
    }
}
