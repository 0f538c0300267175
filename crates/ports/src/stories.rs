//! Needs of the engine for stories that are tested first: the content of their tests, the text an agent is given to read, and the project's
//! files once a story is done. Texts go in and values come out; nothing here touches a disk.

use dbs_domain::{Cause, PlanEntry, StoryTests, TestCounts, Timestamp};

use crate::git::FileEdit;

/// Readers and writers of the files of stories.
pub trait StoryFiles: Send + Sync {
    /// Reads a file of tests.
    ///
    /// # Errors
    /// When the file cannot be read. Reads after "could not".
    fn read_tests(&self, tests: &StoryTests, text: &str) -> Result<TestFile, Cause>;

    /// Returns the files that change when a story is done. `prds` are the names of the files in the folder of PRDs.
    ///
    /// # Errors
    /// When a person has to correct something first. Reads after "could not".
    fn record(
        &self,
        story: &FinishedStory<'_>,
        prds: &[String],
        read: ReadFile<'_>,
    ) -> Result<Vec<FileEdit>, Cause>;

    /// Builds the text that an agent is given to read.
    ///
    /// # Errors
    /// When a file cannot be read; reads after "could not".
    fn context(
        &self,
        plan: &PlanEntry,
        request: &ContextRequest<'_>,
        read: ReadFile<'_>,
    ) -> Result<String, Cause>;
}

/// Reads a file by its path in the project; `None` if there is none.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Option<String>, Cause>;

/// Content of a file of tests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestFile {
    /// Tests that are run and assert something.
    pub n_asserting: usize,
    /// Names and lines of tests that assert nothing or are never run.
    pub stubs: Vec<(String, usize)>,
    /// Names that the file says the story creates (LA-5).
    pub creates: Vec<String>,
    /// First lines of the file, cleaned for people.
    pub head: String,
}

impl TestFile {
    /// Returns true if a name that the test runner missed is one that the story creates: that name, something in it, or its container.
    pub fn is_to_be_created(&self, name: &str) -> bool {
        let parts = |name: &str| -> Vec<String> {
            let words = name.split(['.', ':', '/', '\\']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let missing = parts(name);
        self.creates.iter().map(|name| parts(name)).any(|created| {
            let shorter = created.len().min(missing.len());
            let begins_alike = created.iter().zip(&missing).take(shorter).all(|(a, b)| a == b);
            shorter > 0 && (begins_alike || created.last() == missing.last())
        })
    }
}

/// A story whose work is done and merged.
#[derive(Debug, Clone)]
pub struct FinishedStory<'a> {
    pub plan: &'a PlanEntry,
    /// Title of its task.
    pub title: &'a str,
    /// The commit with its work.
    pub commit: &'a str,
    pub at: Timestamp,
    /// Time at which the first attempt at the story began.
    pub began: Timestamp,
    /// Results of the story's tests.
    pub tests: Option<TestCounts>,
    /// The model of its last agent, or the kind of agent.
    pub model: String,
    /// Sessions of its agents.
    pub sessions: u64,
    /// Times at which the story got stuck before, each with its reason.
    pub blocks: Vec<(Timestamp, String)>,
}

/// The moment and the project files for which an agent is given texts.
#[derive(Debug, Clone, Copy)]
pub struct ContextRequest<'a> {
    /// True if the story's tests are written, so that the agent works on the code.
    pub tests_are_written: bool,
    /// Files of the project, by their paths.
    pub files: &'a [String],
}
