//! First questions of the real Claude Code, which it asks before it reports anything: they are read from its screen, shown in the inbox,
//! and answered by a person.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::driver::{Server, Story};
use crate::lab::{installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, create, file_in_base, server_program, start, write_person_settings};

/// Makes a project of a person who has begun to use Claude Code, trusts the project, and has answered nothing else.
fn newcomer(change: impl FnOnce(&mut Command)) -> (Story, ModelServer, Server) {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure("[roles.developer]\nagent = \"claude\"\npermissions = \"allow\"\n");
    let folder = story.root().join("claude");
    fs::create_dir(&folder).unwrap();
    let project = story.project().display().to_string();
    let settings = json!({
        "hasCompletedOnboarding": true,
        "projects": { project: { "hasTrustDialogAccepted": true } },
    });
    fs::write(folder.join(".claude.json"), settings.to_string()).unwrap();
    let mut program = server_program(&story, &model);
    change(&mut program);
    let server = start(&story, program);
    (story, model, server)
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_first_question_of_claude_is_in_the_inbox_as_its_screen_says_it_until_a_person_types_there() {
    let (story, model, _server) = newcomer(|_| {});
    create(&story, "t-1", "pipeline_work");
    let asks = "Detected a custom API key in your environment: Do you want to use this API key?";
    story.wait_until("its question", || story.dbs(&["status"]).contains(asks));
    let why = || story.dbs(&["why", "t-1", "--sources"]);
    assert!(
        why().contains(&format!("screen: shows a dialog: {asks}")),
        "{}",
        why()
    );
    let refused = story.run(&["approve", "t-1"]);
    assert!(!refused.status.success(), "a first question needs its terminal");
    // No event comes meanwhile: the question gets older by time alone.
    story.wait_until("its age", || !why().contains("waits for a person for 0s"));
    assert!(model.requests_for("pipeline_work").is_empty());
    let tty = story.tty(&["attach"], (140, 50));
    tty.see("NEEDS YOU 1");
    tty.press("C-b a");
    tty.see("Do you want to use this API key?");
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.press("Up");
    tty.see("❯ Yes");
    tty.press("Enter");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_without_a_login_is_said_with_its_words_and_the_command_to_log_in() {
    let without = |program: &mut Command| {
        program.env_remove("ANTHROPIC_API_KEY");
    };
    let (story, _model, _server) = newcomer(without);
    create(&story, "t-1", "pipeline_work");
    story.wait_until("what it needs", || {
        let events = story.dbs(&["events"]);
        events.contains("Not logged in") && events.contains("log in with `/login`")
    });
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn the_folder_trust_of_claude_is_a_dialog_in_the_inbox_and_answered_by_its_entry() {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure("[roles.developer]\nagent = \"claude\"\npermissions = \"allow\"\n");
    write_person_settings(&story);
    let file = story.root().join("claude/.claude.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace(
            "\"hasTrustDialogAccepted\":true",
            "\"hasTrustDialogAccepted\":false",
        ),
    )
    .unwrap();
    let _server = start(&story, server_program(&story, &model));
    create(&story, "t-1", "pipeline_work");
    story.wait_until("the dialog", || story.dbs(&["status"]).contains("trust"));
    let refused = story.run(&["answer", "t-1", "no, do not trust it"]);
    assert!(!refused.status.success(), "the answer names no entry");
    assert!(model.requests_for("pipeline_work").is_empty());
    story.dbs(&["answer", "t-1", "Yes, I trust this folder"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
}
