//! Implementation of the `StoryFiles` port: the readers and writers of the files of stories, over texts.

use std::path::Path;

use jiff::Timestamp as Instant;

use crate::agent_state::ContextEstimate;
use crate::domain::cut::cut_chars;
use crate::domain::{Cause, PlanEntry, StoryTests, Timestamp};
use crate::formats::story_context::{ContextKind, ContextText, StorySession, build_context};
use crate::formats::story_files::{CompletionEntry, DOCUMENTS, DoneStory, STATE_FILE, record_story};
use crate::formats::test_text::{self, TestWords, WrittenTest};
use crate::ports::git::FileEdit;
use crate::ports::stories::{ContextRequest, FinishedStory, ReadFile, StoryFiles, TestFile};
use crate::term::sanitize;

/// Number of letters of a commit that are shown.
const SHORT_COMMIT: usize = 7;
/// Number of lines of a file of tests that a finding shows, and of letters of each.
const SHOWN_LINES: usize = 12;
const SHOWN_LETTERS: usize = 160;
/// Maximum number of source files whose text is looked at; the others are named only.
const MOST_SOURCES: usize = 200;

/// The formats that come with the program.
#[derive(Debug, Default, Clone, Copy)]
pub struct StoryFormats;

impl StoryFiles for StoryFormats {
    fn read_tests(&self, tests: &StoryTests, text: &str) -> Result<TestFile, Cause> {
        let words = words(tests).ok_or_else(|| {
            format!(
                "tell what tests {} holds: nothing is known of its language; say how they begin with atdd.test_words and atdd.assertion_words",
                tests.file
            )
        })?;
        let read = test_text::read(&words, text).into_iter();
        let (asserting, stubs): (Vec<_>, Vec<_>) = read.partition(WrittenTest::is_asserting);
        Ok(TestFile {
            n_asserting: asserting.len(),
            stubs: stubs.into_iter().map(|test| (test.name, test.line)).collect(),
            creates: created_names(text),
            head: head(text),
        })
    }

    fn record(
        &self,
        story: &FinishedStory<'_>,
        prds: &[String],
        read: ReadFile<'_>,
    ) -> Result<Vec<FileEdit>, Cause> {
        let Some(tests) = &story.plan.tests else {
            return Ok(Vec::new());
        };
        let (at, source) = (utc(story.at), &story.plan.source);
        let name = source.plan.rsplit('/').next().unwrap_or_default();
        let counts = story.tests.unwrap_or_default();
        let entry = CompletionEntry {
            at: &at,
            prd: name,
            story: &tests.id,
            title: story.title,
            minutes: story.at.since(story.began).0.div_ceil(60_000),
            tests: (counts.passed, counts.total()),
            commit: story.commit.get(..SHORT_COMMIT).unwrap_or(story.commit),
            model: &story.model,
            session: 0,
            criteria: &story.plan.criteria,
        };
        let blocks: Vec<(String, String)> = story
            .blocks
            .iter()
            .map(|(at, why)| (utc(*at), why.clone()))
            .collect();
        let done = DoneStory {
            folder: &tests.prds,
            entry: &entry,
            blocks: &blocks,
            sessions: story.sessions,
        };
        let files =
            record_story(&done, prds, read).map_err(|why| Cause::from(format!("record the story: {why}")))?;
        let edit = |(path, text)| FileEdit { path, text };
        Ok(files.into_iter().map(edit).collect())
    }

    fn context(
        &self,
        plan: &PlanEntry,
        request: &ContextRequest<'_>,
        read: ReadFile<'_>,
    ) -> Result<String, Cause> {
        let Some(tests) = &plan.tests else {
            return Ok(String::new());
        };
        let session = if request.tests_are_written {
            StorySession::Implementation
        } else {
            StorySession::TestGeneration
        };
        let document = |name: &str| format!("{DOCUMENTS}/{name}");
        let mut wanted = vec![
            (STATE_FILE.to_owned(), ContextKind::State),
            (plan.source.plan.clone(), ContextKind::Prd),
            (document("prd-schema.md"), ContextKind::PrdSchema),
            (document("standards.md"), ContextKind::Standards),
            (tests.file.clone(), ContextKind::StoryTests),
        ];
        if session == StorySession::Implementation {
            let ending = tests.file.rsplit('.').next().unwrap_or_default();
            let is_source = |path: &&String| {
                let known = wanted.iter().any(|(name, _)| name == *path);
                !known && path.rsplit('.').next() == Some(ending)
            };
            let sources: Vec<String> = request.files.iter().filter(is_source).cloned().collect();
            let sources = sources.into_iter().take(MOST_SOURCES);
            wanted.extend(sources.map(|path| (path, ContextKind::Source)));
        }
        let mut found = Vec::new();
        for (name, kind) in wanted {
            if let Some(text) = read(&name)? {
                found.push((name, kind, text));
            }
        }
        let given: Vec<ContextText<'_>> = found
            .iter()
            .map(|(name, kind, text)| ContextText {
                name,
                kind: *kind,
                text,
            })
            .collect();
        let built = build_context(session, &given, tests.context_tokens, &tokens);
        let warning = built
            .warning()
            .map(|warning| format!(" {warning}."))
            .unwrap_or_default();
        Ok(format!(
            "{}These texts take about {} of {} tokens.{warning}\n",
            built.text, built.tokens, built.budget
        ))
    }
}

fn tokens(text: &str) -> u64 {
    let mut estimate = ContextEstimate::default();
    estimate.text(text);
    estimate.tokens()
}

/// Returns the words of the language of the tests; `None` if it is not known and the settings have none for it.
fn words(tests: &StoryTests) -> Option<TestWords> {
    let has_words = !tests.test_words.is_empty() && !tests.assertion_words.is_empty();
    let by_settings = || TestWords {
        tests: tests.test_words.clone(),
        functions: Vec::new(),
        assertions: tests.assertion_words.clone(),
        skips: tests.skip_words.clone(),
        comments: tests.comment_marks.clone(),
    };
    let known = TestWords::of_path(Path::new(&tests.file));
    known.or_else(|| has_words.then(by_settings))
}

fn head(text: &str) -> String {
    let lines = text.lines().take(SHOWN_LINES);
    let lines = lines.map(|line| cut_chars(&sanitize(line), SHOWN_LETTERS).to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// Names behind `Creates:` in a line that is a comment.
fn created_names(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let told = line.trim_start_matches(|sign: char| sign.is_whitespace() || "#/-*;%\"'".contains(sign));
        told.strip_prefix("Creates:")
    });
    let names = names.flat_map(|line| line.split([',', ' '])).map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns a time as files of stories have it: `2026-02-01T20:00:00Z`.
pub fn utc(at: Timestamp) -> String {
    let seconds = i64::try_from(at.0 / 1000).unwrap_or_default();
    Instant::from_second(seconds).unwrap_or_default().to_string()
}
