//! Codex in its own terminal interface, or without one. Beside it: its reports of itself, seen in version 0.169.

pub mod exec;
pub mod headless;
mod hooks;
mod printed;
pub mod rollout;
mod session;
pub mod title;
mod writable;

use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike};

use super::kind::{
    AgentDisplay, AgentKind, LaunchContext, MOST_SETTINGS, PermissionPolicy, ReadScreen, RoleOptions,
};
use super::{dialog, session_id};
use crate::adapters::text_file;
use crate::agent_state::AgentReport;
use crate::domain::{Cause, RoleId, SessionOrigin};
use crate::ports::agents::{Brief, LaunchCommand};

/// Variables of the person that are meant for Codex.
const OWN_VARIABLES: &[&str] = &[
    "OPENAI_*",
    "CODEX_*",
    "AZURE_OPENAI_*",
    "RUST_LOG",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Arguments that make it work without its interface and write its events as lines of JSON. In this mode it never asks.
const HEADLESS: [&str; 2] = ["exec", "--json"];
/// Word with which it continues a session.
const RESUME: &str = "resume";

/// Codex.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodexAgent;

impl AgentKind for CodexAgent {
    fn name(&self) -> Option<&str> {
        Some("codex")
    }

    fn way_to_get(&self, _: &RoleId) -> String {
        "install it with `npm install -g @openai/codex`, run `codex` once to log in, and start dbs again"
            .to_owned()
    }

    fn own_variables(&self) -> Vec<String> {
        OWN_VARIABLES.iter().map(|name| (*name).to_owned()).collect()
    }

    fn way_to_log_in(&self) -> Option<String> {
        Some("log in with `codex login`".to_owned())
    }

    fn configured_variables(&self, context: &LaunchContext) -> Vec<String> {
        let home = context.person_folder("CODEX_HOME", ".codex");
        let settings =
            home.and_then(|home| text_file::read_text(&home.join("config.toml"), MOST_SETTINGS).ok());
        settings.as_deref().map(provider_variables).unwrap_or_default()
    }

    fn read_title(&self, title: &str) -> AgentReport {
        title::read(title)
    }

    fn screen_reader(&self) -> Option<ReadScreen> {
        Some(dialog::read)
    }

    fn keeps_sessions(&self) -> bool {
        true
    }

    fn record(&self, context: &LaunchContext, session: &str) -> Option<PathBuf> {
        let home = context.person_folder("CODEX_HOME", ".codex")?;
        session::record_of(&home, session)
    }

    fn asks_hook_first(&self) -> bool {
        true
    }

    fn goes_on_after_errors(&self) -> bool {
        true
    }

    fn session(
        &self,
        context: &LaunchContext,
        origin: &SessionOrigin,
        folder: &Path,
    ) -> Result<String, Cause> {
        let home = context.person_folder("CODEX_HOME", ".codex");
        let home = home.ok_or("neither CODEX_HOME nor HOME says where Codex keeps its sessions")?;
        let told = session_id::told(&context.attempt_folder(origin.attempt));
        session::find(&home, folder, told.as_deref())
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
        let is_headless = options.mode == AgentDisplay::Headless;
        let mut argv = if is_headless {
            context.headless_words()
        } else {
            Vec::new()
        };
        argv.push("codex".to_owned());
        if is_headless {
            argv.extend(HEADLESS.map(str::to_owned));
        } else {
            argv.extend(brief.session.iter().map(|_| RESUME.to_owned()));
            argv.extend(asking(options).map(str::to_owned));
        }
        argv.extend(sandbox(options).iter().map(|word| (*word).to_owned()));
        argv.extend(writable_folders(context, brief));
        // The start files of a login shell set the path again, and then `dbs` is not found in it.
        argv.extend(["--config".to_owned(), "allow_login_shell=false".to_owned()]);
        argv.extend(hooks::arguments(&context.program));
        if let Some(model) = &options.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        if let Some(effort) = &options.effort {
            let value = serde_json::Value::String(effort.clone());
            argv.extend(["--config".to_owned(), format!("model_reasoning_effort={value}")]);
        }
        // Without its interface the session comes before the prompt, so that it is known for all turns.
        let mut end = vec!["--".to_owned()];
        end.extend(brief.session.clone());
        if let (true, Some(session)) = (is_headless, &brief.session) {
            end = vec![RESUME.to_owned(), session.clone(), "--".to_owned()];
        }
        argv.append(&mut end);
        argv.push(prompt.to_owned());
        Ok(LaunchCommand {
            argv,
            ..LaunchCommand::default()
        })
    }
}

/// Returns the variables that the providers in these settings take their keys and headers from.
fn provider_variables(settings: &str) -> Vec<String> {
    let Ok(settings) = settings.parse::<DocumentMut>() else {
        return Vec::new();
    };
    let providers = settings.get("model_providers").and_then(Item::as_table_like);
    let providers = providers.into_iter().flat_map(TableLike::iter);
    let names = providers.flat_map(|(_, provider)| {
        let headers = provider.get("env_http_headers").and_then(Item::as_table_like);
        let headers = headers
            .into_iter()
            .flat_map(TableLike::iter)
            .map(|(_, name)| name);
        provider.get("env_key").into_iter().chain(headers)
    });
    names.filter_map(Item::as_str).map(str::to_owned).collect()
}

/// The folders beside its own that an agent in the sandbox may write to. Where it may not write its files it may not commit either.
fn writable_folders(context: &LaunchContext, brief: &Brief) -> Vec<String> {
    let git = if brief.facts.stage.may_write {
        writable::of_worktree(&brief.folder)
    } else {
        Vec::new()
    };
    let all = git.into_iter().chain([context.inbox.clone()]);
    all.flat_map(|path| ["--add-dir".to_owned(), path.to_string_lossy().into_owned()])
        .collect()
}

/// Returns the arguments that decide whether it asks for actions outside its sandbox. With `Deny` it asks only if there are rules: actions
/// that no rule allows are denied then.
fn asking(options: &RoleOptions) -> [&'static str; 2] {
    let asks = match options.permissions {
        PermissionPolicy::Deny => !options.rules.is_empty(),
        PermissionPolicy::Ask | PermissionPolicy::Edits => true,
        PermissionPolicy::Allow => false,
    };
    ["--ask-for-approval", if asks { "on-request" } else { "never" }]
}

/// Returns the arguments of the sandbox, which keeps agents from the network and from the server's socket: they report by files in the
/// inbox, and `dbs` pushes for them. Where all is allowed they get the network too; they can still write only in their folders, because
/// their work is not watched.
fn sandbox(options: &RoleOptions) -> &'static [&'static str] {
    match options.permissions {
        PermissionPolicy::Allow => &[
            "--sandbox",
            "workspace-write",
            "--config",
            "sandbox_workspace_write.network_access=true",
        ],
        PermissionPolicy::Ask | PermissionPolicy::Edits | PermissionPolicy::Deny => {
            &["--sandbox", "workspace-write"]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::tests::{brief, context};
    use super::*;

    #[test]
    fn where_all_but_what_rules_allow_is_denied_it_asks_and_the_rules_answer() {
        use crate::formats::permissions::read_setting;
        for (setting, approval) in [
            ("ask", "on-request"),
            ("allow run make; deny", "on-request"),
            ("deny", "never"),
            ("deny run x; allow", "never"),
        ] {
            let (rules, permissions) = read_setting(setting).unwrap();
            let options = RoleOptions {
                permissions,
                rules,
                ..RoleOptions::default()
            };
            let argv = CodexAgent
                .launch(&context(), &brief(), "go", &options)
                .unwrap()
                .argv;
            let at = argv.iter().position(|word| word == "--ask-for-approval").unwrap();
            assert_eq!(argv.get(at + 1).map(String::as_str), Some(approval), "{setting}");
        }
    }

    #[test]
    fn the_variables_of_the_providers_in_its_settings_reach_it() {
        let settings = "[model_providers.own]\nname = \"Own\"\nenv_key = \"OWN_KEY\"\nenv_http_headers = { \"X-Team\" = \"TEAM\" }\n\
                        [model_providers.other]\nbase_url = \"http://x\"\n";
        assert_eq!(provider_variables(settings), ["OWN_KEY", "TEAM"]);
        for odd in ["", "model_providers = 3", "[model_providers]\nx = 1", "not toml"] {
            assert!(provider_variables(odd).is_empty(), "{odd}");
        }
    }

    #[test]
    fn who_goes_on_names_the_session_before_the_prompt_and_after_the_options() {
        let brief = Brief {
            session: Some("0199-a".to_owned()),
            ..brief()
        };
        let line = CodexAgent.launch(&context(), &brief, "-go on", &RoleOptions::default());
        let argv = line.unwrap().argv;
        assert_eq!(
            argv.get(..2),
            Some(&["codex".to_owned(), "resume".to_owned()][..])
        );
        let end = argv.iter().position(|word| word == "--").unwrap();
        assert_eq!(
            argv.get(end + 1..),
            Some(&["0199-a".to_owned(), "-go on".to_owned()][..])
        );
    }

    #[test]
    fn without_an_interface_it_is_run_by_this_program_in_the_same_sandbox_and_goes_on_with_its_session() {
        let options = RoleOptions {
            mode: AgentDisplay::Headless,
            ..RoleOptions::default()
        };
        let argv = |session: Option<&str>| {
            let brief = Brief {
                session: session.map(str::to_owned),
                ..brief()
            };
            let line = CodexAgent.launch(&context(), &brief, "-go", &options);
            line.unwrap().argv
        };
        let fresh = argv(None);
        let begin = ["/opt/dbs/bin/dbs", "headless", "codex", "exec", "--json"];
        assert_eq!(fresh.get(..5).unwrap(), begin);
        assert!(
            fresh
                .windows(2)
                .any(|words| words == ["--sandbox", "workspace-write"])
        );
        assert!(!fresh.contains(&"--ask-for-approval".to_owned()), "{fresh:?}");
        assert_eq!(fresh.get(fresh.len() - 2..).unwrap(), ["--", "-go"]);
        let again = argv(Some("0199-a"));
        assert_eq!(
            again.get(again.len() - 4..).unwrap(),
            ["resume", "0199-a", "--", "-go"]
        );
    }
}
