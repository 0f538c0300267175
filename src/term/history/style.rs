//! Styles as bytes: a byte that says what follows, then only what is not the default. Must be exact both ways.

use crate::term::cell::{CellAttributes, CellStyle, Color, Underline};

/// Most bytes of one style.
const MAX_LEN: usize = 12;
/// The style has attributes; it has an underline.
const ATTRIBUTES: u8 = 1 << 6;
const UNDERLINE: u8 = 1 << 7;
/// Kinds of colours, two bits each.
const INDEXED: u8 = 1;
const RGB: u8 = 2;

/// A cell style encoded in at most twelve bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedStyle {
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Default for PackedStyle {
    /// The default style.
    fn default() -> Self {
        Self {
            bytes: [0; MAX_LEN],
            len: 1,
        }
    }
}

impl PackedStyle {
    pub(super) fn of(style: &CellStyle) -> Self {
        let mut look = Self::default();
        let kinds = look.color(style.fg) | look.color(style.bg) << 2 | look.color(style.underline_color) << 4;
        let mut what = kinds;
        if style.attributes != CellAttributes::default() {
            what |= ATTRIBUTES;
            look.push(style.attributes.bits());
        }
        if style.underline != Underline::None {
            what |= UNDERLINE;
            look.push(number(style.underline));
        }
        if let Some(first) = look.bytes.first_mut() {
            *first = what;
        }
        look
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(usize::from(self.len)) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Appends a colour and answers its kind.
    fn color(&mut self, color: Color) -> u8 {
        match color {
            Color::Default => 0,
            Color::Indexed(index) => {
                self.push(index);
                INDEXED
            }
            Color::Rgb(red, green, blue) => {
                self.push(red);
                self.push(green);
                self.push(blue);
                RGB
            }
        }
    }
}

/// Reads a style from the front of `bytes` and takes it away.
pub(super) fn take(bytes: &mut &[u8]) -> Option<CellStyle> {
    let what = take_byte(bytes)?;
    let fg = take_color(bytes, what)?;
    let bg = take_color(bytes, what >> 2)?;
    let underline_color = take_color(bytes, what >> 4)?;
    let attributes = if what & ATTRIBUTES == 0 {
        CellAttributes::default()
    } else {
        CellAttributes::from_bits(take_byte(bytes)?)
    };
    let underline = if what & UNDERLINE == 0 {
        Underline::None
    } else {
        kind(take_byte(bytes)?)
    };
    Some(CellStyle {
        fg,
        bg,
        underline_color,
        underline,
        attributes,
    })
}

fn take_color(bytes: &mut &[u8], kind: u8) -> Option<Color> {
    Some(match kind & 3 {
        INDEXED => Color::Indexed(take_byte(bytes)?),
        RGB => Color::Rgb(take_byte(bytes)?, take_byte(bytes)?, take_byte(bytes)?),
        _ => Color::Default,
    })
}

/// Takes the first byte away.
pub(super) fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn number(underline: Underline) -> u8 {
    match underline {
        Underline::None => 0,
        Underline::Single => 1,
        Underline::Double => 2,
        Underline::Curly => 3,
        Underline::Dotted => 4,
        Underline::Dashed => 5,
    }
}

fn kind(number: u8) -> Underline {
    match number {
        1 => Underline::Single,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => Underline::None,
    }
}
