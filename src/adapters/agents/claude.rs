//! Claude Code in its own terminal interface, or without one: explicit permission mode, a session id chosen beforehand, settings of this
//! invocation only. Nothing is written into the repository or into the person's configuration. Beside it: its reports of itself, seen in
//! versions 2.1.329 and 2.1.330.

pub mod control;
pub mod headless;
pub mod hooks;
pub mod printed;
mod settings;
pub mod status_line;
pub mod stream;
mod stream_parts;
pub mod title;
pub mod transcript;
mod typed_requests;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::kind::{AgentDisplay, AgentKind, LaunchContext, PermissionPolicy, ReadScreen, RoleOptions};
use super::{dialog, session_id};
use crate::adapters::text_file;
use crate::agent_state::AgentReport;
use crate::domain::{Cause, RoleId, SessionOrigin};
use crate::formats::permissions::{PermissionRule, allows_all_edits};
use crate::ports::agents::{Brief, LaunchCommand, PrivateFile};

/// Variables of the person that are meant for Claude Code. Variables with which a session of its own informs its children are not among
/// them.
const OWN_VARIABLES: &[&str] = &[
    "ANTHROPIC_*",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*",
    "CLAUDE_CODE_MAX_*",
    "CLAUDE_CODE_DISABLE_*",
    "CLAUDE_CODE_CLIENT_*",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
    "CLAUDE_CODE_SANDBOXED",
    "IS_SANDBOX",
    "AWS_*",
    "CLOUD_ML_REGION",
    "VERTEX_REGION_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "API_TIMEOUT_MS",
    "BASH_*_TIMEOUT_MS",
    "BASH_MAX_*",
    "MAX_THINKING_TOKENS",
    "MCP_*",
    "DISABLE_*",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Maximum bytes of the file in which the tool keeps the projects it knows.
const MOST_STATE: u64 = 64 * 1024 * 1024;

/// Name of the file with the settings of one invocation, in the attempt's folder.
const SETTINGS_FILE: &str = "claude-settings.json";

/// Variable for the age in minutes from which the tool asks before it continues a session; and ten years.
const RESUME_AGE: (&str, &str) = ("CLAUDE_CODE_RESUME_THRESHOLD_MINUTES", "5256000");

/// Arguments that make it exchange lines of JSON in both directions and ask over them.
const HEADLESS: [&str; 8] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
];

/// Arguments without which it would run the hooks and servers of a folder that the person has not trusted.
const STRANGE_FOLDER: [&str; 3] = ["--setting-sources", "user", "--strict-mcp-config"];

/// Claude Code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaudeAgent;

impl AgentKind for ClaudeAgent {
    fn name(&self) -> Option<&str> {
        Some("claude")
    }

    fn way_to_get(&self, _: &RoleId) -> String {
        "install it with `npm install -g @anthropic-ai/claude-code`, run `claude` once to log in, and start dbs again".to_owned()
    }

    fn own_variables(&self) -> Vec<String> {
        OWN_VARIABLES.iter().map(|name| (*name).to_owned()).collect()
    }

    fn way_to_log_in(&self) -> Option<String> {
        Some("run `claude` in a terminal and log in with `/login`".to_owned())
    }

    fn read_title(&self, title: &str) -> AgentReport {
        title::read(title)
    }

    fn screen_reader(&self) -> Option<ReadScreen> {
        Some(dialog::read)
    }

    fn goes_on_after_errors(&self) -> bool {
        true
    }

    fn keeps_sessions(&self) -> bool {
        true
    }

    fn session(&self, context: &LaunchContext, origin: &SessionOrigin, _: &Path) -> Result<String, Cause> {
        // `/clear` begins a session with an id of its own.
        let told = session_id::told(&context.attempt_folder(origin.attempt));
        let id = told.unwrap_or_else(|| session_id::of(context, origin.attempt, origin.created_at));
        let folder = context.person_folder("CLAUDE_CONFIG_DIR", ".claude");
        let folder =
            folder.ok_or("neither CLAUDE_CONFIG_DIR nor HOME says where Claude Code keeps its sessions")?;
        transcript::find(&folder, &id).map(|_| id)
    }

    fn record(&self, context: &LaunchContext, session: &str) -> Option<PathBuf> {
        let folder = context.person_folder("CLAUDE_CONFIG_DIR", ".claude")?;
        transcript::find(&folder, session).ok()
    }

    fn runs_headless(&self) -> bool {
        true
    }

