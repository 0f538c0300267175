//! Usage and context of recordings, compared with the measured figures.

use dbs::agent_state::Meter;
use dbs::domain::{ContextFill, Cost, Tokens, Usage};

use crate::recordings::{Happening, Reader, recording};

pub(crate) fn metered(name: &str, steps: usize) -> Meter {
    let mut meter = Meter::default();
    for (_, happening) in recording(name).steps.iter().take(steps) {
        if let Happening::Bytes { reader, bytes } = happening {
            reader
                .read(bytes)
                .figures
                .iter()
                .for_each(|figures| meter.count(figures));
        }
    }
    meter
}

fn fill(used: u64, window: u64) -> ContextFill {
    ContextFill {
        used,
        window: Some(window),
        tool_calls: None,
    }
}

#[test]
fn four_requests_of_claude_are_counted_once_each_and_the_last_one_fills_the_context() {
    let name = "claude/context_grows_over_four_requests.jsonl";
    let total = Tokens {
        input: 52,
        cache_read: 70_000,
        cache_write: 32_000,
        output: 1000,
    };
    let expected = Usage {
        tokens: total,
        cost: Some(Cost(194_208)),
    };
    assert_eq!(metered(name, usize::MAX).usage(), expected);
    // Before the result the final counts of output tokens are missing; each request counts as 1.
    let steps = recording(name).steps.len() - 1;
    assert_eq!(metered(name, steps).usage().tokens, Tokens { output: 4, ..total });
    assert_eq!(
        metered(name, usize::MAX).context(),
        Some(fill(16 + 27_000 + 5000 + 1, 1_000_000))
    );
}

#[test]
fn the_end_of_a_message_gives_what_was_written() {
    let name = "claude/thinking_partial_messages.jsonl";
    let used = metered(name, usize::MAX).context().map(|fill| fill.used);
    assert_eq!(used, Some(4 + 2722 + 9846 + 29));
}

#[test]
fn a_shortened_conversation_is_as_small_as_it_was_made() {
    let name = "claude/auto_compaction_200k.jsonl";
    let lines = recording(name).steps;
    let boundary = lines.iter().position(|(_, happening)| {
        matches!(happening, Happening::Bytes { bytes, .. }
            if String::from_utf8_lossy(bytes).contains("compact_boundary"))
    });
    let boundary = boundary.expect("the conversation was shortened");
    let used = |steps| metered(name, steps).context().map(|fill| fill.used);
    assert!(used(boundary) > Some(150_000));
    assert_eq!(used(boundary + 1), Some(2569));
}

#[test]
fn lines_of_a_subagent_are_no_figures_of_the_agent() {
    for name in [
        "claude/subagent_foreground.jsonl",
        "claude/subagent_background_two_results.jsonl",
    ] {
        for (_, happening) in recording(name).steps {
            let Happening::Bytes { reader, bytes } = happening else {
                continue;
            };
            if String::from_utf8_lossy(&bytes).contains("\"parent_tool_use_id\":\"") {
                let report = reader.read(&bytes);
                assert!(report.figures.is_empty() && report.seen.is_empty(), "{report:?}");
            }
        }
    }
}

#[test]
fn totals_of_codex_go_on_over_a_resume_and_are_not_added() {
    let mut meter = metered("codex/exec_session.jsonl", usize::MAX);
    assert_eq!(meter.usage().tokens.sum(), 6930 + 47);
    for (_, happening) in recording("codex/exec_resume.jsonl").steps {
        if let Happening::Bytes { reader, bytes } = happening {
            reader
                .read(&bytes)
                .figures
                .iter()
                .for_each(|figures| meter.count(figures));
        }
    }
    let expected = Tokens {
        input: 21_111 - 5373,
        cache_read: 5373,
        cache_write: 0,
        output: 174,
    };
    assert_eq!(meter.usage().tokens, expected);
}

#[test]
fn the_record_of_a_codex_session_tells_the_same() {
    let line = br#"{"timestamp":"x","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":
        {"input_tokens":16113,"cached_input_tokens":6097,"output_tokens":127},"last_token_usage":{"input_tokens":8130,
        "cached_input_tokens":6097,"output_tokens":42},"model_context_window":258400}}}"#;
    let mut meter = Meter::default();
    Reader::Rollout
        .read(line)
        .figures
        .iter()
        .for_each(|figures| meter.count(figures));
    assert_eq!(
        (meter.context(), meter.usage().tokens.sum()),
        (Some(fill(8172, 258_400)), 16_240)
    );
}

#[test]
fn the_status_line_tells_cost_and_context() {
    let meter = metered("claude-hooks/statusline_input.jsonl", 3);
    assert_eq!(meter.context(), Some(fill(4 + 10 + 113 + 14_045, 1_000_000)));
    assert_eq!(meter.usage().cost, Some(Cost(21_543)));
}
