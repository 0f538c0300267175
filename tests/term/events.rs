//! Events of a terminal besides its screen.

use crate::screen::{fed, row, terminal, text};
use dbs::term::{
    Color, CursorShape, DesktopNotification, EmulatorKind, KittyFlags, MouseEncoding, MouseMode,
    ProgressReport, PromptMark, ReportedState, Size, StatusRecord, TermEvent, TermMode, Terminal,
};

fn events(bytes: &[u8]) -> Vec<TermEvent> {
    let [rio, vt100] = EmulatorKind::ALL.map(|kind| terminal(kind, 40, 10).feed(0, bytes));
    assert_eq!(rio, vt100);
    rio
}

fn notification(title: &str, body: &str) -> TermEvent {
    TermEvent::Notification(DesktopNotification {
        title: title.to_owned(),
        body: body.to_owned(),
    })
}

#[test]
fn status_records_are_read() {
    let got = events(
        b"\x1b]7501;state=working:app=claude-code\x07\
          \x1b]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNo\x1b\\\
          \x1b]7501;state=working:app=claude-code:id=a78e39:title=RXhwbG9yZQ==:later=x\x07\
          \x1b]7501;state=clear:id=a78e39\x07\x1b]7501;state=unheard-of\x07\x1b]7501;app=x\x07",
    );
    let claude = || StatusRecord {
        app: Some("claude-code".to_owned()),
        ..StatusRecord::default()
    };
    let child = Some("a78e39".to_owned());
    assert_eq!(
        got,
        [
            TermEvent::AgentState(StatusRecord {
                state: ReportedState::Working,
                ..claude()
            }),
            TermEvent::AgentState(StatusRecord {
                state: ReportedState::Blocked,
                kind: Some("permission".to_owned()),
                text: Some("approve Bash".to_owned()),
                ..claude()
            }),
            TermEvent::AgentState(StatusRecord {
                state: ReportedState::Working,
                id: child.clone(),
                title: Some("Explore".to_owned()),
                ..claude()
            }),
            TermEvent::AgentState(StatusRecord {
                state: ReportedState::Clear,
                id: child,
                ..StatusRecord::default()
            }),
        ]
    );
}

#[test]
fn titles_are_sanitised_kept_and_stacked() {
    let mut terminal = terminal(EmulatorKind::Rio, 40, 10);
    assert_eq!(
        terminal.feed(0, "\x1b]0;✳ Claude; Code\x07".as_bytes()),
        [TermEvent::Title("✳ Claude; Code".to_owned())]
    );
    assert_eq!(terminal.feed(0, "\x1b]2;✳ Claude; Code\x07".as_bytes()), []);
    terminal.feed(0, b"\x1b[22;0t\x1b]2;inner\x07");
    assert_eq!(
        terminal.feed(0, b"\x1b[23;0t"),
        [TermEvent::Title("✳ Claude; Code".to_owned())]
    );
    terminal.feed(0, "\x1b]2;evil\u{202e}\u{9b}31m\u{200b}\x07".as_bytes());
    assert_eq!(terminal.title(), "evil\\u{202e}\\u{9b}31m\\u{200b}");
    terminal.feed(0, format!("\x1b]2;{}\x07", "x".repeat(10_000)).as_bytes());
    assert_eq!(terminal.title().len(), 256);
}

#[test]
fn notifications_become_events() {
    assert_eq!(
        events(b"\x1b]9;done\x07\x1b]777;notify;Title;Body; more\x07\x1b]99;i=1:d=0;Hello\x1b\\\x1b]99;p=body:e=1;SGk=\x1b\\\x1b]99;p=?;\x07"),
        [notification("", "done"), notification("Title", "Body; more"), notification("Hello", ""), notification("", "Hi")]
    );
}

#[test]
fn progress_becomes_an_event_and_other_numbers_no_notification() {
    assert_eq!(
        events(b"\x1b]9;4;1;50\x07\x1b]9;4;3\x07\x1b]9;4;2;300\x07\x1b]9;4;0\x07\x1b]9;9;C:\\\x07\x1b]9;3 files\x07"),
        [
            TermEvent::Progress(ProgressReport::Percent(50)),
            TermEvent::Progress(ProgressReport::Indeterminate),
            TermEvent::Progress(ProgressReport::Error(0)),
            TermEvent::Progress(ProgressReport::None),
            notification("", "3 files"),
        ]
    );
}

