//! Random sessions from a seed: the same seed gives the same bytes everywhere.

/// A small generator of random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to but without `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    /// A small number of a control sequence, sometimes large.
    pub(crate) fn parameter(&mut self) -> u64 {
        match self.below(20) {
            0 => self.below(70_000),
            1..4 => self.below(40),
            _ => self.below(7),
        }
    }

    /// One of some words.
    pub(crate) fn word<'a>(&mut self, from: &'a [&'a str]) -> &'a str {
        self.pick::<&str>(from)
    }

    /// One step of any program: text, sequences, strings, or plain garbage.
    pub(crate) fn step(&mut self) -> Vec<u8> {
        let (first, second) = (self.parameter(), self.parameter());
        let last = char::from(*self.pick(FINALS));
        let text = match self.below(16) {
            0..5 => self
                .word(TEXT)
                .repeat(usize::try_from(self.below(6)).unwrap() + 1),
            5 => char::from(*self.pick(CONTROLS)).to_string(),
            6..10 => format!("\x1b[{first};{second}{last}"),
            10 => format!("\x1b[{first}{last}"),
            11 => format!(
                "\x1b[?{}{}",
                self.pick(PRIVATE),
                if self.below(2) == 0 { 'h' } else { 'l' }
            ),
            12 => format!("\x1b{}", self.word(ESCAPES)),
            13 => format!("\x1b[{};{first}m", self.word(STYLES)),
            14 => self.word(OTHERS).to_owned(),
            _ => return (0..self.below(8)).map(|_| self.next() as u8).collect(),
        };
        text.into_bytes()
    }
}

#[rustfmt::skip]
const TEXT: &[&str] = &["a", "hello ", "日本", "e\u{301}", "\u{26a0}\u{fe0f}", "\u{1f468}\u{200d}\u{1f469}", "─│", "\u{1f44d}\u{1f3fd}", "ﾊﾞ", "\u{200b}", "\u{fffd}", "नि"];
const CONTROLS: &[u8] = b"\n\r\t\x08\x0b\x0c\x0e\x0f\x07\0\x7f\x18";
const FINALS: &[u8] = b"@ABCDEFGHIJKLMPSTXZ`abdefghlmnrstu";
#[rustfmt::skip]
const PRIVATE: &[u64] = &[1, 3, 5, 6, 7, 12, 25, 45, 47, 66, 1000, 1003, 1004, 1006, 1047, 1048, 1049, 2004, 2026, 2027, 2031, 2048];
#[rustfmt::skip]
const ESCAPES: &[&str] = &["7", "8", "D", "E", "H", "M", "c", "=", ">", "(0", "(B", ")0", "#8", "Z", "N", "%G"];
const STYLES: &[&str] = &[
    "0",
    "1;3",
    "38;2;9;8;7",
    "48;5;99",
    "4:3",
    "7",
    "58:2::1:2:3",
    "21",
    "9",
];
#[rustfmt::skip]
const OTHERS: &[&str] = &["\x1b]0;t\x07", "\x1b]8;;https://x\x1b\\", "\x1b]8;;\x1b\\", "\x1bP$qr\x1b\\", "\x1b_Gx\x1b\\", "\x1b]9;", "\x1b\\", "\x1b[?u", "\x1b[>4;2m", "\x1b]133;A\x07"];
