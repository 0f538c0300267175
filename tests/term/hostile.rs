//! Hostile bytes: memory and time stay bounded, and the screen keeps working.

use crate::screen::{fed, halves_match, replies, row, terminal, text};
use dbs::term::{EmulatorKind, Size};

/// Asserts that a screen still works after any bytes.
fn still_works(kind: EmulatorKind, hostile: &[u8], what: &str) {
    let mut terminal = terminal(kind, 20, 5);
    terminal.feed(0, hostile);
    terminal.feed(0, b"\x18\x1bc\x1b[2J\x1b[Hfine");
    assert!(
        text(&mut terminal).starts_with("fine"),
        "{what} on {}: {:?}",
        kind.name(),
        text(&mut terminal)
    );
}

#[test]
fn hostile_bytes_leave_a_working_screen() {
    let mut marks = String::from("a");
    marks.extend(std::iter::repeat_n('\u{301}', 20_000));
    let mut family = String::new();
    family.extend(std::iter::repeat_n("\u{1f468}\u{200d}", 20_000));
    let mut spread = String::new();
    spread.extend(std::iter::repeat_n(
        "\x1b[1;1Hb\u{301}\u{301}\x1b[1;2H\u{302}",
        5000,
    ));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("unterminated osc", [b"\x1b]0;".to_vec(), vec![b'x'; 3 << 20]].concat()),
        ("unterminated dcs", [b"\x1bP".to_vec(), vec![b'x'; 3 << 20]].concat()),
        ("unterminated apc", [b"\x1b_G".to_vec(), vec![b'x'; 3 << 20]].concat()),
        ("unterminated csi", [b"\x1b[".to_vec(), vec![b'1'; 1 << 20]].concat()),
        ("escape with endless intermediates", [b"\x1b".to_vec(), vec![b' '; 1 << 20]].concat()),
        ("many combining marks", marks.into_bytes()),
        ("endless family", family.into_bytes()),
        ("marks spread over sequences", spread.into_bytes()),
        ("repeats", b"a\x1b[65535b".repeat(200)),
        ("repeated marks", "e\u{301}\x1b[65535b\u{1100}\x1b[65535b".repeat(50).into_bytes()),
        ("huge counts", b"\x1b[65535L\x1b[65535M\x1b[65535@\x1b[65535P\x1b[65535S\x1b[65535T\x1b[65535X\x1b[65535I\x1b[65535Z".repeat(200)),
        ("nuls", vec![0; 1 << 20]),
        ("invalid utf-8", (0..1 << 18).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 0x80).collect()),
        ("surrogates and overlong", b"\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80\xf8\x88\x80\x80\x80".repeat(1000)),
        ("escapes", vec![0x1b; 1 << 18]),
        ("screens", b"\x1b[?1049h\x1b[?1049l".repeat(5000)),
        ("resets", b"\x1b[3g\x1bc".repeat(2000)),
        ("pushes", b"\x1b[>31u\x1b[22t\x1b7".repeat(20_000)),
        ("links", (0..20_000).flat_map(|n| format!("\x1b]8;;https://h/{n}\x07x").into_bytes()).collect()),
        ("colours", (0..70_000u32).flat_map(|n| format!("\x1b[38;2;{};{};{}mx", n & 255, n >> 8 & 255, n >> 16).into_bytes()).collect()),
    ];
    for kind in EmulatorKind::ALL {
        for (what, bytes) in &cases {
            still_works(kind, bytes, what);
        }
    }
}

#[test]
fn at_most_sixteen_marks_stay_on_one_place() {
    let marks = |count: usize| "\u{301}".repeat(count);
    for kind in EmulatorKind::ALL {
        let most = row(&mut fed(kind, 10, 3, format!("e{}", marks(5000)).as_bytes()), 0)[0]
            .text
            .chars()
            .count();
        assert!((2..=17).contains(&most), "{most} on {}", kind.name());
        // The result is the same for single bytes.
        let mut terminal = terminal(kind, 10, 3);
        for byte in format!("e{}", marks(100)).bytes() {
            terminal.feed(0, &[byte]);
        }
        assert_eq!(row(&mut terminal, 0)[0].text.chars().count(), most);
        let mut terminal = fed(kind, 10, 3, format!("e{}\x1b[500b", marks(3)).as_bytes());
        assert_eq!(row(&mut terminal, 0)[0].text.chars().count(), 4);
        // Neither returning to the cell nor a style in between adds more.
        let again = format!("e{0}f\x1b[1;2H{0}\x1b[1;2H\x1b[m{0}", marks(12)).repeat(50);
        let mut terminal = fed(kind, 10, 3, again.as_bytes());
        assert!(
            row(&mut terminal, 0)
                .iter()
                .all(|cell| cell.text.chars().count() <= 17)
        );
    }
}

#[test]
fn real_clusters_are_not_cut() {
    for cluster in [
        "\u{1f468}\u{1f3fb}\u{200d}\u{2764}\u{fe0f}\u{200d}\u{1f48b}\u{200d}\u{1f468}\u{1f3ff}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ] {
        let mut terminal = fed(EmulatorKind::Rio, 20, 3, cluster.as_bytes());
        assert_eq!(row(&mut terminal, 0)[0].text, *cluster);
    }
    let flags = "\u{1f1e9}\u{1f1ea}".repeat(40);
    let mut terminal = fed(EmulatorKind::Rio, 100, 3, flags.as_bytes());
    assert_eq!(text(&mut terminal), flags);
    let hindi = "कृपया ध्यान दें ".repeat(20);
    let mut terminal = fed(EmulatorKind::Rio, 800, 3, hindi.as_bytes());
    assert_eq!(text(&mut terminal), hindi.trim_end());
}

