//! Hooks for one invocation of Codex that call this program. Codex runs only hooks that a person trusts: it keeps, beside the hooks of
//! each source, the hash of the definition that was trusted. Both come on the command line here, so that exactly these hooks are
//! trusted, for this invocation, and neither those of a repository nor anything in the person's home. Seen in version 0.169.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// An event, Codex's name of it in the key of its trust, and the seconds it waits for the hook: a person may take a day to answer, and
/// a call that only reports gives up long before.
const EVENTS: [(&str, &str, u32); 9] = [
    ("PermissionRequest", "permission_request", 86_400),
    ("Stop", "stop", 86_400),
    ("SessionStart", "session_start", 5),
    ("UserPromptSubmit", "user_prompt_submit", 5),
    ("SubagentStart", "subagent_start", 5),
    ("SubagentStop", "subagent_stop", 5),
    ("PreCompact", "pre_compact", 5),
    ("PostCompact", "post_compact", 5),
    // Codex shortens longer timeouts, and then the definition is not the trusted one.
    ("Interrupt", "interrupt", 3),
];

/// Name that Codex gives to the place of a hook that came on the command line.
const SOURCE: &str = if cfg!(windows) {
    r"C:\<session-flags>\config.toml"
} else {
    "/<session-flags>/config.toml"
};

/// The arguments that give Codex the hooks and their trust.
pub(super) fn arguments(program: &Path) -> Vec<String> {
    let command = format!("{} hook", shell_words::quote(&program.to_string_lossy()));
    let mut settings = Vec::new();
    let mut trusted = Vec::new();
    for (event, word, timeout) in EVENTS {
        let hook = format!(
            "{{type=\"command\",command={},timeout={timeout}}}",
            quoted(&command)
        );
        settings.push(format!("hooks.{event}=[{{hooks=[{hook}]}}]"));
        let hash = definition_hash(word, &command, timeout);
        let key = quoted(&format!("{SOURCE}:{word}:0:0"));
        trusted.push(format!("{key}={{trusted_hash=\"{hash}\"}}"));
    }
    settings.push(format!("hooks.state={{{}}}", trusted.join(",")));
    settings
        .into_iter()
        .flat_map(|setting| ["--config".to_owned(), setting])
        .collect()
}

/// The hash by which Codex knows the definition of a hook: of its fields as JSON without blanks, in the order of their names.
fn definition_hash(event: &str, command: &str, timeout: u32) -> String {
    let hook = json!({ "async": false, "command": command, "timeout": timeout, "type": "command" });
    let definition = json!({ "event_name": event, "hooks": [hook] });
    format!("sha256:{}", hex::encode(Sha256::digest(definition.to_string())))
}

/// A text as a basic string of TOML, which JSON's strings are.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_the_hash_that_codex_gives_it() {
        let hash = definition_hash("interrupt", "/tmp/codex-lab/hooks/rec.sh", 3);
        assert_eq!(
            hash,
            "sha256:479fc5ad34cb84bcba9e931bc241fdc616083ea4b13d883e88c5b7994d9abe23"
        );
    }

    #[cfg(unix)]
    #[test]
    fn each_hook_calls_this_program_and_is_trusted_by_its_own_hash() {
        let all = arguments(Path::new("/opt/my tools/dbs"));
        assert_eq!(all.len(), 2 * (EVENTS.len() + 1));
        let asked = r#"hooks.PermissionRequest=[{hooks=[{type="command",command="'/opt/my tools/dbs' hook",timeout=86400}]}]"#;
        assert_eq!(all.get(1).map(String::as_str), Some(asked));
        let trust: toml_edit::DocumentMut = all.last().unwrap().parse().unwrap();
        let state = trust["hooks"]["state"].as_inline_table().unwrap();
        assert_eq!(state.len(), EVENTS.len());
        let one = trust["hooks"]["state"]["/<session-flags>/config.toml:stop:0:0"]["trusted_hash"].as_str();
        let expected = definition_hash("stop", "'/opt/my tools/dbs' hook", 86_400);
        assert_eq!(one, Some(expected.as_str()));
    }
}