#[test]
fn shell_marks_and_folders_become_events() {
    assert_eq!(
        events(b"\x1b]133;A\x07\x1b]133;B\x07\x1b]133;C\x07\x1b]133;D;3\x07\x1b]133;D\x07\x1b]7;file://host/a%20b/%C3%A4\x1b\\\x1b]7;http://host/x\x07\x1b]7;/x\x07"),
        [
            TermEvent::Prompt(PromptMark::PromptStart),
            TermEvent::Prompt(PromptMark::CommandStart),
            TermEvent::Prompt(PromptMark::OutputStart),
            TermEvent::Prompt(PromptMark::CommandEnd(Some(3))),
            TermEvent::Prompt(PromptMark::CommandEnd(None)),
            TermEvent::Cwd {
                host: "host".to_owned(),
                path: "/a b/ä".to_owned()
            },
        ]
    );
}

#[test]
fn the_clipboard_can_be_asked_for_writing_only() {
    assert_eq!(
        events(b"\x1b]52;c;aGVsbG8=\x07\x1b]52;c;?\x07\x1b]52;c;not base64!\x07"),
        [TermEvent::Clipboard(b"hello".to_vec())]
    );
}

#[test]
fn many_bells_are_one_and_events_are_limited() {
    assert_eq!(events(&b"\x07".repeat(5000)), [TermEvent::Bell]);
    assert_eq!(events(b"\x1b]2;no bell\x07").len(), 1);
    assert_eq!(events(b"\x1b[2\x07C"), [TermEvent::Bell]);
    assert_eq!(events(&b"\x1b]9;hi\x07".repeat(5000)).len(), 256);
}

#[test]
fn a_flood_keeps_neither_the_last_title_nor_the_last_state_away() {
    let mut bytes = Vec::new();
    for number in 0..1_000 {
        bytes.extend(format!("\x1b]0;title {number}\x07").bytes());
    }
    bytes.extend(b"\x1b]7501;state=idle\x07\x1b]0;last\x07");
    let got = events(&bytes);
    let idle = TermEvent::AgentState(StatusRecord::default());
    assert_eq!(got.len(), 256);
    assert_eq!(&got[254..], [idle.clone(), TermEvent::Title("last".to_owned())]);
    let mut bytes = b"\x1b]9;note\x07".repeat(1_000);
    bytes.extend(b"\x1b]7501;state=working:id=a\x07\x1b]7501;state=idle\x07");
    let got = events(&bytes);
    assert_eq!((got.len(), got.last()), (256, Some(&idle)));
}

#[test]
fn forgetting_the_history_is_marked_and_not_done() {
    for kind in EmulatorKind::ALL {
        let mut terminal = fed(kind, 10, 3, b"1\r\n2\r\n3\r\n4\r\n5");
        let before = terminal.history_len();
        assert_eq!(before, 2, "{}", kind.name());
        // The clear sequence of an agent that redraws everything.
        assert_eq!(
            terminal.feed(0, b"\x1b[2J\x1b[3J\x1b[H"),
            [TermEvent::HistoryMark]
        );
        assert!(terminal.history_len() >= before, "{}", kind.name());
        terminal.feed(0, b"\x1bc");
        assert!(terminal.history_len() >= before, "{}", kind.name());
        let mut cells = Vec::new();
        let back = terminal.history_len();
        terminal.visible_row(0, back, &mut cells);
        assert_eq!(cells[0].text, "1", "{}", kind.name());
    }
}

