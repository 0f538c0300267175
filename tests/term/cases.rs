//! Control sequences and texts with the screen that they must leave, according to xterm and its standards.

use dbs::term::{CellAttributes, CellStyle, Color, Underline};

/// A case: the input, and the expected screen and cursor.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Source of the rule.
    pub(crate) source: &'static str,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
    pub(crate) input: &'static str,
    /// Rows separated by `|`, without trailing blanks and blank rows.
    pub(crate) screen: &'static str,
    /// Row and column, counted from 0.
    pub(crate) cursor: (u16, u16),
}

/// Input with the expected style of the first cell.
pub(crate) struct StyleCase {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) input: &'static str,
    pub(crate) style: fn() -> CellStyle,
}

const fn case(
    name: &'static str,
    source: &'static str,
    input: &'static str,
    screen: &'static str,
    cursor: (u16, u16),
) -> Case {
    Case {
        name,
        source,
        cols: 10,
        rows: 5,
        input,
        screen,
        cursor,
    }
}

/// Five rows of five letters, with the cursor at the third letter of the third row.
macro_rules! filled {
    ($sequence:literal) => {
        concat!("AAAAA\r\nBBBBB\r\nCCCCC\r\nDDDDD\r\nEEEEE\x1b[3;3H", $sequence)
    };
}

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    // Text and C0.
    case("text advances", "ECMA-48 7", "abc", "abc", (0, 3)),
    case("cr returns", "ECMA-48 8.3.15", "abc\rX", "Xbc", (0, 1)),
    case("lf keeps the column", "ECMA-48 8.3.74", "abc\nX", "abc|   X", (1, 4)),
    case("vt is lf", "xterm ctlseqs VT", "abc\x0bX", "abc|   X", (1, 4)),
    case("ff is lf", "xterm ctlseqs FF", "abc\x0cX", "abc|   X", (1, 4)),
    case("bs moves back", "ECMA-48 8.3.5", "abc\x08X", "abX", (0, 3)),
    case("bs stops at the first column", "DEC STD 070 BS", "a\x08\x08X", "X", (0, 1)),
    case("ht goes to the next stop", "ECMA-48 8.3.60", "a\tX", "a       X", (0, 9)),
    case("ht stops at the last column", "DEC STD 070 HT", "\t\t\tX", "         X", (0, 9)),
    case("nul and del do nothing", "DEC STD 070 NUL", "a\0b\x7fc", "abc", (0, 3)),
    case("lf at the bottom scrolls", "DEC STD 070 IND", "1\r\n2\r\n3\r\n4\r\n5\r\n6", "2|3|4|5|6", (4, 1)),
    // Wrapping.
    case("text wraps at the margin", "DEC STD 070 DECAWM", "0123456789ab", "0123456789|ab", (1, 2)),
    case("the wrap waits for the next character", "DEC STD 070 DECAWM", "0123456789", "0123456789", (0, 9)),
    case("cr ends the pending wrap", "DEC STD 070 DECAWM", "0123456789\rX", "X123456789", (0, 1)),
    case("bs at the pending wrap", "xterm", "0123456789\x08X", "01234567X9", (0, 9)),
    case("el at the pending wrap erases the last column", "DEC STD 070 EL", "0123456789\x1b[K", "012345678", (0, 9)),
    case("no wrap without decawm", "DEC STD 070 DECAWM", "\x1b[?7l0123456789ab", "012345678b", (0, 9)),
    case("cub at the pending wrap", "DEC STD 070 CUB", "0123456789\x1b[DX", "01234567X9", (0, 9)),
    case("lf at the pending wrap keeps the column", "DEC STD 070 LF", "0123456789\nX", "0123456789|         X", (1, 9)),
    case("a wrap at the bottom scrolls", "DEC STD 070 DECAWM", "\x1b[5;1H0123456789X", "|||0123456789|X", (4, 1)),
    // Cursor movement.
    case("cup is one based", "ECMA-48 8.3.21", "\x1b[2;3HX", "|  X", (1, 3)),
    case("cup without parameters is home", "ECMA-48 8.3.21", "abc\x1b[HX", "Xbc", (0, 1)),
    case("cup zero is one", "DEC STD 070 CUP", "abc\x1b[0;0HX", "Xbc", (0, 1)),
    case("cup is confined to the screen", "DEC STD 070 CUP", "\x1b[99;99HX", "||||         X", (4, 9)),
    case("hvp is cup", "ECMA-48 8.3.63", "\x1b[2;3fX", "|  X", (1, 3)),
    case("cuu stops at the top", "ECMA-48 8.3.22", filled!("\x1b[9AX"), "AAXAA|BBBBB|CCCCC|DDDDD|EEEEE", (0, 3)),
    case("cud stops at the bottom", "ECMA-48 8.3.19", filled!("\x1b[9BX"), "AAAAA|BBBBB|CCCCC|DDDDD|EEXEE", (4, 3)),
    case("cuf stops at the last column", "ECMA-48 8.3.20", "\x1b[99CX", "         X", (0, 9)),
    case("cub stops at the first column", "ECMA-48 8.3.18", "abc\x1b[99DX", "Xbc", (0, 1)),
    case("cuu zero is one", "DEC STD 070 CUU", filled!("\x1b[0AX"), "AAAAA|BBXBB|CCCCC|DDDDD|EEEEE", (1, 3)),
    case("cnl goes to the first column", "ECMA-48 8.3.12", filled!("\x1b[EX"), "AAAAA|BBBBB|CCCCC|XDDDD|EEEEE", (3, 1)),
    case("cpl goes to the first column", "ECMA-48 8.3.13", filled!("\x1b[FX"), "AAAAA|XBBBB|CCCCC|DDDDD|EEEEE", (1, 1)),
    case("cha sets the column", "ECMA-48 8.3.9", filled!("\x1b[5GX"), "AAAAA|BBBBB|CCCCX|DDDDD|EEEEE", (2, 5)),
    case("hpa sets the column", "ECMA-48 8.3.57", filled!("\x1b[5`X"), "AAAAA|BBBBB|CCCCX|DDDDD|EEEEE", (2, 5)),
    case("hpr moves right", "ECMA-48 8.3.59", filled!("\x1b[2aX"), "AAAAA|BBBBB|CCCCX|DDDDD|EEEEE", (2, 5)),
    case("vpa sets the row", "ECMA-48 8.3.158", filled!("\x1b[5dX"), "AAAAA|BBBBB|CCCCC|DDDDD|EEXEE", (4, 3)),
    case("vpr moves down", "ECMA-48 8.3.160", filled!("\x1b[1eX"), "AAAAA|BBBBB|CCCCC|DDXDD|EEEEE", (3, 3)),
    case("ind moves down", "DEC STD 070 IND", "ab\x1bDX", "ab|  X", (1, 3)),
    case("nel moves to the next line", "ECMA-48 8.3.86", "ab\x1bEX", "ab|X", (1, 1)),
    case("ri moves up", "ECMA-48 8.3.104", filled!("\x1bMX"), "AAAAA|BBXBB|CCCCC|DDDDD|EEEEE", (1, 3)),
    case("ri at the top scrolls down", "ECMA-48 8.3.104", filled!("\x1b[H\x1bMX"), "X|AAAAA|BBBBB|CCCCC|DDDDD", (0, 1)),
    case("ind at the bottom scrolls up", "DEC STD 070 IND", filled!("\x1b[5;1H\x1bDX"), "BBBBB|CCCCC|DDDDD|EEEEE|X", (4, 1)),
    // Saving the cursor.
    case("decsc and decrc", "DEC STD 070 DECSC", filled!("\x1b7\x1b[HY\x1b8X"), "YAAAA|BBBBB|CCXCC|DDDDD|EEEEE", (2, 3)),
    case("scosc and scorc", "xterm ctlseqs SCOSC", filled!("\x1b[s\x1b[HY\x1b[uX"), "YAAAA|BBBBB|CCXCC|DDDDD|EEEEE", (2, 3)),
    case("decrc without a save is home", "DEC STD 070 DECRC", "ab\r\ncd\x1b8X", "Xb|cd", (0, 1)),
    case("1048 saves and restores", "xterm ctlseqs 1048", filled!("\x1b[?1048h\x1b[HY\x1b[?1048lX"), "YAAAA|BBBBB|CCXCC|DDDDD|EEEEE", (2, 3)),
    case("decrc restores a wrap that waits", "xterm CursorRestore", "0123456789\x1b7\x1b[H\x1b8X", "0123456789|X", (1, 1)),
    case("1049 restores a wrap that waits", "xterm ctlseqs 1049", "0123456789\x1b[?1049h\x1b[?1049lX", "0123456789|X", (1, 1)),
    case("1047 clears the screen it leaves, which ends the wrap", "xterm charproc 1047", "0123456789\x1b[?1047h\x1b[?1047lX", "012345678X", (0, 9)),
    case("1047 on the main screen keeps a wrap that waits", "xterm charproc 1047", "0123456789\x1b[?1047lX", "0123456789|X", (1, 1)),
    case("47 keeps a wrap that waits", "xterm ctlseqs 47", "0123456789\x1b[?47h\x1b[?47lX", "0123456789|X", (1, 1)),
    case("47 keeps it on the other screen, too", "xterm ctlseqs 47", "0123456789\x1b[?47hX", "|X", (1, 1)),
    case("1047 keeps it on the other screen, too", "xterm ctlseqs 1047", "0123456789\x1b[?1047hX", "|X", (1, 1)),
    case("1049 clears, which ends the wrap", "xterm ctlseqs 1049", "0123456789\x1b[?1049hX", "         X", (0, 9)),
    case("47 leaves the saved cursor", "xterm ctlseqs 47", "ab\x1b7\x1b[3;3H\x1b[?47h\x1b[?47l\x1b8X", "abX", (0, 3)),
    case("1047 leaves the saved cursor", "xterm ctlseqs 1047", "ab\x1b7\x1b[3;3H\x1b[?1047h\x1b[?1047l\x1b8X", "abX", (0, 3)),
    case("1049 saves its own", "xterm ctlseqs 1049", "ab\x1b7\x1b[3;3H\x1b[?1049h\x1b[H\x1b[?1049lY\x1b8X", "ab||  X", (2, 3)),
    case("a wrap that was saved outlives 47", "xterm CursorRestore", "0123456789\x1b7\x1b[?47h\x1b[H\x1b[?47l\x1b8X", "0123456789|X", (1, 1)),
    case("a wrap that was saved outlives 1047", "xterm CursorRestore", "0123456789\x1b7\x1b[?1047h\x1b[H\x1b[?1047l\x1b8X", "0123456789|X", (1, 1)),
    case("a wrap that was saved outlives 1049", "xterm CursorRestore", "0123456789\x1b[?1049h\x1b[H\x1b[?1049l\x1b[H\x1b8X", "0123456789|X", (1, 1)),
    case("1049 leaves what the alternate screen saved", "xterm ctlseqs 1049", "\x1b[?1049h\x1b[4;4H\x1b7\x1b[?1049l\x1b[H\x1b7\x1b[?1049h\x1b8X", "|||   X", (3, 4)),
    case("1047 leaves what the alternate screen saved", "xterm ctlseqs 1047", "\x1b[?1047h\x1b[4;4H\x1b7\x1b[?1047l\x1b[H\x1b7\x1b[?1047h\x1b8X", "|||   X", (3, 4)),
    case("each screen has a saved cursor", "xterm ctlseqs 47", "ab\x1b7\x1b[?47h\x1b[4;4H\x1b7\x1b[?47l\x1b8X", "abX", (0, 3)),
    case("the alternate screen keeps its own", "xterm ctlseqs 47", "\x1b[?47h\x1b[4;4H\x1b7\x1b[?47l\x1b[1;1H\x1b7\x1b[?47h\x1b8X", "|||   X", (3, 4)),
    // Erasing.
    case("ed 0 erases below", "ECMA-48 8.3.39", filled!("\x1b[J"), "AAAAA|BBBBB|CC", (2, 2)),
    case("ed 1 erases above", "ECMA-48 8.3.39", filled!("\x1b[1J"), "||   CC|DDDDD|EEEEE", (2, 2)),
    case("ed 1 from the second row", "ECMA-48 8.3.39", filled!("\x1b[2;3H\x1b[1J"), "|   BB|CCCCC|DDDDD|EEEEE", (1, 2)),
    case("ed 2 erases all and stays", "ECMA-48 8.3.39", filled!("\x1b[2J"), "", (2, 2)),
    case("ed 3 leaves the screen", "xterm ctlseqs ED", filled!("\x1b[3J"), "AAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (2, 2)),
    case("decsed without protection is ed", "DEC STD 070 DECSED", filled!("\x1b[?J"), "AAAAA|BBBBB|CC", (2, 2)),
    case("el 0 erases right", "ECMA-48 8.3.41", filled!("\x1b[K"), "AAAAA|BBBBB|CC|DDDDD|EEEEE", (2, 2)),
    case("el 1 erases left", "ECMA-48 8.3.41", filled!("\x1b[1K"), "AAAAA|BBBBB|   CC|DDDDD|EEEEE", (2, 2)),
    case("el 2 erases the line", "ECMA-48 8.3.41", filled!("\x1b[2K"), "AAAAA|BBBBB||DDDDD|EEEEE", (2, 2)),
    case("decsel without protection is el", "DEC STD 070 DECSEL", filled!("\x1b[?1K"), "AAAAA|BBBBB|   CC|DDDDD|EEEEE", (2, 2)),
    case("ech erases and stays", "ECMA-48 8.3.38", filled!("\x1b[2X"), "AAAAA|BBBBB|CC  C|DDDDD|EEEEE", (2, 2)),
    case("ech is confined to the line", "ECMA-48 8.3.38", filled!("\x1b[99X"), "AAAAA|BBBBB|CC|DDDDD|EEEEE", (2, 2)),
    // Inserting and deleting.
    case("ich shifts right", "ECMA-48 8.3.64", filled!("\x1b[2@"), "AAAAA|BBBBB|CC  CCC|DDDDD|EEEEE", (2, 2)),
    case("ich drops at the margin", "ECMA-48 8.3.64", "0123456789\x1b[1;3H\x1b[3@", "01   23456", (0, 2)),
    case("dch shifts left", "ECMA-48 8.3.26", "0123456789\x1b[1;3H\x1b[3P", "0156789", (0, 2)),
    case("il shifts down", "ECMA-48 8.3.67", filled!("\x1b[L"), "AAAAA|BBBBB||CCCCC|DDDDD", (2, 0)),
    case("dl shifts up", "ECMA-48 8.3.32", filled!("\x1b[M"), "AAAAA|BBBBB|DDDDD|EEEEE", (2, 0)),
    case("irm inserts", "ECMA-48 7.2.10", "abc\x1b[H\x1b[4hXY\x1b[4lZ", "XYZbc", (0, 3)),
    case("irm keeps wide characters whole", "ECMA-48 7.2.10", "日本日\x1b[H\x1b[4hee\x1b[1;4Hx", "ee x 本日", (0, 4)),
    case("irm drops half a character at the margin", "ECMA-48 7.2.10", "日本日本日\x1b[H\x1b[4he\x1b[C", "e日本日本", (0, 2)),
    case("irm moves the next row when it wraps", "ECMA-48 7.2.10", "0123456789ab\x1b[1;10H\x1b[4hxyz", "012345678x|yzab", (1, 2)),
    case("irm makes room for what rep repeats", "ECMA-48 7.2.10", "abc\x1b[H\x1b[4hx\x1b[2b", "xxxabc", (0, 3)),
    case("rep repeats the last character", "ECMA-48 8.3.103", "ab\x1b[3b", "abbbb", (0, 5)),
    case("rep wraps", "ECMA-48 8.3.103", "a\x1b[11b", "aaaaaaaaaa|aa", (1, 2)),
    // Scrolling and margins.
    case("su scrolls up", "ECMA-48 8.3.147", filled!("\x1b[2S"), "CCCCC|DDDDD|EEEEE", (2, 2)),
    case("sd scrolls down", "ECMA-48 8.3.113", filled!("\x1b[2T"), "||AAAAA|BBBBB|CCCCC", (2, 2)),
    case("decstbm homes the cursor", "DEC STD 070 DECSTBM", filled!("\x1b[2;4rX"), "XAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (0, 1)),
    case("lf scrolls inside the margins", "DEC STD 070 DECSTBM", filled!("\x1b[2;4r\x1b[4;1H\nX"), "AAAAA|CCCCC|DDDDD|X|EEEEE", (3, 1)),
    case("ri scrolls inside the margins", "DEC STD 070 DECSTBM", filled!("\x1b[2;4r\x1b[2;1H\x1bMX"), "AAAAA|X|BBBBB|CCCCC|EEEEE", (1, 1)),
    case("su respects the margins", "DEC STD 070 DECSTBM", filled!("\x1b[2;4r\x1b[S"), "AAAAA|CCCCC|DDDDD||EEEEE", (0, 0)),
    case("il respects the margins", "DEC STD 070 IL", filled!("\x1b[2;4r\x1b[3;1H\x1b[L"), "AAAAA|BBBBB||CCCCC|EEEEE", (2, 0)),
    case("dl respects the margins", "DEC STD 070 DL", filled!("\x1b[2;4r\x1b[3;1H\x1b[M"), "AAAAA|BBBBB|DDDDD||EEEEE", (2, 0)),
    case("il outside the margins does nothing", "DEC STD 070 IL", filled!("\x1b[2;4r\x1b[5;1H\x1b[L"), "AAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (4, 0)),
    case("cuu stops at the top margin", "DEC STD 070 CUU", filled!("\x1b[2;4r\x1b[3;1H\x1b[9AX"), "AAAAA|XBBBB|CCCCC|DDDDD|EEEEE", (1, 1)),
    case("cud stops at the bottom margin", "DEC STD 070 CUD", filled!("\x1b[2;4r\x1b[3;1H\x1b[9BX"), "AAAAA|BBBBB|CCCCC|XDDDD|EEEEE", (3, 1)),
    case("cuu from above the margin goes to the top", "DEC STD 070 CUU", filled!("\x1b[3;4r\x1b[2;1H\x1b[9AX"), "XAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (0, 1)),
    case("lf below the margins does not scroll", "DEC STD 070 DECSTBM", filled!("\x1b[2;3r\x1b[5;1H\nX"), "AAAAA|BBBBB|CCCCC|DDDDD|XEEEE", (4, 1)),
    case("ri above the margins does not scroll", "DEC STD 070 RI", filled!("\x1b[2;4r\x1bMX"), "XAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (0, 1)),
    case("cbt without a stop goes to the first column", "xterm ctlseqs CBT", "\x1b[3gabc\x1b[ZX", "Xbc", (0, 1)),
    case("vpa counts from the margin in origin mode", "DEC STD 070 VPA", filled!("\x1b[2;4r\x1b[?6h\x1b[9dX"), "AAAAA|BBBBB|CCCCC|XDDDD|EEEEE", (3, 1)),
    case("margins stay on the alternate screen", "xterm", filled!("\x1b[2;3r\x1b[?1049h\x1b[2J\x1b[3;1H1\n2"), "|1| 2", (2, 2)),
    case("a wrong region is ignored", "DEC STD 070 DECSTBM", filled!("\x1b[4;2rX"), "AAAAA|BBBBB|CCXCC|DDDDD|EEEEE", (2, 3)),
    case("origin mode counts from the margin", "DEC STD 070 DECOM", filled!("\x1b[2;4r\x1b[?6h\x1b[1;1HX"), "AAAAA|XBBBB|CCCCC|DDDDD|EEEEE", (1, 1)),
    case("origin mode confines to the margins", "DEC STD 070 DECOM", filled!("\x1b[2;4r\x1b[?6h\x1b[9;1HX"), "AAAAA|BBBBB|CCCCC|XDDDD|EEEEE", (3, 1)),
    case("setting origin mode homes", "DEC STD 070 DECOM", filled!("\x1b[2;4r\x1b[?6hX"), "AAAAA|XBBBB|CCCCC|DDDDD|EEEEE", (1, 1)),
    case("resetting origin mode homes", "DEC STD 070 DECOM", filled!("\x1b[2;4r\x1b[?6h\x1b[?6lX"), "XAAAA|BBBBB|CCCCC|DDDDD|EEEEE", (0, 1)),
    case("cha in origin mode keeps the row", "DEC STD 070 CHA", filled!("\x1b[2;4r\x1b[?6h\x1b[2;1H\x1b[4GX"), "AAAAA|BBBBB|CCCXC|DDDDD|EEEEE", (2, 4)),
    case("cuu in origin mode", "DEC STD 070 CUU", filled!("\x1b[2;4r\x1b[?6h\x1b[3;1H\x1b[AX"), "AAAAA|BBBBB|XCCCC|DDDDD|EEEEE", (2, 1)),
    // Tabs.
    case("hts sets a stop", "ECMA-48 8.3.62", "\x1b[1;4H\x1bH\r\tX", "   X", (0, 4)),
    case("tbc clears a stop", "ECMA-48 8.3.154", "\x1b[1;9H\x1b[g\r\tX", "         X", (0, 9)),
    case("tbc 3 clears all", "ECMA-48 8.3.154", "\x1b[3g\r\tX", "         X", (0, 9)),
    case("cht goes forward", "ECMA-48 8.3.10", "\x1b[IX", "        X", (0, 9)),
    case("cbt goes back", "ECMA-48 8.3.7", "\x1b[1;10H\x1b[ZX", "        X", (0, 9)),
    case("cbt two back", "ECMA-48 8.3.7", "\x1b[1;10H\x1b[2ZX", "X", (0, 1)),
    // Screens and resets.
    case("1049 hides the main screen", "xterm ctlseqs 1049", "main\x1b[?1049hX", "    X", (0, 5)),
    case("1049 gives the main screen and cursor back", "xterm ctlseqs 1049", "main\x1b[?1049h\x1b[3;3HX\x1b[?1049lY", "mainY", (0, 5)),
    case("47 keeps the cursor", "xterm ctlseqs 47", "main\x1b[?47h\x1b[3;3HX\x1b[?47lY", "main||   Y", (2, 4)),
    case("1047 keeps the cursor", "xterm ctlseqs 1047", "main\x1b[?1047h\x1b[3;3HX\x1b[?1047lY", "main||   Y", (2, 4)),
    case("the alternate screen starts blank", "xterm ctlseqs 1049", "\x1b[?1049hold\x1b[?1049l\x1b[?1049h", "", (0, 0)),
    case("47 leaves what the alternate screen shows", "xterm charproc 47", "\x1b[?47hold\x1b[?47l\x1b[?47h", "old", (0, 3)),
    case("1047 clears the alternate screen as it leaves", "xterm charproc 1047", "\x1b[?1047hold\x1b[?1047l\x1b[?47h", "", (0, 3)),
    case("decstr keeps the screen and the cursor", "DEC STD 070 DECSTR", filled!("\x1b[2;4r\x1b[?6h\x1b[4h\x1b[3;2H\x1b[!pX"), "AAAAA|BBBBB|CCCCC|DXDDD|EEEEE", (3, 2)),
    case("ris clears and homes", "DEC STD 070 RIS", filled!("\x1b[2;4r\x1bcX"), "X", (0, 1)),
    case("ris leaves the alternate screen", "DEC STD 070 RIS", "main\x1b[?1049hX\x1bcY", "Y", (0, 1)),
    case("ris gives the tab stops back", "DEC STD 070 RIS", "\x1b[3g\x1bc\tX", "        X", (0, 9)),
    case("decaln fills with e", "DEC STD 070 DECALN", "\x1b[2;3r\x1b#8", "EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE", (0, 0)),
    case("lnm makes lf a new line", "ECMA-48 7.2.11", "\x1b[20hab\nX\x1b[20l\nY", "ab|X| Y", (2, 2)),
    case("deccolm set clears and homes", "DEC STD 070 DECCOLM", filled!("\x1b[?3hX"), "X", (0, 1)),
    case("deccolm reset clears and homes", "DEC STD 070 DECCOLM", filled!("\x1b[?3lX"), "X", (0, 1)),
    case("deccolm set resets the margins", "DEC STD 070 DECCOLM", filled!("\x1b[2;3r\x1b[?3h\x1b[3;1H1\n2"), "||1| 2", (3, 2)),
    case("deccolm reset resets the margins", "DEC STD 070 DECCOLM", filled!("\x1b[2;3r\x1b[?3l\x1b[3;1H1\n2"), "||1| 2", (3, 2)),
    // Character sets.
    case("line drawing", "DEC STD 070 SCS", "\x1b(0lqk\x1b(Bq", "┌─┐q", (0, 4)),
    case("so and si shift", "ECMA-35 9", "\x1b)0q\x0eq\x0fq", "q─q", (0, 3)),
    case("line drawing leaves capitals", "DEC STD 070 SCS", "\x1b(0Ax~", "A│·", (0, 3)),
    // Parsing.
    case("a control inside a sequence acts at once", "DEC STD 070 3.5", "abc\x1b[2\rCX", "abX", (0, 3)),
    case("can ends a sequence", "ECMA-48 8.3.6", "ab\x1b[3\x18C", "abC", (0, 3)),
    case("esc inside a sequence starts anew", "DEC STD 070 3.5", "ab\x1b[3\x1b[DX", "aX", (0, 2)),
    case("an unknown sequence is swallowed", "ECMA-48 5.4", "a\x1b[1;2;3yb\x1b[>5Xc\x1b%Gd", "abcd", (0, 4)),
    case("a huge parameter is cut", "DEC STD 070 3.5", "a\x1b[99999999999999999999CX", "a        X", (0, 9)),
    case("an osc shows nothing", "xterm ctlseqs OSC", "a\x1b]1337;hello\x07b\x1b]0;t\x1b\\c", "abc", (0, 3)),
    case("a dcs shows nothing", "ECMA-48 8.3.27", "a\x1bPqignored\x1b\\b", "ab", (0, 2)),
    case("apc pm and sos show nothing", "ECMA-48 8.3.2", "a\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\b", "ab", (0, 2)),
    case("a cut off string shows nothing", "xterm", "a\x1b]0;title\x1b[Cb", "a b", (0, 3)),
    // Unicode.
    case("two byte characters", "Unicode 3.9", "naïve", "naïve", (0, 5)),
    case("wide characters take two columns", "UAX 11", "日本X", "日本X", (0, 5)),
    case("a wide character does not fit in the last column", "xterm", "\x1b[1;10H日X", "|日X", (1, 3)),
    case("overwriting the left half", "xterm", "日本\x1b[1;1HX", "X 本", (0, 1)),
    case("overwriting the right half", "xterm", "日本\x1b[1;2HX", " X本", (0, 2)),
    case("combining marks join", "Unicode 3.6", "e\u{301}X", "e\u{301}X", (0, 2)),
    case("vs16 makes an emoji wide", "UTS 51", "\u{26a0}\u{fe0f}X", "\u{26a0}\u{fe0f}X", (0, 3)),
    case("a zwj family takes two columns", "UTS 51, mode 2027", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}X", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}X", (0, 3)),
    case("an indic conjunct joins", "UAX 29 GB9c, mode 2027", "\u{915}\u{94d}\u{937}X", "\u{915}\u{94d}\u{937}X", (0, 3)),
    case("a long indic conjunct takes two columns", "UAX 29 GB9c, mode 2027", "\u{915}\u{94d}\u{937}\u{94d}\u{92e}\u{94d}\u{92f}X", "\u{915}\u{94d}\u{937}\u{94d}\u{92e}\u{94d}\u{92f}X", (0, 3)),
    case("a skin tone joins", "UTS 51, mode 2027", "\u{1f44d}\u{1f3fd}X", "\u{1f44d}\u{1f3fd}X", (0, 3)),
    case("an encoded c1 control shows nothing", "ECMA-48 5.3", "a\u{85}b", "ab", (0, 2)),
    case("deleting half of a wide character", "xterm", "日本\x1b[1;1H\x1b[P", " 本", (0, 0)),
    case("replacement characters show", "Unicode 3.9", "a\u{fffd}b", "a\u{fffd}b", (0, 3)),
];

/// Screens of three rows that grow to eight: name, input, and the grown screen. A history above the screen comes back.
#[rustfmt::skip]
pub(crate) const GROWN: &[(&str, &str, &str)] = &[
    ("growing pulls back what went up", "1\r\n2\r\n3\r\n4\r\n5", "1|2|3|4|5"),
    ("ed 3 empties what growing could pull back", "1\r\n2\r\n3\r\n4\r\n5\x1b[3J", "3|4|5"),
    ("ed 3 on the alternate screen empties that of the main screen", "1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h\x1b[3J\x1b[?1049l", "3|4|5"),
    ("ed 2 and 3 empty it, too", "1\r\n2\r\n3\r\n4\r\n5\x1b[H\x1b[2J\x1b[3Jnew", "new"),
];

macro_rules! styled {
    ($($field:ident: $value:expr),*) => { || { CellStyle { $($field: $value,)* ..CellStyle::default() } } };
}

macro_rules! attribute {
    ($attribute:ident) => {
        styled!(attributes: CellAttributes::$attribute)
    };
}

const fn style(
    name: &'static str,
    source: &'static str,
    input: &'static str,
    style: fn() -> CellStyle,
) -> StyleCase {
    StyleCase {
        name,
        source,
        input,
        style,
    }
}

#[rustfmt::skip]
pub(crate) const STYLES: &[StyleCase] = &[
    style("sgr 0 resets", "ECMA-48 8.3.117", "\x1b[1;4;31m\x1b[mX", CellStyle::default),
    style("sgr 1 is bold", "ECMA-48 8.3.117", "\x1b[1mX", attribute!(BOLD)),
    style("sgr 2 is dim", "ECMA-48 8.3.117", "\x1b[2mX", attribute!(DIM)),
    style("sgr 3 is italic", "ECMA-48 8.3.117", "\x1b[3mX", attribute!(ITALIC)),
    style("sgr 4 underlines", "ECMA-48 8.3.117", "\x1b[4mX", styled!(underline: Underline::Single)),
    style("sgr 5 blinks", "ECMA-48 8.3.117", "\x1b[5mX", attribute!(BLINK)),
    style("sgr 7 inverts", "ECMA-48 8.3.117", "\x1b[7mX", attribute!(INVERSE)),
    style("sgr 8 hides", "ECMA-48 8.3.117", "\x1b[8mX", attribute!(HIDDEN)),
    style("sgr 9 strikes", "ECMA-48 8.3.117", "\x1b[9mX", attribute!(STRIKE)),
    style("sgr 21 underlines twice", "ECMA-48 8.3.117", "\x1b[21mX", styled!(underline: Underline::Double)),
    style("sgr 22 ends bold and dim", "ECMA-48 8.3.117", "\x1b[1;2m\x1b[22mX", CellStyle::default),
    style("sgr 4:3 is curly", "xterm ctlseqs SGR", "\x1b[4:3mX", styled!(underline: Underline::Curly)),
    style("sgr 4:0 ends the underline", "xterm ctlseqs SGR", "\x1b[4m\x1b[4:0mX", CellStyle::default),
    style("sgr 24 ends the underline", "ECMA-48 8.3.117", "\x1b[4;24mX", CellStyle::default),
    style("sgr 31 is red", "ECMA-48 8.3.117", "\x1b[31mX", styled!(fg: Color::Indexed(1))),
    style("sgr 97 is bright white", "xterm ctlseqs SGR", "\x1b[97mX", styled!(fg: Color::Indexed(15))),
    style("sgr 44 is a blue background", "ECMA-48 8.3.117", "\x1b[44mX", styled!(bg: Color::Indexed(4))),
    style("sgr 39 is the default again", "ECMA-48 8.3.117", "\x1b[31;39mX", CellStyle::default),
    style("sgr 38;5 is indexed", "xterm ctlseqs SGR", "\x1b[38;5;208mX", styled!(fg: Color::Indexed(208))),
    style("sgr 38;2 is direct", "xterm ctlseqs SGR", "\x1b[38;2;1;2;3mX", styled!(fg: Color::Rgb(1, 2, 3))),
    style("sgr 38:2:: is direct", "ITU T.416", "\x1b[38:2::1:2:3mX", styled!(fg: Color::Rgb(1, 2, 3))),
    style("sgr 38:2: is direct", "xterm ctlseqs SGR", "\x1b[38:2:1:2:3mX", styled!(fg: Color::Rgb(1, 2, 3))),
    style("sgr 48:5 is indexed", "ITU T.416", "\x1b[48:5:99mX", styled!(bg: Color::Indexed(99))),
    style("sgr 58 colours only the underline", "kitty underlines", "\x1b[58;2;1;2;3mX", styled!(underline_color: Color::Rgb(1, 2, 3))),
    style("sgr 58 leaves what follows", "kitty underlines", "\x1b[58;5;9;59;1mX", attribute!(BOLD)),
    style("erasing takes the background", "xterm bce", "\x1b[45m\x1b[K\x1b[m", styled!(bg: Color::Indexed(5))),
    style("ed 2 takes the background", "xterm bce", "\x1b[45m\x1b[2J\x1b[m", styled!(bg: Color::Indexed(5))),
    style("a scrolled in line takes only the background", "xterm bce", "\x1b[7;4;31;45m\x1bM", styled!(bg: Color::Indexed(5))),
    style("an erased cell takes only the background", "xterm bce", "abc\r\x1b[7;4;31;45m\x1b[X", styled!(bg: Color::Indexed(5))),
    style("an inserted cell takes only the background", "xterm bce", "abc\r\x1b[7;4;31;45m\x1b[@", styled!(bg: Color::Indexed(5))),
    style("a modifier sequence is no style", "xterm ctlseqs XTMODKEYS", "\x1b[>4;1mX", CellStyle::default),
    style("decrc restores the style after another screen", "xterm ctlseqs 47", "\x1b[31m\x1b7\x1b[m\x1b[?47h\x1b[32m\x1b[?47l\x1b8X", styled!(fg: Color::Indexed(1))),
    style("47 keeps the pen", "xterm ctlseqs 47", "\x1b[?47h\x1b[31m\x1b[?47l\x1b[HX", styled!(fg: Color::Indexed(1))),
    style("1049 restores the pen", "xterm ctlseqs 1049", "\x1b[31m\x1b[?1049h\x1b[32m\x1b[?1049l\x1b[HX", styled!(fg: Color::Indexed(1))),
    style("decrc restores the style", "DEC STD 070 DECRC", "\x1b[31m\x1b7\x1b[m\x1b8X", styled!(fg: Color::Indexed(1))),
];
