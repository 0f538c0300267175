//! The whole program with the real Codex in its sandbox: it commits in its worktree, reports through the inbox, and goes on with its
//! session after it was killed.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use crate::driver::{Server, Story};
use crate::lab::{KEY, installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, create, file_in_base, path_with};
use crate::resuming::{kill_at_once, meta, runs};

/// A project whose developers are Codex, and its running server; none when it is not installed here or cannot build its sandbox.
fn story(settings: &str) -> Option<(Story, ModelServer, Server)> {
    let codex = installed("codex")?;
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure(&format!("[roles.developer]\nagent = \"codex\"\n{settings}"));
    write_person_settings(&story, &model);
    if !has_sandbox(&story) {
        // Print macros are not heard from a test that passes.
        let said = b"skipped: Codex cannot build its sandbox here\n";
        std::io::stderr().write_all(said).unwrap();
        return None;
    }
    let mut server = story.program(&["server"]);
    server
        .env("PATH", path_with(&codex))
        .env("CODEX_HOME", story.root().join("codex"))
        .env("OPENAI_API_KEY", KEY)
        .env("HTTPS_PROXY", model.url())
        .env("NO_PROXY", "127.0.0.1,localhost");
    let said = fs::File::create(story.root().join("server.log")).unwrap();
    let server = Server(server.stdout(Stdio::null()).stderr(said).spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    Some((story, model, server))
}

/// What a person has who used Codex here before. The folders for temporary files, in one of which the story lies, are closed, so that
/// only what this program names is open.
fn write_person_settings(story: &Story, model: &ModelServer) {
    let folder = story.root().join("codex");
    fs::create_dir(&folder).unwrap();
    let settings = format!(
        "model = \"gpt-6-sol\"\nmodel_provider = \"scripted\"\n\
         [analytics]\nenabled = false\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n\
         [sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n\
         [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{}/v1\"\nenv_key = \"OPENAI_API_KEY\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\n",
        story.project().display(),
        model.url()
    );
    fs::write(folder.join("config.toml"), settings).unwrap();
}

/// Whether this machine lets Codex build its sandbox; a container may not.
fn has_sandbox(story: &Story) -> bool {
    let codex = installed("codex").unwrap();
    let mut probe = story.outside(codex.to_str().unwrap());
    probe.env("CODEX_HOME", story.root().join("codex"));
    probe.args(["sandbox", "-c", "sandbox_mode=\"workspace-write\"", "--", "true"]);
    probe.output().unwrap().status.success()
}

#[test]
fn a_task_is_done_by_codex_in_its_sandbox_and_merged() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_work");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let argv = meta(&story, 1)["argv"].to_string();
    assert!(!argv.contains("dangerously"), "{argv}");
    let status = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing is written into the repository");
}

#[test]
fn codex_stays_in_its_sandbox_where_everything_is_allowed() {
    let Some((story, model, _server)) = story("permissions = \"allow\"\n") else {
        return;
    };
    create(&story, "t-1", "codex_work");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let argv = meta(&story, 1)["argv"].to_string();
    assert!(
        argv.contains("\"never\"") && argv.contains("\"workspace-write\"") && !argv.contains("dangerously"),
        "{argv}"
    );
}

#[test]
fn codex_goes_on_with_its_session_after_it_was_killed() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_killed");
    story.wait_until("the first start", || story.attempt(1).join("meta.json").exists());
    let half = || {
        let folder = meta(&story, 1)["cwd"].as_str().unwrap().to_owned();
        fs::read_to_string(format!("{folder}/half.txt")).is_ok()
    };
    story.wait_until("the call of the tool", half);
    let agent = i32::try_from(meta(&story, 1)["child"]["pid"].as_u64().unwrap()).unwrap();
    kill_at_once(agent);
    story.wait_until("the next start", || story.attempt(2).join("meta.json").exists());
    assert!(!runs(agent));
    assert_eq!(meta(&story, 2)["argv"][1], "resume");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "whole.txt"));
    let asked = model.requests_for("codex_killed");
    let last = asked.last().unwrap().body.to_string();
    for said in ["I make half of it.", "You were interrupted"] {
        assert!(last.contains(said), "the model sees what was said before: {said}");
    }
}
