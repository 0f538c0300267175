//! The settings of stories whose tests are written first.

use dbs::adapters::stories::StoryFormats;
use dbs::config::atdd::{OnStoryFailure, PassingTests, StorySettings};
use dbs::config::{SettingTrust, keys};
use dbs::domain::StoryTests;
use dbs::ports::stories::StoryFiles as _;

use super::Fixture;

fn settings(text: &str) -> StorySettings {
    let fixture = Fixture::new().toml(text);
    assert_eq!(fixture.told(), [""; 0]);
    StorySettings::of(&fixture.read())
}

#[test]
fn without_settings_stories_are_worked_on_as_the_seed_says() {
    let seed = settings("");
    assert_eq!((seed.folder.as_str(), seed.heal), ("prds", 0));
    assert_eq!(seed.suite_cmd.as_deref(), Some("python3 -m pytest"));
    assert_eq!(
        seed.test_words("test_US_001"),
        ["python3", "-m", "pytest", "tests/test_US_001.py"]
    );
    assert_eq!(
        (seed.passing_tests, seed.on_failure),
        (PassingTests::Block, OnStoryFailure::Stop)
    );
    assert_eq!(seed.context_tokens, 15_000);
    assert!(seed.protected.is_empty() && seed.words.tests.is_empty());
}

#[test]
fn tests_are_run_by_the_python_of_the_project_unless_another_command_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("my shop");
    let python = root.join(".venv/bin/python");
    std::fs::create_dir_all(python.parent().unwrap()).unwrap();
    let none = settings("").with_python_of(&root);
    assert_eq!(none.test_words("test_a").last().unwrap(), "tests/test_a.py");
    assert!(none.suite_cmd.unwrap().starts_with("python"));
    std::fs::write(&python, "").unwrap();
    let own = settings("").with_python_of(&root);
    let python = python.display().to_string();
    assert_eq!(
        own.test_words("test_a"),
        [&python, "-m", "pytest", "tests/test_a.py"]
    );
    let suite = shell_words::split(own.suite_cmd.as_deref().unwrap()).unwrap();
    assert_eq!(suite, [&python, "-m", "pytest"]);
    let other = settings("[atdd]\ntest_cmd = \"python3 -m pytest -q {file}\"\nsuite_cmd = \"tox\"\n");
    assert_eq!(other.clone().with_python_of(&root), other);
}

#[test]
fn every_setting_of_stories_can_be_another() {
    let own = settings(
        "[atdd]\nfolder = \"prds/queue\"\ntest_cmd = \"rake 'run {name}' {file}\"\ntest_path = \"spec/{name}_spec.rb\"\n\
         suite_cmd = \"\"\nheal = 1\npassing_tests = \"ask\"\non_failure = \"continue\"\ncontext_tokens = 9000\n\
         protected = \"lib/loop.rb, db\"\ntest_words = \"it, test_*\"\nassertion_words = \"expect\"\n\
         skip_words = \"pending\"\ncomment_marks = \"--\"\n",
    );
    assert_eq!((own.folder.as_str(), own.heal), ("prds/queue", 1));
    assert_eq!(
        own.test_words("{file}"),
        ["rake", "run {file}", "spec/{file}_spec.rb"]
    );
    assert_eq!((own.suite_cmd.as_ref(), own.context_tokens), (None, 9000));
    assert_eq!(
        (own.passing_tests, own.on_failure),
        (PassingTests::Ask, OnStoryFailure::Continue)
    );
    assert_eq!(own.protected, ["lib/loop.rb", "db"]);
    assert_eq!(
        (own.words.tests, own.words.assertions),
        (texts(&["it", "test_*"]), texts(&["expect"]))
    );
    assert_eq!(
        (own.words.skips, own.words.comments),
        (texts(&["pending"]), texts(&["--"]))
    );
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn tests_in_a_language_that_is_not_known_are_read_by_the_words_of_the_settings() {
    let tests = |file: &str| StoryTests {
        file: file.to_owned(),
        test_words: texts(&["it"]),
        assertion_words: texts(&["expect"]),
        skip_words: texts(&["pending"]),
        comment_marks: texts(&["--"]),
        ..StoryTests::default()
    };
    let text =
        "it('counts') expect(f, 1)\npending it('later') expect(f, 2)\n-- it('is a comment') expect(f, 3)\n";
    let read = StoryFormats.read_tests(&tests("spec/a.lua"), text).unwrap();
    assert_eq!((read.n_asserting, read.stubs), (1, vec![("later".to_owned(), 2)]));
    // For a known language the words from the settings do not matter.
    let python = StoryFormats.read_tests(&tests("tests/a.py"), "def test_a():\n    assert f() == 1\n");
    assert_eq!(python.unwrap().n_asserting, 1);
    let unknown = StoryFormats.read_tests(
        &StoryTests {
            test_words: Vec::new(),
            ..tests("spec/a.lua")
        },
        text,
    );
    assert!(unknown.unwrap_err().text.contains("atdd.test_words"));
}

#[test]
fn a_bad_setting_of_stories_is_passed_over_with_the_way_out() {
    for (key, value, must) in [
        (
            "folder",
            "../prds",
            "a path inside of the project, written with `/`",
        ),
        (
            "folder",
            "/prds",
            "a path inside of the project, written with `/`",
        ),
        (
            "test_cmd",
            "pytest",
            "a command line with `{file}` or `{name}` in it",
        ),
        (
            "test_cmd",
            "pytest 'x {file}",
            "a command line with `{file}` or `{name}` in it",
        ),
        (
            "test_path",
            "{name}/all.py",
            "a path inside of the project whose last part holds `{name}`, like tests/{name}.py",
        ),
        (
            "test_path",
            ".git/{name}",
            "a path inside of the project whose last part holds `{name}`, like tests/{name}.py",
        ),
        ("suite_cmd", "pytest '", "a command line, or nothing"),
        ("heal", "2", "a whole number from 0 to 1"),
        ("passing_tests", "no", "one of block, ask, accept"),
        ("on_failure", "go", "one of stop, continue"),
        ("context_tokens", "0", "a whole number from 1 to 1000000"),
        (
            "protected",
            "src, C:\\x",
            "paths inside of the project, several with commas between, or nothing",
        ),
        (
            "test_words",
            "it\\u0007",
            "words, several with commas between, or nothing",
        ),
    ] {
        let written = value.replace('\\', "\\\\").replace("\\\\u", "\\u");
        let fixture = Fixture::new().toml(&format!("[atdd]\n{key} = \"{written}\"\n"));
        let shown = value.replace("\\u0007", "\u{7}");
        assert_eq!(
            fixture.told(),
            [format!(
                ".debussy/config.toml:2: warning: atdd.{key} must be {must}, not `{shown}`; this value is ignored"
            )]
        );
        assert_eq!(StorySettings::of(&fixture.read()), settings(""), "{key}");
    }
}

#[test]
fn of_a_project_no_setting_of_stories_counts_untrusted_and_commands_are_programs() {
    let stories = keys().filter(|spec| spec.name.starts_with("atdd."));
    let by_trust = |spec: &dbs::config::SettingSpec| match spec.name {
        "atdd.test_cmd" | "atdd.suite_cmd" => SettingTrust::Runs,
        _ => SettingTrust::Steers,
    };
    let trusts: Vec<_> = stories.map(|spec| (spec.trust, by_trust(spec))).collect();
    assert_eq!(trusts.len(), 13);
    assert!(trusts.iter().all(|(has, wants)| has == wants), "{trusts:?}");
}
