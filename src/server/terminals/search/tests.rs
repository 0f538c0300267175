//! Searches over logs as holders write them.

use std::io::Write as _;
use std::path::Path;

use crate::adapters::holder::IndexEntry;
use crate::server::terminals::search::*;

/// A log with pieces that were written a second apart from this time on.
fn log(folder: &Path, from: u64, pieces: &[&str]) {
    let tty = folder.join("tty");
    std::fs::create_dir_all(&tty).expect("folder");
    let mut index = std::fs::File::create(tty.join("index.jsonl")).expect("index");
    let mut note =
        |note: &IndexEntry| writeln!(index, "{}", serde_json::to_string(note).expect("json")).expect("index");
    note(&IndexEntry::Segment {
        number: 1,
        start: 0,
        at: Timestamp(from),
    });
    let mut written = 0;
    for (nth, piece) in (0..).zip(pieces) {
        note(&IndexEntry::Mark {
            offset: written,
            at: Timestamp(from + nth * 1000),
        });
        written += u64::try_from(piece.len()).expect("small");
    }
    std::fs::write(tty.join("000001.log"), pieces.concat()).expect("log");
}

fn place(folder: &Path, attempt: u64) -> SearchedLog {
    SearchedLog {
        screen: ScreenId::Attempt(AttemptId(attempt)),
        name: format!("attempt {attempt}"),
        folder: folder.join(attempt.to_string()),
    }
}

fn whole(places: Vec<SearchedLog>, words: &str) -> TerminalSearch {
    let mut search = HistorySearch::of(places, words);
    while search.step() == SearchProgress::More {}
    search.found()
}

fn texts(of: &TerminalMatches) -> Vec<&str> {
    of.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn lines_are_found_agent_by_agent_with_the_time_they_were_written_at() {
    let folder = tempfile::tempdir().expect("folder");
    let first = [
        "begin\r\n",
        "\x1b[31mCargo\x1b[0m test\r\nother\r\n",
        "cargo test again\r\n",
    ];
    log(&folder.path().join("1"), 10_000, &first);
    log(&folder.path().join("2"), 90_000, &["nothing of it\n"]);
    log(&folder.path().join("3"), 50_000, &["no line end: cargo test"]);
    let places = [3, 2, 1].map(|attempt| place(folder.path(), attempt)).into();
    let found = whole(places, "cargo test");
    assert!(found.is_done() && found.unreadable == 0);
    assert_eq!(found.terminals.len(), 2);
    assert_eq!(texts(&found.terminals[0]), ["no line end: cargo test"]);
    assert_eq!(texts(&found.terminals[1]), ["cargo test again", "Cargo test"]);
    let times = found.terminals[1]
        .lines
        .iter()
        .map(|line| line.at.0)
        .collect::<Vec<_>>();
    assert_eq!(times, [12_000, 11_000]);
}

#[test]
fn capitals_count_when_they_are_written_and_other_alphabets_have_them_too() {
    let folder = tempfile::tempdir().expect("folder");
    log(&folder.path().join("1"), 0, &["Übung\nübung\nUBUNG\nubung\n"]);
    let of = |words| {
        let found = whole(vec![place(folder.path(), 1)], words);
        found
            .terminals
            .first()
            .map(|of| of.lines.len())
            .unwrap_or_default()
    };
    assert_eq!((of("übung"), of("Übung"), of("ubung"), of("UBUNG")), (2, 1, 2, 1));
}

#[test]
fn what_was_drawn_again_and_again_is_one_line_and_what_is_too_much_is_counted() {
    let folder = tempfile::tempdir().expect("folder");
    let again = "\x1b[2;1Hthe same words".repeat(500);
    let many: String = (0..100)
        .map(|n| format!("words {n}\n"))
        .collect::<Vec<_>>()
        .concat();
    log(&folder.path().join("1"), 0, &[&many, &again]);
    let found = whole(vec![place(folder.path(), 1)], "words");
    let [of] = found.terminals.as_slice() else {
        unreachable!("{found:?}")
    };
    assert_eq!((of.lines.len(), of.left_out), (MAX_LINES_PER_TERMINAL, 61));
    assert_eq!(
        (of.lines[0].text.as_str(), of.lines[0].count),
        ("the same words", 500)
    );
    assert_eq!(of.lines[1].text, "words 99");
    assert_eq!(found.left_out(), 61);
}

#[test]
fn a_search_goes_on_step_by_step_and_shows_what_it_has() {
    let folder = tempfile::tempdir().expect("folder");
    let lines = "a line that is looked at\n".repeat(usize::try_from(BYTES_PER_STEP).expect("fits") / 20);
    let much = format!("words\n{lines}");
    for attempt in 1..=2 {
        log(&folder.path().join(attempt.to_string()), 0, &[&much]);
    }
    let mut search = HistorySearch::of(
        [2, 1].map(|attempt| place(folder.path(), attempt)).into(),
        "words",
    );
    assert_eq!(search.step(), SearchProgress::More);
    assert_eq!(search.found().searched, 0);
    assert_eq!(search.step(), SearchProgress::More);
    assert_eq!((search.found().searched, search.found().terminals.len()), (1, 1));
    assert_eq!(search.step(), SearchProgress::Finished);
    assert_eq!(search.found().terminals.len(), 2);
}

#[test]
fn a_log_that_cannot_be_read_is_told_and_the_others_are_searched() {
    let folder = tempfile::tempdir().expect("folder");
    log(&folder.path().join("1"), 0, &["words\n"]);
    std::fs::create_dir_all(folder.path().join("2/tty/index.jsonl")).expect("folder");
    let found = whole(
        [2, 1].map(|attempt| place(folder.path(), attempt)).into(),
        "words",
    );
    assert_eq!(
        (found.unreadable, found.searched, found.terminals.len()),
        (1, 2, 1)
    );
}

#[test]
fn nothing_that_steers_a_terminal_is_shown_and_long_lines_are_cut_around_the_words() {
    let folder = tempfile::tempdir().expect("folder");
    let long = format!("{}the words{}\n", "日".repeat(400), "x".repeat(2000));
    log(
        &folder.path().join("1"),
        0,
        &["words\x08\x7f\u{202e}here\n", &long],
    );
    let found = whole(vec![place(folder.path(), 1)], "words");
    let [cut, escaped] = found.terminals[0].lines.as_slice() else {
        unreachable!("{found:?}")
    };
    assert_eq!(escaped.text, "words\\x08\\x7f\\u{202e}here");
    assert!(cut.text.contains("the words") && cut.text.chars().count() <= MAX_LINE_CHARS);
    assert!(!cut.text.contains('\u{fffd}'));
}
