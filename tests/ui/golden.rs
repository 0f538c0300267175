//! Every view in every size, look and state. One look is kept to be read; the others must show the same with fewer means.
//! Read the differences as a user would: nothing is cut off without need, out of line or untrue.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dbs::display::{ColourDepth, FirstTab, Glyphs};
use dbs::domain::{NoticeLevel, PauseReason, Span};
use dbs::keymap::entries;
use dbs::ui::{CacheEntry, SessionKind, Theme, ViewCache};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

use crate::fixture::{Dashboard, NOW, text};
use crate::screens::TextScreens;
use crate::snapshots;

/// Keys from the board to the conductor in the classic first tab.
const CONDUCTOR: &str = "S-Tab S-Tab j";

/// Views with their tab and the keys that lead there.
const VIEWS: [(&str, &str, &str); 17] = [
    ("main", "1", ""),
    ("agents", "2", ""),
    ("conductor", "1", CONDUCTOR),
    ("board", "3", ""),
    ("task", "3", "g V"),
    ("log", "4", "k k"),
    ("moment", "4", "k k Enter"),
    ("inbox", "5", "j j"),
    ("figures", "6", ""),
    ("changes", "3", "g d J"),
    ("checks", "3", "C j"),
    ("dependencies", "3", "D j"),
    ("sessions", "3", "C-b s j"),
    ("looking", "3", "g Enter"),
    ("typing", "3", "g i"),
    ("help", "3", "?"),
    ("palette", "3", ":"),
];

const SIZES: [(u16, u16); 6] = [(60, 15), (80, 24), (100, 30), (120, 40), (160, 50), (200, 60)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Empty,
    Normal,
    Long,
    Degraded,
}

const CASES: [Case; 4] = [Case::Normal, Case::Empty, Case::Long, Case::Degraded];

/// Words of many widths: wide, joined, combined, right to left.
const LONG: &str = "注文の履歴を新しい順に並べる 👩‍💻 e\u{301}tude שלום and a title that goes on for much longer than any column on any \
                    screen will ever be wide enough to hold, however far it is drawn";

fn dashboard(case: Case, size: (u16, u16), (tab, keys): (&str, &str)) -> Dashboard {
    let mut dashboard = match case {
        Case::Empty => Dashboard::empty(size),
        Case::Normal | Case::Long | Case::Degraded => Dashboard::full(size),
    };
    match case {
        Case::Normal | Case::Empty => {}
        Case::Long => {
            "a-project-with-a-name-that-somebody-thought-about-for-long"
                .clone_into(&mut dashboard.session.project);
            let ids: Vec<String> = dashboard.board.tasks.keys().map(ToString::to_string).collect();
            for id in ids {
                dashboard.change(&id, |task| task.title = format!("{} {LONG}", task.title));
            }
        }
        Case::Degraded => {
            dashboard.session.kind = SessionKind::Rehearsal;
            dashboard.session.notice = Some("disk full".to_owned());
            dashboard.model.pause = Some(PauseReason::Quota {
                until: NOW + Span::minutes(47),
                why: "usage limit reached".to_owned(),
            });
            dashboard.screens = TextScreens::default();
            dashboard.cache = ViewCache::default();
        }
    }
    if (tab, keys) == ("1", CONDUCTOR) {
        dashboard
            .state
            .set_first_tab(FirstTab::Classic)
            .expect("built in");
    }
    dashboard.press(tab);
    if !keys.is_empty() {
        dashboard.press(keys);
    }
    if case == Case::Degraded {
        for want in dashboard.frame().1.cache_requests {
            let why = "read it: git did not answer within 10s; try again".to_owned();
            dashboard.cache.put(want.key, CacheEntry::Failed(why), NOW);
        }
        dashboard.state.show_toast(
            dashboard.now,
            NoticeLevel::Error,
            "could not push: the remote does not answer",
        );
    }
    dashboard
}

fn frame(dashboard: &mut Dashboard, palette: ColourDepth, glyphs: Glyphs) -> Buffer {
    dashboard.theme = Theme::builtin(palette, glyphs);
    dashboard.frame().0
}

/// The lines of a frame; equal ones below each other are counted.
fn folded(buffer: &Buffer) -> String {
    let all = text(buffer);
    let mut folded = String::new();
    let mut lines = all.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        folded.push_str(line);
        folded.push('\n');
        let mut more = 0;
        while lines.next_if_eq(&line).is_some() {
            more += 1;
        }
        if more > 0 {
            writeln!(folded, "      {more} more").expect("text");
        }
    }
    folded
}

/// Style of each cell: one letter per style, counted along the rows, with a legend of the letters.
fn styles(buffer: &Buffer) -> String {
    let mut known: Vec<Style> = Vec::new();
    let mut map = String::new();
    for y in 0..buffer.area.height {
        let mut run: Option<(usize, usize)> = None;
        let mut row = String::new();
        let mut put = |(at, many): (usize, usize)| {
            let letter = char::from_digit(u32::try_from(at).expect("few") + 10, 36).expect("few");
            write!(row, "{letter}{many} ").expect("text");
        };
        for x in 0..buffer.area.width {
            let style = buffer[(x, y)].style();
            let at = known.iter().position(|other| *other == style).unwrap_or_else(|| {
                known.push(style);
                known.len() - 1
            });
            run = match run {
                Some((same, many)) if same == at => Some((same, many + 1)),
                Some(other) => {
                    put(other);
                    Some((at, 1))
                }
                None => Some((at, 1)),
            };
        }
        run.into_iter().for_each(&mut put);
        writeln!(map, "{}", row.trim_end()).expect("text");
    }
    for (letter, style) in ('a'..='z').zip(&known) {
        let colour = |color: Option<Color>| color.map_or_else(String::new, |color| color.to_string());
        let attributes = format!("{:?}", style.add_modifier);
        writeln!(
            map,
            "{letter}: {} on {} {attributes}",
            colour(style.fg),
            colour(style.bg)
        )
        .expect("text");
    }
    map
}

