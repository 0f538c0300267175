//! Plugins of this program for tools that call no hooks by themselves. A plugin is put into the attempt's folder and calls `dbs hook`.

use serde_json::{Map, Value, json};

use super::kind::LaunchContext;
use crate::formats::agent_kind::ToolPlugin;
use crate::formats::permissions::{PermissionRule, denials};
use crate::ports::agents::{Brief, LaunchCommand, PrivateFile};

/// The plugin of opencode, with placeholders for the path of this program, what the role of the agent denies, and the session that it
/// continues with its prompt.
const OPENCODE: &str = include_str!("../../../assets/agents/opencode.js");
const PROGRAM: &str = "\"{program}\"";
const DENIED: &str = "\"{denied}\"";
const CONTINUED: &str = "\"{continued}\"";
/// Name of its file in the attempt's folder.
const OPENCODE_FILE: &str = "opencode-plugin.js";
/// Variable with settings that opencode reads after those of its files.
const OPENCODE_SETTINGS: &str = "OPENCODE_CONFIG_CONTENT";

/// Adds a plugin to the start of a tool for a brief with that prompt. Settings that the person gives the tool by the same variable stay.
pub(super) fn add(
    plugin: ToolPlugin,
    context: &LaunchContext,
    brief: &Brief,
    prompt: &str,
    rules: &[PermissionRule],
    line: &mut LaunchCommand,
) {
    match plugin {
        ToolPlugin::Opencode => add_to_opencode(context, brief, prompt, rules, line),
    }
}

fn add_to_opencode(
    context: &LaunchContext,
    brief: &Brief,
    prompt: &str,
    rules: &[PermissionRule],
    line: &mut LaunchCommand,
) {
    let own = context
        .person
        .get(OPENCODE_SETTINGS)
        .filter(|text| !text.is_empty());
    let file = context.attempt_folder(brief.attempt).join(OPENCODE_FILE);
    let Some(settings) = with_plugin(own.unwrap_or("{}"), &file.to_string_lossy()) else {
        tracing::warn!(
            "could not add the plugin of dbs to {OPENCODE_SETTINGS}, which is not JSON; the screen of opencode is read instead"
        );
        return;
    };
    let program = Value::from(context.program.to_string_lossy().into_owned());
    let continued = brief.session.as_ref();
    let continued = continued.map(|session| json!({ "session": session, "prompt": prompt }));
    line.files.push(PrivateFile {
        name: OPENCODE_FILE.to_owned(),
        text: OPENCODE
            .replace(PROGRAM, &program.to_string())
            .replace(DENIED, &denied(rules).to_string())
            .replace(CONTINUED, &Value::from(continued).to_string()),
    });
    line.env.push((OPENCODE_SETTINGS.to_owned(), settings));
}

/// Returns what rules deny as permissions of opencode: its settings may allow things about which it then never asks. Patterns of both mean
/// the same. The names end with a wildcard, so that they stand beside the same permissions in the person's settings.
fn denied(rules: &[PermissionRule]) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for rule in denials(rules) {
        let name = match rule.tool.as_str() {
            "run" => "bash*",
            "edit" => "edit*",
            "read" => "read*",
            "fetch" => "webfetch*",
            "*" => "*",
            _ => continue,
        };
        let patterns = all.entry(name).or_insert_with(|| json!({}));
        if let Some(patterns) = patterns.as_object_mut() {
            patterns.insert(rule.pattern.clone(), json!("deny"));
        }
    }
    Value::Object(all)
}

/// Returns settings of opencode with a plugin added; `None` if they are not understood.
fn with_plugin(settings: &str, file: &str) -> Option<String> {
    let mut settings: Value = serde_json::from_str(settings).ok()?;
    let plugins = settings
        .as_object_mut()?
        .entry("plugin")
        .or_insert_with(|| json!([]));
    plugins.as_array_mut()?.push(Value::from(file));
    Some(settings.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::environment::PersonEnv;
    use super::super::kind::tests::{brief, context};
    use super::*;
    use crate::formats::permissions::read_setting;

    fn added(own: Option<&str>, session: Option<&str>) -> LaunchCommand {
        let own = own.map(|text| (OPENCODE_SETTINGS.to_owned(), text.to_owned()));
        let context = LaunchContext {
            person: PersonEnv::new(own),
            ..context()
        };
        let (rules, _) =
            read_setting("deny run git push*; deny edit .git/*; allow run make; deny run m*; ask").unwrap();
        let mut line = LaunchCommand::default();
        let brief = Brief {
            session: session.map(str::to_owned),
            ..brief()
        };
        add(
            ToolPlugin::Opencode,
            &context,
            &brief,
            "go \"on\"",
            &rules,
            &mut line,
        );
        line
    }

    #[test]
    fn the_plugin_calls_this_program_and_is_named_beside_the_plugins_of_the_person() {
        for (own, plugins) in [
            (None, json!([])),
            (Some(r#"{"theme":"x"}"#), json!([])),
            (Some(r#"{"theme":"x","plugin":["mine"]}"#), json!(["mine"])),
        ] {
            let line = added(own, None);
            let settings: Value = serde_json::from_str(&line.env[0].1).unwrap();
            let mut named = settings["plugin"].as_array().unwrap().clone();
            let ours = named.pop().unwrap();
            assert!(ours.as_str().unwrap().ends_with(OPENCODE_FILE), "{ours}");
            assert_eq!(Value::from(named), plugins);
            assert_eq!(settings.get("theme").is_some(), own.is_some());
            let text = &line.files[0].text;
            assert!(text.contains("const PROGRAM = \"/opt/dbs/bin/dbs\""), "{text}");
            let denied = r#"const DENIED = {"bash*":{"git push*":"deny"},"edit*":{".git/*":"deny"}}"#;
            assert!(text.contains(denied), "{text}");
        }
    }

    #[test]
    fn the_prompt_of_a_session_that_is_continued_is_given_by_the_plugin() {
        let text = |session| added(None, session).files.remove(0).text;
        assert!(text(None).contains("const CONTINUED = null"));
        let continued = r#"const CONTINUED = {"session":"ses_1","prompt":"go \"on\""}"#;
        assert!(text(Some("ses_1")).contains(continued), "{}", text(Some("ses_1")));
    }

    #[test]
    fn settings_of_the_person_that_are_not_understood_stay_as_they_are() {
        for odd in ["// mine", "[]", r#"{"plugin":"x"}"#] {
            assert_eq!(added(Some(odd), None), LaunchCommand::default(), "{odd}");
        }
    }
}
