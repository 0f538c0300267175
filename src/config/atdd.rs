//! Settings for the work on stories whose tests are written first.

use std::path::Path;

pub use crate::config::story_rules::{OnStoryFailure, PassingTests};

use crate::config::story_rules::{PYTHON_SUITE, PYTHON_TEST};
use crate::config::value::listed;
use crate::config::{Config, schema};
use crate::formats::test_text::TestWords;

/// All settings `atdd.*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySettings {
    /// Folder of the queue, from the project's root.
    pub folder: String,
    /// Command line for the tests of one story, with `{file}` or `{name}` in it; it can be split into words.
    pub test_cmd: String,
    /// Path of the tests of a story from the project's root, with `{name}` in its last part.
    pub test_path: String,
    /// Command line for all tests; none: they are not run.
    pub suite_cmd: Option<String>,
    /// Attempts to mend a story, 0 or 1.
    pub heal: u32,
    pub passing_tests: PassingTests,
    pub on_failure: OnStoryFailure,
    /// Tokens of context for each session.
    pub context_tokens: u64,
    /// Files and folders, from the project's root, that no story may change.
    pub protected: Vec<String>,
    /// Words that mark tests in a language that is not known.
    pub words: TestWords,
}

impl StorySettings {
    /// Reads the story settings from all settings.
    pub fn of(config: &Config) -> StorySettings {
        let words = |text: &str| listed(text).map(str::to_owned).collect();
        let list = |text: Option<String>| words(&text.unwrap_or_default());
        let suite = config.value(&schema::ATDD_SUITE_CMD).into_owned();
        StorySettings {
            folder: config.value(&schema::ATDD_FOLDER).into_owned(),
            test_cmd: config.value(&schema::ATDD_TEST_CMD).into_owned(),
            test_path: config.value(&schema::ATDD_TEST_PATH).into_owned(),
            suite_cmd: Some(suite).filter(|command| !command.is_empty()),
            heal: config.value(&schema::ATDD_HEAL),
            passing_tests: config.choice(&schema::ATDD_PASSING_TESTS),
            on_failure: config.choice(&schema::ATDD_ON_FAILURE),
            context_tokens: config.value(&schema::ATDD_CONTEXT_TOKENS).into(),
            protected: list(config.value(&schema::ATDD_PROTECTED)),
            words: TestWords {
                tests: list(config.value(&schema::ATDD_TEST_WORDS)),
                functions: Vec::new(),
                assertions: list(config.value(&schema::ATDD_ASSERTION_WORDS)),
                skips: words(config.value(&schema::ATDD_SKIP_WORDS).as_ref()),
                comments: words(config.value(&schema::ATDD_COMMENT_MARKS).as_ref()),
            },
        }
    }

    /// Lets the Python of a project run its tests, unless other commands are set: it lies in a folder that git ignores, so that no checkout
    /// of an agent has it.
    #[must_use]
    pub fn with_python_of(mut self, root: &Path) -> StorySettings {
        let places = [".venv/bin/python", ".venv/Scripts/python.exe"].map(|place| root.join(place));
        let own = places.iter().find(|place| place.is_file());
        let name = if cfg!(windows) { "python" } else { "python3" };
        let own = own.map_or_else(|| name.into(), |own| own.to_string_lossy());
        let with_own = |command: &str| command.replacen("python3", &shell_words::quote(&own), 1);
        if self.test_cmd == PYTHON_TEST {
            self.test_cmd = with_own(PYTHON_TEST);
        }
        if self.suite_cmd.as_deref() == Some(PYTHON_SUITE) {
            self.suite_cmd = Some(with_own(PYTHON_SUITE));
        }
        self
    }

    /// The path of the tests whose file has this name without its ending (`test_US_001`).
    pub fn test_file(&self, name: &str) -> String {
        self.test_path.replace("{name}", name)
    }

    /// Returns the program and arguments that run the tests whose file has this name. An inserted text stays inside of its word.
    pub fn test_words(&self, name: &str) -> Vec<String> {
        let file = self.test_file(name);
        let words = shell_words::split(&self.test_cmd).unwrap_or_default();
        // One look at each place, so that a name with braces in it is not filled again.
        let filled = |word: String| {
            let parts = word.split("{file}").map(|part| part.replace("{name}", name));
            parts.collect::<Vec<_>>().join(&file)
        };
        words.into_iter().map(filled).collect()
    }
}
