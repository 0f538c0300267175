//! Every list can be searched and sorted as a person chooses; marked items are always among the visible rows.

use dbs::domain::Command;
use dbs::ui::{UiInput, UiRequest};

use crate::fixture::Dashboard;

/// A client that looks at that view and searches it.
fn searched(keys: &str, words: &str) -> Dashboard {
    let mut dashboard = Dashboard::full((120, 40));
    for key in keys.split(' ') {
        dashboard.press(key);
    }
    dashboard.press("/");
    dashboard.input(UiInput::Paste(words.to_owned()));
    dashboard.press("Enter");
    dashboard
}

#[test]
fn every_list_is_narrowed_to_what_matches() {
    for (keys, words, count, here, gone) in [
        ("I", "migrate", "1 of 5", "dbs-7", "dbs-16"),
        ("C", "clippy", "2 of 6", "cargo clippy", "4f2a9c81d0 2"),
        ("C", "unknown", "1 of 6", "dbs-18", "cargo clippy"),
        ("D z", "reset", "1 of ", "dbs-14", "dbs-12"),
        ("C-b s", "bill", "1 of 3", "billing", "website"),
        ("3 d", "query.txt", "1 of 5", "query.txt", "logo.png"),
    ] {
        let dashboard = searched(keys, words);
        let text = dashboard.text();
        let pane = text.lines().skip(2).collect::<Vec<_>>().join("\n");
        assert!(pane.contains(count), "{keys} {words}: {count}\n{text}");
        assert!(
            pane.contains(here) && !pane.contains(gone),
            "{keys} {words}\n{text}"
        );
    }
}

#[test]
fn what_is_acted_on_in_a_searched_inbox_is_what_is_seen() {
    let mut dashboard = searched("I", "rounding");
    assert_eq!(
        dashboard.press("a"),
        [UiRequest::Command(Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn nothing_that_matches_is_said_in_every_list() {
    for keys in ["I", "C", "D", "C-b s", "3 d", "2"] {
        let mut dashboard = searched(keys, "qqqq");
        let text = dashboard.text();
        assert!(text.contains("match `qqqq`. Esc clears."), "{keys}\n{text}");
        dashboard.press("j k G g Esc");
        assert!(!dashboard.text().contains("match `qqqq`"), "{keys}");
    }
}

#[test]
fn text_without_rows_is_not_searched_as_a_list() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("M /");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("F searches what all agents have shown"));
}

#[test]
fn a_list_is_sorted_by_key_and_only_by_key() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3");
    let usual = dashboard.text();
    dashboard.press("S");
    let newest = dashboard.text();
    assert!(newest.contains("newest first"), "{newest}");
    let at = |text: &str, id: &str| text.lines().position(|line| line.contains(id));
    assert!(at(&newest, "dbs-5 ") < at(&newest, "dbs-12 "), "{newest}");
    dashboard.press("S");
    let oldest = dashboard.text();
    assert!(at(&oldest, "dbs-12 ") < at(&oldest, "dbs-5 "), "{oldest}");
    dashboard.press("S S");
    assert_eq!(dashboard.text(), usual);
}

#[test]
fn the_inbox_has_the_newest_first_when_wished_and_columns_are_sorted_too() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("I S");
    let text = dashboard.text();
    let at = |id: &str| text.lines().skip(2).position(|line| line.contains(id));
    assert!(at("dbs-17") < at("dbs-18"), "{text}");
    let mut wide = Dashboard::full((200, 60));
    wide.press("3");
    let usual = wide.text();
    wide.press("S S S");
    assert!(wide.text().contains("by name"));
    assert_ne!(wide.text(), usual);
    wide.press("M S");
    assert!(wide.text().contains("one order only"));
}

#[test]
fn a_list_is_as_it_was_left_when_one_comes_back_to_it() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 S / d b s - 1 Enter G d");
    assert!(!dashboard.text().contains("newest first"));
    dashboard.press("Esc");
    let text = dashboard.text();
    assert!(text.contains("newest first") && text.contains("/dbs-1"), "{text}");
}
