//! Terminals as the interface reads them, and keys as they are sent to programs.

use dbs::term::{EmulatorKind, Size, Terminal};
use dbs::ui::{LiveScreen, MouseReporting, ScreenRead};
use ratatui::style::{Color, Modifier};

#[test]
fn a_terminal_is_shown_cell_by_cell_with_its_styles() {
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(20, 3), 100);
    terminal.feed(0, "a\x1b[1;31mb\x1b[0m日c".as_bytes());
    let mut screen = LiveScreen::new(&mut terminal, true);
    let mut seen = Vec::new();
    screen.cells(0, &mut |column, row, text, style| {
        if text != " " {
            seen.push((column, row, text.to_owned(), style.fg, style.add_modifier));
        }
    });
    let plain = |column, text: &str| (column, 0, text.to_owned(), None, Modifier::empty());
    let bold = (1, 0, "b".to_owned(), Some(Color::Indexed(1)), Modifier::BOLD);
    assert_eq!(seen, [plain(0, "a"), bold, plain(2, "日"), plain(4, "c")]);
    assert_eq!(
        screen.cursor().map(|cursor| (cursor.column, cursor.row)),
        Some((5, 0))
    );
}

#[test]
fn what_is_cut_stays_where_the_program_writes_also_with_its_cursor_hidden() {
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(40, 30), 10);
    terminal.feed(0, b"one\r\ntwo\r\n\x1b[?25l");
    assert_eq!(LiveScreen::new(&mut terminal, true).cursor(), None);
    assert_eq!(LiveScreen::new(&mut terminal, true).output_row(), 2);
    // A full-screen program may leave its hidden cursor anywhere.
    terminal.feed(0, b"\x1b[?1049h\x1b[5;5H");
    assert_eq!(LiveScreen::new(&mut terminal, true).output_row(), 29);
}

#[test]
fn the_last_line_is_the_last_that_says_something() {
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(40, 6), 10);
    terminal.feed(
        0,
        "Reading login.rs\r\n│  Wrote 12 lines   │\r\n────\r\n>  \r\n── a title ──\r\n".as_bytes(),
    );
    assert_eq!(LiveScreen::new(&mut terminal, true).last_line(), "Wrote 12 lines");
    let mut empty = Terminal::new(EmulatorKind::Rio, Size::new(40, 6), 10);
    assert_eq!(LiveScreen::new(&mut empty, true).last_line(), "");
}

#[test]
fn what_a_program_wants_is_known() {
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(20, 3), 100);
    assert_eq!(
        LiveScreen::new(&mut terminal, true).mouse_reporting(),
        MouseReporting::default()
    );
    terminal.feed(0, b"\x1b[?1002h\x1b[?1049h");
    let wants = LiveScreen::new(&mut terminal, true).mouse_reporting();
    assert!(wants.reports && wants.wheel_keys);
}

#[test]
fn a_program_that_draws_our_whole_frame_draws_it_in_its_own_pane_and_nowhere_else() {
    use crate::fixture::{Dashboard, text};
    use dbs::ui::ScreenId;

    for size in [(120, 40), (160, 50), (200, 60)] {
        let mut dashboard = Dashboard::classic(size);
        dashboard.screens.put(ScreenId::Shell(1), "");
        let (calm, layout) = dashboard.frame();
        let shell = layout
            .panes
            .iter()
            .find(|pane| pane.screen == Some(ScreenId::Shell(1)));
        let area = shell.expect("a shell").area;
        let ours = text(&Dashboard::full((100, 30)).frame().0);
        let wide = "日".repeat(50);
        for drawn in [
            ours.as_str(),
            &vec![wide.as_str(); 30].join("\n"),
            &format!("x{wide}\n").repeat(30),
        ] {
            dashboard.screens.put(ScreenId::Shell(1), drawn);
            let (frame, _) = dashboard.frame();
            let mut changed = 0;
            for (y, x) in (0..size.1).flat_map(|y| (0..size.0).map(move |x| (y, x))) {
                if frame[(x, y)] == calm[(x, y)] {
                    continue;
                }
                assert!(
                    area.contains((x, y).into()),
                    "{x} {y} is not in {area:?} at {size:?}"
                );
                let is_wide = frame[(x, y)].symbol().starts_with('日');
                assert!(
                    !is_wide || x + 1 < area.right(),
                    "half of the cell is over the edge at {x} {y}"
                );
                changed += 1;
            }
            assert!(changed > 20, "the program is not drawn at {size:?}");
        }
    }
}
