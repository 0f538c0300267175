//! The colours reported to a program that asks for them. Must come from the user's terminal or theme, never from a
//! program: colours set by a program are not stored.

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// The colours of the outer terminal, as far as it reported them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColorPalette {
    pub foreground: Rgb,
    pub background: Rgb,
    pub cursor: Rgb,
    /// The first sixteen entries.
    pub ansi: [Rgb; 16],
}

impl Default for ColorPalette {
    /// Returns light on dark, with xterm's sixteen colours.
    fn default() -> Self {
        Self {
            foreground: (0xd8, 0xd8, 0xd8),
            background: (0x18, 0x18, 0x18),
            cursor: (0xd8, 0xd8, 0xd8),
            ansi: [
                (0x00, 0x00, 0x00),
                (0xcd, 0x00, 0x00),
                (0x00, 0xcd, 0x00),
                (0xcd, 0xcd, 0x00),
                (0x00, 0x00, 0xee),
                (0xcd, 0x00, 0xcd),
                (0x00, 0xcd, 0xcd),
                (0xe5, 0xe5, 0xe5),
                (0x7f, 0x7f, 0x7f),
                (0xff, 0x00, 0x00),
                (0x00, 0xff, 0x00),
                (0xff, 0xff, 0x00),
                (0x5c, 0x5c, 0xff),
                (0xff, 0x00, 0xff),
                (0x00, 0xff, 0xff),
                (0xff, 0xff, 0xff),
            ],
        }
    }
}

impl ColorPalette {
    /// Builds the colours of a terminal that reported some of its own. The others are the default ones, but text always stays readable on
    /// the background.
    pub fn from_reported(foreground: Option<Rgb>, background: Option<Rgb>) -> Self {
        let usual = Self::default();
        let reported = Self {
            background: background.unwrap_or(usual.background),
            ..usual
        };
        let readable = if reported.is_dark() {
            usual.foreground
        } else {
            usual.background
        };
        let foreground = foreground.unwrap_or(readable);
        Self {
            foreground,
            cursor: foreground,
            ..reported
        }
    }

    /// Returns the colour of any of the 256 entries: the cube and the greys are the same everywhere.
    pub fn indexed(&self, index: u8) -> Rgb {
        if let Some(&color) = self.ansi.get(usize::from(index)) {
            return color;
        }
        if index >= 232 {
            let grey = 8 + (index - 232) * 10;
            return (grey, grey, grey);
        }
        let cube = index - 16;
        let level = |step: u8| if step == 0 { 0 } else { 55 + step * 40 };
        (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    }

    /// Returns true if the background is dark.
    pub fn is_dark(&self) -> bool {
        let (red, green, blue) = self.background;
        u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114 < 128_000
    }
}

/// Formats a colour as X writes it in replies.
pub(super) fn x_color((red, green, blue): Rgb) -> String {
    format!("rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_on_a_reported_background() {
        let light = ColorPalette::from_reported(None, Some((255, 255, 255)));
        assert!(!light.is_dark());
        assert_eq!(
            (light.foreground, light.cursor),
            ((0x18, 0x18, 0x18), (0x18, 0x18, 0x18))
        );
        assert_eq!(ColorPalette::from_reported(None, None), ColorPalette::default());
        let green = (0, 255, 0);
        let reported = ColorPalette::from_reported(Some(green), Some((0, 0, 0)));
        assert_eq!(
            (reported.foreground, reported.cursor, reported.background),
            (green, green, (0, 0, 0))
        );
    }
}
