//! `dbs atdd` without agents: the created files, the summary of PRDs, and the check of the requirements for stories.

use std::fs;

use serde_json::Value;

use crate::shop::{Said, Shop};

fn put(shop: &Shop, path: &str, text: &str) {
    let file = shop.git.project().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn read(shop: &Shop, path: &str) -> String {
    fs::read_to_string(shop.git.project().join(path)).unwrap()
}

/// The only line of a report about that.
fn line<'a>(said: &'a Said, what: &str) -> &'a str {
    let found: Vec<&str> = said
        .out
        .lines()
        .filter(|line| {
            line.get(8..)
                .is_some_and(|line| line.starts_with(&format!("{what} ")))
        })
        .collect();
    match found.as_slice() {
        [line] => line,
        _ => panic!("{what}: {said:?}"),
    }
}

#[test]
fn documents_are_made_once_and_what_a_person_wrote_stays() {
    let shop = Shop::new();
    put(&shop, ".swanson/standards.md", "Ours.\n");
    let made = shop.does(&["atdd", "init"]);
    for line in [
        "made       .swanson/product-vision.md",
        "made       prds/",
        "was there  .swanson/standards.md",
    ] {
        assert!(made.contains(line), "{line}: {made}");
    }
    assert_eq!(read(&shop, ".swanson/standards.md"), "Ours.\n");
    put(&shop, ".swanson/product-vision.md", "A shop.\n");
    let again = shop.json(&["atdd", "init", "--json"]);
    assert_eq!(
        (&again["made"], &again["replaced"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    assert_eq!(read(&shop, ".swanson/product-vision.md"), "A shop.\n");
    let forced = shop.json(&["atdd", "init", "--force", "--json"]);
    assert_eq!(forced["replaced"].as_array().unwrap().len(), 2, "{forced}");
}

#[cfg(unix)]
#[test]
fn documents_are_not_written_through_a_link() {
    let shop = Shop::new();
    let outside = shop.git.root().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, shop.git.project().join(".swanson")).unwrap();
    let refused = shop.run(&["atdd", "init", "--force"]);
    assert!(
        refused.code == 1 && refused.err.contains("is a link"),
        "{refused:?}"
    );
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert!(
        !shop.git.project().join("prds").exists(),
        "nothing is created if one document cannot be"
    );
}

#[test]
fn what_is_wrong_with_a_prd_of_either_dialect_is_named_by_file_line_and_path() {
    let shop = Shop::new();
    let strict = "{\n  \"type\": \"feature\",\n  \"name\": \"Shop\",\n  \"description\": \"A shop.\",\n  \"userStories\": [\n    { \"id\": \"US-001\",\n      \"acceptanceCriteria\": [\"It works\"], \"description\": \"d\", \"passes\": false }\n  ]\n}\n";
    let template =
        "{ \"userStories\": [\n  { \"id\": \"US-002\", \"title\": \"Two\", \"description\": \"d\" }\n] }\n";
    put(&shop, "prds/001-FEAT-strict.json", strict);
    put(&shop, "prds/002-FEAT-template.json", template);
    let said = shop.run(&["atdd", "check"]);
    assert_eq!(said.code, 1, "{said:?}");
    for (file, path) in [
        ("prds/001-FEAT-strict.json:6", "$.userStories[0].title"),
        (
            "prds/002-FEAT-template.json:2",
            "$.userStories[0].acceptanceCriteria",
        ),
    ] {
        let is_it = |line: &str| line.contains(file) && line.contains(path);
        assert!(said.out.lines().any(is_it), "{file} {path}: {said:?}");
    }
    assert!(
        said.out
            .contains("2 of 2 PRDs cannot be used as it is; .swanson/prd-schema.md"),
        "{said:?}"
    );
    let shown: Value = serde_json::from_str(&shop.run(&["atdd", "check", "--json"]).out).unwrap();
    assert_ne!(shown["prds"][0]["dialect"], shown["prds"][1]["dialect"]);
    assert_eq!(
        shown["prds"][0]["diagnostics"][0]["path"],
        "$.userStories[0].title"
    );
}

#[test]
fn a_queue_that_is_empty_says_so_and_ends_well() {
    let shop = Shop::new();
    shop.does(&["atdd", "init"]);
    let ends_well = |arguments: &[&str]| {
        let said = shop.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {said:?}");
        assert!(said.out.contains("queue empty"), "{arguments:?}: {said:?}");
    };
    let commands: [&[&str]; 4] = [
        &["atdd", "run"],
        &["atdd", "run", "--headless"],
        &["stories", "run", "--resume"],
        &["run", "prds"],
    ];
    commands.into_iter().for_each(ends_well);
    // All stories of the queue are done.
    let done = "{ \"userStories\": [\n  { \"id\": \"US-001\", \"title\": \"The story\", \"description\": \"Something that can be done.\", \"acceptanceCriteria\": [\"It works\"], \"passes\": true }\n] }\n";
    put(&shop, "prds/archive/001-FEAT-old.json", done);
    commands.into_iter().for_each(ends_well);
    put(&shop, "prds/002-FEAT-new.json", &done.replace("US-001", "US-002"));
    commands.into_iter().for_each(ends_well);
    let made = shop.json(&["atdd", "run", "--json"]);
    assert_eq!(made, serde_json::json!({ "batch": "stories", "tasks": [] }));
    // A folder without a queue is an error.
    fs::create_dir_all(shop.git.project().join("docs")).unwrap();
    assert_eq!(shop.run(&["atdd", "run", "docs"]).code, 1);
}

#[test]
fn a_story_is_begun_without_documents_only_with_a_warning() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    let prd = r#"{"userStories":[{"id":"US-001","title":"Health check","description":"The service says how it is.","acceptanceCriteria":["It answers"]}]}"#;
    put(&shop, "prds/001-a.json", prd);
    put(&shop, ".swanson/standards.md", "Ours.\n");
    let project = shop.git.project();
    shop.git.git(&project, &["add", "--all"]);
    shop.git.git(&project, &["commit", "-qm", "Stories"]);
    shop.git.git(&project, &["push", "-q", "origin", "main"]);
    let said = shop.run(&["atdd", "run"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.err
            .contains("agents work without: .swanson/prd-schema.md; `dbs atdd init` makes them"),
        "{said:?}"
    );
}

#[test]
fn a_story_with_the_id_of_one_in_the_archive_is_named_with_the_file_of_its_tests() {
    let shop = Shop::new();
    let text = "{ \"userStories\": [\n  { \"id\": \"US-001\", \"title\": \"The story\", \"description\": \"Something that can be done.\", \"acceptanceCriteria\": [\"It works\"] }\n] }\n";
    put(&shop, "prds/archive/001-FEAT-old.json", text);
    put(&shop, "prds/archive/002-broken.json", "{");
    put(&shop, "prds/003-FEAT-new.json", text);
    let said = shop.run(&["atdd", "check", "--strict"]);
    let wanted = "prds/003-FEAT-new.json:2: warning: $.userStories[0].id: archive/001-FEAT-old.json also has a story US-001";
    assert!(
        said.out.contains(wanted) && said.out.contains("tests/test_003_FEAT_new_US_001.py"),
        "{said:?}"
    );
    assert_eq!(said.code, 2, "a warning: {said:?}");
    // The command that runs the story follows the same rule and begins with the tests.
    put(
        &shop,
        "tests/test_US_001.py",
        "def test_old():\n    assert old()\n",
    );
    let shown = shop.does(&["atdd", "run", "--dry-run"]);
    assert!(
        shown.contains("003-FEAT-new-US-001")
            && shown.contains("tests in tests/test_003_FEAT_new_US_001.py)"),
        "{shown}"
    );
    let named = shop.run(&["atdd", "check", "prds/003-FEAT-new.json"]);
    assert!(named.out.contains("ARCHIVED_ID"), "{named:?}");
}

#[test]
fn a_setup_that_lacks_something_says_what_and_how_to_get_it() {
    let shop = Shop::new();
    shop.does(&["config", "atdd.test_cmd", "no-such-runner {file}"]);
    let said = shop.run(&["atdd", "setup"]);
    assert_eq!(said.code, 1, "{said:?}");
    for (what, words) in [
        ("tests", "could not find no-such-runner"),
        ("documents", "create them: dbs atdd init"),
        ("agents", "none is set"),
        ("base branch", "dbs config base_branch NAME"),
    ] {
        let line = line(&said, what);
        assert!(line.starts_with("MISSING") && line.contains(words), "{line}");
    }
    assert!(!said.out.contains("secret"), "{said:?}");
}

#[test]
fn a_setup_with_all_it_needs_ends_well_and_warns_of_files_with_keys() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.default.command", "sh -c true"]);
    shop.does(&["config", "atdd.test_cmd", "sh {file}"]);
    shop.does(&["config", "atdd.suite_cmd", "sh"]);
    shop.does(&["atdd", "init"]);
    let well = shop.run(&["atdd", "setup"]);
    assert_eq!(well.code, 0, "{well:?}");
    assert!(line(&well, "keys").starts_with("ok "), "{well:?}");
    put(&shop, ".env", "KEY=sk-ant-hidden\n");
    put(&shop, ".env.example", "KEY=\n");
    put(&shop, "deep/site.pem", "sk-ant-hidden\n");
    shop.git.git(&shop.git.project(), &["add", "deep/site.pem"]);
    let warned = shop.run(&["atdd", "setup"]);
    let keys = line(&warned, "keys");
    assert!(
        keys.starts_with("WARNING")
            && keys.contains(".env is not ignored")
            && keys.contains("deep/site.pem is tracked by git"),
        "{keys}"
    );
    assert!(
        !keys.contains("example") && !warned.out.contains("sk-ant"),
        "{warned:?}"
    );
    assert_eq!(warned.code, 0, "nothing is missing: {warned:?}");
    put(&shop, ".gitignore", ".env\n*.pem\n");
    shop.git.git(
        &shop.git.project(),
        &["rm", "-q", "--cached", "-f", "deep/site.pem"],
    );
    assert!(line(&shop.run(&["atdd", "setup"]), "keys").starts_with("ok "));
}

#[test]
fn a_key_of_the_environment_that_is_used_in_place_of_a_login_is_said_and_not_shown() {
    let shop = Shop::new();
    shop.does(&["config", "roles.default.agent", "claude"]);
    let before = line(&shop.run(&["atdd", "setup"]), "login").to_owned();
    assert!(
        before.starts_with("ok ") && before.contains("login found: ANTHROPIC_API_KEY"),
        "{before}"
    );
    let folder = shop.home().join(".claude");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(".credentials.json"), "{\"token\":\"hidden\"}").unwrap();
    let said = shop.run(&["atdd", "setup"]);
    let login = line(&said, "login");
    assert!(
        login.starts_with("WARNING")
            && login.contains("ANTHROPIC_API_KEY, which is used in place of")
            && login.contains(".credentials.json"),
        "{login}"
    );
    assert!(
        !said.out.contains("secret") && !said.out.contains("hidden"),
        "{said:?}"
    );
}
