//! Codex in its own terminal interface. Beside it: what it reports of itself, seen in version 0.169.

pub mod app_server;
pub mod exec;
mod hooks;
pub mod rollout;
mod session;
pub mod title;
mod writable;

use std::path::{Path, PathBuf};

use super::kind::{AgentKind, LaunchContext, PermissionPolicy, RoleOptions};
use super::session_id;
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

/// The options with which it asks for what its sandbox does not allow.
const ASKING: &[&str] = &["--ask-for-approval", "on-request", "--sandbox", "workspace-write"];

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

    fn read_title(&self, title: &str) -> AgentReport {
        title::read(title)
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

    fn session(
        &self,
        context: &LaunchContext,
        origin: &SessionOrigin,
        folder: &Path,
    ) -> Result<String, String> {
        let home = context.person_folder("CODEX_HOME", ".codex");
        let home = home.ok_or("neither CODEX_HOME nor HOME says where Codex keeps its sessions")?;
        let told = session_id::told(&context.attempt_folder(origin.attempt));
        session::find(&home, folder, told.as_deref())
    }

    fn launch(
        &self,
        context: &LaunchContext,
        (brief, prompt): (&Brief, &str),
        options: &RoleOptions,
    ) -> Result<LaunchCommand, Cause> {
        let mut argv = vec!["codex".to_owned()];
        argv.extend(brief.session.iter().map(|_| "resume".to_owned()));
        argv.extend(policy(options).iter().map(|word| (*word).to_owned()));
        argv.extend(writable_folders(context, brief));
        // The start files of a login shell set the path anew, and then `dbs` is not found in it.
        argv.extend(["--config".to_owned(), "allow_login_shell=false".to_owned()]);
        argv.extend(hooks::arguments(&context.program));
        if let Some(model) = &options.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        if let Some(effort) = &options.effort {
            let value = serde_json::Value::String(effort.clone());
            argv.extend(["--config".to_owned(), format!("model_reasoning_effort={value}")]);
        }
        argv.push("--".to_owned());
        argv.extend(brief.session.clone());
        argv.push(prompt.to_owned());
        Ok(LaunchCommand {
            argv,
            ..LaunchCommand::default()
        })
    }
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

/// The tool's words for a policy. Its sandbox keeps agents from the network and from the server's socket: they report by files in the
/// inbox, and `dbs` pushes for them. What they want beside that is asked where anything is asked. Where all is allowed they get the network
/// too; what they write stays in their folders, because nobody looks at what they do.
fn policy(options: &RoleOptions) -> &'static [&'static str] {
    match options.permissions {
        // It asks, and what no rule allows is denied.
        PermissionPolicy::Deny if !options.rules.is_empty() => ASKING,
        PermissionPolicy::Ask | PermissionPolicy::Edits => ASKING,
        PermissionPolicy::Allow => &[
            "--ask-for-approval",
            "never",
            "--sandbox",
            "workspace-write",
            "--config",
            "sandbox_workspace_write.network_access=true",
        ],
        PermissionPolicy::Deny => &["--ask-for-approval", "never", "--sandbox", "workspace-write"],
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
                .launch(&context(), (&brief(), "go"), &options)
                .unwrap()
                .argv;
            let at = argv.iter().position(|word| word == "--ask-for-approval").unwrap();
            assert_eq!(argv.get(at + 1).map(String::as_str), Some(approval), "{setting}");
        }
    }

    #[test]
    fn who_goes_on_names_the_session_before_the_prompt_and_after_the_options() {
        let brief = Brief {
            session: Some("0199-a".to_owned()),
            ..brief()
        };
        let line = CodexAgent.launch(&context(), (&brief, "-go on"), &RoleOptions::default());
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
}
