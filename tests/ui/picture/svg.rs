//! A screen as an SVG picture that looks the same with any monospaced font: every run of text has a fixed width, and the lines of boxes are
//! drawn as paths.

use std::fmt::Write as _;

use dbs::term::ColorPalette;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// Width and height of a cell.
const CELL: (u32, u32) = (9, 19);
/// Distance from the upper edge of a cell to the baseline of its letters.
const BASELINE: u32 = 14;
/// Space around the screen.
const MARGIN: u32 = 12;
const INK: &str = "#d6d9de";
const GROUND: &str = "#15181d";
/// The sixteen colours, bright but not garish on the background.
const COLOURS: [&str; 16] = [
    "#2b3038", "#f07178", "#9ece6a", "#e5c07b", "#7aa2f7", "#c792ea", "#6fd3d8", "#c8ccd4", "#7d8590",
    "#ff8b92", "#b5e08a", "#f5d78e", "#9dbcff", "#d9b0f5", "#93e4e8", "#ffffff",
];
/// Arms of each line sign: up, right, down, left.
const LINES: [(&str, [bool; 4]); 15] = [
    ("─", [false, true, false, true]),
    ("━", [false, true, false, true]),
    ("│", [true, false, true, false]),
    ("┌", [false, true, true, false]),
    ("┐", [false, false, true, true]),
    ("└", [true, true, false, false]),
    ("┘", [true, false, false, true]),
    ("╭", [false, true, true, false]),
    ("╮", [false, false, true, true]),
    ("╰", [true, true, false, false]),
    ("╯", [true, false, false, true]),
    ("├", [true, true, true, false]),
    ("┤", [true, false, true, true]),
    ("┬", [false, true, true, true]),
    ("┴", [true, true, false, true]),
];

/// Style of a cell.
#[derive(Debug, Clone, PartialEq)]
struct Look {
    ink: String,
    ground: Option<String>,
    modifiers: Modifier,
}

/// The picture; `about` is its text for people who cannot see it.
pub(crate) fn svg(buffer: &Buffer, about: &str) -> String {
    let mut out = head((buffer.area.width, buffer.area.height), about);
    for y in 0..buffer.area.height {
        row(buffer, y, &mut out);
    }
    out.push_str(FOOT);
    out
}

/// End of a picture.
pub(crate) const FOOT: &str = "</g>\n</svg>\n";

/// Beginning of a picture of that many columns and rows.
pub(crate) fn head((columns, rows): (u16, u16), about: &str) -> String {
    let (width, height) = (u32::from(columns), u32::from(rows));
    let (width, height) = (width * CELL.0 + 2 * MARGIN, height * CELL.1 + 2 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"about\" font-size=\"15\" \
         font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace\">\n\
         <title id=\"about\">{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{GROUND}\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n",
        escaped(about)
    )
}

/// A key as it looks on a keyboard, centred over the lowest rows.
pub(crate) fn key_cap((columns, rows): (u16, u16), key: &str) -> String {
    let wide = u32::try_from(key.width()).expect("narrow") * 14 + 40;
    let x = (u32::from(columns) * CELL.0).saturating_sub(wide) / 2;
    let y = (u32::from(rows) - 4) * CELL.1;
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"46\" rx=\"8\" fill=\"#f5d78e\" stroke=\"#15181d\" stroke-width=\"2\"/>\n\
         <text x=\"{}\" y=\"{}\" font-size=\"24\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"#15181d\">{}</text>\n",
        x + wide / 2,
        y + 31,
        escaped(key)
    )
}

/// One row of a screen.
pub(crate) fn row(buffer: &Buffer, y: u16, out: &mut String) {
    let cells: Vec<(u32, &Cell)> = visible(buffer, y);
    let top = u32::from(y) * CELL.1;
    let mut grounds = Vec::new();
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut texts: Vec<(u32, u32, String, Look)> = Vec::new();
    for (x, cell) in cells {
        let (look, symbol) = (look(cell), cell.symbol());
        let columns = u32::try_from(symbol.width().max(1)).expect("narrow");
        if let Some(ground) = look.ground.clone() {
            joined(&mut grounds, x, columns, ground);
        }
        if let Some(path) = line_path(symbol, x, top) {
            match lines.last_mut() {
                Some((ink, paths)) if *ink == look.ink => paths.push_str(&path),
                _ => lines.push((look.ink, path)),
            }
        } else if symbol != " " || look.modifiers.contains(Modifier::UNDERLINED) {
            texts.push((x, columns, symbol.to_owned(), look));
        }
    }
    for (x, columns, ground) in grounds {
        let (x, width) = (x * CELL.0, columns * CELL.0);
        let height = CELL.1;
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>"
        )
        .expect("text");
    }
    for (ink, path) in lines {
        writeln!(
            out,
            "<path d=\"{path}\" stroke=\"{ink}\" fill=\"none\" shape-rendering=\"crispEdges\"/>"
        )
        .expect("text");
    }
    for (x, columns, text, look) in runs(texts) {
        write_run(out, (x * CELL.0, top + BASELINE, columns * CELL.0), &text, &look);
    }
}

