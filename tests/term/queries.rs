//! Replies to queries of a program. They are the same on both emulators.

use crate::screen::{replies, terminal};
use dbs::term::{ColorPalette, EmulatorKind, Size, TermEvent, Terminal};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn answer(kind: EmulatorKind, before: &str, question: &str) -> String {
    let mut terminal = terminal(kind, 80, 24);
    terminal.feed(0, before.as_bytes());
    String::from_utf8(replies(&terminal.feed(0, question.as_bytes()))).unwrap()
}

/// Earlier output, the query, and the reply.
#[rustfmt::skip]
const QUESTIONS: &[(&str, &str, &str)] = &[
    ("", "\x1b[c", "\x1b[?62;22;52c"),
    ("", "\x1b[0c", "\x1b[?62;22;52c"),
    ("", "\x1bZ", "\x1b[?62;22;52c"),
    ("", "\x1b[5n", "\x1b[0n"),
    ("\x1b[3;7H", "\x1b[6n", "\x1b[3;7R"),
    ("0123456789", "\x1b[?6n", "\x1b[?1;11;1R"),
    ("\x1b[5;10r\x1b[?6h\x1b[2;3H", "\x1b[6n", "\x1b[2;3R"),
    ("", "\x1b[?2026$p", "\x1b[?2026;2$y"),
    ("\x1b[?2026h", "\x1b[?2026$p", "\x1b[?2026;1$y"),
    ("\x1b[?2004h", "\x1b[?2004$p", "\x1b[?2004;1$y"),
    ("\x1b[?2004h\x1b[?2004l", "\x1b[?2004$p", "\x1b[?2004;2$y"),
    ("\x1b[?1000;1006h", "\x1b[?1000$p\x1b[?1002$p\x1b[?1006$p", "\x1b[?1000;1$y\x1b[?1002;2$y\x1b[?1006;1$y"),
    ("", "\x1b[?25$p\x1b[?7$p\x1b[?1$p\x1b[?1049$p", "\x1b[?25;1$y\x1b[?7;1$y\x1b[?1;2$y\x1b[?1049;2$y"),
    ("\x1b[?1049h", "\x1b[?1049$p", "\x1b[?1049;1$y"),
    ("", "\x1b[?9999$p", "\x1b[?9999;0$y"),
    ("\x1b[4h", "\x1b[4$p\x1b[20$p\x1b[33$p", "\x1b[4;1$y\x1b[20;2$y\x1b[33;0$y"),
    ("\x1b[?2004h\x1bc", "\x1b[?2004$p", "\x1b[?2004;2$y"),
    ("", "\x1b[?u", "\x1b[?0u"),
    ("\x1b[>5u", "\x1b[?u", "\x1b[?5u"),
    ("\x1b[>1u\x1b[>7u\x1b[<u", "\x1b[?u", "\x1b[?1u"),
    ("\x1b[>1u\x1b[=4;2u", "\x1b[?u", "\x1b[?5u"),
    ("\x1b[>7u\x1b[=2;3u", "\x1b[?u", "\x1b[?5u"),
    ("\x1b[>7u\x1b[?1049h", "\x1b[?u", "\x1b[?0u"),
    ("\x1b[>7u\x1b[?1049h\x1b[>1u\x1b[?1049l", "\x1b[?u", "\x1b[?7u"),
    ("", "\x1b[?4m", "\x1b[>4;0m"),
    ("\x1b[>4;2m", "\x1b[?4m", "\x1b[>4;2m"),
    ("\x1b[>4;2m\x1b[>4m", "\x1b[?4m", "\x1b[>4;0m"),
    ("", "\x1b[14t", "\x1b[4;384;640t"),
    ("", "\x1b[16t", "\x1b[6;16;8t"),
    ("", "\x1b[18t", "\x1b[8;24;80t"),
    ("", "\x1b[21t", ""),
    ("", "\x1b[?996n", "\x1b[?997;1n"),
    ("", "\x1b]11;?\x07", "\x1b]11;rgb:1818/1818/1818\x07"),
    ("", "\x1b]11;?\x1b\\", "\x1b]11;rgb:1818/1818/1818\x1b\\"),
    ("", "\x1b]10;?;?\x07", "\x1b]10;rgb:d8d8/d8d8/d8d8\x07\x1b]11;rgb:1818/1818/1818\x07"),
    ("", "\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
    ("", "\x1b]4;231;?;16;?\x07", "\x1b]4;231;rgb:ffff/ffff/ffff\x07\x1b]4;16;rgb:0000/0000/0000\x07"),
    ("\x1b]11;#ffffff\x07", "\x1b]11;?\x07", "\x1b]11;rgb:1818/1818/1818\x07"),
    ("", "\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\"),
    ("", "\x1bP+q526762\x1b\\", "\x1bP0+r\x1b\\"),
    ("", "\x1bP+q524742;436F\x1b\\", "\x1bP1+r524742=38\x1b\\\x1bP1+r436f=323536\x1b\\"),
    ("\x1b[2;5r", "\x1bP$qr\x1b\\", "\x1bP1$r2;5r\x1b\\"),
    ("\x1b[4 q", "\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\"),
    ("\x1b[1m", "\x1bP$qm\x1b\\", "\x1bP0$r\x1b\\"),
    ("", "\x1b]7501;?\x07\x1b[c", "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\\x1b[?62;22;52c"),
    ("", "\x1b]52;c;?\x07", ""),
    ("\x1b]2;secret\x07", "\x1b[20t\x1b[21t", ""),
    ("", "\x1b[?2048h", "\x1b[48;24;80;384;640t"),
];

#[test]
fn questions_are_answered_at_once_and_alike() {
    for kind in EmulatorKind::ALL {
        for (before, question, want) in QUESTIONS {
            assert_eq!(
                answer(kind, before, question),
                *want,
                "{}: {before:?} {question:?}",
                kind.name()
            );
        }
        assert_eq!(
            answer(kind, "", "\x1b[>q"),
            format!("\x1bP>|dbs({VERSION})\x1b\\")
        );
        assert!(answer(kind, "", "\x1b[>c").starts_with("\x1b[>0;"));
    }
}

#[test]
fn clusters_are_reported_as_the_emulator_does_them() {
    assert_eq!(answer(EmulatorKind::Rio, "", "\x1b[?2027$p"), "\x1b[?2027;1$y");
    assert_eq!(
        answer(EmulatorKind::Rio, "\x1b[?2027l", "\x1b[?2027$p"),
        "\x1b[?2027;2$y"
    );
    assert_eq!(
        answer(EmulatorKind::Vt100, "\x1b[?2027h", "\x1b[?2027$p"),
        "\x1b[?2027;4$y"
    );
}

#[test]
fn a_position_is_that_of_the_bytes_before_the_question() {
    for kind in EmulatorKind::ALL {
        let got = answer(kind, "", "ab\x1b[6ncd\x1b[6n\r\n\x1b[6n");
        assert_eq!(got, "\x1b[1;3R\x1b[1;5R\x1b[2;1R", "{}", kind.name());
    }
}

#[test]
fn whoever_asks_for_its_position_hundreds_of_times_in_a_row_is_answered_each_time() {
    let mut terminal = terminal(EmulatorKind::Rio, 80, 24);
    for number in 0..300 {
        let events = terminal.feed(1000, b"\x1b[6n");
        assert_eq!(replies(&events), b"\x1b[1;1R", "question {number}");
    }
}

#[test]
fn a_program_is_answered_at_most_2048_times_a_second() {
    let mut terminal = terminal(EmulatorKind::Rio, 80, 24);
    let count = |events: Vec<TermEvent>| events.len();
    let flood = b"\x1b[5n".repeat(5000);
    assert_eq!(count(terminal.feed(1000, &flood)), 2048);
    assert_eq!(count(terminal.feed(1000, b"\x1b[5n")), 0);
    assert_eq!(count(terminal.feed(1500, &flood)), 1024);
    assert_eq!(count(terminal.feed(9000, &flood)), 2048);
    // A clock that goes back adds no budget, and counting continues from there.
    assert_eq!(count(terminal.feed(0, &flood)), 0);
    assert_eq!(count(terminal.feed(500, &flood)), 1024);
}

#[test]
fn a_new_palette_is_reported_to_a_program_that_asked() {
    let light = ColorPalette {
        background: (255, 255, 255),
        ..ColorPalette::default()
    };
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(80, 24), 0);
    assert_eq!(terminal.set_palette(light), []);
    terminal.feed(0, b"\x1b[?2031h");
    assert_eq!(
        terminal.set_palette(ColorPalette::default()),
        [TermEvent::Reply(b"\x1b[?997;1n".to_vec())]
    );
    assert_eq!(
        terminal.set_palette(light),
        [TermEvent::Reply(b"\x1b[?997;2n".to_vec())]
    );
    assert_eq!(
        replies(&terminal.feed(0, b"\x1b]11;?\x07")),
        b"\x1b]11;rgb:ffff/ffff/ffff\x07"
    );
}

#[test]
fn a_new_size_is_reported_to_a_program_that_asked() {
    let mut terminal = terminal(EmulatorKind::Rio, 80, 24);
    assert_eq!(terminal.resize(Size::new(100, 30)), []);
    terminal.feed(0, b"\x1b[?2048h");
    assert_eq!(
        terminal.resize(Size::new(90, 20)),
        [TermEvent::Reply(b"\x1b[48;20;90;320;720t".to_vec())]
    );
    assert_eq!(terminal.resize(Size::new(90, 20)), []);
}
