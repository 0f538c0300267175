//! A workspace that is ready to work: it has the ignored file that a project needs and a setup, and nothing else of the person's checkout.

use std::fs;

use crate::kinds::{create, server, story};

const GATE: &str = r#". ./.env && test "$KEY" = here && test -e .env.made && for up in .. ../.. ../../.. ../../../..; do test ! -e $up/node_modules || exit 9; done"#;

#[test]
fn agents_and_gates_have_the_ignored_file_and_the_setup_but_no_packages_of_the_checkout() {
    let kind = "start = [\"work\", \"{prompt}\"]\n";
    let story = story(
        kind,
        "pwd > \"$ROOT/place\"; cat .env .env.made > \"$ROOT/seen\"\n$WORK",
    );
    let project = story.project();
    fs::write(project.join(".gitignore"), ".env*\nnode_modules/\n").unwrap();
    fs::write(project.join(".worktreeinclude"), ".env\n").unwrap();
    story.git(&project, &["add", ".gitignore", ".worktreeinclude"]);
    story.git(&project, &["commit", "-q", "-m", "Ignore"]);
    story.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    fs::write(project.join(".env"), "KEY=here\n").unwrap();
    fs::create_dir_all(project.join("node_modules/dep")).unwrap();
    story.configure(&format!(
        "[workspace]\nsetup = [\"test -e .env\", \"echo made > .env.made\"]\n[gates]\nready = '{GATE}'\n"
    ));
    let _server = server(&story);
    create(&story);
    story.wait_until("the merge", || story.count("done") == 1);
    assert_eq!(
        fs::read_to_string(story.root().join("seen")).unwrap(),
        "KEY=here\nmade\n"
    );
    let place = fs::read_to_string(story.root().join("place")).unwrap();
    assert!(place.starts_with(story.worktrees().to_str().unwrap()), "{place}");
    let made = story.git(&story.origin(), &["show", "--stat", "work:"]);
    assert!(made.contains("made.txt") && !made.contains(".env"), "{made}");
}