#[test]
fn modes_are_kept_and_reset() {
    for kind in EmulatorKind::ALL {
        let mut terminal = fed(
            kind,
            40,
            10,
            b"\x1b[?1;1004;2004;1003;1006h\x1b=\x1b[>5u\x1b[>4;2m\x1b[6 q\x1b[?25l",
        );
        let modes = *terminal.modes();
        for mode in [
            TermMode::ApplicationCursor,
            TermMode::FocusReports,
            TermMode::BracketedPaste,
            TermMode::ApplicationKeypad,
        ] {
            assert!(modes.has(mode), "{mode:?}");
        }
        assert_eq!(
            (modes.mouse, modes.mouse_encoding),
            (MouseMode::Motion, MouseEncoding::Sgr)
        );
        assert_eq!(
            (modes.kitty, modes.modify_other_keys),
            (KittyFlags::from_number(5), 2)
        );
        let cursor = terminal.cursor();
        assert_eq!((cursor.visible, cursor.shape), (false, CursorShape::SteadyBar));
        terminal.feed(0, b"\x1bc");
        assert!(!terminal.modes().has(TermMode::BracketedPaste));
        assert_eq!(
            (terminal.modes().mouse, terminal.modes().kitty),
            (MouseMode::Off, KittyFlags::default())
        );
        assert!(terminal.cursor().visible);
    }
}

#[test]
fn a_frame_is_held_for_at_most_150_milliseconds() {
    let mut terminal = terminal(EmulatorKind::Rio, 40, 10);
    assert!(terminal.presentable(1000));
    terminal.feed(1000, b"\x1b[?2026hhalf");
    assert!(!terminal.presentable(1000));
    assert!(!terminal.presentable(1149));
    assert!(terminal.presentable(1150));
    // A second start does not extend the hold.
    terminal.feed(1100, b"\x1b[?2026h");
    assert!(terminal.presentable(1150));
    terminal.feed(1200, b"\x1b[?2026l\x1b[?2026h");
    assert!(!terminal.presentable(1201));
    terminal.resize(Size::new(50, 10));
    assert!(terminal.presentable(1201));
    terminal.feed(1300, b"\x1b[?2026l\x1b[?2026h\x1b[?2026l");
    assert!(terminal.presentable(1300));
}

#[test]
fn a_clock_that_is_set_back_holds_no_frame_for_longer() {
    const HOUR: u64 = 3_600_000;
    let mut terminal = terminal(EmulatorKind::Rio, 40, 10);
    terminal.feed(2 * HOUR, b"\x1b[?2026hhalf");
    assert!(terminal.presentable(HOUR), "the start of the update is unknown");
    terminal.feed(HOUR, b"more");
    assert!(!terminal.presentable(HOUR + 149));
    assert!(terminal.presentable(HOUR + 150));
    terminal.feed(HOUR + 200, b"\x1b[?2026l\x1b[?2026h");
    assert!(!terminal.presentable(HOUR + 349));
    assert!(terminal.presentable(HOUR + 350));
}

#[test]
fn links_are_kept_for_three_schemes_only() {
    let mut terminal = fed(
        EmulatorKind::Rio,
        40,
        3,
        b"\x1b]8;;https://example.org/a;b\x1b\\L\x1b]8;;javascript:x\x1b\\M\x1b]8;id=1;file:///etc\x07N\x1b]8;;\x07O",
    );
    assert_eq!(text(&mut terminal), "LMNO");
    assert_eq!(
        terminal.hyperlink(0, 0, 0).as_deref(),
        Some("https://example.org/a%3Bb")
    );
    assert_eq!(terminal.hyperlink(0, 1, 0), None);
    assert_eq!(terminal.hyperlink(0, 2, 0).as_deref(), Some("file:///etc"));
    assert_eq!(terminal.hyperlink(0, 3, 0), None);
    assert_eq!(terminal.hyperlink(99, 99, 99), None);
}

#[test]
fn selected_text_joins_what_was_wrapped() {
    for kind in EmulatorKind::ALL {
        let mut terminal = fed(kind, 5, 4, "hello world\r\n日本x\r\nend".as_bytes());
        assert_eq!(terminal.text(0, 3, 1), "hello world\n日本x", "{}", kind.name());
        assert_eq!(
            terminal.text_between((2, 1), (2, 5), 0),
            "日本x",
            "{}",
            kind.name()
        );
        assert_eq!(
            terminal.text_between((2, 2), (3, 2), 0),
            "本x\nen",
            "{}",
            kind.name()
        );
    }
}

