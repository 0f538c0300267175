//! Frames as a person sees them. Look at them when they change: they must look like something one wants to use.

use dbs::domain::{NoticeLevel, PauseReason, Span};
use dbs::ui::{ColourDepth, Glyphs, SessionKind, Theme};
use ratatui::style::{Color, Style};

use crate::fixture::Dashboard;

pub(crate) const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];

/// Looks that have less than colours and Unicode.
const PLAIN: [(&str, ColourDepth, Glyphs); 2] = [
    ("mono", ColourDepth::Mono, Glyphs::Unicode),
    ("ascii", ColourDepth::Sixteen, Glyphs::Ascii),
];

/// Compares a frame with the one that is kept under that name and its size.
pub(crate) fn check(name: &str, dashboard: &Dashboard) {
    let (width, height) = dashboard.state.size;
    check_text(&format!("{name}_{width}x{height}"), &dashboard.text());
}

/// Compares a text with the one that is kept under that name.
pub(crate) fn check_text(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn at_every_size(name: &str, keys: &str) {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press(keys);
        check(name, &dashboard);
    }
}

fn empty_at_every_size(name: &str, keys: &str) {
    for size in SIZES {
        let mut dashboard = Dashboard::empty(size);
        dashboard.press(keys);
        check(name, &dashboard);
    }
}

#[test]
fn the_inbox() {
    at_every_size("inbox", "5 j j j");
    for (name, palette, glyphs) in PLAIN {
        let mut dashboard = Dashboard::full((80, 24));
        dashboard.theme = Theme::builtin(palette, glyphs);
        dashboard.press("5");
        check(&format!("inbox_{name}"), &dashboard);
    }
    empty_at_every_size("inbox_empty", "5");
}

#[test]
fn what_a_task_changed() {
    at_every_size("diff", "3 g d");
    let plain: Vec<_> = PLAIN
        .into_iter()
        .flat_map(|look| SIZES.map(|size| (look, size)))
        .collect();
    for ((name, palette, glyphs), size) in plain {
        let mut dashboard = Dashboard::full(size);
        dashboard.theme = Theme::builtin(palette, glyphs);
        dashboard.press("3 g d J");
        check(&format!("diff_{name}"), &dashboard);
    }
    for (name, keys) in [("none", "3 G d"), ("review", "3 g d ="), ("coming", "3 g j d")] {
        at_every_size(&format!("diff_{name}"), keys);
    }
}

#[test]
fn the_checks() {
    at_every_size("gates", "3 C");
    for (name, palette, glyphs) in PLAIN {
        for size in [(60, 15), (120, 40)] {
            let mut dashboard = Dashboard::full(size);
            dashboard.theme = Theme::builtin(palette, glyphs);
            dashboard.press("3 C j j");
            check(&format!("gates_{name}"), &dashboard);
        }
    }
    empty_at_every_size("gates_empty", "3 C");
}

#[test]
fn the_log_and_what_a_terminal_showed_then() {
    let mut dashboard = Dashboard::full((60, 15));
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Ascii);
    dashboard.press("4 k k");
    check("log_plain", &dashboard);
    empty_at_every_size("log_empty", "4");
    at_every_size("moment", "4 k k Enter");
}

#[test]
fn what_happened_while_nobody_looked_and_that_all_is_over() {
    use dbs::domain::TaskState;
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard
            .state
            .set_away_since(Some(dashboard.now - Span::minutes(30)), dashboard.now);
        check("away", &dashboard);
        dashboard.press("j");
        assert!(!dashboard.text().contains("While you were away"));
    }
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        let ids: Vec<String> = dashboard.board.tasks.keys().map(ToString::to_string).collect();
        for id in ids {
            dashboard.change(&id, |task| {
                task.open_attempt = None;
                if !task.state.is_terminal() {
                    task.state = TaskState::Done;
                }
            });
        }
        dashboard.press("3");
        check("over", &dashboard);
    }
}

#[test]
fn the_sessions_and_the_way_to_another() {
    at_every_size("sessions", "3 C-b s");
    let mut dashboard = Dashboard::full((60, 15));
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Ascii);
    dashboard.press("3 C-b s j");
    check("sessions_plain", &dashboard);
    assert_eq!(dashboard.press("Enter"), [], "nobody goes where they are");
    let there = dbs::ui::UiRequest::SwitchSession("/home/ann/website".to_owned());
    assert_eq!(dashboard.press("j Enter"), [there]);
}

#[test]
fn the_figures() {
    at_every_size("metrics", "3 M");
    for (name, palette, glyphs) in PLAIN {
        for size in [(60, 15), (120, 40)] {
            let mut dashboard = Dashboard::full(size);
            dashboard.theme = Theme::builtin(palette, glyphs);
            dashboard.press("6 M");
            check(&format!("metrics_{name}"), &dashboard);
        }
    }
    empty_at_every_size("metrics_empty", "6");
}

