//! Kind of agent that a file describes ([`crate::formats::agent_kind`]): its program, its arguments, and the meaning of its reports.

use std::path::Path;
use std::sync::Arc;

use super::headless_tools::acp_words;
use super::kind::{AgentDisplay, AgentKind, LaunchContext, MOST_SETTINGS, PermissionPolicy, RoleOptions};
use super::placeholders::{self, expand};
use super::{plugin, prompt, screen_rules, session_id};
use crate::adapters::text_file;
use crate::agent_state::{AgentReport, Doing, Seen, Wait};
use crate::domain::event::EndCause;
use crate::domain::{AskKind, Cause, RoleId, SessionOrigin, Timestamp, TroubleKind};
use crate::formats::agent_kind::{
    DescribedKind, HeadlessArguments, HeadlessProtocol, PromptDelivery, SessionChoice, TitleState,
};
use crate::formats::end_rules;
use crate::formats::permissions::POLICIES;
use crate::ports::agents::{Brief, LaunchCommand};

/// Placeholder for the session where the tool finds it itself.
const LAST_OF_FOLDER: &str = "the last one of its folder";

/// An agent whose kind is described by a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedAgent(pub Arc<DescribedKind>);

impl AgentKind for DescribedAgent {
    fn name(&self) -> Option<&str> {
        Some(&self.0.name)
    }

    fn words(&self) -> Vec<String> {
        self.0.words()
    }

    fn program(&self) -> Option<&str> {
        Some(&self.0.program)
    }

    fn way_to_get(&self, _: &RoleId) -> String {
        let log_in = self.way_to_log_in().map(|way| format!(", {way}"));
        format!(
            "install it with `{}`{}, and start dbs again",
            self.0.install,
            log_in.unwrap_or_default()
        )
    }

    fn own_variables(&self) -> Vec<String> {
        self.0.variables.clone()
    }

    fn way_to_log_in(&self) -> Option<String> {
        self.0.login.way.clone()
    }

    fn keeps_sessions(&self) -> bool {
        self.0.resume.is_some()
    }

    fn runs_headless(&self) -> bool {
        self.0.headless.is_some()
    }

    fn session(&self, context: &LaunchContext, origin: &SessionOrigin, _: &Path) -> Result<String, Cause> {
        let told = session_id::told(&context.attempt_folder(origin.attempt));
        match (self.0.resume.as_ref().map(|resume| resume.session), told) {
            (Some(SessionChoice::Chosen | SessionChoice::Told), Some(told)) => Ok(told),
            (Some(SessionChoice::Told), None) => Err("its tool did not tell which session it began".into()),
            (Some(SessionChoice::Chosen), None) => {
                Ok(session_id::of(context, origin.attempt, origin.created_at))
            }
            (Some(SessionChoice::Folder), _) => Ok(LAST_OF_FOLDER.to_owned()),
            (None, _) => Err("its tool keeps no sessions".into()),
        }
    }

    fn launch(
        &self,
        context: &LaunchContext,
        brief: &Brief,
        prompt: &str,
        options: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        let kind = &self.0;
        if options.mode == AgentDisplay::Headless
            && let Some(headless) = &kind.headless
        {
            return self.launch_headless(context, brief, prompt, headless, options);
        }
        let chosen = self.options(&brief.role, options)?;
        let resumed = brief.session.as_ref().zip(kind.resume.as_ref());
        let (words, session) = match resumed {
            Some((session, resume)) => (&resume.arguments, session.clone()),
            None => (
                &kind.start,
                session_id::of(context, brief.attempt, brief.created_at),
            ),
        };
        let file = prompt::prompt_file(&context.attempts, brief.attempt);
        let value = |name: &str| match name {
            "session" => Some(session.clone()),
            "file" => Some(file.to_string_lossy().into_owned()),
            "folder" => Some(brief.folder.to_string_lossy().into_owned()),
            other => placeholders::of_brief(other, brief, prompt),
        };
        let mut argv = vec![kind.program.clone()];
        for word in words {
            if word == "{options}" {
                argv.extend(chosen.iter().cloned());
            } else {
                argv.push(expand(word, value));
            }
        }
        let mut line = LaunchCommand {
            argv,
            ..LaunchCommand::default()
        };
        if let Some(plugin) = kind.plugin {
            plugin::add(plugin, context, brief, prompt, &options.rules, &mut line);
        }
        Ok(line)
    }