    fn launch(
        &self,
        context: &LaunchContext,
        brief: &Brief,
        prompt: &str,
        options: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        let settings = context.attempt_folder(brief.attempt).join(SETTINGS_FILE);
        let new = || session_id::of(context, brief.attempt, brief.created_at);
        let (flag, session) = match &brief.session {
            Some(before) => ("--resume", before.clone()),
            None => ("--session-id", new()),
        };
        let is_headless = options.mode == AgentDisplay::Headless;
        let mut argv = if is_headless {
            context.headless_words()
        } else {
            Vec::new()
        };
        argv.push("claude".to_owned());
        if is_headless {
            argv.extend(HEADLESS.map(str::to_owned));
            // With its interface the tool asks first.
            if !is_trusted(context) {
                argv.extend(STRANGE_FOLDER.map(str::to_owned));
            }
        }
        argv.extend([
            flag.to_owned(),
            session,
            // The tool's default has changed before, so the mode is always said.
            "--permission-mode".to_owned(),
            permission_mode(options).to_owned(),
            "--settings".to_owned(),
            settings.to_string_lossy().into_owned(),
            "--name".to_owned(),
            brief.name.clone(),
        ]);
        for (flag, value) in [("--model", &options.model), ("--effort", &options.effort)] {
            argv.extend(value.iter().flat_map(|value| [flag.to_owned(), value.clone()]));
        }
        // Several options take all words that follow; the text after this is the prompt, whatever it begins with.
        argv.extend(["--".to_owned(), prompt.to_owned()]);
        // The tool would ask whether to shorten an old session, and no one is there to answer.
        let no_question = (RESUME_AGE.0.to_owned(), RESUME_AGE.1.to_owned());
        let env = brief.session.iter().map(|_| no_question.clone()).collect();
        let rules: &[PermissionRule] = if allows_by_itself(context, brief) {
            &options.rules
        } else {
            &[]
        };
        Ok(LaunchCommand {
            argv,
            env,
            files: vec![PrivateFile {
                name: SETTINGS_FILE.to_owned(),
                text: if is_headless {
                    settings::without_programs(rules)
                } else {
                    settings::text(&context.program, rules)
                },
            }],
        })
    }
}

/// Returns true if the person told the tool to trust the project.
fn is_trusted(context: &LaunchContext) -> bool {
    let folder = context.person_folder("CLAUDE_CONFIG_DIR", "");
    let text = folder.and_then(|folder| text_file::read(&folder.join(".claude.json"), MOST_STATE).ok());
    let state: Value = text
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let project = state
        .get("projects")
        .and_then(|all| all.get(context.root.to_string_lossy().as_ref()));
    project.and_then(|known| known.get("hasTrustDialogAccepted")) == Some(&Value::Bool(true))
}

/// Returns true if settings of the person or the repository allow something: that is never asked about, so that no rule would see it.
fn allows_by_itself(context: &LaunchContext, brief: &Brief) -> bool {
    let person = context.person_folder("CLAUDE_CONFIG_DIR", ".claude");
    let own = [&context.root, &brief.folder].map(|folder| folder.join(".claude"));
    let files = person
        .iter()
        .chain(&own)
        .flat_map(|folder| [folder.join("settings.json"), folder.join("settings.local.json")]);
    let texts = files.filter_map(|file| text_file::read(&file, MOST_STATE).ok());
    let settings = texts.filter_map(|text| serde_json::from_slice::<Value>(&text).ok());
    settings.into_iter().any(|settings| {
        let allowed = settings.pointer("/permissions/allow").and_then(Value::as_array);
        allowed.is_some_and(|allowed| !allowed.is_empty())
    })
}

/// Returns the tool's word for a policy. A hook then answers its questions, so that the mode that skips all checks is never needed: it is
/// refused to root. Where there are rules, it asks about everything, and they answer.
fn permission_mode(options: &RoleOptions) -> &'static str {
    let denies_all = options.permissions == PermissionPolicy::Deny && options.rules.is_empty();
    if allows_all_edits(&options.rules, options.permissions) {
        "acceptEdits"
    } else if denies_all {
        "dontAsk"
    } else {
        "manual"
    }
}

#[cfg(test)]
mod tests {
    use super::super::environment::PersonEnv;
    use super::super::kind::tests::{brief, context};
    use super::*;

    fn argv(options: &RoleOptions) -> Vec<String> {
        let line = ClaudeAgent
            .launch(&context(), &brief(), "Add {branch}; rm -rf ~", options)
            .unwrap();
        assert_eq!(line.files.len(), 1);
        line.argv
    }

    fn behind(argv: &[String], flag: &str) -> Option<String> {
        let at = argv.iter().position(|word| word == flag)?;
        argv.get(at + 1).cloned()
    }