#[test]
fn narrowing_and_widening_keeps_the_text_on_the_default_emulator() {
    let mut terminal = fed(EmulatorKind::Rio, 20, 5, b"0123456789abcdefghij\r\nnext");
    for cols in [7, 3, 12, 20] {
        terminal.resize(Size::new(cols, 5));
        assert_eq!(
            everything(&mut terminal),
            "0123456789abcdefghij\nnext",
            "{cols} columns"
        );
    }
    assert_eq!(text(&mut terminal), "0123456789abcdefghij\nnext");
}

/// The history and the screen, with wrapped rows joined.
fn everything(terminal: &mut Terminal) -> String {
    let mut rows: Vec<(u16, usize)> = (1..=terminal.history_len()).rev().map(|back| (0, back)).collect();
    rows.extend((0..terminal.size().rows).map(|row| (row, 0)));
    let mut text = String::new();
    let mut cells = Vec::new();
    for (row, back) in rows {
        terminal.visible_row(row, back, &mut cells);
        let line: String = cells.iter().map(|cell| cell.text.as_str()).collect();
        let wraps = terminal.row_wraps(row, back);
        text.push_str(if wraps { &line } else { line.trim_end() });
        text.push_str(if wraps { "" } else { "\n" });
    }
    text.trim_end().to_owned()
}

#[test]
fn sizes_are_brought_into_range() {
    for kind in EmulatorKind::ALL {
        for (cols, rows) in [(0, 0), (1, 1), (u16::MAX, u16::MAX), (1, 500)] {
            let mut terminal = fed(kind, cols, rows, "日本\r\nx".as_bytes());
            let size = terminal.size();
            assert!((2..=1000).contains(&size.cols) && (2..=1000).contains(&size.rows));
            assert_eq!(row(&mut terminal, 0).len(), usize::from(size.cols));
        }
    }
}

#[test]
fn a_panic_inside_the_emulator_costs_only_the_history() {
    // A sign that becomes wide in the last column of the last row, and then a redraw above it.
    let mut terminal = fed(EmulatorKind::Vt100, 10, 3, b"first\r\n\x1b[31mred\x1b[m");
    let events = terminal.feed(0, "\x1b[3;10H\u{26a0}\u{fe0f}\x1b[2;1H0123456789ab".as_bytes());
    assert_eq!(events, [TermEvent::EmulatorRebuilt]);
    assert_eq!(text(&mut terminal), "red\n0123456789");
    assert_eq!(row(&mut terminal, 0)[0].style.fg, Color::Indexed(1));
    terminal.feed(0, b"\x1b[2J\x1b[Hon it goes");
    assert!(text(&mut terminal).starts_with("on it goes"));
}

#[test]
fn a_title_comes_also_as_screen_and_tmux_take_it() {
    let mut terminal = terminal(EmulatorKind::Rio, 20, 3);
    let events = terminal.feed(0, b"a\x1bkvim\x1b\\b\x1bk\xe2\x80\xaex\x1b\\");
    assert_eq!(text(&mut terminal), "ab");
    assert_eq!(
        events,
        [
            TermEvent::Title("vim".to_owned()),
            TermEvent::Title("\\u{202e}x".to_owned())
        ]
    );
}

#[test]
fn the_wheel_of_the_next_program_works_whatever_the_last_one_left() {
    let mut terminal = fed(
        EmulatorKind::Rio,
        20,
        3,
        b"\x1b[?1049h\x1b[?1007l\x1b[?1049l\x1b[?1049h",
    );
    assert!(terminal.modes().has(TermMode::AlternateScroll));
    terminal.feed(0, b"\x1b[?1007l");
    assert!(!terminal.modes().has(TermMode::AlternateScroll));
}

#[test]
fn joined_rows_keep_their_spaces_and_a_wide_character_that_did_not_fit_leaves_none() {
    for kind in EmulatorKind::ALL {
        let mut terminal = fed(kind, 6, 3, "one   two".as_bytes());
        assert_eq!(terminal.text(0, 2, 0).trim_end(), "one   two", "{}", kind.name());
    }
    let mut terminal = fed(EmulatorKind::Rio, 6, 3, "12345日本".as_bytes());
    assert_eq!(terminal.text(0, 2, 0).trim_end(), "12345日本");
}