    fn read_title(&self, title: &str) -> AgentReport {
        if title.trim().is_empty() && !self.0.titles.is_empty() {
            return AgentReport::of(Seen::Withdrawn);
        }
        let waits = |kind| Doing::Blocked(Wait::new(kind, ""));
        match self.0.title_state(title) {
            None => AgentReport::default(),
            Some(TitleState::Working) => AgentReport::doing(Doing::WORKING),
            Some(TitleState::Idle) => AgentReport::doing(Doing::Idle),
            Some(TitleState::Permission) => AgentReport::doing(waits(AskKind::Permission)),
            Some(TitleState::Question) => AgentReport::doing(waits(AskKind::Question)),
        }
    }

    fn read_screen(&self, screen: &str) -> Option<Doing> {
        screen_rules::read(&self.0.screens, screen)
    }

    fn configured_variables(&self, context: &LaunchContext) -> Vec<String> {
        let Some(home) = context.person_folder("", "") else {
            return Vec::new();
        };
        let files = self.0.settings.iter().map(|file| home.join(file));
        let texts = files.filter_map(|file| text_file::read_text(&file, MOST_SETTINGS).ok());
        texts.flat_map(|text| named_variables(&text)).collect()
    }

    fn end_is_report(&self) -> bool {
        self.0.end_is_report
    }

    fn end_cause(&self, tail: &str, now: Timestamp) -> Option<EndCause> {
        let name = self.0.name.as_str();
        let own = self.0.ends.cause(name, tail, now);
        own.or_else(|| end_rules::builtin().cause(name, tail, now))
    }

    fn ready_lines(&self) -> Option<Vec<String>> {
        match &self.0.delivery {
            PromptDelivery::Typed { ready } => Some(ready.clone()),
            PromptDelivery::Argument | PromptDelivery::File => None,
        }
    }
}

/// Returns the variables that settings name as `{env:NAME}`, `${NAME}` or `$NAME`.
fn named_variables(settings: &str) -> Vec<String> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let begins = settings.match_indices("{env:").chain(settings.match_indices('$'));
    let names = begins.filter_map(|(at, begin)| {
        let rest = settings.get(at + begin.len()..)?.trim_start_matches('{');
        let end = rest.find(|sign: char| !is_part(sign)).unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    });
    names.map(str::to_owned).collect()
}

impl DescribedAgent {
    /// Returns the arguments for the options of a role. Options that the tool has no words for are refused and never left out in silence.
    fn options(&self, role: &RoleId, options: &RoleOptions) -> Result<Vec<String>, Cause> {
        let mut chosen = self.permissions(role, options.permissions)?;
        chosen.extend(self.model_options(role, options)?);
        Ok(chosen)
    }

    /// Builds the command line without the interface. The rules and the policy of the role answer its questions, so that no option says
    /// what it may do.
    fn launch_headless(
        &self,
        context: &LaunchContext,
        brief: &Brief,
        prompt: &str,
        headless: &HeadlessArguments,
        options: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        let (kind, role) = (&self.0, &brief.role);
        let chosen = self.model_options(role, options)?;
        if !chosen.is_empty() && !headless.arguments.iter().any(|word| word == "{options}") {
            return Err(TroubleKind::Agent.cause(format!(
                "could not start {} for a {role} without its interface: it takes no model and no effort then; unset roles.{role}.model and \
                 roles.{role}.effort, or set them in the settings of {}",
                kind.name, kind.title
            )));
        }
        let folder = brief.folder.to_string_lossy().into_owned();
        let mut argv = context.headless_words();
        argv.extend(match headless.protocol {
            HeadlessProtocol::Acp => acp_words(&folder, brief.session.as_deref()),
        });
        argv.push(kind.program.clone());
        for word in &headless.arguments {
            if word == "{options}" {
                argv.extend(chosen.iter().cloned());
            } else {
                argv.push(expand(word, |name| (name == "folder").then(|| folder.clone())));
            }
        }
        argv.extend(["--".to_owned(), prompt.to_owned()]);
        Ok(LaunchCommand {
            argv,
            ..LaunchCommand::default()
        })
    }