    #[test]
    fn each_start_says_its_session_its_mode_and_its_settings() {
        let argv = argv(&RoleOptions::default());
        assert_eq!(behind(&argv, "--permission-mode").as_deref(), Some("manual"));
        let settings = behind(&argv, "--settings").unwrap();
        assert_eq!(
            Path::new(&settings),
            Path::new("/state/attempts/7/claude-settings.json")
        );
        let session = session_id::of(&context(), brief().attempt, brief().created_at);
        assert_eq!(behind(&argv, "--session-id"), Some(session));
        assert!(!argv.iter().any(|word| word.contains("dangerously")), "{argv:?}");
    }

    #[test]
    fn without_an_interface_this_program_runs_it_and_no_program_is_called_by_its_settings() {
        let options = RoleOptions {
            mode: AgentDisplay::Headless,
            ..RoleOptions::default()
        };
        let line = ClaudeAgent.launch(&context(), &brief(), "-go", &options).unwrap();
        let begin = ["/opt/dbs/bin/dbs", "headless", "claude", "-p"];
        assert_eq!(line.argv.get(..4).unwrap(), begin);
        assert_eq!(
            behind(&line.argv, "--permission-prompt-tool").as_deref(),
            Some("stdio")
        );
        assert_eq!(behind(&line.argv, "--").as_deref(), Some("-go"));
        assert!(behind(&line.argv, "--session-id").is_some());
        let settings = &line.files[0].text;
        assert!(
            !settings.contains("hooks") && !settings.contains("statusLine"),
            "{settings}"
        );
        assert!(settings.contains("Bash(dbs signal:*)"), "{settings}");
    }

    #[test]
    fn who_goes_on_names_the_session_of_the_first_attempt_and_is_not_asked_about_its_age() {
        let brief = Brief {
            session: Some("of-before".to_owned()),
            ..brief()
        };
        let line = ClaudeAgent
            .launch(&context(), &brief, "go on", &RoleOptions::default())
            .unwrap();
        assert_eq!(behind(&line.argv, "--resume").as_deref(), Some("of-before"));
        assert_eq!(behind(&line.argv, "--session-id"), None);
        assert!(
            line.env.iter().any(|(name, _)| name == RESUME_AGE.0),
            "{:?}",
            line.env
        );
    }

    #[test]
    fn a_session_is_that_of_the_attempt_that_began_it_in_the_persons_folder() {
        let folder = tempfile::tempdir().unwrap();
        let set = (
            "CLAUDE_CONFIG_DIR".to_owned(),
            folder.path().display().to_string(),
        );
        let context = LaunchContext {
            person: PersonEnv::new([set]),
            ..context()
        };
        let origin = SessionOrigin {
            attempt: brief().attempt,
            created_at: brief().created_at,
            comments_before: 0,
            name: brief().name,
            folder: None,
        };
        let ask = || ClaudeAgent.session(&context, &origin, Path::new("/w"));
        assert!(ask().is_err());
        let id = session_id::of(&context, origin.attempt, origin.created_at);
        let project = folder.path().join("projects").join("-w");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join(format!("{id}.jsonl")), "{\"type\":\"user\"}\n").unwrap();
        assert_eq!(ask(), Ok(id));
    }

    #[test]
    fn where_rules_say_something_about_edits_it_asks_about_all_and_the_rules_answer() {
        use crate::formats::permissions::read_setting;
        for (setting, mode) in [
            ("deny run git push*; allow", "acceptEdits"),
            ("deny edit .git/*; allow", "manual"),
            ("allow run make; deny", "manual"),
            ("deny", "dontAsk"),
        ] {
            let (rules, permissions) = read_setting(setting).unwrap();
            let argv = argv(&RoleOptions {
                permissions,
                rules,
                ..RoleOptions::default()
            });
            assert_eq!(
                behind(&argv, "--permission-mode").as_deref(),
                Some(mode),
                "{setting}"
            );
        }
    }

    #[test]
    fn the_prompt_is_the_last_word_whatever_the_task_says() {
        let argv = argv(&RoleOptions {
            permissions: PermissionPolicy::Allow,
            model: Some("opus".into()),
            ..RoleOptions::default()
        });
        let end = argv.iter().position(|word| word == "--").unwrap();
        assert_eq!(end + 2, argv.len(), "{argv:?}");
        assert!(argv.last().unwrap().contains("Add {branch}; rm -rf ~"));
        assert_eq!(behind(&argv, "--model").as_deref(), Some("opus"));
        assert_eq!(behind(&argv, "--effort"), None);
        assert_eq!(behind(&argv, "--permission-mode").as_deref(), Some("acceptEdits"));
    }
}
