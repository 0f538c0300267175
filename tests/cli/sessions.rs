//! Sessions from anywhere: by name, by folder, or the last one; an interrupted session comes back.
#![cfg(unix)]

use std::io::Write as _;
use std::process::Stdio;

use crate::completing::offered;
use crate::shop::Shop;
use crate::waiting::Program;

/// Attaches with typed lines, from a folder outside of any project, and leaves.
fn attach(shop: &Shop, name: &[&str]) -> (i32, String) {
    let arguments = [&["attach", "--plain"], name].concat();
    let mut command = shop.command(&shop.git.root(), &arguments);
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = Program::begin(piped);
    // A refused client does not read the line.
    drop(program.stdin().write_all(b"quit\n"));
    let said = program.output();
    let text = [said.stdout, said.stderr].concat();
    (said.status.code().unwrap(), String::from_utf8(text).unwrap())
}

fn folder(shop: &Shop) -> String {
    shop.git.project().to_str().unwrap().to_owned()
}

#[test]
fn a_session_is_found_by_its_name_by_its_folder_and_because_somebody_was_there_last() {
    let mut shop = Shop::new();
    assert_eq!(attach(&shop, &[]).0, 1, "there is no session yet");
    shop.serve();
    let root = folder(&shop);
    shop.does(&["config", "session.name", "till"]);
    for name in [&[][..], &["till"], &[root.as_str()]] {
        let (code, said) = attach(&shop, name);
        assert_eq!(code, 0, "{name:?}: {said}");
        assert!(said.contains(&format!("Project till in {root}")), "{said}");
    }
    let (code, said) = attach(&shop, &["project"]);
    assert_eq!(code, 1, "the folder name no longer finds the session: {said}");
    let said = shop.run_in(&shop.git.root(), &["--plain"]);
    assert!(said.err.contains("`dbs attach`"), "{said:?}");
    let listed = shop.json(&["sessions", "--json"]);
    assert_eq!(listed[0]["name"], "till");
    assert!(shop.does(&["sessions"]).starts_with("till "));
    assert_eq!(offered(&shop, &shop.git.root(), &["dbs", "attach", ""]), ["till"]);
}

#[test]
fn of_two_sessions_with_one_name_none_is_guessed_and_one_that_was_cut_off_comes_back() {
    let mut shop = Shop::new();
    shop.serve();
    let mut other = shop.beside();
    other.serve();
    let sessions = || shop.json(&["sessions", "--json"]).as_array().unwrap().len();
    assert_eq!(sessions(), 2);
    let (code, said) = attach(&shop, &["project"]);
    let (here, there) = (folder(&shop), folder(&other));
    assert_eq!(code, 1);
    assert!(said.contains(&here) && said.contains(&there), "{said}");
    other.kill();
    assert_eq!(sessions(), 1);
    let listed = shop.does(&["sessions"]);
    assert!(listed.contains(&format!("cut off, {there}")), "{listed}");
    assert!(attach(&shop, &["project"]).1.contains("2 sessions"));
    let (code, said) = attach(&shop, &[&there]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&there), "{said}");
    assert_eq!(sessions(), 2, "the server is back");
    // The last session of the person.
    assert!(attach(&shop, &[]).1.contains(&format!("in {there}")));
    assert_eq!(attach(&shop, &[&here]).0, 0);
    assert!(attach(&shop, &[]).1.contains(&format!("in {here}")));
}
