//! Settings about stories whose tests are written first.

use std::borrow::Cow;

use crate::config::row::{choice, count, count_or_none, settings, text, unset, used};
use crate::config::setting::SettingEffect::NextAttempt;
use crate::config::setting::SettingTrust::{Runs, Steers};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::story_rules::{OnStoryFailure, PYTHON_SUITE, PYTHON_TEST, PassingTests};
use crate::config::value::ValueKind;

settings! { ATDD
    ATDD_FOLDER: Cow<'static, str> = text(ValueKind::InnerPath, "prds"), used("atdd.folder", NextAttempt, Steers, "A3",
        "Folder with the queue of PRDs: its files `*.json`, in the order of their names ([stories.md](stories.md)).");
    ATDD_TEST_CMD: Cow<'static, str> = text(ValueKind::TestCommand, PYTHON_TEST), used("atdd.test_cmd", NextAttempt, Runs, "A5",
        "Runs the tests of one story: `{file}` is the path of their file, `{name}` its name without ending. No shell reads it. If it is not set, the Python of the project's `.venv` runs them, if there is one.");
    ATDD_TEST_PATH: Cow<'static, str> = text(ValueKind::TestPath, "tests/{name}.py"), used("atdd.test_path", NextAttempt, Steers, "",
        "Path of the tests of a story; `{name}` is `test_US_001` for the story US-001. Its extension decides the language in which they are read.");
    ATDD_SUITE_CMD: Cow<'static, str> = text(ValueKind::WordsOrNone, PYTHON_SUITE), used("atdd.suite_cmd", NextAttempt, Runs, "LA-7",
        "Runs all tests after the work on each story, because everything must still work. Empty: none are run. No shell reads it.");
    ATDD_HEAL: u32 = count_or_none(1, 0), used("atdd.heal", NextAttempt, Steers, "A24",
        "Attempts to fix a story that does not pass its tests, before it is held.");
    ATDD_PASSING_TESTS: PassingTests = choice(&["block", "ask", "accept"], PassingTests::Block, &[PassingTests::Ask, PassingTests::Accept]),
        used("atdd.passing_tests", NextAttempt, Steers, "A6, LA-5",
        "Reaction when new tests pass before the work on their story has begun: the story is held, a person is asked, or the tests are accepted.");
    ATDD_ON_FAILURE: OnStoryFailure = choice(&["stop", "continue"], OnStoryFailure::Stop, &[OnStoryFailure::Continue]),
        used("atdd.on_failure", NextAttempt, Steers, "A22",
        "Reaction of the queue when a story is held: it stops, or continues with the next story.");
    ATDD_CONTEXT_TOKENS: u32 = count(1_000_000, 15_000), used("atdd.context_tokens", NextAttempt, Steers, "A12",
        "About how many tokens of documents and sources each session gets to read; sources beyond that are only listed.");
    ATDD_PROTECTED: Option<String> = unset(ValueKind::InnerPaths), used("atdd.protected", NextAttempt, Steers, "LA-7",
        "Files and folders that no work on a story may change: `src/loop.py, migrations`.");
    ATDD_TEST_WORDS: Option<String> = unset(ValueKind::List), used("atdd.test_words", NextAttempt, Steers, "A5",
        "Words that begin a test, for files in a language other than Python, Rust, JavaScript, TypeScript and Go: `it, test`. A word with `*` at its end is the beginning of the names of tests: `test_*`.");
    ATDD_ASSERTION_WORDS: Option<String> = unset(ValueKind::List), used("atdd.assertion_words", NextAttempt, Steers, "A5",
        "Words that assert in such a language: `expect, assert*`.");
    ATDD_SKIP_WORDS: Cow<'static, str> = text(ValueKind::List, "xit, xtest, xdescribe, Ignore, Disabled"), used("atdd.skip_words", NextAttempt, Steers, "A5",
        "Words that skip a test in such a language, in the test, on its line or in an attribute above it: `xit, Ignore`.");
    ATDD_COMMENT_MARKS: Cow<'static, str> = text(ValueKind::List, "#, //"), used("atdd.comment_marks", NextAttempt, Steers, "A5",
        "Marks that begin a comment to the end of the line in such a language: `--`. With `//`, text between `/*` and `*/` is a comment too.");
}
