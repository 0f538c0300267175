//! Texts that an agent gets to read for a story, within a budget of tokens (A10, A11, A12, LA-20): needed texts whole, and as many sources
//! of the project as there is room for; the others are listed by name. Names and texts go in, one text comes out.

use super::story_files::testing_sections;

/// Tokens that are set aside for each part, because an estimate of the whole rounds otherwise than those of its parts.
const ROUNDING: u64 = 3;

/// Work of the agent of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorySession {
    /// Writes tests from the acceptance criteria.
    TestGeneration,
    /// Writes code until the tests pass.
    Implementation,
}

/// Kind of a text, which decides the sessions that get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextKind {
    /// The file `state.json`: for all sessions.
    State,
    /// The PRD: for all sessions.
    Prd,
    /// Form of a PRD: for the writing of tests.
    PrdSchema,
    /// Standards: the sections about tests for the writing of tests, all of them for the writing of code.
    Standards,
    /// The tests of the story: for the writing of code.
    StoryTests,
    /// A source file of the project: for the writing of code, as far as there is room.
    Source,
}

/// A text that could be read.
#[derive(Debug, Clone, Copy)]
pub struct ContextText<'a> {
    /// Path of the text in the project.
    pub name: &'a str,
    pub kind: ContextKind,
    pub text: &'a str,
}

/// Inclusion of a text in the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextInclusion {
    /// Text that is there, whole or with the needed part.
    Included,
    /// Only its name and size are there, because there is no room for it.
    Listed,
    /// Text that is not meant for this session, is empty, or has not even room for its name.
    LeftOut,
}

/// A text of the context, with its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPart {
    pub name: String,
    /// Estimated tokens of the needed part of the text.
    pub tokens: u64,
    pub inclusion: ContextInclusion,
}

/// The context of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryContext {
    /// Everything that is included or listed, ready to be read by an agent.
    pub text: String,
    /// Estimated tokens of the text.
    pub tokens: u64,
    pub budget: u64,
    /// Parts of the context: one for each given text, in the same order.
    pub parts: Vec<ContextPart>,
}

impl StoryContext {
    /// Returns a warning for people: the needed texts do not fit, or a number of sources is only listed. None otherwise.
    pub fn warning(&self) -> Option<String> {
        if self.tokens > self.budget {
            let (tokens, budget) = (self.tokens, self.budget);
            return Some(format!(
                "the documents that this session needs take about {tokens} tokens, more than the {budget} it may have; shorten them or raise the limit"
            ));
        }
        let count = |inclusion| {
            self.parts
                .iter()
                .filter(|part| part.inclusion == inclusion)
                .count()
        };
        let n = count(ContextInclusion::Listed);
        (n > 0).then(|| {
            let files = if n == 1 {
                "1 source file is"
            } else {
                &format!("{n} source files are")
            };
            format!("{files} only listed, because the limit is {} tokens", self.budget)
        })
    }
}

/// Builds a context. `texts` are in the order of their importance; `tokens` estimates the size of a text. Texts that a session needs are
/// always there, even if they alone are over the budget; sources never exceed it.
pub fn build_context(
    session: StorySession,
    texts: &[ContextText<'_>],
    budget: u64,
    tokens: &dyn Fn(&str) -> u64,
) -> StoryContext {
    let size = |text: &str| tokens(text).saturating_add(ROUNDING);
    let mut whole = String::new();
    let mut parts: Vec<ContextPart> = Vec::new();
    let mut sources: Vec<(usize, String)> = Vec::new();
    for text in texts {
        let needed = needed(session, text);
        parts.push(ContextPart {
            name: text.name.to_owned(),
            tokens: tokens(&needed),
            inclusion: ContextInclusion::LeftOut,
        });
        if needed.trim().is_empty() {
            continue;
        }
        let shown = shown(text.name, &needed);
        if text.kind == ContextKind::Source {
            sources.push((parts.len() - 1, shown));
        } else if let Some(part) = parts.last_mut() {
            part.inclusion = ContextInclusion::Included;
            whole.push_str(&shown);
        }
    }
    let mut used = size(&whole);
    let mut listed: Vec<usize> = Vec::new();
    for (index, shown) in sources {
        let cost = size(&shown);
        if used.saturating_add(cost) <= budget {
            used += cost;
            whole.push_str(&shown);
            set(&mut parts, index, ContextInclusion::Included);
        } else {
            listed.push(index);
        }
    }
    let head = "# Other source files\n\n";
    let mut list = String::new();
    used = used.saturating_add(size(head));
    for index in listed {
        let Some(part) = parts.get(index) else { continue };
        let line = format!("- {} (about {} tokens)\n", line_of(&part.name), part.tokens);
        let cost = size(&line);
        if used.saturating_add(cost) <= budget {
            used += cost;
            list.push_str(&line);
            set(&mut parts, index, ContextInclusion::Listed);
        }
    }
    if !list.is_empty() {
        whole.push_str(head);
        whole.push_str(&list);
    }
    StoryContext {
        tokens: tokens(&whole),
        text: whole,
        budget,
        parts,
    }
}

fn set(parts: &mut [ContextPart], index: usize, inclusion: ContextInclusion) {
    if let Some(part) = parts.get_mut(index) {
        part.inclusion = inclusion;
    }
}

/// Returns the part of a text that a session needs; empty if it needs nothing.
fn needed(session: StorySession, text: &ContextText<'_>) -> String {
    match (session, text.kind) {
        (_, ContextKind::State | ContextKind::Prd)
        | (StorySession::TestGeneration, ContextKind::PrdSchema)
        | (
            StorySession::Implementation,
            ContextKind::Standards | ContextKind::StoryTests | ContextKind::Source,
        ) => text.text.to_owned(),
        (StorySession::TestGeneration, ContextKind::Standards) => testing_sections(text.text),
        (StorySession::TestGeneration, ContextKind::StoryTests | ContextKind::Source)
        | (StorySession::Implementation, ContextKind::PrdSchema) => String::new(),
    }
}

/// Returns a text below its name, between fences that it does not hold itself, so that it cannot pass for another one.
fn shown(name: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("# {}\n\n{fence}\n{text}{end}{fence}\n\n", line_of(name))
}

/// Returns a name in one line.
fn line_of(name: &str) -> String {
    let mut line = String::new();
    for letter in name.chars() {
        if letter.is_control() || letter == '\u{2028}' || letter == '\u{2029}' {
            // A name that would end its line is shown as it is written in a program.
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}
