//! Two real agents of different vendors in one pipeline: Codex reviews what Claude Code wrote, by one line of configuration.

use std::path::Path;

use crate::codex_pipeline::prepare;
use crate::driver::Story;
use crate::lab::{KEY, installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, create, file_in_base, server_program, start, write_person_settings};
use crate::resuming::meta;

/// The name of the program that an attempt was started with.
fn program(story: &Story, attempt: u64) -> String {
    let argv = meta(story, attempt)["argv"].clone();
    let program = Path::new(argv[0].as_str().unwrap());
    program.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn codex_reviews_what_claude_wrote_to_the_merge_by_one_line_of_configuration() {
    reviewed_by_codex("roles.reviewer.agent");
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn codex_works_at_the_stage_that_names_it_though_its_role_is_played_by_claude() {
    reviewed_by_codex("stages.reviewing.agent");
}

/// Lets Claude Code play all roles but for this one setting, and looks that Codex reviewed.
fn reviewed_by_codex(setting: &str) {
    installed("claude");
    installed("codex");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure(
        "[roles.developer]\nagent = \"claude\"\npermissions = \"allow\"\n\
                     [roles.reviewer]\nagent = \"claude\"\n",
    );
    write_person_settings(&story);
    if prepare(&story, &model).is_none() {
        return;
    }
    story.dbs(&["config", setting, "codex"]);
    let mut server = server_program(&story, &model);
    server
        .env("CODEX_HOME", story.root().join("codex"))
        .env("OPENAI_API_KEY", KEY);
    let _server = start(&story, server);
    create(&story, "t-1", "two_tools_work");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    assert_eq!(
        (program(&story, 1).as_str(), program(&story, 2).as_str()),
        ("claude", "codex")
    );
    let reviewed = model.requests_for("two_tools_review");
    let last = reviewed.last().unwrap().body.to_string();
    assert!(
        last.contains("written by one tool"),
        "it read what was written: {last}"
    );
    let of_writer = model.requests_for("two_tools_work");
    assert!(
        reviewed
            .iter()
            .all(|request| request.path.ends_with("/responses"))
            && of_writer.iter().all(|request| request.path.contains("/messages")),
        "each tool spoke to its own interface"
    );
}