#[test]
fn an_unterminated_string_ends_at_the_next_sequence() {
    for kind in EmulatorKind::ALL {
        for start in ["\x1b]0;", "\x1bP", "\x1b_", "\x1b^", "\x1bX"] {
            let mut terminal = terminal(kind, 20, 5);
            terminal.feed(0, start.as_bytes());
            for _ in 0..300 {
                terminal.feed(0, &[b'x'; 4096]);
            }
            terminal.feed(0, b"\r\x1b[2J\x1b[Hback");
            assert_eq!(text(&mut terminal), "back", "{start:?} on {}", kind.name());
        }
    }
}

/// Lengths of strings in bytes, each with the size of the pieces in which they come.
const LONG_STRINGS: [(usize, usize); 4] = [
    (1_100_000, 1),
    (1_100_000, 7),
    (10_000_000, 7),
    (100_000_000, 4096),
];

#[test]
fn a_string_of_any_length_is_swallowed_to_its_end_however_it_comes() {
    for (start, end) in [
        ("\x1b]1337;File=inline=1:", "\x07"),
        ("\x1b]52;c;", "\x1b\\"),
        ("\x1bP0;0;0q", "\x1b\\"),
        ("\x1b_Gf=100;", "\x1b\\"),
    ] {
        for (length, piece) in LONG_STRINGS {
            let mut terminal = terminal(EmulatorKind::Rio, 20, 5);
            terminal.feed(0, b"before ");
            terminal.feed(0, start.as_bytes());
            let data = vec![b'Q'; piece];
            for _ in 0..length / piece {
                let events = terminal.feed(0, &data);
                assert_eq!(events, [], "{start:?}");
            }
            let mut events = Vec::new();
            for byte in end.bytes() {
                events.extend(terminal.feed(0, &[byte]));
            }
            terminal.feed(0, b"after");
            assert_eq!(events, [], "{start:?} of {length} bytes");
            assert_eq!(
                text(&mut terminal),
                "before after",
                "{start:?} of {length} bytes in pieces of {piece}"
            );
        }
    }
}

#[test]
fn a_storm_of_sizes_is_survived() {
    for kind in EmulatorKind::ALL {
        let mut terminal = terminal(kind, 80, 24);
        for step in 0..300u16 {
            terminal.feed(0, "日本 text \u{26a0}\u{fe0f}\x1b[38;5;3mcolour\r\n".as_bytes());
            terminal.resize(Size::new(step * 37 % 211, step * 17 % 67));
            let size = terminal.size();
            for at in 0..size.rows {
                let cells = row(&mut terminal, at);
                assert_eq!(cells.len(), usize::from(size.cols));
                assert!(
                    kind == EmulatorKind::Vt100 || halves_match(&cells),
                    "step {step} row {at}: {cells:?}"
                );
            }
            let cursor = terminal.cursor();
            assert!(cursor.row < size.rows && cursor.col < size.cols);
        }
        terminal.resize(Size::new(500, 500));
        terminal.feed(0, &b"x".repeat(1 << 18));
    }
}

#[test]
fn images_are_swallowed_whatever_their_form_and_size_and_nobody_is_answered() {
    let data = "QUJD".repeat(1 << 18);
    let cases = [
        (
            "sixel",
            format!("\x1bP0;0;0q\"1;1;9;9#0;2;0;0;0#0{}\x1b\\", "~".repeat(1 << 20)),
        ),
        ("kitty", format!("\x1b_Gf=100,a=T,i=7;{data}\x1b\\")),
        ("kitty, in pieces", "\x1b_Ga=T,m=1,i=7;QUJD\x1b\\".repeat(10_000)),
        (
            "kitty, from a file",
            "\x1b_Ga=T,t=f,i=7;L2V0Yy9wYXNzd2Q=\x1b\\".to_owned(),
        ),
        ("kitty, a question", "\x1b_Ga=q,i=7,s=1,v=1;AAAA\x1b\\".to_owned()),
        (
            "iterm",
            format!("\x1b]1337;File=name=eA==;inline=1;size=9:{data}\x07"),
        ),
        (
            "iterm, in pieces",
            "\x1b]1337;MultipartFile=inline=1\x07\x1b]1337;FilePart=QUJD\x07\x1b]1337;FileEnd\x07"
                .repeat(5_000),
        ),
        ("regis", "\x1bP0pS(E)P[0,0]V[99,99]\x1b\\".repeat(5_000)),
        (
            "a question about cells",
            "\x1b]1337;ReportCellSize\x07".to_owned(),
        ),
    ];
    for kind in EmulatorKind::ALL {
        for (what, image) in &cases {
            let mut terminal = terminal(kind, 20, 5);
            let mut events = terminal.feed(0, b"before ");
            events.extend(terminal.feed(0, image.as_bytes()));
            events.extend(terminal.feed(0, b"after"));
            assert_eq!(text(&mut terminal), "before after", "{what} on {}", kind.name());
            assert!(
                replies(&events).is_empty(),
                "{what} gets a reply on {}",
                kind.name()
            );
        }
    }
}
