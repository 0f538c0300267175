//! Tests of what `docs/agents.md` says of these tests.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::behaviours::sources;

fn text(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("readable")
}

#[test]
fn the_document_names_the_versions_that_are_installed() {
    let document = text("docs/agents.md");
    let package: Value = serde_json::from_str(&text(".ci/agents/package.json")).expect("JSON");
    let versions = package["dependencies"].as_object().expect("dependencies");
    assert_eq!(versions.len(), 3);
    for (name, version) in versions {
        let version = version.as_str().expect("a version");
        assert!(
            document.contains(version),
            "docs/agents.md does not name {name} {version}"
        );
    }
}

#[test]
fn every_test_that_the_document_names_is_there() {
    let document = text("docs/agents.md");
    let elsewhere = [
        "src/adapters/agents/claude.rs",
        "src/adapters/agents/claude/settings.rs",
        "src/adapters/agents/claude/transcript.rs",
        "src/adapters/agents/described.rs",
        "src/adapters/agents/hook.rs",
        "src/adapters/agents/limit_words.rs",
        "src/adapters/agents/permissions/tests.rs",
        "src/adapters/agents/screen_rules.rs",
        "src/server/terminals/hub/agent_watch/tests/screens.rs",
        "src/server/terminals/hub/typing.rs",
        "tests/agent_state/protocol_types.rs",
        "tests/domain/asks.rs",
        "tests/domain/budget.rs",
        "tests/domain/failing.rs",
        "tests/domain/filling.rs",
        "tests/domain/unable.rs",
        "tests/e2e/activity.rs",
        "tests/e2e/kinds.rs",
        "tests/e2e/protocol.rs",
        "tests/engine/continuing.rs",
        "tests/engine/filling.rs",
        "tests/ui/answering.rs",
    ];
    let sources = sources("tests/agents") + &elsewhere.map(text).concat();
    let rows = document.lines().filter(|line| line.starts_with('|'));
    let last = rows.filter_map(|line| line.trim_end_matches('|').rsplit('|').next());
    let names = last.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let names: Vec<&str> = names.filter(|name| !name.contains(['/', '.'])).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(
            sources.contains(&format!("fn {name}(")),
            "there is no test {name}"
        );
    }
}
