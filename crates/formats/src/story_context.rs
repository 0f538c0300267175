//! What an agent gets to read for a story, within a budget of tokens (A10, A11, A12, LA-20): texts that are needed whole, and of the
//! sources of the project as many as there is room for; the others are listed by name. Names and texts go in, one text comes out.

use super::story_files::testing_sections;

/// Tokens a session gets when nobody says otherwise (A12).
pub const DEFAULT_CONTEXT_TOKENS: u64 = 15_000;

/// Tokens that are set aside for each part, because an estimate of the whole rounds otherwise than those of its parts.
const ROUNDING: u64 = 3;

/// What the agent of a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorySession {
    /// Writes tests from the acceptance criteria.
    TestGeneration,
    /// Writes code until the tests pass.
    Implementation,
}

/// What a text is, which decides who gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextKind {
    /// `state.json`: for everybody.
    State,
    /// For everybody.
    Prd,
    /// How a PRD is written: for who writes tests.
    PrdSchema,
    /// Who writes tests gets the sections about tests, who writes code all of it.
    Standards,
    /// The tests of the story: for who writes code.
    StoryTests,
    /// A source file of the project: for who writes code, as far as there is room.
    Source,
}

/// A text that could be read.
#[derive(Debug, Clone, Copy)]
pub struct ContextText<'a> {
    /// Its path in the project.
    pub name: &'a str,
    pub kind: ContextKind,
    pub text: &'a str,
}

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextInclusion {
    /// It is there, whole or with the part that is needed.
    Included,
    /// Only its name and size are there, because there is no room for it.
    Listed,
    /// It is not meant for this session, is empty, or there is not even room for its name.
    LeftOut,
}

/// A text of the context, with its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPart {
    pub name: String,
    /// Estimated tokens of what is needed of the text.
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
    /// One for each text that was given, in the same order.
    pub parts: Vec<ContextPart>,
}

impl StoryContext {
    /// What a person should know: that the texts that are needed do not fit, or which sources are not there. None when all is.
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

/// Builds a context. `texts` are in the order in which they matter; `tokens` estimates the size of a text. What a session needs is always
/// there, even where it alone is over the budget; sources never are what exceeds it.
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

/// What a session needs of a text; empty where it needs nothing.
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

/// A text below its name, between fences that it does not hold itself, so that it cannot pass for another one.
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

/// A name in one line.
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
