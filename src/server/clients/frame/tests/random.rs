//! Random programs, clients and delays: what is seen in the end must not depend on them.

use proptest::prelude::*;

use super::*;

/// Output that a program might write; `wild` output has sequences that terminals treat differently.
fn step(random: &mut Random, wild: bool) -> Vec<u8> {
    let (a, b) = (random.below(30), random.below(70));
    let text = match random.below(14) {
        0 => "x".to_owned(),
        1 => "hello world ".to_owned(),
        2 => "日本語".to_owned(),
        3 => "─│┌".to_owned(),
        4 => "\r\n".to_owned(),
        5 => format!("\x1b[{a};{b}H"),
        6 => format!(
            "\x1b[{}m",
            ["0", "1;31", "7", "4", "38;2;1;2;3", "48;5;9", "39;49"][random.below(7)]
        ),
        7 => [
            "\x1b[K", "\x1b[1K", "\x1b[J", "\x1b[2J", "\x1b[L", "\x1b[M", "\x1b[P", "\x1b[@",
        ][random.below(8)]
        .to_owned(),
        8 => "long text that goes over the end of a line and on in the next one ".to_owned(),
        9 => ["\x1b[?25l", "\x1b[?25h", "\x1b[5 q", "\x1b[0 q"][random.below(4)].to_owned(),
        10 => ["\x1b[?1049h", "\x1b[?1049l"][random.below(2)].to_owned(),
        11 => format!("\x1b[{a}S"),
        12 => format!("\x1b]2;title {a}\x07"),
        _ if wild => [
            "e\u{301}",
            "\u{26a0}\u{fe0f}",
            "\u{1f468}\u{200d}\u{1f469}",
            "\u{1f44d}\u{1f3fd}",
            "\u{915}\u{94d}\u{937}\u{94d}\u{92e}\u{94d}\u{92f}",
            "\x1b[?2026h",
            "\x1b[?2026l",
            "\x1b[?5h",
            "\x1b[?5l",
        ][random.below(9)]
        .to_owned(),
        _ => "y\r\n".repeat(a),
    };
    text.into_bytes()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn session(bench: &mut Bench, seed: u64, wild: bool) {
    let mut random = Random(seed);
    let actions = [
        Action::Zoom,
        Action::NextPane,
        Action::NextTab,
        Action::PreviousTab,
        Action::Type,
        Action::Help,
    ];
    for _ in 0..80 {
        match random.below(20) {
            0 => bench.act(actions[random.below(actions.len())]),
            1 => bench.resize([(200, 50), (120, 40), (80, 24), (160, 45)][random.below(4)]),
            2 => {
                let size = Size::new(
                    2 + u16::try_from(random.below(80)).unwrap(),
                    2 + u16::try_from(random.below(50)).unwrap(),
                );
                bench.inner.0[&SHELL].borrow_mut().resize(size);
                bench.frame.mark_stale(StaleScope::Terminals);
            }
            3 => bench.now = Timestamp(bench.now.0 + 40),
            4 => drop(bench.draw_alone([SHELL, OTHER][random.below(2)])),
            // Everything else is a program that writes; the frame is drawn now and then only, as for a slow client.
            5..9 => {
                bench.draw();
                if bench.is_at_rest() {
                    bench.compare();
                }
            }
            other => {
                let id = if other % 3 == 0 { OTHER } else { SHELL };
                bench.write(id, &step(&mut random, wild));
            }
        }
    }
    for id in [SHELL, OTHER] {
        bench.write(id, b"\x1b\\\x18\x1b[?2026l");
    }
    bench.draw();
    bench.compare();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn through_stalls_and_resizes_a_client_sees_what_one_whole_frame_would_show(seed in any::<u64>()) {
        session(&mut Bench::new(EmulatorKind::Rio, EmulatorKind::Rio, (200, 50)), seed, true);
    }

    #[test]
    fn a_client_sees_what_is_in_the_terminals_inside(seed in any::<u64>()) {
        let mut bench = Bench::new(EmulatorKind::Rio, EmulatorKind::Vt100, (200, 50));
        let mut random = Random(seed);
        for _ in 0..60 {
            let id = if random.below(2) == 0 { OTHER } else { SHELL };
            bench.write(id, &step(&mut random, false));
            if random.below(4) == 0 {
                bench.draw();
                bench.compare_inside();
            }
        }
    }
}
