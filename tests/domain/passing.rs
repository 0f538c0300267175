//! Success: along which edges work goes, and what it takes.

use dbs::domain::Span;

use crate::desk::{Desk, draft};

#[test]
fn a_task_goes_through_development_review_and_merge_and_is_done() {
    let mut desk = Desk::developing("a");
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "active"));
    assert_eq!(desk.wishes(), ["start/1"]);
    desk.pass("a");
    assert_eq!(desk.stage("a"), "reviewing");
    desk.pass("a");
    assert_eq!(desk.stage("a"), "merging");
    desk.pass("a");
    assert_eq!(desk.word("a"), "done");
    assert_eq!(desk.task("a").head.as_deref(), Some("c2"));
    assert_eq!(desk.task("a").merged.as_deref(), Some("m3"));
    assert_eq!(desk.wishes(), ["retire/a"]);
    desk.wait(Span::minutes(60));
    assert_eq!(desk.wishes(), Vec::<String>::new());
}

#[test]
fn a_graph_task_is_merged_by_the_engine() {
    let mut desk = Desk::new();
    desk.released(draft("g", "graph"));
    desk.pass("g");
    desk.pass("g");
    assert_eq!(desk.word("g"), "done");
}
