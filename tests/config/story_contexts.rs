//! Context for the agents of a story, by session and within a budget.

use dbs::agent_state::ContextEstimate;
use dbs::formats::story_context::{
    ContextInclusion, ContextKind, ContextText, StoryContext, StorySession, build_context,
};
use proptest::prelude::*;

/// Tokens of a text, with the estimate that the program uses everywhere.
fn tokens(text: &str) -> u64 {
    let mut estimate = ContextEstimate::default();
    estimate.text(text);
    estimate.tokens()
}

const STANDARDS: &str = "# Standards\n\n## Code\n\nShort.\n\n## Testing\n\nOne test per criterion.\n";

fn text<'a>(name: &'a str, kind: ContextKind, text: &'a str) -> ContextText<'a> {
    ContextText { name, kind, text }
}

fn documents() -> Vec<ContextText<'static>> {
    vec![
        text("state.json", ContextKind::State, "{}\n"),
        text("prds/001-FEAT-a.json", ContextKind::Prd, "{\"userStories\": []}"),
        text(".swanson/prd-schema.md", ContextKind::PrdSchema, "# How\n"),
        text(".swanson/standards.md", ContextKind::Standards, STANDARDS),
        text(
            "tests/test_US_001.py",
            ContextKind::StoryTests,
            "def test_a(): ...\n",
        ),
        text("src/a.py", ContextKind::Source, "a = 1\n"),
    ]
}

fn marks(context: &StoryContext) -> String {
    let mark = |inclusion| match inclusion {
        ContextInclusion::Included => '+',
        ContextInclusion::Listed => '?',
        ContextInclusion::LeftOut => '-',
    };
    context.parts.iter().map(|part| mark(part.inclusion)).collect()
}

#[test]
fn who_writes_tests_reads_state_prd_schema_and_the_sections_about_tests() {
    let context = build_context(StorySession::TestGeneration, &documents(), 15_000, &tokens);
    assert_eq!(marks(&context), "++++--");
    assert!(
        context
            .text
            .contains("# .swanson/standards.md\n\n```\n## Testing\n\nOne test per criterion.\n```\n")
    );
    assert!(!context.text.contains("## Code"), "{}", context.text);
    assert_eq!((context.tokens, context.warning()), (tokens(&context.text), None));
}

#[test]
fn who_writes_code_reads_the_tests_all_standards_and_the_sources() {
    let context = build_context(StorySession::Implementation, &documents(), 15_000, &tokens);
    assert_eq!(marks(&context), "++-+++");
    assert!(context.text.contains(STANDARDS) && context.text.contains("# src/a.py\n\n```\na = 1\n```\n"));
}

#[test]
fn sources_without_room_are_listed_with_their_size_and_a_person_is_told() {
    let large = "x = 1\n".repeat(3_000);
    let mut texts = documents();
    texts.push(text("src/large.py", ContextKind::Source, &large));
    texts.push(text("src/small.py", ContextKind::Source, "b = 2\n"));
    let context = build_context(StorySession::Implementation, &texts, 1_000, &tokens);
    assert_eq!(marks(&context), "++-++".to_owned() + "+?+");
    assert!(
        context
            .text
            .ends_with("# Other source files\n\n- src/large.py (about 5850 tokens)\n"),
        "{}",
        context.text
    );
    assert!(context.tokens <= 1_000, "{}", context.tokens);
    assert_eq!(
        context.warning().unwrap(),
        "1 source file is only listed, because the limit is 1000 tokens"
    );
}

#[test]
fn documents_that_are_needed_are_there_even_over_the_limit_and_that_is_told() {
    let context = build_context(StorySession::Implementation, &documents(), 20, &tokens);
    assert_eq!(marks(&context), "++-++-");
    let told = context.warning().unwrap();
    assert!(
        told.contains("more than the 20") && told.contains("raise the limit"),
        "{told}"
    );
}

proptest! {
    #[test]
    fn sources_never_exceed_the_budget_and_no_text_passes_for_another(
        sources in prop::collection::vec(("[a-z\n]{1,8}", "(`{1,6}|# x\n|é|\n|word ){0,40}"), 0..12),
        budget in 0..600_u64,
    ) {
        let mut texts = documents();
        for (name, source) in &sources {
            texts.push(text(name, ContextKind::Source, source));
        }
        let context = build_context(StorySession::Implementation, &texts, budget, &tokens);
        let alone = build_context(StorySession::Implementation, &texts[..5], budget, &tokens);
        prop_assert!(context.tokens <= budget.max(alone.tokens));
        prop_assert_eq!(context.parts.len(), texts.len());
        // Inside an open fence a line that looks like a heading is not one.
        let mut fence = None;
        let mut n_headings = 0;
        for line in context.text.lines() {
            match &fence {
                Some(open) if line == open => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line.to_owned()),
                None => n_headings += usize::from(line.starts_with("# ")),
            }
        }
        let count = |wanted| context.parts.iter().filter(|part| part.inclusion == wanted).count();
        let wanted = count(ContextInclusion::Included) + usize::from(count(ContextInclusion::Listed) > 0);
        prop_assert_eq!(n_headings, wanted, "{}", context.text);
    }
}
