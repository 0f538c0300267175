//! Figures that are counted once, replaced or estimated.

use crate::agent_state::{ContextEstimate, Figures, Meter};
use crate::domain::{ContextFill, Cost, Tokens, Usage};

fn tokens(input: u64, cache_read: u64, output: u64) -> Tokens {
    Tokens {
        input,
        cache_read,
        cache_write: 0,
        output,
    }
}

fn request(id: &str, tokens: Tokens) -> Figures {
    Figures::Request {
        id: id.to_owned(),
        tokens,
    }
}

fn total(tokens: Tokens, cost: u64) -> Figures {
    Figures::Total {
        tokens: Some(tokens),
        cost: Some(Cost(cost)),
    }
}

fn metered(all: &[Figures]) -> Meter {
    let mut meter = Meter::default();
    for figures in all {
        meter.count(figures);
    }
    meter
}

#[test]
fn a_message_is_counted_once_with_its_final_output() {
    let meter = metered(&[
        request("m1", tokens(4, 100, 1)),
        request("m1", tokens(4, 100, 1)),
        request("m1", tokens(4, 100, 30)),
        request("m2", tokens(5, 130, 1)),
    ]);
    assert_eq!(meter.usage().tokens, tokens(9, 230, 31));
    assert_eq!(
        meter.context(),
        Some(ContextFill {
            used: 136,
            window: None,
            tool_calls: None
        }),
        "the last request alone"
    );
}

#[test]
fn totals_replace_and_are_never_added() {
    let meter = metered(&[
        request("m1", tokens(10, 0, 5)),
        total(tokens(10, 0, 6), 300),
        total(tokens(30, 0, 9), 700),
        total(tokens(10, 0, 6), 300),
        request("m9", tokens(2, 0, 1)),
    ]);
    let expected = Usage {
        tokens: tokens(32, 0, 10),
        cost: Some(Cost(700)),
    };
    assert_eq!(meter.usage(), expected);
}

#[test]
fn an_attempt_that_resumed_a_session_used_what_came_after() {
    let before = metered(&[total(tokens(10, 5, 6), 22_500)]).usage();
    let after = metered(&[total(tokens(40, 5, 9), 25_600)]).usage();
    let own = after.since(before);
    assert_eq!((own.tokens, own.cost), (tokens(30, 0, 3), Some(Cost(3100))));
}

#[test]
fn requests_beyond_those_remembered_stay_counted() {
    let requests: Vec<Figures> = (0..500)
        .map(|n| request(&n.to_string(), tokens(1, 0, 1)))
        .collect();
    assert_eq!(metered(&requests).usage().tokens, tokens(500, 0, 500));
}

#[test]
fn the_fill_is_a_share_of_the_window() {
    let fill = |used, window| {
        ContextFill {
            used,
            window,
            tool_calls: None,
        }
        .percent()
    };
    assert_eq!(fill(50_000, Some(200_000)), Some(25));
    assert_eq!(fill(50_000, None), None);
    assert_eq!(fill(1, Some(0)), None);
}

#[test]
fn what_cannot_be_an_amount_of_money_is_none() {
    assert_eq!(Cost::of_dollars(0.019_544_2), Some(Cost(19_544)));
    for odd in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Cost::of_dollars(odd), None);
    }
}

#[test]
fn an_estimate_is_a_quarter_of_the_characters_and_30_percent() {
    let mut estimate = ContextEstimate::default();
    estimate.text(&"x".repeat(3200));
    assert_eq!(estimate.tokens(), 1040);
    estimate.text(&"\u{e4}".repeat(403));
    assert_eq!(estimate.tokens(), 1170);
}

#[test]
fn calls_of_tools_count_once_each_and_only_for_a_tool_that_never_reports_its_fill() {
    let call = |id: &str| Figures::ToolCall { id: id.to_owned() };
    let calls = |meter: &Meter| meter.context().and_then(|fill| fill.tool_calls);
    let mut meter = metered(&[call("a"), call("b"), call("a")]);
    assert_eq!(calls(&meter), Some(2));
    assert_eq!(
        meter.context().and_then(ContextFill::percent),
        None,
        "no window is presumed"
    );
    meter.count(&Figures::ToolCalls(7));
    meter.count(&Figures::ToolCalls(3));
    meter.count(&call("c"));
    assert_eq!(
        calls(&meter),
        Some(7),
        "the number that is seen elsewhere contains them"
    );
    meter.count(&Figures::Context {
        used: Some(9),
        window: None,
    });
    assert_eq!(calls(&meter), None);
    meter.forget_fill();
    assert_eq!(
        meter.context(),
        None,
        "after a compaction its next figure decides"
    );
}
