//! The reference for people: all of its content must be true.

use std::path::Path;

use dbs::formats::scenario::{VARIABLES, read, verbs};

const TEXT: &str = include_str!("../../docs/rehearsal.md");

/// The code blocks of one language, each with its first line number.
fn blocks(language: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = TEXT.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line.starts_with("```") {
            let body: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "```")
                .collect();
            if line == format!("```{language}") {
                blocks.push((at + 1, body.join("\n")));
            }
        }
    }
    blocks
}

#[test]
fn every_scenario_of_the_reference_is_read_without_a_finding() {
    let blocks = blocks("toml");
    assert!(blocks.len() >= 8, "{}", blocks.len());
    for (line, text) in blocks {
        // Lists of steps are blocks of their own in the reference.
        let whole = if text.contains("[[part]]") {
            text
        } else {
            format!("[[part]]\nsteps = [\n{text}\n]")
        };
        let (scenario, diagnostics) = read(Path::new("docs/rehearsal.md"), &whole);
        assert!(
            scenario.is_some() && diagnostics.is_empty(),
            "the block on line {line}: {diagnostics:#?}"
        );
    }
}

#[test]
fn the_reference_knows_only_these_languages() {
    let marks = TEXT
        .lines()
        .filter(|line| line.starts_with("```") && *line != "```");
    let other: Vec<&str> = marks
        .filter(|mark| !["```toml", "```text", "```json"].contains(mark))
        .collect();
    assert_eq!(other, [""; 0]);
    for (line, text) in blocks("json") {
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "the block on line {line}"
        );
    }
}

#[test]
fn the_reference_shows_every_step_and_every_variable() {
    let shown: String = blocks("toml").into_iter().map(|(_, text)| text + "\n").collect();
    for verb in verbs() {
        assert!(shown.contains(&format!("{{ {verb} = ")), "no example of `{verb}`");
        assert!(TEXT.contains(&format!("| `{verb}` |")), "no row for `{verb}`");
    }
    for variable in VARIABLES {
        assert!(
            TEXT.contains(&format!("`{{{variable}}}`")),
            "no row for `{{{variable}}}`"
        );
    }
    for name in [
        "DBS_REHEARSAL_SPEED",
        "DBS_REHEARSAL_ANSWER_AFTER",
        "DBS_ATTEMPT_NUMBER",
        "DBS_INBOX",
    ] {
        assert!(TEXT.contains(name), "{name} is not explained");
    }
}
