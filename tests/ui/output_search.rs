//! Searching the output of all agents: from anywhere, and to the place of a line.

use std::sync::Arc;

use dbs::domain::{AttemptId, Span};
use dbs::ui::{CacheEntry, CacheKey, ScreenId, TerminalMatch, TerminalMatches, TerminalSearch};

use crate::fixture::{Dashboard, NOW};

fn line(seconds: u64, text: &str, times: u32) -> TerminalMatch {
    TerminalMatch {
        at: NOW - Span::seconds(seconds),
        text: text.to_owned(),
        count: times,
    }
}

fn of(attempt: u64, name: &str, lines: Vec<TerminalMatch>) -> TerminalMatches {
    TerminalMatches {
        screen: ScreenId::Attempt(AttemptId(attempt)),
        name: name.to_owned(),
        lines,
        left_out: 0,
    }
}

/// Matches of a server for `test`.
pub(crate) fn found() -> TerminalSearch {
    TerminalSearch {
        terminals: vec![
            of(
                13,
                "dbs-7 developer-milhaud",
                vec![line(130, "I will test both migrations", 1)],
            ),
            TerminalMatches {
                left_out: 12,
                ..of(
                    11,
                    "dbs-4 developer-ravel",
                    vec![
                        line(20, "     test result: ok. 6 passed; 0 failed", 1),
                        line(31, "running 6 tests", 37),
                    ],
                )
            },
        ],
        searched: 3,
        total: 5,
        unreadable: 0,
    }
}

/// A client in which `test` was typed into the search.
fn looking() -> Dashboard {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 F t e s t");
    let paper = CacheKey::Search("test".to_owned());
    assert!(
        dashboard
            .frame()
            .1
            .cache_requests
            .iter()
            .any(|want| want.key == paper)
    );
    dashboard
        .cache
        .put(paper, CacheEntry::Search(Arc::new(found())), NOW);
    dashboard
}

#[test]
fn what_is_found_is_listed_agent_by_agent_while_it_is_written() {
    let dashboard = looking();
    assert_eq!(dashboard.mode(), "FIND");
    let text = dashboard.text();
    for wanted in [
        "/test",
        "3 lines of 2 terminals",
        "12 older ones skipped",
        "searched 3 of 5",
        "dbs-4 developer-ravel",
        "running 6 tests",
        "37 times",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn every_letter_begins_another_search_and_one_letter_none() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 F t");
    let sought = |dashboard: &Dashboard| {
        let wants = dashboard.frame().1.cache_requests;
        let words = wants.into_iter().filter_map(|want| match want.key {
            CacheKey::Search(words) => Some(words),
            _ => None,
        });
        words.collect::<Vec<_>>()
    };
    assert!(sought(&dashboard).is_empty());
    assert!(dashboard.text().contains("at least 2 letters"));
    dashboard.press("e");
    assert_eq!(sought(&dashboard), ["te"]);
    dashboard.press("s");
    assert_eq!(sought(&dashboard), ["tes"]);
}

#[test]
fn tab_widens_a_search_of_a_list_or_a_terminal_to_all_agents() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 / t e s t Tab");
    assert_eq!(dashboard.mode(), "FIND");
    assert!(dashboard.text().contains("History of all agents  /test"));
    dashboard.press("Enter Esc");
    assert!(
        dashboard.text().contains("dbs-5 "),
        "the board is unfiltered again"
    );
    dashboard.press("g Enter / t e s t Tab Enter");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("History of all agents  /test"));
}

#[test]
fn a_search_that_is_opened_in_a_narrow_pane_has_the_whole_width_until_it_is_left() {
    let mut dashboard = Dashboard::full((200, 60));
    let before = dashboard.text();
    dashboard.press("1 F t e s t");
    let text = dashboard.text();
    let title = text
        .lines()
        .find(|row| row.contains("History of all agents"))
        .expect("its title");
    assert!(
        title.starts_with('┌') && title.ends_with('┐') && title.matches('┬').count() == 0,
        "{text}"
    );
    assert!(title.contains("/test"), "{text}");
    dashboard.press("Enter Esc");
    assert_eq!(dashboard.text(), before);
}

#[test]
fn a_line_in_memory_is_gone_to_in_its_terminal() {
    let mut dashboard = looking();
    dashboard.press("Enter j Enter");
    assert_eq!(dashboard.mode(), "COPY");
    let copied = dashboard.press("y");
    assert_eq!(
        copied,
        [dbs::ui::UiRequest::CopyToClipboard(
            "     test result: ok. 6 passed; 0 failed".to_owned()
        )]
    );
}

#[test]
fn a_line_that_is_in_the_log_only_is_shown_as_the_screen_was_then() {
    let mut dashboard = looking();
    dashboard.press("Enter Enter");
    assert!(dashboard.text().contains("as it was at"), "{}", dashboard.text());
    dashboard.press("Esc");
    assert!(
        dashboard.text().contains("3 lines of 2 terminals"),
        "back at the matches"
    );
}

#[test]
fn the_search_is_reached_from_a_terminal_that_is_typed_to() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 g Enter i C-b /");
    assert_eq!(dashboard.mode(), "FIND");
    let requests = dashboard.press("t e s t Enter j j");
    assert_eq!(requests, [], "nothing is typed into the terminal");
}
