//! Tests of `src/adapters/agents/prompt.rs`.

use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_prompt_is_written_whole_and_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = prompt_file(folder.path(), AttemptId(7));
    for text in ["first", "second"] {
        write_private(&file, text).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let around = fs::metadata(file.parent().unwrap()).unwrap();
    assert_eq!(around.permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_prompt_too_long_for_an_argument_is_named_by_its_file() {
    let prompt = |length| WrittenPrompt {
        text: "x".repeat(length),
        file: "/attempts/7/prompt.md".into(),
    };
    assert_eq!(prompt(LONGEST_ARGUMENT).argument().len(), LONGEST_ARGUMENT);
    let long = prompt(LONGEST_ARGUMENT + 1).argument();
    assert!(
        long.contains("/attempts/7/prompt.md") && long.len() < 200,
        "{long}"
    );
}

#[test]
fn an_agent_calls_the_program_by_its_name_only_where_that_leads_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("my dbs");
    fs::write(&program, "").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let word = |path: &str| program_word(&program, folder.path(), path);
    assert_eq!(word("/nowhere"), format!("'{}'", program.display()));
    let link = folder.path().join("dbs");
    std::os::unix::fs::symlink(&program, &link).unwrap();
    assert_eq!(word(&folder.path().to_string_lossy()), "dbs");
    fs::remove_file(&link).unwrap();
    fs::copy(&program, &link).unwrap();
    assert_eq!(
        word(&folder.path().to_string_lossy()),
        format!("'{}'", program.display())
    );
}
