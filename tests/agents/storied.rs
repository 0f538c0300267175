//! A story with the real Claude Code: one session writes its tests, another its code, and what they say in their output has no effect.

use std::fs;

use crate::driver::Story;
use crate::lab::{installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, file_in_base, serve, write_person_settings};

const PRD: &str = r#"{"userStories":[
  {"id":"US-001","title":"Story one","description":"Something that can be done. [[script:story_work]]","acceptanceCriteria":["It works"],"priority":1},
  {"id":"US-002","title":"Story two","description":"Something else that can be done.","acceptanceCriteria":["It works"],"priority":2}]}
"#;

/// Prints like pytest, and passes once the work is there.
const RUNNER: &str = "if [ -e done/US_001.txt ]; then echo '=== 1 passed in 0.01s ==='; else echo 'FAILED t::a - assert 1 == 2'; echo '=== 1 failed in 0.01s ==='; exit 1; fi\n";

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_story_is_tested_first_built_and_recorded_by_claude_and_no_line_of_its_output_counts() {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    write_person_settings(&story);
    let folder = story.project();
    fs::create_dir_all(folder.join("prds")).unwrap();
    fs::write(folder.join("prds/001-FEAT-shop.json"), PRD).unwrap();
    fs::write(folder.join("pytest"), RUNNER).unwrap();
    story.configure(
        "[roles.test-author]\nagent = \"claude\"\npermissions = \"allow\"\nmodel = \"opus\"\n[roles.implementer]\nagent = \"claude\"\npermissions = \"allow\"\n\
         model = \"opus\"\n[atdd]\ntest_cmd = \"sh ./pytest {file}\"\nsuite_cmd = \"\"\n",
    );
    // The key in the project's folder must not come into a commit of an agent's work.
    story.git(&folder, &["add", "prds", "pytest"]);
    story.git(&folder, &["commit", "-qm", "Stories"]);
    story.git(&folder, &["push", "-q", "origin", "main:work", "main"]);
    fs::write(folder.join(".env"), "KEY=hidden\n").unwrap();
    let _server = serve(&story, &model);
    story.dbs(&["atdd", "run"]);
    story.wait_until("the first story", || {
        story.count("done") == 1 || story.count("held") > 0
    });
    assert_eq!(story.count("done"), 1, "{}", story.dbs(&["task", "list"]));
    let history = story.git(&story.origin(), &["show", "work:history.md"]);
    for line in [
        "Story US-001 Complete",
        "- **Tests:** 1/1 passed",
        // The name that the tool reports, not the one that the settings ask for.
        "- **Model:** claude-opus-",
    ] {
        assert!(history.contains(line), "{line}: {history}");
    }
    assert!(
        !history.contains("US-002"),
        "text in the output has no effect: {history}"
    );
    assert!(file_in_base(&story, "tests/test_US_001.py") && file_in_base(&story, "done/US_001.txt"));
    assert!(!file_in_base(&story, ".env"));
    let requests = model.requests_for("story_work");
    // Each role has its own prompt, with what the role is given to read.
    for role in ["Test author", "Implementer"] {
        let is_it =
            |text: &str| text.contains(&format!("{role}: task US-001")) && text.contains(" of 15000 tokens");
        assert!(
            requests.iter().any(|request| is_it(&request.body.to_string())),
            "{role}"
        );
    }
    story.dbs(&["stop", "--all"]);
}