    fn model_options(&self, role: &RoleId, options: &RoleOptions) -> Result<Vec<String>, Cause> {
        let kind = &self.0;
        let mut chosen = Vec::new();
        let settings = [
            ("model", &kind.model, &options.model),
            ("effort", &kind.effort, &options.effort),
        ];
        for (key, words, wanted) in settings {
            let Some(wanted) = wanted else { continue };
            if words.is_empty() {
                return Err(TroubleKind::Agent.cause(format!(
                    "could not start {} for a {role}: it takes no {key}, and roles.{role}.{key} or roles.default.{key} names {wanted}; \
                     unset it, or set `{key}` in the file of the agent",
                    kind.name
                )));
            }
            let value = |name: &str| (name == key).then(|| wanted.clone());
            chosen.extend(words.iter().map(|word| expand(word, value)));
        }
        Ok(chosen)
    }

    fn permissions(&self, role: &RoleId, policy: PermissionPolicy) -> Result<Vec<String>, Cause> {
        let known = &self.0.permissions;
        if let Some(words) = known.get(&policy) {
            return Ok(words.clone());
        }
        if policy == PermissionPolicy::Ask {
            return Ok(Vec::new());
        }
        let word = |policy: &PermissionPolicy| {
            POLICIES
                .iter()
                .find(|(_, one)| one == policy)
                .map(|(word, _)| *word)
        };
        let has: Vec<&str> = known.keys().filter_map(word).collect();
        Err(TroubleKind::Agent.cause(format!(
            "could not start {} for a {role}: it has no option for the permissions `{}`, only for {}; set another with `dbs config \
             roles.{role}.permissions ask`",
            self.0.name,
            word(&policy).unwrap_or_default(),
            if has.is_empty() { "ask".to_owned() } else { has.join(", ") }
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::tests::{brief, context};
    use super::*;
    use crate::formats::agent_kind::{AgentKinds, read};

    fn agent(name: &str) -> DescribedAgent {
        DescribedAgent(AgentKinds::default().get(name).unwrap().unwrap())
    }

    fn argv(agent: &DescribedAgent, session: Option<&str>, options: &RoleOptions) -> Vec<String> {
        let brief = Brief {
            session: session.map(str::to_owned),
            ..brief()
        };
        let line = agent.launch(&context(), &brief, "Add {branch}; rm -rf ~", options);
        line.unwrap().argv
    }

    #[test]
    fn the_variables_that_settings_name_are_found() {
        let settings = r#"{ "apiKey": "{env:OWN_KEY}", "url": "https://$HOST_NAME/x", "token": "${TOKEN}", "price": "5 $" }"#;
        let mut names = named_variables(settings);
        names.sort();
        assert_eq!(names, ["HOST_NAME", "OWN_KEY", "TOKEN"]);
    }

    #[test]
    fn arguments_are_those_of_the_file_and_text_of_a_task_stays_one_of_them() {
        let options = RoleOptions {
            permissions: PermissionPolicy::Allow,
            model: Some("{prompt} -x".to_owned()),
            ..RoleOptions::default()
        };
        let line = argv(&agent("opencode"), None, &options);
        let expected = [
            "opencode",
            "--model",
            "{prompt} -x",
            "--prompt",
            "Add {branch}; rm -rf ~",
        ];
        assert_eq!(line, expected);
        let new = argv(&agent("gemini"), None, &RoleOptions::default());
        let id = session_id::of(&context(), brief().attempt, brief().created_at);
        assert_eq!(new.get(2..4), Some(&["--session-id".to_owned(), id][..]));
        let again = argv(&agent("gemini"), Some("of-before"), &RoleOptions::default());
        assert_eq!(
            again.get(2..4),
            Some(&["--resume".to_owned(), "of-before".to_owned()][..])
        );
        assert_eq!(again.last().map(String::as_str), Some("Add {branch}; rm -rf ~"));
    }

    #[test]
    fn without_an_interface_it_is_run_over_the_protocol_in_its_folder_and_goes_on_with_its_session() {
        let options = RoleOptions {
            mode: AgentDisplay::Headless,
            permissions: PermissionPolicy::Deny,
            ..RoleOptions::default()
        };
        let line = argv(&agent("opencode"), Some("ses_1"), &options);
        let expected = [
            "/opt/dbs/bin/dbs",
            "headless",
            "--protocol",
            "acp",
            "--folder",
            "/w",
            "--session",
            "ses_1",
            "opencode",
            "acp",
            "--",
            "Add {branch}; rm -rf ~",
        ];
        assert_eq!(line, expected);
        let of_a_model = RoleOptions {
            model: Some("m".to_owned()),
            ..options
        };
        let gemini = argv(&agent("gemini"), None, &of_a_model);
        assert!(
            gemini.windows(2).any(|words| words == ["--model", "m"]),
            "{gemini:?}"
        );
        let refused = agent("opencode").launch(&context(), &brief(), "go", &of_a_model);
        let why = refused.unwrap_err().text;
        assert!(why.contains("unset roles.developer.model"), "{why}");
    }

    #[test]
    fn what_a_tool_has_no_words_for_is_refused_with_the_way_out() {
        let refused = |name: &str, options: RoleOptions| {
            let line = agent(name).launch(&context(), &brief(), "go", &options);
            line.unwrap_err().text
        };
        let deny = RoleOptions {
            permissions: PermissionPolicy::Deny,
            ..RoleOptions::default()
        };
        let why = refused("gemini", deny);
        assert!(
            why.contains("only for ask, edits, allow")
                && why.contains("dbs config roles.developer.permissions"),
            "{why}"
        );
        let effort = RoleOptions {
            effort: Some("high".to_owned()),
            ..RoleOptions::default()
        };
        let why = refused("opencode", effort);
        assert!(
            why.contains("it takes no effort") && why.contains("roles.default.effort"),
            "{why}"
        );
    }

    #[test]
    fn its_window_and_its_last_lines_are_read_by_the_rules_of_its_file() {
        let text = "title = \"T\"\nprogram = \"t\"\ninstall = \"x\"\nstart = [\"{file}\"]\n[[window]]\ntitle = \"busy*\"\nstate = \"working\"\n\
                    [[end]]\nbegins = \"no credit\"\ncause = \"quota\"\n";
        let (kind, _) = read("t", Path::new("t.toml"), text);
        let agent = DescribedAgent(Arc::new(kind.unwrap()));
        assert_eq!(agent.read_title("busy 1"), AgentReport::doing(Doing::WORKING));
        assert_eq!(agent.read_title("other"), AgentReport::default());
        assert_eq!(agent.read_title(""), AgentReport::of(Seen::Withdrawn));
        let cause = |line: &str| agent.end_cause(line, Timestamp(1));
        assert!(matches!(cause("no credit left"), Some(EndCause::Quota { .. })));
        assert!(matches!(cause("error: unknown option"), Some(EndCause::Infra(_))));
        assert_eq!(cause("there is no credit"), None);
        assert!(argv(&agent, None, &RoleOptions::default())[1].ends_with("7/prompt.md"));
    }
}
