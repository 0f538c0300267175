//! A door is a module that may read clocks, start processes or threads, or look at the environment. `clippy.toml` bans these everywhere; a
//! door lifts the ban with `expect(clippy::disallowed_methods, reason = "...")`. Doors are allowed only in the layers that touch the
//! outside world, and each is a row of the table of doors in docs/architecture.md.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;

use super::source::{Finding, SourceFile, is_punct};

/// Layers that may have doors; everything above them gets time, randomness and paths as arguments.
const WITH_DOORS: &[&str] = &["engine", "adapters", "app", "main"];

/// Doors in rooms without other doors: a constructor that does not reach outside, and the arguments and environment of the process.
const INNER_DOORS: &[&str] = &["crates/term/src/vt100_emulator.rs", "src/config/process_env.rs"];

/// Doors in the wrong place, without a reason, or not in the table of `architecture`; and rows without a door.
pub(crate) fn check(files: &[SourceFile], architecture: &str) -> Vec<Finding> {
    let listed = listed(architecture);
    let mut findings = Vec::new();
    let mut open = BTreeSet::new();
    for file in files {
        let doors = doors(&file.shipped);
        if let Some((line, _)) = doors.first() {
            open.insert(file.path.clone());
            if !listed.contains(&file.path) {
                findings.push(file.finding(*line, "a door that docs/architecture.md does not list"));
            }
        }
        findings.extend(doors.iter().flat_map(|(line, text)| wrong(file, *line, text)));
    }
    findings.extend(listed.difference(&open).map(|path| Finding {
        file: "docs/architecture.md".to_owned(),
        line: 1,
        text: format!("lists the door {path}, which is none"),
    }));
    findings
}

/// The paths in the first column of the table below the heading "Doors".
fn listed(architecture: &str) -> BTreeSet<String> {
    let section = architecture
        .split("\n## ")
        .find(|section| section.starts_with("Doors\n"))
        .unwrap_or_default();
    let cell = |line: &str| {
        line.strip_prefix("| `")
            .and_then(|line| Some(line.split_once('`')?.0.to_owned()))
    };
    section.lines().filter_map(cell).collect()
}

fn wrong(file: &SourceFile, line: usize, text: &str) -> Vec<Finding> {
    let layer = file.module().first().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    if !WITH_DOORS.contains(&layer.as_str()) && !INNER_DOORS.contains(&file.path.as_str()) {
        findings.push(file.finding(line, format!("`{layer}` may have no door to the outside")));
    }
    if !text.contains("reason=\"") {
        findings.push(file.finding(line, "a door says in its `reason` what it is for"));
    }
    findings
}

/// The lines and texts of the attributes that lift the ban, at any depth.
fn doors(tokens: &[TokenTree]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_attribute = before.is_some_and(|before| is_punct(before, '#') || is_punct(before, '!'));
        let text = group.to_string().replace(char::is_whitespace, "");
        if is_attribute && text.starts_with("[expect(") && text.contains("clippy::disallowed_methods") {
            found.push((group.span().start().line, text));
        } else {
            found.extend(doors(&group.stream().into_iter().collect::<Vec<_>>()));
        }
    }
    found
}

#[cfg(test)]
fn planted(path: &str, attribute: &str, listed: &str) -> usize {
    let architecture =
        format!("# A\n\n## Doors\n\n| door | why |\n|---|---|\n| `{listed}` | it |\n\n## More\n\n| `x` |\n");
    check(
        &[SourceFile::parse(
            path,
            &format!("//! Doc.\n{attribute}\nfn f() {{}}"),
        )],
        &architecture,
    )
    .len()
}

#[test]
fn a_planted_door_in_a_pure_layer_is_found() {
    let door = "#[expect(clippy::disallowed_methods, reason = \"the clock\")]";
    assert_eq!(planted("src/domain/task.rs", door, "src/domain/task.rs"), 1);
    assert_eq!(planted("src/adapters/clock.rs", door, "src/adapters/clock.rs"), 0);
    assert_eq!(
        planted(
            "src/ui/board.rs",
            &format!("mod inner {{ {door} fn g() {{}} }}"),
            "src/ui/board.rs"
        ),
        1
    );
}

#[test]
fn a_planted_door_without_a_reason_is_found() {
    let door = "#![expect(clippy::disallowed_methods)]";
    assert_eq!(planted("src/adapters/clock.rs", door, "src/adapters/clock.rs"), 1);
}

#[test]
fn a_planted_door_that_is_not_listed_and_a_listed_one_that_is_none_are_found() {
    let door = "#![expect(unused, clippy::disallowed_methods, reason = \"the clock\")]";
    assert_eq!(planted("src/adapters/clock.rs", door, "src/adapters/clock.rs"), 0);
    assert_eq!(planted("src/adapters/clock.rs", door, "src/adapters/watch.rs"), 2);
    assert_eq!(planted("src/adapters/clock.rs", "", "src/adapters/clock.rs"), 1);
}
