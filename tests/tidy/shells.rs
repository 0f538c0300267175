//! No script of ours runs at run time: there is no script among the shipped files, and a shell is started only where a person's own command
//! or terminal needs one.

use std::collections::BTreeSet;

use proc_macro2::TokenTree;

use super::source::{Finding, SourceFile, TextFile};

/// Programs that run the commands of another text.
const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "fish",
    "cmd",
    "cmd.exe",
    "powershell",
    "pwsh",
    "/bin/sh",
    "/bin/bash",
];

/// Extensions of scripts.
const SCRIPTS: &[&str] = &["sh", "bash", "zsh", "fish", "bat", "cmd", "ps1"];

/// Files that name a shell: gates are command lines of a person, a new pane contains a person's shell, and the other files only know the
/// names.
const WITH_SHELLS: &[&str] = &[
    "src/adapters/gates/shell.rs",
    "src/config/session_setup.rs",
    "src/adapters/program.rs",
    "src/config/trust/scripts.rs",
    "crates/domain/src/telling_line.rs",
    "crates/domain/src/missing_part.rs",
    "crates/formats/src/plan/document.rs",
];

/// Scripts among the shipped files, shells where none may start, and listed files that name no shell.
pub(crate) fn check(source: &[SourceFile], texts: &[TextFile]) -> Vec<Finding> {
    let shipped = texts.iter().filter(|file| {
        ["src/", "crates/", "assets/"]
            .iter()
            .any(|folder| file.path.starts_with(folder))
    });
    let mut findings: Vec<Finding> = shipped.filter(|file| is_script(file)).map(script).collect();
    let mut naming = BTreeSet::new();
    for file in source {
        let mut lines = Vec::new();
        named_shells(&file.shipped, &mut lines);
        if WITH_SHELLS.contains(&file.path.as_str()) {
            naming.extend((!lines.is_empty()).then_some(file.path.as_str()));
        } else {
            let found = |line: &usize| file.finding(*line, "names a shell");
            findings.extend(lines.iter().map(found));
        }
    }
    let unused = WITH_SHELLS.iter().filter(|path| !naming.contains(*path));
    findings.extend(unused.map(|path| Finding {
        file: (*path).to_owned(),
        line: 1,
        text: "may name a shell and names none".to_owned(),
    }));
    findings
}

fn is_script(file: &TextFile) -> bool {
    let ending = file.path.rsplit('.').next().unwrap_or_default();
    let is_rust = ending == "rs";
    SCRIPTS.contains(&ending) || (!is_rust && file.text.starts_with("#!"))
}

fn script(file: &TextFile) -> Finding {
    Finding {
        file: file.path.clone(),
        line: 1,
        text: "is a script".to_owned(),
    }
}

/// Lines of string literals that are the name of a shell.
fn named_shells(tokens: &[TokenTree], lines: &mut Vec<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                named_shells(&group.stream().into_iter().collect::<Vec<_>>(), lines);
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let text = text
                    .trim_start_matches(['b', 'c', 'r', '#'])
                    .trim_end_matches('#');
                if SHELLS.contains(&text.trim_matches('"')) && text.starts_with('"') {
                    lines.push(literal.span().start().line);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[test]
fn no_script_is_shipped_and_a_shell_is_started_only_for_a_persons_own_words() {
    let file = |path: &str, text: &str| TextFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let source = |path: &str, text: &str| SourceFile::parse(path, text);
    let allowed: Vec<SourceFile> = WITH_SHELLS
        .iter()
        .map(|path| source(path, "//! Doc.\nfn f() { g(\"sh\"); }"))
        .collect();
    let said = |source: &[SourceFile], texts: &[TextFile]| -> Vec<String> {
        check(source, texts).iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        said(
            &allowed,
            &[file("assets/a.toml", "x"), file(".ci/run", "#!/bin/sh")]
        ),
        [""; 0]
    );
    let planted = [file("assets/hook.sh", ""), file("src/start", "#!/bin/sh\n")];
    assert_eq!(said(&allowed, &planted).len(), 2);
    let started = source(
        "src/engine/a.rs",
        "//! Doc.\nfn f() { Command::new(\"/bin/sh\"); }",
    );
    let found = said(&[started], &[]).concat();
    assert!(found.contains("src/engine/a.rs:2"), "{found}");
}
