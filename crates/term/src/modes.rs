//! The modes a program has set in its terminal. Must not depend on any emulator: the scanner keeps these itself, so that they are the same
//! with every emulator.

/// The terminal modes a program has set, as far as they matter to input and display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    flags: u32,
    pub mouse: MouseMode,
    pub mouse_encoding: MouseEncoding,
    pub kitty: KittyFlags,
    /// xterm `modifyOtherKeys` level, 0 to 2.
    pub modify_other_keys: u8,
}

impl Default for Modes {
    fn default() -> Self {
        let mut modes = Self {
            flags: 0,
            mouse: MouseMode::Off,
            mouse_encoding: MouseEncoding::Legacy,
            kitty: KittyFlags::default(),
            modify_other_keys: 0,
        };
        for on in [
            TermMode::AutoWrap,
            TermMode::CursorVisible,
            TermMode::AlternateScroll,
            TermMode::GraphemeClusters,
        ] {
            modes.set(on, true);
        }
        modes
    }
}

impl Modes {
    /// Returns true if a mode is on.
    pub fn has(&self, mode: TermMode) -> bool {
        self.flags & mode.bit() != 0
    }

    /// Switches a mode.
    pub fn set(&mut self, mode: TermMode, on: bool) {
        if on {
            self.flags |= mode.bit();
        } else {
            self.flags &= !mode.bit();
        }
    }
}

/// A terminal mode that is on or off, with its DEC private number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermMode {
    /// 47, 1047, 1049: the screen without history is shown.
    AlternateScreen,
    ApplicationCursor,
    /// 66 and `ESC =` (DECKPAM).
    ApplicationKeypad,
    /// 5 (DECSCNM): the whole screen is shown inverse.
    ReverseVideo,
    /// 6 (DECOM): positions count from the top margin.
    Origin,
    AutoWrap,
    CursorBlink,
    CursorVisible,
    FocusReports,
    /// 1007: the wheel sends cursor keys on the alternate screen.
    AlternateScroll,
    BracketedPaste,
    /// 2026: the program is in the middle of a frame.
    SynchronizedOutput,
    /// 2027: one grapheme cluster takes one place.
    GraphemeClusters,
    /// 2031: the program wants changes between dark and light as a report.
    ColorSchemeReports,
    /// 2048: the program wants size changes as a report.
    SizeReports,
    /// ANSI 4 (IRM).
    Insert,
    /// ANSI 20 (LNM): a line feed also returns the carriage.
    NewLine,
}

impl TermMode {
    fn bit(self) -> u32 {
        1 << (self as u32)
    }

    /// Returns the mode of a DEC private number, without mouse modes.
    pub fn from_private(number: u16) -> Option<Self> {
        of_number(&Self::PRIVATE, number)
    }

    /// The modes with a DEC private number, without mouse modes.
    pub(super) const PRIVATE: [(u16, Self); 17] = [
        (1, Self::ApplicationCursor),
        (5, Self::ReverseVideo),
        (6, Self::Origin),
        (7, Self::AutoWrap),
        (12, Self::CursorBlink),
        (25, Self::CursorVisible),
        (47, Self::AlternateScreen),
        (66, Self::ApplicationKeypad),
        (1004, Self::FocusReports),
        (1007, Self::AlternateScroll),
        (1047, Self::AlternateScreen),
        (1049, Self::AlternateScreen),
        (2004, Self::BracketedPaste),
        (2026, Self::SynchronizedOutput),
        (2027, Self::GraphemeClusters),
        (2031, Self::ColorSchemeReports),
        (2048, Self::SizeReports),
    ];
}

fn of_number<T: Copy>(table: &[(u16, T)], number: u16) -> Option<T> {
    let (_, value) = table.iter().find(|(own, _)| *own == number)?;
    Some(*value)
}

/// Mouse events that a program wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MouseMode {
    #[default]
    Off,
    /// 9: presses only, without modifiers.
    X10,
    /// 1000: presses and releases.
    Press,
    /// 1002: also motion while a button is down.
    Drag,
    /// 1003: all motion.
    Motion,
}

impl MouseMode {
    /// The modes with their DEC private numbers.
    pub(super) const PRIVATE: [(u16, Self); 4] = [
        (9, Self::X10),
        (1000, Self::Press),
        (1002, Self::Drag),
        (1003, Self::Motion),
    ];

    /// Returns the mode of a DEC private number.
    pub fn from_private(number: u16) -> Option<Self> {
        of_number(&Self::PRIVATE, number)
    }
}

/// Encoding of mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MouseEncoding {
    /// Three bytes, columns and rows up to 223.
    #[default]
    Legacy,
    /// 1005: the legacy form with UTF-8, up to 2015.
    Utf8,
    /// 1006: `CSI < b ; x ; y M`.
    Sgr,
    /// 1015: `CSI b ; x ; y M`.
    Urxvt,
}

impl MouseEncoding {
    /// The encodings with their DEC private numbers.
    pub(super) const PRIVATE: [(u16, Self); 3] = [(1005, Self::Utf8), (1006, Self::Sgr), (1015, Self::Urxvt)];

    /// Returns the encoding of a DEC private number.
    pub fn from_private(number: u16) -> Option<Self> {
        of_number(&Self::PRIVATE, number)
    }
}

use strum::VariantArray as _;

bitflags::bitflags! {
    /// A set of kitty keyboard protocol flags.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct KittyFlags: u8 {
        /// Keys that are ambiguous in the legacy encoding get an escape code.
        const DISAMBIGUATE = 1;
        /// Repeat and release are reported.
        const EVENT_TYPES = 2;
        /// Shifted and base layout keys are added.
        const ALTERNATE_KEYS = 4;
        /// Every key is an escape code.
        const ALL_KEYS = 8;
        /// The text that a key makes is added.
        const ASSOCIATED_TEXT = 16;
    }
}

impl KittyFlags {
    /// Returns the known flags of a number that a program sent.
    pub fn from_number(number: u16) -> Self {
        Self::from_bits_truncate((number & 0xff) as u8)
    }
}

/// Shape of the cursor (DECSCUSR).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::VariantArray)]
pub enum CursorShape {
    /// The outer terminal's own shape.
    #[default]
    Default,
    BlinkingBlock,
    SteadyBlock,
    BlinkingUnderline,
    SteadyUnderline,
    BlinkingBar,
    SteadyBar,
}

impl CursorShape {
    /// Returns the shape of a DECSCUSR parameter.
    pub fn from_parameter(parameter: u16) -> Option<Self> {
        Self::VARIANTS.get(usize::from(parameter)).copied()
    }

    /// Returns the DECSCUSR parameter of the shape.
    pub fn parameter(self) -> u8 {
        self as u8
    }
}

/// Position and look of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
    pub shape: CursorShape,
}
