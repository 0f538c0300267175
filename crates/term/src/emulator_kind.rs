//! Choice of the emulator. Must be the only place that names one.

use super::emulator::Emulator;
use super::rio::RioEmulator;
use super::size::Size;
use super::vt100_emulator::Vt100Emulator;

/// Emulator that a terminal uses (`[terminal] engine`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownEmulator, parse_err_fn = unknown)]
pub enum EmulatorKind {
    /// The default: fast, reflows on resize.
    #[default]
    Rio,
    /// Pure Rust, the lightest; no reflow.
    Vt100,
}

impl EmulatorKind {
    /// Both kinds, in the order of preference.
    pub const ALL: [Self; 2] = [Self::Rio, Self::Vt100];

    /// Returns the name used in configuration.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Creates an emulator with room for `history_lines` lines above the screen.
    pub fn build(self, size: Size, history_lines: usize) -> Box<dyn Emulator> {
        match self {
            Self::Rio => Box::new(RioEmulator::new(size, history_lines)),
            Self::Vt100 => Box::new(Vt100Emulator::new(size, history_lines)),
        }
    }
}

/// The error that a name is not the name of an emulator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "use terminal engine `{0}`: there are only `rio` and `vt100`; set `[terminal] engine` to one of them"
)]
pub struct UnknownEmulator(pub String);

fn unknown(name: &str) -> UnknownEmulator {
    UnknownEmulator(name.to_owned())
}
