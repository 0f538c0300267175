//! A door is a module that may read clocks, start processes or threads, or look at the environment. `clippy.toml` bans these
//! everywhere; a door lifts the ban with `expect(clippy::disallowed_methods, reason = "...")`. Doors stand only in the layers
//! that touch the world.

use proc_macro2::TokenTree;

use super::source::{Finding, SourceFile, is_punct};

/// Layers that may have doors; everything above them gets time, randomness and paths as arguments.
const WITH_DOORS: &[&str] = &["engine", "adapters", "app", "main"];

/// Doors of a pure layer that lead to no outside: the ban they lift keeps one constructor in one file.
const INNER_DOORS: &[&str] = &["src/term/vt100_engine.rs"];

/// Doors in the wrong place or without a reason.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Finding> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let layer = file.module().first().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    for (line, text) in doors(&file.shipped) {
        if !WITH_DOORS.contains(&layer.as_str()) && !INNER_DOORS.contains(&file.path.as_str()) {
            findings.push(file.finding(line, format!("`{layer}` may have no door to the outside")));
        }
        if !text.contains("reason=\"") {
            findings.push(file.finding(line, "a door says in its `reason` what it is for"));
        }
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
fn planted(path: &str, attribute: &str) -> usize {
    check(&[SourceFile::parse(
        path,
        &format!("//! Doc.\n{attribute}\nfn f() {{}}"),
    )])
    .len()
}

#[test]
fn a_planted_door_in_a_pure_layer_is_found() {
    let door = "#[expect(clippy::disallowed_methods, reason = \"the clock\")]";
    assert_eq!(planted("src/domain/task.rs", door), 1);
    assert_eq!(planted("src/adapters/clock.rs", door), 0);
    assert_eq!(
        planted("src/ui/board.rs", &format!("mod inner {{ {door} fn g() {{}} }}")),
        1
    );
}

#[test]
fn a_planted_door_without_a_reason_is_found() {
    assert_eq!(
        planted("src/adapters/clock.rs", "#![expect(clippy::disallowed_methods)]"),
        1
    );
}