#[test]
fn what_waits_for_what() {
    let deps = |dashboard: &mut Dashboard| {
        for (task, on) in [
            ("dbs-20", "dbs-14"),
            ("dbs-13", "dbs-5"),
            ("dbs-19", "dbs-20"),
            ("dbs-21", "dbs-18"),
        ] {
            dashboard.change(task, |task| task.deps = [on.into()].into());
        }
        dashboard.cache = crate::cache_entries::cache(&dashboard.model);
    };
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        deps(&mut dashboard);
        dashboard.press("3 D j");
        check("graph", &dashboard);
    }
    for (name, palette, glyphs) in PLAIN {
        let mut dashboard = Dashboard::full((60, 15));
        deps(&mut dashboard);
        dashboard.theme = Theme::builtin(palette, glyphs);
        dashboard.press("3 D j j l");
        check(&format!("graph_{name}"), &dashboard);
    }
    empty_at_every_size("graph_empty", "3 D");
}

#[test]
fn the_help() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("?");
        check("help", &dashboard);
        dashboard.press("s t o p");
        check("help_search", &dashboard);
    }
}

#[test]
fn the_palette() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press(":");
        check("palette", &dashboard);
        dashboard.press("r e t Down");
        check("palette_found", &dashboard);
    }
}

#[test]
fn a_list_that_is_searched_and_one_that_is_filtered() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3");
        dashboard.press("/ r e");
        check("find", &dashboard);
        dashboard.press("Enter");
        check("filtered", &dashboard);
    }
}

#[test]
fn a_terminal_that_is_held_still() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3");
        dashboard.press("g Enter / t e s t Enter V k");
        check("copy", &dashboard);
    }
}

#[test]
fn forms_labels_marks_and_undo() {
    for (name, keys) in [
        ("form", "n f i x Tab"),
        ("form_tags", "n Tab Tab s"),
        ("form_needs", "n Up Up Up Up Up l o g"),
        ("jump", "f"),
        ("marked", "v v"),
        ("undo", "s"),
        ("discard", "X"),
    ] {
        at_every_size(name, keys);
    }
}

#[test]
fn the_keys_after_the_prefix() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("C-b");
        dashboard.now = dashboard.now + Span(400);
        check("prefix", &dashboard);
    }
}

#[test]
fn prompts_questions_and_choices() {
    for (name, keys) in [
        ("ask", ": @ d b s - 8 Enter b n o Space t e s t"),
        ("confirm", "x"),
        ("choose", "C-b %"),
        ("panes", "C-b w"),
    ] {
        at_every_size(name, keys);
    }
}

#[test]
fn a_paused_rehearsal_that_has_something_to_say() {
    for size in SIZES {
        let mut dashboard = Dashboard::full(size);
        dashboard.session.kind = SessionKind::Rehearsal;
        dashboard.model.pause = Some(PauseReason::Operator {
            by: "ann".to_owned(),
            at: dashboard.now - Span::minutes(3),
        });
        dashboard
            .state
            .show_toast(dashboard.now, NoticeLevel::Success, "released dbs-20");
        dashboard.state.show_toast(
            dashboard.now,
            NoticeLevel::Error,
            "could not push: the remote does not answer",
        );
        check("rehearsal", &dashboard);
    }
}

/// Every style of a frame, in the order of first use, and a map of where each is used.
fn styles(dashboard: &Dashboard) -> String {
    let (buffer, _) = dashboard.frame();
    let mut seen: Vec<Style> = Vec::new();
    let mut map = String::new();
    for y in buffer.area.y..buffer.area.bottom() {
        for x in buffer.area.x..buffer.area.right() {
            let style = buffer[(x, y)].style();
            let at = seen.iter().position(|known| *known == style).unwrap_or_else(|| {
                seen.push(style);
                seen.len() - 1
            });
            map.push(char::from_digit(u32::try_from(at).expect("few"), 36).expect("few"));
        }
        map.push('\n');
    }
    let mut key = |(at, style): (usize, &Style)| {
        let digit = char::from_digit(u32::try_from(at).expect("few"), 36).expect("few");
        format!(
            "{digit} fg {:?} bg {:?} {:?}\n",
            style.fg, style.bg, style.add_modifier
        )
    };
    let legend: String = seen.iter().enumerate().map(&mut key).collect();
    format!("{}\n{map}\n{legend}", dashboard.text())
}

#[test]
fn styles_say_with_colour_what_words_say_already() {
    for (name, palette) in [("sixteen", ColourDepth::Sixteen), ("mono", ColourDepth::Mono)] {
        let mut dashboard = Dashboard::full((80, 24));
        dashboard.theme = Theme::builtin(palette, Glyphs::Unicode);
        check_text(&format!("styles_{name}"), &styles(&dashboard));
    }
}

#[test]
fn without_colours_not_even_an_agent_has_any() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.theme = Theme::builtin(ColourDepth::Mono, Glyphs::Unicode);
    for keys in ["2", "3 g i"] {
        dashboard.press(keys);
        let (buffer, _) = dashboard.frame();
        assert!(
            buffer
                .content
                .iter()
                .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
        );
    }
}

#[test]
fn words_in_what_all_agents_have_shown() {
    let dashboard = |size| {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("3 F t e s t");
        let paper = dbs::ui::CacheKey::Search("test".to_owned());
        let found = std::sync::Arc::new(crate::output_search::found());
        dashboard
            .cache
            .put(paper, dbs::ui::CacheEntry::Search(found), crate::fixture::NOW);
        dashboard
    };
    for size in SIZES {
        check("past", &dashboard(size));
    }
}
