//! Start of a recorded session: the task, and a hook that records its calls and waits for the test to answer.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use dbs::adapters::agents::{DescribedAgent, LaunchContext, LiveEnv, PersonEnv};
use dbs::domain::{AgentChoice, AttemptId, AttemptMode, PromptFacts, Timestamp};
use dbs::formats::agent_kind::AgentKinds;
use dbs::ports::agents::Brief;
use serde_json::json;

use crate::lab::Lab;

/// Stands for this program as the hook of a tool: it records the time and the input of each call. A request waits until the test answers it
/// or leaves it to the terminal.
const HOOK: &str = r#"#!/bin/sh
test "$1" = hook || exec cat > /dev/null
name='FOLDER'/$(date +%s%3N)-$$
cat > "$name.part"
mv "$name.part" "$name.call"
grep -q '"hook_event_name":"PermissionRequest"' "$name.call" || exit 0
while test -d 'FOLDER' && ! test -e 'FOLDER/left'; do
    if test -e 'FOLDER/always' || mv 'FOLDER/reply' "$name.reply" 2> /dev/null; then
        test -e "$name.reply" || cp 'FOLDER/always' "$name.reply"
        date +%s%3N > "$name.answered"
        exec cat "$name.reply"
    fi
    sleep 0.05
done
"#;

/// Returns the folder of the calls of hooks.
pub(crate) fn hooks(lab: &Lab) -> PathBuf {
    lab.root().join("hooks")
}

/// Returns the context of a start; the hook of the recording stands for this program.
pub(crate) fn context(lab: &Lab) -> LaunchContext {
    use std::os::unix::fs::PermissionsExt as _;
    let (program, folder) = (lab.root().join("dbs"), hooks(lab));
    fs::create_dir(&folder).unwrap();
    fs::write(&program, HOOK.replace("FOLDER", folder.to_str().unwrap())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    LaunchContext {
        program,
        inherited: LiveEnv::default(),
        person: PersonEnv::new(lab.env()),
        socket: "/s".into(),
        inbox: lab.root().join("inbox"),
        root: lab.project(),
        attempts: lab.root().join("attempts"),
        token: Arc::new(|_, _| String::new()),
    }
}

/// Returns a task for the agent.
pub(crate) fn brief(lab: &Lab) -> Brief {
    Brief {
        attempt: AttemptId(1),
        created_at: Timestamp(1),
        task: "t-1".into(),
        title: "Do it".to_owned(),
        body: String::new(),
        tags: BTreeSet::new(),
        stage: "development".into(),
        role: "developer".into(),
        name: "developer".to_owned(),
        mode: AttemptMode::Fresh,
        n: 1,
        folder: lab.project(),
        branch: "main".to_owned(),
        base: "main".to_owned(),
        finding: None,
        session: None,
        choice: AgentChoice::default(),
        facts: PromptFacts::default(),
        difference: None,
        git_settings: Vec::new(),
    }
}

/// Returns the kind of that name that a file describes.
pub(crate) fn described(name: &str) -> DescribedAgent {
    DescribedAgent(AgentKinds::default().get(name).unwrap().unwrap())
}

/// Allows each request at once, as a rule does.
pub(crate) fn allow_all(lab: &Lab) {
    let yes = json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": { "behavior": "allow" } } });
    fs::write(hooks(lab).join("always"), yes.to_string()).unwrap();
}
