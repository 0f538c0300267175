//! Tests of `src/adapters/agents/permissions.rs`.

use super::*;
use std::fs;

use super::super::{AgentTool, AgentsByRole, ClaudeAgent, RoleAgent, RoleOptions, kind, prompt};
use crate::domain::{AskChannel, Verdict, Workplace};
use crate::formats::permissions::read_setting;
use crate::formats::prompt::{PromptError, PromptLibrary};
use crate::read_model::settled_attempt;
use parking_lot::RwLock;
use std::sync::Arc;

/// Claude Code in every role, with that setting.
fn agents(setting: &str) -> LocalAgents {
    let (rules, permissions) = read_setting(setting).unwrap_or_default();
    let options = RoleOptions {
        permissions,
        rules,
        ..RoleOptions::default()
    };
    let tool = AgentTool::Claude(ClaudeAgent);
    LocalAgents {
        kinds: RwLock::new(AgentsByRole {
            default: Some(RoleAgent { tool, options }),
            ..AgentsByRole::default()
        }),
        context: kind::tests::context(),
        may_start: Arc::new(|_, _| Ok(())),
        prompts: prompt::in_temporary_folder(),
    }
}

fn answered(agents: &LocalAgents, kind: AskKind, wanted: Option<&ToolUse>) -> Option<(String, AskReply)> {
    let ask = Ask {
        id: "k".into(),
        kind,
        text: "anything".to_owned(),
        options: Vec::new(),
        channel: AskChannel::Request,
    };
    let mut attempt = settled_attempt(1, "development", 0, 1, Verdict::Passed);
    attempt.workplace = Some(Workplace {
        path: "/w".to_owned(),
        branch: None,
        start: None,
        start_tree: None,
        git_overrides: None,
    });
    agents.answer_rule(&attempt, &ask, wanted)
}

fn run(command: &str) -> ToolUse {
    ToolUse {
        tool: "Bash".to_owned(),
        action: ToolAction::Run(command.to_owned()),
    }
}

#[test]
fn rules_of_the_settings_stand_before_those_of_the_role_and_the_policy_behind() {
    let agents = agents("allow run git push origin HEAD; allow");
    let on = |command: &str| answered(&agents, AskKind::Permission, Some(&run(command)));
    let (by, reply) = on("git push origin HEAD").unwrap();
    assert_eq!(
        by,
        "roles.developer.permissions (`allow run git push origin HEAD`)"
    );
    assert_eq!(reply, AskReply::Allow);
    let (by, reply) = on("git push origin main").unwrap();
    assert_eq!(by, "role developer (`deny run git push*`)");
    assert!(matches!(reply, AskReply::Deny(why) if why.contains("does not allow it")));
    let by_policy = ("roles.developer.permissions".to_owned(), AskReply::Allow);
    assert_eq!(on("for i in 1 2; do make; done"), Some(by_policy));
}

#[test]
fn questions_and_plans_are_never_answered_by_a_rule() {
    let agents = agents("allow * *; allow");
    for kind in [AskKind::Question, AskKind::Plan, AskKind::Dialog] {
        assert_eq!(answered(&agents, kind, Some(&run("make"))), None, "{kind:?}");
    }
    assert!(answered(&agents, AskKind::Permission, Some(&run("make"))).is_some());
}

#[test]
fn without_roles_that_can_be_read_a_person_is_asked() {
    let mut agents = agents("allow * *; allow");
    agents.prompts.library = Arc::new(|| Err::<PromptLibrary, _>(PromptError::TooLong(1)));
    assert_eq!(answered(&agents, AskKind::Permission, Some(&run("make"))), None);
}

#[test]
fn what_is_to_be_done_must_be_known_to_be_allowed() {
    assert_eq!(answered(&agents("allow"), AskKind::Permission, None), None);
    assert_eq!(
        answered(&agents("ask"), AskKind::Permission, Some(&run("make"))),
        None
    );
}

fn edit(path: &str) -> ToolUse {
    ToolUse {
        tool: "Edit".to_owned(),
        action: ToolAction::Edit(path.to_owned()),
    }
}

#[test]
fn a_path_is_seen_from_the_folder_and_where_links_lead_it() {
    let outside = tempfile::tempdir().unwrap();
    let around = tempfile::tempdir().unwrap();
    let folder = around.path().join("tree");
    fs::create_dir_all(folder.join("src")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.join("out")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", folder.join("lost")).unwrap();
    let away = outside.path().canonicalize().unwrap().join("x");
    let away = away.to_string_lossy().into_owned();
    let whole = folder.join("src/new/x.rs");
    let inside = |path: &str| vec![path.to_owned(), path.to_owned()];
    for (path, expected) in [
        ("src/x.rs", inside("src/x.rs")),
        (whole.to_str().unwrap(), inside("src/new/x.rs")),
        ("src/../y", inside("y")),
        ("out/x", vec!["out/x".to_owned(), away]),
        ("lost/x", vec![]),
        ("none/../../x", vec![]),
        ("/etc/passwd", inside("/etc/passwd")),
    ] {
        assert_eq!(places(&folder, &edit(path)), expected, "{path}");
    }
    let up = places(&folder, &edit("../x"));
    assert!(up.iter().all(|path| path.starts_with('/')), "{up:?}");
}