/// The visible cells: without the second half of a wide sign.
fn visible(buffer: &Buffer, y: u16) -> Vec<(u32, &Cell)> {
    let mut cells = Vec::new();
    let mut skip = 0;
    for x in 0..buffer.area.width {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let cell = &buffer[(x, y)];
        skip = cell.symbol().width().saturating_sub(1);
        cells.push((u32::from(x), cell));
    }
    cells
}

/// Adds a background, joined with one of the same colour at its left.
fn joined(grounds: &mut Vec<(u32, u32, String)>, x: u32, columns: u32, ground: String) {
    match grounds.last_mut() {
        Some((from, many, same)) if *from + *many == x && *same == ground => *many += columns,
        _ => grounds.push((x, columns, ground)),
    }
}

/// Joins words of the same style that are at most one blank apart. Other signs stay single: fonts draw them in any width.
fn runs(texts: Vec<(u32, u32, String, Look)>) -> Vec<(u32, u32, String, Look)> {
    let mut runs: Vec<(u32, u32, String, Look)> = Vec::new();
    for (x, columns, text, look) in texts {
        match runs.last_mut() {
            Some((from, many, run, same))
                if *same == look && text.is_ascii() && run.is_ascii() && x <= *from + *many + 1 =>
            {
                if x > *from + *many {
                    run.push(' ');
                }
                run.push_str(&text);
                *many = x + columns - *from;
            }
            _ => runs.push((x, columns, text, look)),
        }
    }
    runs
}

fn write_run(out: &mut String, (x, y, width): (u32, u32, u32), text: &str, look: &Look) {
    write!(
        out,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"",
        look.ink
    )
    .expect("text");
    for (modifier, written) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::DIM, " opacity=\"0.65\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
    ] {
        if look.modifiers.contains(modifier) {
            out.push_str(written);
        }
    }
    writeln!(out, ">{}</text>", escaped(text)).expect("text");
}

/// The SVG path of a line sign.
fn line_path(symbol: &str, x: u32, top: u32) -> Option<String> {
    let (_, arms) = LINES.iter().find(|(sign, _)| *sign == symbol)?;
    // In halves, so that a line of width one fills whole pixels.
    let (left, right) = (2 * x * CELL.0, 2 * (x + 1) * CELL.0);
    let (up, down) = (2 * top, 2 * (top + CELL.1));
    let (middle_x, middle_y) = (left + CELL.0, up + CELL.1);
    let half = |number: u32| {
        let rest = if number.is_multiple_of(2) { "" } else { ".5" };
        format!("{}{rest}", number / 2)
    };
    let ends = [
        (middle_x, up),
        (right, middle_y),
        (middle_x, down),
        (left, middle_y),
    ];
    let mut path = String::new();
    for (end, _) in ends.iter().zip(arms).filter(|(_, there)| **there) {
        let (from, to) = ((half(middle_x), half(middle_y)), (half(end.0), half(end.1)));
        write!(path, "M{} {}L{} {}", from.0, from.1, to.0, to.1).expect("text");
    }
    Some(path)
}

fn look(cell: &Cell) -> Look {
    let (ink, ground) = (colour(cell.fg), colour(cell.bg));
    let (ink, ground) = if cell.modifier.contains(Modifier::REVERSED) {
        (
            ground.unwrap_or_else(|| GROUND.to_owned()),
            Some(ink.unwrap_or_else(|| INK.to_owned())),
        )
    } else {
        (ink.unwrap_or_else(|| INK.to_owned()), ground)
    };
    Look {
        ink,
        ground,
        modifiers: cell.modifier - Modifier::REVERSED,
    }
}

/// A colour in SVG notation; nothing for the terminal's own colour.
fn colour(color: Color) -> Option<String> {
    let named = |at: usize| Some(COLOURS[at].to_owned());
    match color {
        Color::Reset => None,
        Color::Black => named(0),
        Color::Red => named(1),
        Color::Green => named(2),
        Color::Yellow => named(3),
        Color::Blue => named(4),
        Color::Magenta => named(5),
        Color::Cyan => named(6),
        Color::Gray => named(7),
        Color::DarkGray => named(8),
        Color::LightRed => named(9),
        Color::LightGreen => named(10),
        Color::LightYellow => named(11),
        Color::LightBlue => named(12),
        Color::LightMagenta => named(13),
        Color::LightCyan => named(14),
        Color::White => named(15),
        Color::Indexed(index) if index < 16 => named(usize::from(index)),
        Color::Indexed(index) => Some(hex(ColorPalette::default().indexed(index))),
        Color::Rgb(red, green, blue) => Some(hex((red, green, blue))),
    }
}

fn hex((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
