//! Styles as bytes: a byte of flags, then only the parts that are not the default. Must read back exactly the style written.

use crate::cell::{CellAttributes, CellStyle, Color, Underline};

/// Maximum number of bytes of one style.
const MAX_LEN: usize = 12;
/// The style has attributes; it has an underline.
const ATTRIBUTES: u8 = 1 << 6;
const UNDERLINE: u8 = 1 << 7;
/// Kinds of colours, two bits each.
const INDEXED: u8 = 1;
const RGB: u8 = 2;
/// Kinds of underlines by the number that is written for them.
const UNDERLINES: [Underline; 6] = [
    Underline::None,
    Underline::Single,
    Underline::Double,
    Underline::Curly,
    Underline::Dotted,
    Underline::Dashed,
];

/// A cell style encoded in at most twelve bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedStyle {
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Default for PackedStyle {
    /// Returns the default style.
    fn default() -> Self {
        Self {
            bytes: [0; MAX_LEN],
            len: 1,
        }
    }
}

impl PackedStyle {
    pub(super) fn of(style: &CellStyle) -> Self {
        let mut packed = Self::default();
        let kinds =
            packed.color(style.fg) | packed.color(style.bg) << 2 | packed.color(style.underline_color) << 4;
        let mut what = kinds;
        if style.attributes != CellAttributes::default() {
            what |= ATTRIBUTES;
            packed.push(style.attributes.bits());
        }
        if style.underline != Underline::None {
            what |= UNDERLINE;
            packed.push(style.underline as u8);
        }
        if let Some(first) = packed.bytes.first_mut() {
            *first = what;
        }
        packed
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

    /// Appends a colour and returns its kind.
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
        CellAttributes::from_bits_retain(take_byte(bytes)?)
    };
    let underline = if what & UNDERLINE == 0 {
        Underline::None
    } else {
        let number = usize::from(take_byte(bytes)?);
        UNDERLINES.get(number).copied().unwrap_or_default()
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