/// The rows of a frame that contain that sign.
fn rows_with(buffer: &Buffer, sign: &str) -> BTreeSet<u16> {
    let cells = buffer.content.iter().enumerate();
    let found = cells.filter(|(_, cell)| cell.symbol() == sign);
    found.map(|(at, _)| buffer.pos_of(at).1).collect()
}

fn check(name: &str, all: &str) {
    snapshots::check_text(&format!("every_{name}"), all);
}

#[test]
fn every_view_in_every_size_and_state_looks_as_it_should() {
    for (name, tab, keys) in VIEWS {
        let mut all = String::new();
        for case in CASES {
            for size in SIZES {
                let mut dashboard = dashboard(case, size, (tab, keys));
                let buffer = frame(&mut dashboard, ColourDepth::Sixteen, Glyphs::Unicode);
                writeln!(all, "== {case:?} {}x{}\n{}", size.0, size.1, folded(&buffer)).expect("text");
                if (case, size) == (Case::Normal, (80, 24)) {
                    writeln!(all, "== its styles\n{}", styles(&buffer)).expect("text");
                }
            }
        }
        check(name, &all);
    }
}

#[test]
fn without_colours_and_without_unicode_the_same_is_said_at_the_same_places() {
    let mut frames = 0;
    for (name, tab, keys) in VIEWS {
        for (case, size) in CASES.into_iter().flat_map(|case| SIZES.map(|size| (case, size))) {
            let mut dashboard = dashboard(case, size, (tab, keys));
            let full = frame(&mut dashboard, ColourDepth::Sixteen, Glyphs::Unicode);
            let worded = rows_with(&full, "⊘");
            for (palette, glyphs) in [
                (ColourDepth::Mono, Glyphs::Unicode),
                (ColourDepth::Sixteen, Glyphs::Ascii),
                (ColourDepth::Mono, Glyphs::Ascii),
            ] {
                let plain = frame(&mut dashboard, palette, glyphs);
                frames += 1;
                for (at, (one, other)) in full.content.iter().zip(&plain.content).enumerate() {
                    let place = full.pos_of(at);
                    // A sign without an ASCII counterpart becomes a word, which moves the rest of the line.
                    if glyphs == Glyphs::Ascii && worded.contains(&place.1) {
                        continue;
                    }
                    // An empty place in an ASCII chart is dotted.
                    let same = one.symbol() == other.symbol() || (one.symbol(), other.symbol()) == (" ", ".");
                    assert!(
                        same || (glyphs == Glyphs::Ascii
                            && !one.symbol().is_ascii()
                            && other.symbol().is_ascii()),
                        "{name} {case:?} {size:?} {place:?}: {:?} became {:?}\n{}",
                        one.symbol(),
                        other.symbol(),
                        text(&plain)
                    );
                    assert!(
                        palette != ColourDepth::Mono
                            || (other.fg == Color::Reset && other.bg == Color::Reset),
                        "{name} {case:?} {size:?} {place:?} has a colour"
                    );
                }
            }
        }
    }
    assert!(frames > 1_000, "{frames}");
}

/// The texts in the lines around panes: titles and notes.
fn headings(frame: &str) -> Vec<&str> {
    let is_line = |letter: char| ('\u{2500}'..='\u{257f}').contains(&letter);
    let lines = frame.lines().filter(|line| line.contains("──"));
    let texts = lines.flat_map(|line| line.split(is_line)).map(str::trim);
    texts.filter(|text| !text.is_empty()).collect()
}

/// A view whose key changed its meaning would be missing from the matrix.
#[test]
fn each_view_of_the_matrix_is_the_one_it_is_named_after() {
    let titles = [
        "Board",
        "Agents",
        "Board",
        "Board",
        "Task dbs-4",
        "Log",
        "dbs-7 developer-milhaud  as it was",
        "Inbox",
        "Stats",
        "Diff dbs-4",
        "Gates",
        "Dependencies",
        "Sessions",
        "Agents",
        "Agents",
        "Help",
        "Palette",
    ];
    for ((name, tab, keys), title) in VIEWS.into_iter().zip(titles) {
        let text = dashboard(Case::Normal, (120, 40), (tab, keys)).text();
        assert!(
            headings(&text).iter().any(|heading| heading.starts_with(title)),
            "{name}: {text}"
        );
        assert!(
            !text.contains(" not now: ") || name == "palette",
            "{name}: {text}"
        );
    }
}

/// A review by eye needs all texts in one place; `docs/wording.md` says what to look for.
#[test]
fn every_heading_hint_and_action_is_listed_for_a_review_by_eye() {
    let mut all = String::new();
    for (name, tab, keys) in VIEWS {
        writeln!(all, "== {name}").expect("text");
        for case in [Case::Normal, Case::Empty, Case::Degraded] {
            let frame = dashboard(case, (120, 40), (tab, keys)).text();
            let hints = frame.lines().last().map(str::trim).unwrap_or_default();
            let headings = headings(&frame).join(" | ");
            writeln!(all, "{case:?}\n  headings: {headings}\n  hints: {hints}").expect("text");
        }
    }
    for entry in entries() {
        let (synonyms, title) = (entry.synonyms.join(", "), entry.title);
        writeln!(all, "{title}: {} ({synonyms})", entry.help).expect("text");
    }
    check("text", &all);
}
